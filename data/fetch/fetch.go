// Package fetch knows public data sets and downloads them.
//
// A set is either complete or not there. Files are downloaded into a hidden staging
// folder of the data folder, where an interrupted download goes on. There they are
// checked, put together, read once and compared with the catalogue; then the set is
// moved to its place by renaming.
//
// # Checks
//
// A file with a known checksum must have it. Of the others, the archives whose
// bytes this project has never seen, the checksum is recorded in checksums.json
// of the data folder at the first download, after the set was read and had the
// published numbers of graphs, nodes and edges; later downloads must equal it.
//
// # Network
//
// Lost connections, stalls, and answers 408, 429 and 5xx are tried again after a
// growing pause, where the download stopped (HTTP Range with If-Range, so that
// two versions of a file are never mixed). Other answers end it, and so does a body
// that is longer than the file or, where its size is not known, than a bound. Proxies
// are those of the environment. Options.Mirror takes every file from another server.
//
// The package knows no flags and prints nothing.
package fetch

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// Options say where a set goes and how patient the download is.
type Options struct {
	// Dir is the data folder; it is made when it is missing.
	Dir string
	// Mirror, when not empty, is the base of a server that holds each file under
	// the host and path of its public URL, as wget --mirror lays them out:
	// MIRROR/www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip.
	Mirror string
	// Force downloads a set that is there already, and takes the place of its
	// recorded checksum.
	Force bool
	// Retries is the number of attempts in a row that may bring nothing beyond what
	// attempts before them brought; 0 is 5, negative is none.
	Retries int
	// MaxSize, in bytes, takes the place of File.MaxSize unless it is 0. Files of known
	// size keep to that.
	MaxSize int64
	// Pause is the time before the first new attempt, which doubles up to a
	// minute; 0 is one second.
	Pause time.Duration
	// Stall is the time without a byte after which a connection is given up; 0 is
	// 30 seconds.
	Stall time.Duration
	// Progress, when not nil, is called often, from one goroutine.
	Progress func(Progress)
	// Client is the HTTP client; nil is one of the package's own.
	Client *http.Client
}

// Progress is how far a download has come.
type Progress struct {
	File        string // being downloaded
	Done, Total int64  // bytes of the set; Total is 0 while unknown
	Note        string // why an attempt is repeated, or ""
}

// Result is what a download left.
type Result struct {
	Name    string    `json:"name"`
	Path    string    `json:"path"`
	Already bool      `json:"already"` // it was there, nothing was done
	Bytes   int64     `json:"bytes"`
	Files   []Fetched `json:"files"`
	Info    data.Info `json:"info"`
}

// Fetched is one file of a Result.
type Fetched struct {
	URL    string `json:"url"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Checked says against what: "catalogue", "record" of an earlier download, or
	// "first", which is recorded now.
	Checked string `json:"checked"`
}

// ErrChecksum is wrapped when a file is not the one that was expected.
var ErrChecksum = errors.New("checksum differs")

// StatusError is an answer of the server that ends a download.
type StatusError struct {
	URL    string
	Status int
}

// Error names the answer and the URL.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: the server answers %d %s", e.URL, e.Status, http.StatusText(e.Status))
}

// Validate says what is wrong with the options before anything is done.
func (o Options) Validate() error {
	if o.Dir == "" {
		return errors.New("fetch: no data folder")
	}
	if o.Mirror != "" {
		u, err := url.Parse(o.Mirror)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("fetch: mirror %q is no http or https URL", o.Mirror)
		}
	}
	if o.MaxSize < 0 {
		return fmt.Errorf("fetch: the largest size is %d bytes, expected at least 0", o.MaxSize)
	}
	return nil
}

// defaultMaxSize is File.MaxSize where that is 0: most archives of the TU collection
// have a few megabytes, and the largest less than this.
const defaultMaxSize = 1 << 30

// withDefaults fills in what is 0.
func (o Options) withDefaults() Options {
	switch {
	case o.Retries == 0:
		o.Retries = 5
	case o.Retries < 0:
		o.Retries = 0
	}
	if o.Pause <= 0 {
		o.Pause = time.Second
	}
	if o.Stall <= 0 {
		o.Stall = 30 * time.Second
	}
	o.Client = cmp.Or(o.Client, &http.Client{}) // proxies of the environment, redirects followed
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}

// Fetch downloads a set into the data folder unless it is there. Cancelling ctx
// stops it; what has arrived is kept for the next time.
func Fetch(ctx context.Context, s Set, opts Options) (*Result, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	opts = opts.withDefaults()
	if path, ok := s.Locate(opts.Dir); ok && !opts.Force {
		return &Result{Name: s.Name, Path: path, Already: true}, nil
	}
	r, err := fetch(ctx, s, opts)
	if err != nil {
		return nil, fmt.Errorf("fetch: %s: %w", s.Name, err)
	}
	return r, nil
}

// stagingFolder holds what has not arrived yet.
const stagingFolder = ".fetch"

func fetch(ctx context.Context, s Set, opts Options) (*Result, error) {
	staging := filepath.Join(opts.Dir, stagingFolder, s.Name)
	if err := os.MkdirAll(staging, 0o755); err != nil {
		return nil, err
	}
	rec, err := readRecords(opts.Dir)
	if err != nil {
		return nil, err
	}
	d := &downloader{opts: opts, set: s, records: rec}
	d.total, d.sized = s.Size()
	res := &Result{Name: s.Name}
	var arrived []string
	for i, f := range s.Files {
		to := filepath.Join(staging, stagedName(i, f))
		got, err := d.file(ctx, f, to)
		if err != nil {
			return nil, err
		}
		arrived = append(arrived, to)
		res.Files = append(res.Files, got)
		res.Bytes += got.Bytes
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	var ds *data.Dataset
	built, err := s.build(staging, arrived)
	if err == nil {
		ds, err = s.Open(built, data.Auto)
	}
	if err == nil {
		err = s.Check(ds.Info)
	}
	if err != nil {
		// A file without a known checksum may be something else, such as the login page
		// of a network, so it is not kept for the next attempt.
		os.RemoveAll(staging)
		return nil, fmt.Errorf("what was downloaded is not the set: %w", err)
	}
	res.Info = ds.Info
	if res.Path, err = s.install(opts.Dir, built); err != nil {
		return nil, err
	}
	if err := rec.add(res.Files); err != nil {
		return nil, err
	}
	os.RemoveAll(staging)
	os.Remove(filepath.Dir(staging)) // when nothing else is in it
	return res, nil
}

// stagedName is the name under which a file waits.
func stagedName(i int, f File) string { return fmt.Sprintf("%03d-%s", i, path.Base(f.URL)) }

// build puts what arrived together in the staging folder and returns what
// Set.Open reads: the zip, or the folder of the files.
func (s Set) build(staging string, arrived []string) (string, error) {
	dir := filepath.Join(staging, "set")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	if !s.packed() {
		for i, f := range s.Files {
			if err := copyFile(filepath.Join(dir, path.Base(f.Path)), arrived[i]); err != nil {
				return "", err
			}
		}
		return dir, nil
	}
	to := filepath.Join(dir, s.Name+".zip")
	err := atomicfile.Write(to, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for i, f := range s.Files {
			add := addArchive
			if f.Path != "" {
				add = addFile
			}
			if err := add(z, s.Name, f.Path, arrived[i]); err != nil {
				return fmt.Errorf("%s: %w", path.Base(f.URL), err)
			}
		}
		return z.Close()
	})
	return to, err
}

// addFile puts a file into the folder of a zip.
func addFile(z *zip.Writer, folder, name, from string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	w, err := z.Create(path.Join(folder, name))
	if err != nil {
		return err
	}
	_, err = io.Copy(w, file)
	return err
}

// addArchive puts the files of a zip into the folder of another one: the folder
// at its root, if all is in one, is renamed.
func addArchive(z *zip.Writer, folder, _, from string) error {
	r, err := zip.OpenReader(from)
	if err != nil {
		return err
	}
	defer r.Close()
	root := commonRoot(r.File)
	for _, f := range r.File {
		name := strings.TrimPrefix(f.Name, root)
		if f.FileInfo().IsDir() || !f.Mode().IsRegular() || !fs.ValidPath(name) {
			continue
		}
		raw, err := f.OpenRaw()
		if err != nil {
			return err
		}
		header := f.FileHeader
		header.Name = path.Join(folder, name)
		w, err := z.CreateRaw(&header)
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, raw); err != nil {
			return err
		}
	}
	return nil
}

// commonRoot is "folder/" when every file of a zip is in that folder, else "".
func commonRoot(files []*zip.File) string {
	root := ""
	for _, f := range files {
		first, _, ok := strings.Cut(f.Name, "/")
		if !ok || first == "." || first == ".." || root != "" && root != first+"/" {
			return ""
		}
		root = first + "/"
	}
	return root
}

// install moves what build made to its place.
func (s Set) install(dir, built string) (string, error) {
	to := filepath.Join(dir, filepath.FromSlash(s.Path()))
	if s.packed() {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		return to, copyFile(to, built)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	for _, f := range s.Files {
		name := path.Base(f.Path)
		if err := copyFile(filepath.Join(to, name), filepath.Join(built, name)); err != nil {
			return "", err
		}
	}
	return to, nil
}

// copyFile copies a file whole or not at all.
func copyFile(to, from string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	return atomicfile.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, file)
		return err
	})
}

// mirrored is the URL of a file on a mirror.
func mirrored(base, public string) (string, error) {
	if base == "" {
		return public, nil
	}
	u, err := url.Parse(public)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(base, "/") + "/" + u.Host + u.EscapedPath(), nil
}

// retryable reports whether an answer may be another one soon.
func retryable(status int) bool {
	return status >= 500 || slices.Contains([]int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests}, status)
}
