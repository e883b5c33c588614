package atomicfile

import (
	"os"
	"sync/atomic"
)

// unsynced is the number of calls of Unsynced that have not ended.
var unsynced atomic.Int32

// Unsynced stops syncing the files of this process until end is called once: the system decides
// when they reach the disk. After a kill they are still complete or absent; after a power cut they
// may be empty. Syncing takes milliseconds. It is not needed for files that another process reads
// at once and then removes.
func Unsynced() (end func()) {
	unsynced.Add(1)
	return func() { unsynced.Add(-1) }
}

// synced waits until a file is on the disk, if the file system supports it and Unsynced is not in
// effect.
func synced(f *os.File) error {
	if unsynced.Load() > 0 {
		return nil
	}
	if err := f.Sync(); err != nil && !unsupported(err) {
		return err
	}
	return nil
}
