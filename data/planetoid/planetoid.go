// Package planetoid reads the citation networks of Planetoid: Cora, Citeseer and Pubmed in the
// files ind.NAME.{x,y,tx,ty,allx,ally,graph,test.index} of "Revisiting Semi-Supervised Learning
// with Graph Embeddings" (ICML 2016).
//
// The result is a data.Dataset of one graph with a class per node (NodeLabel) and the public split
// of the nodes (NodeSplit). Seven of the eight files are Python pickles of SciPy matrices, NumPy
// arrays and a dict of lists. A pickle is a program. First check reads its instructions and bounds
// them. Then a pickle library runs it; the few classes that it may name are mapped by hand here.
// Because of this library it is a package of its own: package data only uses the standard library.
//
// # Rules
//
// The rules are those of the code that the papers on these sets share. The features are allx
// followed by tx, with the rows of tx moved to the nodes of test.index. In Citeseer 15 nodes of the
// test range are missing. They get zero features and class 0 and are in no part. Each feature row
// is divided by its sum; a zero row stays. The training nodes are those of y, the validation nodes
// the next 500, the test nodes those of test.index. Edges are the neighbour lists made symmetric,
// each pair of nodes once. Self-loops are kept.
package planetoid

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// Format is Info.Format of the sets of this package.
const Format = "planetoid"

// Options change how a set is read. All fields may be zero.
type Options struct {
	// Name selects a set if a folder has several. Case does not matter: "Cora" is ind.cora.graph.
	Name string
	// Edges is data.Undirected (also for data.Auto), or data.Directed for both directions of each
	// edge and one arc per self-loop, sorted.
	Edges data.Edges
	// MaxMemory is the memory, in bytes, that reading may take. 0 means the default of
	// data.NewBudget.
	MaxMemory int64
}

// parts are the endings of the files of a set, after ind.NAME.
var parts = []string{"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}

// Recognise reports whether a path of the operating system is, or contains, a Planetoid set.
func Recognise(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		if _, ok := setOf(filepath.Base(name)); ok {
			return true
		}
		if !data.IsArchive(name) {
			return false
		}
		a, err := data.ListArchive(name)
		if err != nil {
			return false
		}
		defer a.Close()
		found, err := find(a, "")
		return err == nil && len(found) > 0
	}
	found, err := find(os.DirFS(name), "")
	return err == nil && len(found) > 0
}

// Open reads the set at a path of the operating system: a folder, a zip, a tar
// (gzipped or not), or any file of the set.
func Open(name string, opts Options) (*data.Dataset, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("planetoid: %w", err)
	case info.IsDir():
		return Read(os.DirFS(name), opts)
	}
	if set, ok := setOf(filepath.Base(name)); ok {
		opts.Name = set
		return Read(os.DirFS(filepath.Dir(name)), opts)
	}
	if !data.IsArchive(name) {
		return nil, fmt.Errorf("planetoid: %s: %w: expected a folder, a zip or tar, or ind.NAME.graph", filepath.Base(name), data.ErrUnknownFormat)
	}
	b := data.NewBudget(opts.MaxMemory)
	a, err := data.OpenArchive(name, b)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return read(a, opts, b)
}

// Read reads the set in the root of fsys or in one of its folders.
func Read(fsys fs.FS, opts Options) (*data.Dataset, error) {
	return read(fsys, opts, data.NewBudget(opts.MaxMemory))
}

func read(fsys fs.FS, opts Options, b *data.Budget) (*data.Dataset, error) {
	if opts.Edges < data.Auto || opts.Edges > data.Undirected || opts.MaxMemory < 0 {
		return nil, fmt.Errorf("planetoid: edge form %d and %d bytes, expected a form of package data and 0 or more", opts.Edges, opts.MaxMemory)
	}
	found, err := find(fsys, opts.Name)
	if err != nil {
		return nil, fmt.Errorf("planetoid: cannot list the files: %w", err)
	}
	switch {
	case len(found) == 0:
		name := "NAME"
		if opts.Name != "" {
			name = strings.ToLower(opts.Name)
		}
		return nil, fmt.Errorf("planetoid: %w: expected ind.%s.graph and its companions", data.ErrUnknownFormat, name)
	case len(found) > 1:
		return nil, fmt.Errorf("planetoid: %w: several could be meant (%s); select one by name", data.ErrUnknownFormat, strings.Join(found, ", "))
	}
	dir, name := path.Split(found[0])
	r := &reader{fsys: fsys, dir: dir, name: name, budget: b}
	d, err := r.dataset(opts.Edges)
	if err != nil {
		return nil, fmt.Errorf("planetoid: %s: %w", name, err)
	}
	return d, nil
}

// setOf returns NAME from the name of a file such as ind.NAME.x, gzipped or not.
func setOf(base string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(base, ".gz"), "ind.")
	if !ok {
		return "", false
	}
	for _, part := range parts {
		if name, ok := strings.CutSuffix(rest, "."+part); ok && name != "" && !strings.Contains(name, ".") {
			return name, true
		}
	}
	return "", false
}

// find lists the sets of the root and its folders, as FOLDER/NAME. With a name it lists only that
// set.
func find(fsys fs.FS, name string) ([]string, error) {
	var found []string
	look := func(dir string) ([]fs.DirEntry, error) {
		entries, err := fs.ReadDir(fsys, dir)
		for _, e := range entries {
			rest := strings.TrimSuffix(e.Name(), ".gz")
			set, ok := setOf(rest)
			if ok && !e.IsDir() && strings.HasSuffix(rest, ".graph") && (name == "" || strings.EqualFold(set, name)) {
				found = append(found, path.Join(dir, set))
			}
		}
		return entries, err
	}
	root, err := look(".")
	if err != nil {
		return nil, err
	}
	for _, e := range root {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			if _, err := look(e.Name()); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// reader reads the files of one set.
type reader struct {
	fsys      fs.FS
	dir, name string
	budget    *data.Budget
	sums      []string // "sha256  file", as sha256sum prints them
}

// file returns the file name of a part.
func (r *reader) file(part string) string { return "ind." + r.name + "." + part }

// fail returns an error in a part.
func (r *reader) fail(part string, line int, err error) error {
	if errors.Is(err, data.ErrTooLarge) {
		return &data.ParseError{File: r.file(part), Line: line, Msg: "cannot be read", Err: err}
	}
	return &data.ParseError{File: r.file(part), Line: line, Msg: err.Error()}
}

// bytes reads a whole part.
func (r *reader) bytes(part string) ([]byte, error) {
	name := r.file(part)
	file, err := data.OpenFile(r.fsys, path.Join(r.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		if packed, err2 := data.OpenFile(r.fsys, path.Join(r.dir, name+".gz")); err2 == nil {
			file, err = packed, nil
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &data.ParseError{File: name, Msg: "file is missing", Err: fs.ErrNotExist}
	case err != nil:
		return nil, &data.ParseError{File: name, Msg: "cannot be opened", Err: err}
	}
	defer file.Close()
	text, err := r.budget.NewText(file)
	if err != nil {
		return nil, &data.ParseError{File: name, Msg: "is not readable as gzip", Err: err}
	}
	b, err := text.Bytes("files")
	if err != nil {
		return nil, &data.ParseError{File: name, Msg: "cannot be read", Err: err}
	}
	r.sums = append(r.sums, text.Sum()+"  "+name)
	return b, nil
}

// object decodes a part that is a pickle of a T.
func object[T any](r *reader, part, what string) (out T, err error) {
	b, err := r.bytes(part)
	if err != nil {
		return out, err
	}
	v, err := load(b, r.budget)
	if err != nil {
		return out, r.fail(part, 0, err)
	}
	out, ok := v.(T)
	if !ok {
		return out, r.fail(part, 0, fmt.Errorf("holds a %T, expected %s", v, what))
	}
	return out, nil
}

// matrix reads a part that is a sparse matrix.
func (r *reader) matrix(part string) (*matrix, error) {
	m, err := object[*matrix](r, part, "a sparse matrix")
	if err == nil {
		if err = m.check(); err != nil {
			err = r.fail(part, 0, err)
		}
	}
	return m, err
}

// labels reads a part with a one-hot row per node. It returns the classes: the position of the
// largest number of each row, the first of equal ones.
func (r *reader) labels(part string) (classes []int32, width int, err error) {
	a, err := object[*array](r, part, "an array")
	if err != nil {
		return nil, 0, err
	}
	if len(a.shape) != 2 || a.shape[1] == 0 {
		return nil, 0, r.fail(part, 0, fmt.Errorf("array of shape %v, expected a row of classes per node", a.shape))
	}
	classes = make([]int32, a.shape[0])
	for i := range classes {
		best := a.element(i, 0)
		for c := range a.shape[1] {
			v := a.element(i, c)
			if math.IsNaN(v) {
				return nil, 0, r.fail(part, 0, fmt.Errorf("row %d holds no number in column %d", i, c))
			}
			if v > best {
				best, classes[i] = v, int32(c)
			}
		}
	}
	return classes, a.shape[1], nil
}

// index reads test.index, which has one node per line.
func (r *reader) index() ([]int, error) {
	const part = "test.index"
	b, err := r.bytes(part)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(b, []byte("\n")) { // lines of old Macs
		b = bytes.ReplaceAll(b, []byte("\r"), []byte("\n"))
	}
	var ids []int
	line := 0
	for text := range bytes.Lines(b) {
		line++
		id, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 31)
		if err != nil {
			return nil, r.fail(part, line, fmt.Errorf("node is %.24q, expected a number from 0", bytes.TrimSpace(text)))
		}
		ids = append(ids, int(id))
	}
	return ids, nil
}
