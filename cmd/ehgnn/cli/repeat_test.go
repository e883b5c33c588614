package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The settings of a run repeat the training on the same data. Flags win over settings. A run is
// resumed by its folder alone.
func TestRepeat(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, args := range map[string][]string{
		"graphs": {small(t).folder(t), "--model", "hyperdrop", "--fold", "3", "--hidden", "8", "--conv", "gat", "--heads", "2", "--edges", "directed", "--batch-size", "7"},
		"nodes":  {tinyNodes, "--layers", "4", "--hidden", "8"},
		"tables": {payments(t, 200, "nodes.csv", "edges.csv"), "--task", "edge-regression", "--label", "amount", "--ignore", "label,hour", "--split", "time", "--fractions", "0.5,0.2,0.3", "--hidden", "8", "--transductive", "--constant-lr"},
		"types":  {small(t).folder(t), "--model", "hypercluster", "--clusters", "3", "--split", "random", "--constant-lr=false"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first, again, other := filepath.Join(dir, "first"), filepath.Join(dir, "again"), filepath.Join(dir, "other")
			succeed(t, append([]string{"train", "--out", first, "--epochs", "3", "--seed", "18446744073709551615", "--quiet"}, args...)...)
			config := filepath.Join(first, "config.yaml")
			succeed(t, "train", "--config", config, "--out", again, "--quiet")
			if digestOf(t, first) != digestOf(t, again) || read(t, first, "predictions.csv") != read(t, again, "predictions.csv") {
				t.Error("the run is not the same again")
			}
			if a, b := read(t, first, "config.yaml"), read(t, again, "config.yaml"); a != b {
				t.Errorf("the settings are\n%s\nand again\n%s", a, b)
			}
			succeed(t, "train", "--config", config, "--out", other, "--epochs", "2", "--seed", "1", "--quiet")
			if text := read(t, other, "config.yaml"); !strings.Contains(text, "epochs: 2\n") || !strings.Contains(text, "seed: 1\n") || digestOf(t, other) == digestOf(t, first) {
				t.Errorf("with other flags the settings are\n%s", text)
			}
			refused(t, "holds a run already", "train", "--config", config, "--out", first, "--quiet")
			if name == "types" {
				return // its learning rates depend on the number of epochs
			}
			refused(t, "was begun with other settings", "train", "--resume", "--out", first, "--lr", "0.5", "--quiet")
			if name == "tables" {
				succeed(t, "train", "--resume", "--out", first, "--epochs", "5", "--quiet")
				if lines := strings.Count(read(t, first, "metrics.jsonl"), "\n"); lines != 5 {
					t.Errorf("%d epochs after the run went on to 5", lines)
				}
			}
			succeed(t, "train", "--resume", "--out", first, "--quiet")
		})
	}
	dir := t.TempDir()
	refused(t, "holds no run: there is no config.yaml in it", "train", "--resume", "--out", dir)
	refused(t, "--resume without DATA needs --out", "train", "--resume")
	config := filepath.Join(smallRun(t), "config.yaml")
	refused(t, "holds the settings of a run, which ehgnn train takes and ehgnn evaluate does not", "evaluate", smallRun(t), "--config", config)
	text := strings.Replace(read(t, config), "  hidden: ", "  hiden: ", 1)
	writeFiles(t, dir, "bad.yaml", text)
	refused(t, `unknown key "hiden", did you mean "hidden"?`, "train", "--config", filepath.Join(dir, "bad.yaml"), "--out", filepath.Join(dir, "run"))
}

// If a run was moved together with its data, its settings lead to the new place of the data.
func TestRepeatMoved(t *testing.T) {
	before, after := filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "after")
	data, first := filepath.Join(before, "data", "SET"), filepath.Join(before, "runs", "first")
	if err := os.CopyFS(data, os.DirFS(small(t).folder(t))); err != nil {
		t.Fatal(err)
	}
	succeed(t, "train", data, "--out", first, "--epochs", "2", "--hidden", "8", "--quiet")
	want := digestOf(t, first)
	if err := os.Rename(before, after); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(after, "runs", "again")
	succeed(t, "train", "--config", filepath.Join(after, "runs", "first", "config.yaml"), "--out", again, "--quiet")
	if digestOf(t, again) != want {
		t.Error("the run is not the same again")
	}
}

// predict - reads one graph from each line and writes one line for each, with the same numbers as
// predict on the same graphs in a file.
func TestStream(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	for i := range 40 {
		colour, label := "red", "ring"
		edges := `{"source":0,"target":1,"kind":"a"},{"source":1,"target":2,"kind":"a"},{"source":2,"target":0,"kind":"a"}`
		if i%2 == 1 {
			colour, label = "blue", "path"
			edges = `{"source":0,"target":1,"kind":"b"},{"source":1,"target":2,"kind":"a"}`
		}
		b.WriteString(`{"directed":false,"multigraph":false,"graph":{"name":"g` + itoa(i) + `","label":"` + label + `"},"nodes":[{"id":0,"colour":"` + colour +
			`","size":` + itoa(i%5) + `},{"id":1,"colour":"red","size":2},{"id":2,"colour":"red"}],"edges":[` + edges + "]}\n")
	}
	path := filepath.Join(dir, "graphs.jsonl")
	writeFiles(t, dir, "graphs.jsonl", b.String())
	if info := succeed(t, "data", "info", path); !strings.Contains(info, "  graphs    40\n") || !strings.Contains(info, "  label   label  category  2: path (20), ring (20) ") {
		t.Errorf("info prints\n%s", info)
	}
	run := filepath.Join(dir, "run")
	text := succeed(t, "train", path, "--out", run, "--epochs", "20", "--hidden", "8", "--lr", "0.01", "--constant-lr", "--quiet", "--json")
	var result struct{ Task string }
	document(t, text, &result)
	if result.Task != "graph-classification" {
		t.Errorf("the labels of graphs were learned as %s", result.Task)
	}
	rows := table(t, succeed(t, "predict", run, path))
	if len(rows) != 40 || rows[3]["graph"] != "g3" || rows[3]["label"] != "path" {
		t.Fatalf("%d predictions, one %v", len(rows), rows[3])
	}
	cmd := command(t, "predict", run, "-")
	cmd.Stdin = strings.NewReader(b.String())
	r := finish(t, cmd)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if r.code != 0 || len(lines) != 40 {
		t.Fatalf("predict -: %d lines, exit code %d\n%s", len(lines), r.code, r.stderr)
	}
	for i, line := range lines {
		var p struct {
			Graph, Class  string
			Probabilities []json.Number
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		if p.Graph != rows[i]["graph"] || p.Class != rows[i]["prediction"] || float32(number(t, p.Probabilities[0].String())) != float32(number(t, rows[i]["probability_path"])) {
			t.Errorf("line %d is %s, predict has %v", i, line, rows[i])
		}
	}
	for text, want := range map[string]string{
		`{"directed":true,"nodes":[],"edges":[]}`:                "document 1: directed is true",
		`{"nodes":[{"id":1,"size":"big"}],"edges":[]}`:           `attribute "size" of node 0 is "big", expected a number`,
		`{"nodes":[{"id":1}],"edges":[{"source":1,"target":2}]}`: "standard input",
		b.String()[:100]: "standard input",
	} {
		cmd := command(t, "predict", run, "-")
		cmd.Stdin = strings.NewReader(text)
		if r := finish(t, cmd); r.code != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("predict - of %s: %+v, want %q", text, r, want)
		}
	}
	refused(t, "--out does not apply to predict -", "predict", run, "-", "--out", "x.csv")
}

// The shell completes known values: models, tasks, levels, parts and data sets.
func TestCompletes(t *testing.T) {
	for args, want := range map[string][]string{
		"train --model hyperdr":  {"hyperdrop", "hyperdrop-gmt"},
		"train x --task edge":    {"edge-classification", "edge-regression", "edge-reconstruction"},
		"embed run x --level ":   {"edge", "node", "graph"},
		"predict run x --split ": {"train", "valid", "test", "all"},
		"train MUT":              {"MUTAG"},
		"data info MUT":          {"MUTAG"},
		"evaluate run MUT":       {"MUTAG"},
		"data fetch MU":          {"MUTAG"},
		"train x --conv ":        {"gcn", "gin"},
		"train x --format ":      {"smiles", "node-link"},
		"train x --log-level ":   {"debug", "info", "warn", "error"},
	} {
		got := strings.Split(succeed(t, append([]string{"__complete"}, strings.Split(args, " ")...)...), "\n")
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s completes to %q, want %q among them", args, got, w)
			}
		}
	}
}

// A tar of a set is read like the folder, and folds are generated if there are none.
func TestFolds(t *testing.T) {
	bare := newSet("BARE", smallList(t)).folder(t)
	dir := t.TempDir()
	tar := filepath.Join(dir, "BARE.tar.gz")
	if out, err := osCommand("tar", "-czf", tar, "-C", filepath.Dir(bare), "BARE"); err != nil {
		t.Skipf("no tar to make an archive with: %s", out)
	}
	var seen []string
	for fold := 1; fold <= 4; fold++ {
		run := filepath.Join(dir, "run"+itoa(fold))
		succeed(t, "train", tar, "--folds", "4", "--fold", itoa(fold), "--epochs", "1", "--hidden", "4", "--out", run, "--quiet")
		for _, row := range table(t, read(t, run, "predictions.csv")) {
			seen = append(seen, row["graph"])
		}
	}
	slices.Sort(seen)
	if len(seen) != smallGraphs || len(slices.Compact(seen)) != smallGraphs {
		t.Errorf("four folds test %d graphs: %v", len(seen), seen)
	}
	run := filepath.Join(dir, "none")
	refused(t, "--fold is 5, expected 1 to 4", "train", tar, "--folds", "4", "--fold", "5", "--out", run)
	refused(t, "--fold does not apply to graph-classification", "train", tar, "--fold", "2", "--out", run)
	if _, err := os.Stat(run); err == nil {
		t.Error("a run folder was made")
	}
}

func osCommand(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	return string(out), err
}
