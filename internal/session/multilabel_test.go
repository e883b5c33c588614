package session

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/realdata"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// Labels that depend on the bonds are learned. The run supports everything that other runs do.
func TestSeveralLabels(t *testing.T) {
	path := writeFiles(t, "bonds", molecules(60, bondNames, bonds))
	o := settings.Values{"epochs": 12, "hidden": 16, "batch-size": 8, "lr": 0.01, "constant-lr": true, "dropout": 0.0}
	dir, res := trained(t, Request{Path: path, Model: "hyperdrop", Seed: 1, Threads: 2, Given: o})
	for name, scores := range map[string]train.Scores{"valid": res.Valid, "test": res.Test} {
		if auc, _ := scores.Get("roc_auc"); !(auc > 0.95) {
			t.Errorf("%s: ROC-AUC %v after %d epochs", name, auc, res.Epochs)
		}
		if counted, _ := scores.Get(task.CountedScore); counted != 2 || len(scores) != 3 {
			t.Errorf("%s: scores %v, want 2 labels to count", name, scores)
		}
	}
	if text := scoresText(res.Test, ""); !strings.HasSuffix(text, "labels counted 2") {
		t.Errorf("scores are printed as %q", text)
	}

	// The best epoch is the first one with the highest validation ROC-AUC.
	best, at := -1.0, 0
	for i, line := range strings.Split(strings.TrimSpace(testsets.Contents(t, dir, "metrics.jsonl")), "\n") {
		var e struct{ Valid map[string]float64 }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if v := e.Valid["roc_auc"]; v > best {
			best, at = v, i+1
		}
	}
	if v, _ := res.Valid.Get("roc_auc"); res.BestEpoch != at || v != best {
		t.Errorf("best epoch %d with %v, want %d with %v", res.BestEpoch, v, at, best)
	}

	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]int{source.PartTrain: 36, source.PartValid: 12, source.PartTest: 12, source.PartAll: 60} {
		e, err := s.Evaluate(t.Context(), part)
		if err != nil || e.Graphs != want {
			t.Errorf("Evaluate(%s) = %+v, %v; want %d graphs", part, e, err, want)
		}
		if part == source.PartTest && !reflect.DeepEqual(e.Scores, res.Test) {
			t.Errorf("the loaded run scores %v, the one that was trained %v", e.Scores, res.Test)
		}
		for level, none := range map[settings.Level]bool{settings.Graphs: false, settings.Nodes: false, settings.Edges: false} {
			if table, err := s.Embed(t.Context(), part, level); err != nil || table.Rows() == 0 != none {
				t.Errorf("vectors of %ss of %s: %v", level, part, err)
			}
		}
	}
	table, err := s.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	rows := testsets.CSVRows(t, table)
	if want := "graph,part,label_double,probability_double,label_single,probability_single,label_unknown,probability_unknown"; testsets.CSVHeader(t, table) != want {
		t.Errorf("columns %s, want %s", testsets.CSVHeader(t, table), want)
	}
	right := 0
	for i, row := range rows {
		f := strings.Split(row, ",")
		if f[0] != strconv.Itoa(i) || f[1] != []string{source.PartTrain, source.PartTrain, source.PartTrain, source.PartTrain, source.PartTrain, source.PartTrain, source.PartValid, source.PartValid, source.PartTest, source.PartTest}[i%10] ||
			f[6] != "" || (f[4] == "") != (i%3 == 0) {
			t.Fatalf("row %d is %q", i, row)
		}
		for _, k := range []int{3, 5, 7} {
			if p, err := strconv.ParseFloat(f[k], 64); err != nil || !(p >= 0 && p <= 1) {
				t.Fatalf("row %d is %q", i, row)
			}
		}
		if p, _ := strconv.ParseFloat(f[3], 64); (p > 0.5) == (f[2] == "1") {
			right++
		}
	}
	if len(rows) != 60 || right < 55 {
		t.Errorf("%d rows, %d right", len(rows), right)
	}

	// Molecules without labels are predicted, but cannot be scored. Labels with other names are
	// refused.
	bare := writeFiles(t, "bare", molecules(12, []string{"none"}, func(int, bool) []string { return []string{`""`} }))
	if s, err = Load(t.Context(), dir, source.LoadOptions{Data: bare, Threads: 1}); err != nil {
		t.Fatal(err)
	}
	if table, err = s.Predict(t.Context(), source.PartAll); err != nil || table.Rows() != 12 || !strings.HasPrefix(testsets.CSVRows(t, table)[0], "0,,0.") {
		t.Errorf("predictions without labels: %v", err)
	}
	_, err = s.Evaluate(t.Context(), source.PartAll)
	if testsets.Fails(t, err, "bare, part all: no graph has a label to score predictions by"); !settings.IsUsage(err) {
		t.Error("not marked as the user's to mend")
	}
	for want, names := range map[string][]string{
		"has 2 targets where the model predicts 3":             {"a", "b"},
		`has target "other" where the model predicts "single"`: {"double", "other", "unknown"},
	} {
		other := writeFiles(t, "other", molecules(12, names, func(i int, double bool) []string { return bonds(i, double)[:len(names)] }))
		_, err = Load(t.Context(), dir, source.LoadOptions{Data: other})
		testsets.Fails(t, err, want)
	}
}

// Every model of graphs, with the default settings for molecules.
func TestMoleculeModels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	path := writeFiles(t, "bonds", molecules(20, bondNames, bonds))
	for _, spec := range model.Specs() {
		if spec.Tasks[0] != task.GraphClassification.Name {
			continue
		}
		o := quick()
		o["epochs"] = 1
		_, res := trained(t, Request{Path: path, Model: spec.Name, Seed: 1, Threads: 1, Given: o})
		if v, ok := res.Valid.Get("loss"); !ok || math.IsNaN(v) {
			t.Errorf("%s: scores %v", spec.Name, res.Valid)
		}
	}
}

// The published settings are the same for all sets of molecules, whatever their names.
func TestMoleculeDefaults(t *testing.T) {
	files := molecules(20, bondNames, bonds)
	for _, test := range []struct {
		set, model string
		batch      int
		ratio      float64
		heads      int
		norm       bool
		conv       string
	}{
		{"ogbg_molhiv", "hyperdrop", 128, 0.85, 0, false, "egcn"},
		{"toxcast", "hyperdrop-gmt", 128, 0.85, 1, false, "egcn"},
		{"ogbg_molbbbp", "gmt", 128, 0, 1, false, "egcn"},
		{"ogbg_molbbbp", "sagpool", 128, 0.25, 0, false, "egcn"},
		{"ogbg_molbace", "hyperdrop", 128, 0.85, 0, false, "egcn"},
		{"ogbg_molbace", "gin", 128, 0, 0, false, ""},
	} {
		s := mustOpen(t, Request{Path: writeFiles(t, test.set, files), Model: test.model, Seed: 1})
		m, c := s.Settings.Model, s.Settings.Train
		if c.BatchSize != test.batch || setting[float64](m, "ratio") != test.ratio || setting[int](m, "heads") != test.heads ||
			setting[bool](m, "layer-norm") != test.norm || setting[string](m, "conv") != test.conv || !m.Encode {
			t.Errorf("%s on %s: model %+v, training %+v, want %+v", test.model, test.set, m, c, test)
		}
		if setting[int](m, "hidden") != 128 || setting[int](m, "layers") != 3 || setting[float64](m, "dropout") != 0.5 || c.LR != 1e-3 || c.Epochs != 500 || c.Patience != 0 || c.ClipNorm != 1 ||
			c.Optimizer.WeightDecay != 1e-4 || c.Schedule != (train.Schedule{Name: "cosine", WarmupEpochs: 50}) ||
			c.Monitor != (train.Monitor{Metric: "roc_auc", Maximize: true}) || s.Settings.Split.Kind != settings.SplitGiven {
			t.Errorf("%s on %s: settings %+v", test.model, test.set, s.Settings)
		}
		if !slices.Equal(m.NodeBlocks, []int{119, 5, 12, 12, 10, 6, 6, 2, 2}) || !slices.Equal(m.EdgeBlocks, []int{5, 6, 2}) {
			t.Errorf("blocks %v and %v", m.NodeBlocks, m.EdgeBlocks)
		}
	}
	// Timing needs no validation part.
	o := quick()
	if times, err := mustOpen(t, Request{Path: writeFiles(t, "x", files), Given: o}).EpochTimes(t.Context(), 2); err != nil || len(times) != 2 {
		t.Errorf("times of epochs %v, %v", times, err)
	}
	// With a given schedule the warm-up stays.
	s := mustOpen(t, Request{Path: writeFiles(t, "x", files), Given: settings.Values{"constant-lr": false, "encode": false, "conv": "gcn"}})
	if s.Settings.Train.Schedule.WarmupEpochs != 10 || s.Settings.Model.Encode || setting[string](s.Settings.Model, "conv") != "gcn" || s.Settings.ModelName != "hyperdrop" {
		t.Errorf("settings %+v", s.Settings)
	}
}

// Data that cannot be trained on are refused, with the place of the error.
func TestLabelErrors(t *testing.T) {
	names := []string{"a", "b"}
	for want, target := range map[string]func(i int, double bool) []string{
		"label b of graph 7 of set is 0.5, expected 0, 1 or none; numbers are for --task graph-regression": func(i int, _ bool) []string {
			if i == 7 {
				return []string{"1", "0.5"}
			}
			return []string{"0", "1"}
		},
		"set: no graph to train on has a label": func(i int, _ bool) []string {
			if i%10 < 6 {
				return []string{"", ""}
			}
			return []string{"0", "1"}
		},
		"set: no label has both classes among the validation graphs": func(i int, double bool) []string {
			if i%10 == 6 || i%10 == 7 {
				return []string{"0", "1"}
			}
			return bonds(i, double)[:2]
		},
	} {
		_, err := Open(t.Context(), Request{Path: writeFiles(t, "set", molecules(20, names, target)), Task: task.GraphClassification.Name})
		testsets.Fails(t, err, want)
	}
}

// BBBP of the Open Graph Benchmark: five epochs with the published settings, but without warm-up,
// which would keep the learning rate near 0.
func TestBBBP(t *testing.T) {
	path := realdata.Path(t, "ogb", "ogbg_molbbbp")
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, res := trained(t, Request{Path: path, Model: "hyperdrop", Seed: 42, Threads: 2, Given: settings.Values{"epochs": 5, "constant-lr": true}})
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Settings.Target.Names, []string{"p_np"}) || setting[float64](s.Settings.Model, "ratio") != 0.85 || s.TrainGraphs() != 1631 {
		t.Errorf("settings %+v", s.Settings)
	}
	for part, want := range map[string]int{source.PartTrain: 1631, source.PartValid: 204, source.PartTest: 204, source.PartAll: 2039} {
		e, err := s.Evaluate(t.Context(), part)
		if err != nil || e.Graphs != want {
			t.Fatalf("Evaluate(%s) = %+v, %v; want %d graphs", part, e, err, want)
		}
		auc, _ := e.Scores.Get("roc_auc")
		t.Logf("%s: %v", part, e.Scores)
		if part == source.PartTrain && auc < 0.6 {
			t.Errorf("ROC-AUC %v on the graphs that were learned", auc)
		}
	}
	if !slices.Equal(res.Test, mustEvaluate(t, s, source.PartTest)) {
		t.Error("the loaded run has other scores")
	}
}

func mustEvaluate(t *testing.T, s *Session, part string) train.Scores {
	t.Helper()
	e, err := s.Evaluate(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	return e.Scores
}
