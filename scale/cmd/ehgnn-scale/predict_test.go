package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/store"
)

// called calls the program in this process.
func called(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), &app{args: args, stdout: &out, stderr: &errs})
	return code, out.String(), errs.String()
}

// runAndStore returns a run and a store of its training tables.
func runAndStore(t *testing.T, model string) (run, in string) {
	t.Helper()
	dir := t.TempDir()
	tiny.Multigraph{Seed: 1, Nodes: 30, Edges: 200, Directed: true, Features: true}.Write(t, dir)
	run = tiny.Trained(t, dir, model, true, settings.Values{"epochs": 1})
	return run, tiny.Packed(t, dir, run, store.Options{BlockEdges: 70, Parts: 2})
}

func TestPredictAndEmbed(t *testing.T) {
	run, in := runAndStore(t, "ehgnn-joint-edge")
	for _, test := range []struct {
		args  []string
		files int
	}{
		{[]string{"predict"}, 3},
		{[]string{"embed"}, 3},
		{[]string{"embed", "--level", "node"}, 2},
		{[]string{"predict", "--memory", "1GiB", "--threads", "1"}, 3},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			code, text, errs := called(t, append(test.args, run, in, "--out", out, "--json")...)
			if code != exitOK {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			var m local.Manifest
			if err := json.Unmarshal([]byte(text), &m); err != nil || !m.Done || len(m.Files) != test.files {
				t.Fatalf("%v, manifest %s, want %d files", err, text, test.files)
			}
			for name, f := range m.Files {
				if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() != f.Bytes {
					t.Errorf("%s: %v, want %d bytes", name, err, f.Bytes)
				}
			}
			// A second call is an error, except with --resume, which finds the job finished.
			if code, _, errs := called(t, append(test.args, run, in, "--out", out)...); code != exitUsage || !strings.Contains(errs, "--resume") {
				t.Errorf("a second time: exit code %d: %s", code, errs)
			}
			if code, text, errs := called(t, append(test.args, run, in, "--out", out, "--resume")...); code != exitOK || !strings.Contains(text, "files") {
				t.Errorf("resumed: exit code %d: %s%s", code, text, errs)
			}
		})
	}
}

func TestPredictRefuses(t *testing.T) {
	run, in := runAndStore(t, "mlp-edge")
	out := filepath.Join(t.TempDir(), "out")
	for _, test := range []struct {
		want string
		args []string
	}{
		{"--out is missing", []string{"predict", run, in}},
		{"usage: ehgnn-scale predict RUN STORE", []string{"predict", run, "--out", out}},
		{"expected a size", []string{"predict", run, in, "--out", out, "--memory", "much"}},
		{`--level is "graph"`, []string{"embed", run, in, "--out", out, "--level", "graph"}},
		{"learns no vectors of nodes", []string{"embed", run, in, "--out", out, "--level", "node"}},
		{"is no run folder", []string{"predict", in, in, "--out", out}},
		{"is no store", []string{"predict", run, run, "--out", out}},
		{"is needed at least", []string{"predict", run, in, "--out", out, "--memory", "1MiB"}},
	} {
		t.Run(test.want, func(t *testing.T) {
			code, _, errs := called(t, test.args...)
			if code != exitUsage || !strings.Contains(errs, test.want) {
				t.Errorf("exit code %d: %s, want %d and %q", code, errs, exitUsage, test.want)
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%s has been made", out)
			}
		})
	}
}
