package learn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/internal/cholesky"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// IALSConfig are the settings of implicit alternating least squares.
type IALSConfig struct {
	Dim    int     `json:"dim"`
	Alpha  float64 `json:"alpha0"` // weight of all cells
	Lambda float64 `json:"lambda"`
	Sweeps int     `json:"sweeps"`
}

// IALS factorises a bipartite graphby alternating least squares. It solves a ridge regression for
// each source and then for each target, with the penalty λ(n + α₀·M): n is the number of pairs of
// the row, M the number of rows of the other side (Rendle et al. 2022).
type IALS struct {
	Config  IALSConfig
	Targets []int32 // the nodes of the rows of Items
	Items   []float32
	place   []int32 // position of each node in Targets, or -1 for a source
	sources []int32
	more    []int32 // targets that training did not have; On solves their vectors
}

// TrainIALS trains on a bipartite graph.
func TrainIALS(ctx context.Context, d *links.Data, g *links.Graph, c IALSConfig, seed uint64, threads int) (*IALS, error) {
	m := NewIALS(d, c)
	items := make([]float64, 0, c.Dim)
	large := d.Nodes() > ExactNodes
	for k, v := range m.Targets {
		r := rng.Stream(seed, "links", "ials", d.IDs[v])
		for i := range c.Dim {
			if x := r.NormFloat64() * 0.1 / math.Sqrt(float64(c.Dim)); large {
				m.Items[k*c.Dim+i] = float32(x)
			} else {
				items = append(items, x)
			}
		}
	}
	at := lists.Inverse(m.sources, d.Nodes())
	if large {
		return m, m.trainLarge(ctx, g, at, threads)
	}
	users := make([]float64, len(m.sources)*c.Dim)
	for range c.Sweeps {
		if err := solveAll(ctx, threads, c, items, users, m.sources, g.Out.Of, m.place); err != nil {
			return nil, err
		}
		if err := solveAll(ctx, threads, c, users, items, m.Targets, g.In.Of, at); err != nil {
			return nil, err
		}
	}
	m.Items = lists.Convert[float32](items)
	return m, nil
}

// trainLarge trains with conjugate gradients. at is the row of each source.
func (m *IALS) trainLarge(ctx context.Context, g *links.Graph, at []int32, threads int) error {
	users := make([]float32, len(m.sources)*m.Config.Dim)
	for range m.Config.Sweeps {
		if err := newGradients(m.Config, m.Items).solveAll(ctx, threads, sweepSteps, users, m.sources, g.Out.Of, m.place); err != nil {
			return err
		}
		if err := newGradients(m.Config, users).solveAll(ctx, threads, sweepSteps, m.Items, m.Targets, g.In.Of, at); err != nil {
			return err
		}
	}
	return nil
}

// NewIALS returns a model in which the vectors of targets are zeros.
func NewIALS(d *links.Data, c IALSConfig) *IALS {
	sources, targets := d.Ends()
	m := &IALS{Config: c, sources: sources, Targets: targets, Items: make([]float32, len(targets)*c.Dim), place: make([]int32, d.Nodes())}
	for i := range m.place {
		m.place[i] = -1
	}
	for k, v := range targets {
		m.place[v] = int32(k)
	}
	return m
}

// solveAll computes the rows of one side from the rows of the other side.
func solveAll(ctx context.Context, threads int, c IALSConfig, from, to []float64, nodes []int32, partners func(int32) []int32, place []int32) error {
	s, err := newRidge(c, from)
	if err != nil {
		return err
	}
	const block = 64
	var starts []int
	for lo := 0; lo < len(nodes); lo += block {
		starts = append(starts, lo)
	}
	errs, err := par.Map(ctx, threads, starts, func(lo int) error {
		w := s.worker()
		for k := lo; k < min(lo+block, len(nodes)); k++ {
			if err := w.solve(partners(nodes[k]), place, to[k*c.Dim:(k+1)*c.Dim]); err != nil {
				return err
			}
		}
		return nil
	})
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return err
}

// ridge solves (α₀·FᵀF + Σvvᵀ + λ(n+α₀·M)·I)x = Σv. v are rows of F.
type ridge struct {
	c    IALSConfig
	from []float64
	gram []float64
	rows int

	mu      sync.Mutex
	factors map[int][]float64 // by the number of partners; nil if there is no factor
}

func newRidge(c IALSConfig, from []float64) (*ridge, error) {
	if c.Dim < 1 {
		return nil, fmt.Errorf("ials: width %d, expected 1 or more", c.Dim)
	}
	d := c.Dim
	s := &ridge{c: c, from: from, gram: make([]float64, d*d), rows: len(from) / d, factors: map[int][]float64{}}
	for r := range s.rows {
		addOuter(s.gram, from[r*d:(r+1)*d])
	}
	return s, nil
}

// addOuter adds vvᵀ to the lower triangle of a square matrix.
func addOuter(a, v []float64) {
	d := len(v)
	for i, x := range v {
		if x == 0 {
			continue
		}
		row := a[i*d : i*d+i+1]
		for j := range row {
			row[j] += float64(x * v[j])
		}
	}
}

// fewPartners divides the width. Rows with fewer partners than the quotient are solved by the
// Woodbury identity: with the factor of α₀·FᵀF + λ(n+α₀·M)·I, which all rows with n partners share,
// and a system of n equations.
const fewPartners = 4

// factor returns the Cholesky factor that rows with n partners share.
func (s *ridge) factor(n int) ([]float64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.factors[n]
	if !ok {
		d := s.c.Dim
		l = make([]float64, d*d)
		for i, g := range s.gram {
			l[i] = s.c.Alpha * g
		}
		for i := range d {
			l[i*d+i] += s.penalty(n)
		}
		if !cholesky.Factor(l, d) {
			l = nil
		}
		s.factors[n] = l
	}
	return l, l != nil
}

// penalty returns λ(n+α₀·M).
func (s *ridge) penalty(n int) float64 {
	return s.c.Lambda * (float64(n) + s.c.Alpha*float64(s.rows))
}

type ridgeWorker struct {
	*ridge
	a, rows, small []float64
}

func (s *ridge) worker() *ridgeWorker {
	return &ridgeWorker{ridge: s, a: make([]float64, s.c.Dim*s.c.Dim)}
}

// solve writes the solution for a row with the given partners.
func (w *ridgeWorker) solve(partners, place []int32, x []float64) error {
	n := lists.Count(partners, func(p int32) bool { return place[p] >= 0 })
	ok := false
	if n*fewPartners < w.c.Dim {
		ok = w.solveFew(partners, place, n, x)
	} else {
		ok = w.solveWhole(partners, place, n, x)
	}
	if !ok {
		return fmt.Errorf("ials: the equations of a row are singular; a larger λ than %g helps", w.c.Lambda)
	}
	return nil
}

// solveFew solves a row with few partners. With LLᵀ the shared factor and W = VL⁻ᵀ, the solution is
// L⁻ᵀ(W'1 - W'(I+WW')⁻¹WW'1).
func (w *ridgeWorker) solveFew(partners, place []int32, n int, x []float64) bool {
	l, ok := w.factor(n)
	if !ok {
		return false
	}
	d := w.c.Dim
	w.rows = w.rows[:0]
	clear(x)
	for _, p := range partners {
		if place[p] < 0 {
			continue
		}
		w.rows = append(w.rows, w.from[int(place[p])*d:][:d]...)
		row := w.rows[len(w.rows)-d:]
		cholesky.Forward(l, d, row)
		for i, y := range row {
			x[i] += y
		}
	}
	w.small = append(w.small[:0], make([]float64, n*n+n)...)
	inner, right := w.small[:n*n], w.small[n*n:]
	for i := range n {
		a := w.rows[i*d : (i+1)*d]
		for j := range i + 1 {
			inner[i*n+j] = cholesky.Dot(a, w.rows[j*d:(j+1)*d])
		}
		inner[i*n+i]++
		right[i] = cholesky.Dot(a, x)
	}
	if !cholesky.Factor(inner, n) {
		return false
	}
	cholesky.Solve(inner, n, right)
	for i, r := range right {
		for k, y := range w.rows[i*d : (i+1)*d] {
			x[k] -= float64(r * y)
		}
	}
	cholesky.Backward(l, d, x)
	return true
}

// solveWhole solves the equations of a row directly.
func (w *ridgeWorker) solveWhole(partners, place []int32, n int, x []float64) bool {
	d := w.c.Dim
	for i, g := range w.gram {
		w.a[i] = w.c.Alpha * g
	}
	clear(x)
	for _, p := range partners {
		if place[p] < 0 {
			continue
		}
		v := w.from[int(place[p])*d:][:d]
		addOuter(w.a, v)
		for i, y := range v {
			x[i] += y
		}
	}
	for i := range d {
		w.a[i*d+i] += w.penalty(n)
	}
	if !cholesky.Factor(w.a, d) {
		return false
	}
	cholesky.Solve(w.a, d, x)
	return true
}

// On computes the vectors of sources from their pairs in the graph of c, so a source that training
// did not see is like any other. It then computes the vectors of new targets from the sources.
func (m *IALS) On(c *links.Columns, name string, threads int) (score.Scorer, error) {
	rows, err := m.solveNew(c.Graph.Nodes, threads, m.Items, m.sources, c.Graph.Out.Of, m.place)
	if err != nil {
		return nil, err
	}
	items := m.Items
	if len(m.more) > 0 {
		at := lists.Inverse(m.sources, c.Graph.Nodes)
		more, err := m.solveNew(c.Graph.Nodes, threads, rows, m.more, c.Graph.In.Of, at)
		if err != nil {
			return nil, err
		}
		items = slices.Concat(items, more)
	}
	return score.NewProducts(name, c.Graph.Nodes, m.Config.Dim, score.Vectors{Nodes: m.sources, Rows: rows},
		score.Vectors{Nodes: slices.Concat(m.Targets, m.more), Rows: items}), nil
}

// solveNew returns the rows of nodes, computed from the rows of their partners.
func (m *IALS) solveNew(size, threads int, from []float32, nodes []int32, partners func(int32) []int32, place []int32) ([]float32, error) {
	if size > ExactNodes {
		rows := make([]float32, len(nodes)*m.Config.Dim)
		err := newGradients(m.Config, from).solveAll(context.Background(), threads, newSteps, rows, nodes, partners, place)
		return rows, err
	}
	rows := make([]float64, len(nodes)*m.Config.Dim)
	err := solveAll(context.Background(), threads, m.Config, lists.Convert[float64](from), rows, nodes, partners, place)
	return lists.Convert[float32](rows), err
}

// Arrays returns the weights as arrays of a file.
func (m *IALS) Arrays() []safetensors.Tensor {
	return []safetensors.Tensor{{Name: ialsItems, Shape: []int{len(m.Targets), m.Config.Dim}, Data: m.Items}}
}

// ialsItems is the name of the array of vectors of targets.
const ialsItems = "items"

// LoadIALS returns a model from its arrays.
func LoadIALS(d *links.Data, c IALSConfig, f *safetensors.File) (*IALS, error) {
	m := NewIALS(d, c)
	t, ok := f.Lookup(ialsItems)
	if !ok || len(t.Data) != len(m.Items) {
		return nil, missingArray(ialsItems, len(m.Items))
	}
	copy(m.Items, t.Data)
	return m, nil
}
