//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import (
	"errors"
	"os"
)

// locks says that the system has no advisory locks.
const locks = false

// flock does nothing.
func flock(*os.File) error { return errors.ErrUnsupported }
