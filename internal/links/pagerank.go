package links

import (
	"math"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Sizes of a graph for which pageRanks replaces Push. On such a graph Push passes each edge about
// 14 times for each source.
const (
	mostRankedNodes  = 8192    // the vectors of all nodes take 256 MiB
	leastRankedEdges = 1 << 15 // counted in both directions
)

// rankedSources is the number of sources in a block of pageRanks.
const rankedSources = 32

// pageRanks computes the vectors of personalised PageRank of blocks of sources by Chebyshev iteration (Golub and Varga
// 1961), which needs real eigenvalues: a random walk on an undirected graph has them. The error at a node v is at most about
// eps·d(v), like the error of Push. A value does not depend on the other sources of its block.
type pageRanks struct {
	g      *CSR
	eps    float64
	ptr    []int32
	walk   []float32 // the weight of each edge of g.Adj in an iteration
	blocks []rankBlock
}

// rankBlock has the values of rankedSources sources: the value of source j at node v is values[v·rankedSources+j].
type rankBlock struct {
	begun  atomic.Bool
	done   chan struct{}
	values []float32
}

// The iteration is x' = omega·((1-Alpha)·P·x + Alpha·e) + (1-omega)·x″, where x″ is the vector before x. Each step multiplies the
// bound on the error by chebyshevRate.
var (
	omega         = 2 / (1 + math.Sqrt(1-(1-Alpha)*(1-Alpha)))
	chebyshevRate = math.Sqrt(omega - 1)
)

// newPageRanks returns an empty pageRanks of a graph.
func newPageRanks(g *CSR, nodes int, eps float64) *pageRanks {
	r := &pageRanks{g: g, eps: eps, ptr: make([]int32, nodes+1), walk: make([]float32, len(g.Adj)),
		blocks: make([]rankBlock, (nodes+rankedSources-1)/rankedSources)}
	for v, at := range g.Ptr {
		r.ptr[v] = int32(at)
	}
	for k, u := range g.Adj {
		r.walk[k] = float32(omega * (1 - Alpha) / float64(g.Degree(u)))
	}
	for i := range r.blocks {
		r.blocks[i].done = make(chan struct{})
	}
	return r
}

// from returns the values of a source: the value at node v is values[v·rankedSources]. If another goroutine computes them, the
// caller first computes the next block that no goroutine has begun, and then waits.
func (r *pageRanks) from(source int32) (values []float32) {
	at := source / rankedSources
	own := &r.blocks[at]
	for i := range r.blocks[at:] {
		b := &r.blocks[int(at)+i]
		if b.begun.CompareAndSwap(false, true) {
			b.values = r.compute(at + int32(i))
			close(b.done)
			break
		}
		if own.ended() {
			break
		}
	}
	<-own.done
	return own.values[source%rankedSources:]
}

// ended reports whether the values are computed.
func (b *rankBlock) ended() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// compute returns the values of a block. It iterates until the bound on the error is at most eps, and sets a value that is
// smaller than the allowed error to 0.
func (r *pageRanks) compute(block int32) []float32 {
	nodes := len(r.ptr) - 1
	first := block * rankedSources
	count := min(rankedSources, int32(nodes)-first)
	x, before := make([]float32, nodes*rankedSources), make([]float32, nodes*rankedSources)
	restart := func(x []float32, by float64) {
		for j := range count {
			x[(first+j)*rankedSources+j] += float32(by * Alpha)
		}
	}
	back := make([]float32, nodes)
	for v := range back {
		back[v] = float32(1 - omega)
	}
	restart(x, 1)
	steps := kernel.SpMM{D: rankedSources, Ptr: r.ptr, Col: r.g.Adj, Coef: r.walk, SelfCoef: back}
	for bound := 2.0; bound > r.eps; bound *= chebyshevRate {
		steps.Dst, steps.X, steps.Self = before, x, before
		steps.Rows(0, nodes)
		restart(before, omega)
		x, before = before, x
	}
	for v := range nodes {
		least := float32(r.eps * float64(r.g.Degree(int32(v))))
		row := x[v*rankedSources:][:rankedSources]
		for j, p := range row {
			if p < least {
				row[j] = 0
			}
		}
	}
	for j := range count {
		if r.g.Degree(first+j) == 0 {
			x[(first+j)*rankedSources+j] = 1
		}
	}
	return x
}
