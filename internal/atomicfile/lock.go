package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// lockName is the lock file of a folder. Its content names the process that has the lock.
const lockName = ".lock"

// lockTries is the largest number of attempts to open a lock file that other processes keep
// removing.
const lockTries = 1000

// HeldError is the error that another process writes to a folder.
type HeldError struct {
	Dir string
	By  string // such as "process 4711 on alpha since 2026-01-02 15:04:05"; empty if unknown
}

func (e *HeldError) Error() string {
	by := e.By
	if by == "" {
		by = "another process"
	}
	return fmt.Sprintf("%s is being written to by %s", e.Dir, by)
}

// errHeld is the error that another process has the lock of a file.
var errHeld = errors.New("held")

// Lock makes this process the only writer of an existing folder. If another process writes to it,
// the error is a *HeldError. The system releases the lock when the process ends in any way. On
// systems and file systems without locks, Lock does not exclude other processes.
func Lock(dir string) (release func(), err error) {
	path := filepath.Join(dir, lockName)
	for range lockTries {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err := flock(f); errors.Is(err, errHeld) {
			by, _ := io.ReadAll(io.LimitReader(f, 200))
			f.Close()
			return nil, &HeldError{Dir: dir, By: string(by)}
		}
		// The process that released the lock in the meantime has removed the file that was opened
		// here.
		if !sameFile(path, f) {
			f.Close()
			continue
		}
		host, _ := os.Hostname()
		if err := f.Truncate(0); err == nil {
			fmt.Fprintf(f, "process %d on %s since %s", os.Getpid(), host, time.Now().Format(time.DateTime))
		}
		return func() { os.Remove(path); f.Close() }, nil
	}
	return nil, &HeldError{Dir: dir}
}
