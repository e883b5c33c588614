package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/model"
)

// longArgs train a run of a few seconds in which everything has a state: dropout,
// a schedule, Adam, several batches in an epoch, a best epoch before the last.
func longArgs(path, dir string) []string {
	return []string{"train", path, "--out", dir, "--epochs", "240", "--batch-size", "16", "--hidden", "32", "--patience", "0", "--quiet"}
}

// A run folder has one writer at a time; the others say who it is, and leave it alone.
func TestOneWriter(t *testing.T) {
	path, dir := small(t).folder(t), filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	release, err := atomicfile.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	unfinished := filepath.Join(dir, ".config.yaml.tmp-1") // of the writer
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
	checkRunFolder(t, dir)
	if release, err = atomicfile.Lock(dir); err != nil {
		t.Fatal(err)
	}
	defer release()
	refused(t, held, "train", "--out", dir, "--resume", "--quiet")
}

// session is a running program.
type session struct {
	*exec.Cmd
	errs bytes.Buffer
	done chan struct{} // closed when it has ended
	from int           // epochs when it was first seen to train, -1 before
}

func start(t *testing.T, args ...string) *session {
	t.Helper()
	s := &session{Cmd: command(t, args...), done: make(chan struct{}), from: -1}
	s.Stderr = &s.errs
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.Wait() // its ProcessState says how it ended
		close(s.done)
	}()
	t.Cleanup(func() {
		_ = s.Process.Kill() // does nothing to one that has ended
		<-s.done
	})
	return s
}

// until waits for what a session writes to show that it has come to a certain
// point, or for its end. It looks at files, not at the clock.
func (s *session) until(reached func() bool) (running bool) {
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

// epochs is the number of epochs that a run has recorded.
func epochs(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, "metrics.jsonl")) // none yet: no epochs
	return bytes.Count(text, []byte("\n"))
}

// compare fails unless two runs have the same weights, predictions and epochs,
// to the bit.
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

// metrics are the lines of metrics.jsonl without their times.
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

// A run that is interrupted, and one that is killed at any moment, ends after
// --resume with the bits of a run that was never stopped, whatever the number of
// threads of each session.
func TestResume(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	work := t.TempDir()
	path := filepath.Join(work, "LONG")
	newSet("LONG", edgeClass(t, 200)).write(t, path)
	whole := filepath.Join(work, "whole")
	if r := program(t, append(longArgs(path, whole), "--threads", "2")...); r.code != 0 {
		t.Fatalf("the uninterrupted run: %+v", r)
	}
	if n := epochs(whole); n != 240 {
		t.Fatalf("the uninterrupted run has %d epochs, want 240", n)
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
	// interrupt sends a signal once there are n epochs, and checks that the
	// program saves its state.
	interrupt := func(t *testing.T, dir string, n int, signal os.Signal, args ...string) {
		t.Helper()
		first := epochs(dir)
		s := start(t, append(longArgs(path, dir), args...)...)
		if !s.until(func() bool { return s.begun(dir, first) && epochs(dir) >= n }) {
			t.Fatalf("the run ended by itself: %s", &s.errs)
		}
		if err := s.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		<-s.done
		want := "ehgnn: state saved in " + dir + "; ehgnn train --resume --out " + dir + " continues it\nehgnn: interrupted\n"
		if code := s.ProcessState.ExitCode(); code != cli.ExitInterrupted || unnoticed(s.errs.String()) != want {
			t.Fatalf("exit code %d, standard error %q; want %d and %q", code, &s.errs, cli.ExitInterrupted, want)
		}
		if got := epochs(dir); got >= 240 {
			t.Fatalf("interrupted in epoch %d, but %d epochs were trained", n, got)
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
		interrupt(t, dir, 20, os.Interrupt, "--threads", "1")
		refused(t, "holds a run already", longArgs(path, dir)...)
		refused(t, dir+" was begun with other settings: model.hidden was 32 and is 8 now, model.seed was 42 and is 7 now, split.seed was 42 and is 7 now, train.seed was 42 and is 7 now; repeat them",
			append(longArgs(path, dir), "--resume", "--hidden", "8", "--seed", "7")...)
		interrupt(t, dir, 40, syscall.SIGTERM, "--resume", "--threads", "2")
		resume(t, dir, "1")
		checkRunFolder(t, dir)
		// A finished run gives its result again.
		resume(t, dir, "2")
	})

	t.Run("kill", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes several sessions")
		}
		dir := filepath.Join(work, "killed")
		seed := uint64(time.Now().UnixNano())
		r := rand.New(rand.NewPCG(seed, 0))
		t.Logf("moments drawn with seed %d", seed)
		// The second session ends with a checkpoint for certain, so that later ones
		// begin in the middle, however fast the machine is.
		kill(t, dir, r, longArgs(path, dir)...)
		// A run that was killed before it had written its settings is none yet.
		again := func(more ...string) []string {
			if exists(filepath.Join(dir, "config.yaml")) {
				more = append(more, "--resume")
			}
			return more
		}
		interrupt(t, dir, 30+r.IntN(10), os.Interrupt, again()...)
		for range 6 {
			if kill(t, dir, r, append(longArgs(path, dir), again("--threads", itoa(1+r.IntN(2)))...)...) {
				break
			}
		}
		resume(t, dir, "2")
	})
}

// kill starts a session and ends it without warning at a random moment: some
// epochs after it has begun, while a file is being written, or some epochs after
// a checkpoint. It reports whether the session ended by itself.
func kill(t *testing.T, dir string, r *rand.Rand, args ...string) (ended bool) {
	t.Helper()
	state := func() string { text, _ := os.ReadFile(filepath.Join(dir, "state.json")); return string(text) }
	writing := func() []string { files, _ := filepath.Glob(filepath.Join(dir, ".*.tmp-*")); return files }
	moments := []string{"some epochs after it had begun", "while a file was written", "some epochs after a checkpoint"}
	moment := r.IntN(len(moments))
	before, left, first, more := state(), writing(), epochs(dir), r.IntN(20)
	s := start(t, args...)
	ended = !s.until(func() bool {
		switch moment {
		case 0:
			return s.begun(dir, first) && epochs(dir) >= s.from+more
		case 1:
			return slices.ContainsFunc(writing(), func(name string) bool { return !slices.Contains(left, name) })
		}
		return state() != before && s.begun(dir, -1) && epochs(dir) >= s.from+more
	})
	if err := s.Process.Kill(); err != nil && !ended {
		t.Fatal(err)
	}
	<-s.done
	t.Logf("killed %s, with %d epochs; ended by itself: %v", moments[moment], epochs(dir), ended)
	if code := s.ProcessState.ExitCode(); ended && code != 0 {
		t.Fatalf("a session ended with %d: %s", code, &s.errs)
	}
	return ended
}

// begun reports whether the number of recorded epochs is or was another than
// first. A session cuts off what its checkpoint does not know, so what an earlier
// one left says nothing of it.
func (s *session) begun(dir string, first int) bool {
	if n := epochs(dir); s.from < 0 && n != first {
		s.from = n
	}
	return s.from >= 0
}

// The number of threads changes no bit of any model, on whose graphs there is one
// without nodes and one without edges.
func TestThreads(t *testing.T) {
	graphs := smallList(t)
	graphs[5] = &graph.Graph{Label: 1, Node: graph.Features{Codes: []int{3}}, Edge: graph.Features{Codes: []int{3}}}
	graphs[6] = &graph.Graph{NumNodes: 2, Label: 0, Node: graph.Features{Code: []int32{0, 1}, Codes: []int{3}}, Edge: graph.Features{Codes: []int{3}}}
	odd := newSet("ODD", graphs).folds(smallGraphs).folder(t)
	tables := payments(t, 60, "nodes.csv", "edges.csv")
	for i, spec := range model.Registry {
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
			var dirs []string
			for _, threads := range []string{"1", "3"} {
				dir := filepath.Join(t.TempDir(), "run")
				succeed(t, append([]string{"train", path, "--model", spec.Name, "--out", dir, "--epochs", "2", "--hidden", "48", "--constant-lr", "--threads", threads}, size...)...)
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

// A context that has ended interrupts any verb.
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

// Ten folds that are interrupted go on where they were.
func TestFoldsInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	path, out := small(t).folder(t), filepath.Join(t.TempDir(), "folds")
	args := []string{"reproduce", "graph-classification", "--dataset", path, "--out", out, "--epochs", "60", "--patience", "0", "--hidden", "16", "--quiet"}
	kept := func() int {
		text, _ := os.ReadFile(filepath.Join(out, "folds.jsonl"))
		return bytes.Count(text, []byte("\n"))
	}
	s := start(t, args...)
	if !s.until(func() bool { return kept() >= 1 }) {
		t.Fatalf("ended by itself: %s", &s.errs)
	}
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-s.done
	want := "ehgnn: what is finished is kept in " + out + "; the same command goes on there\nehgnn: interrupted\n"
	if code := s.ProcessState.ExitCode(); code != cli.ExitInterrupted || unnoticed(s.errs.String()) != want {
		t.Fatalf("exit code %d, standard error %q", code, &s.errs)
	}
	n := kept()
	if n == 10 {
		t.Fatal("all folds were done before the signal")
	}
	lines := read(t, out, "folds.jsonl")
	succeed(t, args...)
	if after := read(t, out, "folds.jsonl"); !strings.HasPrefix(after, lines) || kept() != 10 {
		t.Errorf("folds.jsonl has %d folds; before, it had %d", kept(), n)
	}
}

// A loss that is not finite fails the run, exit code 1, says at which step, and
// keeps the best weights before.
func TestDivergence(t *testing.T) {
	path, dir := small(t).folder(t), filepath.Join(t.TempDir(), "run")
	r := run(t, "train", path, "--out", dir, "--hidden", "8", "--lr", "1e30", "--quiet")
	if r.code != cli.ExitFailed || r.stdout != "" || !strings.Contains(r.stderr, " is NaN at step ") || !strings.Contains(r.stderr, dir+" keeps the best weights before that, of epoch 1") {
		t.Fatalf("train: %+v", r)
	}
	succeed(t, "evaluate", dir)
}

// unnoticed is what an interrupted program printed, without the line that tells what is
// waited for: it comes only where that takes a while.
func unnoticed(errs string) string {
	before, after, found := strings.Cut(errs, "ehgnn: interrupted; finishing ")
	if !found {
		return errs
	}
	_, after, _ = strings.Cut(after, "\n")
	return before + after
}
