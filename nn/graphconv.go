package nn

// NewGraphConv returns the layer of higher-order graph networks' first order,
//
//	x'_v = W_rel·Σ(w_e·x_u : u→v along e) + b + W_root·x_v
//
// which is SAGE with the sum under parameter names of its own: lin_rel.weight,
// lin_rel.bias, lin_root.weight. Shapes, weights, self-loops and hypergraphs are
// as in SAGE. A vertex that nothing reaches keeps its root term.
//
// Morris et al. 2019, equation 4; names as in PyTorch Geometric's GraphConv.
func NewGraphConv(in Init, dimIn, dimOut int) *SAGE {
	s := &SAGE{SAGEConfig: SAGEConfig{Aggregate: AggregateSum},
		Neighbours: NewLinear(in.In("lin_rel"), dimIn, dimOut), Root: NewLinear(in.In("lin_root"), dimIn, dimOut)}
	s.Root.Bias = nil
	return s
}
