package pipeline_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/pipeline"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

var small = store.Options{BlockEdges: 37, Parts: 3}

// Prism writes the same bytes as package local, for every model and level.
func TestSameAsLocal(t *testing.T) {
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge", "mlp-edge"} {
		for _, directed := range []bool{false, true} {
			run, in := sample(t, model, directed, small)
			levels := []string{visit.Predictions, visit.EdgeVectors}
			if model == "ehgnn-joint-edge" {
				levels = append(levels, visit.NodeVectors)
			}
			for _, writes := range levels {
				t.Run(fmt.Sprintf("%s/%v/%s", model, directed, writes), func(t *testing.T) {
					c := prism(t, run, in)
					c.Writes = writes
					m, err := pipeline.Run(t.Context(), c)
					if err != nil {
						t.Fatal(err)
					}
					same(t, c.Out, expected(t, run, in, writes))
					if !m.Done || m.Turns[0].Shuffled == 0 {
						t.Errorf("manifest %+v, expected a job that is done and that shuffled something", m)
					}
				})
			}
		}
	}
}

// If nodes have no features, turn 0 has no visits of parts.
func TestBlocksAlone(t *testing.T) {
	g := tiny.Multigraph{Seed: 3, Nodes: 60, Edges: 260}
	tables := t.TempDir()
	g.Write(t, tables)
	run := tiny.Trained(t, tables, "mlp-edge", false, nil)
	c := prism(t, run, tiny.Packed(t, tables, run, small))
	m, err := pipeline.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if m.Turns[0].Shuffled != 0 {
		t.Errorf("%d bytes were shuffled, expected none", m.Turns[0].Shuffled)
	}
	same(t, c.Out, expected(t, run, c.Store, c.Writes))
}

// Vectors of nodes include a node without edges, also if its part has no other nodes.
func TestPartWithoutEdges(t *testing.T) {
	g := tiny.Multigraph{Seed: 3, Nodes: 60, Edges: 30, Features: true}
	tables := t.TempDir()
	g.Write(t, tables)
	run := tiny.Trained(t, tables, "ehgnn-joint-edge", false, nil)
	c := prism(t, run, tiny.Packed(t, tables, run, store.Options{BlockEdges: 10, Parts: 20}))
	c.Writes = visit.NodeVectors
	if _, err := pipeline.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	same(t, c.Out, expected(t, run, c.Store, c.Writes))
}

// If a write fails, the job of the turn fails. The driver tries again, and the bytes are the same.
// If all attempts fail, a resumed job uses the finished work.
func TestRetry(t *testing.T) {
	run, in := sample(t, "ehgnn-joint-edge", false, small)
	want := expected(t, run, in, visit.Predictions)
	for _, name := range []string{"turn-01/000002.rows", "turn-01/000003.state", "part-000004.parquet", "turn-02.json", "manifest.json"} {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			c := prism(t, run, "flaky://"+in)
			out := c.Out
			c.Out = "flaky://" + out
			failed := 0
			c.Failed = func(int, error) { failed++ }
			c.Progress = func(turn, _ int, _ pipeline.Done) {
				if turn == 0 {
					failNext(t, name, 2)
				}
			}
			if _, err := pipeline.Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if failed == 0 || failed > 2 {
				t.Errorf("%d attempts failed, expected 1 or 2", failed)
			}
			same(t, out, want)
		})
	}
	t.Run("resumed", func(t *testing.T) {
		c := prism(t, run, in)
		out := c.Out
		c.Out, c.Attempts = "flaky://"+out, 2
		failNext(t, "turn-02/000001.state", 20)
		if _, err := pipeline.Run(t.Context(), c); err == nil || !strings.HasPrefix(err.Error(), "turn 2 of 3 failed, at attempt 2") ||
			!strings.HasSuffix(err.Error(), "runner prism: pipeline: "+c.Out+"/work/turn-02/000001.state: injected") {
			t.Fatalf("error %v, expected turn 2 to fail as injected, with the file alone", err)
		}
		failNext(t, "", 0)
		c.Resume = true
		turns := 0
		c.Progress = func(turn, _ int, _ pipeline.Done) { turns++ }
		if _, err := pipeline.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if turns != 2 {
			t.Errorf("%d turns were taken after resuming, expected 2", turns)
		}
		same(t, out, want)
	})
}

// stopped returns a job that was stopped after its second turn.
func stopped(t *testing.T, run, in string) pipeline.Config {
	t.Helper()
	c := prism(t, run, in)
	ctx, cancel := context.WithCancel(t.Context())
	c.Progress = func(turn, _ int, _ pipeline.Done) {
		if turn == 1 {
			cancel()
		}
	}
	if _, err := pipeline.Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, expected %v", err, context.Canceled)
	}
	c.Progress, c.Resume = nil, true
	return c
}

// A file that was truncated, changed or lost while a job was stopped does not get into its results.
func TestDamaged(t *testing.T) {
	run, in := sample(t, "ehgnn-edge", true, small)
	want := expected(t, run, in, visit.Predictions)
	for name, damage := range map[string]func(path string) error{
		"torn":    func(path string) error { return os.Truncate(path, 100) },
		"changed": func(path string) error { return os.WriteFile(path, make([]byte, 37*8*4), 0o644) },
		"lost":    os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			c := stopped(t, run, in)
			if err := damage(filepath.Join(c.Out, "work", "turn-01", "000002.state")); err != nil {
				t.Fatal(err)
			}
			if _, err := pipeline.Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			same(t, c.Out, want)
		})
	}
}

// A job whose process was killed continues after its finished turns.
func TestKilled(t *testing.T) {
	run, in := sample(t, "ehgnn-edge", false, small)
	c := prism(t, run, in)
	cmd, stdout := again(t, jobVariable+"="+strings.Join([]string{c.Run, c.Store, c.Out}, "\n"))
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && lines.Text() != "turn 1" {
	}
	cmd.Process.Kill()
	if lines.Text() != "turn 1" {
		t.Fatalf("the job said %q, expected turn 1", lines.Text())
	}
	cmd.Wait()
	c.Resume = true
	turns := 0
	c.Progress = func(int, int, pipeline.Done) { turns++ }
	if _, err := pipeline.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if turns > 2 {
		t.Errorf("%d turns were taken after two were done before, expected 2 at most", turns)
	}
	same(t, c.Out, expected(t, run, in, visit.Predictions))
}

// again starts the test binary with a variable set.
func again(t *testing.T, variable string) (*exec.Cmd, io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), variable)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	return cmd, stdout
}

// A job that is impossible, or impossible with its options, is a usage error that says why.
func TestRefused(t *testing.T) {
	run, in := sample(t, "ehgnn-edge", true, small)
	other, _ := sample(t, "mlp-edge", true, small)
	begun := stopped(t, run, in)
	for _, tt := range []struct {
		change func(c *pipeline.Config)
		want   string
	}{
		{func(c *pipeline.Config) { c.Out, c.Resume = begun.Out, false }, "--resume"},
		{func(c *pipeline.Config) { c.Out, c.Resume, c.Run = begun.Out, true, other }, "of another run"},
		{func(c *pipeline.Config) { c.Out, c.Resume, c.Writes = begun.Out, true, visit.EdgeVectors }, "of other results"},
		{func(c *pipeline.Config) { c.Writes = visit.NodeVectors }, "no vectors of nodes"},
		{func(c *pipeline.Config) { c.Runner = "samza" }, `--runner is "samza"`},
		{func(c *pipeline.Config) { c.Runner = "flink" }, "--endpoint HOST:PORT"},
		{func(c *pipeline.Config) { c.Flags = []string{"--no_such_flag"} }, "no_such_flag"},
		{func(c *pipeline.Config) { c.Flags = []string{"--async"} }, "each turn waits"},
		{func(c *pipeline.Config) { c.Out = run }, "no job to resume"},
		{func(c *pipeline.Config) { c.Store = filepath.Join(in, "nothing") }, "is no store"},
	} {
		c := prism(t, run, in)
		tt.change(&c)
		if _, err := pipeline.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), tt.want) || !settings.IsUsage(err) {
			t.Errorf("error %v, expected wrong usage with %q", err, tt.want)
		}
	}
}

// Workers can be other processes. They know about the job only what is in the fields of its
// functions.
func TestOtherProcess(t *testing.T) {
	run, in := sample(t, "ehgnn-joint-edge", true, small)
	c := prism(t, run, in)
	c.Flags = append(workers(t), "--worker_binary", filepath.Join(run, "model.safetensors")) // not used: the workers run already
	if _, err := pipeline.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	same(t, c.Out, expected(t, run, in, visit.Predictions))
}

// workers starts a pool of workers and returns the flags that name it.
func workers(t *testing.T) []string {
	t.Helper()
	_, stdout := again(t, poolVariable+"=1")
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--environment_type", "EXTERNAL", "--environment_config", strings.TrimSpace(address)}
}
