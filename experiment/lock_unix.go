//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package experiment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ehgnn/ehgnn/task"
)

// lockFile makes this process the only one that writes to a folder. The system
// lets go of the lock when the process ends, however it ends.
func lockFile(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, task.Misuse("experiment: another run writes to %s; wait for it or name another folder", filepath.Dir(path))
	}
	// File systems without locks are used without.
	return func() { f.Close() }, nil
}
