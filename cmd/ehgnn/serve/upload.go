package serve

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/task"
)

// tables reads a graph from the parts edges and nodes of a form, which are CSV with the columns
// of the training. Without nodes they are those that edges name. A column score marks the edges
// that are asked for.
func (d *decoder) tables(boundary string) (decoded, *Problem) {
	if d.names == (ehgnn.TableColumns{}) {
		return decoded{}, problemf(http.StatusUnsupportedMediaType, "the run was not trained on tables, expected application/json or application/x-ndjson")
	}
	parts := map[string][]byte{}
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
		name := part.FormName()
		if _, twice := parts[name]; twice || name != "edges" && name != "nodes" {
			return decoded{}, wrong(fmt.Sprintf("the part %q", name), `"edges" and, if there are attributes of nodes, "nodes", once each`)
		}
		parts[name] = text
	}
	if parts["edges"] == nil {
		return decoded{}, wrong(`no part "edges"`, "a table of edges as CSV")
	}
	d.score = nil
	d.graph = ehgnn.Graph{Node: d.nodes.clear(), Edge: d.edges.clear()}
	u := &upload{d: d, names: d.names, rows: map[string]int32{}}
	if text, ok := parts["nodes"]; ok {
		if p := u.readNodes(text); p != nil {
			return decoded{}, p.in("nodes")
		}
	} else if len(d.nodes.list) > 0 {
		return decoded{}, wrong(`no part "nodes"`, "a table of nodes with "+d.nodes.wanted())
	}
	if p := u.readEdges(parts["edges"], parts["nodes"] == nil); p != nil {
		return decoded{}, p.in("edges")
	}
	d.graph.NumNodes = len(u.ids)
	if d.names.Names || d.named {
		d.graph.NodeNames = u.ids
	}
	return decoded{Graph: &d.graph, score: d.score}, d.admit()
}

// upload is a graph that comes as tables.
type upload struct {
	d     *decoder
	names ehgnn.TableColumns
	rows  map[string]int32 // of nodes, by id
	ids   []string
}

// node is the row of a node; new ones are added where they may be.
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

func (u *upload) readNodes(text []byte) *Problem {
	s, p := newSheet(text)
	if p != nil {
		return p
	}
	id, p := s.column(u.names.NodeID)
	if p != nil {
		return p
	}
	fill, p := s.attributes(&u.d.nodes)
	if p != nil {
		return p
	}
	return s.each(func(row int, cells []string) *Problem {
		if at, p := u.node(cells[id], true); p != nil || int(at) != row {
			if p == nil {
				p = wrong(strconv.Quote(cells[id])+", the id of node "+strconv.Itoa(int(at)), "an id of its own")
			}
			return p.in(u.names.NodeID)
		}
		return fill(row, cells)
	})
}

func (u *upload) readEdges(text []byte, may bool) *Problem {
	s, p := newSheet(text)
	if p != nil {
		return p
	}
	d, g := u.d, &u.d.graph
	var ends [2]int
	for k, name := range []string{u.names.Source, u.names.Target} {
		if ends[k], p = s.column(name); p != nil {
			return p
		}
	}
	fill, p := s.attributes(&d.edges)
	if p != nil {
		return p
	}
	label, time, mark := s.optional(u.names.Label), s.optional(u.names.Time), s.optional("score")
	if mark >= 0 {
		if _, feature := d.edges.index["score"]; feature {
			mark = -1
		} else if p := d.marked(); p != nil {
			return p
		}
	}
	numbers := d.run.model.Numbers()
	var labels struct {
		texts   ehgnn.Strings
		numbers ehgnn.Numbers
	}
	p = s.each(func(row int, cells []string) *Problem {
		if row >= d.limits.Edges {
			return d.tooMany(false)
		}
		for k, name := range []string{u.names.Source, u.names.Target} {
			v, p := u.node(cells[ends[k]], may)
			if p != nil {
				return p.in(name)
			}
			g.Ends = append(g.Ends, v)
		}
		if mark >= 0 {
			is, err := strconv.ParseBool(cells[mark])
			if err != nil && cells[mark] != "" {
				return wrong(strconv.Quote(cells[mark]), "true or false").in("score")
			}
			d.score = append(d.score, is)
		}
		if time >= 0 {
			v, p := number(cells[time])
			if p != nil {
				return p.in(u.names.Time)
			}
			g.Time = append(g.Time, v)
		}
		switch {
		case label < 0:
		case numbers:
			v, p := number(cells[label])
			if p != nil {
				return p.in(u.names.Label)
			}
			labels.numbers = append(labels.numbers, v)
		default:
			labels.texts = append(labels.texts, strings.Clone(cells[label]))
		}
		return fill(row, cells)
	})
	switch {
	case label < 0:
	case numbers:
		g.Labels = labels.numbers
	default:
		g.Labels = labels.texts
	}
	return p
}

// sheet is a table as CSV.
type sheet struct {
	in     *csv.Reader
	header []string
}

func newSheet(text []byte) (*sheet, *Problem) {
	s := &sheet{in: csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))}
	header, err := s.in.Read()
	if err != nil {
		return nil, problemf(http.StatusBadRequest, "not CSV: %v", err)
	}
	s.header, s.in.ReuseRecord = header, true
	return s, nil
}

// optional is the place of a column, named without regard to case; -1 for none.
func (s *sheet) optional(name string) int {
	for k, have := range s.header {
		if name != "" && strings.EqualFold(have, name) {
			return k
		}
	}
	return -1
}

func (s *sheet) column(name string) (int, *Problem) {
	k := s.optional(name)
	if k < 0 {
		return k, wrong(fmt.Sprintf("the columns %q", s.header), fmt.Sprintf("one called %q", name))
	}
	return k, nil
}

// attributes begins the columns of attributes, all of which there must be, and returns what
// adds a row of cells to them.
func (s *sheet) attributes(c *columns) (fill func(row int, cells []string) *Problem, p *Problem) {
	at := make([]int, len(c.list))
	for k := range c.list {
		if at[k], p = s.column(c.list[k].Name); p != nil {
			return nil, p
		}
		c.begin(k, 0)
	}
	return func(_ int, cells []string) *Problem {
		for k := range c.list {
			to, text := &c.list[k], cells[at[k]]
			if to.Kind != task.KindCategory {
				v, p := number(text)
				if p != nil {
					return p.in(to.Name)
				}
				to.numbers = append(to.numbers, v)
				c.out[to.Name] = to.numbers
				continue
			}
			code := int32(-1)
			if text != "" {
				code = placeOf(to.Values, []byte(text))
			}
			to.codes = append(to.codes, code)
			c.out[to.Name] = to.codes
		}
		return nil
	}, nil
}

// each reads the rows. Problems get the number of the row before their pointer.
func (s *sheet) each(row func(i int, cells []string) *Problem) *Problem {
	for i := 0; ; i++ {
		cells, err := s.in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return problemf(http.StatusBadRequest, "not CSV: %v", err)
		}
		if p := row(i, cells); p != nil {
			return p.at(i)
		}
	}
}

// number reads a number, NaN for an empty cell.
func number(text string) (float64, *Problem) {
	if text = strings.TrimSpace(text); text == "" {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, wrong(strconv.Quote(shortened([]byte(text))), "a number")
	}
	return v, nil
}
