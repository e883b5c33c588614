package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// job returns a job on a small graph with many blocks.
func job(t *testing.T, model string) Job {
	t.Helper()
	dir := t.TempDir()
	tiny.Multigraph{Seed: 3, Nodes: 300, Edges: 900, Directed: true, Features: true}.Write(t, dir)
	run := tiny.Trained(t, dir, model, true, settings.Values{"epochs": 1})
	in := tiny.Packed(t, dir, run, store.Options{BlockEdges: 50, Parts: 4})
	return Job{Run: run, Store: in, Out: filepath.Join(t.TempDir(), "out"), Writes: visit.Predictions, Threads: 3}
}

// whole returns the files of the job without interruption.
func (j Job) whole(t *testing.T) map[string]store.File {
	t.Helper()
	j.Out = filepath.Join(t.TempDir(), "whole")
	m, err := Write(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return m.Files
}

// resumes checks that a job continues and ends with the wanted files.
func (j Job) resumes(t *testing.T, want map[string]store.File) {
	t.Helper()
	j.Resume = true
	m, err := Write(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(m.Files) != fmt.Sprint(want) {
		t.Errorf("files %v, want %v", m.Files, want)
	}
	if _, err := os.Stat(filepath.Join(j.Out, workName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("states are left: %v", err)
	}
	for name, f := range want {
		sum := store.NewSum()
		b, err := os.ReadFile(filepath.Join(j.Out, name))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(b)
		if sum.File() != f {
			t.Errorf("%s is %v, want %v", name, sum.File(), f)
		}
	}
}

// faulty is a program with a visit that panics.
type faulty struct {
	visit.Program
	turn, block, part int
}

func (f faulty) Block(turn int, b *store.Block, seen visit.Seen, nodes, state []float32, to *visit.Result) error {
	if turn == f.turn && b.Index == f.block {
		panic("a visit of a block")
	}
	return f.Program.Block(turn, b, seen, nodes, state, to)
}

func (f faulty) Part(turn int, p *store.Part, last []float32, sums *visit.Total, to []float32) ([]float32, error) {
	if turn == f.turn && p.Index == f.part {
		panic("a visit of a part")
	}
	return f.Program.Part(turn, p, last, sums, to)
}

// stopped runs a job with a visit that panics.
func (j Job) stopped(t *testing.T, turn, block, part int) {
	t.Helper()
	r, err := j.begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(j.Out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.resume(false); err != nil {
		t.Fatal(err)
	}
	r.runner.Program = faulty{r.config.Program, turn, block, part}
	defer func() {
		if value := recover(); !strings.Contains(fmt.Sprint(value), "a visit of a") {
			t.Fatalf("panic %v", value)
		}
	}()
	t.Fatalf("the job ended: %v", r.run(t.Context()))
}

// A panic in a visit reaches the caller. The job can then be resumed.
func TestPanic(t *testing.T) {
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
		t.Run(model, func(t *testing.T) {
			j := job(t, model)
			want := j.whole(t)
			for _, at := range [][3]int{{0, 0, -1}, {1, 5, -1}, {2, -1, 2}, {3, 17, -1}} {
				j.Out = filepath.Join(t.TempDir(), "out")
				j.stopped(t, at[0], at[1], at[2])
				if _, err := Write(t.Context(), j); err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), "--resume") {
					t.Errorf("not resumed: error %v", err)
				}
				j.resumes(t, want)
			}
		})
	}
}

// A truncated file of the interrupted turn is made again. If a truncated file is needed and cannot
// be made again, the error names it.
func TestTorn(t *testing.T) {
	j := job(t, "ehgnn-joint-edge")
	want := j.whole(t)
	for _, test := range []struct {
		k    key
		want string
	}{
		{key{states, 2, 1}, ""}, {key{messages, 2, 1}, ""}, {key{rows, 2, 3}, "turn-02/rows/000003 is torn"}, {key{states, 1, 15}, "turn-01/state/000015 is torn"},
	} {
		t.Run(test.k.String(), func(t *testing.T) {
			j.Out = filepath.Join(t.TempDir(), "out")
			j.stopped(t, 2, 12, -1)
			path := fileStore{filepath.Join(j.Out, workName)}.path(test.k)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, info.Size()/2); err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				j.resumes(t, want)
				return
			}
			j.Resume = true
			if _, err := Write(t.Context(), j); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	// A truncated output is made again, too.
	j.Out = filepath.Join(t.TempDir(), "out")
	j.stopped(t, 3, 12, -1)
	if err := os.Truncate(filepath.Join(j.Out, visit.OutputName(0)), 100); err != nil {
		t.Fatal(err)
	}
	j.resumes(t, want)
}

// A resumed job must have the same run, store and kind of results.
func TestResumeRefuses(t *testing.T) {
	j := job(t, "ehgnn-edge")
	j.stopped(t, 1, 5, -1)
	edit := func(f func(m *Manifest)) func(t *testing.T, j *Job) {
		return func(t *testing.T, j *Job) {
			path := filepath.Join(j.Out, manifestName)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.WriteFile(path, b, 0o644) })
			var m Manifest
			if err := json.Unmarshal(b, &m); err != nil {
				t.Fatal(err)
			}
			f(&m)
			if err := atomicfile.WriteJSON(path, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	full := t.TempDir()
	tiny.File(t, filepath.Join(full, "mine.txt"), "x")
	for _, test := range []struct {
		want   string
		change func(t *testing.T, j *Job)
	}{
		{"what is written has changed", func(_ *testing.T, j *Job) { j.Writes = visit.EdgeVectors }},
		{"the run has changed", edit(func(m *Manifest) { m.Run = "another" })},
		{"the store has changed", edit(func(m *Manifest) { m.Store = "another" })},
		{"instruction set has changed", edit(func(m *Manifest) { m.Kernels = "abacus" })},
		{"the runner has changed", edit(func(m *Manifest) { m.Runner = "beam" })},
		{"is not empty", func(_ *testing.T, j *Job) { j.Out = full }},
		{"has a job already", func(_ *testing.T, j *Job) { j.Resume = false }},
		{"learns no vectors of nodes", func(_ *testing.T, j *Job) { j.Writes = visit.NodeVectors }},
		{"is no run folder", func(_ *testing.T, j *Job) { j.Run = full }},
		{"is no store", func(_ *testing.T, j *Job) { j.Store = full }},
	} {
		t.Run(test.want, func(t *testing.T) {
			j := j
			j.Resume = true
			test.change(t, &j)
			if _, err := Write(t.Context(), j); err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one of usage with %q", err, test.want)
			}
		})
	}
	// A finished job is not run again.
	j.Resume = true
	if _, err := Write(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if m, err := Write(t.Context(), j); err != nil || !m.Done {
		t.Errorf("a second time: %+v, %v", m, err)
	}
}

// A folder that another process writes to is an error, and the files of the other process stay.
func TestTwice(t *testing.T) {
	j := job(t, "mlp-edge")
	if err := os.MkdirAll(j.Out, 0o755); err != nil {
		t.Fatal(err)
	}
	release, err := atomicfile.Lock(j.Out)
	if err != nil {
		t.Fatal(err)
	}
	var held *atomicfile.HeldError
	if _, err := Write(t.Context(), j); !errors.As(err, &held) {
		t.Errorf("error %v, want a *atomicfile.HeldError", err)
	}
	release()
	// Visits that write the same file at the same time leave it complete.
	arrays := fileStore{t.TempDir()}
	k := key{states, 1, 1}
	x := make([]float32, 1<<16)
	if err := each(t.Context(), []*worker{{}, {}, {}}, 12, func(_ context.Context, _ *worker, _ int) error {
		return arrays.put(k, array{width: 1, data: x})
	}); err != nil {
		t.Fatal(err)
	}
	if _, ok := arrays.has(k); !ok {
		t.Error("the file is not whole")
	}
}

// An interrupted job returns an error and can be resumed.
func TestInterrupted(t *testing.T) {
	j := job(t, "ehgnn-edge")
	want := j.whole(t)
	for _, after := range []int{1, 20, 50} {
		j.Out = filepath.Join(t.TempDir(), "out")
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		j.Progress = func(string, int, int) {
			if n++; n == after {
				stop()
			}
		}
		if _, err := Write(ctx, j); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		stop()
		j.Progress = nil
		j.resumes(t, want)
	}
}

// killVar has the killedJob that this binary runs when it is started as another process.
const killVar = "EHGNN_SCALE_TEST_JOB"

// killedJob is a job whose process kills itself.
type killedJob struct {
	Job
	At int // the number, from 1, of the call of Progress at which it is killed
}

func TestMain(m *testing.M) {
	text := os.Getenv(killVar)
	if text == "" {
		os.Exit(m.Run())
	}
	var j killedJob
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		panic(err)
	}
	var calls atomic.Int64
	j.Progress = func(string, int, int) {
		if calls.Add(1) != int64(j.At) {
			return
		}
		go func() { // while the job runs on and may write
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
		}()
	}
	if _, err := Write(context.Background(), j.Job); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// If a process is killed at any moment, another process can finish its job with the same files.
func TestKilled(t *testing.T) {
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
		t.Run(model, func(t *testing.T) {
			j := job(t, model)
			want := j.whole(t)
			kills := 0
			for at := 1; ; at += 1 + at/4 {
				text, err := json.Marshal(killedJob{j, at})
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), killVar+"="+string(text))
				var errs strings.Builder
				cmd.Stderr = &errs
				if err = cmd.Run(); err == nil {
					break // it was finished
				}
				if !strings.Contains(err.Error(), "killed") {
					t.Fatalf("%v: %s", err, &errs)
				}
				kills++
				j.Resume = true
			}
			if kills < 2 {
				t.Errorf("killed %d times, want more", kills)
			}
			t.Logf("killed %d times", kills)
			j.resumes(t, want)
		})
	}
}
