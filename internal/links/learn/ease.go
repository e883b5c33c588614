package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/cholesky"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// EASETargets is the largest number of targets for which EASE is a baseline. Its time grows with
// the cube of this number.
const EASETargets = 2000

// EASE recommends targets by a linear map of the targets of a source, in closed form. With P the
// inverse of XᵀX + λI, the weight from target j to target i is -P[j,i]/P[i,i], and 0 for j = i
// (Steck 2019).
type EASE struct {
	targets []int32
	place   []int32   // position of each node in targets, or -1 for a source
	weights []float64 // [targets, targets]
	graph   *links.Graph
}

// NewEASE computes the weights for the targets of a bipartite graph.
func NewEASE(ctx context.Context, d *links.Data, g *links.Graph, lambda float64, threads int) (*EASE, error) {
	_, targets := d.Ends()
	n := len(targets)
	m := &EASE{targets: targets, place: make([]int32, g.Nodes), weights: make([]float64, n*n), graph: g}
	for v := range m.place {
		m.place[v] = -1
	}
	for k, v := range targets {
		m.place[v] = int32(k)
	}
	gram := make([]float64, n*n)
	for u := range int32(g.Nodes) {
		for _, v := range g.Out.Of(u) {
			for _, w := range g.Out.Of(u) {
				gram[int(m.place[v])*n+int(m.place[w])]++
			}
		}
	}
	for i := range n {
		gram[i*n+i] += lambda
	}
	if !cholesky.Factor(gram, n) {
		return nil, fmt.Errorf("ease: the equations are singular; a larger λ than %g helps", lambda)
	}
	columns := lists.Range[int](n)
	_, err := par.Map(ctx, threads, columns, func(i int) struct{} { // row i of P from the diagonal on; this needs only the rows of LLᵀ from i on
		row := m.weights[i*n : (i+1)*n]
		row[i] = 1
		cholesky.Solve(gram[i*n+i:], n, row[i:])
		return struct{}{}
	})
	if err != nil {
		return nil, err
	}
	diagonal := make([]float64, n)
	for i := range n { // P is symmetric
		diagonal[i] = m.weights[i*n+i]
		for k := i + 1; k < n; k++ {
			m.weights[k*n+i] = m.weights[i*n+k]
		}
	}
	for j := range n {
		row := m.weights[j*n : (j+1)*n]
		for i := range row {
			row[i] /= -diagonal[i]
		}
		row[j] = 0
	}
	return m, nil
}

// Over returns the same baseline with the pairs of sources in another graph. The graph may have
// additional nodes. The weights stay the same, and an additional target has none.
func (m *EASE) Over(g *links.Graph) score.Scorer {
	return &EASE{m.targets, slices.Concat(m.place, lists.Repeat[int32](-1, g.Nodes-len(m.place))), m.weights, g}
}

// Names returns the name of the baseline.
func (m *EASE) Names() []string { return []string{"ease"} }

// Worker returns a worker.
func (m *EASE) Worker(links.Workers) score.Worker { return easeWorker{m} }

type easeWorker struct{ *EASE }

func (w easeWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	n := len(w.targets)
	for i, v := range others {
		u := kept
		if reverse {
			u, v = v, kept
		}
		sum, at := 0.0, int(w.place[v])
		for _, own := range w.graph.Out.Of(u) {
			if row := int(w.place[own]); row >= 0 && at >= 0 {
				sum += w.weights[row*n+at]
			}
		}
		out[0][i] = sum
	}
}
