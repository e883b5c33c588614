package learn

import (
	"context"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// FoldCount is the number of folds of training pairs.
const FoldCount = 5

// Folds are training pairs in folds, and the columns of candidates by the graph without each fold.
type Folds struct {
	Data     *links.Data
	Pairs    [][2]int32 // of training, in the order of the data
	Fold     []int      // of each
	Graph    *links.Graph
	Columns  [FoldCount]*links.Columns
	partners *links.Known
}

// NewFolds divides training pairs by a hash, a pair and its reverse into one fold.
func NewFolds(d *links.Data, pairs []int32, f *links.Features, seed uint64) *Folds {
	out := &Folds{Data: d, Graph: links.NewGraph(d, pairs)}
	out.partners = links.KnownIn(out.Graph)
	for _, i := range pairs {
		p := d.Pairs[i]
		a, b := d.Hash[p[0]], d.Hash[p[1]]
		h := links.Mix(links.Mix(seed^0x666f6c64) ^ min(a, b))
		h = links.Mix(h ^ max(a, b))
		out.Pairs, out.Fold = append(out.Pairs, p), append(out.Fold, int(h%FoldCount))
	}
	for k := range FoldCount {
		var kept [][2]int32
		for i, p := range out.Pairs {
			if out.Fold[i] != k {
				kept = append(kept, p)
			}
		}
		out.Columns[k] = links.NewColumns(links.GraphOf(d.Kind, d.Nodes(), kept), f)
	}
	return out
}

// Candidate is a pair whose columns are asked for.
type Candidate struct {
	Fold        int
	Kept, Other int32
	Reverse     bool
}

// Pair is the candidate as source and target.
func (c Candidate) Pair() [2]int32 {
	if c.Reverse {
		return [2]int32{c.Other, c.Kept}
	}
	return [2]int32{c.Kept, c.Other}
}

// Rows calls f with a worker that keeps the kept end of each candidate, from several goroutines.
func (f *Folds) Rows(ctx context.Context, threads int, candidates []Candidate, do func(i int, w *links.Worker)) error {
	order := lists.Range[int](len(candidates))
	less := func(a, b int) int {
		x, y := candidates[a], candidates[b]
		if x.Fold != y.Fold {
			return x.Fold - y.Fold
		}
		return int(x.Kept) - int(y.Kept)
	}
	slices.SortStableFunc(order, less)
	var runs [][]int
	for lo := 0; lo < len(order); {
		hi := lo
		for hi < len(order) && less(order[lo], order[hi]) == 0 {
			hi++
		}
		runs = append(runs, order[lo:hi])
		lo = hi
	}
	var pools [FoldCount]sync.Pool
	_, err := par.Map(ctx, threads, runs, func(run []int) struct{} {
		k := candidates[run[0]].Fold
		w, ok := pools[k].Get().(*links.Worker)
		if !ok {
			w = f.Columns[k].NewWorker()
		}
		w.Keep(candidates[run[0]].Kept)
		for _, i := range run {
			do(i, w)
		}
		pools[k].Put(w)
		return struct{}{}
	})
	return err
}

// draw is a node that could take the place of the other end and is no training partner of the kept one;
// ok is false where none is found.
func (f *Folds) draw(kept int32, reverse bool, ends []int32, next func(n int) int) (int32, bool) {
	for range 50 {
		w := ends[next(len(ends))]
		u, v := kept, w
		if reverse {
			u, v = w, kept
		}
		if u != v && !f.partners.Has(u, v) {
			return w, true
		}
	}
	return 0, false
}
