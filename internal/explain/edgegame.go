package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// edgeGame is the prediction for an edge as a cooperative game. Players are neighbouring edges: some are single
// players, the rest of a side is one player. If the model does not divide its output among columns, the edge's own
// columns are players too and come first. Edges more than two steps away are always present.
type edgeGame struct {
	neighbourhood
	part    *source.Part
	at      int
	auto    *model.Auto // model that divides its output among columns; nil for other models
	recount bool        // structure and time columns are computed again for each set of edges
	reads   []bool      // which numbers of an edge the model reads; nil for all
	fields  []ownField  // fields that are players
	players []player
	budget  int // number of sets that may be evaluated
	// names lists the edge's own columns that get a contribution. column has, for each column that auto reads, its index in
	// names, or -1 for a column computed from other edges.
	names  []string
	column []int
	cells  map[string]string // values of the edge's own columns
	listed []int32           // edges that the explanation lists
	valued map[string]valued // results of evaluate by set of edges
}

// valued is the result of edgeGame.evaluate.
type valued struct {
	value float64
	own   []float64
}

// player is one edge, or several edges of a side.
type player struct {
	edges []int32 // edges of the neighbourhood graph
	side  Side
	steps int
}

// All evaluated sets together have about mostValued rows; there are leastSets to mostSets of them.
const (
	mostValued = 2 << 20
	leastSets  = 120
	mostSets   = 600
)

func newEdgeGame(s *session.Session, ctx context.Context, p *source.Part, at int, item namedItem, o EdgeOptions) (*edgeGame, error) {
	shown, err := shownTo(s, p.Graphs[at], item.number)
	if err != nil {
		return nil, err
	}
	g := &edgeGame{part: p, at: at, auto: reads(s)}
	g.neighbourhood = neighbourhood{explained: explained{session: s, graph: shown, item: item.number, method: Shapley, form: s.Spec.Form}}
	if err := g.cut(ctx); err != nil {
		return nil, err
	}
	if err := g.aim(ctx, o.Target); err != nil {
		return nil, err
	}
	if o.Target == "" && s.Settings.Classifies() {
		g.target = interest(s, g.target)
	}
	work := mostValued
	if g.auto != nil { // columns are computed again for each set
		work /= 3
	}
	g.budget = min(max(work/max(g.graph.NumEdges(), 1), leastSets), mostSets)
	if g.recount, err = g.recounts(); err != nil {
		return nil, err
	}
	if m, ok := s.Model.(*model.Auto); ok {
		g.reads = m.ReadsColumns()
	}
	g.nameColumns()
	g.gather()
	return g, nil
}

// recounts reports whether structure and time columns can be computed from the neighbourhood only: then the row of the
// edge is the one that the model read.
func (g *edgeGame) recounts() (bool, error) {
	if !g.part.Edges.Recounts() || g.form != nil {
		return false, nil
	}
	counted, err := g.part.Edges.Recount(g.graph, g.of, tables.Recounted{})
	if err != nil {
		return false, err
	}
	width := g.graph.Edge.Dim
	row := func(of *graph.Graph) []float32 { return of.Edge.Dense[int(g.item)*width:][:width] }
	return alike(row(counted), row(g.graph)), nil
}

// gather lists the edges up to two steps away as players: first the edges at the ends, nearest in time first.
func (g *edgeGame) gather() {
	ends := [2]int32{g.graph.Ends[2*g.item], g.graph.Ends[2*g.item+1]}
	_, fromSource := g.graph.Near(ends[0])
	_, fromTarget := g.graph.Near(ends[1])
	for e := range int32(g.graph.NumEdges()) {
		u, v := g.graph.Ends[2*e], g.graph.Ends[2*e+1]
		steps := g.away(e)
		if e == g.item || steps < 1 || steps > min(2, g.reach) {
			continue
		}
		at := func(end int32) bool { return u == end || v == end }
		side := AtSource
		switch {
		case steps == 1 && at(ends[0]) && at(ends[1]):
			side = AtBoth
		case steps == 1 && at(ends[1]), steps == 2 && min(fromTarget[u], fromTarget[v]) < min(fromSource[u], fromSource[v]):
			side = AtTarget
		}
		g.players = append(g.players, player{[]int32{e}, side, steps})
	}
	now := g.part.Edges.Time(g.of[g.item])
	far := func(p player) float64 {
		d := math.Abs(g.part.Edges.Time(g.of[p.edges[0]]) - now)
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		return d
	}
	slices.SortStableFunc(g.players, func(a, b player) int { return cmp.Or(a.steps-b.steps, cmp.Compare(far(a), far(b))) })
}

// spareSingles is how many more edges are single players than are listed.
const spareSingles = 5

// choose keeps the most important edges as single players, measured by the change of the value without each edge and
// with only that edge. The other edges of a side become one player. If there are more edges than the budget allows,
// only the first are tried.
func (g *edgeGame) choose(ctx context.Context, top int) error {
	single := top + spareSingles
	if len(g.fields)+len(g.players) <= max(mostExact, single) {
		return nil
	}
	tried := min(len(g.players), max(g.budget/4, single))
	n := len(g.fields) + len(g.players)
	sets := make([][]bool, 0, 2*tried+2)
	for k := -1; k < tried; k++ {
		without, alone := slices.Repeat([]bool{true}, n), slices.Repeat([]bool{true}, n)
		for i := len(g.fields); i < n; i++ {
			alone[i] = i == len(g.fields)+k
		}
		if k >= 0 {
			without[len(g.fields)+k] = false
		}
		sets = append(sets, without, alone)
	}
	v, err := g.value(ctx, sets)
	if err != nil {
		return err
	}
	size := make([]float64, tried)
	for k := range size {
		size[k] = math.Abs(v[0]-v[2+2*k]) + math.Abs(v[3+2*k]-v[1])
	}
	order := lists.Range[int32](tried)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(size[b], size[a]) })
	keep := lists.Marked(len(g.players), order[:min(single, tried)])
	var out []player
	rest := map[[2]any]int{}
	for k, p := range g.players {
		if keep[k] {
			out = append(out, p)
			continue
		}
		key := [2]any{p.side, p.steps}
		at, ok := rest[key]
		if !ok {
			at = len(out)
			rest[key] = at
			out = append(out, player{nil, p.side, p.steps})
		}
		out[at].edges = append(out[at].edges, p.edges...)
	}
	g.players = out
	return nil
}

// value is game.value. For a model that divides its output, half of the contributions of the own columns is subtracted.
func (g *edgeGame) value(ctx context.Context, sets [][]bool) ([]float64, error) {
	out := make([]float64, len(sets))
	if g.auto == nil {
		got, err := g.predictSets(ctx, sets)
		for i, p := range got {
			out[i] = g.link(p.share)
		}
		return out, err
	}
	for i, set := range sets {
		v, own, err := g.evaluate(ctx, set)
		if err != nil {
			return nil, err
		}
		for _, part := range own {
			v -= part / 2
		}
		out[i] = v
	}
	return out, nil
}

// predictSets predicts with several sets of players.
func (g *edgeGame) predictSets(ctx context.Context, sets [][]bool) ([]predicted, error) {
	var fail error
	got, err := g.predict(ctx, len(sets), func(i int) variant {
		v, err := g.variant(sets[i])
		if err != nil && fail == nil {
			fail = err
		}
		return v
	})
	return got, cmp.Or(fail, err)
}

// link converts a probability to log-odds and leaves a number unchanged.
func (g *edgeGame) link(share float64) float64 {
	if g.unit() == Number {
		return share
	}
	const least = 1e-7
	share = min(max(share, least), 1-least)
	return math.Log(share / (1 - share))
}

// evaluate returns the value of a set and, for a model that divides its output, the contributions of own columns.
func (g *edgeGame) evaluate(ctx context.Context, set []bool) (value float64, own []float64, err error) {
	if g.auto == nil {
		got, err := g.predictSets(ctx, [][]bool{set})
		if err != nil {
			return 0, nil, err
		}
		return g.link(got[0].share), nil, nil
	}
	key := g.key(set)
	if had, ok := g.valued[key]; ok {
		return had.value, slices.Clone(had.own), nil
	}
	v, err := g.variant(set)
	if err != nil {
		return 0, nil, err
	}
	b, err := graph.Collate([]*graph.Graph{v.graph})
	if err != nil {
		return 0, nil, err
	}
	got, err := g.auto.Contributions(ctx, b, []int32{v.item}, g.target, g.session.Threads)
	if err != nil {
		return 0, nil, err
	}
	c := got[0]
	low, high := g.link(g.calibrated(c.Base/c.Share)), g.link(g.calibrated(c.Output/c.Share))
	if g.session.Settings.Model.Out > 2 && g.session.Settings.Target.Temperature != 0 { // then the output depends on all classes
		exact, err := g.predict(ctx, 1, func(int) variant { return v })
		if err != nil {
			return 0, nil, err
		}
		high = g.link(exact[0].share)
	}
	scale := 0.0
	if d := (c.Output - c.Base) / c.Share; d != 0 {
		scale = (high - low) / d / c.Share
	}
	own = make([]float64, len(g.names))
	for i, part := range c.Parts {
		if at := g.column[i]; at >= 0 {
			own[at] += part * scale
		}
	}
	if g.valued == nil {
		g.valued = map[string]valued{}
	}
	g.valued[key] = valued{high, slices.Clone(own)}
	return high, own, nil
}

// key identifies the edges of a set of players; different orders of players share results.
func (g *edgeGame) key(set []bool) string {
	key := make([]byte, g.graph.NumEdges())
	for k, p := range g.players {
		for _, e := range p.edges {
			if set[len(g.fields)+k] {
				key[e] = 1
			}
		}
	}
	return string(key)
}

// calibrated converts an output of the learners to a prediction: a number in its unit, or a calibrated probability. One
// of more than two classes is taken against all others.
func (g *edgeGame) calibrated(v float64) float64 {
	t := &g.session.Settings.Target
	switch {
	case g.unit() == Number:
		return v*t.Units[g.target].Scale + t.Units[g.target].Mean
	case t.Temperature == 0:
		return v
	case g.session.Settings.Model.Out == 2:
		row := []float64{1 - v, 1 - v}
		row[g.target] = v
		settings.Calibrate(t, row)
		return row[g.target]
	}
	return 1 / (1 + math.Pow((1-v)/v, 1/t.Temperature))
}

// variant is the graph with only the edges of a set of players and without the features of fields outside the set.
func (g *edgeGame) variant(set []bool) (variant, error) {
	keep := slices.Repeat([]bool{true}, g.graph.NumEdges())
	for k, p := range g.players {
		for _, e := range p.edges {
			keep[e] = set[len(g.fields)+k]
		}
	}
	return g.restricted(keep, set[:len(g.fields)])
}

// restricted is the graph with the given edges and own fields.
func (g *edgeGame) restricted(keep, fields []bool) (variant, error) {
	v := g.variantWith(func(e int32) bool { return keep[e] })
	if g.recount {
		var edges []int32
		for e, kept := range keep {
			if kept || int32(e) == g.item {
				edges = append(edges, g.of[e])
			}
		}
		again := tables.Recounted{Reads: g.reads}
		if g.auto != nil { // it reads only the row of the edge
			again.Edges = []int32{v.item}
		}
		counted, err := g.part.Edges.Recount(v.graph, edges, again)
		if err != nil {
			return v, err
		}
		v.graph = counted
	}
	if slices.Contains(fields, false) {
		masked := *v.graph
		masked.Edge, masked.Node = cloned(masked.Edge), cloned(masked.Node)
		for k, there := range fields {
			if !there {
				g.fields[k].mask(&masked, v.item)
			}
		}
		v.graph = &masked
	}
	return v, nil
}

func cloned(f graph.Features) graph.Features {
	f.Dense, f.Code = slices.Clone(f.Dense), slices.Clone(f.Code)
	return f
}
