package tables

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// maxStructure is the largest standardised structure value: counts at a hub of new data may be far
// outside those of training.
const maxStructure = 5

// FitStructure adds structure columns to an encoder of edges: the columns of some groups (package
// structure), fitted to the training edges. Columns that are constant on them are left out.
//
// In all inputs, structure is counted from the training edges, and each training edge is left out of
// its own row: so a training edge looks like a later edge. If each input counted its own edges,
// nodes would have higher degrees in the test input than in training, and every training edge would
// see itself. Edges between nodes without training edges, for example in another molecule, are also
// counted, each without itself. Edges of the same input are counted between their two ends if no
// training edge joins these, and are part of their own walks and cores, like training edges. With
// InputOptions.Transductive all edges are counted like training edges. In new data all edges are
// counted, or those of InputOptions.Known. With Encoder.Past only training edges, or those of Known,
// are counted, if there are some.
func (s *Set) FitStructure(e *Encoder, split *data.Split, groups []string, o InputOptions) error {
	names, err := structure.Names(s.Directed, groups...)
	if err != nil {
		return fmt.Errorf("tables: %s: %w", s.Name, err)
	}
	in, err := s.seen(split, Train, o)
	if err != nil {
		return err
	}
	shared := o.shared()
	if err := shared.count(s, in.base(), names, o.Threads); err != nil {
		return fmt.Errorf("tables: %s: %w", s.Name, err)
	}
	e.Structure = nil
	value := make([]float64, len(in.Edges))
	for k, name := range names {
		for i := range value {
			value[i] = float64(shared.rows[i*len(names)+k])
		}
		first := value[in.Scored[0]]
		if slices.ContainsFunc(in.Scored, func(i int32) bool { return value[i] != first }) {
			f := Field{Name: name}
			f.Mean, f.Scale, _ = schema.MeanScale(value, in.Scored)
			e.Structure = append(e.Structure, f)
		}
	}
	return nil
}

// know lists the edges that structure columns count; certain edges are known.
func (in *Input) know(s *Set, e *Encoder) {
	if in.certain == nil {
		return
	}
	is := lists.Take(in.certain, in.Edges)
	in.known = e.KnownEdges(len(in.Nodes), in.ends(s), is)
}

// KnownEdges lists the edges of a graph that structure columns count: first the known edges, then, except
// with Past, the edges that share no node with known edges. In this order, package structure gives nodes of
// known edges the same numbers for any other edges.
func (e *Encoder) KnownEdges(nodes int, ends []int32, is []bool) []int32 {
	past := e.Past && slices.Contains(is, true)
	touched := make([]bool, nodes)
	for e, known := range is {
		if known {
			touched[ends[2*e]], touched[ends[2*e+1]] = true, true
		}
	}
	var out, apart []int32
	for e, known := range is {
		switch {
		case known:
			out = append(out, int32(e))
		case !past && !touched[ends[2*e]] && !touched[ends[2*e+1]]:
			apart = append(apart, int32(e))
		}
	}
	return append(out, apart...)
}

// base returns the edges of the set that structure columns count; edges that all inputs count come first.
func (in *Input) base() []int32 {
	if in.known == nil {
		return in.Edges
	}
	return lists.Take(in.Edges, in.known)
}

// Structures is what the structure columns of several inputs of a set share: the counted graph, and
// the rows of its edges. The zero value is ready for use, by one goroutine at a time.
type Structures struct {
	base  []int32 // edges of the set
	graph *structure.Graph
	names []string
	rows  []float32 // rows of base, each edge without itself

	of   *Input         // first input without time columns; nil if there is none yet
	edge graph.Features // of its edges
}

// shared returns what inputs share; if nothing is shared, it is for this input only.
func (o InputOptions) shared() *Structures {
	if o.Structures != nil {
		return o.Structures
	}
	return &Structures{}
}

// count builds the graph of some edges of a set, and computes named columns for them.
func (t *Structures) count(s *Set, base []int32, names []string, threads int) error {
	ends := s.endsOf(base)
	g, err := structure.New(len(s.NodeIDs), ends, s.Directed, par.New(threads))
	if err != nil {
		return err
	}
	rows, err := g.Columns(names, structure.Pairs{Ends: ends, Own: slices.Repeat([]bool{true}, len(base))})
	*t = Structures{base: base, graph: g, names: names, rows: rows}
	return err
}

// endsOf returns the ends of some edges, as nodes of the set.
func (s *Set) endsOf(edges []int32) []int32 {
	return lists.TakeRows(s.Ends, 2, edges)
}

// withStructure is Encoder.WithStructure for the edges of an input. Inputs with the same edges share the result, unless
// time columns follow, for which each input needs its own array.
func (in *Input) withStructure(s *Set, e *Encoder, own graph.Features, o InputOptions) (graph.Features, error) {
	if len(e.Structure) == 0 {
		return own, nil
	}
	t := o.shared()
	if t.of != nil && slices.Equal(in.Edges, t.of.Edges) && slices.Equal(in.known, t.of.known) {
		return t.edge, nil
	}
	out, err := in.structured(s, e, own, t, o.Threads)
	if err == nil && t.of == nil && e.Times == nil {
		t.of, t.edge = in, out
	}
	return out, err
}

// structured adds structure columns: shared rows and others.
func (in *Input) structured(s *Set, e *Encoder, own graph.Features, t *Structures, threads int) (graph.Features, error) {
	base, names := in.base(), e.structureNames()
	if t.graph == nil {
		if err := t.count(s, base, names, threads); err != nil {
			return own, err
		}
	}
	// Further counted edges share no node with the shared ones, so they do not change shared rows.
	n := len(t.base)
	if n > len(base) || !slices.Equal(base[:n], t.base) {
		return e.WithStructure(own, len(in.Nodes), in.ends(s), in.known, threads)
	}
	out, put := e.structureTable(own, len(in.Edges))
	done := make([]bool, len(in.Edges))
	row, k := make([]float32, len(names)), len(t.names)
	from := lists.Map(names, func(name string) int { return slices.Index(t.names, name) })
	for i := range n {
		for c, f := range from {
			row[c] = t.rows[i*k+f]
		}
		at := in.place(i)
		put(at, row)
		done[at] = true
	}
	g, p := t.graph, structure.Pairs{Together: !e.Past}
	if len(base) > n {
		var err error
		if g, err = structure.New(len(s.NodeIDs), s.endsOf(base), s.Directed, par.New(threads)); err != nil {
			return own, err
		}
	}
	apart := make([]bool, len(in.Edges))
	for i := n; i < len(base); i++ {
		apart[in.place(i)] = true
	}
	var rest []int
	for i, e := range in.Edges {
		if !done[i] {
			rest = append(rest, i)
			p.Ends, p.Own = append(p.Ends, s.Ends[2*e], s.Ends[2*e+1]), append(p.Own, apart[i])
		}
	}
	return out, g.Each(names, p, func(i int, row []float32) { put(rest[i], row) })
}

// place is the edge of the input for entry i of its base.
func (in *Input) place(i int) int {
	if in.known == nil {
		return i
	}
	return int(in.known[i])
}

// WithStructure adds the encoder's structure columns, standardised, to the features of the edges of
// a graph, after their numbers. They replace the constant feature of edges without features. They
// are counted from the known edges (nil for all), each without itself. Results do not depend on
// threads; 0 means all processors.
func (e *Encoder) WithStructure(own graph.Features, nodes int, ends []int32, known []int32, threads int) (graph.Features, error) {
	if len(e.Structure) == 0 {
		return own, nil
	}
	out, put := e.structureTable(own, len(ends)/2)
	return out, e.eachStructure(e.structureNames(), nodes, ends, known, nil, threads, put)
}

// eachStructure calls put with named structure columns of the edges of a graph, counted as in Encoder.WithStructure;
// for all edges, or for some.
func (e *Encoder) eachStructure(names []string, nodes int, ends, known, some []int32, threads int, put func(i int, row []float32)) error {
	base, p := ends, structure.Pairs{Ends: ends, Own: slices.Repeat([]bool{known == nil}, len(ends)/2), Together: !e.Past}
	if known != nil {
		base = lists.TakeRows(ends, 2, known)
		for _, i := range known {
			p.Own[i] = true
		}
	}
	g, err := structure.New(nodes, base, e.Options.Form == data.Directed, par.New(threads))
	if err != nil {
		return err
	}
	if some == nil || p.Together && known != nil { // edges that become known together count for one another
		return g.Each(names, p, put)
	}
	p.Ends = lists.TakeRows(ends, 2, some)
	p.Own = lists.Take(p.Own, some)
	return g.Each(names, p, func(i int, row []float32) { put(int(some[i]), row) })
}

func (e *Encoder) structureNames() []string {
	return lists.Map(e.Structure, func(f Field) string { return f.Name })
}

// structureTable returns own with room for structure columns in n rows, and a function that stores
// the standardised columns of a row there.
func (e *Encoder) structureTable(own graph.Features, n int) (out graph.Features, put func(i int, row []float32)) {
	out, room := widened(own, len(e.Edges) == 0, n, len(e.Structure))
	return out, func(i int, row []float32) {
		to := room(i)
		for c, x := range row {
			to[c] = standardised(&e.Structure[c], x)
		}
	}
}

// standardised is the standardised and clipped value of a structure column.
func standardised(f *Field, x float32) float32 {
	return float32(min(max((float64(x)-f.Mean)/f.Scale, -maxStructure), maxStructure))
}

// widened returns the features of n rows with room for k more numbers after those of each row; they
// replace the constant of rows without features.
func widened(own graph.Features, constant bool, n, k int) (out graph.Features, room func(i int) []float32) {
	d := own.Dim
	if out = own; constant {
		out, d = graph.Features{}, 0
	}
	out.Dim = d + k
	out.Dense = make([]float32, n*out.Dim)
	for i := range n {
		copy(out.Dense[i*out.Dim:], own.Dense[i*d:(i+1)*d])
	}
	return out, func(i int) []float32 { return out.Dense[i*out.Dim+d:][:k] }
}
