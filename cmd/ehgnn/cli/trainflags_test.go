package cli_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// Every setting of the table is a flag of train, and is refused if nothing reads it: by tables of
// edges, by collections of graphs, or by both.
func TestTrainFlags(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	help := succeed(t, "train", "--help-all")
	payments, graphs := payments(t, 60, "nodes.csv", "edges.csv"), small(t).folder(t)
	t.Chdir(t.TempDir())
	for _, o := range settings.Options() {
		if !strings.Contains(help, "--"+o.Name+" ") {
			t.Errorf("train --help-all has no --%s", o.Name)
		}
		value := map[string]string{"int": "2", "float64": "0.5", "bool": "true", "[]float64": "0.5,0.25,0.25"}[fmt.Sprintf("%T", o.Kind)]
		if value == "" {
			value = "x"
		}
		refusedBy := func(path, taskName string) bool {
			args := []string{path, "--task", taskName, "--" + o.Name + "=" + value, "--epochs", "1", "--out", filepath.Join(t.TempDir(), "run"), "--quiet"}
			want := "--" + o.Name + " does not apply to "
			if err := cli.TrainWithoutReport(t.Context(), args...); err == nil || !strings.Contains(err.Error(), want) {
				return false
			}
			r := run(t, append([]string{"train"}, args...)...)
			return r.code == cli.ExitUsage && strings.Contains(r.stderr, want)
		}
		if refusedBy(payments, "edge-classification") && refusedBy(graphs, "graph-classification") && refusedBy(graphs, "graph-reconstruction") &&
			!slices.Contains([]string{"init-gain", "decoder-sees-edges", "readout", "folds", "fold", "explicit-hydrogens"}, o.Name) {
			t.Errorf("--%s is read by none", o.Name)
		}
	}
}

// The help of train is one screen of 80 columns, and all flags that it names exist. --help-all lists each flag once.
func TestTrainHelp(t *testing.T) {
	help, all := succeed(t, "train", "--help"), succeed(t, "train", "--help-all")
	lines := strings.Split(help, "\n")
	if len(lines) > 52 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	for _, name := range regexp.MustCompile(`--[a-z-]+`).FindAllString(help, -1) {
		if !strings.Contains(all, "      "+name+" ") && !strings.Contains(all, ", "+name+" ") {
			t.Errorf("%s is no flag", name)
		}
	}
	for _, line := range regexp.MustCompile(`(?m)^  +(?:-h, )?--[a-z-]+`).FindAllString(all, -1) {
		if n := strings.Count(all, line+" "); n != 1 {
			t.Errorf("%q is listed %d times", strings.TrimSpace(line), n)
		}
	}
	if succeed(t, "help", "train") != help {
		t.Error("help train is another text")
	}
}

// For flags of other programs, the error names the flag of this program.
func TestSynonyms(t *testing.T) {
	for args, want := range map[string]string{
		"train x --learning-rate 0.1": "unknown flag --learning-rate: use --lr; see ehgnn train --help",
		"train x --learning_rate=0.1": "unknown flag --learning_rate: use --lr",
		"train x --batch_size 3":      "unknown flag --batch_size: use --batch-size",
		"train x --device cuda":       "unknown flag --device: it computes on the processor; --threads says on how many cores",
		"train x --num-epochs 3":      "unknown flag --num-epochs: use --epochs",
		"train x --hidden_channels 3": "unknown flag --hidden_channels: use --hidden",
		"train x --random-state 3":    "unknown flag --random-state: use --seed",
		"train --dataset x":           "unknown flag --dataset: DATA is no flag: ehgnn train DATA",
		"train x --epochz 3":          "unknown flag --epochz: use --epochs",
		"predict x y --output z":      "unknown flag --output: use --out",
		"predict x y --nonsense":      "unknown flag --nonsense; see ehgnn predict --help",
	} {
		refused(t, want, strings.Fields(args)...)
	}
}

// An interrupted run on edges, resumed with --resume, equals to the bit a run that was not
// interrupted. With a cancelled context nothing starts.
func TestEdgeResume(t *testing.T) {
	t.Parallel()
	path, work := payments(t, 200, "nodes.csv", "edges.csv"), t.TempDir()
	args := func(dir string, more ...string) []string {
		return append([]string{"train", path, "--out", dir, "--epochs", "20", "--hidden", "16", "--patience", "0", "--quiet"}, more...)
	}
	whole, dir := filepath.Join(work, "whole"), filepath.Join(work, "stopped")
	exits0(t, args(whole)...)
	savesState(t, dir, stop{File: filepath.Join(dir, "metrics.jsonl"), Lines: 5}, args(dir, "--threads", "1")...)
	if n := epochs(dir); n != 5 || exists(filepath.Join(dir, "predictions.csv")) {
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
	// A run that was stopped before its first best epoch has no weights to load.
	if err := os.Remove(filepath.Join(dir, "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	refused(t, "has no weights yet", "evaluate", dir)
}

// edgeModels are the registered models of labelled edges.
func edgeModels() []model.Spec {
	return slices.DeleteFunc(slices.Clone(model.Specs()), func(s model.Spec) bool { return !slices.Contains(s.Tasks, "edge-classification") || s.Fitted })
}
