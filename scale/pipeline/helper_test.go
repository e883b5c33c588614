package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"

	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/pipeline"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// poolVariable makes the test binary a process with a pool of workers.
const poolVariable = "EHGNN_TEST_POOL"

// jobVariable makes the test binary run a job that prints when a turn is done. It has the folders
// of run, store and results, one in each line.
const jobVariable = "EHGNN_TEST_JOB"

func TestMain(m *testing.M) {
	if os.Getenv(poolVariable) != "" {
		pool()
		return
	}
	if text := os.Getenv(jobVariable); text != "" {
		job(text)
		return
	}
	os.Exit(m.Run())
}

// pool starts workers on request, prints its address and ends when its standard input ends.
func pool() {
	s, err := extworker.StartLoopback(context.Background(), 0)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.EnvironmentConfig(context.Background()))
	io.Copy(io.Discard, os.Stdin)
}

// job runs a job.
func job(text string) {
	folders := strings.Split(text, "\n")
	c := pipeline.Config{Run: folders[0], Store: folders[1], Out: folders[2], Writes: visit.Predictions, Runner: pipeline.Prism}
	c.Progress = func(turn, _ int, _ pipeline.Done) { fmt.Println("turn", turn) }
	if _, err := pipeline.Run(context.Background(), c); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// sample returns a trained run and a store of another graph than the training graph.
func sample(t testing.TB, model string, directed bool, o store.Options) (run, in string) {
	t.Helper()
	g := tiny.Multigraph{Seed: 3, Nodes: 60, Edges: 260, Directed: directed, Features: true}
	first, other := t.TempDir(), t.TempDir()
	g.Write(t, first)
	run = tiny.Trained(t, first, model, directed, nil)
	g.Seed++
	g.Write(t, other)
	return run, tiny.Packed(t, other, run, o)
}

// expected returns the contents of the files that package local writes.
func expected(t testing.TB, run, in, writes string) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "local")
	if _, err := local.Write(t.Context(), local.Job{Run: run, Store: in, Out: out, Writes: writes}); err != nil {
		t.Fatal(err)
	}
	return contents(t, out)
}

func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = string(b)
	}
	return out
}

// same compares the files in a folder of results with the expected contents.
func same(t testing.TB, dir string, want map[string]string) {
	t.Helper()
	got := contents(t, dir)
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d files, want %d", len(got), len(want))
	}
	for name, b := range want {
		if got[name] != b {
			t.Errorf("%s differs from what package local wrote", name)
		}
	}
	filepath.WalkDir(filepath.Join(dir, "work"), func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			t.Errorf("%s is left", name)
		}
		return nil
	})
}

// prism returns a job on Prism.
func prism(t testing.TB, run, in string) pipeline.Config {
	return pipeline.Config{Run: run, Store: in, Out: filepath.Join(t.TempDir(), "out"), Writes: visit.Predictions, Runner: pipeline.Prism}
}

// flaky is a file system of Beam, flaky://PATH, over the local one. Opening a file for writing
// fails the given number of times if its name ends in the text of failing.
type flaky struct{}

var failing struct {
	sync.Mutex
	text  string
	times int
}

// failNext makes writing fail until the end of the test.
func failNext(t testing.TB, text string, times int) {
	set := func(text string, times int) {
		failing.Lock()
		defer failing.Unlock()
		failing.text, failing.times = text, times
	}
	set(text, times)
	t.Cleanup(func() { set("", 0) })
}

func init() {
	filesystem.Register("flaky", func(context.Context) filesystem.Interface { return flaky{} })
}

func at(name string) string { return strings.TrimPrefix(name, "flaky://") }

func (flaky) Close() error { return nil }

func (flaky) List(_ context.Context, glob string) ([]string, error) { return filepath.Glob(at(glob)) }

func (flaky) OpenRead(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(at(name))
}

func (flaky) Size(_ context.Context, name string) (int64, error) {
	info, err := os.Stat(at(name))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (flaky) Remove(_ context.Context, name string) error { return os.Remove(at(name)) }

var errInjected = errors.New("injected")

func (flaky) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	failing.Lock()
	defer failing.Unlock()
	if failing.times > 0 && strings.HasSuffix(name, failing.text) {
		failing.times--
		return nil, errInjected
	}
	return &object{ctx: ctx, name: at(name)}, nil
}

// object is a file that exists only after it is closed, as in an object store.
type object struct {
	strings.Builder
	ctx  context.Context
	name string
}

func (o *object) Close() error {
	if err := o.ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(o.name, []byte(o.String()), 0o644)
}
