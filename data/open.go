package data

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Open reads the data set at a path of the operating system: a folder, a zip, a tar (gzipped or
// not), or the file of a set (NAME.txt in DGCNN text, or NAME_A.txt; gzipped or not). The files of
// an OGB set do not have its name; it gets the name of its folder or archive. Otherwise it works as
// Read and ReadZip.
func Open(name string, opts Options) (*Dataset, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if info.IsDir() {
		whole, err := filepath.Abs(name) // for "." too
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		return read(os.DirFS(name), filepath.Base(whole), opts, NewBudget(opts.MaxMemory))
	}
	if err := opts.validate(); err != nil {
		return nil, err
	}
	if IsArchive(name) {
		b := NewBudget(opts.MaxMemory)
		a, err := OpenArchive(name, b)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		return read(a, a.Name, opts, b)
	}
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	if opts.Name == "" {
		c, ok := candidateOf(base)
		if !ok {
			return nil, fmt.Errorf("data: %s: %w: expected a table (CSV, Parquet, xlsx, JSON Lines), a graph file, node-link JSON, a folder, a zip or tar, NAME.txt in DGCNN text or NAME_A.txt", base, ErrUnknownFormat)
		}
		opts.Name = c.name
		if opts.Format == "" {
			opts.Format = c.format
		}
	}
	return Read(os.DirFS(dir), opts)
}

// ReadZip reads a data set from a zip. name is for errors, and is the name of an OGB set at the
// root of the zip.
func ReadZip(r io.ReaderAt, size int64, name string, opts Options) (*Dataset, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	b := NewBudget(opts.MaxMemory)
	z, err := b.openZip(r, size)
	if err != nil {
		return nil, fmt.Errorf("data: %s: %w", name, err)
	}
	return read(z, strings.TrimSuffix(name, filepath.Ext(name)), opts, b)
}

// Read reads a data set from the root of fsys or from a folder in it.
func Read(fsys fs.FS, opts Options) (*Dataset, error) {
	return read(fsys, "", opts, NewBudget(opts.MaxMemory))
}

// read is Read for a folder or zip with the name called; "" means unknown.
func read(fsys fs.FS, called string, opts Options, b *Budget) (*Dataset, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	c, err := recognise(fsys, called, opts)
	if err != nil {
		return nil, err
	}
	f := &folder{fsys: fsys, dir: c.dir, Budget: b}
	switch c.format {
	case FormatOGB:
		d, err := readOGB(f, c.name, opts)
		if err != nil {
			return nil, fmt.Errorf("data: %s: %w", c.name, err)
		}
		return d, nil
	case FormatDGCNN:
		return readParsed(readDGCNN, f, c, opts)
	}
	return readParsed(readTU, f, c, opts)
}

// readParsed reads one of the formats that build completes.
func readParsed(read func(*folder, string) (*parsed, error), f *folder, c candidate, opts Options) (*Dataset, error) {
	p, err := read(f, c.name)
	if err != nil {
		return nil, fmt.Errorf("data: %s: %w", c.name, err)
	}
	p.name, p.format = c.name, c.format
	return p.build(f, opts)
}

// candidate is a possible set in a folder.
type candidate struct{ dir, name, format string }

// candidateOf interprets a file name as the main file of a set.
func candidateOf(base string) (candidate, bool) {
	text, ok := strings.CutSuffix(strings.TrimSuffix(base, ".gz"), ".txt")
	if !ok {
		return candidate{}, false
	}
	if name, ok := strings.CutSuffix(text, "_A"); ok && name != "" {
		return candidate{name: name, format: FormatTU}, true
	}
	return candidate{name: text, format: FormatDGCNN}, text != ""
}

// recognise finds the set in fsys. NAME_A.txt is TU, a folder with raw/num-node-list.csv is OGB. If
// there is neither, any other NAME.txt may be DGCNN text.
func recognise(fsys fs.FS, called string, opts Options) (candidate, error) {
	files, err := listFiles(fsys)
	if err != nil {
		return candidate{}, fmt.Errorf("data: cannot list the files: %w", err)
	}
	var tu, dgcnn []candidate
	for _, file := range files {
		c, ok := candidateOf(path.Base(file))
		if !ok || opts.Name != "" && c.name != opts.Name {
			continue
		}
		c.dir = path.Dir(file)
		if c.format == FormatTU {
			tu = append(tu, c)
		} else {
			dgcnn = append(dgcnn, c)
		}
	}
	ogb := ogbCandidates(fsys, called, opts.Name)
	var found []candidate
	switch opts.Format {
	case FormatTU:
		found = tu
	case FormatOGB:
		found = ogb
	case FormatDGCNN:
		found = dgcnn
	default:
		if found = append(tu, ogb...); len(found) == 0 {
			found = dgcnn
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		names := make([]string, len(found))
		for i, c := range found {
			names[i] = path.Join(c.dir, c.name)
			if c.format == FormatOGB {
				names[i] = c.dir
			}
		}
		return candidate{}, fmt.Errorf("data: %w: several could be meant (%s); select one with --name", ErrUnknownFormat, some(names))
	}
	expected := "NAME_A.txt with NAME_graph_indicator.txt (TU), one NAME.txt (DGCNN text) or raw/num-node-list.csv (OGB)"
	switch opts.Format {
	case FormatTU:
		expected = "NAME_A.txt with NAME_graph_indicator.txt (TU)"
	case FormatDGCNN:
		expected = "one NAME.txt (DGCNN text)"
	case FormatOGB:
		expected = "raw/num-node-list.csv (OGB)"
	}
	if opts.Name != "" {
		expected = strings.ReplaceAll(expected, "NAME", opts.Name)
	}
	hint := ""
	if opts.Format == "" && slices.ContainsFunc(files, func(f string) bool { return slices.Contains([]string{".csv", ".tsv", ".parquet"}, path.Ext(f)) }) {
		hint = "; if one is a table of edges, name that file in place of the folder or the archive, which is unpacked before"
	}
	return candidate{}, fmt.Errorf("data: %w: expected %s, found %s%s", ErrUnknownFormat, expected, some(files), hint)
}

// listFiles lists the files of the root and of its folders, except hidden files and the index files
// of folds.
func listFiles(fsys fs.FS) ([]string, error) {
	var files []string
	root, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range root {
		if hidden(e.Name()) {
			continue
		}
		if !e.IsDir() {
			files = append(files, e.Name())
			continue
		}
		inner, err := fs.ReadDir(fsys, e.Name())
		if err != nil {
			return nil, err
		}
		for _, i := range inner {
			if !i.IsDir() && !hidden(i.Name()) {
				files = append(files, path.Join(e.Name(), i.Name()))
			}
		}
	}
	return files, nil
}

func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || name == "__MACOSX" || name == foldFolder
}

// some joins the first few names for an error message.
func some(names []string) string {
	const most = 6
	if len(names) == 0 {
		return "no files"
	}
	names = slices.Clone(names)
	slices.Sort(names)
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
