package learn

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/tensor"
)

// Extend is the model for data with further nodes, which have the features f or zeros for vectors and what
// their neighbours send.
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

// Extend is the model for data with further nodes, which have zeros for vectors and what their neighbours
// send.
func (m *LightGCN) Extend(d *links.Data) *LightGCN {
	out := *m
	out.nodes, out.vectors = d.Nodes(), withRows(m.vectors, d.Nodes(), m.Config.Width)
	out.sources, out.targets = d.Ends()
	return &out
}

// withRows are vectors with zeros behind them.
func withRows(p *tensor.Param, rows, width int) *tensor.Param {
	x := make([]float32, rows*width)
	copy(x, p.Value.Data())
	return &tensor.Param{Name: p.Name, Value: tensor.FromSlice(x, rows, width), Buffer: p.Buffer}
}

// Extend is the model for data with further nodes. Sources are solved from the targets of the training,
// further targets from the sources.
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
