package session

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
)

// Importance is the permutation importance of the columns that a run of model.Auto reads.
type Importance struct {
	Edges  int     // validation edges in the mean losses
	Loss   float64 // without shuffling: the log loss, or the absolute error in the unit of the label
	Groups []GroupImportance
}

// GroupImportance is the mean increase of the loss when a column of the data, or all columns of a kind, are shuffled
// among the edges, with its standard error.
type GroupImportance struct {
	Name            string
	Increase, Error float64
}

// shuffledRows limits the predicted rows of the importance; leastShuffled and mostShuffled limit the edges.
const (
	shuffledRows  = 1 << 14
	leastShuffled = 200
	mostShuffled  = 4000
)

// familyNames are the names of columns made from the graph, the times and the known labels.
var familyNames = map[string]string{
	model.FamilyStructure: "the graph around the edge",
	model.FamilyClock:     "time of the day and of the week",
	model.FamilySince:     "time since the last edge at the ends",
	model.FamilyHistory:   "earlier edges at the ends",
	model.FamilyLabels:    "known labels at the ends",
	model.FamilyLowRank:   "known labels, by low-rank scores",
	model.FamilyTwoStep:   "known labels on paths between the ends",
}

// Importance computes the permutation importance of a run of model.Auto on edges of the validation part; nil for other
// runs. Its work is bounded.
func (s *Session) Importance(ctx context.Context) (*Importance, error) {
	m, ok := s.Model.(*model.Auto)
	p := s.Parts[source.PartValid]
	if !ok || p == nil {
		return nil, nil
	}
	b, err := graph.CollateCodes(p.Graphs[0])
	if err != nil {
		return nil, err
	}
	names, groups := s.columnGroups(m)
	random := rng.Stream(s.Settings.Model.Seed, "importance")
	edges := model.Labelled(b)
	if len(edges) == 0 {
		return nil, nil
	}
	most := min(max(shuffledRows/(len(groups)+1), leastShuffled), mostShuffled)
	if random.Shuffle(len(edges), func(i, k int) { edges[i], edges[k] = edges[k], edges[i] }); len(edges) > most {
		edges = edges[:most]
	}
	slices.Sort(edges)
	out := &Importance{Edges: len(edges)}
	var loss, less []float64
	err = m.Shuffled(ctx, b, edges, groups, random.Perm, s.Threads, func(group int, o *tensor.Tensor) {
		now := s.edgeLosses(b, edges, o)
		if group < 0 {
			loss = now
			out.Loss, _ = meanOf(now)
			return
		}
		less = less[:0]
		for i, v := range now {
			less = append(less, v-loss[i])
		}
		g := GroupImportance{Name: names[group]}
		g.Increase, g.Error = meanOf(less)
		out.Groups = append(out.Groups, g)
	})
	slices.SortStableFunc(out.Groups, func(a, b GroupImportance) int { return cmp.Compare(b.Increase, a.Increase) })
	return out, err
}

// columnGroups lists the groups of columns that the averaged learners read, with names: each column of the data, other
// columns by family, and neighbouring edges.
func (s *Session) columnGroups(m *model.Auto) (names []string, groups []model.ColumnGroup) {
	families, at := m.Layout().Families(), map[[2]string]int{}
	for k, c := range Columns(&s.Settings) {
		key := [2]string{families[k], familyNames[families[k]]}
		if key[1] == "" {
			key[1] = c.Field
		}
		g, ok := at[key]
		if !ok {
			g = len(groups)
			at[key] = g
			names, groups = append(names, key[1]), append(groups, model.ColumnGroup{})
		}
		groups[g].Columns = append(groups[g].Columns, int32(k))
	}
	names, groups = append(names, "the edges around, by messages"), append(groups, model.ColumnGroup{Around: true})
	kept := 0
	for g := range groups {
		if m.ReadsGroup(groups[g]) {
			names[kept], groups[kept] = names[g], groups[g]
			kept++
		}
	}
	return names[:kept], groups[:kept]
}

// edgeLosses returns the losses of some edges of a batch, given the outputs of all.
func (s *Session) edgeLosses(b *graph.Batch, edges []int32, o *tensor.Tensor) []float64 {
	out := make([]float64, len(edges))
	for i, e := range edges {
		row := o.Data()[int(e)*o.Dim(1):][:o.Dim(1)]
		if s.Task.Number {
			u := s.Settings.Target.Units[0]
			out[i] = math.Abs(float64(row[0])*u.Scale + u.Mean - float64(b.EdgeTargets.Data()[e]))
		} else {
			out[i] = -float64(row[b.EdgeLabels[e]])
		}
	}
	return out
}

// meanOf returns the mean of values and its standard error.
func meanOf(values []float64) (mean, err float64) {
	mean, std := report.MeanStd(values)
	return mean, std / math.Sqrt(float64(len(values)))
}
