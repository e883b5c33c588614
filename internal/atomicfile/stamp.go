package atomicfile

import (
	"os"
	"time"
)

// Stamp tells versions of a file apart.
type Stamp struct {
	size int64
	time time.Time
}

// StampOf is the stamp of the file as it is.
func StampOf(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}, err
	}
	return Stamp{info.Size(), info.ModTime()}, nil
}
