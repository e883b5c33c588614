package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Sizes of the steps.
const (
	heldOut   = 20_000  // kept ends with hard negatives, and candidates with PageRank
	counted   = 100_000 // candidates of all other baselines
	hardHalf  = 250     // hard negatives of a kept end
	askedFor  = 1000    // nodes with recommendations
	width     = 64      // of vectors
	topPlaces = 10
	sweeps    = 2
)

// measured runs a step and prints what it took, with the peak of the process while it ran.
func measured(name string, step func() error) error {
	defer run.Alone()()
	runtime.GC()
	memory.ResetPeak()
	before, began, cpu := memory.Peak(), time.Now(), processorSeconds()
	if err := step(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(os.Stdout, "%-70s %8.1f s of processors %8.1f s %6d MiB more, %d MiB in all\n",
		name, processorSeconds()-cpu, time.Since(began).Seconds(), (memory.Peak()-before)>>20, memory.Peak()>>20)
	return nil
}

// steps are those of link prediction on one table of edges.
type steps struct {
	d       *run.Data
	train   []int32
	columns *links.Columns
	pairs   [][2]int32 // of the test part
	threads int
}

// measure reads a table and measures the steps that suit it.
func measure(file string, bipartite bool) error {
	ctx := context.Background()
	s := &steps{threads: runtime.NumCPU()}
	if err := measured("read, split and prove the split", func() error { return s.read(ctx, file, bipartite) }); err != nil {
		return err
	}
	s.train = s.d.Split.Visible(links.Train, false)
	s.columns = links.NewColumns(links.NewGraph(s.d.Data, s.train), nil)
	test, r := s.d.Split.Of(links.Test), rand.New(rand.NewPCG(1, 2))
	for range counted {
		s.pairs = append(s.pairs, s.d.Pairs[test[r.IntN(len(test))]])
	}
	all := []struct {
		name string
		do   func(context.Context) error
	}{
		{fmt.Sprintf("baselines but PageRank, %d candidates", counted), func(ctx context.Context) error { return s.baselines(ctx, counted, math.Inf(1)) }},
		{fmt.Sprintf("all baselines, %d candidates", heldOut), func(ctx context.Context) error { return s.baselines(ctx, heldOut, s.columns.Eps) }},
		{fmt.Sprintf("hard negatives, %d kept ends", heldOut), s.hard},
		{"trees, 10000 training pairs with 20 negatives each", s.trees},
		{fmt.Sprintf("recommend, %d nodes, width %d", askedFor, width), s.recommend},
	}
	if bipartite {
		all = all[:1]
		all[0].name, all[0].do = fmt.Sprintf("ials, %d sweeps, width %d", sweeps, width), s.ials
	}
	for _, step := range all {
		if err := measured(step.name, func() error { return step.do(ctx) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *steps) read(ctx context.Context, file string, bipartite bool) (err error) {
	settings := &run.Settings{Data: file, Split: run.ByRandom, Fractions: [3]float64{0.7, 0.1, 0.2}, Seed: 1}
	if !bipartite {
		settings.Tables.Form = data.Undirected
	}
	s.d, err = run.Read(ctx, settings, 0)
	return err
}

func (s *steps) baselines(ctx context.Context, candidates int, eps float64) error {
	c := links.NewColumns(s.columns.Graph, s.columns.Features)
	c.Eps = eps // with an infinite one nothing is pushed
	_, err := score.Pairs(ctx, s.threads, score.Heuristics{Columns: c}, s.pairs[:candidates])
	return err
}

func (s *steps) hard(ctx context.Context) error {
	pool := sync.Pool{New: func() any { return links.NewHard(s.d.Data, s.d.Known, s.columns.NewWorker(), 1) }}
	_, err := par.Map(ctx, s.threads, s.pairs[:heldOut], func(p [2]int32) int {
		h := pool.Get().(*links.Hard)
		defer pool.Put(h)
		_, n := h.List(p[0], false, hardHalf)
		return n
	})
	return err
}

func (s *steps) trees(ctx context.Context) error {
	_, err := learn.TrainTrees(ctx, learn.NewFolds(s.d.Data, s.train, nil, 1), learn.TreesConfig{Seed: 1, Threads: s.threads})
	return err
}

func (s *steps) ials(ctx context.Context) error {
	c := learn.IALSConfig{Dim: width, Alpha: 0.001, Lambda: 0.01, Sweeps: sweeps}
	_, err := learn.TrainIALS(ctx, s.d.Data, s.columns.Graph, c, 1, s.threads)
	return err
}

// recommend multiplies vectors of random numbers.
func (s *steps) recommend(ctx context.Context) error {
	v := score.Vectors{Nodes: lists.Range[int32](s.d.Nodes()), Rows: make([]float32, s.d.Nodes()*width)}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range v.Rows {
		v.Rows[i] = float32(r.NormFloat64())
	}
	of := lists.Map(s.pairs[:askedFor], func(p [2]int32) int32 { return p[0] })
	_, err := score.NewProducts("random", s.d.Nodes(), width, v, v).Top(ctx, s.threads, of, false, topPlaces, s.d.Known, nil)
	return err
}
