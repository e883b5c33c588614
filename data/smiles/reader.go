package smiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Format is Info.Format of the sets of this package.
const Format = "smiles"

// What becomes of rows that are no molecule.
const (
	Mark = "mark" // they are reported with a reason
	Skip = "skip" // they are left out
	Fail = "fail" // they are an error
)

// Options say how a table is read.
type Options struct {
	// Column names the SMILES. Where it is empty, Prefer is taken if there is such a column,
	// else one by convention.
	Column, Prefer string
	// Labels are the columns to predict; empty for all that suit, unless Fixed is set.
	Labels []string
	// Ignore lists columns that are no labels.
	Ignore []string
	// Part and Group name the columns of the parts of a split and of groups; empty or tables.None
	// for none. With Fixed, tables may lack them.
	Part, Group string
	// Same has a Set number equal molecules.
	Same bool
	// Level is what has the labels: molecules, atoms (tables.OfNodes) or bonds (OfEdges). Where
	// it is empty, the columns decide; with Fixed it is then that of molecules.
	Level tables.Level
	// Number says that labels are numbers to estimate. Classify says that they are classes;
	// where neither is set, the labels decide.
	Number, Classify bool
	// Fixed says that labels are those of a training: numbers by the names of Labels or, with
	// Classes, the one class. Columns may be missing, as in tables to predict for.
	Fixed   bool
	Classes []string

	// Edges says whether either direction of a bond is an edge; data.Auto makes it one where a
	// label has a value for each direction.
	Edges     data.Edges
	Hydrogens bool   // hydrogens are atoms, behind those of the SMILES
	OnInvalid string // Mark when empty

	// KeepColumns keeps the other columns of the rows (Molecule.Own).
	KeepColumns bool

	Toolkit chem.Toolkit // nil is an error: chem.ErrNoToolkit
	Threads int          // 0 for all processors
	// MaxMemory is the memory, in bytes, that a Set, or what a Reader returns at a time, may
	// take; 0 is the bound of data.NewBudget.
	MaxMemory int64
}

// Molecule is a row of a table.
type Molecule struct {
	Row    int // from 1
	SMILES string
	Graph  *graph.Graph // nil where the row is no molecule, or its labels do not fit it
	Reason string       // why there is none
	Own    []string     // with Options.KeepColumns, the cells of Reader.OwnColumns

	unlabelled bool // it is a molecule, but the labels do not fit

	line   int
	labels []string // as the table has them, in the order of Reader.labels
	key    string   // of equal molecules, where Options.Same is set
	part   int8     // as Set.Part
	group  string   // "" where missing
}

// fault is what is wrong with a row that has no graph.
func (m *Molecule) fault() string {
	if m.unlabelled {
		return "has labels that do not fit"
	}
	return "is no molecule"
}

// Fault says what is wrong with a row that has no graph, and why.
func (m *Molecule) Fault() string { return fmt.Sprintf("row %d %s: %s", m.Row, m.fault(), m.Reason) }

// refuse takes the graph of a molecule whose labels do not fit.
func (m *Molecule) refuse(err error) { m.Graph, m.Reason, m.unlabelled = nil, err.Error(), true }

// A Reader returns at most batchRows rows at a time, of about batchText bytes.
const (
	batchRows = 4096
	batchText = 8 << 20
)

// Reader goes through a table some thousand rows at a time.
type Reader struct {
	o      Options
	path   string
	file   string // without the folder
	rows   rowReader
	budget *data.Budget
	row    int

	column int              // of the SMILES
	labels []string         // columns that are, or may become, labels
	at     []int            // where they are, -1 for missing
	own    []int            // columns that are kept as they are
	class  map[string]int32 // of the training
	roles  roles
	blocks bool // the molecules are mol blocks
	// extended counts the molecules that had an extension (CXSMILES) behind the SMILES.
	extended int
}

// columnNames are the columns of SMILES by convention.
var columnNames = []string{"smiles", "canonical_smiles", "isomeric_smiles", "mol"}

// identifiers are columns that name molecules and are no labels.
var identifiers = []string{"id", "mol_id", "molecule_id", "chembl_id", "compound_id", "index", "row", "name", ""}

// Recognise reports whether a path is that of a file of SMILES (.smi, .smiles), of an SD file, or of
// a table with a column of SMILES, by convention, that does not list edges. Other forms of
// molecules count as well, and NewReader says why they are not read.
func Recognise(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false
	}
	if _, ok := unreadFile(path); ok || endsWith(path, lineEndings) || endsWith(path, blockEndings) {
		return true
	}
	columns, first := look(path)
	return (find(columns, columnNames...) >= 0 || unreadColumn(columns, first) != "") && !tables.ListsEdges(path, columns)
}

// Has reports whether a path is that of a table with a column.
func Has(path, column string) bool {
	columns, _ := look(path)
	return column != "" && find(columns, column) >= 0
}

// find is the first column with one of some names, in any case; -1 for none.
func find(columns []string, names ...string) int {
	for _, n := range names {
		for c, have := range columns {
			if strings.EqualFold(have, n) {
				return c
			}
		}
	}
	return -1
}

// NewReader opens the table at a path.
func NewReader(path string, o Options) (*Reader, error) {
	if err := refuse(path, o); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"", Mark, Skip, Fail}, o.OnInvalid) {
		return nil, fmt.Errorf("smiles: --on-invalid is %q, expected %s, %s or %s", o.OnInvalid, Mark, Skip, Fail)
	}
	r := &Reader{o: o, path: path, file: filepath.Base(path), budget: data.NewBudget(o.MaxMemory)}
	var err error
	if r.rows, err = openRows(path, o.MaxMemory, r.budget); err != nil {
		return nil, err
	}
	if err := r.header(); err != nil {
		r.rows.Close()
		return nil, err
	}
	return r, nil
}

// wrongHeader is an error about the columns.
func (r *Reader) wrongHeader(format string, args ...any) error {
	return &data.ParseError{File: r.file, Line: 1, Msg: fmt.Sprintf(format, args...)}
}

// header finds the columns.
func (r *Reader) header() error {
	columns, wrong := r.rows.Columns(), r.wrongHeader
	switch {
	case r.o.Column != "":
		if r.column = find(columns, r.o.Column); r.column < 0 {
			return wrong("--smiles: no column %q, expected one of %s", r.o.Column, listed(columns))
		}
	default:
		names := columnNames
		if r.o.Prefer != "" {
			names = append([]string{r.o.Prefer}, names...)
		}
		if r.column = find(columns, names...); r.column < 0 {
			if err := unread(r.path); err != nil {
				return err
			}
			return wrong("no column of SMILES, expected %s; --smiles names another: there are %s", strings.Join(columnNames, ", "), listed(columns))
		}
	}
	_, sdf := r.rows.(*sdfRows)
	r.blocks = sdf && r.column == blockColumn
	if err := r.findRoles(columns); err != nil {
		return err
	}
	r.labels = r.o.Labels
	if len(r.labels) == 0 && !r.o.Fixed {
		for c, name := range columns {
			if c != r.column && !r.roles.has(c) && find(identifiers, name) < 0 && find(r.o.Ignore, name) < 0 {
				r.labels = append(r.labels, name)
			}
		}
	}
	for _, name := range r.labels {
		c := find(columns, name)
		switch {
		case c < 0 && !r.o.Fixed:
			return wrong("--label: no column %q, expected one of %s", name, listed(columns))
		case c == r.column:
			return wrong("--label: column %q holds the SMILES and is no label", name)
		case r.roles.has(c):
			return wrong("--label: column %q has two roles", name)
		case slices.Contains(r.at, c) && c >= 0:
			return wrong("column %q is there twice, or asked for twice by --label", name)
		}
		r.at = append(r.at, c)
	}
	for c, name := range columns {
		if r.o.KeepColumns && c != r.column && !slices.Contains(r.at, c) && name != "" {
			r.own = append(r.own, c)
		}
	}
	if r.o.Classes != nil {
		r.class = map[string]int32{}
		for k, name := range r.o.Classes {
			r.class[name] = int32(k)
		}
	}
	return nil
}

// listed are the first of some names.
func listed(names []string) string {
	const most = 8
	shown := lists.Map(names[:min(len(names), most)], func(n string) string { return fmt.Sprintf("%.40q", n) })
	text := strings.Join(shown, ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// OwnColumns are the names of the columns that Options.KeepColumns keeps: all but the SMILES and the labels.
func (r *Reader) OwnColumns() []string {
	return lists.Take(r.rows.Columns(), r.own)
}

// Column is the name of the column of SMILES.
func (r *Reader) Column() string { return r.rows.Columns()[r.column] }

// Next returns the next rows, with graphs that have the labels of a training where
// Options.Fixed is set; io.EOF after the last. What was returned before no longer counts
// against the bound on memory.
func (r *Reader) Next(ctx context.Context) ([]Molecule, error) {
	r.budget.Renew()
	return r.next(ctx)
}

// next is Next, with the charges before kept.
func (r *Reader) next(ctx context.Context) ([]Molecule, error) {
	for {
		batch, err := r.read()
		if err != nil {
			return nil, err
		}
		if err := r.featurise(ctx, batch); err != nil {
			return nil, err
		}
		if r.o.OnInvalid == Skip {
			batch = slices.DeleteFunc(batch, func(m Molecule) bool { return m.Graph == nil })
		}
		if len(batch) > 0 {
			return batch, nil
		}
	}
}

// read takes rows from the table.
func (r *Reader) read() (batch []Molecule, err error) {
	for text := 0; len(batch) < batchRows && text < batchText; {
		row, err := r.rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		r.row++
		m := Molecule{Row: r.row, SMILES: row[r.column], line: r.rows.Line(r.column)}
		if !r.blocks {
			m.SMILES = strings.Clone(strings.TrimSpace(m.SMILES))
		}
		m.labels = make([]string, len(r.at))
		for k, c := range r.at {
			if c >= 0 {
				m.labels[k] = row[c]
				text += len(row[c])
			}
		}
		ownBytes := 0
		for _, c := range r.own {
			m.Own = append(m.Own, strings.Clone(row[c]))
			ownBytes += len(row[c])
		}
		text += ownBytes
		if err := r.divide(&m, row); err != nil {
			return nil, err
		}
		text += len(m.SMILES)
		if err := r.charge(int64(len(m.SMILES)+len(m.group)+rowBytes+labelBytes*(len(m.labels)+len(m.Own))+ownBytes), m.line); err != nil {
			return nil, err
		}
		batch = append(batch, m)
	}
	if len(batch) == 0 {
		return nil, io.EOF
	}
	return batch, nil
}

// What a molecule takes in memory, in bytes.
const (
	rowBytes   = 512 // beside its text, atoms and bonds
	labelBytes = 16
	bondBytes  = (2 + 3) * 4
)

func (r *Reader) charge(n int64, line int) error {
	if err := r.budget.Charge(n, "molecules"); err != nil {
		return &data.ParseError{File: r.file, Line: line, Msg: "cannot be read", Err: err}
	}
	return nil
}

// Sample is a small molecule, ethane, as the Reader gives molecules.
func (r *Reader) Sample() (*graph.Graph, error) { return Graph("CC", r.o) }

// Graph is one molecule as a Reader with some Options gives it, without labels.
func Graph(text string, o Options) (*graph.Graph, error) {
	if o.Toolkit == nil {
		return nil, chem.ErrNoToolkit
	}
	m, err := o.Toolkit.Parse(text)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	g, err := graphOf(m, o.Hydrogens)
	if err == nil && o.Edges == data.Directed {
		g = arcs(g)
	}
	return g, err
}

// Close ends the reading and returns the checksum of what was read.
func (r *Reader) Close() (checksum string, err error) { return r.rows.Close() }
