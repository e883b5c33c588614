package score

import (
	"context"
	"slices"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Vectors has the vectors of nodes, in ascending order of the nodes.
type Vectors struct {
	Nodes []int32
	Rows  []float32 // [nodes, width]
	place []int32   // position of each node in Nodes, or -1
}

// Products scores a source and a target by the inner product of their vectors. The bits of a score
// do not depend on which other candidates are scored.
type Products struct {
	name  string
	width int
	sides [2]Vectors // vectors of sources and of targets
}

// NewProducts returns a scorer by the vectors of sources and targets. nodes is the number of nodes
// of the graph.
func NewProducts(name string, nodes, width int, sources, targets Vectors) *Products {
	p := &Products{name, width, [2]Vectors{sources, targets}}
	for s := range p.sides {
		side := &p.sides[s]
		side.place = slices.Repeat([]int32{-1}, nodes)
		for k, v := range side.Nodes {
			side.place[v] = int32(k)
		}
	}
	return p
}

// Names returns the name of the model.
func (p *Products) Names() []string { return []string{p.name} }

// Worker returns a worker.
func (p *Products) Worker(links.Workers) Worker { return &productWorker{p: p} }

// ends returns the vectors of the kept ends and of the other ends.
func (p *Products) ends(reverse bool) (kept, others *Vectors) {
	if reverse {
		return &p.sides[1], &p.sides[0]
	}
	return &p.sides[0], &p.sides[1]
}

func (v *Vectors) row(node int32, width int) []float32 {
	return v.Rows[int(v.place[node])*width:][:width]
}

type productWorker struct {
	p         *Products
	rows, out []float32
}

// productRows is the number of candidates whose vectors are gathered together.
const productRows = 4096

func (w *productWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	of, side := w.p.ends(reverse)
	d := w.p.width
	if w.rows == nil {
		w.rows, w.out = make([]float32, productRows*d), make([]float32, productRows)
	}
	for lo := 0; lo < len(others); lo += productRows {
		n := min(productRows, len(others)-lo)
		for i, v := range others[lo : lo+n] {
			copy(w.rows[i*d:], side.row(v, d))
		}
		multiply(w.out, of.row(kept, d), w.rows[:n*d], d)
		for i, x := range w.out[:n] {
			out[0][lo+i] = float64(x)
		}
	}
}

// multiply writes the inner product of each row of a with each row of b. A single row of b is
// multiplied as two rows, because the kernel for one row adds in another order.
func multiply(c, a, b []float32, d int) {
	m, n := len(a)/d, len(b)/d
	if n == 1 {
		two := make([]float32, 2*m)
		multiply(two, a, slices.Concat(b, b), d)
		for i := range m {
			c[i] = two[2*i]
		}
		return
	}
	(&kernel.Gemm{C: c[:m*n], A: a, B: b, M: m, N: n, K: d, TransB: true}).Rows(0, m)
}

// Sizes of a block of scores: numbers of kept ends and of candidates.
const (
	blockKept   = 256
	blockOthers = 4096
)

// Ranked is a candidate with its score.
type Ranked struct {
	Node  int32
	Score float64
}

// Top ranks all candidates of kept ends except known partners, in blocks of scores, and returns the
// k best candidates of each kept end, by descending score. Of equal scores the smaller node comes
// first. allowed says which nodes can be candidates; nil allows all.
func (p *Products) Top(ctx context.Context, threads int, kept []int32, reverse bool, k int, known *links.Known, allowed []bool) ([][]Ranked, error) {
	var starts []int
	size := min(blockKept, max(1, (len(kept)+threads-1)/threads))
	for lo := 0; lo < len(kept); lo += size {
		starts = append(starts, lo)
	}
	type result struct {
		lists [][]Ranked
		err   error
	}
	results, err := par.Map(ctx, threads, starts, func(lo int) result {
		lists, err := p.topBlock(ctx, kept[lo:min(lo+size, len(kept))], reverse, k, known, allowed)
		return result{lists, err}
	})
	if err != nil {
		return nil, err
	}
	var out [][]Ranked
	for _, r := range results {
		if r.err != nil {
			return nil, r.err
		}
		out = append(out, r.lists...)
	}
	return out, nil
}

// topBlock ranks the candidates of a block of kept ends.
func (p *Products) topBlock(ctx context.Context, kept []int32, reverse bool, k int, known *links.Known, allowed []bool) ([][]Ranked, error) {
	of, side := p.ends(reverse)
	d, n := p.width, len(kept)
	a, c := make([]float32, 0, n*d), make([]float32, n*min(blockOthers, len(side.Nodes)))
	partners, best := make([][]int32, n), make([]Best, n)
	for i, u := range kept {
		a, partners[i], best[i] = append(a, of.row(u, d)...), known.Of(u, reverse), NewBest(k)
	}
	for lo := 0; lo < len(side.Nodes); lo += blockOthers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		nodes := side.Nodes[lo:min(lo+blockOthers, len(side.Nodes))]
		multiply(c, a, side.Rows[lo*d:][:len(nodes)*d], d)
		for i, u := range kept {
			known := partners[i]
			for j, x := range c[i*len(nodes):][:len(nodes)] {
				if x != x {
					return nil, rank.ErrNaN
				}
				if !best[i].takes(float64(x)) {
					continue
				}
				v := nodes[j]
				for len(known) > 0 && known[0] < v {
					known = known[1:]
				}
				if len(known) > 0 && known[0] == v || v == u || allowed != nil && !allowed[v] {
					continue
				}
				best[i].Add(Ranked{v, float64(x)})
			}
			partners[i] = known
		}
	}
	out := make([][]Ranked, n)
	for i := range best {
		out[i] = best[i].Sorted()
	}
	return out, nil
}
