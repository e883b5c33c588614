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

// What to do with rows that are not molecules.
const (
	Mark = "mark" // report them with a reason
	Skip = "skip" // leave them out
	Fail = "fail" // return an error
)

// Options say how to read a table.
type Options struct {
	// Column names the column of the SMILES. If it is empty, the column is Prefer if that exists,
	// or else found by convention.
	Column, Prefer string
	// Labels are the columns to predict. Empty means all suitable columns, unless Fixed is set.
	Labels []string
	// Ignore lists columns that are not labels.
	Ignore []string
	// Part and Group name the columns with the parts of a split and with groups. Empty or
	// tables.None means none. With Fixed, tables may lack them.
	Part, Group string
	// Same numbers equal molecules in a Set.
	Same bool
	// Level says what has the labels: molecules, atoms (tables.OfNodes) or bonds (OfEdges). If it
	// is empty, the columns decide; with Fixed it means molecules.
	Level tables.Level
	// Number says that labels are numbers to predict, Classify that they are classes. If neither is
	// set, the labels decide.
	Number, Classify bool
	// Fixed says that labels are those of training: numbers with the names in Labels or, with
	// Classes, the one class. Columns may be missing, as in prediction input.
	Fixed   bool
	Classes []string

	// Edges says whether each direction of a bond is an edge. With data.Auto it is if a label has a
	// value for each direction.
	Edges     data.Edges
	Hydrogens bool   // hydrogens are atoms, after those of the SMILES
	OnInvalid string // empty means Mark

	// KeepColumns keeps the cells of the other columns (Molecule.Own).
	KeepColumns bool

	Toolkit chem.Toolkit // nil is an error: chem.ErrNoToolkit
	Threads int          // 0 means all processors
	// MaxMemory is the memory, in bytes, that a Set, or the result of one Reader.Next, may take. 0
	// means the default of data.NewBudget.
	MaxMemory int64
}

// Molecule is a row of a table.
type Molecule struct {
	Row    int // counted from 1
	SMILES string
	Graph  *graph.Graph // nil if the row is not a molecule, or its labels do not fit
	Reason string       // why there is no graph
	Own    []string     // with Options.KeepColumns, the cells of Reader.OwnColumns

	unlabelled bool // it is a molecule, but its labels do not fit

	line   int
	labels []string // as in the table, in the order of Reader.labels
	key    string   // the same for equal molecules, if Options.Same is set
	part   int8     // as Set.Part
	group  string   // "" if missing
}

// fault says what is wrong with a row without a graph.
func (m *Molecule) fault() string {
	if m.unlabelled {
		return "has labels that do not fit"
	}
	return "is no molecule"
}

// Fault says what is wrong with a row without a graph, and why.
func (m *Molecule) Fault() string { return fmt.Sprintf("row %d %s: %s", m.Row, m.fault(), m.Reason) }

// refuse removes the graph of a molecule whose labels do not fit.
func (m *Molecule) refuse(err error) { m.Graph, m.Reason, m.unlabelled = nil, err.Error(), true }

// A Reader returns at most batchRows rows at a time, of about batchText bytes.
const (
	batchRows = 4096
	batchText = 8 << 20
)

// Reader reads a table some thousand rows at a time.
type Reader struct {
	o      Options
	path   string
	file   string // without the folder
	rows   rowReader
	budget *data.Budget
	row    int

	column int              // of the SMILES
	labels []string         // columns that are labels or may become labels
	at     []int            // positions of labels, -1 if missing
	own    []int            // positions of the columns of Own
	class  map[string]int32 // classes of training
	roles  roles
	blocks bool // the molecules are mol blocks
	// extended counts the molecules that had an extension (CXSMILES) after the SMILES.
	extended int
}

// columnNames are the names of SMILES columns by convention.
var columnNames = []string{"smiles", "canonical_smiles", "isomeric_smiles", "mol"}

// identifiers are names of columns that identify molecules and are not labels.
var identifiers = []string{"id", "mol_id", "molecule_id", "chembl_id", "compound_id", "index", "row", "name", ""}

// Recognise reports whether a path is a file of SMILES (.smi, .smiles), an SD file, or a table with
// a column of SMILES, by convention, that does not list edges. Tables and files with other forms of
// molecules count too; NewReader says why they are not read.
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

// Has reports whether a path is a table with the given column.
func Has(path, column string) bool {
	columns, _ := look(path)
	return column != "" && find(columns, column) >= 0
}

// find returns the first column with one of some names, in any case, or -1.
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

// wrongHeader returns an error about the columns.
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

// listed joins the first few of some names.
func listed(names []string) string {
	const most = 8
	shown := lists.Map(names[:min(len(names), most)], func(n string) string { return fmt.Sprintf("%.40q", n) })
	text := strings.Join(shown, ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// OwnColumns returns the names of the columns that Options.KeepColumns keeps: all except the SMILES
// and the labels.
func (r *Reader) OwnColumns() []string {
	return lists.Take(r.rows.Columns(), r.own)
}

// Column returns the name of the column of SMILES.
func (r *Reader) Column() string { return r.rows.Columns()[r.column] }

// Next returns the next rows, and io.EOF after the last. With Options.Fixed the graphs have the
// labels of training. Rows that were returned before no longer count towards the bound on memory.
func (r *Reader) Next(ctx context.Context) ([]Molecule, error) {
	r.budget.Renew()
	return r.next(ctx)
}

// next is Next without releasing earlier charges.
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

// read reads rows of the table.
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

// The memory of a molecule, in bytes.
const (
	rowBytes   = 512 // besides its text, atoms and bonds
	labelBytes = 16
	bondBytes  = (2 + 3) * 4
)

func (r *Reader) charge(n int64, line int) error {
	if err := r.budget.Charge(n, "molecules"); err != nil {
		return &data.ParseError{File: r.file, Line: line, Msg: "cannot be read", Err: err}
	}
	return nil
}

// Sample returns a small molecule, ethane, in the form of the Reader's molecules.
func (r *Reader) Sample() (*graph.Graph, error) { return Graph("CC", r.o) }

// Graph returns one molecule as a Reader with these Options does, without labels.
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

// Close ends reading. It returns the checksum of the text read so far.
func (r *Reader) Close() (checksum string, err error) { return r.rows.Close() }
