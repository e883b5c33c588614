package structure

import "github.com/ehgnn/ehgnn/internal/lists"

// Steps of the base are kept if they are at most mostKept numbers and if edges are first added to
// at most one node in fewAdded.
const (
	mostKept = 1 << 24
	fewAdded = 16
)

// keptSteps holds all vectors at each node of a graph, before and after one step.
type keptSteps struct{ begun, stepped []float32 }

// knownSteps returns the kept steps of the base, or nil if they are not kept.
func (g *Graph) knownSteps() *keptSteps {
	base := g.base
	if base == nil || base.kept == nil && (2*base.n*vectors > mostKept || fewAdded*len(g.added) > base.n) {
		return nil
	}
	if base.kept == nil {
		k := &keptSteps{make([]float32, base.n*vectors), make([]float32, base.n*vectors)}
		base.start(k.begun, nil, 0, vectors)
		base.stepper(nil).step(k.begun, vectors, func(_ int, v int32, mean []float32) { copy(k.stepped[int(v)*vectors:], mean) })
		base.kept = k
	}
	return base.kept
}

// sumsBeside is sumsOf for a graph whose base has kept steps. It overwrites the steps that differ
// in g and restores them at the end.
func (g *Graph) sumsBeside(known *keptSteps, ends, second []int32) func(v int32) []float32 {
	const w = steps - 1
	redone := listed(g.around(masked(g.n, g.added))) // the nodes whose first step differs
	begun, stepped := taken(known.begun, g.added), taken(known.stepped, redone)
	g.base.kept = nil // until the steps are restored
	defer func() {
		put(known.begun, g.added, begun)
		put(known.stepped, redone, stepped)
		g.base.kept = known
	}()
	g.start(known.begun, g.added, 0, vectors)
	g.stepper(redone).step(known.begun, vectors, func(_ int, v int32, mean []float32) { copy(known.stepped[int(v)*vectors:], mean) })

	two := g.stepper(second)
	place := make([]int32, g.n) // position of each node in second
	for i := range len(two.ptr) - 1 {
		place[two.node(i)] = int32(i)
	}
	after := make([]float32, (len(two.ptr)-1)*vectors)
	two.step(known.stepped, vectors, func(i int, _ int32, mean []float32) { copy(after[i*vectors:], mean) })

	three := g.stepper(ends)
	if second != nil {
		nbr := make([]int32, len(three.nbr))
		for k, v := range three.nbr {
			nbr[k] = place[v]
		}
		three.nbr = nbr
	}
	sum := make([]float32, (len(three.ptr)-1)*w)
	three.step(after, vectors, func(i int, v int32, mean []float32) {
		one, two := known.stepped[int(v)*vectors:], after[int(place[v])*vectors:][:vectors]
		for k, pair := range [w][2][]float32{{one, two}, {two, two}, {two, mean}, {mean, mean}} {
			addDot(&sum[i*w+k], pair[0], pair[1])
		}
	})
	at := make([]int32, g.n) // position of each node in ends
	for i := range len(three.ptr) - 1 {
		at[three.node(i)] = int32(i)
	}
	return func(v int32) []float32 { return sum[int(at[v])*w:][:w] }
}

// taken returns a copy of the rows of the listed nodes; nil lists all. put writes these rows back.
func taken(table []float32, nodes []int32) []float32 {
	if nodes == nil {
		return append([]float32(nil), table...)
	}
	return lists.TakeRows(table, vectors, nodes)
}

func put(table []float32, nodes []int32, rows []float32) {
	if nodes == nil {
		copy(table, rows)
	}
	for i, v := range nodes {
		copy(table[int(v)*vectors:], rows[i*vectors:][:vectors])
	}
}
