package ehgnn

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Graph is a graph with attributes.
type Graph struct {
	NumNodes int
	// Ends holds the two nodes of each edge, one edge after the other. An undirected graph lists
	// each edge once. In a directed graph (Schema.Directed) an edge leads from its first node to
	// its second.
	Ends []int32
	// Node and Edge hold the attributes of Model.Schema by name, with one value for each node or
	// edge.
	Node, Edge Columns
	// Labels are the known labels of edges: Strings for classes, or Numbers in the unit of the
	// data. A label that is not known is empty or NaN. Labels may be nil. A run with label context
	// reads the label of an edge for the other edges, never for the edge itself or for an edge that
	// is the same. It takes the edges with a label for its training edges, as ehgnn predict
	// --context does, and counts structure columns on them. After a split by time an edge reads
	// only the labels of earlier edges; without Time all edges count as earlier. A run without
	// label context refuses labels.
	Labels Values
	// Groups are the groups of the edges, empty where missing. They may be nil. After a split by
	// group (--split group) an edge reads no label of its own group. Other runs refuse groups.
	Groups Strings
	// Time holds the times of the edges, NaN where missing: in seconds since 1970, or in the unit
	// of the training tables if that unit is not known. Runs with columns of time or with label
	// context read it, other runs refuse it.
	Time Numbers
	// NodeNames are the names of the nodes. Model.Explain writes them and takes them for an item.
	// If nil, nodes are called by their numbers.
	NodeNames []string
	// Remarks say how the graph was read, for example that a name has another case than in
	// training. Predictions repeat them.
	Remarks []string
}

// Columns are attributes by name.
type Columns map[string]Values

// Values are the values of one attribute: Numbers, Strings, Codes or *Categories.
type Values interface{ rows() int }

// Numbers are numbers, or codes of categories; NaN where missing.
type Numbers []float64

// Strings are categories, or sets of values in the notation of the training data; empty where
// missing.
type Strings []string

// Codes are categories by their places in Field.Values: -1 where missing, UnseenCode for a category
// that training lacks. They take less memory than Strings. An attribute with several values needs
// Strings.
type Codes []int32

// UnseenCode is the code of a category that does not occur in training.
const UnseenCode = schema.Unseen

// Categories are Codes that were read from cells.
type Categories struct {
	Codes
	// Example is the first category that does not occur in training.
	Example string
}

// Read reads the category of a node or an edge.
func (c *Categories) Read(row int, cell schema.Cell, by *schema.FieldReader) (err error) {
	c.Codes[row], err = by.Code(cell)
	if c.Codes[row] == UnseenCode && c.Example == "" {
		c.Example = by.Key(cell)
	}
	return err
}

func (n Numbers) rows() int { return len(n) }
func (s Strings) rows() int { return len(s) }
func (c Codes) rows() int   { return len(c) }

// AttributeError says what is wrong with an attribute of nodes or edges.
type AttributeError struct {
	Of, Name string // "node" or "edge", and the name of the attribute
	Row      int    // number of the node or edge; -1 for the attribute as a whole
	Found    string
	Expected string
}

func (e *AttributeError) Error() string {
	if e.Row < 0 {
		return fmt.Sprintf("%s attribute %q %s; expected %s", e.Of, e.Name, e.Found, e.Expected)
	}
	return fmt.Sprintf("%s attribute %q is %s for %s %d, expected %s", e.Of, e.Name, e.Found, e.Of, e.Row, e.Expected)
}

// encode makes the features of a graph. It returns the number of categories that do not occur in
// training and the remarks on the graph.
func (m *Model) encode(g *Graph) (out *graph.Graph, unseen []Unseen, said []string, err error) {
	if g == nil {
		return nil, nil, nil, errors.New("the graph is nil")
	}
	to := graph.Graph{NumNodes: g.NumNodes, Ends: g.Ends, Directed: m.schema.Directed, Label: graph.NoLabel}
	if g.NumNodes < 0 || len(g.Ends)%2 != 0 {
		return nil, nil, nil, fmt.Errorf("%d nodes and %d ends of edges, expected 0 or more nodes and two ends an edge", g.NumNodes, len(g.Ends))
	}
	for i, v := range g.Ends {
		if v < 0 || int(v) >= g.NumNodes {
			return nil, nil, nil, fmt.Errorf("edge %d ends in node %d, expected 0 to %d", i/2, v, g.NumNodes-1)
		}
	}
	said = slices.Clone(g.Remarks)
	e := encoder{graph: g, directed: m.schema.Directed, table: m.settings.Data.Tables != nil, readers: m.readers}
	if to.Node, err = e.features("node", m.schema.Nodes, g.Node, g.NumNodes); err != nil {
		return nil, nil, nil, err
	}
	if to.Edge, err = e.features("edge", m.schema.Edges, g.Edge, len(g.Ends)/2); err != nil {
		return nil, nil, nil, err
	}
	if err := m.checkGroups(g); err != nil {
		return nil, nil, nil, err
	}
	if err := m.checkTimes(g); err != nil {
		return nil, nil, nil, err
	}
	var known []int32 // edges that structure columns count; nil for all
	if g.Labels != nil {
		remark := ""
		if known, remark, err = m.show(g, &to, e.raw); err != nil {
			return nil, nil, nil, err
		}
		if remark != "" {
			said = append(said, remark)
		}
	}
	if t := m.settings.Data.Tables; t != nil {
		if to.Edge, err = t.Encoder.WithStructure(to.Edge, g.NumNodes, g.Ends, known, m.threads); err != nil {
			return nil, nil, nil, err
		}
	}
	if to.Edge, err = m.times(g, to, known); err != nil {
		return nil, nil, nil, err
	}
	if g.NodeNames != nil && len(g.NodeNames) != g.NumNodes {
		return nil, nil, nil, fmt.Errorf("%d names for %d nodes", len(g.NodeNames), g.NumNodes)
	}
	out, err = graph.New(to)
	return out, e.unseen, said, err
}

// encoder turns attributes of a graph into features.
type encoder struct {
	graph    *Graph
	directed bool
	table    bool // the run is on tables: numbers are bounded
	readers  map[fieldOf]*schema.FieldReader
	unseen   []Unseen
	raw      []*tables.Column // attributes of edges before they are scaled
}

// features returns the features of n rows for the fields of a schema: numbers first, then codes.
func (e *encoder) features(of string, fields []settings.Field, columns Columns, n int) (graph.Features, error) {
	var out graph.Features
	known := map[string]bool{}
	var numbers []func(row int) float32
	var codes []func(row int) (int32, error)
	var unseen []*Unseen
	for _, f := range fields {
		switch f.Kind {
		case settings.KindStructure, settings.KindTime: // added after the others
			continue
		case settings.KindConstant:
			out.Codes = append(out.Codes, 1)
			codes = append(codes, func(int) (int32, error) { return 0, nil })
			continue
		case settings.KindDegree:
			degree := e.degrees()
			if f.Width == 0 {
				out.Dim++
				numbers = append(numbers, func(row int) float32 { return scaled(float64(degree[row]), f, false) })
				continue
			}
			out.Codes = append(out.Codes, f.Width)
			codes = append(codes, func(row int) (int32, error) {
				if int(degree[row]) >= f.Width {
					return 0, fmt.Errorf("node %d has degree %d, expected at most %d, that of the training", row, degree[row], f.Width-1)
				}
				return degree[row], nil
			})
			continue
		}
		known[f.Name] = true
		c, ok := columns[f.Name]
		if !ok {
			return out, &AttributeError{of, f.Name, -1, "is missing", describe(fields)}
		}
		if c.rows() != n {
			return out, &AttributeError{of, f.Name, -1, fmt.Sprintf("has %d values for %d %ss", c.rows(), n, of), "one each"}
		}
		number, isNumber := c.(Numbers)
		text, isText := c.(Strings)
		if isText && f.Kind == settings.KindNumber && e.table {
			var err error
			if number, err = e.numbers(of, f, text); err != nil {
				return out, err
			}
			isNumber = true
		}
		read, isCode := c.(*Categories)
		if plain, ok := c.(Codes); ok {
			read, isCode = &Categories{Codes: plain}, true
		}
		switch {
		case f.IsSet() && (isText || isNumber):
			to := newCategoryColumn(of, f, n)
			parts, err := to.parts(c, e.readers[fieldOf{of, f.Name}])
			if err != nil {
				return out, err
			}
			if unseen = append(unseen, &to.unseen); of == "edge" {
				e.raw = append(e.raw, &tables.Column{Code: to.raw})
			}
			out.Codes = append(out.Codes, f.CodeWidths()...)
			for k := range f.Values {
				codes = append(codes, func(row int) (int32, error) { return parts[row*len(f.Values)+k], nil })
			}
		case !f.IsSet() && f.Kind == settings.KindCategory && (isCode || isText || isNumber):
			out.Codes = append(out.Codes, max(f.Width, 1))
			to := newCategoryColumn(of, f, n)
			if unseen = append(unseen, &to.unseen); of == "edge" {
				e.raw = append(e.raw, &tables.Column{Code: to.raw})
			}
			if isCode {
				to.unseen.Example = read.Example
				codes = append(codes, to.places(read.Codes))
			} else {
				codes = append(codes, to.cells(c, e.readers[fieldOf{of, f.Name}]))
			}
		case f.Kind == settings.KindCode && isNumber:
			out.Codes = append(out.Codes, f.Width)
			codes = append(codes, code(of, f, number))
		case f.Kind == settings.KindNumber && isNumber:
			for row, v := range number {
				if math.Abs(v) > math.MaxFloat32 || math.IsNaN(v) && !e.table {
					return out, &AttributeError{of, f.Name, row, fmt.Sprint(v), "a finite number"}
				}
			}
			out.Dim++
			numbers = append(numbers, func(row int) float32 { return scaled(number[row], f, e.table) })
			if of == "edge" {
				e.raw = append(e.raw, &tables.Column{Value: number})
			}
			if f.Gaps {
				out.Codes = append(out.Codes, 1)
				codes = append(codes, func(row int) (int32, error) {
					if math.IsNaN(number[row]) {
						return 0, nil
					}
					return -1, nil
				})
			}
		default:
			return out, &AttributeError{of, f.Name, -1, fmt.Sprintf("holds %T", c), describe([]settings.Field{f})}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if !known[name] {
			return out, &AttributeError{of, name, -1, "is unknown", describe(fields)}
		}
	}
	out.Dense = make([]float32, 0, n*out.Dim)
	out.Code = make([]int32, 0, n*len(out.Codes))
	for row := range n {
		for _, f := range numbers {
			out.Dense = append(out.Dense, f(row))
		}
		for _, f := range codes {
			c, err := f(row)
			if err != nil {
				return out, err
			}
			out.Code = append(out.Code, c)
		}
	}
	for _, u := range unseen {
		if u.Rows > 0 {
			e.unseen = append(e.unseen, *u)
		}
	}
	return out, nil
}

// scaled standardises a number as in training. A missing number becomes 0.
func scaled(v float64, f settings.Field, table bool) float32 {
	if !table {
		v = float64(float32(v)) // as the readers of graphs store it
	}
	return f.Standard(v)
}

// fieldOf identifies a field by "node" or "edge" and its name.
type fieldOf struct{ of, name string }

// readersOf returns the readers of the attributes that a run reads as text.
func readersOf(s Schema) map[fieldOf]*schema.FieldReader {
	out := map[fieldOf]*schema.FieldReader{}
	for of, fields := range map[string][]Field{"node": s.Nodes, "edge": s.Edges} {
		for i := range fields {
			if f := &fields[i]; f.Kind == settings.KindCategory || f.Kind == settings.KindNumber {
				out[fieldOf{of, f.Name}] = schema.NewFieldReader(f)
			}
		}
	}
	return out
}

// Reader returns the reader of an attribute of nodes ("node") or edges ("edge"). It reads a cell as
// training read it. It is nil for an attribute that the run does not read.
func (m *Model) Reader(of, name string) *schema.FieldReader { return m.readers[fieldOf{of, name}] }

// numbers reads numbers in the notation of the run's data.
func (e *encoder) numbers(of string, f settings.Field, values Strings) (Numbers, error) {
	out := make(Numbers, len(values))
	for row, text := range values {
		v, err := e.readers[fieldOf{of, f.Name}].Number(schema.TextCell(text))
		if err != nil {
			return nil, &AttributeError{of, f.Name, row, strconv.Quote(text), "a number as in training: it " + err.Error()}
		}
		out[row] = v
	}
	return out, nil
}

// code returns a function that turns a label into its code. A label outside the range of training
// is an error.
func code(of string, f settings.Field, values Numbers) func(row int) (int32, error) {
	return func(row int) (int32, error) {
		c := values[row] - float64(f.Offset)
		if math.IsNaN(c) {
			return 0, &AttributeError{of, f.Name, row, "missing", codeRange(f)}
		}
		if c != math.Trunc(c) || !(c >= 0 && c < float64(f.Width)) {
			return 0, &AttributeError{of, f.Name, row, fmt.Sprint(values[row]), codeRange(f)}
		}
		return int32(c), nil
	}
}

// codeRange says which labels a field accepts.
func codeRange(f settings.Field) string {
	return fmt.Sprintf("a whole number from %d to %d", f.Offset, f.Offset+f.Width-1)
}

// degrees counts the edges at each node, or in a directed graph the edges that leave it. Self-loops
// do not count, because readers drop them.
func (e *encoder) degrees() []int32 {
	out := make([]int32, e.graph.NumNodes)
	for i := 0; i+1 < len(e.graph.Ends); i += 2 {
		u, v := e.graph.Ends[i], e.graph.Ends[i+1]
		if u == v {
			continue
		}
		out[u]++
		if !e.directed {
			out[v]++
		}
	}
	return out
}

// describe lists fields for an error message.
func describe(fields []settings.Field) string {
	var out []string
	for _, f := range fields {
		switch f.Kind {
		case settings.KindNumber:
			out = append(out, fmt.Sprintf("%q (Numbers)", f.Name))
		case settings.KindCode:
			out = append(out, fmt.Sprintf("%q (Numbers from %d to %d)", f.Name, f.Offset, f.Offset+f.Width-1))
		case settings.KindCategory:
			out = append(out, fmt.Sprintf("%q (Strings)", f.Name))
		}
	}
	if out == nil {
		return "no attributes"
	}
	return strings.Join(out, ", ")
}

// checkTimes refuses times whose number is wrong, and times that the run does not read.
func (m *Model) checkTimes(g *Graph) error {
	t := m.settings.Data.Tables
	columns := t != nil && t.Encoder.Times != nil
	switch edges := len(g.Ends) / 2; {
	case !columns && m.settings.Model.Context == nil && g.Time != nil:
		return errors.New("times of edges are given, and the run reads none")
	case (columns || g.Time != nil) && len(g.Time) != edges:
		return fmt.Errorf("%d times for %d edges, expected one each, NaN where missing", len(g.Time), edges)
	}
	return nil
}

// times adds the columns of time to the features of edges, if the run has any.
func (m *Model) times(g *Graph, to graph.Graph, known []int32) (graph.Features, error) {
	t := m.settings.Data.Tables
	if t == nil || t.Encoder.Times == nil {
		return to.Edge, nil
	}
	return t.Encoder.WithTimes(to.Edge, g.NumNodes, g.Ends, g.Time, known, m.threads)
}
