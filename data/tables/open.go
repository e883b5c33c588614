package tables

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// Recognise reports whether a path of the operating system is one of these: a folder, zip or tar with a table of edges
// (edges.csv, edges.csv.gz, edges.parquet, edges.tsv, ...), a zip or tar with one or two tables, a file with the
// extension of a table, a graph file (package graphfile), or a graph in an unsupported format, which the error of Open
// names.
func Recognise(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if _, ok := graphfile.Recognise(name); ok || refuse(name) != nil {
		return true
	}
	if !info.IsDir() {
		return IsTable(name) || hasEdges(name) || tablefile.Recognise(name)
	}
	return hasTables(name) || tablefile.Recognise(name)
}

// hasTables reports whether a folder has a table of edges.
func hasTables(dir string) bool {
	_, ok := (&folder{fsys: os.DirFS(dir), dir: "."}).find("", "edges")
	return ok
}

// isCalled reports whether a file is a table with a base name.
func isCalled(name, base string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.EqualFold(base, name+e) })
}

// IsTable reports whether a file has the name of a table.
func IsTable(name string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(strings.ToLower(name), e) })
}

// isArchive reports whether a file is an archive other than a workbook, which is also a zip.
func isArchive(name string) bool { return data.IsArchive(name) && !tablefile.Recognise(name) }

// hasEdges reports whether a file is an archive with a table of edges.
func hasEdges(name string) bool {
	if !isArchive(name) {
		return false
	}
	a, err := data.ListArchive(name)
	if err != nil {
		return false
	}
	defer a.Close()
	edges, others := tablesIn(a)
	return edges != "" || len(others) >= 1 && len(others) <= 3 // Open says which; --nodes may name two
}

// HasNodes reports whether there may be node tables for the table of edges at a path: named files, or, without names,
// one with the usual name.
func HasNodes(name string, files Files) bool {
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		if isArchive(name) {
			return true // Open reports the error
		}
		name = filepath.Dir(name)
	}
	f := &folder{fsys: os.DirFS(name), dir: "."}
	if len(files) == 0 {
		_, ok := f.find("", "nodes")
		return ok
	}
	return slices.ContainsFunc(files, func(file string) bool { // if only one of two exists, Open reports the other
		_, err := fs.Stat(f.fsys, file)
		return err == nil
	})
}

// tablesIn returns the place of the table of edges in an archive (a table with this name, the shortest path first, else
// empty) and the other tables except one of nodes.
func tablesIn(a fs.FS) (edges string, others []string) {
	// A folder that cannot be listed has no readable table.
	_ = fs.WalkDir(a, ".", func(name string, e fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil || e.IsDir() || strings.HasPrefix(base, "."): // macOS adds a hidden file of attributes for each file
		case isCalled("edges", base):
			if edges == "" || len(path.Dir(name)) < len(path.Dir(edges)) {
				edges = name
			}
		case IsTable(base) && !isCalled("nodes", base):
			others = append(others, name)
		}
		return nil
	})
	return edges, others
}

// Open reads the tables at a path of the operating system: a folder, a zip, a tar (gzipped or not),
// a table of edges, optionally with one of nodes in the same folder, or a graph file.
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
	if file, format := graphPath(name, o); format != "" {
		return openGraph(file, format, o)
	}
	if err := refuse(name); err != nil && o.Format == "" {
		return nil, fmt.Errorf("tables: %w", err)
	}
	if info.IsDir() && (o.Edges != "" || hasTables(name) || !tablefile.Recognise(name)) {
		return Read(os.DirFS(name), base, o)
	}
	if !info.IsDir() && isArchive(name) {
		b := data.NewBudget(o.MaxMemory)
		a, err := data.OpenArchive(name, b)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		edges, others := tablesIn(a)
		switch {
		case edges == "" && o.Edges == "":
			if edges, err = o.tablesOf(a, others, b); err != nil {
				return nil, fmt.Errorf("tables: %s: %w", base, err)
			}
		case edges == "" && len(others) == 1:
			edges = others[0]
		}
		title := a.Name
		if o.Edges == "" {
			if o.Edges = path.Base(edges); !isCalled("edges", o.Edges) {
				title = NameOf(o.Edges)
			}
		}
		return readNamed(a, path.Dir(edges), title, o, b)
	}
	if tablefile.IsSplit(name) && o.Part == "" && o.known == nil {
		o.Part = tablefile.PartColumn
	}
	if o.Edges == "" {
		o.Edges = base
	}
	s, err := Read(os.DirFS(filepath.Dir(whole)), filepath.Base(filepath.Dir(whole)), o)
	if err == nil && !isCalled("edges", base) {
		s.Name = strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), filepath.Ext(strings.TrimSuffix(base, ".gz")))
	}
	return s, err
}

// Read reads the tables in the root of fsys.
func Read(fsys fs.FS, name string, o Options) (*Set, error) {
	return readNamed(fsys, ".", name, o, data.NewBudget(o.MaxMemory))
}

func readNamed(fsys fs.FS, dir, name string, o Options, b *data.Budget) (*Set, error) {
	f := &folder{fsys: fsys, dir: dir, budget: b, sheet: o.Sheet, sets: o.known.sets()}
	l := &loader{folder: f, ids: newVocabulary(b)}
	return l.read(&Set{Name: name, Format: Format, Level: OfEdges, Options: o}, l.openTables)
}

// ReadFrom reads tables from their readers: that of the edges and those of the nodes, if any.
func ReadFrom(name string, edges tablefile.Reader, nodes []tablefile.Reader, o Options) (*Set, error) {
	b := data.NewBudget(o.MaxMemory)
	l := &loader{folder: &folder{budget: b}, ids: newVocabulary(b)}
	return l.read(&Set{Name: name, Format: Format, Level: OfEdges, Options: o}, func() (of []*openTable, e *openTable, err error) {
		for k, r := range nodes {
			file := "nodes"
			if k > 0 {
				file = "more nodes"
			}
			of = append(of, &openTable{file: file, of: OfNodes, reader: r})
		}
		return of, &openTable{file: "edges", of: OfEdges, reader: edges}, nil
	})
}

// read fills a set from the tables that open opens.
func (l *loader) read(s *Set, open func() (nodes []*openTable, edges *openTable, err error)) (*Set, error) {
	l.set = s
	if err := s.Options.validate(); err != nil {
		return nil, err
	}
	if err := l.load(open); err != nil {
		return nil, fmt.Errorf("tables: %s: %w", s.Name, err)
	}
	s.Checksum = data.Checksum(l.folder.sums)
	return s, nil
}
