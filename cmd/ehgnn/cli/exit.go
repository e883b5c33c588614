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
	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/version"
)

// Exit codes of the program. Fatal errors of the Go runtime, such as lack of memory, cannot be
// caught: the program exits with 2 and prints "fatal error" with the stacks.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitDefect      = 3 // the program itself is wrong
	ExitInterrupted = 130
	ExitPipe        = 141 // nobody reads standard output any more; shells use the same code for SIGPIPE
)

// usageError marks wrong usage and unreadable input.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usage marks an error that the user can correct: the program exits with 2.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// devices are errors of a full or failing device, and of a read-only file system.
var devices = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EFBIG}

// deviceFails reports whether work failed because of a device, so that other arguments would not help.
func deviceFails(err error) bool {
	return slices.ContainsFunc(devices, func(of error) bool { return errors.Is(err, of) })
}

// output marks an error of writing to a path that the user gave as a usage error, unless the device
// fails.
func output(err error) error {
	if deviceFails(err) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	return usage(err)
}

// defect is a panic of a command.
type defect struct {
	value any
	stack []byte
}

// caught returns the defect for a recovered value. Call it in the function that recovers.
func caught(value any) *defect {
	d := &defect{value, debug.Stack()}
	if f, ok := value.(*par.Fault); ok { // a panic in a goroutine of the command
		d.stack = f.Stack
	}
	return d
}

func (d *defect) Error() string { return fmt.Sprintf("this is a defect: %v", d.value) }

// report prints what is needed to find the defect.
func (d *defect) report(w io.Writer, args []string) {
	v := version.Get(kernel.Level())
	fmt.Fprintf(w, "ehgnn: %s\n", sanitize.Message("ehgnn", d))
	fmt.Fprintf(w, "Please report it at https://github.com/ehgnn/ehgnn/issues, with all of this and, if they may be shown, the data:\n")
	fmt.Fprintf(w, "ehgnn %s\n", v)
	fmt.Fprintf(w, "%s\n\n%s", sanitize.Short(sanitize.Text("ehgnn "+strings.Join(args, " "))), d.stack)
}

// exitCode returns the exit code for an error of a command.
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

// written combines the error of a command with errors of its output: cobra ignores that help could
// not be printed.
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
