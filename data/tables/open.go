package tables

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// Recognise reports whether a path of the operating system is a folder or zip with
// a table of edges (edges.csv, edges.csv.gz, edges.parquet, edges.tsv, ...), or a
// file that ends as a table does, whatever it is called.
func Recognise(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return isTable(name) || hasEdgesZip(name)
	}
	_, ok := (&folder{fsys: os.DirFS(name), dir: "."}).find("", "edges")
	return ok
}

func isEdges(base string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.EqualFold(base, "edges"+e) })
}

func isTable(name string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(strings.ToLower(name), e) })
}

func hasEdgesZip(name string) bool {
	if !strings.EqualFold(filepath.Ext(name), ".zip") {
		return false
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return false
	}
	defer z.Close()
	_, ok := dirOf(&z.Reader)
	return ok
}

// dirOf is the folder of a zip with a table of edges, the shortest path first.
func dirOf(z *zip.Reader) (string, bool) {
	best, found := "", false
	for _, f := range z.File {
		if isEdges(path.Base(f.Name)) {
			if d := path.Dir(f.Name); !found || len(d) < len(best) {
				best, found = d, true
			}
		}
	}
	return best, found
}

// Open reads the tables at a path of the operating system: a folder, a zip or the
// table of edges, beside which that of the nodes may lie.
func Open(name string, o Options) (*Set, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	whole, err := filepath.Abs(name) // "." has a name as well
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	base := filepath.Base(whole)
	if info.IsDir() {
		return readNamed(os.DirFS(name), ".", base, o)
	}
	if strings.EqualFold(filepath.Ext(name), ".zip") {
		z, err := zip.OpenReader(name)
		if err != nil {
			return nil, fmt.Errorf("tables: %s: %w", base, err)
		}
		defer z.Close()
		dir, ok := dirOf(&z.Reader)
		if !ok && o.Edges == "" {
			return nil, fmt.Errorf("tables: %s: %w: no table of edges in it", base, data.ErrUnknownFormat)
		}
		return readNamed(z, dir, strings.TrimSuffix(base, filepath.Ext(base)), o)
	}
	if o.Edges == "" {
		o.Edges = base
	}
	s, err := readNamed(os.DirFS(filepath.Dir(whole)), ".", filepath.Base(filepath.Dir(whole)), o)
	if err == nil && !isEdges(base) {
		s.Name = strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), filepath.Ext(strings.TrimSuffix(base, ".gz")))
	}
	return s, err
}

// Read reads the tables in the root of fsys.
func Read(fsys fs.FS, name string, o Options) (*Set, error) { return readNamed(fsys, ".", name, o) }

func readNamed(fsys fs.FS, dir, name string, o Options) (*Set, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	f := &folder{fsys: fsys, dir: dir, left: o.MaxBytes}
	if f.left == 0 {
		f.left = data.DefaultMaxBytes
	}
	s := &Set{Name: name, Format: Format, Level: OfEdges, Options: o}
	l := &loader{set: s, folder: f, ids: newVocabulary()}
	if err := l.load(); err != nil {
		return nil, fmt.Errorf("tables: %s: %w", name, err)
	}
	s.Checksum = f.checksum()
	return s, nil
}
