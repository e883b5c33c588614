package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// succeeded returns the standard output of a call that must succeed.
func succeeded(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := called(t, args...)
	if code != exitOK {
		t.Fatalf("ehgnn-scale %s: exit code %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// TestPackOfRun packs new tables for a run, and compares the store with the graph that ehgnn reads.
func TestPackOfRun(t *testing.T) {
	dir := t.TempDir()
	tiny.Multigraph{Seed: 2, Nodes: 40, Edges: 300, Directed: true, Features: true}.Write(t, dir)
	run := tiny.Trained(t, dir, "mlp-edge", true, settings.Values{"epochs": 1})
	want, err := store.Open(tiny.Packed(t, dir, run, store.Options{BlockEdges: 90, Parts: 3}))
	if err != nil {
		t.Fatal(err)
	}
	edges, nodes := filepath.Join(dir, "edges.csv"), filepath.Join(dir, "nodes*")
	for name, args := range map[string][]string{"folder": {dir}, "files": {edges, "--nodes", nodes}} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "store")
			text := succeeded(t, append([]string{"pack", "--out", out, "--run", run, "--block", "90", "--parts", "3"}, args...)...)
			if !strings.Contains(text, "directed edges; edges 300, blocks 4, nodes 40, parts 3") {
				t.Errorf("it prints %q", text)
			}
			s, err := store.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			if s.Checksum != want.Checksum {
				t.Error("the store differs from that of a set in memory")
			}
		})
	}
}

// TestEdgeID packs tables whose edges have names, which are no feature, and finds the names with
// the predictions.
func TestEdgeID(t *testing.T) {
	dir := t.TempDir()
	tiny.Multigraph{Seed: 5, Nodes: 30, Edges: 200, Directed: true, Features: true}.Write(t, dir)
	path := filepath.Join(dir, "edges.csv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var named strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name := "payment"
		if i > 0 {
			name = fmt.Sprintf("p-%d", 1000+i)
		}
		fmt.Fprintf(&named, "%s,%s\n", line, name)
	}
	run := tiny.Trained(t, dir, "mlp-edge", true, settings.Values{"epochs": 1})
	if err := os.WriteFile(path, []byte(named.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, of := range map[string][]string{"run": {"--run", run}, "training": nil} {
		in, out := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "scores")
		succeeded(t, append([]string{"pack", dir, "--out", in, "--block", "90", "--edge-id", "payment"}, of...)...)
		succeeded(t, "info", in, "--check")
		s, err := store.Open(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Manifest.Encoder.Edges {
			if f.Name == "payment" {
				t.Errorf("%s: the name of an edge is a feature", what)
			}
		}
		if of == nil {
			continue
		}
		succeeded(t, "predict", run, in, "--out", out)
		rows, err := tables.OpenRows(filepath.Join(out, visit.OutputName(1)), data.NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		row, err := rows.Next()
		if c := slices.Index(rows.Columns(), "edge_id"); err != nil || c < 0 || row[0] != "90" || row[c] != "p-1091" {
			t.Errorf("%v of %v, %v", row, rows.Columns(), err)
		}
		rows.Close()
	}
	code, _, errs := called(t, "pack", dir, "--out", filepath.Join(t.TempDir(), "store"), "--edge-id", "bill")
	if code != exitUsage || !strings.Contains(errs, `no column "bill"`) {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestPackForTraining(t *testing.T) {
	dir := t.TempDir()
	tiny.Multigraph{Seed: 3, Nodes: 40, Edges: 400, Features: true, Number: true}.Write(t, dir)
	out := filepath.Join(dir, "store")
	var packed store.Manifest
	text := succeeded(t, "pack", dir, "--out", out, "--edges", "undirected", "--task", "edge-regression", "--fractions", "0.5,0.25,0.25", "--categories", "rate", "--json")
	if err := json.Unmarshal([]byte(text), &packed); err != nil {
		t.Fatal(err)
	}
	if s := packed.Split; s == nil || s.Kind != "random" || s.Edges[0] < 150 || s.Edges[0] > 250 || packed.Directed || !packed.Encoder.Options.Number {
		t.Errorf("the manifest is %s", text)
	}
	var i storeInfo
	if err := json.Unmarshal([]byte(succeeded(t, "info", out, "--width", "16", "--check", "--json")), &i); err != nil {
		t.Fatal(err)
	}
	if i.Edges != 400 || i.Nodes != 40 || i.Predict.Width != 16 || i.Predict.Memory != 40*16*12 || i.Predict.Disk != 8*400*16 || !i.Checked || !i.Labels || i.Bytes == 0 {
		t.Errorf("info is %+v", i)
	}
	if text := succeeded(t, "info", out); !strings.Contains(text, "labels that are numbers") {
		t.Errorf("info prints %q", text)
	}
	block := filepath.Join(out, "blocks", "000000.block")
	b, err := os.ReadFile(block)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	tiny.File(t, block, string(b))
	if code, _, errs := called(t, "info", out, "--check"); code != exitUsage || !strings.Contains(errs, "000000.block") {
		t.Errorf("exit code %d of a damaged store: %s", code, errs)
	}
}

func TestPackRefuses(t *testing.T) {
	dir := t.TempDir()
	tiny.Multigraph{Seed: 2, Nodes: 30, Edges: 100, Directed: true, Features: true}.Write(t, dir)
	run := tiny.Trained(t, dir, "ehgnn-edge", true, settings.Values{"epochs": 1})
	context := tiny.Trained(t, dir, "ehgnn-edge", true, settings.Values{"epochs": 1, "label-context": "on"})
	edges, out := filepath.Join(dir, "edges.csv"), filepath.Join(dir, "store")
	for _, test := range []struct {
		want string
		args []string
	}{
		{"--out is missing", []string{edges}},
		{"usage: ehgnn-scale pack EDGES...", []string{"--out", out}},
		{"no such file", []string{filepath.Join(dir, "none.csv"), "--out", out}},
		{"is there already", []string{edges, "--out", dir}},
		{`--parts is "many"`, []string{edges, "--out", out, "--parts", "many"}},
		{"--block is 0", []string{edges, "--out", out, "--block", "0"}},
		{`--split is "group"`, []string{edges, "--out", out, "--split", "group"}},
		{"--fractions", []string{edges, "--out", out, "--fractions", "0.5,0.6,0.1"}},
		{"--fractions has 2 numbers", []string{edges, "--out", out, "--fractions", "0.5,0.5"}},
		{`--edges is "both"`, []string{edges, "--out", out, "--edges", "both"}},
		{`--task is "link"`, []string{edges, "--out", out, "--task", "link"}},
		{`there is no column "height"`, []string{edges, "--out", out, "--categories", "height"}},
		{"there is no such file", []string{edges, "--nodes", filepath.Join(dir, "none*.csv"), "--out", out}},
		{"which split time needs", []string{edges, "--out", out, "--split", "time"}},
		{"--label is decided by the run", []string{dir, "--out", out, "--run", run, "--label", "x"}},
		{"trained on directed edges", []string{dir, "--out", out, "--run", run, "--edges", "undirected"}},
		{"is not given", []string{edges, "--out", out, "--run", run}},
		{"--label-context off", []string{dir, "--out", out, "--run", context}},
		{"is no run folder", []string{dir, "--out", out, "--run", dir}},
	} {
		t.Run(test.want, func(t *testing.T) {
			code, _, errs := called(t, append([]string{"pack"}, test.args...)...)
			if code != exitUsage || !strings.Contains(errs, test.want) {
				t.Errorf("exit code %d: %s, want %d and %q", code, errs, exitUsage, test.want)
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%s has been made", out)
			}
		})
	}
	if code, _, errs := called(t, "info", dir); code != exitUsage || !strings.Contains(errs, "is no store") {
		t.Errorf("info of a folder: exit code %d: %s", code, errs)
	}
}
