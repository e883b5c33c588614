package pipeline

import (
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// prismFactor is the measured memory of Prism's process, as a multiple of the shuffled bytes of a
// job.
const prismFactor = 8.5

// mostShuffled returns the largest number of bytes that a turn of a program can send between blocks
// and parts.
func mostShuffled(m *store.Manifest, p visit.Program) int64 {
	most := int64(0)
	for turn := range p.Turns() {
		if p.NodeWidth(turn) == 0 {
			continue
		}
		said := 0
		if turn > 0 {
			said = p.MessageWidth(turn - 1)
		}
		most = max(most, m.Shuffled(said, p.NodeWidth(turn)))
	}
	return most
}

// fitsPrism returns an error if Prism, which keeps all shuffled data in memory, may not have enough
// memory for a store. free is the free memory, 0 if unknown.
func fitsPrism(m *store.Manifest, p visit.Program, free int64) error {
	need := prismFactor * float64(mostShuffled(m, p))
	if free > 0 && need > float64(free)/2 {
		return settings.Misuse("runner %s keeps all that it shuffles in memory: it may need %s and %s are free, of which it takes half at most; --runner local works from files", Prism, memory.Text(need), memory.Text(free))
	}
	return nil
}
