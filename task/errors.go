package task

import (
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
)

// usageError marks errors that the input or the settings are to blame for.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// IsUsage reports whether an error is about the input or the settings, and not
// a failure of the work.
func IsUsage(err error) bool {
	var u usageError
	var p *data.ParseError
	return errors.As(err, &u) || errors.As(err, &p)
}

func misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Misuse is an error about the input or the settings, as IsUsage reports it.
func Misuse(format string, args ...any) error { return misuse(format, args...) }
