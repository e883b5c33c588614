package data

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// parsed is a set as in its files, before edges and features get their final form. Node rows are
// numbered through all graphs.
type parsed struct {
	name, format string
	adj          []adjacency // grouped by source, not yet canonical
	labels       []int32     // of the graphs, as in the file; nil if there are none
	classNames   []string    // if labels are names: these in order, labels being their positions; else nil
	targets      []float32   // graphs × numTargets
	numTargets   int
	nodes, edges block // edges: one row per entry of the input
	smiles       []string
}

// build makes the data set.
func (p *parsed) build(f *folder, opts Options) (*Dataset, error) {
	d := &Dataset{SMILES: p.smiles, Graphs: make([]*graph.Graph, len(p.adj))}
	d.Info = Info{
		Name: p.name, Format: p.format, NumGraphs: len(p.adj), NumTargets: p.numTargets,
		HasNodeLabels: p.nodes.columns > 0, HasNodeAttributes: p.nodes.dim > 0,
		HasEdgeLabels: p.edges.columns > 0, HasEdgeAttributes: p.edges.dim > 0,
	}
	info := &d.Info
	if err := p.shape(info, opts); err != nil {
		return nil, err
	}
	classes, err := p.classes(info, opts, f.Budget)
	if err != nil {
		return nil, err
	}
	if err := p.nodes.encode(opts.NodeCodes, opts.NodeOffset); err != nil {
		return nil, p.wrap(err)
	}
	if err := p.edges.encode(opts.EdgeCodes, opts.EdgeOffset); err != nil {
		return nil, p.wrap(err)
	}
	info.NodeLabelOffset, info.EdgeLabelOffset = p.nodes.offsets(), p.edges.offsets()
	degree, err := p.degrees(info, opts)
	if err != nil {
		return nil, err
	}
	if opts.EdgeCodes > 0 && p.edges.columns == 0 {
		return nil, fmt.Errorf("data: %s: edge codes fixed to %d, but the set has no edge labels", p.name, opts.EdgeCodes)
	}

	ones := p.constant(info)
	first := 0
	for i := range p.adj {
		a := &p.adj[i]
		g := graph.Graph{NumNodes: a.numNodes(), Directed: info.Directed, Label: graph.NoLabel}
		if classes != nil {
			g.Label = classes[i]
			info.ClassCounts[g.Label]++
		}
		if p.numTargets > 0 {
			g.Targets = p.targets[i*p.numTargets : (i+1)*p.numTargets : (i+1)*p.numTargets]
			info.MissingTargets += countMissing(g.Targets)
		}
		var entries []int32
		g.Ends, entries = a.ends(info.Directed)
		if p.nodes.empty() {
			g.Node = degree.features(a)
		} else {
			g.Node = p.nodes.features(g.NumNodes, func(v int) int { return first + v })
		}
		if p.edges.empty() {
			g.Edge = graph.Features{Code: ones[:g.NumEdges():g.NumEdges()], Codes: []int{1}}
		} else {
			g.Edge = p.edges.features(g.NumEdges(), func(e int) int { return int(entries[e]) })
		}
		// With one label column the code is the class of a node or edge.
		if p.nodes.columns == 1 {
			g.NodeLabel = g.Node.Code
		}
		if p.edges.columns == 1 {
			g.EdgeLabel = g.Edge.Code
		}
		if d.Graphs[i], err = graph.New(g); err != nil {
			return nil, fmt.Errorf("data: %s: graph %d: %w", p.name, i, err)
		}
		info.NodeWidth, info.EdgeWidth = g.Node.Width(), g.Edge.Width()
		first += g.NumNodes
		*a = adjacency{} // frees its memory while the graphs grow
	}
	if d.folds, err = readFolds(f, len(d.Graphs)); err != nil {
		return nil, p.wrap(err)
	}
	info.HasFolds = d.folds != nil
	info.Checksum = Checksum(f.sums)
	return d, nil
}

func (p *parsed) wrap(err error) error { return fmt.Errorf("data: %s: %w", p.name, err) }

// shape brings the arcs to canonical form, sets the sizes in info and decides the form of the
// edges.
func (p *parsed) shape(info *Info, opts Options) error {
	var c cleaning
	var cursors []int32
	var bad pairing
	badGraph, nodes, edges := -1, 0, 0
	for i := range p.adj {
		a := &p.adj[i]
		a.canonical(&c, p.edges.differ)
		var pr pairing
		pr, cursors = a.pair(cursors, p.edges.differ)
		if pr.bad && badGraph < 0 {
			bad, badGraph = pr, i
		}
		nodes += a.numNodes()
		edges += pr.pairs + pr.single
		info.MaxNodes = max(info.MaxNodes, a.numNodes())
		info.MaxEdges = max(info.MaxEdges, pr.pairs+pr.single)
		info.MaxDegree = max(info.MaxDegree, a.maxDegree())
	}
	info.MeanNodes = float64(nodes) / float64(len(p.adj))
	info.MeanEdges = float64(edges) / float64(len(p.adj))
	info.Symmetric = badGraph < 0
	info.Directed = opts.Edges == Directed || opts.Edges == Auto && !info.Symmetric
	if c.loops > 0 {
		info.note("%d self-loops dropped", c.loops)
	}
	if c.repeats > 0 {
		info.note("%d repeated arcs dropped, %d of them with other labels or attributes than the first, which is kept", c.repeats, c.conflicts)
	}
	if !info.Symmetric {
		if opts.Edges == Undirected {
			return asymmetric(p.name, badGraph, bad)
		}
		info.note("edges are directed: in graph %d the arc from node %d to node %d %s", badGraph, bad.u, bad.v, bad.why)
	}
	return nil
}

// class returns the class name of a graph label.
func (p *parsed) class(label int32) string {
	if p.classNames != nil {
		return p.classNames[label]
	}
	return strconv.Itoa(int(label))
}

// classes replaces graph labels by their rank, or by their position in Options.ClassNames.
func (p *parsed) classes(info *Info, opts Options, b *Budget) ([]int32, error) {
	info.ClassNames = slices.Clone(opts.ClassNames)
	info.NumClasses = len(info.ClassNames)
	if p.labels == nil {
		return nil, nil
	}
	if opts.ClassNames == nil {
		distinct := slices.Clone(p.labels)
		slices.Sort(distinct)
		distinct = slices.Compact(distinct)
		if err := b.Charge(int64(len(distinct))*classBytes, "classes"); err != nil {
			return nil, p.wrap(err)
		}
		for _, v := range distinct {
			info.ClassNames = append(info.ClassNames, p.class(v))
		}
		info.NumClasses = len(info.ClassNames)
	}
	rank := lists.Places[int32](info.ClassNames)
	info.ClassCounts = make([]int, info.NumClasses)
	classes := make([]int32, len(p.labels))
	for i, v := range p.labels {
		c, ok := rank[p.class(v)]
		if !ok {
			label := p.class(v)
			if p.classNames != nil {
				label = shown([]byte(label))
			}
			return nil, fmt.Errorf("data: %s: graph %d has label %s, expected one of %q", p.name, i, label, info.ClassNames)
		}
		classes[i] = c
	}
	return classes, nil
}

// degrees prepares the features of nodes that have no features.
func (p *parsed) degrees(info *Info, opts Options) (degrees, error) {
	if !p.nodes.empty() {
		if opts.NodeCodes > 0 && p.nodes.columns == 0 {
			return degrees{}, fmt.Errorf("data: %s: node codes fixed to %d, but the set has node attributes and no node labels", p.name, opts.NodeCodes)
		}
		return degrees{}, nil
	}
	if opts.NodeCodes > 0 && info.MaxDegree >= opts.NodeCodes {
		return degrees{}, fmt.Errorf("data: %s: a node has degree %d, expected at most %d as node codes are fixed to %d", p.name, info.MaxDegree, opts.NodeCodes-1, opts.NodeCodes)
	}
	d := newDegrees(p.adj, info.MaxDegree, opts.NodeCodes)
	if d.codes > 0 {
		info.note("nodes have no features: one-hot degree, width %d", d.codes)
	} else {
		info.Scaled = p.edges.dim == 0 // attributes of edges are not scaled
		info.DegreeMean, info.DegreeScale = d.mean, d.std
		info.note("nodes have no features: degree, standardised with mean %.6g and deviation %.6g", d.mean, d.std)
	}
	return d, nil
}

// constant returns one array of zero codes, the feature "1", for the edges of all graphs. It is nil
// if edges have features of their own.
func (p *parsed) constant(info *Info) []int32 {
	if !p.edges.empty() {
		return nil
	}
	info.note("edges have no features: constant 1")
	return make([]int32, 2*info.MaxEdges)
}

func (i *Info) note(format string, args ...any) {
	i.Notes = append(i.Notes, fmt.Sprintf(format, args...))
}
