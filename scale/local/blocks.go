package local

import (
	"context"
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// runGap is the largest number of unneeded bytes between two rows of a file that are read rather
// than skipped.
const runGap = 4 << 10

// blocks makes the visits of all blocks in a turn, and returns the greatest magnitude in their
// messages.
func (r *runner) blocks(ctx context.Context, turn int, last func(context.Context, *store.Block, *visit.Result) error) (greatest float32, err error) {
	needs := r.plan.visiting(r.Program, turn)
	threads, err := r.plan.workers(r.Threads, needs, 0)
	if err != nil {
		return 0, err
	}
	nodes, err := r.openRows(turn, r.plan.budget-int64(threads)*needs)
	if err != nil {
		return 0, err
	}
	defer nodes.close()
	var mu sync.Mutex
	done := r.step(turn, "blocks")
	err = each(ctx, r.workers[:threads], r.Store.Manifest.Blocks, func(ctx context.Context, w *worker, i int) error {
		most, err := r.block(ctx, turn, i, nodes, w, last)
		done()
		mu.Lock()
		defer mu.Unlock()
		greatest = max(greatest, most)
		return err
	})
	return greatest, err
}

// block makes the visit of a block in a turn.
func (r *runner) block(ctx context.Context, turn, i int, nodes *nodeRows, w *worker, last func(context.Context, *store.Block, *visit.Result) error) (greatest float32, err error) {
	g := r.Program
	final := turn == g.Turns()-1
	if !final {
		kept, ok := r.has(key{states, turn, i})
		if ok && !g.MessageIsState(turn) {
			_, ok = r.has(key{messages, turn, i})
		}
		if ok {
			return kept.greatest, nil
		}
	} else if r.written != nil && r.written(i) {
		return 0, nil
	}
	b, err := r.Store.Block(ctx, i)
	if err != nil {
		return 0, err
	}
	if w.nodes, err = nodes.of(b, w.nodes); err != nil {
		return 0, err
	}
	var state []float32
	if turn > 0 {
		a, err := r.arrays.get(key{states, turn - 1, i}, w.result.State)
		if err != nil {
			return 0, err
		}
		state, w.result.State = a.data, a.data
	}
	if err := g.Block(turn, b, r.Seen, w.nodes, state, &w.result); err != nil {
		return 0, err
	}
	if final {
		return 0, last(ctx, b, &w.result)
	}
	greatest = w.result.Greatest
	if !g.MessageIsState(turn) {
		if err := r.arrays.put(key{messages, turn, i}, array{g.MessageWidth(turn), greatest, w.result.Message}); err != nil {
			return 0, err
		}
	}
	return greatest, r.arrays.put(key{states, turn, i}, array{g.StateWidth(turn), greatest, w.result.State})
}

// nodeRows has the rows of all nodes in a turn, by part.
type nodeRows struct {
	width int
	parts []source
}

// openRows reads the rows of a turn into memory if they fit, and otherwise opens their files.
func (r *runner) openRows(turn int, room int64) (*nodeRows, error) {
	n := &nodeRows{width: r.Program.NodeWidth(turn)}
	if n.width == 0 {
		return n, nil
	}
	m := &r.Store.Manifest
	fit := 4*m.Nodes*int64(n.width) <= room
	for p := range m.Parts {
		k := key{rows, turn, p}
		s, err := r.arrays.open(k, fit)
		if err != nil {
			n.close()
			return nil, err
		}
		n.parts = append(n.parts, s)
	}
	return n, nil
}

func (n *nodeRows) close() {
	for _, p := range n.parts {
		p.close()
	}
}

// of returns the rows of the nodes of a block. They use the memory of to if it is large enough.
func (n *nodeRows) of(b *store.Block, to []float32) ([]float32, error) {
	d := n.width
	if need := b.NumNodes() * d; need > cap(to) {
		to = make([]float32, need)
	} else {
		to = to[:need]
	}
	if d == 0 {
		return to, nil
	}
	var run []float32
	for p, s := range n.parts {
		lo, hi := b.PartPtr[p], b.PartPtr[p+1]
		if lo == hi {
			continue
		}
		if a, ok := s.(memorySource); ok {
			for place := lo; place < hi; place++ {
				copy(to[int(place)*d:][:d], a.data[int(b.Rank[place])*d:][:d])
			}
			continue
		}
		var err error
		if run, err = runs(s, b.Rank[lo:hi], d, to[int(lo)*d:], run); err != nil {
			return to, fmt.Errorf("local: block %d: %w", b.Index, err)
		}
	}
	return to, nil
}

// runs reads rows with ascending ranks. It reads rows that are close together at once.
func runs(s source, rank []int32, d int, to, buf []float32) ([]float32, error) {
	const most = 1 << 18 // numbers read at once
	gap := int32(runGap / (4 * d))
	for lo := 0; lo < len(rank); {
		hi := lo + 1
		for hi < len(rank) && rank[hi]-rank[hi-1] <= gap+1 && int(rank[hi]-rank[lo]+1)*d <= most {
			hi++
		}
		n := int(rank[hi-1]-rank[lo]+1) * d
		if n > cap(buf) {
			buf = make([]float32, n)
		}
		if err := s.read(int(rank[lo]), buf[:n]); err != nil {
			return buf, err
		}
		for k := lo; k < hi; k++ {
			copy(to[k*d:][:d], buf[int(rank[k]-rank[lo])*d:][:d])
		}
		lo = hi
	}
	return buf, nil
}
