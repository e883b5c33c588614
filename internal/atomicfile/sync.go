package atomicfile

import (
	"os"
	"sync/atomic"
)

// unsynced is how many calls of Unsynced have not ended.
var unsynced atomic.Int32

// Unsynced leaves it to the system when files of this process reach the disk, until end is called once: after a kill
// they are complete or absent as ever, after a power cut they may be empty. Syncing takes milliseconds, which files
// that another process reads at once and then removes need not wait for.
func Unsynced() (end func()) {
	unsynced.Add(1)
	return func() { unsynced.Add(-1) }
}

// synced waits until a file is on the disk, where the file system has such an operation and files are synced.
func synced(f *os.File) error {
	if unsynced.Load() > 0 {
		return nil
	}
	if err := f.Sync(); err != nil && !unsupported(err) {
		return err
	}
	return nil
}
