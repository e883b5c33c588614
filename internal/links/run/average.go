package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// Average is the model of Auto that is the weighted sum of several models.
const Average = "average"

// Member is a model of an average. Weight multiplies its scores: 1 if they are log-odds, otherwise
// Times divided by their standard deviation.
type Member struct {
	Model  string  `json:"model"`
	Weight float64 `json:"weight"`
	Times  int     `json:"times,omitempty"`
	// Scale is set if the member is a baseline, a column x. Its score is ln(1 + x/Scale).
	Scale float64 `json:"scale,omitempty"`
}

// String returns Times and the name of the model.
func (m Member) String() string {
	if m.Times < 2 {
		return m.Model
	}
	return fmt.Sprintf("%d times %s", m.Times, m.Model)
}

// average is the weighted sum of the scores of models.
type average struct {
	members []Member
	models  []fitted
}

// On binds all members to a graph.
func (a *average) On(c *links.Columns, name string, threads int) (score.Scorer, error) {
	var of []score.Scorer
	for i, m := range a.models {
		sc, err := m.On(c, a.members[i].Model, threads)
		if err != nil {
			return nil, err
		}
		of = append(of, sc)
	}
	return a.over(of, name), nil
}

// over returns the average of bound members.
func (a *average) over(of []score.Scorer, name string) score.Scorer {
	out := &averageScorer{[]string{name}, of, [][]float64{lists.Map(a.members, func(m Member) float64 { return m.Weight })}}
	for _, sc := range of {
		if near, ok := sc.(nearby); ok {
			return struct {
				*averageScorer
				nearby
			}{out, near}
		}
	}
	return out
}

// mostTimes is the largest sum of Times of the members of an average.
const mostTimes = 3

// mix chooses Times of each member. The members are bound to the graph of a part. It takes the mix
// with the largest sum of scores over the forms, where each score is divided by the best score of
// its form. Scores of members are divided by their standard deviation over the pairs of the part
// and as many uniform negatives. The first member has a Times above 0 unless other members alone
// are significantly ahead in the first form. Members with Times 0 are removed.
func (a *average) mix(ctx context.Context, s *score.Setting, of score.Joined, forms []string) error {
	positives, negatives, err := s.Shared(ctx, of)
	if err != nil {
		return err
	}
	for k := range of {
		if _, deviation := report.MeanStd(slices.Concat(positives[k], negatives[k])); deviation > 0 {
			a.members[k].Weight = 1 / deviation
		}
	}
	all := &averageScorer{of: of}
	mixes := mixes(len(of))
	for _, times := range mixes {
		weights := lists.Map(lists.Range[int](len(of)), func(k int) float64 { return float64(times[k]) * a.members[k].Weight })
		all.names, all.weights = append(all.names, fmt.Sprint(times)), append(all.weights, weights)
	}
	tables, err := s.Evaluate(ctx, all, forms, nil)
	if err != nil {
		return err
	}
	values := make([]float64, len(mixes))
	for _, table := range tables {
		of := lists.Map(lists.Range[int](len(mixes)), func(i int) float64 { return table.Tuned(i).Value })
		if most := slices.Max(of); most > 0 {
			for i, v := range of {
				values[i] += v / most
			}
		}
	}
	best, trained := 0, 0 // the best of all mixes, and the best mix with the first member
	for i, times := range mixes {
		if values[i] > values[best] {
			best = i
		}
		if times[0] > 0 && values[i] > values[trained] {
			trained = i
		}
	}
	if best != trained { // a mix of baselines alone must be significantly ahead
		all.names, all.weights = []string{"trained", "best"}, [][]float64{all.weights[trained], all.weights[best]}
		tables, err := s.Evaluate(ctx, all, forms[:1], all.names[1:])
		if err != nil {
			return err
		}
		if tables[0].Rows[1].Verdict == rank.Ahead {
			trained = best
		}
	}
	members, models := a.members, a.models
	a.members, a.models = nil, nil
	for k, times := range mixes[trained] {
		if times > 0 {
			members[k].Times, members[k].Weight = times, float64(times)*members[k].Weight
			a.members, a.models = append(a.members, members[k]), append(a.models, models[k])
		}
	}
	return nil
}

// mixes returns the possible values of Times, with a sum of at most mostTimes and each proportion
// once. The first mix has 1 for each member.
func mixes(members int) [][]int {
	out := [][]int{lists.Repeat(1, members)}
	times := make([]int, members)
	var fill func(k, left int)
	fill = func(k, left int) {
		if k < members {
			for n := range left + 1 {
				times[k] = n
				fill(k+1, left-n)
			}
			return
		}
		some := slices.DeleteFunc(slices.Clone(times), func(n int) bool { return n == 0 })
		if len(some) > 0 && slices.Min(some) == 1 && !slices.Equal(times, out[0]) && (len(some) > 1 || some[0] == 1) {
			out = append(out, slices.Clone(times))
		}
	}
	fill(0, mostTimes)
	return out
}

// Arrays returns the weights of all members, with the name of the model before each name.
func (a *average) Arrays() []safetensors.Tensor {
	var out []safetensors.Tensor
	for i, m := range a.models {
		for _, t := range m.Arrays() {
			t.Name = a.members[i].Model + "/" + t.Name
			out = append(out, t)
		}
	}
	return out
}

func (t *training) loadAverage(_ string, f *safetensors.File) (fitted, error) {
	a := &average{members: t.s.Average}
	for _, m := range a.members {
		if m.Scale > 0 {
			a.models = append(a.models, &heuristic{m.Model, m.Scale})
			continue
		}
		k, ok := kindOf(m.Model)
		if !ok || m.Model == Average {
			return nil, misuse("an average of %q, of which there are no weights", m.Model)
		}
		of := &safetensors.File{Metadata: f.Metadata}
		for _, array := range f.Tensors {
			if rest, ok := strings.CutPrefix(array.Name, m.Model+"/"); ok {
				array.Name = rest
				of.Tensors = append(of.Tensors, array)
			}
		}
		loaded, err := k.load(t, m.Model, of)
		if err != nil {
			return nil, err
		}
		a.models = append(a.models, loaded)
	}
	return a, nil
}

// extend returns the average with all bound members extended to additional nodes.
func (a *average) extend(bound score.Scorer, d *links.Data, f *links.Features) fitted {
	out := &average{members: a.members}
	of := bound.(interface{ scorers() []score.Scorer }).scorers()
	for i, m := range a.models {
		out.models = append(out.models, extended(m, of[i], d, f))
	}
	return out
}

// averageScorer scores candidates by weighted sums of other scores.
type averageScorer struct {
	names   []string
	of      []score.Scorer
	weights [][]float64 // weights[i] are the weights of the scorers for name i
}

func (s *averageScorer) scorers() []score.Scorer { return s.of }

func (s *averageScorer) Names() []string { return s.names }

func (s *averageScorer) Worker(of links.Workers) score.Worker {
	w := &averageWorker{weights: s.weights}
	for _, sc := range s.of {
		w.of = append(w.of, sc.Worker(of))
	}
	return w
}

type averageWorker struct {
	of      []score.Worker
	weights [][]float64
	next    []float64 // scratch memory
}

func (w *averageWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	if cap(w.next) < len(others) {
		w.next = make([]float64, len(others))
	}
	for i := range out {
		clear(out[i])
	}
	for k, of := range w.of {
		next := w.next[:len(others)]
		of.Score(kept, reverse, others, [][]float64{next})
		for m, weights := range w.weights {
			for i, x := range next {
				out[m][i] += float64(weights[k] * x)
			}
		}
	}
}

// Baselines of bipartite graphs that are members of an average.
const (
	itemKNN = "item-knn"
	ease    = "ease"
)

func isBaseline(name string) bool { return name != secondGAE && !slices.Contains(Models(), name) }

// pairCounts is the state of such a baseline in a graph. Over returns the same baseline with the
// pairs of sources in another graph.
type pairCounts interface {
	score.Scorer
	Over(g *links.Graph) score.Scorer
}

// pairGraph is the name of a baseline and its graph.
type pairGraph struct {
	name  string
	graph *links.Graph
}

// countPairs returns the baseline of a graph. It computes it once for each graph.
func (t *training) countPairs(ctx context.Context, name string, g *links.Graph) (pairCounts, error) {
	key := pairGraph{name, g}
	if t.counted[key] == nil {
		var made pairCounts
		var err error
		if name == ease {
			made, err = learn.NewEASE(ctx, t.d.Data, g, t.s.EASE, t.threads)
		} else {
			made, err = learn.NewKNN(ctx, g, t.s.KNN[0], int(t.s.KNN[1]), t.threads)
		}
		if err != nil {
			return nil, err
		}
		t.counted[key] = made
	}
	return t.counted[key], nil
}

// ofPairs is such a baseline as a model without weights.
type ofPairs struct {
	t    *training
	name string
}

func (m *ofPairs) Arrays() []safetensors.Tensor { return nil }

func (m *ofPairs) On(c *links.Columns, _ string, _ int) (score.Scorer, error) {
	return m.t.countPairs(context.Background(), m.name, c.Graph)
}

func (t *training) trainOfPairs(_ context.Context, name string) (fitted, error) {
	return &ofPairs{t, name}, nil
}

func (t *training) loadOfPairs(name string, _ *safetensors.File) (fitted, error) {
	return &ofPairs{t, name}, nil
}

// extendedPairs is such a baseline with the state of the graph before further pairs were added.
type extendedPairs struct {
	*ofPairs
	counts pairCounts
}

func (m *extendedPairs) On(c *links.Columns, _ string, _ int) (score.Scorer, error) {
	return m.counts.Over(c.Graph), nil
}
