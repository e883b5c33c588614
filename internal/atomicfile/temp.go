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

// A temporary name ends with random characters of base32, which rand.Text has.
const (
	suffixLength = 10
	base32       = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// unfinished has the paths of the temporary files and folders of this process.
var unfinished sync.Map

// Discard removes all temporary files and folders of this process, for a program that ends
// while a goroutine still writes. Nothing can be committed after it.
func Discard() {
	unfinished.Range(func(path, _ any) bool {
		os.RemoveAll(path.(string))
		return true
	})
}

// temporary makes what make gives for a new hidden name beside target, and holds the lock
// of it while it is open: this is how others know that its writer lives. What a writer that
// was killed has left for the same target is removed first.
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
		// Another process that looked for what is left may have found it before it was
		// locked here.
		if err := flock(f); !errors.Is(err, errHeld) && is(path, f) || try == 100 {
			return f, nil
		}
		f.Close()
		forget(path)
	}
}

// forget removes a temporary file or folder, if it is still there.
func forget(path string) {
	os.RemoveAll(path)
	unfinished.Delete(path)
}

// RemoveLeft removes the temporary files in a folder whose writers live no more. It is for
// a folder that this process has locked, as where the system has no locks it removes all.
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

// removeLeft removes what writers of a name that live no more have left. Where the system
// cannot tell, it stays.
func removeLeft(dir, prefix string) {
	if !locks {
		return
	}
	entries, _ := os.ReadDir(cmp.Or(dir, ".")) // what cannot be listed stays
	for _, e := range entries {
		if suffix, ok := strings.CutPrefix(e.Name(), prefix); ok && len(suffix) == suffixLength && strings.Trim(suffix, base32) == "" {
			removeUnheld(filepath.Join(dir, e.Name()))
		}
	}
}

// removeUnheld removes a file or folder that nobody has locked.
func removeUnheld(path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if flock(f) == nil && is(path, f) {
		os.RemoveAll(path)
	}
}

// is reports whether a path still leads to an open file.
func is(path string, f *os.File) bool {
	opened, err := f.Stat()
	now, nowErr := os.Stat(path)
	return err == nil && nowErr == nil && os.SameFile(opened, now)
}

// Folder is a folder being written, invisible under its own name until Commit.
type Folder struct {
	Path   string // where to write until then
	target string
	file   *os.File
}

// CreateFolder begins a folder, which must not exist. Every Folder must be ended by Commit
// or Abort; deferring Abort is always right.
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

// Abort drops the folder; after Commit it does nothing.
func (f *Folder) Abort() {
	f.file.Close()
	forget(f.Path)
}

// Clean removes what a writer that was killed has left in a folder: temporary files and folders, and the
// lock of the folder. What belongs to a process that lives stays.
func Clean(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be listed stays
	for _, e := range entries {
		if at := strings.LastIndex(e.Name(), ".tmp-"); at > 0 && e.Name()[0] == '.' {
			removeLeft(dir, e.Name()[:at+len(".tmp-")])
		}
		if e.Name() == lockName && locks {
			removeUnheld(filepath.Join(dir, lockName))
		}
	}
}
