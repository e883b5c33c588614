package columns

import (
	"context"
	"slices"

	"github.com/ehgnn/ehgnn/internal/cholesky"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Constants of LowRank.
const (
	lowRankSteps  = 6
	lowRankShrink = 4 // penalty of the vectors, as a multiple of the variance of the residuals
	startScale    = 0.3
	manyRank      = 8  // rank if there are several classes
	fewRank       = 4  // rank if there are more than manyClasses
	manyClasses   = 32 // classes
	classRounds   = 4  // rounds of the effects if there are several classes
)

// starter fills the initial vectors of a fit.
type starter func(class, rank int, source, target []float64)

// normalStart draws initial vectors from a normal distribution; they are the same for each fit of a class.
func normalStart(nodes []int32) starter {
	return func(class, rank int, source, target []float64) {
		r := rng.Stream(0, "columns", "low-rank", class, rank)
		for _, x := range [][]float64{source, target} {
			for _, v := range nodes {
				for i := range rank {
					x[int(v)*rank+i] = startScale * r.NormFloat64()
				}
			}
		}
	}
}

// touched lists the nodes at known edges in ascending order. The other nodes and their numbers must not matter,
// because they may belong to later edges.
func (g *Graph) touched(known []bool) []int32 {
	is := make([]bool, g.Nodes)
	for e, known := range known {
		if known && 2*e+1 < len(g.Ends) {
			is[g.source(int32(e))], is[g.target(int32(e))] = true, true
		}
	}
	return lists.Where[int32](is, func(_ int, is bool) bool { return is })
}

// lowRank is the family LowRank.
func (k *known) lowRank(ctx context.Context, start starter) (part, error) {
	if k.Classes > 2 {
		return k.lowRankOfClasses(ctx, start)
	}
	z := k.standard(0)
	source, target := k.effects(z, 0, lowRankRounds)
	rest := k.rest(z, source, target)
	var fits []factors
	for _, rank := range []int{2, 8} {
		f, err := k.fit(ctx, rest, 0, rank, 0, start)
		if err != nil {
			return part{}, err
		}
		fits = append(fits, f)
	}
	return part{3, func(to []float64, _ int) func(e described) {
		return func(e described) {
			to[0] = source[e.source] + target[e.target]
			for i, f := range fits {
				to[1+i] = f.product(e.source, e.target)
			}
		}
	}}, nil
}

// lowRankOfClasses is the family LowRank of several classes: effects and a product of vectors for each class against the rest.
func (k *known) lowRankOfClasses(ctx context.Context, start starter) (part, error) {
	w, rank := len(k.of), manyRank
	if w > manyClasses {
		rank = fewRank
	}
	source, target, fits := make([][]float64, w), make([][]float64, w), make([]factors, w)
	for c := range w {
		z := k.standard(c)
		source[c], target[c] = k.effects(z, 0, classRounds)
		var err error
		if fits[c], err = k.fit(ctx, k.rest(z, source[c], target[c]), c, rank, 1e-6, start); err != nil {
			return part{}, err
		}
	}
	return part{2 * w, func(to []float64, _ int) func(e described) {
		return func(e described) {
			u, v := e.source, e.target
			for c := range w {
				to[c] = source[c][u] + target[c][v]
				to[w+c] = fits[c].product(u, v)
			}
		}
	}}, nil
}

// rest returns the labels minus the effects of their ends.
func (k *known) rest(z, source, target []float64) []float64 {
	out := make([]float64, len(z))
	for i, e := range k.edges {
		out[i] = z[i] - source[k.source(e)] - target[k.target(e)]
	}
	return out
}

// factors are vectors of sources and targets whose products approximate the labels.
type factors struct {
	rank           int
	source, target []float64 // [nodes,rank]
}

func (f factors) product(u, v int32) float64 {
	sum := 0.0
	for i := range f.rank {
		sum += f.source[int(u)*f.rank+i] * f.target[int(v)*f.rank+i]
	}
	return sum
}

// fit finds factors by alternating least squares with a penalty (Hu, Koren and Volinsky 2008, without confidences).
func (k *known) fit(ctx context.Context, label []float64, class, rank int, least float64, start starter) (factors, error) {
	f := factors{rank, make([]float64, k.Nodes*rank), make([]float64, k.Nodes*rank)}
	start(class, rank, f.source, f.target)
	mean, variance := 0.0, 0.0
	for _, v := range label {
		mean += v / float64(len(label))
	}
	for _, v := range label {
		variance += (v - mean) * (v - mean) / float64(len(label))
	}
	penalty := lowRankShrink*variance + least
	from, to := k.opposite(k.incident(k.source), k.target), k.opposite(k.incident(k.target), k.source)
	for range lowRankSteps {
		if err := ctx.Err(); err != nil {
			return f, err
		}
		k.solve(f.source, f.target, rank, from, label, penalty)
		k.solve(f.target, f.source, rank, to, label, penalty)
	}
	return f, nil
}

// incidence lists the edges at each node.
type incidence struct{ ptr, edge []int32 }

// byNode lists edges by node; the edges of a node keep the given order.
func byNode(nodes int, order []int32, node func(i int32) int32) incidence {
	l := incidence{make([]int32, nodes+1), make([]int32, len(order))}
	for _, i := range order {
		l.ptr[node(i)+1]++
	}
	for v := range nodes {
		l.ptr[v+1] += l.ptr[v]
	}
	next := slices.Clone(l.ptr)
	for _, i := range order {
		v := node(i)
		l.edge[next[v]] = i
		next[v]++
	}
	return l
}

// incident lists the known edges by one of their ends, in their order.
func (k *known) incident(end func(e int32) int32) incidence {
	return k.incidentIn(lists.Range[int32](len(k.edges)), end)
}

// byEnds lists the known edges by one of their ends; the edges at a node are sorted by the other end.
func (k *known) byEnds(end, other func(e int32) int32) incidence {
	return k.incidentIn(k.incident(other).edge, end)
}

// incidentIn is incident with the edges in another order.
func (k *known) incidentIn(order []int32, end func(e int32) int32) incidence {
	return byNode(k.Nodes, order, func(i int32) int32 { return end(k.edges[i]) })
}

// opposite is an incidence with the other end of each edge.
type opposite struct {
	incidence
	node []int32
}

func (k *known) opposite(at incidence, other func(e int32) int32) opposite {
	return opposite{at, lists.Map(at.edge, func(i int32) int32 { return other(k.edges[i]) })}
}

// solve fits the vector of each node to the labels of its edges, given the vectors of their other ends. A node
// without edges gets 0.
func (k *known) solve(to, from []float64, rank int, at opposite, label []float64, penalty float64) {
	k.pool.Rows(k.Nodes, 64*rank, func(lo, hi int) {
		matrix, right := make([]float64, rank*rank), make([]float64, rank)
		var x [][]float64
		var z []float64
		for v := lo; v < hi; v++ {
			x, z = x[:0], z[:0]
			for p := at.ptr[v]; p < at.ptr[v+1]; p++ {
				x, z = append(x, from[int(at.node[p])*rank:][:rank]), append(z, label[at.edge[p]])
			}
			ridge(to[v*rank:][:rank], x, z, penalty, matrix, right)
		}
	})
}

// ridge writes the w that minimises Σ(w·xᵢ - zᵢ)² + penalty·|w|² to out; w is 0 without rows x. matrix and right are
// scratch memory. If there are fewer rows than numbers in w, it solves the smaller dual system with a factor for each
// row.
func ridge(out []float64, x [][]float64, z []float64, penalty float64, matrix, right []float64) {
	n := len(x)
	if n < len(out) {
		for a := range n {
			right[a] = z[a]
			for b := range a + 1 {
				sum := 0.0
				for j, v := range x[a] {
					sum += v * x[b][j]
				}
				matrix[a*n+b] = sum
			}
			matrix[a*n+a] += penalty
		}
		solvePositive(matrix, right[:n])
		clear(out)
		for a, row := range x {
			for j, v := range row {
				out[j] += right[a] * v
			}
		}
		return
	}
	rank := len(out)
	clear(matrix)
	clear(right)
	for i, row := range x {
		for a, v := range row {
			right[a] += v * z[i]
			of := matrix[a*rank:][:a+1]
			for b, u := range row[:len(of)] {
				of[b] += v * u
			}
		}
	}
	for a := range rank {
		matrix[a*rank+a] += penalty
	}
	solvePositive(matrix, right)
	copy(out, right)
}

// solvePositive solves matrix·x = b for a positive definite matrix, given by its lower half. Both are overwritten; x is
// returned in b. For a singular matrix x is 0.
func solvePositive(matrix, b []float64) {
	if !cholesky.Factor(matrix, len(b)) {
		clear(b)
		return
	}
	cholesky.Solve(matrix, len(b), b)
}
