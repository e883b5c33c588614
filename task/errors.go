package task

import (
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
)

// usageError marks errors that are due to the input or the settings.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// asUsage marks an error as due to the input or the settings.
func asUsage(err error) error { return usageError{err} }

// IsUsage reports whether an error is about the input or the settings, and not
// a failure of the work.
func IsUsage(err error) bool {
	var u usageError
	var p *data.ParseError
	return errors.As(err, &u) || errors.As(err, &p)
}

// Misuse makes an error for which IsUsage is true.
func Misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }
