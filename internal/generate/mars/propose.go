package mars

import (
	"cmp"
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// edit is an edit of a molecule.
type edit struct {
	add bool
	at  int32 // the atom of an addition, or the directed edge of a deletion
	arm int32 // the arm of an addition
}

// draws are the uniform numbers in [0,1) of a proposal.
type draws struct{ act, edge, atom, arm float64 }

// adds reports whether the edit is an addition. Additions and deletions have the same probability.
// A molecule without bonds can only grow.
func (d draws) adds(m *Molecule) bool { return len(m.bonds) == 0 || d.act >= 0.5 }

// block is the number of molecules in a batch of proposals. It must not depend on the number of
// threads.
const block = 64

// proposer proposes edits, with blocks of molecules in parallel, each on its own arena.
type proposer struct {
	network *Network // nil proposes every edit with the same probability
	arms    int
	pool    *par.Pool
	// uniform counts draws whose weights were all zero or not finite.
	uniform atomic.Int64
	arenas  sync.Pool
}

func newProposer(n *Network, arms, threads int) *proposer {
	return &proposer{network: n, arms: arms, pool: par.New(threads), arenas: sync.Pool{New: func() any { return tensor.NewArena(1) }}}
}

// propose draws an edit of each molecule. It calls then with each edit as soon as it is drawn, from
// several goroutines. When then has returned for all molecules of a block, each is called with the
// block, in another goroutine. Blocks come one after the other, in an order that does not depend on
// the number of threads. propose returns when all edits are drawn. wait returns when each has been
// called for all blocks, or with its first error. The caller must call wait.
func (p *proposer) propose(ctx context.Context, of []*Molecule, draw []draws, then func(i int, e edit), each func(ids []int32) error) (wait func() error) {
	var kinds [2][]int32 // deletions, additions
	for i, m := range of {
		k := 0
		if draw[i].adds(m) {
			k = 1
		}
		kinds[k] = append(kinds[k], int32(i))
	}
	var work []func()
	var blocks [][]int32
	var drawn []chan struct{} // closed when the edits of the block are drawn
	for k, ids := range kinds {
		for lo := 0; lo < len(ids); lo += block {
			ids, end := ids[lo:min(lo+block, len(ids))], make(chan struct{})
			blocks, drawn = append(blocks, ids), append(drawn, end)
			work = append(work, func() {
				defer close(end)
				if ctx.Err() != nil {
					return
				}
				for j, e := range p.block(of, draw, ids, k == 1) {
					then(int(ids[j]), e)
				}
			})
		}
	}
	failed := make(chan error, 1)
	go func() {
		for k, ids := range blocks {
			<-drawn[k]
			if err := cmp.Or(ctx.Err(), each(ids)); err != nil {
				failed <- err
				return
			}
		}
		failed <- ctx.Err()
	}()
	p.pool.Do(work...)
	return func() error { return <-failed }
}

// block draws the edits of a block of molecules, either all additions or all deletions.
func (p *proposer) block(of []*Molecule, draw []draws, ids []int32, add bool) []edit {
	out, molecules := make([]edit, len(ids)), make([]*Molecule, len(ids))
	for j, i := range ids {
		molecules[j] = of[i]
	}
	if p.network == nil {
		for j, i := range ids {
			n, u := 2*len(molecules[j].bonds), draw[i].edge
			if add {
				n, u = len(molecules[j].atoms), draw[i].atom
			}
			out[j] = edit{add: add, at: int32(u * float64(n)), arm: int32(draw[i].arm * float64(p.arms))}
		}
		return out
	}
	arena := p.arenas.Get().(*tensor.Arena)
	defer p.arenas.Put(arena)
	tape := arena.Tape()
	defer tape.Close()
	pass := &nn.Pass{Tape: tape}
	b := newBatch(molecules)
	if !add {
		l := p.network.deletions(pass, b)
		for j, i := range ids {
			out[j].at = p.choose(chances(l, 2*b.firstBond[j], 2*b.firstBond[j+1]), draw[i].edge)
		}
		return out
	}
	l := p.network.additions(pass, b)
	atoms := make([]int32, len(ids))
	for j, i := range ids {
		out[j] = edit{add: true, at: p.choose(chances(l, b.firstAtom[j], b.firstAtom[j+1]), draw[i].atom)}
		atoms[j] = int32(b.firstAtom[j]) + out[j].at
	}
	arms := p.network.fragments(pass, b, atoms).Softmax()
	weights := make([]float64, arms.Dim(1))
	for j, i := range ids {
		for k := range weights {
			weights[k] = float64(arms.Data()[j*len(weights)+k])
		}
		out[j].arm = p.choose(weights, draw[i].arm)
	}
	return out
}

// chances returns the probabilities of the second of two classes, in the rows lo to hi of logits.
func chances(logits *tensor.Tensor, lo, hi int) []float64 {
	out := make([]float64, hi-lo)
	for i := range out {
		row := logits.Data()[2*(lo+i):][:2]
		out[i] = 1 / (1 + math.Exp(float64(row[0])-float64(row[1])))
	}
	return out
}

// choose draws an index with probability proportional to its weight, using the uniform number u. If
// the weights are all zero or not finite, all indices have the same probability.
func (p *proposer) choose(weights []float64, u float64) int32 {
	sum := lists.Sum(weights)
	if !(sum > 0) || math.IsInf(sum, 1) {
		p.uniform.Add(1)
		return int32(u * float64(len(weights)))
	}
	last := 0
	for i, w := range weights {
		if w > 0 {
			if u -= w / sum; u < 0 {
				return int32(i)
			}
			last = i
		}
	}
	return int32(last) // rounding left a remainder
}
