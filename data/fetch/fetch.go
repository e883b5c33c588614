// Package fetch has a catalogue of public data sets and downloads them.
//
// A set is either complete or not there. Files are downloaded into a hidden staging folder in the
// data folder, where an interrupted download continues. There they are checked, combined, read once
// and compared with the catalogue. Then the set is moved to its place by renaming.
//
// # Checks
//
// A file with a known checksum must have it. For other files, which are archives whose bytes this
// project has never seen, the checksum is recorded in checksums.json in the data folder. This
// happens at the first download, after the set was read and had the published numbers of graphs,
// nodes and edges. Later downloads must have the same checksum.
//
// # Network
//
// After lost connections, stalls, and responses 408, 429 and 5xx the download is tried again, with
// growing pauses. It continues where it stopped (HTTP Range with If-Range, so that two versions of
// a file are never mixed). Other responses end it. So does a body that is longer than the file or,
// if the size of the file is not known, than a bound. Proxies are those of the environment. With
// Options.Mirror every file comes from another server.
//
// The package has no flags and prints nothing.
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

// Options say where a set is stored and how often a download is tried.
type Options struct {
	// Dir is the data folder. It is created if it does not exist.
	Dir string
	// Mirror, if not empty, is the base URL of a server that has each file under the host and path
	// of its public URL, as wget --mirror stores them:
	// MIRROR/www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip.
	Mirror string
	// Force downloads a set that is already there, and replaces its recorded checksum.
	Force bool
	// Retries is the number of consecutive attempts without progress that are allowed. 0 means 5,
	// negative means none.
	Retries int
	// MaxSize, in bytes, replaces File.MaxSize if it is not 0. It has no effect on files of known
	// size.
	MaxSize int64
	// Pause is the time before the second attempt. It doubles up to a minute. 0 means one second.
	Pause time.Duration
	// Stall is the time without a byte after which a connection is closed. 0 means 30 seconds.
	Stall time.Duration
	// Progress, if not nil, is called often, by one goroutine.
	Progress func(Progress)
	// Client is the HTTP client. nil means a client of this package.
	Client *http.Client
}

// Progress is the state of a download.
type Progress struct {
	File        string // the current file
	Done, Total int64  // bytes of the set; Total is 0 if not known
	Note        string // why a download is repeated, or ""
}

// Result describes a download.
type Result struct {
	Name    string    `json:"name"`
	Path    string    `json:"path"`
	Already bool      `json:"already"` // it was there before, nothing was done
	Bytes   int64     `json:"bytes"`
	Files   []Fetched `json:"files"`
	Info    data.Info `json:"info"`
}

// Fetched is one file of a Result.
type Fetched struct {
	URL    string `json:"url"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Checked says what the checksum was compared with: "catalogue", "record" of an earlier
	// download, or "first", which is recorded now.
	Checked string `json:"checked"`
}

// ErrChecksum is wrapped if a file has another checksum than expected.
var ErrChecksum = errors.New("checksum differs")

// StatusError is a response of the server that ends a download.
type StatusError struct {
	URL    string
	Status int
}

// Error names the response and the URL.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: the server answers %d %s", e.URL, e.Status, http.StatusText(e.Status))
}

// Validate returns an error if an option is not valid.
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

// defaultMaxSize is used if File.MaxSize is 0. Most archives of the TU collection have a few
// megabytes, and the largest is smaller than this.
const defaultMaxSize = 1 << 30

// withDefaults sets the options that are 0.
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

// Fetch downloads a set into the data folder unless it is there. Cancelling ctx stops it. The bytes
// received so far are kept for the next call.
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

// stagingFolder has incomplete downloads.
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
		// A file without a known checksum may be something else, such as the login page of a
		// network. So it is not kept for the next attempt.
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
	os.Remove(filepath.Dir(staging)) // if it is empty
	return res, nil
}

// stagedName is the name of a file in the staging folder.
func stagedName(i int, f File) string { return fmt.Sprintf("%03d-%s", i, path.Base(f.URL)) }

// build combines the downloaded files in the staging folder. It returns what Set.Open reads: the
// zip, or the folder of the files.
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

// addArchive adds the files of a zip to a folder in another zip. If all files are in one folder at
// its root, that folder is renamed.
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

// commonRoot returns "folder/" if every file of a zip is in that folder, else "".
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

// install moves the result of build to its place.
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

// copyFile copies a file completely or not at all.
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

// mirrored returns the URL of a file on a mirror.
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

// retryable reports whether the server may soon give another response.
func retryable(status int) bool {
	return status >= 500 || slices.Contains([]int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests}, status)
}
