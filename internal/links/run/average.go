package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// Average is the model of Auto that is the mean of several.
const Average = "average"

// average is the weighted sum of the scores of models. Those that are logarithms of odds have the weight 1, others 1 over
// their deviation.
type average struct {
	names   []string
	members []fitted
	weights []float64 // nil for 1
}

// On binds all members.
func (a *average) On(c *links.Columns, name string, threads int) (score.Scorer, error) {
	var members []score.Scorer
	for i, m := range a.members {
		sc, err := m.On(c, a.names[i], threads)
		if err != nil {
			return nil, err
		}
		members = append(members, sc)
	}
	return a.over(members, name), nil
}

// over is the average of members that are bound.
func (a *average) over(members []score.Scorer, name string) score.Scorer {
	out := &averageScorer{name, members, a.weights}
	for _, sc := range members {
		if near, ok := sc.(nearby); ok {
			return struct {
				*averageScorer
				nearby
			}{out, near}
		}
	}
	return out
}

// deviations are 1 over the deviations of the scores of members over the pairs of a part and as many uniform ones.
func deviations(ctx context.Context, s *score.Setting, members []score.Scorer) ([]float64, error) {
	positives, negatives, err := s.Shared(ctx, score.Joined(members))
	if err != nil {
		return nil, err
	}
	var out []float64
	for k := range members {
		all := slices.Concat(positives[k], negatives[k])
		mean, variance := 0.0, 0.0
		for _, x := range all {
			mean += x / float64(len(all))
		}
		for _, x := range all {
			variance += float64((x-mean)*(x-mean)) / float64(len(all))
		}
		if variance == 0 {
			variance = 1
		}
		out = append(out, 1/math.Sqrt(variance))
	}
	return out, nil
}

// Arrays are those of all members, each behind the name of its model.
func (a *average) Arrays() []safetensors.Tensor {
	var out []safetensors.Tensor
	for i, m := range a.members {
		for _, t := range m.Arrays() {
			t.Name = a.names[i] + "/" + t.Name
			out = append(out, t)
		}
	}
	return out
}

func loadAverage(s *Settings, _ string, d *Data, f *safetensors.File) (fitted, error) {
	a := &average{names: candidates(Auto, s, d), weights: s.Weights}
	if a.weights != nil && len(a.weights) != len(a.names) {
		return nil, fmt.Errorf("an average has %d weights, expected %d", len(a.weights), len(a.names))
	}
	for _, name := range a.names {
		of := &safetensors.File{Metadata: f.Metadata}
		for _, t := range f.Tensors {
			if rest, ok := strings.CutPrefix(t.Name, name+"/"); ok {
				t.Name = rest
				of.Tensors = append(of.Tensors, t)
			}
		}
		k, _ := kindOf(name)
		m, err := k.load(s, name, d, of)
		if err != nil {
			return nil, err
		}
		a.members = append(a.members, m)
	}
	return a, nil
}

// averageScorer scores by the weighted sum of scorers.
type averageScorer struct {
	name    string
	of      []score.Scorer
	weights []float64
}

func (s *averageScorer) members() []score.Scorer { return s.of }

func (s *averageScorer) Names() []string { return []string{s.name} }

func (s *averageScorer) Worker(of links.Workers) score.Worker {
	w := &averageWorker{weights: s.weights}
	for _, sc := range s.of {
		w.of = append(w.of, sc.Worker(of))
	}
	return w
}

type averageWorker struct {
	of      []score.Worker
	weights []float64
	next    []float64 // scratch memory
}

func (w *averageWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	if cap(w.next) < len(others) {
		w.next = make([]float64, len(others))
	}
	clear(out[0])
	for k, of := range w.of {
		weight := 1.0
		if w.weights != nil {
			weight = w.weights[k]
		}
		next := w.next[:len(others)]
		of.Score(kept, reverse, others, [][]float64{next})
		for i, x := range next {
			out[0][i] += float64(weight * x)
		}
	}
}

// extend gives all members, bound as they are, further nodes.
func (a *average) extend(bound score.Scorer, d *links.Data, f *links.Features) fitted {
	out := &average{names: a.names, weights: a.weights}
	of := bound.(interface{ members() []score.Scorer }).members()
	for i, m := range a.members {
		out.members = append(out.members, extended(m, of[i], d, f))
	}
	return out
}

// Baselines of bipartite graphs that are members of an average.
const (
	itemKNN = "item-knn"
	ease    = "ease"
)

func isBaseline(name string) bool { return name == itemKNN || name == ease }

// ofPairs is such a baseline: it has no weights, but what it counts in a graph.
type ofPairs struct {
	s    *Settings
	d    *links.Data
	name string
}

func (m *ofPairs) Arrays() []safetensors.Tensor { return nil }

// On counts in the graph.
func (m *ofPairs) On(c *links.Columns, _ string, threads int) (score.Scorer, error) {
	if m.name == ease {
		return learn.NewEASE(context.Background(), m.d, c.Graph, m.s.EASE, threads)
	}
	return learn.NewKNN(context.Background(), c.Graph, m.s.KNN[0], int(m.s.KNN[1]), threads)
}

func (t *training) ofPairs(_ context.Context, name string) (fitted, error) {
	return &ofPairs{t.s, t.d.Data, name}, nil
}

func loadOfPairs(s *Settings, name string, d *Data, _ *safetensors.File) (fitted, error) {
	return &ofPairs{s, d.Data, name}, nil
}

// counted is such a baseline with what it counted in the graph without some further pairs.
type counted struct {
	*ofPairs
	of interface {
		Over(g *links.Graph) score.Scorer
	}
}

func (m *counted) On(c *links.Columns, _ string, _ int) (score.Scorer, error) {
	return m.of.Over(c.Graph), nil
}
