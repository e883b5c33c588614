package nodelink

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
	"github.com/ehgnn/ehgnn/data/tables"
)

// Format is Set.Format of the sets of this package.
const Format = "node-link"

// Options say how documents become a set; the zero value decides by convention. Names
// of attributes are compared exactly.
type Options struct {
	// Label names what is predicted; several are numbers of each graph. Without a name
	// it is found by convention; tables.None says that there is none.
	Label []string
	// Level is what has the label. Empty, it is the first of graphs, edges and nodes
	// that has an attribute of the name; without a label, graphs where there are
	// several documents, else edges.
	Level tables.Level
	// Number says that the label is a number to estimate, and Class that it is a class. With neither
	// the values of the label decide.
	Number, Class bool
	// Categories lists attributes whose numbers are names of something, not amounts, or whose texts, as a|b, are no sets.
	Categories []string
	// Features lists attributes that are features although they identify their rows.
	Features []string
	// Ignore lists attributes that are not read.
	Ignore []string
	// Missing lists words that stand for no value. Decimal and TimeFormat are how strings have
	// numbers and times, as in tables.Options.
	Missing             []string
	Decimal, TimeFormat string
	// Form is the form of the graphs. Auto is as the documents say.
	Form data.Edges
	// MaxMemory is the memory, in bytes, that reading may take; 0 is
	// the bound of data.NewBudget.
	MaxMemory int64

	// known is the encoder whose fields say how attributes are read, for data to predict for.
	// Attributes may then be missing though they are named.
	known *tables.Encoder
}

// OptionsFor reads new documents as those on which an encoder was fitted; attributes
// and the label may be missing.
func OptionsFor(e *tables.Encoder) Options {
	o := Options{Level: e.Level, Number: e.Options.Number, Form: e.Options.Form, Label: []string{e.Options.Label}, known: e}
	if o.Level == "" {
		o.Level = tables.OfEdges
	}
	if e.Options.Label == "" { // several
		o.Label = nil
		for _, u := range e.Units {
			o.Label = append(o.Label, u.Name)
		}
	}
	return o
}

func (o Options) validate() error {
	switch o.Level {
	case "", tables.OfEdges, tables.OfNodes, tables.OfGraphs:
	default:
		return fmt.Errorf("nodelink: the level is %q, expected %s, %s, %s or none", o.Level, tables.OfGraphs, tables.OfEdges, tables.OfNodes)
	}
	if o.Form < data.Auto || o.Form > data.Undirected {
		return fmt.Errorf("nodelink: the form is %d, expected Auto, Directed or Undirected", o.Form)
	}
	if o.MaxMemory < 0 {
		return fmt.Errorf("nodelink: --max-memory is %d, expected 0 or more", o.MaxMemory)
	}
	return nil
}

// Open reads the documents of a file, gzipped or not. The set is called as the file.
func Open(name string, o Options) (*tables.Set, error) {
	file, err := data.OpenFile(os.DirFS(filepath.Dir(name)), filepath.Base(name))
	if err != nil {
		return nil, fmt.Errorf("nodelink: %s: %w", filepath.Base(name), err)
	}
	defer file.Close()
	return Read(file, filepath.Base(name), o)
}

// Read reads all documents of a text into one set. The name is that of its file.
func Read(r io.Reader, name string, o Options) (*tables.Set, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	name = strings.TrimSuffix(name, ".gz")
	s, err := read(r, name, o)
	if err != nil {
		return nil, fmt.Errorf("nodelink: %w", err)
	}
	return s, nil
}

func read(r io.Reader, name string, o Options) (*tables.Set, error) {
	b := data.NewBudget(o.MaxMemory)
	p, err := newParser(r, name, b)
	if err != nil {
		return nil, err
	}
	a := newAssembler(name, o, b)
	p.documents(func(d *Document, e error) bool {
		if err = e; err == nil {
			err = a.add(d)
		}
		b.Release(p.kept) // the document
		p.kept = 0
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	s, err := a.set()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(p.src.Sum() + "  " + name + "\n")) // as data.Info.Checksum of one file
	s.Checksum = hex.EncodeToString(sum[:])
	return s, nil
}

// Join makes one set of documents that are in memory. The name is that of the set.
func Join(name string, documents []*Document, o Options) (*tables.Set, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	a := newAssembler(name, o, data.NewBudget(o.MaxMemory))
	for _, d := range documents {
		if err := a.add(d); err != nil {
			return nil, fmt.Errorf("nodelink: %w", err)
		}
	}
	s, err := a.set()
	if err != nil {
		return nil, fmt.Errorf("nodelink: %w", err)
	}
	return s, nil
}

// Set is the document as a set of its own. It has no checksum. The name is that of the
// text in errors.
func (d *Document) Set(name string, o Options) (*tables.Set, error) {
	return Join(name, []*Document{d}, o)
}

// recogniseBytes is how much of a file is looked at to recognise it.
const recogniseBytes = 1 << 20

// Recognise reports whether a file of the operating system is JSON: whether it begins with an object
// that has a member, or with a list of objects or of lists; a list of anything where the file is
// called so. Records, which are a table, are none. Reading says what else is wrong with it.
func Recognise(name string) bool {
	// Opening a pipe would wait for its writer, and take what it writes.
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	if tablefile.HasRecords(name) {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	p, err := newParser(file, name, data.NewBudget(0))
	if err != nil {
		return false
	}
	p.src.Limit(recogniseBytes)
	first, err := p.token()
	if err != nil {
		return false
	}
	of := first.Kind()
	second, err := p.token()
	if err != nil {
		return false
	}
	switch k := second.Kind(); of {
	case '{':
		return k == '"' || isJSON(name)
	case '[':
		return k == '{' || k == '[' || isJSON(name)
	}
	return false
}

// isJSON reports whether a file is called as those of JSON are.
func isJSON(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return slices.Contains([]string{".json", ".jsonl", ".ndjson"}, filepath.Ext(name))
}
