package model

// Registry lists every model, in the order help shows them.
var Registry = []Spec{
	{
		Name: "hyperdrop", Title: "EHGNN edge layers, edges dropped by score, GCN over the kept edges",
		Paper: "Jo et al., Edge Representation Learning with Hypergraphs, NeurIPS 2021",
		Tasks: []string{"graph-classification"},
		New:   func(c Config) (Model, error) { return built(NewHyperDrop(c)) },
	},
	{
		Name: "hypercluster", Title: "EHGNN edge autoencoder, edges clustered to a few vectors and back",
		Paper: "Jo et al., Edge Representation Learning with Hypergraphs, NeurIPS 2021",
		Tasks: []string{"edge-reconstruction"},
		New:   func(c Config) (Model, error) { return built(NewHyperCluster(c)) },
	},
	{
		Name: "gcn", Title: "GCN layers, jumping knowledge, mean readout; sees no edge features",
		Paper: "Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017",
		Tasks: []string{"graph-classification"},
		New:   func(c Config) (Model, error) { return built(NewFlat(c, "gcn", "mean")) },
	},
}

// built makes a constructor's result a Model: nil on an error, where the typed
// nil pointer would be a Model that is not nil.
func built[M Model](m M, err error) (Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
