package sweep

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

var update = flag.Bool("update", false, "rewrite the golden journal")

// writeStudy writes a journal with a trial in each state, at given times.
func writeStudy(t *testing.T, dir string) *sweep {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := &sweep{Study: Study{Dir: dir, Score: "accuracy", Maximise: true}}
	s.Config = Config{Space: space(t, "lr=log:1e-4..1e-2", "hidden=32..256:32", "dropout=0..0.5:0.1", "conv=gcn,gin", "encode=true,false"), Trials: 4}
	p := plan{Data: "/data/MUTAG.zip", Checksum: "c0", Task: "graph-classification", Model: "gcn", Seed: 42, Space: s.Config.Space.texts(),
		Sampler: SamplerRandom, Pruner: PrunerASHA, Settings: []byte(`{"epochs":9}`), Trials: 4}
	err := s.open(p, func() time.Time { now = now.Add(time.Second); return now })
	if err != nil {
		t.Fatal(err)
	}
	for i, end := range []State{Complete, Pruned, Failed, Running} {
		values := s.Config.Space.draw(SamplerRandom, 42, i, nil)
		trial := &Trial{Number: i, Value: math.NaN()}
		s.Trials = append(s.Trials, trial)
		if err := s.journal.trial(s.Config.Space, values, runName(i)); err != nil {
			t.Fatal(err)
		}
		for e, v := range []float64{0.5, math.NaN(), 0.75}[:3-i] {
			if err := s.epoch(trial, train.EpochInfo{Epoch: e + 1, Valid: train.Scores{{Name: "accuracy", Value: v + float64(i)/8}}}); err != nil {
				t.Fatal(err)
			}
		}
		switch end {
		case Complete:
			err = s.record(trial, end, 0.75, nil)
		case Pruned:
			err = s.record(trial, end, 0.625, nil)
		case Failed:
			err = s.record(trial, end, math.NaN(), settings.Misuse("no <such> thing"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.journal.lines.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}

// The journal equals, byte for byte, a journal that Optuna 5.0 has loaded with all values
// (docs/sweep.md).
func TestJournalGolden(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	writeStudy(t, dir)
	have, err := os.ReadFile(filepath.Join(dir, journalFile))
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", journalFile)
	if *update {
		if err := os.WriteFile(golden, have, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("the journal differs from %s; if that is meant, load it with Optuna and run this test with -update\n%s", golden, have)
	}
}

// Reading a journal gives what was written: settings to the bit, scores and states.
func TestReplay(t *testing.T) {
	dir := t.TempDir()
	s := writeStudy(t, dir)
	c, err := Read(dir)
	if err != nil || c.Trials != 4 || c.Sampler != SamplerRandom || c.Request.Given["epochs"] != 9 || len(c.Space) != 5 {
		t.Fatalf("%+v, %v", c, err)
	}
	_, trials, err := replay(dir)
	if err != nil || len(trials) != 4 {
		t.Fatalf("%d trials, %v", len(trials), err)
	}
	for i, o := range trials {
		want := s.Trials[i]
		values := s.Config.Space.draw(SamplerRandom, 42, i, nil)
		for name, v := range values {
			if o.Settings[name] != v {
				t.Errorf("trial %d: %s is %v, want %v", i, name, o.Settings[name], v)
			}
		}
		if o.State != want.State || o.Error != want.Error || o.Value != want.Value && !math.IsNaN(want.Value) || len(o.Scores) != 3-i && i != 1 {
			t.Errorf("trial %d is %+v, want %+v", i, o, want)
		}
	}
}

// If a journal ends in the middle of a line, the lines before it are read and the next line is written after them.
func TestTornJournal(t *testing.T) {
	whole := t.TempDir()
	s := writeStudy(t, whole)
	text, err := os.ReadFile(filepath.Join(whole, journalFile))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, journalFile)
	header := bytes.Index(text, []byte("\n"))
	header += 1 + bytes.Index(text[header+1:], []byte("\n")) // the first two lines are written in one call
	for n := header + 1; n <= len(text); n += 29 {
		if err := os.WriteFile(path, text[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		_, before, err := replay(dir)
		if err != nil {
			t.Fatalf("torn after %d bytes: %v", n, err)
		}
		lines, err := atomicfile.OpenLines(path, atomicfile.KeepAll)
		if err != nil {
			t.Fatal(err)
		}
		j := &journal{lines, time.Now}
		if err := j.trial(s.Config.Space, s.Config.Space.draw(SamplerRandom, 1, 9, nil), "x"); err != nil {
			t.Fatal(err)
		}
		lines.Close()
		if _, after, err := replay(dir); err != nil || len(after) != len(before)+1 {
			t.Fatalf("torn after %d bytes: %d trials and then %d, %v", n, len(before), len(after), err)
		}
	}
}

// A journal that no sweep wrote, or that was changed, is refused with the number of the line.
func TestReplayRefuses(t *testing.T) {
	whole := t.TempDir()
	writeStudy(t, whole)
	text, err := os.ReadFile(filepath.Join(whole, journalFile))
	if err != nil {
		t.Fatal(err)
	}
	first := strings.SplitAfterN(string(text), "\n", 3)
	head := first[0] + first[1]
	for _, test := range []struct{ text, want string }{
		{"", "does not say what the sweep is"},
		{first[0], "does not say what the sweep is"},
		{"\x00\x00\n", "line 1: invalid character"},
		{first[0] + first[0], "line 2: expected one study"},
		{first[1], "line 1: operation 2 before the study"},
		{head + `{"op_code":4}` + "\n", "line 3: trial 0 has 0 settings, expected 5"},
		{strings.Replace(string(text), `"conv":0`, `"conv":7`, 1), "has no conv that is in the space"},
		{strings.Replace(string(text), `"hidden":96`, `"hidden":960`, 1), "has no hidden that is in the space"},
		{head + `{"op_code":6,"trial_id":3,"state":1,"values":[1]}` + "\n", "line 3: there is no trial 3"},
		{head + `{"op_code":7,"trial_id":-1,"step":1}` + "\n", "line 3: there is no trial -1"},
		{string(text) + `{"op_code":7,"trial_id":3,"step":999999999999,"intermediate_value":1}` + "\n", "has a score of epoch 999999999999"},
		{string(text) + `{"op_code":7,"trial_id":3,"step":0,"intermediate_value":1}` + "\n", "has a score of epoch 0"},
		{string(text) + `{"op_code":6,"trial_id":3,"state":9,"values":null}` + "\n", "has state 9"},
		{string(text) + `{"op_code":1,"study_id":0}` + "\n", "operation 1, which a sweep does not write"},
		{strings.Replace(string(text), "log:1e-4..1e-2", "log:1e-4..x", 1), `"x" is no finite number`},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, journalFile), []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := replay(dir); err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want an error of usage with %q", err, test.want)
		}
	}
	// The dashboard sets attributes, which the reader skips.
	more := string(text) + `{"op_code":3,"worker_id":"dashboard","study_id":0,"system_attr":{"dashboard:note":"x"}}` + "\n" + `{"op_code":9,"worker_id":"dashboard","trial_id":1,"system_attr":{"note":"y"}}` + "\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, journalFile), []byte(more), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, trials, err := replay(dir); err != nil || len(trials) != 4 {
		t.Errorf("with notes of the dashboard: %d trials, %v", len(trials), err)
	}
	if _, err := Read(filepath.Join(dir, "missing")); err == nil || !settings.IsUsage(err) {
		t.Errorf("no sweep: %v", err)
	}
}
