package model

import (
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
)

// GraphSize is what of a graph decides the memory and the time that a model takes for it.
type GraphSize struct {
	Nodes, Edges float64
	Pairs        float64 // of edges that share a node, Σ d(d-1)/2
	Chains       float64 // of edges of which one starts where the other ends, Σ in·out; Pairs of an undirected graph
	Degree       float64 // the largest
	Squares      float64 // Σ (d+1)²
}

// SizeOf measures a graph.
func SizeOf(g *graph.Graph) GraphSize {
	degree, out := make([]int32, g.NumNodes), make([]int32, g.NumNodes)
	for i := 0; i < len(g.Ends); i += 2 {
		degree[g.Ends[i]]++
		out[g.Ends[i]]++
		if g.Ends[i] != g.Ends[i+1] {
			degree[g.Ends[i+1]]++
		}
	}
	s := GraphSize{Nodes: float64(g.NumNodes), Edges: float64(g.NumEdges())}
	for v, d := range degree {
		d, out := float64(d), float64(out[v])
		s.Chains += out * (d - out)
		s.Pairs += d * (d - 1) / 2
		s.Squares += (d + 1) * (d + 1)
		s.Degree = max(s.Degree, d)
	}
	if !g.Directed {
		s.Chains = s.Pairs
	}
	return s
}

// Load is what a model takes for a graph. Memory leaves out what grows with nodes and edges
// alone; Least holds a part of that.
type Load struct {
	Least   float64 // bytes without which the graph cannot be computed
	Memory  float64 // bytes that training takes, about
	Seconds float64 // of the first pass, on one thread, about; 0 for what takes few
}

// Add returns the loads of two graphs, or of two models, together.
func (l Load) Add(o Load) Load {
	return Load{l.Least + o.Least, l.Memory + o.Memory, l.Seconds + o.Seconds}
}

// Bytes that were measured, each for what is named. Those of leasts are well below what
// even a pass without gradients takes.
const (
	linePair, leastLinePair       = 130, 40  // pair of edges that share a node, in a layer on the line graph
	clusterShare, leastShare      = 12, 1    // float32s for an item and a cluster, or for two clusters
	asapReach, leastReach         = 25, 8    // node and a cluster that it reaches, in ASAP
	asapPair, leastPair           = 650, 100 // two clusters that are joined, in ASAP
	spectralSeconds, spectralSize = 6e-4, 512.0
)

// Loads returns what the model takes for a graph of some size; training keeps more than use
// does. Settings are looked up once, as there may be many graphs.
func (s Spec) Loads(c Config, training bool) func(g GraphSize) Load {
	var parts []func(g GraphSize) Load
	for i, one := range s.models() {
		if i < len(c.Parts) {
			parts = append(parts, one.loads(&Config{Dims: c.Dims, Parts: c.Parts[i : i+1]}, training))
		}
	}
	members := 1.0 // one member after the other, though results stay
	if training {
		members = float64(max(c.Members, 1))
	}
	return func(g GraphSize) Load {
		var sum Load
		for _, load := range parts {
			sum = sum.Add(load(g))
		}
		return Load{members * sum.Least, members * sum.Memory, members * sum.Seconds}
	}
}

// loads is Loads for a model that is no committee.
func (s Spec) loads(c *Config, training bool) func(g GraphSize) Load {
	size := func(name string) float64 {
		if at := c.At(name); at != nil {
			return float64(*at[0].(*int))
		}
		return 0
	}
	hidden, layers := size("hidden"), max(size("layers"), 1)
	if !training {
		layers = 1 // the rows of one layer can go when those of the next are there
	}
	_, flat := c.Parts[0].(*FlatConfig)
	rows := flat || s.Form != nil || c.At("conv") != nil // nodes have rows of the hidden width
	line, lineWidth := false, 0
	if at := c.At("edge-conv"); at != nil && size("layers") > 1 {
		var name string
		if name, line = strings.CutPrefix(*at[0].(*string), nn.LinePrefix); line {
			if spec, err := nn.FindConv(name); err == nil && spec.Edges { // rows of node features
				lineWidth = max(c.Node, int(hidden))
			}
		}
	}
	clusters, nodeClusters := size("clusters"), size("node-clusters")
	return func(g GraphSize) Load {
		var l Load
		if rows {
			l.Least += 4 * layers * g.Nodes * hidden
		}
		if line {
			l.Least += leastLinePair * g.Pairs
			l.Memory += linePair*g.Pairs + 4*8*float64(lineWidth)*g.Pairs
		}
		if k := clusters; k > 0 {
			items, pairs := g.Nodes, k*k
			if s.EdgeClusters {
				items, pairs = g.Edges, 0
			}
			l.Least += 4 * leastShare * (items*k + pairs)
			l.Memory += 4 * clusterShare * (items*k + pairs)
		}
		if k := nodeClusters; k > 0 {
			l.Least += 4 * leastShare * g.Nodes * k
			l.Memory += 4 * clusterShare * g.Nodes * k
		}
		if s.grows != nil {
			l = l.Add(s.grows(c, g))
		}
		return l
	}
}

// asapLoad is that of clusters around every node, the fittest of which are kept. A node of
// degree d is in d+1 of them. How many of those are kept is known only where nearly all
// clusters meet at a node, as in a star; else the share is taken that is kept overall.
func asapLoad(c *Config, g GraphSize) Load {
	ratio := 1.0
	if at := c.At("ratio"); at != nil {
		ratio = *at[0].(*float64)
	}
	kept := ratio * g.Nodes
	sure := max(0, g.Degree+1-(g.Nodes-kept)) // kept clusters that share the largest hub
	reach := min(g.Nodes*kept, ratio*g.Squares)
	joined := min(kept*kept, ratio*reach*(1+2*g.Edges/max(g.Nodes, 1)))
	l := Load{Least: leastReach * (g.Degree + 1) * sure, Memory: asapReach * reach}
	if *c.At("layers")[0].(*int) > 1 {
		l.Least += leastPair * sure * sure
		l.Memory += asapPair * joined
	}
	return l
}

// haarLoad is that of the eigenvectors of parts of spectralSize nodes.
func haarLoad(_ *Config, g GraphSize) Load {
	part := min(g.Nodes, spectralSize) / spectralSize
	return Load{Seconds: spectralSeconds * g.Nodes * part * part}
}
