package tables

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// Scan reads tables of edges, or of nodes, as if they were one table, one row at a time, for data
// that do not fit into memory. Columns have the same roles as in a Set; a collection of graphs is
// an error. One goroutine at a time may use a Scan.
type Scan struct {
	// Options are the given options, with the names of the columns found by convention.
	Options Options

	of     Level    // OfEdges or OfNodes
	files  []string // files not opened yet
	folder *folder
	h      *header          // of the first table, with the name of the current one
	rows   tablefile.Reader // current table, nil at the end
	place  []int            // index in that table of each column of the first
	row    schema.Row
	number int64 // of the row, from 0

	times     *schema.TimeStream  // of Time, without an encoder
	timeField *schema.FieldReader // of Time, with one
}

// renewRows is the number of rows after which the budget of reading starts again: it limits the
// memory of a row, not the number of rows.
const renewRows = 1 << 10

// osFiles opens files of the operating system by path.
type osFiles struct{}

func (osFiles) Open(name string) (fs.File, error) { return os.Open(name) }

// ScanEdges starts to read tables of edges, whose columns have the same names.
func ScanEdges(files []string, o Options) (*Scan, error) { return scan(files, o, OfEdges) }

// ScanNodes starts to read tables of nodes, whose columns have the same names.
func ScanNodes(files []string, o Options) (*Scan, error) { return scan(files, o, OfNodes) }

func scan(files []string, o Options, of Level) (*Scan, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.kindsListed() {
		return nil, fmt.Errorf("tables: tables of nodes list those of one end of edges, %q or %q, which is not read row by row: expected a table of all nodes", o.Kinds[0], o.Kinds[1])
	}
	if len(files) == 0 {
		return nil, errors.New("tables: no files to read")
	}
	s := &Scan{Options: o, of: of, files: files, folder: &folder{fsys: osFiles{}, budget: data.NewBudget(o.MaxMemory), sets: o.known.sets()}, number: -1}
	if err := s.open(); err != nil {
		s.Close()
		return nil, fmt.Errorf("tables: %w", err)
	}
	if of == OfNodes {
		s.Options.NodeID = s.h.name(nodeID)
	} else {
		s.Options.nameEdges(s.h)
	}
	return s, nil
}

// roles assigns the roles of the columns of a table, and returns an error for a collection of graphs.
func (s *Scan) roles(h *header) error {
	assign, help := s.Options.edgeRoles, fmt.Sprintf("; --graph %s says that it does not", None)
	if s.of == OfNodes {
		assign, help = s.Options.nodeRoles, ""
	}
	err := assign(h)
	if err == nil && h.at[graphID] >= 0 {
		err = h.errorf("column %q names graphs within which ids count: a collection of graphs is read as one set%s", h.name(graphID), help)
	}
	return err
}

// open opens the next table.
func (s *Scan) open() (err error) {
	file := s.files[0]
	s.files = s.files[1:]
	s.folder.budget.Renew()
	if s.rows, err = s.openFile(file); err != nil {
		s.rows = nil
		return err
	}
	rows, h, err := s.Options.withRoles(s.rows, file, s.of, s.folder.budget, s.roles)
	if s.rows = rows; err != nil {
		return err
	}
	if s.h == nil {
		s.h, s.row = h, make(schema.Row, len(h.names))
	}
	if len(h.names) != len(s.h.names) {
		return h.errorf("has %d columns, expected the %d of the first table", len(h.names), len(s.h.names))
	}
	s.place = s.place[:0]
	for _, n := range s.h.names {
		c := h.find(n)
		if c < 0 {
			return h.errorf("there is no column %q, which the first table has; found %s", n, listed(h.names))
		}
		s.place = append(s.place, c)
	}
	s.h.file = file
	return nil
}

// openFile opens a table or, for edges, a graph file that is a stream.
func (s *Scan) openFile(file string) (tablefile.Reader, error) {
	path, format := graphPath(file, s.Options)
	switch {
	case format == "":
		if err := refuse(file); err != nil {
			return nil, err
		}
		return s.folder.open(file)
	case s.of == OfNodes || format == graphfile.GraphML || format == graphfile.GEXF:
		return nil, &data.ParseError{File: file, Msg: fmt.Sprintf("is of format %s, which is not read row by row: expected a table of %ss", format, s.of)}
	}
	g, err := s.Options.openGraphFile(path, format, s.folder.budget)
	if err != nil {
		return nil, err
	}
	if s.h == nil {
		if s.Options, err = s.Options.ofGraph(g, filepath.Base(path)); err != nil {
			g.Close()
			return nil, err
		}
	}
	return g.Edges, nil
}

// Next moves to the next row; io.EOF after the last.
func (s *Scan) Next() error {
	for {
		if s.rows == nil {
			return io.EOF
		}
		row, err := s.rows.Next()
		if err == nil {
			for c, at := range s.place {
				s.row[c] = row[at]
			}
			if s.number++; s.number%renewRows == 0 {
				s.folder.budget.Renew()
			}
			return nil
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		if err := s.next(); err != nil {
			return err
		}
	}
}

// next closes a finished table and opens the next one.
func (s *Scan) next() error {
	sum, err := s.rows.Close()
	s.rows = nil
	if err != nil {
		return err
	}
	s.folder.took(sum, filepath.Base(s.h.file))
	if len(s.files) > 0 {
		return s.open()
	}
	if s.times != nil {
		if err := s.times.Check(); err != nil {
			return s.h.wrong(0, s.h.at[moment], err)
		}
	}
	if s.number < 0 {
		return &data.ParseError{File: s.h.file, Msg: "has a header and no rows"}
	}
	return nil
}

// Close ends the reading at any row.
func (s *Scan) Close() error {
	if s.rows == nil {
		return nil
	}
	_, err := s.rows.Close()
	s.rows = nil
	return err
}

// ScanChecksum is the checksum, as in data.Info, of the data that several scans read to their ends.
func ScanChecksum(scans ...*Scan) string {
	var sums []string
	for _, s := range scans {
		if s != nil {
			sums = append(sums, s.folder.sums...)
		}
	}
	return data.Checksum(sums)
}

// Row is the number of the row, from 0.
func (s *Scan) Row() int64 { return s.number }

// Has reports whether edges have a label, a time and a part.
func (s *Scan) Has() (labels, times, parts bool) {
	return s.h.at[label] >= 0, s.h.at[moment] >= 0, s.h.at[splitPart] >= 0
}

// Wrong returns an error about the row, with its file and line, that names the column of its source
// or, for a node, its id.
func (s *Scan) Wrong(err error) error { return s.errorAt(s.idColumn(), err) }

// WrongTarget is Wrong for the column of its target.
func (s *Scan) WrongTarget(err error) error { return s.errorAt(s.h.at[target], err) }

func (s *Scan) idColumn() int {
	if c := s.h.at[nodeID]; c >= 0 {
		return c
	}
	return s.h.at[source]
}

// errorAt adds file, line and column of a value of the row to an error.
func (s *Scan) errorAt(column int, err error) error {
	if err == nil {
		return nil
	}
	return s.h.wrong(s.rows.Line(s.place[column]), column, err)
}

// Column is the index of a column, with any role, for Text.
func (s *Scan) Column(name string) (int, error) {
	if c := s.h.find(name); c >= 0 {
		return c, nil
	}
	return 0, s.h.errorf("there is no column %q, found %s", name, listed(s.h.names))
}

// Text is the text of the row in a column.
func (s *Scan) Text(column int) string { return s.row[column].String() }

// ID is the id of a node; Ends are those of an edge.
func (s *Scan) ID() (string, error) { return s.id(s.h.at[nodeID]) }

// Ends are the ids of the nodes of an edge.
func (s *Scan) Ends() (from, to string, err error) {
	if from, err = s.id(s.h.at[source]); err != nil {
		return "", "", err
	}
	to, err = s.id(s.h.at[target])
	k := s.Options.Kinds
	return k.NodeID(0, from), k.NodeID(1, to), err
}

func (s *Scan) id(column int) (string, error) {
	id, err := s.row[column].ID()
	if err != nil {
		return "", s.errorAt(column, err)
	}
	if s.Options.WholeIDs {
		id = schema.WholeOf(id)
	}
	return id, nil
}

// Time is the time of an edge in seconds since 1970, NaN if it has none. Numbers in a scan without
// an encoder are not converted.
func (s *Scan) Time() (float64, error) {
	c := s.h.at[moment]
	if c < 0 {
		return math.NaN(), nil
	}
	if e := s.Options.known; e != nil && e.TimeNotation != nil {
		if s.timeField == nil {
			s.timeField = schema.NewFieldReader(e.timeField(s.h.names[c]))
		}
		t, err := s.timeField.Number(s.h.cell(s.row, moment))
		return t, s.errorAt(c, err)
	}
	if s.times == nil {
		s.times = schema.NewTimeStream(s.Options.TimeFormat)
	}
	t, err := s.times.Read(s.h.cell(s.row, moment), s.Line(c))
	return t, s.errorAt(c, err)
}

// Part is the part of an edge in its row: 0 training, 1 validation, 2 test, -1 none.
func (s *Scan) Part() (int8, error) {
	c := s.h.at[splitPart]
	if c < 0 {
		return -1, nil
	}
	p, err := PartOf(s.row[c].String())
	return p, s.errorAt(c, err)
}

// AppendCopyKey appends a key that is equal for edges that must stay in one part of a split: their
// nodes, the lower id first, and all columns other than label, group and part.
func (s *Scan) AppendCopyKey(b []byte) []byte { return s.appendRow(b, feature, moment) }

// AppendMirror appends a key that is equal for edges that differ only in their direction.
func (s *Scan) AppendMirror(b []byte) []byte {
	return s.appendRow(b, feature, moment, label, group, splitPart)
}

// appendRow appends the ends of an edge, the lower id first, and the columns of some roles.
func (s *Scan) appendRow(b []byte, roles ...role) []byte {
	add := func(c schema.Cell) {
		text := strings.TrimSpace(c.String())
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	u, v := s.row[s.h.at[source]], s.row[s.h.at[target]]
	if u.String() > v.String() {
		u, v = v, u
	}
	add(u)
	add(v)
	for c, r := range s.h.roles {
		if slices.Contains(roles, r) {
			add(s.row[c])
		}
	}
	return b
}

// CheckColumns returns an error for options that name feature columns which no table has, and for
// tables without a column of the encoder that reads them. nodes is nil for none.
func CheckColumns(edges, nodes *Scan) error {
	o := edges.Options
	if e := o.known; e != nil {
		for _, x := range []struct {
			scan   *Scan
			fields []Field
		}{{edges, e.Edges}, {nodes, e.Nodes}} {
			for _, f := range x.fields {
				if x.scan != nil && x.scan.h.find(f.Name) < 0 {
					return x.scan.h.errorf("there is no column %q, which training had; found %s", f.Name, listed(x.scan.h.names))
				}
			}
		}
		return nil
	}
	for _, n := range slices.Concat(o.Categories, o.Features, o.Ignore) {
		if edges.h.find(n) < 0 && (nodes == nil || nodes.h.find(n) < 0) {
			return fmt.Errorf("tables: there is no column %q in the tables of edges, or of nodes where these are given; edges have %s", n, listed(edges.h.names))
		}
	}
	return nil
}
