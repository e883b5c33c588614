package cli

import (
	"context"
	"errors"
)

// Exit codes of the program.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitInterrupted = 130
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

// exitCode maps an error of a verb to the exit code.
func exitCode(err error) int {
	var u *usageError
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &u):
		return ExitUsage
	}
	return ExitFailed
}
