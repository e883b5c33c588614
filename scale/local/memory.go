package local

import (
	"math"
	"strings"

	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// Figures by which memory is planned.
const (
	// processBytes is what the program takes beside what is planned.
	processBytes = 128 << 20
	// heapShare is the part of the memory that what is planned may take: the rest is what the collector has
	// not come to yet.
	heapShare = 0.75
	// outputBytes is what writing takes for an edge, beside its rows.
	outputBytes = 320
	// cacheNodes is how many nodes of a part a block adds up at a time.
	cacheNodes = 1024
	// assumedFree is the free memory where the system does not tell.
	assumedFree = 4 << 30
)

// plan says how a turn uses memory.
type plan struct {
	budget int64 // of what is planned
	block  int64 // bytes of the largest block as it is in memory
	edges  int64 // of it
	nodes  int64 // of it, at most
	part   int64 // bytes of the largest part
	most   int64 // nodes of it
}

// newPlan measures a store. A bound of 0 is half of what is free.
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

// summing is what a thread needs to add up the messages of a turn.
func (p *plan) summing(width int) int64 {
	return p.block + p.edges*4*int64(width) + 8*p.edges + 4*p.nodes + cacheNodes*8*int64(width)
}

// parting is what a thread needs to compute the rows of a part.
func (p *plan) parting(g visit.Program, turn int) int64 {
	width := g.NodeWidth(turn)
	if turn > 0 {
		width += g.NodeWidth(turn - 1)
	}
	return p.part + 16*p.most + 4*p.most*int64(width)
}

// visiting is what a thread needs for a turn of a block.
func (p *plan) visiting(g visit.Program, turn int) int64 {
	width := g.StateWidth(turn) // in the memory of the state before
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

// workers is on how many threads something can be done at once that takes some bytes for each,
// beside what all share.
func (p *plan) workers(threads int, each, shared int64) (int, error) {
	n := (p.budget - shared) / max(each, 1)
	if n < 1 {
		need := float64(each+shared+processBytes) / heapShare
		return 0, settings.Misuse("local: a memory of %s is needed at least, for blocks of %d edges and parts of up to %d nodes; more memory, smaller blocks or more parts will do",
			memory.Text(math.Ceil(need)), p.edges, p.most)
	}
	return int(min(n, int64(threads))), nil
}

// fits refuses a memory in which some turn cannot be done on one thread.
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

// totalled is what a thread needs beside totals: while it adds to them, and then for the rows of a
// part.
func (p *plan) totalled(g visit.Program, turn int) int64 {
	return max(p.summing(g.MessageWidth(turn-1)), p.parting(g, turn))
}
