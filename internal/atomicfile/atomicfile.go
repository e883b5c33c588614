// Package atomicfile writes files that are either complete or absent.
//
// A file is written to a temporary name in its own folder, synced, and then
// renamed over its name; the folder is synced last. Whatever happens on the
// way (an error, a panic, a kill, a power cut) a reader finds the old content
// or the new one, never a part of it. Errors and panics remove the temporary
// file; only a killed process leaves one, a hidden ".NAME.tmp-*" that nothing
// reads. A writer holds the lock of its temporary file, so that the next one to
// the same name can tell what is left and remove it. Folder does the same for a
// folder of files.
//
// Lines is the exception that grows: a file of JSON lines to which a run adds
// one at a time, and whose torn last line, if a kill left one, is cut off when
// the run is resumed.
//
// Unsynced leaves out the waiting for the disk, for files that nobody needs after a power cut.
//
// The package knows nothing of what it writes.
package atomicfile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// defaultMode is the mode of new files, before the umask takes its share.
const defaultMode fs.FileMode = 0o644

// bufferSize saves system calls for writers that emit a few bytes at a time.
const bufferSize = 64 << 10

// Write replaces the file at path with what write produces.
//
// The file keeps the permission bits it had; a new one gets 0644 less the
// umask. A symbolic link keeps pointing where it did and its target is
// replaced. What cannot be replaced by renaming (a pipe, a device such as
// /dev/stdout) is written in place. An error of write is returned as it is, and
// the old content stays.
func Write(path string, write func(w io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort() // also when write panics; does nothing after Commit
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// WriteBytes is Write of what is at hand.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// WriteJSON is Write of a value as JSON, indented for readers.
func WriteJSON(path string, v any) error {
	return Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// File is a file being written, invisible under its own name until Commit.
// Use it where several files must appear together or the writing spans
// functions; otherwise Write is simpler. It is not safe for concurrent use.
type File struct {
	name    string // as the caller gave it, for errors
	target  string // what is renamed over, links resolved
	file    *os.File
	buf     *bufio.Writer
	inPlace bool // no temporary file: a device or a pipe
	done    bool
}

// Create begins a new content for path; see Write for how permissions, links
// and devices are treated. The folder must exist. Every File must be ended by
// Commit or Abort; deferring Abort is always right.
func Create(path string) (*File, error) {
	f := &File{name: path, target: path}
	mode, exists := defaultMode, false
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, failed(path, errors.New("is a folder, expected a file"))
	case err == nil && !info.Mode().IsRegular():
		f.inPlace = true
	case err == nil:
		mode, exists = info.Mode().Perm(), true
		if f.target, err = filepath.EvalSymlinks(path); err != nil {
			return nil, failed(path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, failed(path, err)
	}

	var err error
	if f.inPlace {
		f.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	} else {
		f.file, err = createTemp(f.target, mode)
	}
	if err != nil {
		return nil, failed(path, err)
	}
	f.buf = bufio.NewWriterSize(f.file, bufferSize)
	if exists {
		// The umask took bits from the mode that the old file may have had.
		if err := f.file.Chmod(mode); err != nil && !unsupported(err) {
			f.Abort()
			return nil, failed(path, err)
		}
	}
	return f, nil
}

// Error is what the system refused at a file. It names the file as the caller did, and not the temporary file.
type Error struct {
	Path string
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("atomicfile: %s: %v", e.Path, e.Err) }

// Unwrap is the error of the system.
func (e *Error) Unwrap() error { return e.Err }

// failed is an Error of what a function of package os returned.
func failed(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &Error{name, err}
}

// createTemp opens a new file beside target. os.CreateTemp would do but for
// its mode, 0600 whatever the umask: others could not read the results.
func createTemp(target string, mode fs.FileMode) (*os.File, error) {
	return temporary(target, func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	})
}

// Write adds p to the new content.
func (f *File) Write(p []byte) (int, error) {
	if f.done {
		return 0, failed(f.name, fs.ErrClosed)
	}
	n, err := f.buf.Write(p)
	if err != nil {
		err = failed(f.name, err)
	}
	return n, err
}

// Commit makes the new content the file: flush, sync, rename, sync of the
// folder. On an error the temporary file is gone and, unless it is the last
// step that failed, the old content stays.
func (f *File) Commit() error {
	if f.done {
		return failed(f.name, fs.ErrClosed)
	}
	defer f.Abort()
	if err := f.buf.Flush(); err != nil {
		return failed(f.name, err)
	}
	if err := synced(f.file); err != nil {
		return failed(f.name, err)
	}
	if f.inPlace || !locks { // an open file could not be renamed where there are no locks
		if err := f.file.Close(); err != nil {
			return failed(f.name, err)
		}
	}
	if f.inPlace {
		f.done = true
		return nil
	}
	// With its lock, so that no other process takes it for one that was left.
	if err := os.Rename(f.file.Name(), f.target); err != nil {
		return failed(f.name, err)
	}
	f.done = true
	unfinished.Delete(f.file.Name())
	f.file.Close() // all of it is synced
	if err := syncDir(filepath.Dir(f.target)); err != nil {
		return failed(f.name, err)
	}
	return nil
}

// Abort drops the new content and leaves the old. After Commit or an earlier
// Abort it does nothing. Errors are not reported: there is nothing left to
// save, and the caller has a better one.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.file.Close()
	if !f.inPlace {
		forget(f.file.Name())
	}
}

// syncDir makes a rename in dir survive a power cut.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there; NTFS journals the rename
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return synced(d)
}

// unsupported tells that a file system or device has no such operation, which
// is no reason to refuse the user's output.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}
