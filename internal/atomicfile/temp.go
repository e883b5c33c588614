package atomicfile

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// The name of a temporary file ends with random base32 characters, as rand.Text returns them.
const (
	suffixLength = 10
	base32       = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// unfinished has the paths of the temporary files and folders of this process.
var unfinished sync.Map

// Discard removes all temporary files and folders of this process, for a program that ends while a
// goroutine still writes. After it, nothing can be committed.
func Discard() {
	unfinished.Range(func(path, _ any) bool {
		os.RemoveAll(path.(string))
		return true
	})
}

// temporary makes a file or folder with a hidden name in the folder of target, by calling make, and
// holds its lock while it is open. The lock tells other processes that its writer is alive. Before
// that it removes what killed writers have left for the same target.
func temporary(target string, make func(path string) (*os.File, error)) (*os.File, error) {
	dir, base := filepath.Split(target)
	prefix := "." + base + ".tmp-"
	removeLeft(dir, prefix)
	for try := 0; ; try++ {
		path := filepath.Join(dir, prefix+rand.Text()[:suffixLength])
		f, err := make(path)
		if err != nil {
			if errors.Is(err, fs.ErrExist) && try < 100 {
				continue
			}
			return nil, err
		}
		unfinished.Store(path, nil)
		// Another process that was searching for files that were left may have found it before it
		// was locked here.
		if err := flock(f); !errors.Is(err, errHeld) && sameFile(path, f) || try == 100 {
			return f, nil
		}
		f.Close()
		removeTemp(path)
	}
}

// removeTemp removes a temporary file or folder, if it still exists.
func removeTemp(path string) {
	os.RemoveAll(path)
	unfinished.Delete(path)
}

// RemoveLeft removes the temporary files in a folder whose writers are not alive. This process must
// have locked the folder: on systems without locks RemoveLeft removes all temporary files.
func RemoveLeft(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if temporary, _ := filepath.Match(".*.tmp-*", e.Name()); !temporary {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if locks {
			removeUnheld(path)
		} else if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// removeLeft removes the temporary files of a name whose writers are not alive. If the system has
// no locks, they stay.
func removeLeft(dir, prefix string) {
	if !locks {
		return
	}
	entries, _ := os.ReadDir(cmp.Or(dir, ".")) // if the folder cannot be listed, they stay
	for _, e := range entries {
		if suffix, ok := strings.CutPrefix(e.Name(), prefix); ok && len(suffix) == suffixLength && strings.Trim(suffix, base32) == "" {
			removeUnheld(filepath.Join(dir, e.Name()))
		}
	}
}

// removeUnheld removes a file or folder that no process has locked.
func removeUnheld(path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if flock(f) == nil && sameFile(path, f) {
		os.RemoveAll(path)
	}
}

// sameFile reports whether path still names the open file.
func sameFile(path string, f *os.File) bool {
	opened, err := f.Stat()
	now, nowErr := os.Stat(path)
	return err == nil && nowErr == nil && os.SameFile(opened, now)
}

// Folder is a folder that is being written. It does not exist under its name before Commit.
type Folder struct {
	Path   string // where to write before Commit
	target string
	file   *os.File
}

// CreateFolder begins a folder, which must not exist. Every Folder must be ended by Commit or
// Abort. Abort can always be deferred.
func CreateFolder(target string) (*Folder, error) {
	target = filepath.Clean(target)
	file, err := temporary(target, func(path string) (*os.File, error) {
		if err := os.Mkdir(path, 0o755); err != nil {
			return nil, err
		}
		return os.Open(path)
	})
	if err != nil {
		return nil, err
	}
	return &Folder{Path: file.Name(), target: target, file: file}, nil
}

// Commit gives the folder its name.
func (f *Folder) Commit() error {
	if !locks {
		f.file.Close() // an open folder could not be renamed
	}
	defer f.Abort()
	return os.Rename(f.Path, f.target)
}

// Abort removes the folder. After Commit it does nothing.
func (f *Folder) Abort() {
	f.file.Close()
	removeTemp(f.Path)
}

// Clean removes the files that a killed writer has left in a folder: temporary files and folders,
// and the lock of the folder. Files of running processes stay.
func Clean(dir string) {
	entries, _ := os.ReadDir(dir) // if the folder cannot be listed, they stay
	for _, e := range entries {
		if at := strings.LastIndex(e.Name(), ".tmp-"); at > 0 && e.Name()[0] == '.' {
			removeLeft(dir, e.Name()[:at+len(".tmp-")])
		}
		if e.Name() == lockName && locks {
			removeUnheld(filepath.Join(dir, lockName))
		}
	}
}
