package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/task"
)

// payments writes generated payments between 60 accounts as tables called nodes and
// edges, or as they are to be called.
func payments(t *testing.T, n int, nodes, edges string) string {
	t.Helper()
	x, err := synth.NewTransactions(60, n, 3)
	if err != nil {
		t.Fatal(err)
	}
	var accounts, list strings.Builder
	if err := x.WriteNodes(&accounts); err != nil {
		t.Fatal(err)
	}
	if err := x.WriteEdges(&list); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "Payments")
	writeFiles(t, dir, nodes, accounts.String(), edges, list.String())
	return dir
}

func writeFiles(t *testing.T, dir string, files ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// without drops columns of a CSV that has no quotes.
func without(text string, names ...string) string {
	var keep []int
	var out strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		if out.Len() == 0 {
			for i, f := range fields {
				if !slices.Contains(names, f) {
					keep = append(keep, i)
				}
			}
		}
		for k, i := range keep {
			if k > 0 {
				out.WriteByte(',')
			}
			out.WriteString(fields[i])
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// edgeEvaluation is the document of evaluate on a run on edges.
type edgeEvaluation struct {
	Run, Data, Part string
	Edges           int
	Scores          map[string]float64
}

// The main job on edges, with the real program: train, then all that a run is for.
func TestEdges(t *testing.T) {
	t.Parallel()
	path := payments(t, 400, "nodes.csv", "edges.csv")
	dir := filepath.Join(t.TempDir(), "run")
	var trained struct {
		Task, Model, Dataset string
		Epochs               int
		Test                 map[string]float64
	}
	document(t, exits0(t, "train", path, "--task", "edge-classification", "--label", "label", "--split", "time", "--out", dir,
		"--epochs", "6", "--hidden", "8", "--edge-hidden", "6", "--dropout", "0.2", "--lr", "0.01", "--quiet", "--json"), &trained)
	if trained.Task != "edge-classification" || trained.Model != "ehgnn-edge" || trained.Dataset != "Payments" || trained.Epochs != 6 || len(trained.Test) != 8 {
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
			if e.Run != dir || e.Data != "Payments" || e.Part != test.part || e.Edges != test.edges || len(e.Scores) != 8 {
				t.Errorf("evaluate %v: %+v, want %d edges of %s", test.args, e, test.edges, test.part)
			}
			if e.Part == "test" && !maps.Equal(e.Scores, trained.Test) {
				t.Errorf("scores %v, train has %v", e.Scores, trained.Test)
			}
		}
		if text := exits0(t, "evaluate", dir); !strings.HasPrefix(text, "Payments, test, 80 edges: loss ") || !strings.Contains(text, "average precision ") {
			t.Errorf("evaluate prints %q", text)
		}
	})

	t.Run("predict", func(t *testing.T) {
		if got := exits0(t, "predict", dir, path, "--split", "test"); got != read(t, dir, "predictions.csv") {
			t.Errorf("predict --split test prints\n%.300s\nwhere the run has\n%.300s", got, read(t, dir, "predictions.csv"))
		}
		all := table(t, exits0(t, "predict", dir, path))
		if len(all) != 400 || all[0]["label"] != "ok" || all[0]["edge"] != "0" {
			t.Fatalf("%d predictions, the first %v", len(all), all[0])
		}
		// Payments without labels, times and groups, in one file with the accounts beside.
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
		refused(t, dir+" holds a run already", "train", path, "--out", dir)
		refused(t, dir+" holds a run already", "train", small(t).folder(t), "--out", dir)
		refused(t, "graph-classification does not apply to Payments, whose labels are of each edge", "train", path, "--out", smallRun(t), "--resume")
		refused(t, `was begun with other settings: data.tables.ignore was none and is ["channel","amount"] now, digest of features was 55ad09bd54d633e4 and is c643a263629baa7c now, model.edge_dim was 5 and is 1 now, model.hidden was 8 and is 9 now, target.class_weights was [10,0.5263158] and is none now, target.unweighted was none and is true now; repeat them`,
			"train", path, "--out", dir, "--resume", "--hidden", "9", "--edge-hidden", "6", "--dropout", "0.2", "--lr", "0.01", "--ignore", "channel,amount", "--unweighted")
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

// Tables are recognised, with the model of the task; every model of edges trains, a
// number is estimated as well as a class, and columns and files go by any name.
func TestEdgeTasks(t *testing.T) {
	path := payments(t, 300, "nodes.csv", "edges.csv")
	t.Chdir(t.TempDir())
	tiny := []string{"--epochs", "2", "--hidden", "4", "--quiet"}
	for _, spec := range edgeModels() {
		text := succeed(t, append([]string{"train", path, "--model", spec.Name}, tiny...)...)
		dir := filepath.Join("runs", "payments-"+spec.Name)
		if !strings.HasPrefix(text, spec.Name+" on Payments: ") || !strings.HasSuffix(text, "  run    "+dir+"\n") {
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
	if !strings.Contains(text, "  test   loss ") || !strings.Contains(text, ", mae ") {
		t.Errorf("edge-regression prints\n%s", text)
	}
	if rows := table(t, succeed(t, "predict", "amounts", path)); len(rows) != 300 || rows[0]["prediction"] == "" || rows[0]["label"] == "" {
		t.Errorf("%d estimates, the first %v", len(rows), rows[0])
	}

	// accounts.csv and payments.tsv, with columns of other names, by a configuration
	// file.
	other := t.TempDir()
	edges := strings.Replace(read(t, path, "edges.csv"), "source,target,amount,channel,hour,time,group,label", "payer,payee,amount,channel,hour,minute,region,fraud", 1)
	writeFiles(t, other, "accounts.csv", strings.Replace(read(t, path, "nodes.csv"), "id,", "account,", 1), "payments.tsv", strings.ReplaceAll(edges, ",", "\t"),
		"flags.yaml", "source: payer\ntarget: payee\nlabel: fraud\ntime: minute\ngroup: region\nnode_id: account\nignore: [channel, days]\ncategories: [hour]\n"+
			"fractions: [0.5, 0.2, 0.3]\nsplit: group\npairs: true\ntransductive: true\nunweighted: true\nedges: directed\n")
	file := filepath.Join(other, "payments.tsv")
	succeed(t, append([]string{"train", file, "--nodes", filepath.Join(other, "accounts.csv"), "--config", filepath.Join(other, "flags.yaml"), "--out", "named", "--constant-lr=false", "--epochs", "3"}, tiny[2:]...)...)
	loaded, err := task.LoadRun("named")
	if err != nil {
		t.Fatal(err)
	}
	s := loaded.Settings
	if s.Split.Kind != task.SplitGroup || !s.Split.Pairs || !slices.Equal(s.Split.Fractions, []float64{0.5, 0.2, 0.3}) || s.Split.Seed != 42 || !s.Data.Tables.Transductive ||
		s.Target.ClassWeights != nil || s.Data.Tables.NodesFile != "accounts.csv" || s.Train.Epochs != 3 || s.Train.Schedule.Name != "cosine" {
		t.Errorf("settings %+v", s)
	}
	var fields []string
	for _, f := range slices.Concat(s.Data.Tables.Encoder.Nodes, s.Data.Tables.Encoder.Edges) {
		fields = append(fields, fmt.Sprint(f.Name, f.Numeric()))
	}
	if got := strings.Join(fields, " "); got != "kindfalse amounttrue hourfalse" {
		t.Errorf("features %s, want the categories of kind and hour, and amount", got)
	}
	// The run finds the accounts again; new payments may have theirs in another file.
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

// Who has times and does not say how to split is told that the past would help.
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

// Wrong use of tasks on edges is refused with what was found and what is expected.
func TestEdgeUsage(t *testing.T) {
	path := payments(t, 60, "nodes.csv", "edges.csv")
	bare := t.TempDir()
	writeFiles(t, bare, "edges.csv", "payer,payee,amount\na,b,1\nb,c,2\n")
	t.Chdir(t.TempDir())
	tests := []struct{ path, args, want string }{
		{path, "--split fold", `--split is "fold", expected one of ["random" "time" "group"]`},
		{path, "--split time --pairs", "split time with Pairs"},
		{path, "--split time --time -", "has no column of times, which split time needs"},
		{path, "--ratio 0.5", "--ratio does not apply to model ehgnn-edge"},
		{path, "--task edge-regression --label amount --unweighted", "--unweighted does not apply to edge-regression"},
		{path, "--model mlp-edge --layers 3", "--layers does not apply to model mlp-edge"},
		{path, "--fractions 0.5,0.5", "--fractions is [0.5 0.5], expected 3 numbers"},
		{path, "--fractions 0.5,0.5,0.5", "sum to 1.5, expected 1"},
		{path, "--model gcn", "graph-classification does not apply to Payments, whose labels are of each edge: expected one of the tasks edge-classification and edge-regression"},
		{path, "--model ehgnn-egde", `unknown model "ehgnn-egde", did you mean "ehgnn-edge"?`},
		{path, "--task edge-classification --model gcn", "model gcn has no predictions for edge-classification"},
		{path, "--task graph-classification --model mlp-edge", "model mlp-edge has no predictions for graph-classification, expected a model for that task or one of the tasks: edge-classification, edge-regression"},
		{path, "--task edges", `unknown task "edges", did you mean "edge-regression"? (known: graph-classification, graph-regression, node-classification, edge-classification, edge-regression, edge-reconstruction)`},
		{path, "--label fraud", `edges.csv:1: there is no column "fraud", found source, target, amount,`},
		{path, "--label channel --task edge-regression", `edges.csv:2: column "channel" is "`},
		{path, "--label -", "the edges have no labels to learn from: expected a column called label, class or y, or one that --label names; the features are kind, days, amount, channel, hour, label"},
		{path, "--ignore colour", `there is no column "colour" in nodes.csv and edges.csv`},
		{path, "--nodes people.csv", "people.csv: cannot be opened"},
		{path, "--nodes ../people.csv", "expected a file in the folder of the edges"},
		{path, "--edges both", `--edges is "both", expected one of ["auto" "undirected" "directed"]`},
		{path, "--lr -1", "LR is -1, expected a finite number above 0"},
		{bare, "", "edges.csv:1: no column for Source: expected one called source, src, from, sender, u, or one that the option Source names; found payer, payee, amount"},
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

// edgeModels are the registered models of labelled edges.
func edgeModels() []model.Spec {
	return slices.DeleteFunc(slices.Clone(model.Registry), func(s model.Spec) bool { return !slices.Contains(s.Tasks, "edge-classification") })
}

// Every setting of the table is a flag of train, and is refused where it means nothing:
// by tables of edges, by a collection of graphs, or by neither.
func TestTrainFlags(t *testing.T) {
	help := succeed(t, "train", "--help")
	payments, graphs := payments(t, 60, "nodes.csv", "edges.csv"), small(t).folder(t)
	t.Chdir(t.TempDir())
	for _, o := range task.Options {
		if !strings.Contains(help, "--"+o.Name+" ") {
			t.Errorf("train --help has no --%s", o.Name)
		}
		value := map[string]string{"int": "2", "float64": "0.5", "bool": "true", "[]float64": "0.5,0.25,0.25"}[fmt.Sprintf("%T", o.Kind)]
		if value == "" {
			value = "x"
		}
		refusedBy := func(path, taskName string) bool {
			r := run(t, "train", path, "--task", taskName, "--"+o.Name+"="+value, "--epochs", "1", "--out", filepath.Join(t.TempDir(), "run"), "--quiet")
			return r.code == cli.ExitUsage && strings.Contains(r.stderr, "--"+o.Name+" does not apply to ")
		}
		if refusedBy(payments, "edge-classification") && refusedBy(graphs, "graph-classification") && !slices.Contains([]string{"init-gain", "heads", "clusters", "layer-norm", "readout", "folds", "fold"}, o.Name) {
			t.Errorf("--%s is read by neither", o.Name)
		}
	}
	for _, s := range model.Registry {
		if !strings.Contains(help, "\n  "+s.Name+" ") || !strings.Contains(help, s.Title) {
			t.Errorf("train --help does not list %s", s.Name)
		}
	}
}

// An interrupted run on edges ends after --resume with the bits of one that was never
// stopped, and a context that has ended starts nothing.
func TestEdgeResume(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	path, work := payments(t, 200, "nodes.csv", "edges.csv"), t.TempDir()
	args := func(dir string, more ...string) []string {
		return append([]string{"train", path, "--out", dir, "--epochs", "300", "--hidden", "16", "--patience", "0", "--quiet"}, more...)
	}
	whole, dir := filepath.Join(work, "whole"), filepath.Join(work, "stopped")
	exits0(t, args(whole)...)
	s := start(t, args(dir, "--threads", "1")...)
	if !s.until(func() bool { return epochs(dir) >= 5 }) {
		t.Fatalf("the run ended by itself: %s", &s.errs)
	}
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-s.done
	want := "ehgnn: state saved in " + dir + "; ehgnn train --resume --out " + dir + " continues it\nehgnn: interrupted\n"
	if code := s.ProcessState.ExitCode(); code != cli.ExitInterrupted || s.errs.String() != want {
		t.Fatalf("exit code %d, standard error %q", code, &s.errs)
	}
	if n := epochs(dir); n >= 300 || exists(filepath.Join(dir, "predictions.csv")) {
		t.Fatalf("stopped after %d epochs", n)
	}
	exits0(t, args(dir, "--resume", "--threads", "2")...)
	compare(t, dir, whole)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"train", path, "--out", filepath.Join(work, "none")}, {"evaluate", whole}, {"predict", whole, path}, {"embed", whole, path}} {
		if r := runIn(ctx, false, args...); r.code != cli.ExitInterrupted || r.stdout != "" || r.stderr != "ehgnn: interrupted\n" {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if exists(filepath.Join(work, "none")) {
		t.Error("a run was begun")
	}
	// A run that was stopped before its first best epoch has nothing to load.
	if err := os.Remove(filepath.Join(dir, "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	refused(t, "has no weights yet", "evaluate", dir)
}

// data info describes tables by their columns.
func TestDataInfoTables(t *testing.T) {
	path := payments(t, 400, "nodes.csv", "edges.csv")
	text := succeed(t, "data", "info", path)
	for _, want := range []string{"Payments, tables format\n", "  nodes          60\n", "  edges          400, directed, from source to target\n",
		"  node features  kind: 2 values\n                 days: number, ", "  edge features  amount: number, ", "  label          label: ok ", ", fraud ",
		"  time           time: number, ", "  group          group: ", "  checksum       sha256 "} {
		if !strings.Contains(text, want) {
			t.Errorf("info prints\n%s\nwant %q in it", text, want)
		}
	}
	var i tables.Info
	document(t, succeed(t, "data", "info", filepath.Join(path, "edges.csv"), "--nodes", "-", "--label", "amount", "--task", "edge-regression", "--json"), &i)
	if i.NumEdges != 400 || len(i.NodeFeatures) != 0 || i.Label == nil || !i.Label.Numeric || i.Label.Name != "amount" {
		t.Errorf("info %+v", i)
	}
	refused(t, "--label does not apply to graphs", "data", "info", small(t).folder(t), "--label", "x")
	refused(t, "--name does not apply to tables", "data", "info", path, "--name", "x")
	refused(t, `unknown task "graphs"`, "data", "info", path, "--task", "graphs")
	refused(t, "Payments is read from tables, expected a collection of graphs", "data", "convert", path, path+"-2")
}

// What data convert writes as tables is read back with as many nodes and edges, and
// trained on where edges have labels; CSV and Parquet give the same.
func TestConvertedTables(t *testing.T) {
	one, err := synth.EdgeClass(1, 5)
	if err != nil {
		t.Fatal(err)
	}
	// One graph of many edges: disjoint copies, with the labels of theirs.
	g := graph.Graph{Node: graph.Features{Codes: one[0].Node.Codes}, Edge: graph.Features{Codes: one[0].Edge.Codes}}
	for _, x := range edgeClass(t, 8) {
		for _, v := range x.Ends {
			g.Ends = append(g.Ends, v+int32(g.NumNodes))
		}
		g.NumNodes += x.NumNodes
		g.Node.Code, g.Edge.Code = append(g.Node.Code, x.Node.Code...), append(g.Edge.Code, x.Edge.Code...)
	}
	single := newSet("ONE", []*graph.Graph{&g}).folder(t)
	nodes, edges := count(smallList(t))
	for _, test := range []struct {
		name, path   string
		nodes, edges int
		labels       bool
	}{
		{"one graph", single, g.NumNodes, g.NumEdges(), true},
		{"many graphs", small(t).folder(t), nodes, edges, true},
		{"planetoid", tinyNodes, 90, 171, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var infos []tables.Info
			for _, layout := range []string{"csv", "parquet"} {
				out := filepath.Join(t.TempDir(), "set")
				succeed(t, "data", "convert", test.path, out, "--to", layout)
				var i tables.Info
				document(t, succeed(t, "data", "info", out, "--edges", "undirected", "--json"), &i)
				if i.NumNodes != test.nodes || i.NumEdges != test.edges || i.Directed || (i.Label != nil) != test.labels {
					t.Errorf("%s: %d nodes and %d edges, label %v; want %d and %d", layout, i.NumNodes, i.NumEdges, i.Label, test.nodes, test.edges)
				}
				if i.Checksum == "" {
					t.Error("no checksum")
				}
				i.Checksum = ""
				infos = append(infos, i)
				dir := filepath.Join(t.TempDir(), "run")
				args := []string{"train", out, "--edges", "undirected", "--out", dir, "--epochs", "1", "--hidden", "4", "--quiet"}
				if !test.labels {
					refused(t, "have no labels to learn from", args...)
					continue
				}
				succeed(t, args...)
				if rows := table(t, succeed(t, "predict", dir, out)); len(rows) != test.edges || !strings.Contains(rows[0]["source"], "0/") {
					t.Errorf("%d predictions, the first %v", len(rows), rows[0])
				}
			}
			a, _ := json.Marshal(infos[0])
			if b, _ := json.Marshal(infos[1]); string(a) != string(b) {
				t.Errorf("CSV is read as\n%s\nParquet as\n%s", a, b)
			}
		})
	}
}
