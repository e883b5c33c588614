package session

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/train"
)

// Every option of a model is listed by some model and is a row of Options.
func TestModelOptions(t *testing.T) {
	decided := []string{"sort-k"} // options that the data decide
	var want, got []string
	for _, s := range model.Specs() {
		want = append(want, s.Options()...)
	}
	slices.Sort(want)
	want = slices.DeleteFunc(slices.Compact(want), func(name string) bool { return slices.Contains(decided, name) })
	for _, o := range settings.Options() {
		if o.Of == settings.OfModel && o.Name != "encode" && o.Name != "members" { // options that all models have
			got = append(got, o.Name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("options of models %q, the registry has %q", got, want)
	}
}

// The number of clusters follows the authors' code: a share of the arcs, rounded up.
func TestClusters(t *testing.T) {
	tests := []struct {
		ratio, edges float64 // undirected edges, on average
		want         int
	}{
		{0.15, 49.79 / 2, 8}, // the training graphs of ZINC have 49.79 arcs: ceil(0.15·50)
		{0.10, 49.79 / 2, 5},
		{0.05, 49.79 / 2, 3},
		{0.05, 30, 3},   // 0.05·60 is 3.0000000000000004
		{0.15, 20, 6},   // 0.15·40 is exactly 6 in floating point
		{0.07, 50, 7},   // 0.07·100 is 7.000000000000001
		{0.15, 20.1, 7}, // 41 arcs
		{1, 10.5, 21},
		{0.01, 3, 1},
		{0.01, 0, 1}, // at least one cluster
	}
	for _, test := range tests {
		if got := (model.Stats{MeanEdges: test.edges}).EdgeClusters(test.ratio); got != test.want {
			t.Errorf("ratio %v of %v edges: %d clusters, want %d", test.ratio, test.edges, got, test.want)
		}
	}
}

// config.yaml stores any settings exactly.
func TestConfigRoundTrip(t *testing.T) {
	spec, err := model.Find("hyperdrop")
	if err != nil {
		t.Fatal(err)
	}
	awkward := settings.Settings{Version: settings.SettingsVersion,
		Task: "graph-classification", ModelName: "hyperdrop",
		Data: settings.DataSettings{Source: "graphs", Path: "C:\\data #1: x\n", FromRun: "../../~", Name: "no", Format: "tu", Edges: settings.EdgesDirected, Checksum: "12345e678",
			Graphs: &settings.GraphSettings{NodeCodes: 28, EdgeCodes: 5, NodeOffset: -3, EdgeOffset: 1, Standardise: true,
				NodeScale: &data.Scale{Mean: []float64{1.0 / 3, -1e-300}, Scale: []float64{1, 0.1 + 0.2}}, NodeFields: []settings.Field{{Name: "on: #", Kind: settings.KindNumber, Width: 3}}}},
		Split:  settings.Split{Kind: settings.SplitRandom, Fractions: []float64{0.8, 0.1, 0.1}, Seed: 1<<64 - 1},
		Target: settings.Target{Classes: []string{"1", "-1", "1e3", "0x10", "true", "null", "", "~", "a: b", "\x1b[31m\u202e\"\\x", "\t\r\a\n", "\u009b\x7f"}, Units: []settings.Unit{{Mean: -1e-7, Scale: 1e21}}},
		Model:  spec.Config(),
		Train: train.Config{Epochs: 5, BatchSize: 2, LR: 1e-7, ClipNorm: 1e21, Patience: 3, Seed: 1<<64 - 1,
			Optimizer: optim.Config{Name: "adam", WeightDecay: 1.2345678901234567e-10, Betas: [2]float64{0.9, 0.999}},
			Schedule:  train.Schedule{Name: "cosine", WarmupEpochs: 50, Cycles: 0.5}, Monitor: train.Monitor{Metric: "accuracy", Maximize: true}},
	}
	m := &awkward.Model
	m.Dims, m.Seed, m.Encode = model.Dims{Node: 3, NodeBlocks: []int{1, 2}}, 1<<63+1, true
	for name, v := range map[string]any{"hidden": 7, "dropout": 1.0 / 3, "ratio": 0.1 + 0.2} {
		m.Default(name, v)
	}
	// Fields that a file may leave out.
	least := settings.Settings{Version: settings.SettingsVersion, ModelName: "hyperdrop", Model: spec.Config(),
		Train: train.Config{Epochs: 1, LR: 1, Optimizer: optim.Config{Name: "adam"}}}
	for name, want := range map[string]settings.Settings{"least": least, "awkward": awkward} {
		dir := t.TempDir()
		if err := settings.WriteConfig(dir, want); err != nil {
			t.Fatal(err)
		}
		got, err := settings.ReadConfig(dir)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v; read %+v\nwant %+v", name, err, got, want)
		}
	}
}

// A run can be resumed only with its own settings. The message names the settings that differ.
func TestSameRun(t *testing.T) {
	dir := t.TempDir()
	spec, err := model.Find("hyperdrop")
	if err != nil {
		t.Fatal(err)
	}
	hidden := func(n int, seed uint64) model.Config {
		c := spec.Config()
		c.Seed = seed
		c.Default("hidden", n)
		return c
	}
	s := settings.Settings{Version: settings.SettingsVersion, Task: "graph-classification", ModelName: "hyperdrop", Data: settings.DataSettings{Source: "graphs", Path: "a", Format: "tu", Checksum: "x"},
		Model: hidden(8, 1<<64-2), Train: train.Config{Epochs: 5, LR: 0.1, Schedule: train.Schedule{Name: "cosine"}}}
	if err := settings.WriteConfig(dir, s); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(s *settings.Settings)
		want   string
	}{
		{"the same", func(s *settings.Settings) {}, ""},
		{"data that moved", func(s *settings.Settings) { s.Data.Path, s.Data.FromRun, s.Data.Format = "b", "../b", "" }, ""},
		{"other threads", func(s *settings.Settings) { s.Train.Threads = 7 }, ""},
		{"other data", func(s *settings.Settings) { s.Data.Checksum = "y" }, `data.checksum was "x" and is "y" now;`},
		{"two", func(s *settings.Settings) { s.Model, s.Train.LR = hidden(16, s.Model.Seed), 0.2 }, "model.hidden was 8 and is 16 now, train.lr was 0.1 and is 0.2 now;"},
		{"a seed beyond 53 bits", func(s *settings.Settings) { s.Model.Seed++ }, "model.seed was 18446744073709551614 and is 18446744073709551615 now;"},
		{"a schedule over more epochs", func(s *settings.Settings) { s.Train.Epochs = 9 }, "train.epochs was 5 and is 9 now;"},
	}
	for _, test := range tests {
		now := s
		test.change(&now)
		err := settings.SameRun(dir, now)
		if test.want == "" && err == nil {
			continue
		}
		if !settings.IsUsage(err) {
			t.Errorf("%s: %v is not marked as the user's to mend", test.name, err)
		}
		testsets.Fails(t, err, test.want)
	}
	s.Train.Schedule = train.Schedule{Name: "constant"}
	if err := settings.WriteConfig(dir, s); err != nil {
		t.Fatal(err)
	}
	s.Train.Epochs = 9
	if err := settings.SameRun(dir, s); err != nil {
		t.Errorf("more epochs at a constant rate: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, settings.ConfigFile), []byte("task: [\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := settings.SameRun(dir, s); !settings.IsUsage(err) || !strings.Contains(err.Error(), settings.ConfigFile) {
		t.Errorf("a damaged config.yaml: %v", err)
	}
}

// Settings that are not given have the defaults of the task, whatever the name of the data. Given
// settings win.
func TestResolve(t *testing.T) {
	tests := []struct {
		dataset                          string
		hidden, edgeHidden, batch, given int
		ratio                            float64
		wantHidden, wantEdge             int
	}{
		{dataset: "OTHER", batch: 128, ratio: 0.85, wantHidden: 128},
		{dataset: "DD", batch: 128, ratio: 0.85, wantHidden: 128},
		{dataset: "DD", given: 8, batch: 128, ratio: 0.85, wantHidden: 8},
	}
	for _, test := range tests {
		r := Request{Path: foldSet(t, test.dataset, 20), Model: "hyperdrop", Seed: 9, Threads: 1}
		if test.given > 0 {
			r.Given = settings.Values{"hidden": test.given}
		}
		s := mustOpen(t, r).Settings
		if setting[int](s.Model, "hidden") != test.wantHidden || setting[int](s.Model, "edge-hidden") != test.wantEdge || setting[float64](s.Model, "ratio") != test.ratio || s.Train.BatchSize != test.batch {
			t.Errorf("%s: %+v, batch size %d", test.dataset, s.Model, s.Train.BatchSize)
		}
		want := train.Config{Epochs: 500, BatchSize: test.batch, LR: 5e-4, ClipNorm: 1, Patience: 50, Seed: 9, Threads: 1,
			Optimizer: optim.Config{Name: "adam", WeightDecay: 1e-4}, Schedule: train.Schedule{Name: "cosine", WarmupEpochs: 50}}
		if !reflect.DeepEqual(s.Train, want) || setting[int](s.Model, "layers") != 3 || setting[float64](s.Model, "dropout") != 0.5 || s.Model.Out != 2 || s.Model.Seed != 9 {
			t.Errorf("%s: %+v", test.dataset, s)
		}
	}

	path := foldSet(t, "SET", 20)
	given := settings.Values{"fold": 3, "epochs": 7, "batch-size": 3, "hidden": 12, "edge-hidden": 6, "layers": 2, "patience": 1,
		"lr": 0.5, "weight-decay": 0.25, "dropout": 0.125, "ratio": 0.5, "constant-lr": true, "score": model.ScoreSigmoid, "virtual-node": true}
	s := mustOpen(t, Request{Path: path, Model: "hyperdrop", Given: given}).Settings
	m, c := s.Model, s.Train
	if setting[int](m, "hidden") != 12 || setting[int](m, "edge-hidden") != 6 || setting[int](m, "layers") != 2 || setting[float64](m, "dropout") != 0.125 || setting[float64](m, "ratio") != 0.5 || setting[string](m, "score") != model.ScoreSigmoid || !setting[bool](m, "virtual-node") || c.Epochs != 7 || c.BatchSize != 3 ||
		c.Patience != 1 || c.LR != 0.5 || c.Optimizer.WeightDecay != 0.25 || c.Schedule.Name != "constant" || c.Schedule.WarmupEpochs != 0 || s.Split.Fold != 3 {
		t.Errorf("given %+v, resolved %+v", given, s)
	}

	// The initial edge features are the published constant, unless another known name is given.
	if setting[string](m, "edge-init") != "" {
		t.Errorf("edges start from %q by default", setting[string](m, "edge-init"))
	}
	for _, init := range []string{model.EdgesGiven, model.EdgesFromEnds} {
		if s := mustOpen(t, Request{Path: path, Model: "hyperdrop", Given: settings.Values{"edge-init": init}}).Settings; setting[string](s.Model, "edge-init") != init {
			t.Errorf("edges start from %q, given %q", setting[string](s.Model, "edge-init"), init)
		}
	}
	_, err := Open(t.Context(), Request{Path: path, Model: "hyperdrop", Given: settings.Values{"edge-init": "ends"}})
	testsets.Fails(t, err, `model: hyperdrop: edge_init is "ends", expected given or endpoints`)

	// The authors' settings for ZINC give the same number of clusters for both edge forms.
	for _, edges := range []string{"undirected", "directed"} {
		s := mustOpen(t, Request{Path: path, Model: "hypercluster", Given: settings.Values{"edges": edges}})
		mean := s.Data.(*source.GraphData).Whole.Info.MeanEdges
		m, c := s.Settings.Model, s.Settings.Train
		if want := (model.Stats{MeanEdges: mean}).EdgeClusters(0.15); s.Settings.Task != "edge-reconstruction" || setting[int](m, "hidden") != 32 || setting[int](m, "layers") != 2 ||
			setting[int](m, "clusters") != want || c.LR != 1e-3 || c.BatchSize != 128 || c.Schedule.Name != "constant" || c.ClipNorm != 0 {
			t.Errorf("%s: %+v, want %d clusters", edges, s.Settings, want)
		}
	}
	s = mustOpen(t, Request{Path: path, Model: "hypercluster", Given: settings.Values{"clusters": 3, "heads": 2}}).Settings
	if setting[int](s.Model, "clusters") != 3 || setting[int](s.Model, "heads") != 2 {
		t.Errorf("given 3 clusters and 2 heads: %+v", s.Model)
	}
}

// Settings written as JSON and read again are the same. An unknown key is refused at any level.
func TestSettingsJSON(t *testing.T) {
	for name, r := range optionCases(t) {
		want := mustOpen(t, r).Settings
		text := settings.MustJSON(want)
		var got settings.Settings
		want.Kind = settings.Kind{}
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v; read %+v\nwant %+v", name, err, got, want)
		}
		places := []string{"", "data", "split", "target", "model", "train", "train.optimizer", "train.schedule", "train.monitor"}
		if want.Data.Graphs != nil {
			places = append(places, "data.graphs")
		} else {
			places = append(places, "data.tables", "data.tables.encoder")
		}
		if want.Target.Binary != nil {
			places = append(places, "target.binary")
		}
		for _, place := range places {
			var tree map[string]any
			dec := json.NewDecoder(bytes.NewReader(text))
			dec.UseNumber() // seeds do not fit into a float64
			if err := dec.Decode(&tree); err != nil {
				t.Fatal(err)
			}
			at := tree
			for _, key := range strings.Split(place, ".") {
				if key != "" {
					at = at[key].(map[string]any)
				}
			}
			at["typo"] = 1
			err := json.Unmarshal(settings.MustJSON(tree), &got)
			if err == nil || !strings.Contains(err.Error(), `unknown field "typo"`) && !strings.Contains(err.Error(), `unknown key "typo"`) {
				t.Errorf("%s, in %q: error %v of an unknown key", name, place, err)
			}
		}
	}
}

// The config.yaml of a run requests the same run, so that it can be resumed.
func TestReadRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, r := range optionCases(t) {
		r.Seed, r.Threads = 7, 2
		if r.Given["quality"] == nil { // only a model without epochs reads quality
			r.Given = r.Given.Over(settings.Values{"epochs": 1})
		}
		dir, want := trained(t, r)
		again, err := ReadRun(dir)
		if err != nil {
			t.Fatal(err)
		}
		again.Threads, again.Toolkit = 1, r.Toolkit
		res, err := mustOpen(t, again).Train(t.Context(), TrainOptions{Dir: dir, Resume: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		res.Seconds = want.Seconds
		if got, want := string(settings.MustJSON(res)), string(settings.MustJSON(want)); got != want { // two scores that are NaN count as equal
			t.Errorf("%s: resumed %s\ntrained %s", name, got, want)
		}
		if other, ok, err := ReadConfig(dir, []byte(testsets.Contents(t, dir, settings.ConfigFile))); !ok || err != nil || !reflect.DeepEqual(other.Given, again.Given) || other.Path != r.Path {
			t.Errorf("%s: config.yaml asks for %+v (%v, %v)", name, other, ok, err)
		}
	}
	if _, ok, err := ReadConfig(".", []byte("hidden: 3\n")); ok || err != nil {
		t.Errorf("options are taken for settings of a run (%v)", err)
	}
	_, ok, err := ReadConfig(".", []byte("settings: 2\nmodel_name: gcn\nmodle: {}\n"))
	if testsets.Fails(t, err, `unknown key "modle"`); !ok || !settings.IsUsage(err) {
		t.Error("not told as settings of a run that are the user's to mend")
	}
	_, err = ReadRun(t.TempDir())
	testsets.Fails(t, err, "holds no run: there is no config.yaml in it")
}

// Files without settings, settings of another version of the layout, and settings with options that
// this version no longer has give different errors.
func TestSettingsOfVersions(t *testing.T) {
	for text, want := range map[string]string{
		`{"settings":3}`:             "settings of layout 3, expected 2: another version of the program wrote them",
		`{}`:                         "no settings of a run",
		`{"model_name":"hyperdrop"}`: `there is no key "settings"`,
		`{"settings":2,"model_name":"ehgnn-roles","data":{"tables":{"node_embedding":8}}}`: "learned vectors of nodes (--node-embedding 8), which this version of the program no longer has",
	} {
		var s settings.Settings
		testsets.Fails(t, json.Unmarshal([]byte(text), &s), want)
	}
}

// Older versions decided some settings by short trainings and stored the decisions in config.yaml
// and in the weights. Such a run can be opened and resumed, and its settings have the decided
// values.
func TestChoicesOfOlderRuns(t *testing.T) {
	const choices = `[{"setting":"label-context","value":"on","score":"loss","with":0.12,"without":0.17,"epochs":100}]`
	r := Request{Path: trusts(t, 60), Model: source.RolesModel, Given: settings.Values{"label-context": settings.ContextOn, "epochs": 2, "hidden": 8, "layers": 1}}
	dir, _ := trained(t, r)
	want := mustOpen(t, r).Settings
	text := strings.TrimSuffix(string(settings.MustJSON(want)), "}") + `,"choices":` + choices + "}"
	var got settings.Settings
	if err := json.Unmarshal([]byte(text), &got); err != nil || !slices.Equal(settings.MustJSON(got), settings.MustJSON(want)) {
		t.Errorf("%v; read %+v, expected %+v", err, got, want)
	}
	path := filepath.Join(dir, settings.ConfigFile)
	older := testsets.Contents(t, dir, settings.ConfigFile) + "choices: " + choices + "\n"
	if err := os.WriteFile(path, []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadRun(dir); err != nil {
		t.Error(err)
	}
	again, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.Given["label-context"] != settings.ContextOn {
		t.Errorf("the run asks for %+v", again.Given)
	}
	if _, err := mustOpen(t, again).Train(t.Context(), TrainOptions{Dir: dir, Resume: true}); err != nil {
		t.Error(err)
	}
	if text := testsets.Contents(t, dir, settings.ConfigFile); strings.Contains(text, "choices") {
		t.Errorf("choices are written:\n%s", text)
	}
}
