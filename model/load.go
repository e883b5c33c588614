package model

import (
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
)

// GraphSize has the numbers of a graph that determine the memory and time of a model.
type GraphSize struct {
	Nodes, Edges float64
	Pairs        float64 // pairs of edges that share a node, Σ d(d-1)/2
	Chains       float64 // pairs of edges where one starts at the end of the other, Σ in·out; Pairs in an undirected graph
	Degree       float64 // the largest degree
	Squares      float64 // Σ (d+1)²
}

// SizeOf returns the size of a graph.
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

// Load estimates the memory and time of a model for a graph. Memory leaves out the terms that are
// linear in nodes and edges. Least includes a part of them.
type Load struct {
	Least   float64 // bytes: a lower bound of the memory
	Memory  float64 // bytes in training, approximately
	Seconds float64 // of the first pass on one thread, approximately; 0 if it is short
}

// Add returns the load of two graphs, or of two models, together.
func (l Load) Add(o Load) Load {
	return Load{l.Least + o.Least, l.Memory + o.Memory, l.Seconds + o.Seconds}
}

// Measured bytes for each named object. The values for Least are well below what a pass without
// gradients takes.
const (
	linePair, leastLinePair       = 130, 40  // pair of edges that share a node, in a layer on the line graph
	clusterShare, leastShare      = 12, 1    // float32s for an item and a cluster, or for two clusters
	asapReach, leastReach         = 25, 8    // node and a cluster that it reaches, in ASAP
	asapPair, leastPair           = 650, 100 // two clusters that are joined, in ASAP
	spectralSeconds, spectralSize = 6e-4, 512.0
)

// Loads returns a function that estimates the load of a graph. Training keeps more than prediction.
// Settings are looked up once, because there may be many graphs.
func (s Spec) Loads(c Config, training bool) func(g GraphSize) Load {
	var parts []func(g GraphSize) Load
	for i, one := range s.models() {
		if i < len(c.Parts) {
			parts = append(parts, one.loads(&Config{Dims: c.Dims, Parts: c.Parts[i : i+1]}, training))
		}
	}
	members := 1.0 // members run one after the other, but their results are kept
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

// loads is Loads for a model that is not a committee.
func (s Spec) loads(c *Config, training bool) func(g GraphSize) Load {
	size := func(name string) float64 {
		if at := c.At(name); at != nil {
			return float64(*at[0].(*int))
		}
		return 0
	}
	hidden, layers := size("hidden"), max(size("layers"), 1)
	if !training {
		layers = 1 // the rows of one layer can be freed when those of the next exist
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

// asapLoad is the load of clusters around every node, of which the fittest are kept. A node of
// degree d is in d+1 clusters. How many of these are kept is only certain if nearly all clusters
// share a node, as in a star. Otherwise the share of all kept clusters is used.
func asapLoad(c *Config, g GraphSize) Load {
	ratio := 1.0
	if at := c.At("ratio"); at != nil {
		ratio = *at[0].(*float64)
	}
	kept := ratio * g.Nodes
	sure := max(0, g.Degree+1-(g.Nodes-kept)) // kept clusters that contain the largest hub
	reach := min(g.Nodes*kept, ratio*g.Squares)
	joined := min(kept*kept, ratio*reach*(1+2*g.Edges/max(g.Nodes, 1)))
	l := Load{Least: leastReach * (g.Degree + 1) * sure, Memory: asapReach * reach}
	if *c.At("layers")[0].(*int) > 1 {
		l.Least += leastPair * sure * sure
		l.Memory += asapPair * joined
	}
	return l
}

// haarLoad is the load of the eigenvectors of parts of spectralSize nodes.
func haarLoad(_ *Config, g GraphSize) Load {
	part := min(g.Nodes, spectralSize) / spectralSize
	return Load{Seconds: spectralSeconds * g.Nodes * part * part}
}
