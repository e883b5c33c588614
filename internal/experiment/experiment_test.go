package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// Experiments have different names, their options have types that a program can pass, and no option
// name repeats.
func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range append(Registry(), Demo) {
		if seen[e.Name] || e.Title == "" {
			t.Errorf("%q is there twice, or has no title", e.Name)
		}
		seen[e.Name] = true
		options := map[string]bool{}
		for _, o := range e.Options {
			switch o.Default.(type) {
			case bool, int, float64, string, []int, []float64, []string, Memory:
			default:
				t.Errorf("%s: option %s is of type %T", e.Name, o.Name, o.Default)
			}
			if options[o.Name] || o.Help == "" {
				t.Errorf("%s: option %s is there twice, or has no help", e.Name, o.Name)
			}
			options[o.Name] = true
		}
	}
}

// find finds sets by path only.
func find(name string) (DatasetColumn, error) {
	_, err := os.Stat(name)
	return DatasetColumn{Path: name}, err
}

// An experiment runs from a Go program as from the command line. Missing options have their
// defaults, and mistakes are usage errors.
func TestRun(t *testing.T) {
	env := Env{Seed: 3, Threads: 2, Find: find, Settings: quick(), Changed: []string{"--hidden 16", "--epochs 2"},
		Options: map[string]any{"dataset": []string{foldSet(t, "MUTAG", 20)}, "folds": []int{2}, "model": []string{"gcn", "mlp"}, "out": filepath.Join(t.TempDir(), "out")}}
	e := graphClassification.experiment()
	d, err := e.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	doc := d.Value.(*gridJSON)
	same(t, "rows", doc.Rows, []string{"gcn", "mlp"})
	same(t, "seeds", doc.Seeds, []uint64{3})
	same(t, "note", doc.Notes[0], "Settings of this run that are not those of the protocol: --epochs 2, --hidden 16.")
	same(t, "folder", d.Dir, env.Options["out"])
	for _, name := range d.FileNames() {
		if _, err := os.Stat(filepath.Join(d.Dir, name)); err != nil {
			t.Error(err)
		}
	}

	for want, options := range map[string]map[string]any{
		"experiment: graph-classification has no option depths":      {"depths": []int{2}},
		"experiment: option seeds is of type string, expected int":   {"seeds": "3"},
		"--seeds is 0, expected at least 1":                          {"seeds": 0},
		`--preset is "slow", expected quick or paper`:                {"preset": "slow"},
		"none of the data sets MUTAG, PROTEINS, IMDB-BINARY, ogbg_m": {"preset": "quick"},
	} {
		env.Options = options
		d, err := e.Run(t.Context(), env)
		fails(t, err, want)
		if d != nil || !settings.IsUsage(err) {
			t.Errorf("%q: document %v; want none, and an error of usage", want, d)
		}
	}
}

// Only the experiment on nodes has options that repeat mistakes of the authors' code.
func TestOwnOptions(t *testing.T) {
	settings := quick().Over(settings.Values{"init-gain": 1.5})
	c := &call{Env: Env{Find: find, Settings: settings, Changed: []string{"--init-gain 1.5"}, Options: map[string]any{"dataset": []string{tinyNodes}, "depths": []int{2}, "carry-gradients": true, "unnormalised": true}},
		options: map[string]Option{}}
	for _, o := range nodeClassification.options() {
		c.options[o.Name] = o
	}
	r, _, err := nodeClassification.request(c)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "settings", r.Overrides, settings)
	s, err := session.Open(t.Context(), session.Request{Path: tinyNodes, Model: "deep-hyperdrop"})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Adjust {
		if err := a.Apply(s); err != nil {
			t.Error(err)
		}
	}
	if d := s.Model.(*model.DeepHyperDrop); len(r.Adjust) != 2 || d.First == nil || s.Gradients == nil {
		t.Errorf("%d adjustments, neighbours summed %v, gradients carried on %v", len(r.Adjust), d.First != nil, s.Gradients != nil)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "--carry-gradients true, --init-gain 1.5, --unnormalised true.") {
		t.Errorf("notes\n%s", notes)
	}
	for _, o := range graphClassification.options() {
		if o.Setting {
			t.Errorf("graph-classification has the option %s", o.Name)
		}
	}
}

// A grid that is interrupted says where it would continue.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	env := Env{Seed: 1, Threads: 1, Find: find, Settings: quick(), Options: map[string]any{"dataset": []string{foldSet(t, "SET", 20)}, "model": []string{"gcn"}, "out": t.TempDir()}}
	env.OnEvent = func(e Event) {
		if e.Result != nil {
			cancel()
		}
	}
	e := graphClassification.experiment()
	d, err := e.Run(ctx, env)
	var stopped *Interrupted
	if d != nil || !errors.As(err, &stopped) || stopped.Dir != env.Options["out"] || !errors.Is(err, ctx.Err()) {
		t.Errorf("%v, %v", d, err)
	}
}

// Timing experiments have documents of their own, with files.
func TestTimingDocument(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	d, err := messageTime.Run(t.Context(), Env{Seed: 42, Threads: 1, Options: map[string]any{"runs": 1, "out": dir}})
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(d.Text(), "Erdos")
	same(t, "head", head, "Seconds of one message passing of width 32, 3,000 nodes and 11,984 edges.\n\n"+
		"graph             nodes (GCN)        edges | paper nodes  paper edges\n")
	same(t, "files", d.FileNames(), []string{"table.md", "table.csv", "table.json", "report.html"})
	text, err := os.ReadFile(filepath.Join(dir, "table.csv"))
	if err != nil || !strings.HasPrefix(string(text), "graph,nodes (GCN),edges,paper nodes,paper edges\nErdos-Renyi,") {
		t.Errorf("%s, %v", text, err)
	}
	if _, ok := d.Parts[0].(*report.Listing); !ok || reflect.TypeOf(d.Value) != reflect.TypeFor[[]messageRow]() {
		t.Errorf("%+v", d)
	}
}
