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
	"github.com/ehgnn/ehgnn/internal/session"
)

// Document converts a document of node-link JSON to a graph. It keeps the attributes that the run
// reads and leaves out the others. A run on tables also reads times, labels and groups of edges:
// the attributes with the names of their columns.
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
	if g.Node, err = m.columnsOf(g, "node", m.schema.Nodes, len(d.Nodes), ofNode); err != nil {
		return nil, err
	}
	if g.Edge, err = m.columnsOf(g, "edge", m.schema.Edges, len(d.Edges), ofEdge); err != nil {
		return nil, err
	}
	if err := m.documentRoles(g, d); err != nil {
		return nil, err
	}
	return g, nil
}

// Example returns the example graph of the run folder, which is from the training set, and the text
// of its file: node-link JSON with the prediction as graph.prediction. If the folder has no
// example, the error is fs.ErrNotExist.
func (m *Model) Example() (g *Graph, text []byte, err error) {
	path := filepath.Join(m.dir, session.ExampleFile)
	if m.files != nil {
		text = m.files[session.ExampleFile]
	} else if text, err = os.ReadFile(path); err != nil {
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

// Check predicts for the example of the run folder. It returns an error if a number is not finite,
// for example because weights are damaged.
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
