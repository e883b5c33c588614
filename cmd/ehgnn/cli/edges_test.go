package cli_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// edgeEvaluation is the document of evaluate on a run on edges.
type edgeEvaluation struct {
	Run, Data, Part string
	Edges           int
	Scores          map[string]float64
}

// The most important task on edges, with the real program: the test trains a run and uses it in every way.
func TestEdges(t *testing.T) {
	t.Parallel()
	path := payments(t, 400, "nodes.csv", "edges.csv")
	dir := filepath.Join(t.TempDir(), "run")
	var trained struct {
		Task, Model, Dataset string
		Epochs               int
		Test                 map[string]float64
	}
	document(t, exits0(t, "train", path, "--task", "edge-classification", "--model", "ehgnn-edge", "--label", "label", "--split", "time", "--out", dir,
		"--epochs", "6", "--hidden", "8", "--edge-hidden", "6", "--dropout", "0.2", "--lr", "0.01", "--quiet", "--json"), &trained)
	if trained.Task != "edge-classification" || trained.Model != "ehgnn-edge" || trained.Dataset != "Payments" || trained.Epochs != 6 || len(trained.Test) != 11 {
		t.Errorf("train prints %+v", trained)
	}
	for _, name := range []string{"config.yaml", "model.safetensors", "metrics.jsonl", "predictions.csv", "environment.json", "checkpoint.safetensors"} {
		if !exists(filepath.Join(dir, name)) {
			t.Errorf("there is no %s", name)
		}
	}

	t.Run("evaluate", func(t *testing.T) {
		for _, test := range []struct {
			args  []string
			part  string
			edges int
		}{{nil, "test", 80}, {[]string{"--split", "valid"}, "valid", 80}, {[]string{path}, "all", 400}, {[]string{path, "--split", "test"}, "test", 80}} {
			var e edgeEvaluation
			document(t, exits0(t, append([]string{"evaluate", dir, "--json"}, test.args...)...), &e)
			if e.Run != dir || e.Data != "Payments" || e.Part != test.part || e.Edges != test.edges || len(e.Scores) != 11 {
				t.Errorf("evaluate %v: %+v, want %d edges of %s", test.args, e, test.edges, test.part)
			}
			if e.Part == "test" && !maps.Equal(e.Scores, trained.Test) {
				t.Errorf("scores %v, train has %v", e.Scores, trained.Test)
			}
		}
		if text := exits0(t, "evaluate", dir); !strings.HasPrefix(text, "Payments, test, 80 edges: loss ") || !strings.Contains(text, "average precision ") || strings.Contains(text, "recall@") || strings.Contains(text, "ece") {
			t.Errorf("evaluate prints %q", text)
		}
		if text := exits0(t, "evaluate", dir, "--budget", "0.01,0.25,7"); !strings.Contains(text, ", recall@1% of fraud ") || !strings.Contains(text, ", recall@25% of fraud ") || !strings.Contains(text, ", recall@7 of fraud ") {
			t.Errorf("evaluate --budget prints %q", text)
		}
		refused(t, "--budget is [0], expected shares below 1 and whole numbers from 1", "evaluate", dir, "--budget", "0")
	})

	t.Run("predict", func(t *testing.T) {
		if got := exits0(t, "predict", dir, path, "--split", "test", "--keep-columns=false"); got != read(t, dir, "predictions.csv") {
			t.Errorf("predict --split test prints\n%.300s\nwhere the run has\n%.300s", got, read(t, dir, "predictions.csv"))
		}
		all := table(t, exits0(t, "predict", dir, path))
		if len(all) != 400 || all[0]["label"] != "ok" || all[0]["edge"] != "0" {
			t.Fatalf("%d predictions, the first %v", len(all), all[0])
		}
		// Payments without labels, times and groups, in one file, and the accounts in another one.
		bare := filepath.Join(t.TempDir(), "new")
		writeFiles(t, bare, "nodes.csv", read(t, path, "nodes.csv"), "march.csv", without(read(t, path, "edges.csv"), "label", "time", "group"))
		fresh := table(t, exits0(t, "predict", dir, filepath.Join(bare, "march.csv")))
		if len(fresh) != 400 {
			t.Fatalf("%d predictions", len(fresh))
		}
		for i, row := range fresh {
			if row["label"] != "" || row["prediction"] != all[i]["prediction"] || row["probability_fraud"] != all[i]["probability_fraud"] || row["source"] != all[i]["source"] {
				t.Fatalf("row %d is %v, want the prediction of %v without a label", i, row, all[i])
			}
		}
		refused(t, "march, part all: no edge has a label to score predictions by", "evaluate", dir, filepath.Join(bare, "march.csv"))
		refused(t, `no part "test" of march, expected one of ["all"]`, "predict", dir, filepath.Join(bare, "march.csv"), "--split", "test")
		out := filepath.Join(bare, "predictions.parquet")
		if text := exits0(t, "predict", dir, bare+"/march.csv", "--out", out); text != "400 rows written to "+out+"\n" {
			t.Errorf("predict --out prints %q", text)
		}
	})

	t.Run("embed", func(t *testing.T) {
		rows := table(t, exits0(t, "embed", dir, path, "--split", "test"))
		if len(rows) != 80 || len(rows[0]) != 3+6 || rows[0]["edge"] != "320" {
			t.Errorf("%d vectors, the first %v, want those of the latest 80 edges, 6 wide", len(rows), rows[0])
		}
		for _, level := range []string{"node", "graph"} {
			refused(t, "model ehgnn-edge learns no vectors of "+level+"s; it learns those of edges", "embed", dir, path, "--level", level)
		}
	})

	t.Run("refused", func(t *testing.T) {
		refused(t, dir+" holds a run already", "train", path, "--out", dir, "--quiet")
		refused(t, dir+" holds a run already", "train", small(t).folder(t), "--out", dir)
		refused(t, "graph-classification does not apply to Payments, whose labels are of each edge", "train", path, "--out", smallRun(t), "--resume")
		refused(t, `was begun with other settings: data.tables.ignore was none and is ["channel","amount"] now, digest of features was 94369fa167861285 and is fd4d816867d83395 now, model.edge_dim was 5 and is 1 now, model.hidden was 8 and is 9 now, target.unweighted was true and is none now; repeat them`,
			"train", path, "--out", dir, "--resume", "--hidden", "9", "--edge-hidden", "6", "--dropout", "0.2", "--lr", "0.01", "--ignore", "channel,amount", "--unweighted=false", "--quiet")
		refused(t, "--format does not apply to "+dir, "evaluate", dir, path, "--format", "tu")
		refused(t, "--nodes is given without DATA", "evaluate", dir, "--nodes", "x.csv")
		refused(t, "--nodes does not apply to "+smallRun(t), "predict", smallRun(t), path, "--nodes", "x.csv")
		alone := filepath.Join(t.TempDir(), "alone.csv")
		writeFiles(t, filepath.Dir(alone), "alone.csv", read(t, path, "edges.csv"))
		refused(t, `there is no column "kind" in alone.csv, and no table of nodes`, "predict", dir, alone)
		changed := payments(t, 300, "nodes.csv", "edges.csv")
		moved := filepath.Join(t.TempDir(), "run")
		succeed(t, "train", changed, "--out", moved, "--epochs", "1", "--hidden", "4", "--quiet")
		writeFiles(t, changed, "edges.csv", read(t, path, "edges.csv"))
		refused(t, changed+" has changed since run "+moved, "evaluate", moved)
		if err := os.RemoveAll(changed); err != nil {
			t.Fatal(err)
		}
		refused(t, "the data of run "+moved+" cannot be read again; name them as DATA", "evaluate", moved)
	})
}

// Tables are recognised and get the model of the task. Every model of edges can be trained, numbers
// and classes can be predicted, and columns and files may have any name.
func TestEdgeTasks(t *testing.T) {
	path := payments(t, 300, "nodes.csv", "edges.csv")
	t.Chdir(t.TempDir())
	tiny := []string{"--epochs", "2", "--hidden", "4", "--quiet"}
	for k, spec := range edgeModels() {
		if testing.Short() && k%3 != 0 && spec.Name != "ehgnn-joint-edge" {
			continue // one of many models
		}
		text := succeed(t, append([]string{"train", path, "--model", spec.Name}, tiny...)...)
		dir := filepath.Join("runs", "payments-"+spec.Name)
		if !strings.HasPrefix(text, spec.Name+" on Payments: ") || strings.Contains(text, "\nRun ") { // --quiet does not name files
			t.Errorf("train --model %s prints\n%s", spec.Name, text)
		}
		if rows := table(t, succeed(t, "embed", dir, path)); len(rows) != 300 {
			t.Errorf("%s: %d vectors, want 300", spec.Name, len(rows))
		}
	}
	if rows := table(t, succeed(t, "embed", "runs/payments-ehgnn-joint-edge", path, "--level", "node")); len(rows[0]) != 1+4 || rows[0]["node"] == "" {
		t.Errorf("%d nodes, the first %v", len(rows), rows[0])
	}
	text := succeed(t, append([]string{"train", path, "--task", "edge-regression", "--label", "amount", "--ignore", "label", "--out", "amounts", "--seed", "7"}, tiny...)...)
	if !regexp.MustCompile(`\n +validation +test\n  MAE +[0-9.]+ +[0-9.]+\n`).MatchString(text) {
		t.Errorf("edge-regression prints\n%s", text)
	}
	if rows := table(t, succeed(t, "predict", "amounts", path)); len(rows) != 300 || rows[0]["prediction"] == "" || rows[0]["label"] == "" {
		t.Errorf("%d estimates, the first %v", len(rows), rows[0])
	}

	// accounts.csv and payments.tsv with other column names, given by a configuration file.
	other := t.TempDir()
	edges := strings.Replace(read(t, path, "edges.csv"), "source,target,amount,channel,hour,time,group,label", "payer,payee,amount,channel,hour,minute,region,fraud", 1)
	writeFiles(t, other, "accounts.csv", strings.Replace(read(t, path, "nodes.csv"), "id,", "account,", 1), "payments.tsv", strings.ReplaceAll(edges, ",", "\t"),
		"flags.yaml", "source: payer\ntarget: payee\nlabel: fraud\ntime: minute\ngroup: region\nnode_id: account\nignore: [channel, days]\ncategories: [hour]\n"+
			"fractions: [0.5, 0.2, 0.3]\nsplit: group\npairs: true\ntransductive: true\nunweighted: true\nedges: directed\n")
	file := filepath.Join(other, "payments.tsv")
	succeed(t, append([]string{"train", file, "--nodes", filepath.Join(other, "accounts.csv"), "--config", filepath.Join(other, "flags.yaml"), "--out", "named", "--constant-lr=false", "--epochs", "3"}, tiny[2:]...)...)
	loaded, err := session.LoadRun("named")
	if err != nil {
		t.Fatal(err)
	}
	s := loaded.Settings
	if s.Split.Kind != settings.SplitGroup || !s.Split.Pairs || !slices.Equal(s.Split.Fractions, []float64{0.5, 0.2, 0.3}) || s.Split.Seed != 42 || !s.Data.Tables.Transductive ||
		!s.Target.Unweighted || !slices.Equal(s.Data.Tables.NodesFiles, tables.Files{"accounts.csv"}) || s.Train.Epochs != 3 || s.Train.Schedule.Name != "cosine" {
		t.Errorf("settings %+v", s)
	}
	var fields []string
	for _, f := range slices.Concat(s.Data.Tables.Encoder.Nodes, s.Data.Tables.Encoder.Edges) {
		fields = append(fields, fmt.Sprint(f.Name, f.Numeric()))
	}
	if got := strings.Join(fields, " "); got != "kindfalse amounttrue hourfalse" {
		t.Errorf("features %s, want the categories of kind and hour, and amount", got)
	}
	// The run finds the accounts again. New payments may have theirs in another file.
	succeed(t, "evaluate", "named")
	succeed(t, "predict", "named", file)
	if err := os.Rename(filepath.Join(other, "accounts.csv"), filepath.Join(other, "people.csv")); err != nil {
		t.Fatal(err)
	}
	refused(t, "accounts.csv: cannot be opened", "predict", "named", file)
	if rows := table(t, succeed(t, "predict", "named", file, "--nodes", "people.csv")); len(rows) != 300 {
		t.Errorf("%d predictions", len(rows))
	}
	refused(t, `expected a file in the folder of the edges`, "predict", "named", file, "--nodes", filepath.Join(path, "nodes.csv"))
}

// A column of parts splits like a column of times with the same values. Folds of groups are tested
// one after the other. Prediction sets, intervals and the deviation of the members are columns of
// the predictions.
func TestEdgeSplitsAndBounds(t *testing.T) {
	path := payments(t, 400, "nodes.csv", "edges.csv")
	lines := strings.Split(strings.TrimSpace(read(t, path, "edges.csv")), "\n")
	lines[0] = "part," + lines[0]
	for i := range lines[1:] {
		lines[i+1] = itoa(i*3/400) + "," + lines[i+1]
	}
	parted := t.TempDir()
	writeFiles(t, parted, "nodes.csv", read(t, path, "nodes.csv"), "edges.csv", strings.Join(lines, "\n")+"\n")
	t.Chdir(t.TempDir())
	tiny := []string{"--epochs", "2", "--hidden", "4", "--quiet", "--ignore", "hour"}
	succeed(t, append([]string{"train", parted, "--part", "part", "--time", "-", "--out", "column"}, tiny...)...)
	succeed(t, append([]string{"train", parted, "--split", "time", "--time", "part", "--fractions", "0.33,0.34,0.33", "--out", "time"}, tiny...)...)
	if read(t, "column", "predictions.csv") != read(t, "time", "predictions.csv") {
		t.Error("predictions for the test part of a column differ from those of a split by the same numbers")
	}
	if text := succeed(t, "data", "info", parted, "--part", "part", "--json"); !strings.Contains(text, `"train": 134,`) || !strings.Contains(text, `"role": "part",`) {
		t.Errorf("data info prints\n%s", text)
	}

	tested := map[string]int{}
	for fold := range 3 {
		dir := "fold" + itoa(fold+1)
		succeed(t, append([]string{"train", path, "--split", "group", "--folds", "3", "--fold", itoa(fold + 1), "--out", dir}, tiny...)...)
		for _, row := range table(t, read(t, dir, "predictions.csv")) {
			tested[row["edge"]]++
		}
	}
	if len(tested) != 400 || slices.Max(slices.Collect(maps.Values(tested))) != 1 {
		t.Errorf("%d edges are tested, want each of 400 once", len(tested))
	}

	text := succeed(t, append([]string{"train", path, "--coverage", "0.9", "--members", "2", "--out", "bounded"}, tiny...)...)
	if !strings.Contains(text, "\n  coverage ") || !strings.Contains(text, "\n  set size ") {
		t.Errorf("train prints\n%s", text)
	}
	for _, row := range table(t, succeed(t, "predict", "bounded", path)) {
		for _, class := range strings.Split(row["set"], "|") {
			if class != "fraud" && class != "ok" && class != "" || row["std"] == "" {
				t.Fatalf("set %q, std %q", row["set"], row["std"])
			}
		}
	}
	// A finished run gets new prediction sets and intervals without more epochs.
	weights := digestOf(t, "bounded")
	succeed(t, "train", "--resume", "--out", "bounded", "--coverage", "0", "--calibrate=false", "--quiet")
	if rows := table(t, read(t, "bounded", "predictions.csv")); rows[0]["set"] != "" || digestOf(t, "bounded") != weights {
		t.Errorf("predictions without bounds are %v, or the weights have changed", rows[0])
	}
	succeed(t, append([]string{"train", path, "--task", "edge-regression", "--label", "amount", "--coverage", "0.9", "--out", "amounts"}, tiny...)...)
	for _, row := range table(t, succeed(t, "predict", "amounts", path)) {
		if row["lower"] == "" || row["upper"] == "" || row["std"] != "" {
			t.Fatalf("interval %q to %q, std %q", row["lower"], row["upper"], row["std"])
		}
	}
}

// If there are times and no split is given, a note suggests a split by time.
func TestSplitNote(t *testing.T) {
	path := payments(t, 60, "nodes.csv", "edges.csv")
	t.Chdir(t.TempDir())
	for args, want := range map[string]bool{"": true, "--split random": false, "--split time": false, "--time -": false} {
		r := run(t, append([]string{"train", path, "--epochs", "1", "--hidden", "4"}, strings.Fields(args)...)...)
		if got := strings.Contains(r.stderr, "--split time tests the latest by column time"); r.code != 0 || got != want {
			t.Errorf("train %s: exit code %d, note %v, want %v\n%s", args, r.code, got, want, r.stderr)
		}
		if err := os.RemoveAll("runs"); err != nil {
			t.Fatal(err)
		}
	}
}

// Wrong use of tasks on edges is refused. The error says what was found and what is expected.
func TestEdgeUsage(t *testing.T) {
	path := payments(t, 60, "nodes.csv", "edges.csv")
	bare := t.TempDir()
	writeFiles(t, bare, "edges.csv", "here,there,amount\na,b,1\nb,c,2\n")
	t.Chdir(t.TempDir())
	tests := []struct{ path, args, want string }{
		{path, "--split fold", `--split is "fold", expected one of ["random" "time" "group" "column" "folds"]`},
		{path, "--split column", "has no column of parts, which split column needs"},
		{path, "--part colour", `edges.csv:1: there is no column "colour"`},
		{path, "--part channel", `edges.csv:2: column "channel" is "`},
		{path, "--split time --folds 4", "--folds does not apply to edge-classification of tables"},
		{path, "--split group --folds 4 --fold 5", "--fold is 5, expected 1 to 4"},
		{path, "--coverage 1", "--coverage is 1, expected 0 or more and below 1"},
		{path, "--coverage 0.95", "--coverage 0.95 needs at least 19 edges to validate on that have a label, found 12"},
		{path, "--task edge-regression --label amount --budget 0.1", "--budget does not apply to edge-regression"},
		{path, "--split time --pairs", "split time with --pairs"},
		{path, "--split time --time -", "has no column of times, which split time needs"},
		{path, "--ratio 0.5", "--ratio does not apply to model ehgnn-roles"},
		{path, "--task edge-regression --label amount --unweighted", "--unweighted does not apply to edge-regression"},
		{path, "--model mlp-edge --layers 3", "--layers does not apply to model mlp-edge"},
		{path, "--fractions 0.5,0.5", "--fractions is [0.5 0.5], expected 3 numbers"},
		{path, "--fractions 0.5,0.5,0.5", "expected numbers that sum to 1, some of it for training, not to 1.5"},
		{path, "--model gcn", "graph-classification does not apply to Payments, whose labels are of each edge: expected one of the tasks edge-classification and edge-regression"},
		{path, "--model ehgnn-egde", `unknown model "ehgnn-egde", did you mean "ehgnn-edge"?`},
		{path, "--task edge-classification --model gcn", "model gcn has no predictions for edge-classification"},
		{path, "--task graph-classification --model mlp-edge", "model mlp-edge has no predictions for graph-classification, expected a model for that task or one of the tasks: edge-classification, edge-regression"},
		{path, "--task edges", `unknown task "edges", did you mean "edge-regression"? (known: graph-classification, graph-regression, node-classification, node-regression, edge-classification, edge-regression, edge-reconstruction, node-reconstruction, graph-reconstruction)`},
		{path, "--label fraud", `edges.csv:1: there is no column "fraud", found source, target, amount,`},
		{path, "--label channel --task edge-regression", `edges.csv:2: column "channel" is "`},
		{path, "--label -", "the edges have no labels to learn from: expected a column called label, class or y, or one that --label names; the features are kind, days, amount, channel, hour, label"},
		{path, "--ignore colour", `there is no column "colour" in nodes.csv and edges.csv`},
		{path, "--nodes people.csv", "people.csv: cannot be opened"},
		{path, "--nodes ../people.csv", "expected a file in the folder of the edges"},
		{path, "--edges both", `--edges is "both", expected one of ["auto" "undirected" "directed" "bipartite"]`},
		{path, "--lr -1", "LR is -1, expected a finite number above 0"},
		{bare, "", `edges.csv:1: no two columns have names of edge ends (source and target, from and to, sender and receiver, ...); the best guesses are --source "here" --target "there", or --source "here" --target "amount"; the columns are here, there, amount`},
		{"none", "--task edge-classification", "none: no such file or directory"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			refused(t, test.want, append([]string{"train", test.path}, strings.Fields(test.args)...)...)
			if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
				t.Errorf("left behind: %v %v", files, err)
			}
		})
	}
}

// A run that reads labels warns about new rows without any label, and about rows without a time.
func TestEdgeLabelRemarks(t *testing.T) {
	path := payments(t, 300, "nodes.csv", "edges.csv")
	t.Chdir(t.TempDir())
	succeed(t, "train", path, "--split", "time", "--label-context", "on", "--epochs", "2", "--hidden", "4", "--quiet", "--out", "labels")
	succeed(t, "train", path, "--split", "time", "--label-context", "off", "--epochs", "2", "--hidden", "4", "--quiet", "--out", "none")
	fresh := t.TempDir()
	lines := strings.SplitAfter(read(t, path, "edges.csv"), "\n")
	writeFiles(t, fresh, "nodes.csv", read(t, path, "nodes.csv"), "edges.csv", lines[0]+strings.Join(lines[250:], ""))
	untimed := t.TempDir()
	writeFiles(t, untimed, "nodes.csv", read(t, path, "nodes.csv"), "edges.csv", strings.Replace(lines[0], ",time,", ",moment,", 1)+strings.Join(lines[250:], ""))
	const poor, timeless = "predictions are poor; --context training", "edges have no time"
	for _, test := range []struct {
		args           []string
		poor, timeless bool
	}{
		{[]string{"labels", fresh}, true, false},
		{[]string{"labels", fresh, "--context", "training"}, false, false},
		{[]string{"labels", untimed, "--context", "training"}, false, true},
		{[]string{"none", fresh}, false, false},
		{[]string{"none", untimed, "--context", "training"}, false, false},
	} {
		r := run(t, append([]string{"predict"}, test.args...)...)
		if r.code != 0 || strings.Contains(r.stderr, poor) != test.poor || strings.Contains(r.stderr, timeless) != test.timeless {
			t.Errorf("predict %v exits with %d and says\n%s", test.args, r.code, r.stderr)
		}
	}
}

// A training on a table of edges that needs too much memory is refused as a usage error, and nothing is written.
func TestEdgesTooLarge(t *testing.T) {
	var text strings.Builder
	text.WriteString("source,target,label\n")
	for e := range 40_000 {
		text.WriteString(itoa(e%4000) + "," + itoa(e*7%3989) + "," + itoa(e%2) + "\n")
	}
	t.Chdir(t.TempDir())
	writeFiles(t, ".", "edges.csv", text.String())
	r := run(t, "train", "edges.csv", "--max-memory", "850MiB", "--members", "8", "--out", "run")
	if r.code != 2 || !strings.Contains(r.stderr, "training ehgnn-roles on the 40000 edges of ") || !strings.Contains(r.stderr, "850 MiB are free; a smaller --hidden, fewer --members") || exists("run") {
		t.Errorf("train exits with %d and says\n%s", r.code, r.stderr)
	}
}
