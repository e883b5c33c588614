package local

import (
	"context"
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// parts computes the rows of all parts of a turn.
func (r *runner) parts(ctx context.Context, turn int, greatest float32) error {
	if r.Program.NodeWidth(turn) == 0 {
		return nil
	}
	var missing []int
	for p := range r.Store.Manifest.Parts {
		if _, ok := r.has(key{rows, turn, p}); !ok {
			missing = append(missing, p)
		}
	}
	if turn == 0 {
		return r.rows(ctx, turn, missing, nil)
	}
	if r.resumed && len(missing) > 0 {
		// The messages were removed after all rows were written, so a file of rows was lost since
		// then.
		if _, ok := r.arrays.has(key{r.messageKind(turn - 1), turn - 1, 0}); !ok {
			return fmt.Errorf("local: %s %w", key{rows, turn, missing[0]}, errTorn)
		}
	}
	for len(missing) > 0 {
		n, threads, err := r.atOnce(turn, missing)
		if err != nil {
			return err
		}
		sums, err := r.sums(ctx, turn-1, greatest, missing[:n], threads)
		if err == nil {
			err = r.rows(ctx, turn, missing[:n], sums)
		}
		if err != nil {
			return err
		}
		missing = missing[n:]
	}
	return nil
}

// atOnce returns the number of parts whose totals fit into memory together, and the number of
// threads that can then add blocks to them.
func (r *runner) atOnce(turn int, parts []int) (n, threads int, err error) {
	width := r.Program.MessageWidth(turn - 1)
	total := func(p int) int64 { return visit.TotalBytes(r.Store.Manifest.Parts[p], width) }
	each := r.plan.totalled(r.Program, turn)
	largest := visit.TotalBytes(int(r.plan.most), width)
	if threads, err = r.plan.workers(r.Threads, each, largest); err != nil {
		return 0, 0, err
	}
	left := r.plan.budget - int64(threads)*each
	for n < len(parts) && (n == 0 || total(parts[n]) <= left) {
		left -= total(parts[n])
		n++
	}
	return n, threads, nil
}

// sums returns the totals of the messages of all blocks to the given parts in a turn.
func (r *runner) sums(ctx context.Context, turn int, greatest float32, parts []int, threads int) ([]*visit.Total, error) {
	m := &r.Store.Manifest
	width, shift := r.Program.MessageWidth(turn), kernel.FixedShift(greatest, m.MostEntries)
	totals, locks := make([]*visit.Total, len(m.Parts)), make([]sync.Mutex, len(m.Parts))
	for _, p := range parts {
		totals[p] = visit.NewTotal(m.Parts[p], width, shift)
	}
	done := r.step(turn+1, "sums")
	err := each(ctx, r.workers[:threads], m.Blocks, func(ctx context.Context, w *worker, i int) error {
		b, err := r.Store.Block(ctx, i)
		if err != nil {
			return err
		}
		a, err := r.arrays.get(key{r.messageKind(turn), turn, i}, w.result.State)
		if err != nil {
			return err
		}
		w.result.State = a.data
		err = w.scatter.Each(b, r.Seen, a.data, width, shift, func(p int) bool { return totals[p] != nil }, func(s *visit.Sums) error {
			locks[s.Part].Lock()
			defer locks[s.Part].Unlock()
			return totals[s.Part].Add(s)
		})
		done()
		return err
	})
	return totals, err
}

// rows computes the rows of the given parts in a turn.
func (r *runner) rows(ctx context.Context, turn int, parts []int, totals []*visit.Total) error {
	threads, err := r.plan.workers(r.Threads, r.plan.parting(r.Program, turn), 0)
	if err != nil {
		return err
	}
	return each(ctx, r.workers[:threads], len(parts), func(ctx context.Context, w *worker, i int) error {
		p, err := r.Store.Part(ctx, parts[i])
		if err != nil {
			return err
		}
		var last []float32
		if turn > 0 && r.Program.NodeVectors() > 0 && r.Program.NodeWidth(turn-1) > 0 {
			a, err := r.arrays.get(key{rows, turn - 1, p.Index}, w.last)
			if err != nil {
				return err
			}
			last, w.last = a.data, a.data
		}
		return r.part(turn, p, last, totals, w)
	})
}

func (r *runner) part(turn int, p *store.Part, last []float32, totals []*visit.Total, w *worker) (err error) {
	var total *visit.Total
	if totals != nil {
		total = totals[p.Index]
	}
	if w.rows, err = r.Program.Part(turn, p, last, total, w.rows); err != nil {
		return err
	}
	return r.arrays.put(key{rows, turn, p.Index}, array{width: r.Program.NodeWidth(turn), data: w.rows})
}
