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

// Options say how documents become a set. The zero value decides by convention. Names of attributes
// are compared exactly.
type Options struct {
	// Label names the attributes to predict. Several are numbers of each graph. If empty, the label
	// is found by convention. tables.None means no label.
	Label []string
	// Level is the level of the label. If empty, it is the first of graphs, edges and nodes that
	// has an attribute with the name. Without a label it is graphs if there are several documents,
	// else edges.
	Level tables.Level
	// Number says that the label is a number to predict, Class that it is a class. If neither is
	// set, the values of the label decide.
	Number, Class bool
	// Categories lists attributes whose numbers are names and not amounts, or whose texts, such as
	// a|b, are not sets.
	Categories []string
	// Features lists attributes that are used as features although their values identify their
	// rows.
	Features []string
	// Ignore lists attributes that are not read.
	Ignore []string
	// Missing lists words for a missing value. Decimal and TimeFormat are the notation of numbers
	// and times in strings, as in tables.Options.
	Missing             []string
	Decimal, TimeFormat string
	// Form is the form of the graphs. With Auto the documents decide.
	Form data.Edges
	// MaxMemory is the memory, in bytes, that reading may take. 0 means the default of
	// data.NewBudget.
	MaxMemory int64

	// known is the encoder whose fields say how attributes are read, for prediction input. Named
	// attributes may then be missing.
	known *tables.Encoder
}

// OptionsFor returns options that read new documents like those on which an encoder was fitted.
// Attributes and the label may be missing.
func OptionsFor(e *tables.Encoder) Options {
	o := Options{Level: e.Level, Number: e.Options.Number, Form: e.Options.Form, Label: []string{e.Options.Label}, known: e}
	if o.Level == "" {
		o.Level = tables.OfEdges
	}
	if e.Options.Label == "" { // several labels
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

// Open reads the documents of a file, gzipped or not. The set has the name of the file.
func Open(name string, o Options) (*tables.Set, error) {
	file, err := data.OpenFile(os.DirFS(filepath.Dir(name)), filepath.Base(name))
	if err != nil {
		return nil, fmt.Errorf("nodelink: %s: %w", filepath.Base(name), err)
	}
	defer file.Close()
	return Read(file, filepath.Base(name), o)
}

// Read reads all documents of a text into one set. name is the name of its file.
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
		b.Release(p.kept) // memory of the document
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

// Join makes one set of documents in memory, without a checksum. name is the name of the set.
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

// recogniseBytes is how many bytes of a file are read to recognise it.
const recogniseBytes = 1 << 20

// Recognise reports whether a file of the operating system is node-link JSON. It must begin with an
// object that has a member, or with a list of objects or of lists. If the file has a JSON name, a
// list may have anything. Records, which are a table, are not recognised. Reading reports other
// errors.
func Recognise(name string) bool {
	// Opening a pipe would wait for its writer and take data from it.
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

// isJSON reports whether a file name has an ending of JSON.
func isJSON(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return slices.Contains([]string{".json", ".jsonl", ".ndjson"}, filepath.Ext(name))
}
