package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// tables reads a graph from the parts edges and nodes of a form, which have the columns of the training data. If the
// training had two tables of nodes, there are two parts nodes. Without this part, the nodes are those that edges name.
// A column score marks the edges to predict; without it labels are not read, as in ehgnn predict.
func (d *decoder) tables(boundary string) (decoded, *Problem) {
	if _, ok := d.run.model.Tables(); !ok {
		return decoded{}, problemf(http.StatusUnsupportedMediaType, "the run was not trained on tables, expected application/json or application/x-ndjson")
	}
	// Parts are copied, and while a copy grows there are two.
	if p := d.held.charge(3 * int64(len(d.text))); p != nil {
		return decoded{}, p
	}
	var edges []byte
	var nodes []nodesPart
	for r := multipart.NewReader(bytes.NewReader(d.text), boundary); ; {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		var text []byte
		if err == nil {
			text, err = io.ReadAll(part)
		}
		if err != nil {
			return decoded{}, problemf(http.StatusBadRequest, "not multipart/form-data: %v", err)
		}
		switch name := part.FormName(); {
		case name == "edges" && edges == nil:
			edges = text
		case name == "nodes" && len(nodes) < d.nodeTables():
			nodes = append(nodes, nodesPart{part.FileName(), text})
		default:
			return decoded{}, wrong(fmt.Sprintf("the part %q", name), fmt.Sprintf(`"edges", once, and, if there are attributes of nodes, "nodes", %d times`, d.nodeTables()))
		}
	}
	if edges == nil {
		return decoded{}, wrong(`no part "edges"`, "a table of edges as CSV")
	}
	d.begin()
	u := &upload{d: d, names: d.names, rows: map[string]int32{}}
	switch {
	case len(nodes) == 0 && len(d.nodes.list) > 0:
		return decoded{}, wrong(`no part "nodes"`, "a table of nodes with "+d.nodes.fieldList())
	case len(nodes) > 0 && len(nodes) < d.nodeTables():
		return decoded{}, wrong(`one part "nodes"`, "two, tables of the nodes of each end of edges")
	case len(nodes) > 0:
		if p := u.readNodes(nodes); p != nil {
			return decoded{}, p.in("nodes")
		}
	}
	if p := u.readEdges(edges, nodes == nil); p != nil {
		return decoded{}, p.in("edges")
	}
	d.graph.NumNodes = len(u.ids)
	d.nodes.pad(len(u.ids))
	if d.named {
		d.graph.NodeNames = u.ids
	}
	d.graph.Remarks = slices.Concat(d.graph.Remarks, d.remarks(), u.remarks)
	return decoded{Graph: &d.graph, score: d.score, naming: u.naming()}, d.admit()
}

// nodesPart is a part of a form with nodes.
type nodesPart struct {
	file string // its name, empty if the form does not give it
	text []byte
}

// nodeTables is the number of node tables of the training, at least 1.
func (d *decoder) nodeTables() int {
	if d.names.NodesOfBoth {
		return 2
	}
	return 1
}

// upload is a graph that comes as tables.
type upload struct {
	d     *decoder
	names ehgnn.TableColumns
	rows  map[string]int32 // of nodes, by id
	ids   []string
	keys  []keyColumn // of edges

	rowBytes int64 // of the current table

	remarks []string
}

// node is the row of a node; new nodes are added if this is allowed.
func (u *upload) node(id string, may bool) (int32, *Problem) {
	row, ok := u.rows[id]
	switch {
	case ok:
		return row, nil
	case !may:
		return 0, wrong(strconv.Quote(shortened([]byte(id))), "the id of a node in the part nodes")
	case len(u.ids) >= u.d.limits.Nodes:
		return 0, u.d.tooMany(true)
	}
	id = strings.Clone(id)
	u.rows[id] = int32(len(u.ids))
	u.ids = append(u.ids, id)
	return int32(len(u.ids) - 1), nil
}

// table opens a part of the form as a table, in the format and encoding detected from its bytes.
func (u *upload) table(part string, text []byte, each func(s *sheet) (row func(i int, cells schema.Row) *Problem, p *Problem)) *Problem {
	if p := u.d.held.charge(int64(widest(text)) * fieldBytes); p != nil {
		return p
	}
	budget := data.NewBudget(u.d.limits.Body * perByte)
	budget.Meter(u.d.held.meter)
	r, err := tablefile.Open(oneFile(text), "table", budget, tablefile.Options{Sets: slices.Concat(u.d.nodes.sets, u.d.edges.sets)})
	if err != nil {
		return tableProblem(err)
	}
	defer r.Close()
	widths := u.d.edges.vectors
	if part == "nodes" {
		widths = u.d.nodes.vectors
	}
	if r, err = tablefile.Vectors(r, tablefile.VectorOptions{File: "table", Budget: budget, Widths: widths}); err != nil {
		return tableProblem(err)
	}
	s := &sheet{in: r, header: r.Columns()}
	row, p := each(s)
	if p != nil {
		return p
	}
	for i := 0; ; i++ {
		cells, err := r.Next()
		if errors.Is(err, io.EOF) {
			for _, n := range r.Notes() {
				u.remarks = append(u.remarks, part+": "+n)
			}
			return nil
		}
		if err != nil {
			return tableProblem(err)
		}
		if p := u.d.timedOut(); p != nil {
			return p
		}
		if i%chargedRows == 0 {
			if p := u.d.held.charge(chargedRows * u.rowBytes); p != nil {
				return p
			}
		}
		if p := row(i, cells); p != nil {
			return p.at(i)
		}
	}
}

// tableProblem is the Problem for an error of reading a table.
func tableProblem(err error) *Problem {
	var p *Problem
	switch {
	case errors.As(err, &p): // of the memory of all requests
		return p
	case errors.Is(err, data.ErrTooLarge):
		return problemf(http.StatusRequestEntityTooLarge, "a table that takes more than %d times the memory of the largest body (--max-body)", perByte)
	}
	return problemf(http.StatusUnprocessableEntity, "not a table: %v", err)
}

// Memory charged for a table while it is read.
const (
	chargedRows = 1 << 10 // rows that are charged at a time
	fieldBytes  = 128     // for a field of the current record
	// For a row: twice what is stored, because slices grow.
	nodeBytes   = 160 // the id of a node
	edgeBytes   = 48  // the ends of an edge, its time, label and group
	keyBytes    = 96  // of an edge in a further column
	columnBytes = 24  // a value
)

// widest is the largest possible number of fields in a record of a text. If quotation marks may
// join lines, it is that of the whole text.
func widest(text []byte) int {
	const record = 1 << 20 // the longest
	separators := func(text []byte) (n int) {
		for _, c := range []byte{',', ';', '\t', '|'} {
			n = max(n, bytes.Count(text, []byte{c}))
		}
		return min(n, record) + 1
	}
	if bytes.IndexByte(text, '"') >= 0 {
		return separators(text)
	}
	most := 0
	for line := range bytes.Lines(text) {
		if len(line) > most { // a line has fewer fields than bytes
			most = max(most, separators(line))
		}
	}
	return most
}

// perByte is how many bytes of memory the reader of a table may use for each byte of a body.
const perByte = 16

// oneFile is a file system with one file, given as a text.
type oneFile []byte

// Open implements fs.FS.
func (f oneFile) Open(name string) (fs.File, error) {
	return &openFile{bytes.NewReader(f), int64(len(f))}, nil
}

// openFile is a file that can be read at any offset.
type openFile struct {
	*bytes.Reader
	size int64
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Name() string               { return "table" }
func (f *openFile) Size() int64                { return f.size }
func (f *openFile) Mode() fs.FileMode          { return 0o444 }
func (f *openFile) ModTime() time.Time         { return time.Time{} }
func (f *openFile) IsDir() bool                { return false }
func (f *openFile) Sys() any                   { return nil }

// id is the id in a cell.
func (u *upload) id(c schema.Cell) (string, *Problem) {
	id, err := c.ID()
	switch {
	case err != nil && strings.TrimSpace(c.String()) == "":
		return "", wrong("nothing", "an id")
	case err != nil:
		return "", wrong(strconv.Quote(shortened([]byte(c.String()))), "an id that was not rounded: as text or as a whole number")
	}
	if u.names.WholeIDs {
		id = schema.WholeOf(id)
	}
	return id, nil
}

// readNodes reads the tables of nodes. If there are two, each has the columns of its nodes.
func (u *upload) readNodes(parts []nodesPart) *Problem {
	c := &u.d.nodes
	c.beginAll()
	var has []bool // attributes of one of two tables
	if u.names.NodesOfBoth {
		has = make([]bool, len(c.list))
	}
	for _, part := range parts {
		if p := u.readTable(part, has); p != nil {
			return p
		}
	}
	if k := slices.Index(has, false); k >= 0 {
		return wrong("no column "+strconv.Quote(c.list[k].Name), c.fieldList())
	}
	return nil
}

// readTable reads a table of nodes. If attributes may be missing, it marks those that exist.
func (u *upload) readTable(part nodesPart, has []bool) *Problem {
	return u.table("nodes", part.text, func(s *sheet) (func(int, schema.Row) *Problem, *Problem) {
		end, column, err := u.names.NodesEnd(part.file, s.header)
		if err != nil {
			return nil, wrong(fmt.Sprintf("the columns %q", s.header), err.Error())
		}
		id, p := s.column(column)
		if p != nil {
			return nil, p
		}
		fill, p := s.attributes(&u.d.nodes, has)
		if p == nil {
			u.noteUnread("nodes", s, &u.d.nodes, column)
		}
		first := len(u.ids)
		u.rowBytes = nodeBytes + int64(len(u.d.nodes.list))*columnBytes
		return func(row int, cells schema.Row) *Problem {
			name, p := u.id(cells[id])
			if p != nil {
				return p.in(column)
			}
			name = u.names.Kinds.NodeID(end, name)
			if at, p := u.node(name, true); p != nil || int(at) != first+row {
				if p == nil {
					p = wrong(strconv.Quote(name)+", the id of node "+strconv.Itoa(int(at)), "an id of its own")
				}
				return p.in(column)
			}
			return fill(first+row, cells)
		}, p
	})
}

func (u *upload) readEdges(text []byte, may bool) *Problem {
	p := u.table("edges", text, func(s *sheet) (func(int, schema.Row) *Problem, *Problem) { return u.edgeRows(s, may) })
	u.d.setLabels(true)
	return p
}

// edgeRows returns a function that reads a row of the table of edges.
func (u *upload) edgeRows(s *sheet, may bool) (row func(int, schema.Row) *Problem, p *Problem) {
	d, g := u.d, &u.d.graph
	ends := [2]string{u.names.Source, u.names.Target}
	var at [2]int
	for k, name := range ends {
		if at[k], p = s.column(name); p != nil {
			return nil, p
		}
	}
	d.edges.beginAll()
	fill, p := s.attributes(&d.edges, nil)
	if p != nil {
		return nil, p
	}
	keys := u.beginKeys(s)
	u.rowBytes = edgeBytes + int64(len(keys)+2)*keyBytes + int64(len(d.edges.list))*columnBytes
	if may || u.names.NodesOf != "" { // both ends may be new nodes
		u.rowBytes += 2 * nodeBytes
	}
	u.noteUnread("edges", s, &d.edges, u.names.Source, u.names.Target, "score")
	label, group, moment, mark := s.optional(u.names.Label), s.optional(u.names.Group), s.optional(u.names.Time), s.optional("score")
	timeOf := func(cells schema.Row) (float64, error) { return u.names.TimeReader.Number(cells[moment]) }
	if date := s.optional(u.names.Date); date >= 0 {
		timeOf = func(cells schema.Row) (float64, error) { return u.names.TimeReader.Time(cells[date], cells[moment]) }
	}
	if mark >= 0 {
		if k, _ := d.edges.names.Find([]byte("score")); k >= 0 {
			mark = -1
		} else if p := d.marked(); p != nil {
			return nil, p
		}
	}
	if mark < 0 {
		label = -1 // all rows are predicted, so no label is known
	}
	return func(row int, cells schema.Row) *Problem {
		if row >= d.limits.Edges {
			return d.tooMany(false)
		}
		for k, name := range ends {
			id, p := u.id(cells[at[k]])
			if p != nil {
				return p.in(name)
			}
			v, p := u.node(u.names.Kinds.NodeID(k, id), may || u.names.NodesOf != "" && u.names.NodesOf != u.names.Kinds[k])
			if p != nil {
				return p.in(name)
			}
			g.Ends = append(g.Ends, v)
		}
		if mark >= 0 {
			text := cells[mark].String()
			is, err := strconv.ParseBool(text)
			if err != nil && text != "" {
				return wrong(strconv.Quote(text), "true or false").in("score")
			}
			d.score = append(d.score, is)
		}
		if moment >= 0 {
			v, err := timeOf(cells)
			if err != nil {
				return wrongCell(cells[moment], err).in(u.names.Time)
			}
			g.Time = append(g.Time, v)
		}
		if label >= 0 {
			if p := d.label(row, cells[label]); p != nil {
				return p.in(u.names.Label)
			}
		}
		u.addKeys(keys, cells)
		if group >= 0 {
			d.group(row, cells[group])
		}
		return fill(row, cells)
	}, nil
}

// sheet is a table being read.
type sheet struct {
	in     tablefile.Reader
	header []string
}

// optional is the index of a column by its name, ignoring case; -1 for none.
func (s *sheet) optional(name string) int {
	return slices.IndexFunc(s.header, func(have string) bool { return name != "" && strings.EqualFold(have, name) })
}

func (s *sheet) column(name string) (int, *Problem) {
	k := s.optional(name)
	if k < 0 {
		return k, wrong(fmt.Sprintf("the columns %q", s.header), fmt.Sprintf("one called %q", name))
	}
	return k, nil
}

// attributes finds the columns of attributes and returns a function that adds a row of cells to them. All must exist,
// unless has records which do.
func (s *sheet) attributes(c *columns, has []bool) (fill func(row int, cells schema.Row) *Problem, p *Problem) {
	at := make([]int, len(c.list))
	for k := range c.list {
		if at[k], p = s.column(c.list[k].Name); p != nil && has == nil {
			return nil, p
		} else if p != nil {
			continue
		}
		if has != nil {
			has[k] = true
		}
		name := s.header[at[k]]
		c.remarkName(k, name, name == c.list[k].Name)
	}
	return func(row int, cells schema.Row) *Problem {
		for k := range c.list {
			to := &c.list[k]
			c.add(to)
			if at[k] < 0 {
				continue
			}
			if p := to.set(row, cells[at[k]]); p != nil {
				return p.in(to.Name)
			}
		}
		return nil
	}, nil
}
