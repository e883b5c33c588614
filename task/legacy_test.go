package task

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// runs01 holds a run folder of each task as version 0.1 wrote it, with all.csv and
// evaluate.json of the same version.
var runs01 = filepath.Join("..", "testdata", "runs-0.1")

// legacyRuns are the run folders with the data of each, from runs01.
var legacyRuns = map[string]string{
	"committee": "data/RINGS", "edge-classification": "data/payments", "edge-reconstruction": "data/RINGS", "edge-regression": "data/payments",
	"graph-classification": "data/RINGS", "graph-regression": "data/NUMBERS", "labels": "data/ogbg_molmine", "node-classification": "../planetoid",
}

// without are the rows of a CSV, by columns, without those that version 0.1 did not write.
func without(t *testing.T, rows []string) [][]string {
	t.Helper()
	var out [][]string
	var drop []int
	for _, row := range rows {
		f := strings.Split(row, ",")
		if out == nil {
			for k, name := range f {
				if slices.Contains([]string{"part", "score", "dropped_at", "cluster", "std"}, name) {
					drop = append(drop, k)
				}
			}
		}
		for _, k := range slices.Backward(drop) {
			f = slices.Delete(f, k, k+1)
		}
		out = append(out, f)
	}
	return out
}

// near reports whether texts are equal, or numbers within 1e-4.
func near(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, other := strconv.ParseFloat(b, 64)
	return a == b || err == nil && other == nil && math.Abs(x-y) <= 1e-4*max(1, math.Abs(y))
}

// Runs of version 0.1 predict and score as they did then.
func TestRunsOfVersion01(t *testing.T) {
	folders, err := fs.Glob(os.DirFS(runs01), "*/all.csv")
	if err != nil || len(folders) != len(legacyRuns) {
		t.Fatalf("%d runs, %v; want %d", len(folders), err, len(legacyRuns))
	}
	for name, path := range legacyRuns {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(runs01, name)
			s, err := Load(t.Context(), dir, LoadOptions{Data: filepath.Join(runs01, path), Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			checkRun01(t, s, dir)
			checkParts(t, s)
		})
	}
	t.Run("by the path in it", func(t *testing.T) {
		t.Chdir(runs01)
		for _, name := range []string{"graph-classification", "edge-regression"} {
			s, err := Load(t.Context(), name, LoadOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			checkRun01(t, s, name)
		}
	})
}

func checkRun01(t *testing.T, s *Session, dir string) {
	t.Helper()
	table, err := s.Predict(t.Context(), PartAll)
	if err != nil {
		t.Fatal(err)
	}
	got := without(t, append([]string{csvHeader(t, table)}, csvRows(t, table)...))
	want := without(t, strings.Split(strings.TrimSpace(contents(t, dir, "all.csv")), "\n"))
	if len(got) != len(want) || len(want) < 2 {
		t.Fatalf("%d rows, version 0.1 had %d", len(got), len(want))
	}
	for i, row := range want {
		if !slices.EqualFunc(got[i], row, near) {
			t.Fatalf("row %d is %q, version 0.1 had %q", i, got[i], row)
		}
	}
	var then struct {
		Data, Part           string
		Graphs, Nodes, Edges int
		Scores               map[string]*float64
	}
	if err := json.Unmarshal([]byte(contents(t, dir, "evaluate.json")), &then); err != nil {
		t.Fatal(err)
	}
	now, err := s.Evaluate(t.Context(), then.Part)
	if err != nil {
		t.Fatal(err)
	}
	if now.Data != then.Data || now.Graphs != then.Graphs || now.Nodes != then.Nodes || now.Edges != then.Edges || len(then.Scores) == 0 {
		t.Errorf("evaluated %+v, version 0.1 had %+v", now, then)
	}
	for name, v := range then.Scores {
		value, ok := now.Scores.Get(name)
		switch {
		case name == "loss" && s.task.Number: // was of standardised numbers
		case !ok, v == nil != math.IsNaN(value):
			t.Errorf("%s is %v, version 0.1 had %v", name, value, v)
		case v != nil && math.Abs(*v-value) > 1e-4*max(1, math.Abs(*v)):
			t.Errorf("%s is %v, version 0.1 had %v", name, value, *v)
		}
	}
}

// copyRun copies a run folder, to write into it.
func copyRun(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(runs01, name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A run of version 0.1 is not resumed: its checkpoint is of other settings. What there is
// in the folder stays.
func TestResumeVersion01(t *testing.T) {
	for _, name := range []string{"graph-classification", "edge-classification"} {
		t.Run(name, func(t *testing.T) {
			dir := copyRun(t, name)
			path := filepath.Join(runs01, legacyRuns[name])
			weights := contents(t, dir, modelFile)
			s := mustOpen(t, Request{Path: path, Task: name, Seed: 42, Threads: 1, Given: Values{"hidden": 4, "epochs": 2, "constant-lr": true}})
			for _, resume := range []bool{true, false} {
				_, err := s.Train(t.Context(), TrainOptions{Dir: dir, Resume: resume})
				fails(t, err, dir+" holds a run of version 0.1, which is not continued")
				if fails(t, err, "trained again in another folder"); !IsUsage(err) {
					t.Error("not marked as the user's to mend")
				}
			}
			if contents(t, dir, modelFile) != weights {
				t.Error("the weights have changed")
			}
			if _, err := os.Stat(filepath.Join(dir, PredictionsFile)); errors.Is(err, os.ErrNotExist) {
				t.Error("the predictions are gone")
			}
		})
	}
}

// A run of version 0.1 can be trained again with its settings.
func TestRetrainVersion01(t *testing.T) {
	t.Chdir(runs01)
	for name := range legacyRuns {
		r, err := ReadRun(name)
		if err != nil {
			t.Fatal(err)
		}
		if r.Path == "" || r.Seed != 42 {
			t.Errorf("%s: request %+v", name, r)
		}
		then, err := LoadRun(name)
		if err != nil {
			t.Fatal(err)
		}
		want, now := then.Settings, mustOpen(t, r).Settings
		if name == "edge-regression" {
			want.Model.Edge = now.Model.Edge // of a column that was ignored, which version 0.1 did not keep
		}
		want.Train.Monitor = now.Train.Monitor // which is no option: version 0.1 kept edges' best average precision
		if want.Train.Schedule.Name == "" {
			want.Train.Schedule.Name = "constant" // which is the same
		}
		if now.Task != want.Task || now.ModelName != want.ModelName || !reflect.DeepEqual(now.Train, want.Train) || !reflect.DeepEqual(now.Model, want.Model) ||
			now.Split.Kind != want.Split.Kind || now.Split.Fold != want.Split.Fold || now.Data.Checksum != want.Data.Checksum {
			t.Errorf("%s: trained with %+v\nversion 0.1 had %+v", name, now, want)
		}
	}
}

// Settings of version 0.1 that are none, or of no known version, are told apart from those
// that can be read.
func TestSettingsOfVersions(t *testing.T) {
	for text, want := range map[string]string{
		`{"settings":3}`:            "settings of layout 3, expected 2: a newer version wrote them",
		`{}`:                        "no settings of a run",
		`{"model_name":"hyperdrp"}`: "no checksum of its data",
		`{"model_name":"hyperdrp","data":{"checksum":"x"}}`: `did you mean "hyperdrop"?`,
	} {
		var s Settings
		fails(t, json.Unmarshal([]byte(text), &s), want)
	}
}
