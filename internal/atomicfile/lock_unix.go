//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// locks says that the system has advisory locks, which end with their process.
const locks = true

// flock takes the lock of a file without waiting. The error is errHeld if another process has the
// lock. Other errors mean that the file system has no locks.
func flock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errHeld
	}
	return err
}
