package links

import (
	"math"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Sizes of a graph for which pageRanks take the place of Push. On such a graph Push passes each edge some 14 times for each source.
const (
	mostRankedNodes  = 8192    // whose vectors together take 256 MiB
	leastRankedEdges = 1 << 15 // in both directions
)

// rankedSources is the number of sources in a block of pageRanks.
const rankedSources = 32

// pageRanks computes the vectors of personalised PageRank of blocks of sources by Chebyshev iteration (Golub and Varga
// 1961): the eigenvalues of the random walk of an undirected graph are real. The error at a node v is at most about
// eps·d(v), as that of Push. A value does not depend on the other sources of its block.
type pageRanks struct {
	g      *CSR
	eps    float64
	ptr    []int32
	walk   []float32 // of each edge, to the node from its neighbour
	blocks []rankBlock
}

// rankBlock has the values of some sources: that of source j at node v is values[v·rankedSources+j].
type rankBlock struct {
	begun  atomic.Bool
	done   chan struct{}
	values []float32
}

// Factors of the iteration x' = omega·((1-Alpha)·P·x + Alpha·e) + (1-omega)·x″ with x″ the vector before x, whose error
// falls by chebyshevRate with each step.
var (
	omega         = 2 / (1 + math.Sqrt(1-(1-Alpha)*(1-Alpha)))
	chebyshevRate = math.Sqrt(omega - 1)
)

// newPageRanks begins to compute on a graph.
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

// from are the values of a source: that at node v is values[v·rankedSources]. Where another goroutine computes them, the caller
// computes the next block that none has begun before it waits.
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

func (b *rankBlock) ended() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// compute iterates until the bound of Chebyshev iteration on the error is below eps. Values below the error are 0.
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
