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

// Folds are training pairs in folds. The columns of a candidate are computed in the graph without
// the candidate's fold.
type Folds struct {
	Data     *links.Data
	Pairs    [][2]int32 // training pairs, in the order of the data
	Fold     []int8     // fold of each pair
	Graph    *links.Graph
	Width    int                           // number of columns
	columns  func(fold int) *links.Columns // the columns of the graph without a fold, built when they are needed
	partners *links.Known
}

// NewFolds divides training pairs by a hash. A pair and its reverse are in one fold.
func NewFolds(d *links.Data, pairs []int32, f *links.Features, seed uint64) *Folds {
	out := &Folds{Data: d, Pairs: lists.Take(d.Pairs, pairs), Fold: make([]int8, len(pairs))}
	out.Graph = links.GraphOf(d.Kind, d.Hash, out.Pairs)
	out.partners = links.KnownIn(out.Graph)
	for i, p := range out.Pairs {
		a, b := d.Hash[p[0]], d.Hash[p[1]]
		h := links.Mix(links.Mix(seed^0x666f6c64) ^ min(a, b))
		h = links.Mix(h ^ max(a, b))
		out.Fold[i] = int8(h % FoldCount)
	}
	out.Width = len(links.NewColumns(out.Graph, f).Names())
	out.columns = func(fold int) *links.Columns {
		kept := make([][2]int32, 0, len(out.Pairs))
		for i, p := range out.Pairs {
			if int(out.Fold[i]) != fold {
				kept = append(kept, p)
			}
		}
		return links.NewColumns(links.GraphOf(d.Kind, d.Hash, kept), f)
	}
	return out
}

// Candidate is a pair whose columns are computed.
type Candidate struct {
	Fold        int
	Kept, Other int32
	Reverse     bool
}

// Pair returns the candidate as source and target.
func (c Candidate) Pair() [2]int32 {
	if c.Reverse {
		return [2]int32{c.Other, c.Kept}
	}
	return [2]int32{c.Kept, c.Other}
}

// Rows calls do for each candidate, with a worker for its kept end. It calls from several
// goroutines.
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
	var runs [FoldCount][][]int // of each fold, the candidates with equal kept ends
	for lo := 0; lo < len(order); {
		hi := lo
		for hi < len(order) && less(order[lo], order[hi]) == 0 {
			hi++
		}
		k := candidates[order[lo]].Fold
		runs[k] = append(runs[k], order[lo:hi])
		lo = hi
	}
	for k, of := range runs { // one fold after the other, because graphs and workers can be large
		if len(of) == 0 {
			continue
		}
		columns := f.columns(k)
		pool := sync.Pool{New: func() any { return columns.NewWorker() }}
		_, err := par.Map(ctx, threads, of, func(run []int) struct{} {
			w := pool.Get().(*links.Worker)
			defer pool.Put(w)
			w.Keep(candidates[run[0]].Kept)
			for _, i := range run {
				do(i, w)
			}
			return struct{}{}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// draw returns a node that can replace the other end and is no training partner of the kept end. ok
// is false if it finds none.
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
