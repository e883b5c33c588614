package ehgnn

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/task"
)

// Document is the graph of a document of node-link JSON, with the attributes that the run
// reads; others are left out. Where the run reads times of edges, they are the numbers of the
// attribute that its tables had them in.
func (m *Model) Document(d *nodelink.Document) (*Graph, error) {
	if d.Directed != m.schema.Directed {
		return nil, fmt.Errorf("directed is %v, which the graphs of the training were not", d.Directed)
	}
	g := &Graph{NumNodes: len(d.Nodes), Ends: make([]int32, 0, 2*len(d.Edges))}
	for _, e := range d.Edges {
		g.Ends = append(g.Ends, e.Source, e.Target)
	}
	ofNode := func(i int) []nodelink.Attribute { return d.Nodes[i].Attributes }
	ofEdge := func(i int) []nodelink.Attribute { return d.Edges[i].Attributes }
	var err error
	if g.Node, err = m.columnsOf("node", m.schema.Nodes, len(d.Nodes), ofNode); err != nil {
		return nil, err
	}
	if g.Edge, err = m.columnsOf("edge", m.schema.Edges, len(d.Edges), ofEdge); err != nil {
		return nil, err
	}
	if names, ok := m.Tables(); ok && m.settings.Data.Tables.Encoder.Times != nil {
		g.Time = make(Numbers, len(d.Edges))
		for i := range g.Time {
			g.Time[i] = math.NaN()
			for _, at := range d.Edges[i].Attributes {
				if at.Name != names.Time {
					continue
				}
				cell, err := at.Value.Cell()
				if err == nil {
					g.Time[i], err = names.TimeReader.Number(cell)
				}
				if err != nil {
					return nil, fmt.Errorf("attribute %q of edge %d %w", at.Name, i, err)
				}
			}
		}
	}
	return g, nil
}

// columnsOf collects the attributes of n items that are in the schema; others are ignored.
func (m *Model) columnsOf(of string, fields []Field, n int, attributes func(i int) []nodelink.Attribute) (Columns, error) {
	numbers, codes := map[string]Numbers{}, map[string]Codes{}
	out := Columns{}
	for _, f := range fields {
		switch f.Kind {
		case task.KindNumber, task.KindCode:
			column := make(Numbers, n)
			for i := range column {
				column[i] = math.NaN()
			}
			numbers[f.Name], out[f.Name] = column, column
		case task.KindCategory:
			column := make(Codes, n)
			for i := range column {
				column[i] = -1
			}
			codes[f.Name], out[f.Name] = column, column
		}
	}
	for i := range n {
		for _, at := range attributes(i) {
			v := at.Value
			switch number, code := numbers[at.Name], codes[at.Name]; {
			case v.Kind == nodelink.Null:
			case number == nil && code == nil && v.Kind == nodelink.List: // a list has the columns NAME_0, NAME_1, ...
				for k, x := range v.List {
					if column := numbers[fmt.Sprintf("%s_%d", at.Name, k)]; column != nil {
						column[i] = x
					}
				}
			case number == nil && code == nil:
			case v.Kind == nodelink.List || v.Kind == nodelink.Nested:
				return nil, fmt.Errorf("attribute %q of %s %d is %s, expected what the training had", at.Name, of, i, v.Kind)
			default:
				if err := m.readValue(of, at, number, code, i); err != nil {
					return nil, fmt.Errorf("attribute %q of %s %d %w", at.Name, of, i, err)
				}
			}
		}
	}
	return out, nil
}

// readValue reads the value of an item into the column of its attribute.
func (m *Model) readValue(of string, at nodelink.Attribute, number Numbers, code Codes, i int) error {
	cell, err := at.Value.Cell()
	if err != nil {
		return err
	}
	switch reader := m.Reader(of, at.Name); {
	case code != nil:
		code[i], err = reader.Code(cell)
	case reader != nil:
		number[i], err = reader.Number(cell)
	case cell.Kind == schema.Integer || cell.Kind == schema.Number:
		number[i] = cell.Number
	default:
		err = fmt.Errorf("is %s, expected a number", at.Value.Kind)
	}
	return err
}

// Example is the graph that the run folder keeps of its training part, and the file it is in:
// node-link JSON with the prediction as graph.prediction. Where the folder has none, the error is
// fs.ErrNotExist.
func (m *Model) Example() (g *Graph, text []byte, err error) {
	path := filepath.Join(m.dir, task.ExampleFile)
	if text, err = os.ReadFile(path); err != nil {
		return nil, nil, fmt.Errorf("ehgnn: %w", err)
	}
	for d, err := range nodelink.Documents(bytes.NewReader(text), path, nodelink.Options{}) {
		if err != nil {
			return nil, nil, fmt.Errorf("ehgnn: %w", err)
		}
		if g, err = m.Document(d); err != nil {
			return nil, nil, fmt.Errorf("ehgnn: %s: %w", path, err)
		}
		break
	}
	return g, text, nil
}

// Check predicts for the example of the run folder and refuses numbers that are not finite, as
// those of damaged weights.
func (m *Model) Check(ctx context.Context) error {
	g, _, err := m.Example()
	if err != nil {
		return err
	}
	ps, err := m.Predict(ctx, g)
	if err != nil {
		return err
	}
	for _, x := range slices.Concat([]Item{ps[0].Item}, ps[0].Nodes, ps[0].Edges) {
		for _, v := range slices.Concat(x.Probabilities, x.Values) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("ehgnn: %s predicts %v for its example, expected a finite number", m.dir, v)
			}
		}
	}
	return nil
}
