package cli_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// sweepArgs search two settings of a small model in a few trials of random search.
func sweepArgs(path, dir string, more ...string) []string {
	return append([]string{"sweep", path, "--model", "hyperdrop", "--out", dir, "--space", "lr=log:1e-4..1e-1", "--space", "conv=gcn,gin",
		"--trials", "5", "--sampler", "random", "--pruner", "none", "--epochs", "20", "--hidden", "8", "--layers", "2", "--batch-size", "8", "--constant-lr", "--threads", "1"}, more...)
}

// sweepResult is the output of sweep --json.
type sweepResult struct {
	Best struct {
		Trial    int
		Value    float64
		Settings map[string]any
		Run      string
	}
	Valid, Test map[string]float64
	Trials      []struct {
		Trial  int
		State  string
		Value  *float64
		Epochs int
	}
}

// A sweep that is killed at any time, up to twenty times, ends with the trials, the winner and the
// test scores of a sweep that was not killed.
func TestSweepKill(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	work := t.TempDir()
	path := filepath.Join(work, "SMALL")
	newSet("SMALL", edgeClass(t, 40)).write(t, path)
	whole := filepath.Join(work, "whole")
	exits0(t, sweepArgs(path, whole)...)

	dir := filepath.Join(work, "killed")
	journal := filepath.Join(dir, "study.journal")
	kills := 20
	if testing.Short() {
		kills = 2
	}
	done, r := 0, rand.New(rand.NewPCG(1, 2))
	for ; done < kills; done++ {
		// The first session is killed when it draws its first epoch.
		args, s := sweepArgs(path, dir), stop{Kill: true, File: journal}
		if done > 0 {
			args = []string{"sweep", "--resume", "--out", dir, "--threads", "1"} // everything else is in the journal
			s.Lines, s.Delay = 1+strings.Count(read(t, journal), "\n"), time.Duration(r.IntN(100))*time.Millisecond
		}
		if end := stopped(t, s, args...); end.code == 0 {
			break // before the delay was over
		} else if end.code != -1 {
			t.Fatalf("it was not killed: %+v", end)
		}
		if text := read(t, journal); r.IntN(3) == 0 && strings.Count(text, "\n") > 2 { // after study and plan
			text = text[:len(text)-1-r.IntN(40)] // a torn line
			if err := os.WriteFile(journal, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if t.Logf("killed %d times", done); done == 0 {
		t.Errorf("never killed, want up to %d times", kills)
	}
	exits0(t, "sweep", "--resume", "--out", dir, "--threads", "1", "--quiet")
	if have, want := read(t, dir, "table.csv"), read(t, whole, "table.csv"); have != want {
		t.Errorf("the trials are\n%s\nwant\n%s", have, want)
	}
	var have, want sweepResult
	document(t, read(t, dir, "table.json"), &have)
	document(t, read(t, whole, "table.json"), &want)
	if have.Best.Trial != want.Best.Trial || have.Best.Value != want.Best.Value || have.Test["loss"] != want.Test["loss"] {
		t.Errorf("the winner is %+v with %v, want %+v with %v", have.Best, have.Test, want.Best, want.Test)
	}
	compare(t, have.Best.Run, want.Best.Run)
}

// A sweep prints its trials, writes a run folder for each, and can be interrupted and resumed with
// any number of workers.
func TestSweep(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	path := filepath.Join(work, "SMALL")
	newSet("SMALL", edgeClass(t, 40)).write(t, path)
	one, four := filepath.Join(work, "one"), filepath.Join(work, "four")
	var a, b sweepResult
	document(t, succeed(t, sweepArgs(path, one, "--json")...), &a)
	document(t, succeed(t, sweepArgs(path, four, "--json", "--parallel", "4")...), &b)
	if read(t, one, "table.csv") != read(t, four, "table.csv") || len(a.Trials) != 5 {
		t.Errorf("one worker found\n%s\nfour found\n%s", read(t, one, "table.csv"), read(t, four, "table.csv"))
	}
	if _, tested := a.Test["loss"]; !tested || a.Best.Run != filepath.Join(one, "trial-000"+itoa(a.Best.Trial)) {
		t.Errorf("the winner is %+v, with the test scores %v", a.Best, a.Test)
	}
	checkRunFolder(t, a.Best.Run)
	for _, name := range []string{"report.html", "table.md", "study.journal"} {
		if !exists(filepath.Join(one, name)) {
			t.Errorf("there is no %s", name)
		}
	}
	text := succeed(t, "sweep", "--resume", "--out", one, "--trials", "6")
	for _, want := range []string{"Sweep on SMALL: 6 trials by validation loss", "best trial: ", "test set: loss ", "Written to " + one} {
		if !strings.Contains(text, want) {
			t.Errorf("the sweep prints %q, want %q in it", text, want)
		}
	}
	refused(t, "holds a sweep already", sweepArgs(path, one)...)
	refused(t, "sampler was \"random\" and is \"tpe\" now", "sweep", "--resume", "--out", one, "--sampler", "tpe")
	refused(t, `settings was {"batch-size":8,`, "sweep", "--resume", "--out", one, "--hidden", "16")
	refused(t, "checksum of the data was", "sweep", "--resume", "--out", one, small(t).folder(t))

	// Settings may come from a file.
	config := filepath.Join(work, "sweep.yaml")
	writeFiles(t, work, "sweep.yaml", "space:\n  - lr=log:1e-4..1e-1\n  - conv=gcn,gin\ntrials: 3\nmodel: hyperdrop\nepochs: 3\nhidden: 4\nsampler: random\n")
	var c sweepResult
	document(t, succeed(t, "sweep", path, "--config", config, "--out", filepath.Join(work, "file"), "--json", "--quiet"), &c)
	if len(c.Trials) != 3 || c.Best.Settings["conv"] == nil {
		t.Errorf("with settings from a file: %+v", c)
	}
}

// An interrupted sweep says how to continue, and then continues.
func TestSweepInterrupt(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	path := filepath.Join(work, "LONG")
	newSet("LONG", edgeClass(t, 100)).write(t, path)
	dir := filepath.Join(work, "sweep")
	savesState(t, dir, stop{File: filepath.Join(dir, "study.journal")}, sweepArgs(path, dir, "--epochs", "5", "--trials", "2", "--parallel", "2")...)
	exits0(t, "sweep", "--resume", "--out", dir, "--parallel", "2", "--quiet")
	if n := strings.Count(read(t, dir, "table.csv"), ",complete,"); n != 2 {
		t.Errorf("%d of 2 trials are complete", n)
	}
}

// Wrong usage is refused before a folder is created.
func TestSweepUsage(t *testing.T) {
	path := small(t).folder(t)
	dir := filepath.Join(t.TempDir(), "sweep")
	for _, test := range []struct{ args, want string }{
		{"", "there is no setting to search"},
		{"--space lrr=1..2", `unknown option "lrr", did you mean "lr"?`},
		{"--space lr=1..NaN", "no finite number"},
		{"--space heads=1,2 --model gcn", "--heads does not apply to model gcn"},
		{"--space node-id=a,b", "cannot be searched"},
		{"--space lr=0.1,0.2 --lr 0.1", "lr is both searched and given"},
		{"--space lr=0.1,0.2 --trials 0", "--trials is 0"},
		{"--space lr=0.1,0.2 --parallel 0", "--parallel is 0"},
		{"--space lr=0.1,0.2 --sampler grid", `--sampler is "grid", expected one of ["tpe" "random"]`},
		{"--space lr=0.1,0.2 --pruner hard", `--pruner is "hard", expected one of ["asha" "median" "none"]`},
		{"--space lr=0.1,0.2 --split random --fractions 0.8,0,0.2", "no validation part"},
	} {
		refused(t, test.want, slices.Concat([]string{"sweep", path, "--out", dir}, strings.Fields(test.args))...)
	}
	refused(t, "--resume needs --out", "sweep", "--resume")
	refused(t, "holds no sweep", "sweep", "--resume", "--out", dir)
	refused(t, "wrong number of arguments (0)", "sweep", "--space", "lr=1..2")
	if exists(dir) {
		t.Error("a sweep that was refused has left a folder")
	}
}
