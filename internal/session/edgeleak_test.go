package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/inittest"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// multigraph is a table of edges with loops, parallel and reverse edges, equal times, groups and
// parts. Labels are a class and a number.
func multigraph(t *testing.T, seed uint64) string {
	return testsets.EdgeFolder(t, "edges.csv", multigraphOf(seed, 9))
}

// multigraphOf returns the text of such a table with a given number of nodes.
func multigraphOf(seed uint64, nodes int) string {
	r := rand.New(rand.NewPCG(seed, 6))
	var text strings.Builder
	text.WriteString("source,target,weight,time,group,part,class,number\n")
	const edges = 44
	most := 2 // largest number of edges between two nodes
	if nodes > 2*edges {
		most = 5 // otherwise an edge far from all others has no adjacent edge
	}
	for e := range edges {
		u, v := r.IntN(nodes), r.IntN(nodes)
		for range 1 + r.IntN(most) { // some twice in the same direction, some in both directions
			part := []string{"train", "train", "train", "valid", "test"}[(e+r.IntN(3))%5]
			fmt.Fprintf(&text, "%d,%d,%d,%d,%d,%s,%s,%g\n", u, v, r.IntN(2), r.IntN(12), r.IntN(8), part, []string{"x", "y", "z"}[r.IntN(3)], r.NormFloat64())
			if r.IntN(2) == 0 {
				u, v = v, u
			}
		}
	}
	return text.String()
}

// leakCase is a session. Its labels are changed, and its split stays the same.
type leakCase struct {
	t     *testing.T
	s     *Session
	data  *source.ColumnData
	split *data.Split
}

// edgeOutputs returns the predictions of a part by edge of the set, for all edges that the model sees.
func (c leakCase) edgeOutputs(label *tables.Column, part string) map[int32][]float32 {
	c.t.Helper()
	rows, _ := c.outputsOf(c.s.Model, label, part, false)
	return rows
}

// outputsOf returns the outputs of a model and, in training, the edges of the loss.
func (c leakCase) outputsOf(m model.Model, label *tables.Column, part string, train bool) (rows map[int32][]float32, learn []int32) {
	c.t.Helper()
	set := *c.data.Set
	set.Label = label
	var in *tables.Input
	var err error
	e, o := c.s.Settings.Data.Tables.Encoder, c.data.InputOptions(&c.s.Settings, c.split)
	if part == source.PartAll {
		in, err = set.Whole(e, o)
	} else {
		in, err = set.Input(e, c.split, part, o)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	b, err := graph.Collate([]*graph.Graph{in.Graph})
	if err != nil {
		c.t.Fatal(err)
	}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	out := m.Forward(&nn.Pass{Tape: tape, Train: train, Rand: rng.Stream(3, "step")}, b)
	rows = map[int32][]float32{}
	for i, x := range in.Edges {
		d := out.Edge.Dim(1)
		rows[x] = slices.Clone(out.Edge.Data()[i*d:][:d])
	}
	for _, i := range out.Learn {
		learn = append(learn, in.Edges[i])
	}
	return rows, learn
}

// relabelled returns the column of labels with other labels for some edges.
func (c leakCase) relabelled(which func(e int32) bool) *tables.Column {
	out := *c.data.Set.Label
	out.Code, out.Value = slices.Clone(out.Code), slices.Clone(out.Value)
	for e := range int32(c.data.Set.NumEdges()) {
		switch {
		case !which(e):
		case out.Numeric():
			out.Value[e]++
		default:
			out.Code[e] = (out.Code[e] + 1) % int32(len(out.Text))
		}
	}
	return &out
}

func bitsEqual(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// leakSplits are all kinds of splits of edges. leakInputs are further inputs that a model may read.
var (
	leakSplits = map[string]settings.Values{
		"random":                   {},
		"pairs":                    {"pairs": true},
		"column":                   {"part": "part"},
		"folds":                    {"split": settings.SplitFolds, "folds": 4, "fold": 2},
		"folds pairs":              {"split": settings.SplitFolds, "folds": 4, "fold": 3, "pairs": true},
		"group":                    {"split": settings.SplitGroup},
		"group folds":              {"split": settings.SplitGroup, "folds": 4},
		"time":                     {"split": settings.SplitTime},
		"transductive":             {"transductive": true},
		"transductive pairs":       {"transductive": true, "pairs": true},
		"transductive column":      {"transductive": true, "part": "part"},
		"transductive folds":       {"transductive": true, "split": settings.SplitFolds, "folds": 4, "fold": 2},
		"transductive folds pairs": {"transductive": true, "split": settings.SplitFolds, "folds": 4, "fold": 3, "pairs": true},
		"transductive group":       {"transductive": true, "split": settings.SplitGroup},
		"transductive group folds": {"transductive": true, "split": settings.SplitGroup, "folds": 4},
		"transductive time":        {"transductive": true, "split": settings.SplitTime},
	}
	leakInputs = map[string]settings.Values{
		"times":                {"time-features": settings.ContextOn},
		"times, split by time": {"time-features": settings.ContextOn, "split": settings.SplitTime},
		"members":              {"members": 2},
		"no structure":         {"structure": []string{settings.StructureNone}},
		"some structure":       {"structure": []string{structure.Degree, structure.Walk}},
		"structure of pairs":   {"structure": []string{structure.Pair, structure.Common}},
	}
)

// After every split, held-out labels change nothing. The prediction for an edge does not change by
// a bit with its own label, with labels of edges in the same unit of the split or, after a split by
// time, with labels of later edges.
func TestEdgeLeak(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for name, split := range leakSplits {
		for _, label := range []string{"class", "number"} {
			for _, edges := range []string{settings.EdgesDirected, settings.EdgesUndirected} {
				if testing.Short() && (label == "class") != (edges == settings.EdgesDirected) {
					continue // a short test combines each label with one form of edges
				}
				for seed := range seeds {
					t.Run(fmt.Sprint(name, " ", label, " ", edges, " ", seed), func(t *testing.T) {
						checkEdgeLeak(t, label, seed, split.Over(settings.Values{"edges": edges}))
					})
				}
			}
		}
	}
	for name, given := range leakInputs {
		for k, label := range []string{"class", "number"} {
			t.Run(fmt.Sprint(name, " ", label), func(t *testing.T) {
				checkEdgeLeak(t, label, uint64(k), settings.Values{"structure": []string{settings.StructureAll}}.Over(given))
			})
		}
	}
}

func checkEdgeLeak(t *testing.T, label string, seed uint64, given settings.Values) {
	of, other := task.EdgeClassification.Name, "number"
	if label == "number" {
		of, other = task.EdgeRegression.Name, "class"
	}
	given = settings.Values{"label": label, "label-context": settings.ContextOn, "hidden": 6, "layers": 2, "dropout": 0.0, "ignore": []string{other}}.Over(given)
	s := mustOpen(t, Request{Path: multigraph(t, seed), Task: of, Seed: seed, Given: given})
	inittest.Weights(s.Model) // otherwise layers add nothing and cannot leak
	c := leakCase{t: t, s: s, data: s.Data.(*source.ColumnData)}
	var err error
	if c.split, err = c.data.Set.Split(s.Settings.Split.OfEdges()); err != nil {
		t.Fatal(err)
	}
	c.messages()
	c.heldOut()
	c.features()
	c.context()
	c.own()
}

// messages checks that messages between edges have an effect: other message weights give other
// outputs.
func (c leakCase) messages() {
	c.t.Helper()
	before := c.edgeOutputs(c.data.Set.Label, source.PartTest)
	change := func(by float32) {
		for _, p := range c.s.Model.Params() {
			if strings.Contains(p.Name, "source.from_") {
				for k := range p.Value.Data() {
					p.Value.Data()[k] *= by
				}
			}
		}
	}
	change(2)
	after := c.edgeOutputs(c.data.Set.Label, source.PartTest)
	change(0.5)
	changed := 0
	for e := range before {
		if !bitsEqual(before[e], after[e]) {
			changed++
		}
	}
	if changed < len(before)*3/4 { // some edges may have no unit with an input above 0
		c.t.Fatalf("other weights of messages change %d of %d edges: the test is blind to the layers", changed, len(before))
	}
}

// heldOut changes the labels of all edges outside the training part.
func (c leakCase) heldOut() {
	c.t.Helper()
	known := c.data.Known(c.split)
	other := c.relabelled(func(e int32) bool { return !known[e] })
	for _, part := range []string{source.PartTrain, source.PartValid, source.PartTest, source.PartAll} {
		before, after := c.edgeOutputs(c.data.Set.Label, part), c.edgeOutputs(other, part)
		for e := range before {
			if !bitsEqual(before[e], after[e]) {
				c.t.Fatalf("part %s: labels that are held out change the prediction of edge %d, %v and %v", part, e, before[e], after[e])
			}
		}
	}
	for _, m := range c.s.members() {
		before, _ := c.outputsOf(m, c.data.Set.Label, source.PartTrain, true)
		after, _ := c.outputsOf(m, other, source.PartTrain, true)
		for e := range before {
			if !bitsEqual(before[e], after[e]) {
				c.t.Fatalf("training: labels that are held out change the output of edge %d", e)
			}
		}
	}
	// An edge to test has the same prediction in all data as in the test part.
	test, all := c.edgeOutputs(c.data.Set.Label, source.PartTest), c.edgeOutputs(c.data.Set.Label, source.PartAll)
	for _, e := range c.split.Test {
		if !bitsEqual(test[int32(e)], all[int32(e)]) {
			c.t.Fatalf("edge %d is predicted as %v in the test part, as %v in all", e, test[int32(e)], all[int32(e)])
		}
	}
}

// features changes the features of all edges outside the training part. What is fitted and what
// training sees must stay the same. A transductive run sees these features, but fits nothing on
// them.
func (c leakCase) features() {
	c.t.Helper()
	known, own := c.data.Known(c.split), *c.data.Set
	changed := own
	changed.EdgeColumns = nil
	for _, column := range own.EdgeColumns {
		to := *column
		to.Code, to.Value, to.Text = slices.Clone(column.Code), slices.Clone(column.Value), append(slices.Clone(column.Text), "other")
		for e, is := range known {
			switch {
			case is:
			case to.Numeric():
				to.Value[e] = 100 - 7*to.Value[e]
			default:
				to.Code[e] = int32(len(column.Text))
			}
		}
		changed.EdgeColumns = append(changed.EdgeColumns, &to)
	}
	other := c
	data := *c.data
	data.Set, other.data = &changed, &data
	if before, after := c.fitted(), other.fitted(); before != after {
		c.t.Fatalf("features that are held out change the encoder\nfrom %s\nto   %s", before, after)
	}
	before, after := c.edgeOutputs(own.Label, source.PartTest), other.edgeOutputs(own.Label, source.PartTest)
	if len(own.EdgeColumns) > 0 && bitsEqual(before[int32(c.split.Test[0])], after[int32(c.split.Test[0])]) {
		c.t.Fatal("other features of an edge to test do not change its prediction: the test is blind")
	}
	if c.s.Settings.Data.Tables.Transductive {
		return
	}
	for _, m := range c.s.members() {
		before, learn := c.outputsOf(m, own.Label, source.PartTrain, true)
		after, again := other.outputsOf(m, own.Label, source.PartTrain, true)
		if !slices.Equal(learn, again) {
			c.t.Fatal("features that are held out change which edges are learned from")
		}
		for e := range before {
			if !bitsEqual(before[e], after[e]) {
				c.t.Fatalf("training: features that are held out change the output of edge %d, %v and %v", e, before[e], after[e])
			}
		}
	}
}

// fitted returns the encoder fitted on the training edges of a set.
func (c leakCase) fitted() string {
	c.t.Helper()
	t := *c.s.Settings.Data.Tables
	s := c.s.Settings
	s.Data.Tables = &t
	e, err := c.data.Set.Fit(c.split.Train)
	if err == nil {
		err = c.data.FitStructure(&s, e, c.split, &tables.Structures{})
	}
	if err == nil {
		err = c.data.FitTimes(&s, e, c.split)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return string(settings.MustJSON(e))
}

// context checks that labels of training edges are shown where allowed: the label of a training
// edge at a node of a test edge changes the prediction for the test edge.
func (c leakCase) context() {
	c.t.Helper()
	ends := c.data.Set.Ends
	before := c.edgeOutputs(c.data.Set.Label, source.PartTest)
	checked, changed := 0, 0
	for _, e := range c.split.Test {
		at := slices.IndexFunc(c.split.Train, func(f int) bool { return ends[2*f] == ends[2*e] || ends[2*f+1] == ends[2*e+1] })
		if at < 0 || checked == 5 {
			continue
		}
		checked++
		if after := c.edgeOutputs(c.relabelled(func(f int32) bool { return int(f) == c.split.Train[at] }), source.PartTest); !bitsEqual(before[int32(e)], after[int32(e)]) {
			changed++
		}
	}
	if changed == 0 || changed < checked-1 {
		c.t.Errorf("of %d edges to test %d are predicted otherwise where the label of a training edge at their node is another", checked, changed)
	}
}

// own changes the label of each training edge, together with the other labels that its prediction must not read.
func (c leakCase) own() {
	c.t.Helper()
	set, kind := c.data.Set, c.s.Settings.Split.Kind
	unit := set.Units(c.s.Settings.Split.OfEdges())
	used := map[string]map[int32][]float32{}
	for _, part := range []string{source.PartTrain, source.PartAll} {
		used[part] = c.edgeOutputs(set.Label, part)
	}
	// Each member draws its training edges by itself.
	models := c.s.members()
	trained, learn := make([]map[int32][]float32, len(models)), make([][]int32, len(models))
	for k, m := range models {
		if trained[k], learn[k] = c.outputsOf(m, set.Label, source.PartTrain, true); len(learn[k]) == 0 {
			c.t.Error("no edge is learned from")
		}
	}
	shows, step := false, 1
	if testing.Short() {
		step = 4
	}
	for i := 0; i < len(c.split.Train); i += step {
		e := int32(c.split.Train[i])
		other := c.relabelled(func(f int32) bool {
			switch kind {
			case settings.SplitTime:
				return set.Time[f] >= set.Time[e]
			case settings.SplitColumn:
				return f == e
			}
			return unit[f] == unit[e]
		})
		for part, before := range used {
			after := c.edgeOutputs(other, part)
			if !bitsEqual(before[e], after[e]) {
				c.t.Fatalf("part %s: edge %d is predicted with its label, %v and %v", part, e, before[e], after[e])
			}
			for f := range before {
				shows = shows || !bitsEqual(before[f], after[f])
			}
		}
		for k, m := range models {
			if !slices.Contains(learn[k], e) || i/step%2 != 0 {
				continue
			}
			if after, _ := c.outputsOf(m, other, source.PartTrain, true); !bitsEqual(trained[k][e], after[e]) {
				c.t.Fatalf("training: edge %d is learned from with its label, %v and %v", e, trained[k][e], after[e])
			}
		}
	}
	if !shows {
		c.t.Error("no label changes any prediction")
	}
}

// Shuffled labels cannot be predicted. Scores on the shuffled labels, in the last epoch, are at
// chance.
func TestEdgeLeakShuffled(t *testing.T) {
	if testing.Short() {
		t.Skip("trains several models")
	}
	// The area for 300 edges has a standard deviation of 0.033 around chance, and the mean of eight areas has 0.012.
	for name, split := range map[string]settings.Values{
		"random": {}, "time": {"split": settings.SplitTime}, "transductive": {"transductive": true}, "pairs": {"pairs": true}, "column": {"part": "part"},
		"folds": {"split": settings.SplitFolds, "folds": 5}, "group": {"split": settings.SplitGroup},
	} {
		mean := ofShuffled(t, "roc_auc", Request{Given: split.Over(settings.Values{"label": "class"})})
		if t.Logf("%s: mean ROC-AUC %.3f", name, mean); math.Abs(mean-0.5) > 0.04 {
			t.Errorf("%s: mean ROC-AUC %.3f on shuffled labels, want chance", name, mean)
		}
	}
	// A model that predicts the mean has an R² of about 0, and a model that learns noise has a lower one.
	mean := ofShuffled(t, "r2", Request{Task: task.EdgeRegression.Name, Given: settings.Values{"label": "number"}})
	if t.Logf("numbers: mean R² %.3f", mean); !(mean < 0.01) {
		t.Errorf("mean R² %.3f on shuffled numbers, want 0 or less", mean)
	}
}

// ofShuffled returns the mean of a score of the test part over the last epochs of several trainings
// on shuffled labels.
func ofShuffled(t *testing.T, score string, r Request) float64 {
	t.Helper()
	const seeds, epochs = 8, 40
	mean := 0.0
	for seed := range uint64(seeds) {
		draw := rand.New(rand.NewPCG(seed, 7))
		var text strings.Builder
		text.WriteString("source,target,time,group,part,class,number\n")
		for e := range 1500 {
			fmt.Fprintf(&text, "%d,%d,%d,%d,%s,%d,%g\n", draw.IntN(60), draw.IntN(60), e, draw.IntN(60),
				[]string{"train", "train", "train", "valid", "test"}[draw.IntN(5)], draw.IntN(2), draw.NormFloat64())
		}
		ignored := []string{map[string]string{"class": "number", "number": "class"}[r.Given["label"].(string)]}
		if r.Given["part"] == nil {
			ignored = append(ignored, "part")
		}
		r.Path, r.Seed = testsets.EdgeFolder(t, "edges.csv", text.String()), seed
		r.Given = r.Given.Over(settings.Values{"ignore": ignored, "label-context": settings.ContextOn, "hidden": 12, "layers": 2, "epochs": epochs})
		s := mustOpen(t, r)
		_, err := s.Fit(t.Context(), FitOptions{OnEpoch: func(e train.EpochInfo) {
			if e.Epoch < epochs {
				return
			}
			scores, err := s.Evaluate(t.Context(), source.PartTest)
			if err != nil {
				t.Fatal(err)
			}
			mean += scoreOf(t, scores.Scores, score) / seeds
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return mean
}
