package learn

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/tensor"
)

// Extend returns the model for data with additional nodes. Their input is the features f, or zeros
// instead of learned vectors, and the messages of their neighbours.
func (m *GAE) Extend(d *links.Data, f *links.Features) *GAE {
	out := *m
	out.nodes = d.Nodes()
	if m.features != nil {
		out.features = sparseFeatures(d.Nodes(), f)
	} else {
		out.vectors = withRows(m.vectors, d.Nodes(), m.Config.Width)
	}
	return &out
}

// Extend returns the model for data with additional nodes. Their input is zeros instead of learned
// vectors, and the messages of their neighbours.
func (m *LightGCN) Extend(d *links.Data) *LightGCN {
	out := *m
	out.nodes, out.vectors = d.Nodes(), withRows(m.vectors, d.Nodes(), m.Config.Width)
	out.sources, out.targets = d.Ends()
	return &out
}

// withRows returns vectors with rows of zeros appended.
func withRows(p *tensor.Param, rows, width int) *tensor.Param {
	x := make([]float32, rows*width)
	copy(x, p.Value.Data())
	return &tensor.Param{Name: p.Name, Value: tensor.FromSlice(x, rows, width), Buffer: p.Buffer}
}

// Extend returns the model for data with additional nodes. Vectors of sources are solved from the
// targets of the training, vectors of additional targets from the sources.
func (m *IALS) Extend(d *links.Data) *IALS {
	out := NewIALS(d, m.Config)
	trained := len(m.Targets)
	out.Items, out.more = slices.Clone(m.Items), out.Targets[trained:]
	for _, v := range out.more {
		out.place[v] = -1 // not read when sources are solved
	}
	out.Targets = out.Targets[:trained]
	return out
}
