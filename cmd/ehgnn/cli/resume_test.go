package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/model"
)

// longEpochs is the number of epochs of longArgs.
func longEpochs() int {
	if testing.Short() {
		return 40
	}
	return 240
}

// longArgs train a run of a few seconds that has state everywhere: dropout, a schedule, Adam,
// several batches in an epoch, and a best epoch before the last.
func longArgs(path, dir string) []string {
	return []string{"train", path, "--out", dir, "--epochs", itoa(longEpochs()), "--batch-size", "16", "--hidden", "32", "--patience", "0", "--quiet"}
}

// Only one process at a time writes to a run folder. Others say which one it is, and change nothing.
func TestOneWriter(t *testing.T) {
	path, dir := small(t).folder(t), filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	release, err := atomicfile.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	unfinished := filepath.Join(dir, ".config.yaml.tmp-1") // a file of the writer
	if err := os.WriteFile(unfinished, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	held := fmt.Sprintf("%s is being written to by process %d on ", dir, os.Getpid())
	refused(t, held, "train", path, "--out", dir)
	if !exists(unfinished) {
		t.Error("a file of the writer is gone")
	}
	release()
	exits0(t, "train", path, "--out", dir, "--epochs", "1")
	checkRunFolder(t, dir, "baselines.safetensors")
	if release, err = atomicfile.Lock(dir); err != nil {
		t.Fatal(err)
	}
	defer release()
	refused(t, held, "train", "--out", dir, "--resume", "--quiet")
}

// opened is a running program.
type opened struct {
	*exec.Cmd
	errs bytes.Buffer
	done chan struct{} // closed when the program has ended
}

func start(t *testing.T, args ...string) *opened {
	t.Helper()
	s := &opened{Cmd: command(t, args...), done: make(chan struct{})}
	s.Stderr = &s.errs
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.Wait() // its ProcessState says how it ended
		close(s.done)
	}()
	t.Cleanup(func() {
		_ = s.Process.Kill() // has no effect after the end
		<-s.done
	})
	return s
}

// until waits until the files of a session show a certain state, or until the session ends. It
// looks at files, not at the clock.
func (s *opened) until(reached func() bool) (running bool) {
	for !reached() {
		select {
		case <-s.done:
			return false
		case <-time.After(200 * time.Microsecond):
		}
	}
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// epochs returns the number of epochs that a run has recorded.
func epochs(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, "metrics.jsonl")) // none yet: no epochs
	return bytes.Count(text, []byte("\n"))
}

// compare fails unless two runs have equal weights, predictions and epochs, to the bit.
func compare(t *testing.T, dir, want string) {
	t.Helper()
	if read(t, dir, "model.safetensors") != read(t, want, "model.safetensors") {
		t.Error("model.safetensors differs")
		a, errA := safetensors.ReadFile(filepath.Join(dir, "model.safetensors"))
		b, errB := safetensors.ReadFile(filepath.Join(want, "model.safetensors"))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		for i, tensor := range a.Tensors {
			if !slices.Equal(tensor.Data, b.Tensors[i].Data) {
				t.Errorf("  tensor %s differs", tensor.Name)
			}
		}
	}
	if read(t, dir, "predictions.csv") != read(t, want, "predictions.csv") {
		t.Error("predictions.csv differs")
	}
	have, wanted := metrics(t, dir), metrics(t, want)
	if len(have) != len(wanted) {
		t.Fatalf("metrics.jsonl has %d epochs, want %d", len(have), len(wanted))
	}
	for i := range have {
		if have[i] != wanted[i] {
			t.Fatalf("metrics.jsonl, line %d is\n%s\nwant\n%s", i+1, have[i], wanted[i])
		}
	}
}

// metrics returns the lines of metrics.jsonl without their times.
func metrics(t *testing.T, dir string) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(read(t, dir, "metrics.jsonl")) {
		var epoch map[string]json.RawMessage
		document(t, line, &epoch)
		if _, ok := epoch["seconds"]; !ok {
			t.Fatalf("a line without seconds: %s", line)
		}
		delete(epoch, "seconds")
		text, err := json.Marshal(epoch)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	return lines
}

// A run that is interrupted or killed at any step, and then resumed, equals to the bit a run without a stop, for
// any number of threads in each session.
func TestResume(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	path := filepath.Join(work, "LONG")
	newSet("LONG", edgeClass(t, 200)).write(t, path)
	whole := filepath.Join(work, "whole")
	if r := program(t, append(longArgs(path, whole), "--threads", "2")...); r.code != 0 {
		t.Fatalf("the uninterrupted run: %+v", r)
	}
	if n := epochs(whole); n != longEpochs() {
		t.Fatalf("the uninterrupted run has %d epochs, want %d", n, longEpochs())
	}
	resume := func(t *testing.T, dir, threads string) {
		t.Helper()
		// The epochs before the checkpoint are not trained again: their times stay.
		var state struct{ Epoch int }
		document(t, read(t, dir, "state.json"), &state)
		before := slices.Collect(strings.Lines(read(t, dir, "metrics.jsonl")))[:state.Epoch]
		if r := program(t, append(longArgs(path, dir), "--resume", "--threads", threads)...); r.code != 0 {
			t.Fatalf("--resume: %+v", r)
		}
		if state.Epoch == 0 || !strings.HasPrefix(read(t, dir, "metrics.jsonl"), strings.Join(before, "")) {
			t.Errorf("%d epochs were kept, and trained again", state.Epoch)
		}
		compare(t, dir, whole)
	}
	// interrupt interrupts the program after n epochs, and checks that it saves its state.
	interrupt := func(t *testing.T, dir string, n int, args ...string) {
		t.Helper()
		savesState(t, dir, stop{File: filepath.Join(dir, "metrics.jsonl"), Lines: n}, append(longArgs(path, dir), args...)...)
		if got := epochs(dir); got != n {
			t.Fatalf("interrupted after epoch %d, but %d epochs were trained", n, got)
		}
		for _, name := range []string{"checkpoint.safetensors", "state.json", "config.yaml"} {
			if !exists(filepath.Join(dir, name)) {
				t.Errorf("there is no %s", name)
			}
		}
		if exists(filepath.Join(dir, "predictions.csv")) || exists(filepath.Join(dir, "environment.json")) {
			t.Error("an interrupted run has the files of a finished one")
		}
	}

	t.Run("interrupt", func(t *testing.T) {
		dir := filepath.Join(work, "interrupted")
		interrupt(t, dir, 10, "--threads", "1")
		refused(t, "holds a run already", longArgs(path, dir)...)
		refused(t, dir+" was begun with other settings: model.hidden was 32 and is 8 now, model.seed was 42 and is 7 now, split.seed was 42 and is 7 now, train.seed was 42 and is 7 now; repeat them",
			append(longArgs(path, dir), "--resume", "--hidden", "8", "--seed", "7")...)
		interrupt(t, dir, 20, "--resume", "--threads", "2")
		resume(t, dir, "1")
		checkRunFolder(t, dir, "baselines.safetensors")
		// A finished run prints its result again.
		resume(t, dir, "2")
	})

	t.Run("kill", func(t *testing.T) {
		if testing.Short() || runtime.GOOS == "windows" {
			t.Skip("takes several sessions, whose kills have another exit code on Windows")
		}
		dir := filepath.Join(work, "killed")
		r := rand.New(rand.NewPCG(8, 0))
		// The first session may leave no settings, so that there is no run yet.
		killed := func(at int64, more ...string) {
			t.Helper()
			if s := stopped(t, stop{Kill: true, Checks: at}, append(longArgs(path, dir), more...)...); s.code != -1 {
				t.Fatalf("a session that was to be killed at step %d: %+v", at, s)
			}
			tear(t, dir)
		}
		killed(5)
		again := []string{"--resume"}
		if !exists(filepath.Join(dir, "config.yaml")) {
			again = nil
		}
		// The second session ends with a checkpoint, so that later sessions do not begin at the start.
		if s := stopped(t, stop{Checks: 20000}, append(longArgs(path, dir), again...)...); s.code != cli.ExitInterrupted {
			t.Fatalf("a session that was to be interrupted: %+v", s)
		}
		for range 4 {
			killed(20+r.Int64N(10000), "--resume", "--threads", itoa(1+r.IntN(2)))
		}
		if n := epochs(dir); n < 1 || n >= 240 {
			t.Fatalf("%d epochs are kept of 240", n)
		}
		resume(t, dir, "2")
	})
}

// tear leaves in a run folder the files of a process that was killed while writing: files that do
// not have their final names, and half a line.
func tear(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{".checkpoint.safetensors.tmp-7": "half", ".state.json.tmp-7": "{"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(filepath.Join(dir, "metrics.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		_, err = f.WriteString(`{"epoch":`)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The number of threads does not change a bit of any model. One of the graphs has no nodes and one
// has no edges.
func TestThreads(t *testing.T) {
	graphs := smallList(t)
	graphs[5] = &graph.Graph{Label: 1, Node: graph.Features{Codes: []int{3}}, Edge: graph.Features{Codes: []int{3}}}
	graphs[6] = &graph.Graph{NumNodes: 2, Label: 0, Node: graph.Features{Code: []int32{0, 1}, Codes: []int{3}}, Edge: graph.Features{Codes: []int{3}}}
	odd := newSet("ODD", graphs).folds(smallGraphs).folder(t)
	tables := payments(t, 60, "nodes.csv", "edges.csv")
	for i, spec := range model.Specs() {
		t.Run(spec.Name, func(t *testing.T) {
			path := odd
			size := []string{"--batch-size", "9"}
			switch spec.Tasks[0] {
			case "node-classification":
				path, size = tinyNodes, nil
			case "edge-classification":
				path, size = tables, nil
			}
			if testing.Short() && i > 2 {
				t.Skip("one of many models")
			}
			of := append([]string{"--epochs", "2", "--hidden", "48", "--constant-lr"}, size...)
			if spec.Fitted {
				of = []string{"--quality", model.QualityFast}
			}
			var dirs []string
			for _, threads := range []string{"1", "3"} {
				dir := filepath.Join(t.TempDir(), "run")
				succeed(t, append([]string{"train", path, "--model", spec.Name, "--out", dir, "--threads", threads}, of...)...)
				dirs = append(dirs, dir)
			}
			compare(t, dirs[1], dirs[0])
			if spec.Tasks[0] == "graph-classification" {
				if rows := table(t, succeed(t, "predict", dirs[0], path)); len(rows) != smallGraphs {
					t.Errorf("%d predictions, want %d", len(rows), smallGraphs)
				}
			}
		})
	}
}

// A cancelled context interrupts every command.
func TestCancelled(t *testing.T) {
	dir, path := smallRun(t), small(t).folder(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"train", path, "--out", out}, {"evaluate", dir}, {"predict", dir, path, "--out", out + ".csv"}, {"embed", dir, path, "--out", out + ".csv"},
		{"reproduce", "graph-classification", "--dataset", path}, {"reproduce", "transform-time"}, {"reproduce", "message-time"},
		{"bench"}, {"bench", "--dataset", path}, {"demo"},
	} {
		r := runIn(ctx, false, args...)
		if r.code != cli.ExitInterrupted || r.stdout != "" || r.stderr != "ehgnn: interrupted\n" {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if exists(out) || exists(out+".csv") {
		t.Error("something was written")
	}
}

// Ten folds that are interrupted continue where they stopped.
func TestFoldsInterrupted(t *testing.T) {
	t.Parallel()
	path, out := small(t).folder(t), filepath.Join(t.TempDir(), "folds")
	args := []string{"reproduce", "graph-classification", "--dataset", path, "--out", out, "--epochs", "10", "--patience", "0", "--hidden", "16", "--threads", "2"}
	kept := func() int {
		text, _ := os.ReadFile(filepath.Join(out, "folds.jsonl"))
		return bytes.Count(text, []byte("\n"))
	}
	r := stopped(t, stop{File: filepath.Join(out, "folds.jsonl"), Lines: 1}, args...)
	want := "ehgnn: finished work is kept in " + out + "; the same command continues it\nehgnn: interrupted\n"
	if r.code != cli.ExitInterrupted || !strings.HasSuffix(unnoticed(r.stderr), want) {
		t.Fatalf("%+v", r)
	}
	n := kept()
	if n > 2 { // one for each thread
		t.Fatalf("%d folds were done before the interrupt", n)
	}
	lines := read(t, out, "folds.jsonl")
	succeed(t, args...)
	if after := read(t, out, "folds.jsonl"); !strings.HasPrefix(after, lines) || kept() != 10 {
		t.Errorf("folds.jsonl has %d folds; before, it had %d", kept(), n)
	}
}

// If the loss is not finite, the run fails with exit code 1. The message names the step, and the
// best weights so far are kept.
func TestDivergence(t *testing.T) {
	path, dir := small(t).folder(t), filepath.Join(t.TempDir(), "run")
	r := run(t, "train", path, "--out", dir, "--hidden", "8", "--lr", "1e30", "--quiet")
	if r.code != cli.ExitFailed || r.stdout != "" || !strings.Contains(r.stderr, " is NaN at step ") || !strings.Contains(r.stderr, dir+" keeps the best weights before that, of epoch 1") {
		t.Fatalf("train: %+v", r)
	}
	succeed(t, "evaluate", dir)
}

// unnoticed returns the output of an interrupted program without the line that says what the
// program waits for, which is printed only after a while.
func unnoticed(errs string) string {
	before, after, found := strings.Cut(errs, "ehgnn: interrupted; finishing ")
	if !found {
		return errs
	}
	_, after, _ = strings.Cut(after, "\n")
	return before + after
}
