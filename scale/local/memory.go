package local

import (
	"math"
	"strings"

	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// Constants for planning memory.
const (
	// processBytes is the memory of the program beyond the planned memory.
	processBytes = 128 << 20
	// heapShare is the share of the memory that can be planned. The rest is garbage that is not
	// collected yet.
	heapShare = 0.75
	// outputBytes is the memory for writing an edge, beyond its rows.
	outputBytes = 320
	// cacheNodes is the number of nodes of a part whose sums a block adds at a time.
	cacheNodes = 1024
	// assumedFree is the free memory if the system does not tell.
	assumedFree = 4 << 30
)

// plan has the sizes that decide how a turn uses memory.
type plan struct {
	budget int64 // bytes that can be planned
	block  int64 // bytes of the largest block in memory
	edges  int64 // number of its edges
	nodes  int64 // largest number of its nodes
	part   int64 // bytes of the largest part
	most   int64 // number of its nodes
}

// newPlan measures a store. A bound of 0 means half of the free memory.
func (c *Config) newPlan() *plan {
	bound := c.Memory
	if bound <= 0 {
		free := memory.Free()
		if free <= 0 {
			free = assumedFree
		}
		bound = free / 2
	}
	m := &c.Store.Manifest
	p := &plan{budget: int64(heapShare*float64(bound)) - processBytes, edges: int64(m.BlockSize(0))}
	p.nodes = min(2*p.edges, m.Nodes)
	for _, n := range m.Parts {
		p.most = max(p.most, int64(n))
	}
	for name, f := range m.Files {
		switch {
		case strings.HasSuffix(name, ".block"):
			p.block = max(p.block, f.Bytes)
		case strings.HasSuffix(name, ".part"):
			p.part = max(p.part, f.Bytes)
		}
	}
	return p
}

// summing returns the memory of a thread that adds the messages of a turn.
func (p *plan) summing(width int) int64 {
	return p.block + p.edges*4*int64(width) + 8*p.edges + 4*p.nodes + cacheNodes*8*int64(width)
}

// parting returns the memory of a thread that computes the rows of a part.
func (p *plan) parting(g visit.Program, turn int) int64 {
	width := g.NodeWidth(turn)
	if turn > 0 {
		width += g.NodeWidth(turn - 1)
	}
	return p.part + 16*p.most + 4*p.most*int64(width)
}

// visiting returns the memory of a thread for a visit of a block.
func (p *plan) visiting(g visit.Program, turn int) int64 {
	width := g.StateWidth(turn) // in the memory of the previous state
	if turn > 0 {
		width = max(width, g.StateWidth(turn-1))
	}
	if !g.MessageIsState(turn) {
		width += g.MessageWidth(turn)
	}
	bytes := p.block + 4*p.nodes*int64(g.NodeWidth(turn)) + 4*p.edges*int64(width)
	if turn == g.Turns()-1 {
		bytes += 4*p.edges*int64(g.OutputWidth()+g.VectorWidth()) + outputBytes*p.edges
	}
	return bytes
}

// workers returns the number of threads for work that takes each bytes on each thread and shared
// bytes in total.
func (p *plan) workers(threads int, each, shared int64) (int, error) {
	n := (p.budget - shared) / max(each, 1)
	if n < 1 {
		need := float64(each+shared+processBytes) / heapShare
		return 0, settings.Misuse("local: a memory of %s is needed at least, for blocks of %d edges and parts of up to %d nodes; more memory, smaller blocks or more parts will do",
			memory.Text(math.Ceil(need)), p.edges, p.most)
	}
	return int(min(n, int64(threads))), nil
}

// fits returns an error if some turn needs more memory even on one thread.
func (p *plan) fits(g visit.Program) error {
	most := int64(0)
	for turn := range g.Turns() {
		most = max(most, p.visiting(g, turn), p.parting(g, turn))
		if turn > 0 {
			most = max(most, p.totalled(g, turn)+visit.TotalBytes(int(p.most), g.MessageWidth(turn-1)))
		}
	}
	_, err := p.workers(1, most, 0)
	return err
}

// totalled returns the memory of a thread in addition to totals: while it adds to them, and later
// for the rows of a part.
func (p *plan) totalled(g visit.Program, turn int) int64 {
	return max(p.summing(g.MessageWidth(turn-1)), p.parting(g, turn))
}
