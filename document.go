package ehgnn

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/data/nodelink"
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
	if g.Node, err = columnsOf("node", m.schema.Nodes, len(d.Nodes), ofNode); err != nil {
		return nil, err
	}
	if g.Edge, err = columnsOf("edge", m.schema.Edges, len(d.Edges), ofEdge); err != nil {
		return nil, err
	}
	if t := m.settings.Data.Tables; t != nil && t.Encoder.Times != nil {
		times, err := columnsOf("edge", []Field{{Name: t.Encoder.Options.Time, Kind: task.KindNumber}}, len(d.Edges), ofEdge)
		if err != nil {
			return nil, err
		}
		g.Time = times[t.Encoder.Options.Time].(Numbers)
	}
	return g, nil
}

// columnsOf collects the attributes of n items that are in the schema; others are ignored.
func columnsOf(of string, fields []Field, n int, attributes func(i int) []nodelink.Attribute) (Columns, error) {
	numbers, texts := map[string]Numbers{}, map[string]Strings{}
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
			column := make(Strings, n)
			texts[f.Name], out[f.Name] = column, column
		}
	}
	for i := range n {
		for _, at := range attributes(i) {
			v := at.Value
			switch {
			case v.Kind == nodelink.Null:
			case texts[at.Name] != nil && v.Kind != nodelink.List && v.Kind != nodelink.Nested:
				texts[at.Name][i] = v.Text
			case numbers[at.Name] != nil && v.Kind == nodelink.Number:
				x, err := strconv.ParseFloat(v.Text, 64)
				if err != nil {
					return nil, fmt.Errorf("attribute %q of %s %d is %s, expected a number", at.Name, of, i, v.Text)
				}
				numbers[at.Name][i] = x
			case texts[at.Name] != nil || numbers[at.Name] != nil:
				return nil, fmt.Errorf("attribute %q of %s %d is %s, expected what the training had", at.Name, of, i, v.Kind)
			case v.Kind == nodelink.List: // a list has the columns NAME_0, NAME_1, ...
				for k, x := range v.List {
					if column := numbers[fmt.Sprintf("%s_%d", at.Name, k)]; column != nil {
						column[i] = x
					}
				}
			}
		}
	}
	return out, nil
}

// Example is the graph that the run folder keeps of its training part, and the file it is in:
// node-link JSON with the prediction as graph.prediction. Where the folder has none, as in runs
// of version 0.1, the error is fs.ErrNotExist.
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
