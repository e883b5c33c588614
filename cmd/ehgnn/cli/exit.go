package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/plain"
	"github.com/ehgnn/ehgnn/internal/version"
)

// Exit codes of the program. What Go itself ends a program for, such as memory that has run
// out, cannot be caught: it exits with 2 and prints "fatal error" with the stacks.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitDefect      = 3 // the program itself is wrong
	ExitInterrupted = 130
	ExitPipe        = 141 // nobody reads standard output any more; shells have the same for SIGPIPE
)

// usageError marks wrong usage and unreadable input.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usage marks an error that the user can mend: the program exits with 2.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// devices are the errors of a device that takes no more, and of a file system that takes nothing.
var devices = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EFBIG}

// deviceFails reports whether work failed for want of a device, which no other call would mend.
func deviceFails(err error) bool {
	return slices.ContainsFunc(devices, func(of error) bool { return errors.Is(err, of) })
}

// output marks an error of writing to a path that the user gave: the path is wrong, unless the system
// does not let the program write there.
func output(err error) error {
	if deviceFails(err) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	return usage(err)
}

// defect is a panic of a verb.
type defect struct {
	value any
	stack []byte
}

// caught is the defect of a value that has been recovered, in the function that did.
func caught(value any) *defect {
	d := &defect{value, debug.Stack()}
	if f, ok := value.(*par.Fault); ok { // of a goroutine of the verb
		d.stack = f.Stack
	}
	return d
}

func (d *defect) Error() string { return fmt.Sprintf("this is a defect: %v", d.value) }

// report prints what whoever mends the defect needs to know.
func (d *defect) report(w io.Writer, args []string) {
	v := version.Get(kernel.Level())
	fmt.Fprintf(w, "ehgnn: %s\n", plain.Message("ehgnn", d))
	fmt.Fprintf(w, "Please report it at https://github.com/ehgnn/ehgnn/issues, with all of this and, if they may be shown, the data:\n")
	fmt.Fprintf(w, "ehgnn %s\n", v)
	fmt.Fprintf(w, "%s\n\n%s", plain.Short(plain.Text("ehgnn "+strings.Join(args, " "))), d.stack)
}

// exitCode maps an error of a verb to the exit code.
func exitCode(err error) int {
	var u *usageError
	var d *defect
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &d):
		return ExitDefect
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.Is(err, errUnread):
		return ExitPipe
	case errors.As(err, &u) && !deviceFails(err):
		return ExitUsage
	}
	return ExitFailed
}

// errUnread says that the reader of standard output has gone.
var errUnread = errors.New("standard output is closed")

// written is the error of a verb that gave err, once what it printed is considered: cobra
// ignores that its help could not be printed.
func written(out *stream, err error) error {
	failed := out.failure()
	switch {
	case failed == nil:
		return err
	case errors.Is(failed, syscall.EPIPE):
		return errUnread
	case err == nil:
		return fmt.Errorf("standard output: %w", failed)
	}
	return err
}
