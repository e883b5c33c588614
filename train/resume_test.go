package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// variants are the runs that must survive an interruption.
var variants = map[string]func(*train.Config){
	"adam":     func(*train.Config) {},
	"adamw":    func(c *train.Config) { c.Optimizer.Name = "adamw" },
	"momentum": func(c *train.Config) { c.Optimizer = optim.Config{Name: "sgd", Momentum: 0.9, Nesterov: true} },
	"sgd":      func(c *train.Config) { c.Optimizer = optim.Config{Name: "sgd"} },
	"rmsprop":  func(c *train.Config) { c.Optimizer = optim.Config{Name: "rmsprop"} },
	"cosine":   func(c *train.Config) { c.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: 2} },
	"patience": func(c *train.Config) { c.LR, c.Patience = 1, 1 },
	"whole":    func(c *train.Config) { c.BatchSize = 0 },
	"average":  func(c *train.Config) { c.Average = 0.9 },
}

func variant(name string) train.Config {
	cfg := basic()
	variants[name](&cfg)
	return cfg
}

// folder is a run folder with everything on.
func folder(dir string, resume bool, interval time.Duration) train.Options {
	return train.Options{
		Checkpoint: &train.Checkpoint{Dir: dir, Resume: resume, Interval: interval, Identity: "test", Metadata: map[string]string{"model": "classifier"}},
		Recorder:   &train.Recorder{Dir: dir, TensorBoard: true},
	}
}

// A run that is cancelled again and again, at any step, in the midst of one, or during validation,
// ends as one that never was, in memory and on disk.
func TestResumeAfterCancel(t *testing.T) {
	for name := range variants {
		t.Run(name, func(t *testing.T) { cancelAndResume(t, name, variant(name), nil) })
	}
	t.Run("hook", func(t *testing.T) { cancelAndResume(t, "hook", variant("adam"), newAverage) })
}

func cancelAndResume(t *testing.T, name string, cfg train.Config, hook func([]*tensor.Param) train.GradientHook) {
	wantDir, dir := t.TempDir(), t.TempDir()
	opts := folder(wantDir, false, time.Hour)
	opts.Gradients = hook
	want := fit(t, newClassifier(1, 4), cfg, opts)

	r := rng.Stream(3, "cancel", name)
	var got outcome
	sessions, last, seconds := 0, -1, 0.0
	for done := false; !done; sessions++ {
		if sessions > 100 {
			t.Fatal("no end")
		}
		ctx, cancel := context.WithCancel(context.Background())
		m := newClassifier(uint64(sessions), 4) // the start must not matter when resumed
		if sessions == 0 {
			m = newClassifier(1, 4)
		}
		problem := m.problem(t)
		left := 1 + r.IntN(5)
		opts := folder(dir, sessions > 0, time.Hour)
		opts.Gradients = hook
		opts.OnStep = func(train.StepInfo) {
			if left--; left == 0 {
				cancel()
			}
		}
		switch r.IntN(4) {
		case 0: // in the midst of a step, after batch norm has moved its statistics
			opts.OnStep = nil
			loss := problem.Loss
			problem.Loss = func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
				mean, n := loss(p, b)
				if left--; left == 0 {
					cancel()
					if r.IntN(2) == 0 { // else the gradient notices it
						mean.Square()
					}
				}
				return mean, n
			}
		case 1: // let validation notice it
			opts.OnStep = nil
			score := problem.Score
			problem.Score = func() train.Scorer { cancel(); return score() }
		}
		res, err := train.Fit(ctx, problem, samples(1, 30), samples(2, 13), cfg, opts)
		cancel()
		switch {
		case err == nil:
			done = true
			got = outcomeOf(m, res)
		case !errors.Is(err, context.Canceled) || res == nil || res.Stopped != train.StoppedCancelled:
			t.Fatalf("result %+v, error %v", res, err)
		default:
			if res.Steps < last || res.Seconds < seconds {
				t.Fatalf("went back from step %d, second %v, to %d, %v", last, seconds, res.Steps, res.Seconds)
			}
			last, seconds = res.Steps, res.Seconds
		}
	}
	if sessions < 3 {
		t.Fatalf("only %d sessions", sessions)
	}
	sameRun(t, got, want)
	sameFolder(t, dir, wantDir)
}

// sameFolder compares run folders but for times.
func sameFolder(t *testing.T, got, want string) {
	t.Helper()
	if !bytes.Equal(read(t, got, "model.safetensors"), read(t, want, "model.safetensors")) {
		t.Error("model.safetensors differs")
	}
	if g, w := metrics(t, got), metrics(t, want); g != w {
		t.Errorf("metrics.jsonl\n%s\nwant\n%s", g, w)
	}
	g, w := checkpoint(t, got), checkpoint(t, want)
	for i, tensor := range w.Tensors {
		if fmt.Sprint(g.Tensors[i]) != fmt.Sprint(tensor) {
			t.Errorf("tensor %s of the checkpoint differs", tensor.Name)
		}
	}
	if g, w := state(t, got), state(t, want); g != w {
		t.Errorf("state.json\n%s\nwant\n%s", g, w)
	}
}

// metrics is metrics.jsonl without times.
func metrics(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	for line := range bytes.Lines(read(t, dir, "metrics.jsonl")) {
		var e train.EpochInfo
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		e.Seconds = 0
		fmt.Fprintf(&out, "%+v\n", e)
	}
	return out.String()
}

// state is state.json without what depends on times.
func state(t *testing.T, dir string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(read(t, dir, "state.json"), &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "seconds")
	delete(fields, "digest")
	return fmt.Sprint(fields) // maps are printed in order
}

func checkpoint(t *testing.T, dir string) *safetensors.File {
	t.Helper()
	f, err := safetensors.ReadFile(filepath.Join(dir, "checkpoint.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A kill leaves the folder as it is between two writes. Copies of the folder,
// made while the run goes on, are resumed instead of killing it.
func TestResumeFromAnyMoment(t *testing.T) {
	for name, interval := range map[string]time.Duration{"every step": 1, "now and then": 3 * time.Millisecond, "never": time.Hour} {
		t.Run(name, func(t *testing.T) {
			cfg := variant("cosine")
			dir := t.TempDir()
			var copies []string
			snapshot := func() {
				to := filepath.Join(t.TempDir(), "copy")
				if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
					t.Fatal(err)
				}
				copies = append(copies, to)
			}
			opts := folder(dir, false, interval)
			opts.OnStep = func(s train.StepInfo) { // before the step's checkpoint
				if s.Step%3 == 0 {
					snapshot()
				}
			}
			opts.OnEpoch = func(e train.EpochInfo) { // after the epoch's
				if e.Epoch%4 == 0 {
					snapshot()
				}
			}
			want := fit(t, newClassifier(1, 4), cfg, opts)
			for i, from := range copies {
				// Leftovers of the kill: a line cut short, a file never renamed, a
				// readable copy of some other state.
				appendTo(t, filepath.Join(from, "metrics.jsonl"), `{"epoch":99`)
				write(t, filepath.Join(from, ".checkpoint.safetensors.tmp-x"), "half")
				write(t, filepath.Join(from, "state.json"), "{}")
				if i%2 == 0 {
					os.Remove(filepath.Join(from, "model.safetensors"))
				}
				sameRun(t, fit(t, newClassifier(1, 4), cfg, folder(from, true, 0)), want)
				sameFolder(t, from, dir)
				if t.Failed() {
					t.Fatalf("copy %d", i)
				}
			}
		})
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Variables of a process that is killed: its folder, and the step of the process at which it is killed.
const (
	killedDir  = "EHGNN_TRAIN_KILLED_DIR"
	killedStep = "EHGNN_TRAIN_KILLED_STEP"
)

// The same with real kills: this test runs itself as a process, which kills itself while it trains on.
func TestResumeAfterKill(t *testing.T) {
	cfg := variant("cosine")
	cfg.Epochs = 12
	if dir := os.Getenv(killedDir); dir != "" {
		left, err := strconv.Atoi(os.Getenv(killedStep))
		self, found := os.FindProcess(os.Getpid())
		if err != nil || found != nil {
			t.Fatal(err, found)
		}
		opts := folder(dir, true, 1)
		opts.OnStep = func(train.StepInfo) {
			if left--; left == 0 {
				go self.Kill()
			}
		}
		fit(t, newClassifier(1, 4), cfg, opts)
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	wantDir, dir := t.TempDir(), t.TempDir()
	want := fit(t, newClassifier(1, 4), cfg, folder(wantDir, false, 0))
	kills, r := 0, rng.Stream(4, "kill")
	for ; ; kills++ {
		if kills > 200 {
			t.Fatal("no progress between kills")
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestResumeAfterKill$")
		cmd.Env = append(os.Environ(), killedDir+"="+dir, fmt.Sprintf("%s=%d", killedStep, 2+r.IntN(8))) // the first step may have no checkpoint
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if cmd.ProcessState.Exited() { // on its own, so it failed
			t.Fatalf("%v\n%s", err, out)
		}
	}
	t.Logf("%d kills", kills)
	sameRun(t, fit(t, newClassifier(1, 4), cfg, folder(dir, true, 0)), want)
	sameFolder(t, dir, wantDir)
}

// A run that has ended gives its result again, and goes on only to more epochs
// of a constant schedule.
func TestResumeAfterTheEnd(t *testing.T) {
	dir := t.TempDir()
	cfg := variant("adam")
	cfg.Epochs = 3
	first := fit(t, newClassifier(1, 4), cfg, folder(dir, false, 0))
	lines := string(read(t, dir, "metrics.jsonl"))
	os.Remove(filepath.Join(dir, "model.safetensors"))
	opts := folder(dir, true, 0)
	opts.OnStep = func(s train.StepInfo) { t.Errorf("step %d after the end", s.Step) }
	sameRun(t, fit(t, newClassifier(9, 4), cfg, opts), first)
	if got := string(read(t, dir, "metrics.jsonl")); got != lines {
		t.Errorf("metrics.jsonl became\n%s", got)
	}
	read(t, dir, "model.safetensors") // is there again

	cfg.Epochs = 6
	longDir := t.TempDir()
	long := fit(t, newClassifier(1, 4), cfg, folder(longDir, false, 0))
	sameRun(t, fit(t, newClassifier(9, 4), cfg, folder(dir, true, 0)), long)
	sameFolder(t, dir, longDir)

	cfg.Epochs = 2
	_, err := train.Fit(context.Background(), newClassifier(1, 4).problem(t), samples(1, 30), samples(2, 13), cfg, folder(dir, true, 0))
	if err == nil || !strings.Contains(err.Error(), "6 epochs behind it, Config.Epochs is 2") {
		t.Errorf("error %v", err)
	}
}

// Lines of metrics.jsonl that got lost come back from the checkpoint.
func TestResumeRestoresLostLines(t *testing.T) {
	dir := t.TempDir()
	cfg := variant("adam")
	cfg.Epochs = 4
	fit(t, newClassifier(1, 4), cfg, folder(dir, false, 0))
	lines := bytes.SplitAfter(read(t, dir, "metrics.jsonl"), []byte("\n"))
	write(t, filepath.Join(dir, "metrics.jsonl"), string(bytes.Join(lines[:2], nil)))
	cfg.Epochs = 5
	fit(t, newClassifier(1, 4), cfg, folder(dir, true, 0))
	got := bytes.SplitAfter(read(t, dir, "metrics.jsonl"), []byte("\n"))
	if len(got) != 6 || !bytes.Equal(bytes.Join(got[:4], nil), bytes.Join(lines, nil)) {
		t.Errorf("metrics.jsonl\n%s", bytes.Join(got, nil))
	}
}

// A new run in a used folder leaves nothing of the old one that could be taken
// for its own.
func TestNewRunClearsFolder(t *testing.T) {
	dir := t.TempDir()
	fit(t, newClassifier(1, 4), variant("adam"), folder(dir, false, 0))
	cfg := variant("adam")
	cfg.Seed = 99
	opts := folder(dir, false, time.Hour)
	opts.OnStep = func(s train.StepInfo) {
		for _, name := range []string{"checkpoint.safetensors", "state.json", "model.safetensors"} {
			if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("step %d: %s is there", s.Step, name)
			}
		}
	}
	opts.OnEpoch = nil
	fit(t, newClassifier(1, 4), cfg, opts)
	if n := bytes.Count(read(t, dir, "metrics.jsonl"), []byte("\n")); n != cfg.Epochs {
		t.Errorf("%d lines, want %d", n, cfg.Epochs)
	}
}

func TestResumeRefuses(t *testing.T) {
	src := t.TempDir()
	base := variant("adam")
	base.Epochs = 2
	fit(t, newClassifier(1, 4), base, folder(src, false, 0))
	spoil := func(change func(*safetensors.File)) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			f := checkpoint(t, dir)
			change(f)
			if err := safetensors.WriteFile(filepath.Join(dir, "checkpoint.safetensors"), f); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name, want string
		hidden     int
		change     func(*train.Config, *train.Options)
		files      func(t *testing.T, dir string)
	}{
		{name: "batch size", want: "config.batch_size is 8 in the checkpoint and 9 now",
			change: func(c *train.Config, _ *train.Options) { c.BatchSize = 9 }},
		{name: "two settings", want: "config.optimizer.weight_decay is 0.0001 in the checkpoint and 0 now; config.seed is 7 in the checkpoint and 8 now",
			change: func(c *train.Config, _ *train.Options) { c.Seed, c.Optimizer.WeightDecay = 8, 0 }},
		{name: "schedule", want: `config.schedule.name is ""`,
			change: func(c *train.Config, _ *train.Options) { c.Schedule.Name = "cosine" }},
		{name: "identity", want: `identity is "test" in the checkpoint and "other data" now`,
			change: func(_ *train.Config, o *train.Options) { o.Checkpoint.Identity = "other data" }},
		{name: "model", want: `tensor "model.conv.bias" has shape [4], expected [5]`, hidden: 5},
		{name: "damaged weights", want: "the checkpoint is damaged", files: spoil(func(f *safetensors.File) { f.Tensors[0].Data[0]++ })},
		{name: "damaged state", want: "the checkpoint is damaged", files: spoil(func(f *safetensors.File) {
			f.Metadata["train.state"] = strings.Replace(f.Metadata["train.state"], `"counter":`, `"counter":1`, 1)
		})},
		{name: "tensor lost", want: "the checkpoint is damaged", files: spoil(func(f *safetensors.File) { f.Tensors = f.Tensors[1:] })},
		{name: "no checkpoint", want: "not a checkpoint", files: spoil(func(f *safetensors.File) { f.Metadata = nil })},
		{name: "cut short", want: "safetensors", files: func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "checkpoint.safetensors"), string(read(t, dir, "checkpoint.safetensors")[:500]))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(dir, os.DirFS(src)); err != nil {
				t.Fatal(err)
			}
			cfg, opts := base, folder(dir, true, 0)
			if c.change != nil {
				c.change(&cfg, &opts)
			}
			if c.files != nil {
				c.files(t, dir)
			}
			m := newClassifier(1, max(c.hidden, 4))
			before := fmt.Sprint(m.conv.Weight.Value)
			metrics, saved := read(t, dir, "metrics.jsonl"), read(t, dir, "checkpoint.safetensors")
			_, err := train.Fit(context.Background(), m.problem(t), samples(1, 30), samples(2, 13), cfg, opts)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "train: ") {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
			if fmt.Sprint(m.conv.Weight.Value) != before {
				t.Error("the model changed")
			}
			if !bytes.Equal(read(t, dir, "metrics.jsonl"), metrics) || !bytes.Equal(read(t, dir, "checkpoint.safetensors"), saved) {
				t.Error("files of the refused run changed")
			}
		})
	}
	t.Run("data", func(t *testing.T) {
		_, err := train.Fit(context.Background(), newClassifier(1, 4).problem(t), samples(1, 29), samples(2, 13), base, folder(src, true, 0))
		if err == nil || !strings.Contains(err.Error(), "train.graphs is 30 in the checkpoint and 29 now") {
			t.Errorf("error %v", err)
		}
	})
}

// Interval decides when checkpoints are written, but the end always has one.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		interval   time.Duration
		every, end bool
	}{{1, true, true}, {time.Hour, false, true}, {0, false, true}} {
		dir := t.TempDir()
		there := func() bool {
			_, err := os.Stat(filepath.Join(dir, "checkpoint.safetensors"))
			return err == nil
		}
		seen := 0
		opts := folder(dir, false, c.interval)
		opts.OnEpoch = func(e train.EpochInfo) {
			if there() {
				seen++
			}
		}
		cfg := basic()
		cfg.Epochs = 2
		fit(t, newClassifier(1, 4), cfg, opts)
		if (seen == 2) != c.every || there() != c.end {
			t.Errorf("interval %v: a checkpoint after %d of 2 epochs, at the end %v", c.interval, seen, there())
		}
	}
	_, err := train.Fit(context.Background(), newClassifier(1, 4).problem(t), samples(1, 3), nil, basic(),
		train.Options{Checkpoint: &train.Checkpoint{Dir: t.TempDir(), Interval: -1}})
	if err == nil || !strings.Contains(err.Error(), "Checkpoint.Interval is -1ns") {
		t.Errorf("error %v", err)
	}
}

// The folder of a run can be one that cannot be made.
func TestFolderErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	for name, opts := range map[string]train.Options{
		"Checkpoint.Dir": {Checkpoint: &train.Checkpoint{Dir: filepath.Join(file, "run")}},
		"Recorder.Dir":   {Recorder: &train.Recorder{Dir: filepath.Join(file, "run")}},
	} {
		_, err := train.Fit(context.Background(), newClassifier(1, 4).problem(t), samples(1, 3), nil, basic(), opts)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %s in it", err, name)
		}
	}
}

// What the best weights are loaded from afterwards.
func TestModelFile(t *testing.T) {
	dir := t.TempDir()
	m := newClassifier(1, 4)
	fit(t, m, variant("adam"), folder(dir, false, 0))
	other := newClassifier(5, 4)
	meta, err := train.ReadParams(filepath.Join(dir, "model.safetensors"), other)
	if err != nil {
		t.Fatal(err)
	}
	if meta["model"] != "classifier" || !strings.HasPrefix(meta["ehgnn.digest"], "sha256:") || len(meta) != 2 {
		t.Errorf("metadata %v", meta)
	}
	for i, p := range other.Params() {
		if fmt.Sprint(p.Value.Data()) != fmt.Sprint(m.Params()[i].Value.Data()) {
			t.Errorf("%s differs from the trained model", p.Name)
		}
	}
}
