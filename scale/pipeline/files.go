package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/scale/store"
)

// remote reports whether a path is in one of Beam's file systems other than the local one, such as
// gs://bucket/name. Files there exist only after they are closed.
func remote(name string) bool { return strings.Contains(name, "://") }

// join returns the path of a name, which may have slashes, in a folder.
func join(dir, name string) string {
	if remote(dir) {
		return strings.TrimRight(dir, "/") + "/" + name
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// writeFile writes a file completely or not at all. It makes missing folders above it.
func writeFile(ctx context.Context, name string, write func(io.Writer) error) (f store.File, err error) {
	sum := store.NewSum()
	tee := func(w io.Writer) error { return write(io.MultiWriter(w, sum)) }
	if remote(name) {
		err = writeRemote(ctx, name, tee)
	} else if err = os.MkdirAll(filepath.Dir(name), 0o777); err == nil {
		err = atomicfile.Write(name, tee)
	}
	if err != nil {
		return store.File{}, fmt.Errorf("pipeline: %s: %w", name, err)
	}
	return sum.File(), nil
}

func writeRemote(ctx context.Context, name string, write func(io.Writer) error) error {
	files, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer files.Close()
	// Close makes the file from the written data, unless its context is done.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := files.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		cancel()
		w.Close()
		return err
	}
	return w.Close()
}

// errDamaged is the error for a file whose checksum is wrong.
var errDamaged = errors.New("is torn or was changed")

// readFile reads a file with a known checksum. An empty checksum is not compared.
func readFile(ctx context.Context, name, sum string) ([]byte, error) {
	b, err := readAll(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	if sum != "" && checksum(b) != sum {
		return nil, fmt.Errorf("pipeline: %s %w: its SHA-256 is %s, expected %s", name, errDamaged, checksum(b), sum)
	}
	return b, nil
}

func readAll(ctx context.Context, name string) ([]byte, error) {
	if !remote(name) {
		return os.ReadFile(name)
	}
	files, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	return filesystem.Read(ctx, files, name)
}

func checksum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// exists reports whether a file exists.
func exists(ctx context.Context, name string) (bool, error) {
	if !remote(name) {
		_, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	files, err := filesystem.New(ctx, name)
	if err != nil {
		return false, err
	}
	defer files.Close()
	found, err := files.List(ctx, name)
	return len(found) > 0, err
}

// intact reports whether a file is unchanged since it was written. For remote files it compares
// only the size; reading them compares the checksum.
func intact(ctx context.Context, name string, f store.File) bool {
	if !remote(name) {
		_, err := readFile(ctx, name, f.SHA256)
		return err == nil
	}
	files, err := filesystem.New(ctx, name)
	if err != nil {
		return false
	}
	defer files.Close()
	size, err := files.Size(ctx, name)
	return err == nil && size == f.Bytes
}

// removeFile tries to remove a file. A file that stays does no harm.
func removeFile(ctx context.Context, name string) {
	if !remote(name) {
		os.Remove(name)
		return
	}
	files, err := filesystem.New(ctx, name)
	if err != nil {
		return
	}
	defer files.Close()
	if r, ok := files.(filesystem.Remover); ok {
		r.Remove(ctx, name)
	}
}

// removeFolder removes a folder, including files from failed attempts. Object stores have no
// folders.
func removeFolder(name string) {
	if !remote(name) {
		os.RemoveAll(name)
	}
}

// writeNumbers writes numbers as little-endian float32.
func writeNumbers(w io.Writer, x []float32) error {
	var buf [1 << 14]byte
	for len(x) > 0 {
		n := min(len(x), len(buf)/4)
		b := appendNumbers(buf[:0], x[:n])
		if _, err := w.Write(b); err != nil {
			return err
		}
		x = x[n:]
	}
	return nil
}

func appendNumbers(b []byte, x []float32) []byte {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// decodeNumbers reads len(to) numbers.
func decodeNumbers(to []float32, b []byte) error {
	if len(b) != 4*len(to) {
		return fmt.Errorf("%d bytes, expected %d", len(b), 4*len(to))
	}
	for i := range to {
		to[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}

// openStore opens a store in a folder, which may be remote.
func openStore(dir string) (*store.Store, error) {
	if !remote(dir) {
		return store.Open(dir)
	}
	return store.OpenFS(remoteFS(dir), dir)
}

// remoteFS is a remote folder as a file system for reading.
type remoteFS string

// Open reads the whole file. Files of a store are always read completely.
func (dir remoteFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	b, err := readAll(context.Background(), join(string(dir), name))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &remoteFile{Reader: bytes.NewReader(b), name: path.Base(name)}, nil
}

type remoteFile struct {
	*bytes.Reader
	name string
}

func (f *remoteFile) Close() error               { return nil }
func (f *remoteFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *remoteFile) Name() string               { return f.name }
func (f *remoteFile) Mode() fs.FileMode          { return 0o444 }
func (f *remoteFile) ModTime() time.Time         { return time.Time{} }
func (f *remoteFile) IsDir() bool                { return false }
func (f *remoteFile) Sys() any                   { return nil }
