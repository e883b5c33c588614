package session

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/source"
)

// The memory of a job is estimated, not measured: the limit must hold before it starts.
// The estimate should be slightly above the memory of a job; a test compares it with
// measured jobs. In units of four bytes it is the sum of
//
//	rows of a batch    for each layer: rowsPerLayer rows of the hidden width for each node, and
//	                   half as many of the edge width for each edge (a quarter without edge layers)
//	features           of the batch and of all validation graphs, which stay collated, twice
//	costly models      times model.Spec.Cost
//	ensembles          times their members
//	superlinear parts  model.Spec.Loads of the batch, such as those of clusters or of line graphs
//	labelled edges     of one graph: RolesSize, in place of all above
//	parameters         five times: gradient, two moments, a copy of the best
//
// A batch is assumed to have its share of the nodes, plus the largest graph.
const (
	rowsPerLayer = 32
	jobBase      = 32 << 20 // buffers, sorted structures, garbage
)

// Estimate returns the memory of a training in bytes, and its work in arbitrary units. Work
// compares trainings of the same model: it does not include the cost of the model.
func (s *Session) Estimate() (memory int64, work float64) {
	set := s.Settings
	spec := s.Spec
	var all, training, valid sizes
	for _, g := range s.Data.Graphs() {
		all.Add(g)
	}
	for _, g := range s.Graphs(source.PartTrain) {
		training.Add(g)
	}
	for _, g := range s.Graphs(source.PartValid) {
		valid.Add(g)
	}
	batch := set.Train.BatchSize
	if batch <= 0 || batch > training.graphs {
		batch = training.graphs
	}
	share := float64(batch) / float64(max(training.graphs, 1))
	nodes, edges := share*float64(training.nodes), share*float64(training.edges)
	if training.graphs > 1 { // the graph of node classification is one batch
		nodes, edges = nodes+float64(all.maxNodes), edges+float64(all.maxEdges)
	}

	m := &set.Model
	size := func(name string) float64 { return float64(m.Largest(name)) }
	hidden, layers := size("hidden"), max(size("layers"), 1)
	edgeHidden := size("edge-hidden")
	if edgeHidden == 0 {
		edgeHidden = hidden
	}
	perEdge := 0.25
	if spec.Edges {
		perEdge = 0.5
	}
	floats := layers * rowsPerLayer * (nodes*hidden + perEdge*edges*edgeHidden) * max(spec.Cost, 1)
	floats += 2 * (nodes*float64(m.Node) + edges*float64(m.Edge))
	floats += 2 * (float64(valid.nodes)*float64(m.Node) + float64(valid.edges)*(float64(m.Edge)+8))
	members := float64(len(s.members()))
	floats *= members
	if bytes, ok := s.rolesMemory(); ok {
		floats = bytes / 4
	}
	for _, p := range s.Model.Params() {
		floats += 5 * float64(p.Value.Size())
	}
	work = float64(set.Train.Epochs) * (float64(training.nodes)*hidden + perEdge*float64(training.edges)*edgeHidden) * layers * members
	bytes := jobBase + 4*floats + s.demand(s.Parts[source.PartTrain], true).Memory
	return int64(min(bytes, math.MaxInt64/4)), work // so that sums do not overflow
}

// sizes has sums over graphs.
type sizes struct{ graphs, nodes, edges, maxNodes, maxEdges int }

func (s *sizes) Add(g *graph.Graph) {
	s.graphs++
	s.nodes += g.NumNodes
	s.edges += g.NumEdges()
	s.maxNodes, s.maxEdges = max(s.maxNodes, g.NumNodes), max(s.maxEdges, g.NumEdges())
}
