package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func write(t *testing.T, text string, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// resolved is the part of config.yaml that the tests check.
type resolved struct {
	Model struct {
		Hidden  int
		Dropout float64
		Seed    uint64
	}
	Train struct {
		Epochs    int
		BatchSize int     `yaml:"batch_size"`
		LR        float64 `yaml:"lr"`
		Schedule  struct{ Name string }
	}
	ModelName string `yaml:"model_name"`
}

func resolve(t *testing.T, dir string) resolved {
	t.Helper()
	var c resolved
	if err := yaml.Unmarshal([]byte(read(t, dir, "config.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// Values come from the command line, then from the file, then from the defaults.
func TestConfig(t *testing.T) {
	dir, path := t.TempDir(), small(t).folder(t)
	config := write(t, `# settings of an experiment
epochs: 2
hidden: 4
batch_size: 8      # with _ or with -
lr: 5e-3
constant-lr: true
model: gcn
seed: 18446744073709551615
quiet: true
out: `+filepath.Join(dir, "run")+"\n", dir, "train.yaml")
	r := run(t, "train", path, "--config", config, "--hidden", "6", "--lr", "0.25")
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("train --config: %+v", r)
	}
	c := resolve(t, filepath.Join(dir, "run"))
	var want resolved
	want.ModelName = "gcn"
	want.Model.Hidden, want.Model.Dropout, want.Model.Seed = 6, 0.5, 1<<64-1
	want.Train.Epochs, want.Train.BatchSize, want.Train.LR, want.Train.Schedule.Name = 2, 8, 0.25, "constant"
	if c != want {
		t.Errorf("settings are %+v\nwant %+v", c, want)
	}

	// Lists, in the form that --folds accepts.
	folds := write(t, "dataset: "+path+"\nfolds: [2, 3]\nepochs: 1\nhidden: 4\nconstant_lr: true\njson: true\n", dir, "folds.yaml")
	var res struct{ Folds []struct{ Fold int } }
	document(t, succeed(t, "reproduce", "graph-classification", "--config", folds), &res)
	if len(res.Folds) != 2 || res.Folds[0].Fold != 2 || res.Folds[1].Fold != 3 {
		t.Errorf("folds of the file: %+v", res)
	}
}

// A mistake in the file is reported with the file name and stops the program.
func TestConfigErrors(t *testing.T) {
	dir, path := t.TempDir(), small(t).folder(t)
	tests := []struct{ name, text, want string }{
		{"unknown key", "epochs: 2\nhiden: 4\n", `: unknown key "hiden", expected one of: average-weights, baselines, batch-size, bipartite, budget, calibrate, categories, clusters,`},
		{"key of another verb", "level: edge\n", `: unknown key "level", expected one of`},
		{"config in a config", "config: other.yaml\n", `: unknown key "config"`},
		{"brackets", "a: " + strings.Repeat("[", 100000), "c.yaml: line 1: collections in collections more than 64 deep"},
		{"many keys", strings.Repeat("a: 1\n", 5000), "c.yaml: line 1025: a map of more than 1024 keys"},
		{"help in a config", "help: true\n", `: unknown key "help"`},
		{"wrong type", "epochs: many\n", `: key "epochs": --epochs is "many", expected a whole number`},
		{"no value", "epochs:\n", `: key "epochs" has no value`},
		{"twice", "epochs: 2\nepochs: 3\n", `: [2:1] mapping key "epochs" already defined at [1:1]`},
		{"broken", "epochs: [2\nlr: 1\n", ": [2:1] "},
		{"a list", "- epochs\n", ": [1:1] sequence was used where mapping is expected"},
		{"bad value", "threads: 0\n", "--threads is 0, expected at least 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config := write(t, test.text, dir, "c.yaml")
			want := test.want
			if strings.HasPrefix(want, ": ") {
				want = config + want
			}
			refused(t, want, "train", path, "--config", config, "--out", filepath.Join(dir, "run"))
		})
	}
	refused(t, "--config: open "+filepath.Join(dir, "none.yaml"), "version", "--config", filepath.Join(dir, "none.yaml"))
	if exists(filepath.Join(dir, "run")) {
		t.Error("a run folder was made")
	}
	empty := write(t, "", dir, "empty.yaml")
	succeed(t, "version", "--config", empty)
}

// Impossible settings are refused with the name of the setting.
func TestBadSettings(t *testing.T) {
	path, dir := small(t).folder(t), filepath.Join(t.TempDir(), "run")
	tests := []struct{ args, want string }{
		{"--epochs 0", "--epochs is 0, expected at least 1"},
		{"--lr 0", "LR is 0, expected a finite number above 0"},
		{"--lr NaN", "LR is NaN, expected a finite number above 0"},
		{"--patience -1", "Patience is -1, expected 0 or more"},
		{"--batch-size -2", "--batch-size is -2, expected at least 1"},
		{"--weight-decay -1", "WeightDecay is -1"},
		{"--hidden 0", "hidden is 0, expected at least 1"},
		{"--layers -1", "layers is -1, expected at least 0"},
		{"--dropout 1", "dropout is 1, expected 0 or more and below 1"},
		{"--ratio 0", "ratio is 0, expected above 0 and at most 1"},
		{"--ratio 1.01", "ratio is 1.01, expected above 0 and at most 1"},
		{"--ratio NaN", "ratio is NaN, expected above 0 and at most 1"},
		{"--members 0", "members is 0, expected at least 1"},
		{"--score softmax", `score is "softmax", expected tanh or sigmoid`},
		{"--model hypercluster --clusters 0", "clusters is 0, expected at least 1"},
		{"--model hypercluster --heads 3", "hidden is 32, expected a multiple of the 3 heads"},
		{"--model gat --heads 3", "the width is 128, expected a multiple of the 3 heads"},
		{"--model gcn --ratio 0.5", "--ratio does not apply to model gcn"},
		{"--score sigmoid --model diffpool", "--score does not apply to model diffpool; its own options are --hidden, --dropout, --conv, --ratio, --clusters"},
		{"--layers 2 --model mincutpool", "--layers does not apply to model mincutpool"},
		{"--init-gain 2", "--init-gain does not apply to model hyperdrop"},
		{"--fold 11", "fold 11, expected 1 to 10"},
		{"--split thirds", `--split is "thirds", expected one of ["fold" "folds" "random" "given" "scaffold" "time" "group" "column"]`},
		{"--split given", `split "given" of data that come without one`},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			refused(t, test.want, append([]string{"train", path, "--out", dir}, strings.Fields(test.args)...)...)
			if exists(dir) {
				t.Error("the run folder was made")
			}
		})
	}
	bare := small(t).with()
	for name := range bare.files {
		if strings.HasPrefix(name, "10fold_idx") {
			delete(bare.files, name)
		}
	}
	refused(t, "SMALL has no fixed folds, expected split folds, which makes folds, or random", "train", bare.folder(t), "--split", "fold", "--out", dir)
	refused(t, "there is no fold 11, expected 1 to 10", "reproduce", "graph-classification", "--dataset", path, "--folds", "3,11")
	refused(t, "model hypercluster has no predictions for graph-classification", "reproduce", "graph-classification", "--dataset", path, "--model", "hypercluster")
	refused(t, "epochs is 0, expected at least 1", "bench", "--dataset", path, "--epochs", "0")
}

// With --quiet standard error is empty. Otherwise it has plain lines or, on a terminal, a progress bar. Standard
// output has neither.
func TestProgress(t *testing.T) {
	path := small(t).folder(t)
	train := func(terminal bool, args ...string) result {
		args = append([]string{"train", path, "--out", filepath.Join(t.TempDir(), "run"), "--epochs", "2", "--hidden", "4", "--constant-lr", "--learners=false"}, args...)
		r := runIn(t.Context(), terminal, args...)
		if r.code != 0 {
			t.Fatalf("train: %+v", r)
		}
		return r
	}
	plain, quiet, bar := train(false), train(false, "--quiet"), train(true)
	if quiet.stderr != "" || train(true, "--quiet").stderr != "" {
		t.Errorf("with --quiet standard error has %q", quiet.stderr)
	}
	lines := strings.Split(strings.TrimSuffix(plain.stderr, "\n"), "\n") // one line, or two on a slow machine
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "epoch 2/2  loss ") || !strings.Contains(last, "  valid accuracy ") {
		t.Errorf("standard error has\n%s\nwant a line for the last epoch", plain.stderr)
	}
	if !strings.Contains(bar.stderr, "\r") || strings.Contains(bar.stdout, "\r") {
		t.Errorf("on a terminal standard error has %q and standard output %q", bar.stderr, bar.stdout)
	}
	warned := run(t, "train", path, "--out", filepath.Join(t.TempDir(), "run"), "--epochs", "2", "--hidden", "4")
	if warned.code != 0 || !strings.Contains(warned.stderr, "level=WARN") || !strings.Contains(warned.stderr, "--constant-lr") {
		t.Errorf("a warm-up longer than the run: %+v", warned)
	}
	if r := run(t, "train", path, "--out", filepath.Join(t.TempDir(), "run"), "--epochs", "2", "--hidden", "4", "--quiet", "--log-level", "error"); r.stderr != "" {
		t.Errorf("with --log-level error standard error has %q", r.stderr)
	}
}

// Without --out the run goes to runs/DATA-MODEL, also if the data path is ".".
func TestDefaultOut(t *testing.T) {
	work := t.TempDir()
	t.Chdir(work)
	path := small(t).zip(t)
	succeed(t, append([]string{"train", path}, tiny...)...)
	succeed(t, append([]string{"train", path, "--model", "gcn"}, tiny...)...)
	small(t).write(t, filepath.Join(work, "Folder"))
	t.Chdir(filepath.Join(work, "Folder"))
	succeed(t, append([]string{"train", "."}, tiny...)...)
	for _, dir := range []string{"runs/small-hyperdrop", "runs/small-gcn", "Folder/runs/folder-hyperdrop"} {
		if !exists(filepath.Join(work, filepath.FromSlash(dir), "config.yaml")) {
			t.Errorf("there is no run in %s", dir)
		}
	}
}
