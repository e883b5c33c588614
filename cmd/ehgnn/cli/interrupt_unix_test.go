//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/graph"
)

// interrupted sends a signal to a session, which exits with 130, and returns its standard error.
func (s *opened) interrupted(t *testing.T, signal os.Signal) string {
	t.Helper()
	if err := s.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	<-s.done
	if code := s.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		t.Fatalf("%v: exit code %d, %s", signal, code, &s.errs)
	}
	return s.errs.String()
}

// ignored are signals that the test process ignores from its start. A test that receives such a
// signal changes the result of signal.Ignored.
var ignored = map[os.Signal]bool{os.Interrupt: signal.Ignored(os.Interrupt), syscall.SIGTERM: signal.Ignored(syscall.SIGTERM), syscall.SIGHUP: signal.Ignored(syscall.SIGHUP)}

// Signals are caught before the large packages are initialised, which takes milliseconds.
func TestInterruptEarly(t *testing.T) {
	t.Parallel()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	early := strings.Index(string(trace), "init github.com/ehgnn/ehgnn/cmd/ehgnn/early ")
	if early < 0 {
		t.Fatal("package early is not initialised")
	}
	for _, late := range []string{"init github.com/klauspost/cpuid/", "init google.golang.org/grpc ", "init github.com/ehgnn/ehgnn/cmd/ehgnn/cli "} {
		if at := strings.Index(string(trace), late); at >= 0 && at < early {
			t.Errorf("%q comes before the signals are caught", late)
		}
	}
}

// A pipe whose writer is idle does not prevent the program from ending, for every signal that ends
// it.
func TestInterruptReading(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "edges.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, sent := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if ignored[sent] {
			continue // the tests ignore it, as under nohup, and so do their child processes
		}
		s := start(t, "data", "info", pipe)
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the program reads
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, "source,target,label\na,b,1\n"); err != nil {
			t.Fatal(err)
		}
		if errs := s.interrupted(t, sent); errs != "ehgnn: interrupted\n" {
			t.Errorf("%v: %q", sent, errs)
		}
		w.Close()
	}
}

// streaming starts predict - on graphs of a run. sh starts the program from "$@".
func streaming(t *testing.T, script, run string) (s *opened, in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	s = &opened{Cmd: exec.Command("sh", "-c", script, path, "predict", run, "-"), done: make(chan struct{})}
	s.Stderr = &s.errs
	in, err = s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); s.Process.Kill(); s.Wait() })
	return s, in, bufio.NewReader(stdout)
}

// Idle standard input does not prevent the program from ending. A hangup that is ignored, as under
// nohup, stays ignored.
func TestInterruptStream(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, `{"directed":false,"multigraph":false,"graph":{"label":"%d"},"nodes":[{"id":0,"size":%d},{"id":1,"size":2}],"edges":[{"source":0,"target":1}]}`+"\n", i%2, i)
	}
	writeFiles(t, dir, "graphs.jsonl", b.String())
	run := filepath.Join(dir, "run")
	exits0(t, "train", filepath.Join(dir, "graphs.jsonl"), "--out", run, "--epochs", "1", "--hidden", "4", "--quiet")
	first, _, _ := strings.Cut(b.String(), "\n")
	answer := func(in io.Writer, out *bufio.Reader) {
		t.Helper()
		if _, err := io.WriteString(in, first+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := out.ReadString('\n'); err != nil {
			t.Fatalf("%q, %v", line, err)
		}
	}
	s, in, out := streaming(t, `trap "" HUP; exec "$0" "$@"`, run)
	answer(in, out)
	if err := s.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	answer(in, out)
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	if s.Wait(); s.ProcessState.ExitCode() != cli.ExitInterrupted || s.errs.String() != "ehgnn: interrupted\n" {
		t.Errorf("%v, %q", s.ProcessState, &s.errs)
	}

	// If the reader closes the pipe, the program ends without a message.
	_, in, out = streaming(t, `{ "$0" "$@"; echo $? >&2; } | head -n 1`, run)
	answer(in, out)
	for range 3 {
		io.WriteString(in, first+"\n") // fails after the program has ended
	}
	in.Close()
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}

// longPath is a graph of one long path. Its Haar chain is computed in one step.
func longPath(n int, label int32) *graph.Graph {
	g := &graph.Graph{NumNodes: n, Label: label, Node: graph.Features{Code: make([]int32, n), Codes: []int{3}}}
	for v := range n - 1 {
		g.Ends = append(g.Ends, int32(v), int32(v+1))
	}
	g.Edge = graph.Features{Code: make([]int32, n-1), Codes: []int{3}}
	return g
}

// A step that would take many minutes is interrupted by a signal, and the state is saved. A run that was interrupted
// within a step and resumed equals, to the bit, a run without interruption.
func TestInterruptStep(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	train := func(nodes int, dir string, more ...string) []string {
		set := filepath.Join(work, fmt.Sprintf("PATHS%d", nodes))
		if !exists(set) {
			var graphs []*graph.Graph
			for i := range 10 {
				graphs = append(graphs, longPath(nodes+i, int32(i%2)))
			}
			newSet(filepath.Base(set), graphs).write(t, set)
		}
		return append([]string{"train", set, "--model", "haarpool", "--out", dir, "--epochs", "2", "--batch-size", "5", "--hidden", "8", "--threads", "1", "--quiet"}, more...)
	}
	long := filepath.Join(work, "long")
	s := start(t, train(5000, long)...)
	if !s.until(func() bool { return exists(filepath.Join(long, "metrics.jsonl")) }) {
		t.Fatalf("the run ended by itself: %s", &s.errs)
	}
	if errs := unnoticed(s.interrupted(t, syscall.SIGTERM)); errs != stateSaved("train", long) {
		t.Fatalf("standard error %q, want %q", errs, stateSaved("train", long))
	}
	dir, whole := filepath.Join(work, "stopped"), filepath.Join(work, "whole")
	savesState(t, dir, stop{File: filepath.Join(dir, "metrics.jsonl"), Lines: 1, Checks: 100}, train(150, dir)...)
	exits0(t, train(150, dir, "--resume")...)
	exits0(t, train(150, whole)...)
	compare(t, dir, whole)
}
