package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
)

// TestMain runs the program itself if a test has started this binary for that.
func TestMain(m *testing.M) {
	if os.Getenv("EHGNN_SCALE_TEST_PROGRAM") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process returns a call of the program in another process.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "EHGNN_SCALE_TEST_PROGRAM=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// packedForTraining returns a store of generated tables.
func packedForTraining(t *testing.T) (tables, out string) {
	t.Helper()
	dir := t.TempDir()
	tiny.Multigraph{Seed: 4, Nodes: 60, Edges: 800, Directed: true, Features: true}.Write(t, dir)
	out = filepath.Join(t.TempDir(), "payments.store")
	succeeded(t, "pack", dir, "--out", out, "--edges", "directed", "--block", "200", "--parts", "3")
	return dir, out
}

// A training that is killed and resumed ends with the weights of an uninterrupted training.
// ehgnn-scale and ehgnn predict with them.
func TestTrain(t *testing.T) {
	tables, in := packedForTraining(t)
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
	args := []string{"train", in, "--quiet", "--hidden", "8", "--layers", "2", "--neighbours", "5,3", "--batch", "16", "--epochs", "12", "--threads", "1", "--out"}
	if text := succeeded(t, append(args, whole)...); !strings.Contains(text, "ehgnn-edge on payments.store") {
		t.Errorf("it prints %q", text)
	}
	killed := process(t, append(args, dir)...)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { killed.Wait(); close(ended) }()
	for kept := false; !kept; {
		_, err := os.Stat(filepath.Join(dir, "checkpoint.safetensors"))
		select {
		case <-ended: // the comparison allows that
			kept = true
		case <-time.After(200 * time.Microsecond):
			kept = err == nil
		}
	}
	killed.Process.Kill() // does nothing if it has ended
	<-ended
	succeeded(t, "train", "--resume", "--quiet", "--threads", "2", "--out", dir)
	var weights [2]string
	for i, d := range []string{whole, dir} {
		b, err := os.ReadFile(filepath.Join(d, "model.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		weights[i] = string(b)
	}
	if weights[0] != weights[1] {
		t.Error("a training that was killed and continued leaves other weights")
	}
	succeeded(t, "predict", dir, in, "--quiet", "--out", filepath.Join(t.TempDir(), "out"))
	s, err := session.Load(t.Context(), dir, source.LoadOptions{Data: tables})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Evaluate(t.Context(), source.PartAll); err != nil {
		t.Error(err)
	}
}

// A setting that is not available is an error with its name and the reason.
func TestTrainRefuses(t *testing.T) {
	_, in := packedForTraining(t)
	for _, c := range []struct{ args, want string }{
		{"--label-context on", "--label-context is \"on\""},
		{"--structure all", "need the whole graph"},
		{"--time-features on", "earlier edges"},
		{"--members 3", "--members is \"3\""},
		{"--cut time", "cuts at each edge's time"},
		{"--model ehgnn-roles", "ehgnn-roles cannot be trained on sampled neighbourhoods"},
		{"--batch 0", "--batch is 0"},
		{"--neighbours 3,0", "--neighbours"},
		{"--epochs 0", "--epochs is 0"},
	} {
		code, _, errs := called(t, append([]string{"train", in, "--out", filepath.Join(t.TempDir(), "run")}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, %q", c.args, code, errs)
		}
	}
	for _, args := range [][]string{{"train"}, {"train", "--resume"}, {"train", t.TempDir()}} {
		if code, _, errs := called(t, args...); code != exitUsage {
			t.Errorf("%q: exit code %d, %q", args, code, errs)
		}
	}
}
