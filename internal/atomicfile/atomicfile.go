// Package atomicfile writes files that are either complete or absent.
//
// A file is written to a temporary name in its own folder, synced, and then renamed to its name;
// the folder is synced last. After an error, a panic, a kill or a power cut, a reader finds the
// complete old or new content. Errors and panics remove the temporary file. Only a killed process
// leaves one, a hidden ".NAME.tmp-*" that nothing reads. A writer has a lock on its temporary file,
// so the next writer of the same name can detect and remove files that were left. Folder does the
// same for a folder of files.
//
// Lines is different: a file of JSON lines to which a run appends one line at a time. If a kill
// left an incomplete last line, it is removed when the run is resumed.
//
// Unsynced does not wait for the disk. It is for files that are not needed after a power cut.
//
// The package does not know the meaning of the files.
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

// defaultMode is the mode of new files, before the umask is applied.
const defaultMode fs.FileMode = 0o644

// bufferSize is the size of buffers, which save system calls for writers that write a few bytes at
// a time.
const bufferSize = 64 << 10

// Write replaces the content of the file at path with the data that write writes.
//
// The file keeps its permission bits. A new file gets 0644 without the bits of the umask. If path
// is a symbolic link, its target is replaced. A file that cannot be replaced by renaming (a pipe, a
// device such as /dev/stdout) is written in place. An error of write is returned unchanged, and the
// old content stays.
func Write(path string, write func(w io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort() // also if write panics; does nothing after Commit
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// WriteBytes is Write for given bytes.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// WriteJSON is Write for a value as JSON, indented for readers.
func WriteJSON(path string, v any) error {
	return Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// File is a file that is being written. It does not exist under its name before Commit. It serves
// several files that must appear together, and writing that spans functions. Otherwise Write is
// simpler. It is not safe for concurrent use.
type File struct {
	name    string // as the caller gave it, for errors
	target  string // the file that is replaced, with links resolved
	file    *os.File
	buf     *bufio.Writer
	inPlace bool // no temporary file: a device or a pipe
	done    bool
}

// Create begins new content for path. See Write for permissions, links and devices. The folder must
// exist. Every File must be ended by Commit or Abort. Abort can always be deferred.
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
		// The umask may have removed bits of the old file's mode.
		if err := f.file.Chmod(mode); err != nil && !unsupported(err) {
			f.Abort()
			return nil, failed(path, err)
		}
	}
	return f, nil
}

// Error is an error of the system about a file. It has the name that the caller gave, not that of
// the temporary file.
type Error struct {
	Path string
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("atomicfile: %s: %v", e.Path, e.Err) }

// Unwrap returns the error of the system.
func (e *Error) Unwrap() error { return e.Err }

// failed returns the Error for an error of package os.
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

// createTemp opens a new file in the folder of target. os.CreateTemp is not used because its mode
// is 0600 for any umask: others could not read the results.
func createTemp(target string, mode fs.FileMode) (*os.File, error) {
	return temporary(target, func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	})
}

// Write appends p to the new content.
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

// Commit replaces the file: flush, sync, rename, sync of the folder. After an error the temporary
// file is removed and, unless only the last step failed, the old content stays.
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
	if f.inPlace || !locks { // without locks, an open file could not be renamed
		if err := f.file.Close(); err != nil {
			return failed(f.name, err)
		}
	}
	if f.inPlace {
		f.done = true
		return nil
	}
	// It is renamed with its lock held, so that no other process takes it for a file that was left.
	if err := os.Rename(f.file.Name(), f.target); err != nil {
		return failed(f.name, err)
	}
	f.done = true
	unfinished.Delete(f.file.Name())
	f.file.Close() // everything is synced already
	if err := syncDir(filepath.Dir(f.target)); err != nil {
		return failed(f.name, err)
	}
	return nil
}

// Abort drops the new content and keeps the old. After Commit or an earlier Abort it does nothing.
// It does not report errors: nothing is left to save, and the caller has a better error.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.file.Close()
	if !f.inPlace {
		removeTemp(f.file.Name())
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

// unsupported reports whether a file system or device does not have an operation, which is no
// reason to return an error.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}
