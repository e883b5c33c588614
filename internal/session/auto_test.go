package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// autoTable is a table of edges, each with a part, a time, a number and a label. The label is a class, which is mostly
// that of the target, or a number that depends on both ends. change may change the fields of a row.
func autoTable(t *testing.T, number bool, change func(row int, fields []string)) string {
	const nodes, edges = 40, 900
	r := rng.Stream(5, "auto table")
	var text strings.Builder
	text.WriteString("source,target,amount,day,part,label\n")
	for e := range edges {
		u, v := r.IntN(nodes), r.IntN(nodes)
		amount := r.Float64()
		label := "no"
		if v%4 == 0 && r.Float64() < 0.9 || amount > 0.9 {
			label = "yes"
		}
		if number {
			label = fmt.Sprintf("%.3f", float64(u%5)+2*float64(v%3)+amount+0.1*r.NormFloat64())
		}
		part := []string{"train", "valid", "test"}[max(0, e*5/edges-2)]
		fields := []string{fmt.Sprint("n", u), fmt.Sprint("n", v), fmt.Sprintf("%.4f", amount), fmt.Sprint(e / 3), part, label}
		if change != nil {
			change(e, fields)
		}
		text.WriteString(strings.Join(fields, ",") + "\n")
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// fastAuto requests a short training of model.Auto.
func fastAuto(path string, more settings.Values) Request {
	return Request{Path: path, Model: model.AutoName, Seed: 3, Given: settings.Values{"part": "part", "quality": model.QualityFast}.Over(more)}
}

// predictedRows returns the predictions of a run for a part, as rows of text.
func predictedRows(t *testing.T, s *Session, part string) string {
	t.Helper()
	table, err := s.Predict(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(testsets.CSVRows(t, table), "\n")
}

// A run of the default model learns, gives the same predictions after loading, has vectors, and is the same for
// any number of threads. TestAutoLeak compares threads for classes.
func TestAuto(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range []struct {
		name, score string
		number      bool
		least       float64
		more        settings.Values
	}{
		{"classes", "roc_auc", false, 0.9, nil},
		{"numbers", "r2", true, 0.95, settings.Values{"task": ""}},
		{"undirected", "r2", true, 0.3, settings.Values{"edges": settings.EdgesUndirected}},
		{"time", "roc_auc", false, 0.9, settings.Values{"time": "day"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			delete(c.more, "task")
			path := autoTable(t, c.number, nil)
			r := fastAuto(path, c.more)
			dir, res := trained(t, r)
			if v := scoreOf(t, res.Test, c.score); v < c.least {
				t.Errorf("%s %.3f, expected at least %.2f", c.score, v, c.least)
			}
			if len(res.Leaderboard) < 4 {
				t.Errorf("leaderboard %v", res.Leaderboard)
			}
			again, err := Load(t.Context(), dir, source.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := predictedRows(t, again, source.PartTest)
			if stored := testsets.Contents(t, dir, PredictionsFile); !strings.Contains(stored, strings.Split(want, "\n")[0]) {
				t.Errorf("%s has no row %s", PredictionsFile, strings.Split(want, "\n")[0])
			}
			checkParts(t, again)
			checkImportance(t, again, c.number)
			vectors, err := again.Embed(t.Context(), source.PartTest, settings.Edges)
			if err != nil || vectors.Rows() == 0 {
				t.Errorf("vectors: error %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, keptFolder)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the learners of the training are still there: %v", err)
			}
			if c.score == "roc_auc" {
				return
			}
			r.Threads = 1
			one, _ := trained(t, r)
			if testsets.Contents(t, one, PredictionsFile) != testsets.Contents(t, dir, PredictionsFile) {
				t.Error("predictions depend on the number of threads")
			}
		})
	}
}

// A training that was stopped after some learners keeps them, and ends with the same predictions.
func TestAutoResume(t *testing.T) {
	r := fastAuto(autoTable(t, false, nil), nil)
	whole, _ := trained(t, r)
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	res, err := mustOpen(t, r).Train(ctx, TrainOptions{Dir: dir, OnEntry: func(auto.Entry) {
		if n++; n == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || res == nil || !res.Interrupted {
		t.Fatalf("cancelled: %+v, error %v", res, err)
	}
	kept, err := filepath.Glob(filepath.Join(dir, keptFolder, "*.safetensors"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no learner was kept: %v", err)
	}
	for range 2 { // the second time there is nothing left to train
		if _, err = mustOpen(t, r).Train(t.Context(), TrainOptions{Dir: dir, Resume: true}); err != nil {
			t.Fatal(err)
		}
		if testsets.Contents(t, dir, PredictionsFile) != testsets.Contents(t, whole, PredictionsFile) {
			t.Error("a resumed training predicts something else")
		}
	}
}

// A prediction does not change by a bit with data that it must not read: labels of the test part and, after a split by
// time, later edges. It does not depend on the number of threads.
func TestAutoLeak(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	train := func(path string, threads int, more settings.Values) *Session {
		r := fastAuto(path, more)
		r.Threads = threads
		s := mustOpen(t, r)
		if _, err := s.Train(t.Context(), TrainOptions{Dir: filepath.Join(t.TempDir(), "run")}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	predict := func(s *Session, part string) []string {
		table, err := s.Predict(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		table.Columns = slices.DeleteFunc(table.Columns, func(c report.Column) bool { return c.Name == "label" })
		return testsets.CSVRows(t, table)
	}
	var s *Session
	for _, more := range []settings.Values{nil, {"time": "day"}} {
		s = train(autoTable(t, false, nil), 0, more)
		other := train(autoTable(t, false, func(_ int, fields []string) {
			if fields[4] == "test" {
				fields[5] = map[string]string{"yes": "no", "no": "yes"}[fields[5]]
			}
		}), 1, more)
		if !slices.Equal(predict(s, source.PartTest), predict(other, source.PartTest)) {
			t.Errorf("%v: predictions depend on labels of the test part, or on threads", more)
		}
	}
	late := train(autoTable(t, false, func(_ int, fields []string) {
		if fields[4] == "test" {
			fields[0], fields[2], fields[5] = fields[1], "9", "yes"
		}
	}), 0, settings.Values{"time": "day"})
	if !slices.Equal(predict(s, source.PartValid), predict(late, source.PartValid)) {
		t.Error("predictions of validation edges depend on later edges")
	}
}

// Shuffled labels are not learned.
func TestAutoChance(t *testing.T) {
	path := autoTable(t, false, nil)
	text := testsets.Contents(t, path, "edges.csv")
	if err := os.WriteFile(filepath.Join(path, "edges.csv"), []byte(shuffled(text)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, res := trained(t, fastAuto(path, nil))
	if v := scoreOf(t, res.Test, "roc_auc"); v < 0.38 || v > 0.62 { // the test part has 180 edges
		t.Errorf("ROC-AUC %.3f on shuffled labels", v)
	}
}

// Options that the default model does not read are refused. Options of a network choose a network.
func TestAutoOptions(t *testing.T) {
	path := autoTable(t, false, nil)
	for _, c := range []struct {
		given settings.Values
		want  string
	}{
		{settings.Values{"epochs": 3}, "--epochs does not apply to model auto"},
		{settings.Values{"hidden": 3}, "--hidden does not apply to model auto"},
		{settings.Values{"quality": "perfect"}, `--quality is "perfect"`},
	} {
		_, err := Open(t.Context(), fastAuto(path, c.given))
		if testsets.Fails(t, err, c.want); !settings.IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
	}
	if name := mustOpen(t, Request{Path: path, Given: settings.Values{"epochs": 3}}).Settings.ModelName; name != source.RolesModel {
		t.Errorf("with --epochs and without --model, %s is trained", name)
	}
	if name := mustOpen(t, Request{Path: path}).Settings.ModelName; name != model.AutoName {
		t.Errorf("the default model is %s", name)
	}
}

// If there are many classes, columns of known labels exist for the most frequent ones.
func TestFrequentClasses(t *testing.T) {
	if got := frequent([]int32{3, 3, 1, -1, 2, 2, 2, 0}, 5, 3); !slices.Equal(got, []int32{0, 2, 3}) {
		t.Errorf("classes %v, expected 0, 2 and 3", got)
	}
}

// treeTable is a table of edges along paths of a tree with few labels. The label of an edge depends on a feature of
// adjacent edges, and some of these are held out.
func treeTable(t *testing.T, change func(row int, fields []string)) string {
	const edges = 700
	r := rng.Stream(6, "tree table")
	weight, from := make([]float64, edges), make([]int, edges)
	for e := range edges {
		weight[e], from[e] = r.NormFloat64(), max(0, e-1-r.IntN(4))
	}
	var text strings.Builder
	text.WriteString("source,target,weight,part,label\n")
	for e := range edges {
		// Edge e leads from node from[e] to node e+1. The edge to node from[e] has the number from[e]-1.
		around := 0.0
		if from[e] > 0 {
			around = weight[from[e]-1]
		}
		fields := []string{fmt.Sprint("n", from[e]), fmt.Sprint("n", e+1), fmt.Sprintf("%.4f", weight[e]),
			[]string{"train", "train", "train", "valid", "test"}[r.IntN(5)], fmt.Sprintf("%.4f", 2*around+0.1*r.NormFloat64())}
		if change != nil {
			change(e, fields)
		}
		text.WriteString(strings.Join(fields, ",") + "\n")
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// If labels are few, networks that pass messages between edges are trained, and kept if they are better. Such a run
// gives the same predictions after loading, and labels in the rows to predict do not change them.
func TestAutoDual(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := fastAuto(treeTable(t, nil), nil)
	dir, res := trained(t, r)
	if v := scoreOf(t, res.Test, "r2"); v < 0.6 {
		t.Errorf("r2 %.3f, expected at least 0.6", v)
	}
	k := slices.IndexFunc(res.Leaderboard, func(e auto.Entry) bool { return e.Learner == model.LearnerDual })
	if k < 0 || !res.Leaderboard[k].Kept {
		t.Fatalf("leaderboard %v, expected a dual network that is kept", res.Leaderboard)
	}
	again, err := Load(t.Context(), dir, source.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := predictedRows(t, again, source.PartTest); !strings.Contains(testsets.Contents(t, dir, PredictionsFile), strings.Split(got, "\n")[0]) {
		t.Errorf("a run that is read again predicts otherwise")
	}
	if _, err := again.Embed(t.Context(), source.PartTest, settings.Edges); err != nil {
		t.Error(err)
	}
	used, err := again.Importance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if g := importanceOf(t, used, "the edges around, by messages"); g.Increase < 2*g.Error {
		t.Errorf("%+v, expected an increase of two standard errors", g)
	}
	r.Threads, r.Path = 1, treeTable(t, func(_ int, fields []string) {
		if fields[3] == "test" {
			fields[4] = "7"
		}
	})
	other, _ := trained(t, r)
	predictions := func(dir string) (out []string) {
		for _, line := range strings.Split(testsets.Contents(t, dir, PredictionsFile), "\n")[1:] {
			if fields := strings.Split(line, ","); len(fields) > 3 {
				out = append(out, fields[len(fields)-1])
			}
		}
		return out
	}
	if !slices.Equal(predictions(other), predictions(dir)) {
		t.Error("labels of the test part, or the number of threads, change its predictions")
	}
}

// Without times, the default model counts the edges of all parts, in predictions for one part and for all data. A
// loaded run does the same.
func TestAutoSeesAllEdges(t *testing.T) {
	dir, _ := trained(t, fastAuto(autoTable(t, false, nil), settings.Values{"ignore": []string{"day"}}))
	s, err := Load(t.Context(), dir, source.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Settings.Data.Tables.Transductive {
		t.Error("training saw the edges of its own part alone")
	}
	test, all := columnsOf(t, s, source.PartTest), columnsOf(t, s, source.PartAll)
	for i, row := range all[len(all)-len(test):] {
		if row[len(row)-1] != test[i][len(test[i])-1] {
			t.Errorf("row %v among all data is %v", test[i], row)
		}
	}
	checkPredictsPart(t, s)
	late := mustOpen(t, fastAuto(autoTable(t, false, nil), settings.Values{"time": "day"}))
	if late.Settings.Data.Tables.Transductive {
		t.Error("training sees later edges")
	}
}

// checkPredictsPart checks the outputs for the test part, whose graph has edges of other parts: they are 0 for these
// edges, and for the edges of the part they equal, to the bit, the outputs of a prediction for all edges of the graph.
func checkPredictsPart(t *testing.T, s *Session) {
	t.Helper()
	p := s.Parts[source.PartTest]
	err := s.Each(t.Context(), p, func(o *model.Output, b *graph.Batch, _ int) error {
		if p.Items == nil || len(p.Items) == b.H.NumEdges() {
			t.Fatal("the graph of the test part has no edges of other parts")
		}
		pass := &nn.Pass{Tape: tensor.NewArena(1).Tape()}
		want, item := s.Model.Forward(pass, b).Edge.Data(), make([]bool, b.H.NumEdges())
		for _, e := range p.Items {
			item[e] = true
		}
		for e, is := range item {
			got := o.Edge.Data()[2*e:][:2]
			if is && !slices.Equal(got, want[2*e:][:2]) || !is && !slices.Equal(got, []float32{0, 0}) {
				t.Errorf("edge %d, in the part %t: %v, expected %v or nothing", e, is, got, want[2*e:][:2])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
