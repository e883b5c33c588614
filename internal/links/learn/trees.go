package learn

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// TreesConfig says how trees are trained.
type TreesConfig struct {
	Negatives int // for each training pair, half of them with either end kept; 20
	MaxPairs  int // largest number of training pairs, chosen by seed; 10,000, because the columns of both ends are computed for each pair
	Rounds    int // 200
	Seed      uint64
	Threads   int
}

// Trees are gradient-boosted trees over the columns of candidates.
type Trees struct {
	Model *boost.Model
}

// TrainTrees trains on the pairs of folds and on negatives with one end replaced.
func TrainTrees(ctx context.Context, f *Folds, c TreesConfig) (*Trees, error) {
	if c.Negatives == 0 {
		c.Negatives = 20
	}
	if c.MaxPairs == 0 {
		c.MaxPairs = 10_000
	}
	if c.Rounds == 0 {
		c.Rounds = 200
	}
	r := rng.Stream(c.Seed, "links", "trees")
	pairs := r.Perm(len(f.Pairs))
	sources, targets := f.Data.Ends()
	var candidates []Candidate
	var label []float32
	for _, i := range pairs[:min(c.MaxPairs, len(pairs))] {
		p, fold := f.Pairs[i], int(f.Fold[i])
		candidates, label = append(candidates, Candidate{Fold: fold, Kept: p[0], Other: p[1]}), append(label, 1)
		for k := range c.Negatives {
			kept, reverse, ends := p[0], false, targets
			if k%2 == 1 {
				kept, reverse, ends = p[1], true, sources
			}
			if w, ok := f.draw(kept, reverse, ends, r.IntN); ok {
				candidates, label = append(candidates, Candidate{fold, kept, w, reverse}), append(label, 0)
			}
		}
	}
	width := f.Width
	block := make([]float32, len(candidates)*width)
	err := f.Rows(ctx, c.Threads, candidates, func(i int, w *links.Worker) {
		row := make([]float64, width)
		w.Row(candidates[i].Other, candidates[i].Reverse, row)
		for k, x := range row {
			block[i*width+k] = float32(x)
		}
	})
	if err != nil {
		return nil, err
	}
	m, err := boost.Train(ctx, &boost.Matrix{Columns: width, Blocks: [][]float32{block}}, label, nil, nil,
		boost.Config{Objective: boost.LogLoss, Rounds: c.Rounds, Rate: 0.05, Leaves: 31, MinRows: 20, Seed: c.Seed, Threads: c.Threads})
	if err != nil {
		return nil, err
	}
	m.Threads = 1 // the caller scores candidates on several threads
	return &Trees{m}, nil
}

// On returns a scorer that reads the columns of a graph.
func (t *Trees) On(c *links.Columns, name string, _ int) (score.Scorer, error) {
	return &treeScorer{t, c, name}, nil
}

type treeScorer struct {
	t    *Trees
	c    *links.Columns
	name string
}

func (s *treeScorer) Names() []string { return []string{s.name} }

func (s *treeScorer) Worker(of links.Workers) score.Worker {
	return &treeWorker{s: s, w: of.Of(s.c), row: make([]float64, len(s.c.Names()))}
}

type treeWorker struct {
	s     *treeScorer
	w     *links.Worker
	row   []float64
	block []float32
	out   []float32
}

func (w *treeWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	w.w.Keep(kept)
	w.block = w.block[:0]
	for _, v := range others {
		w.w.Row(v, reverse, w.row)
		for _, x := range w.row {
			w.block = append(w.block, float32(x))
		}
	}
	if cap(w.out) < len(others) {
		w.out = make([]float32, len(others))
	}
	w.out = w.out[:len(others)]
	if err := w.s.t.Model.Predict(&boost.Matrix{Columns: len(w.row), Blocks: [][]float32{w.block}}, w.out); err != nil {
		panic(err) // the model was trained or checked for this number of columns
	}
	for i, x := range w.out {
		out[0][i] = float64(x)
	}
}
