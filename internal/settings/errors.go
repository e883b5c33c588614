package settings

import (
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
)

// usageError marks an error that is caused by the input or the settings.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage marks an error as caused by the input or the settings.
func Usage(err error) error { return usageError{err} }

// IsUsage reports whether an error is about the input or the settings, and not
// a failure of the work.
func IsUsage(err error) bool {
	var u usageError
	var p *data.ParseError
	return errors.As(err, &u) || errors.As(err, &p)
}

// Misuse returns a new error that IsUsage accepts.
func Misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }
