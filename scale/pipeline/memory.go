package pipeline

import (
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// prismFactor is how many times the shuffled bytes of a job Prism's process takes, as measured.
const prismFactor = 8.5

// mostShuffled is the most bytes that a turn of a program may send between blocks and parts.
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

// fitsPrism refuses a store that Prism, which keeps all that is shuffled in memory, may not have room for; free is
// the memory that is free, 0 where that is not known.
func fitsPrism(m *store.Manifest, p visit.Program, free int64) error {
	need := prismFactor * float64(mostShuffled(m, p))
	if free > 0 && need > float64(free)/2 {
		return settings.Misuse("runner %s keeps all that it shuffles in memory: it may need %s and %s are free, of which it takes half at most; --runner local works from files", Prism, memory.Text(need), memory.Text(free))
	}
	return nil
}
