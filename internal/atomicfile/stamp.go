package atomicfile

import (
	"os"
	"time"
)

// Stamp identifies a version of a file.
type Stamp struct {
	size int64
	time time.Time
}

// StampOf returns the stamp of the current version of a file.
func StampOf(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}, err
	}
	return Stamp{info.Size(), info.ModTime()}, nil
}
