package local

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// small returns a program and a store with many blocks and parts.
func small(t *testing.T, model string) Config {
	t.Helper()
	dir := t.TempDir()
	tiny.Multigraph{Seed: 3, Nodes: 300, Edges: 900, Directed: true, Features: true}.Write(t, dir)
	run := tiny.Trained(t, dir, model, true, settings.Values{"epochs": 1})
	r, err := session.LoadRun(run)
	if err != nil {
		t.Fatal(err)
	}
	p, err := visit.Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(tiny.Packed(t, dir, run, store.Options{BlockEdges: 50, Parts: 7}))
	if err != nil {
		t.Fatal(err)
	}
	return Config{Program: p, Store: s}
}

// results returns the results of a runner for all edges.
func results(t *testing.T, r *runner) []float32 {
	t.Helper()
	order := newQueue()
	var out []float32
	if err := r.run(t.Context(), 0, 0, func(_ context.Context, b *store.Block, res *visit.Result) error {
		return order.pass(t.Context(), b.Index, func() error {
			out = append(append(out, res.Output...), res.Vector...)
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// With little memory, sums are made in several passes and rows of nodes are read from files; the
// results are the same. With too little memory, the error says how much is needed.
func TestShortOfMemory(t *testing.T) {
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
		t.Run(model, func(t *testing.T) {
			c := small(t, model)
			c.Threads = 2
			want := results(t, c.runner())
			for _, dir := range []string{"", t.TempDir()} {
				sums := 0
				c.Dir = dir
				c.Progress = func(step string, _, _ int) {
					if strings.HasSuffix(step, "sums") {
						sums++
					}
				}
				r := c.runner()
				p := r.plan
				p.budget = 0
				for p.fits(c.Program) != nil {
					p.budget += 1 << 10
				}
				if got := results(t, r); !slices.Equal(got, want) {
					t.Errorf("in %q: results differ from those with more memory", dir)
				}
				if once := (c.Program.Turns() - 1) * c.Store.Manifest.Blocks; sums <= once {
					t.Errorf("blocks were read %d times for their sums, want more than %d", sums, once)
				}
				p.budget /= 2
				if err := r.run(t.Context(), 0, 0, nil); err == nil || !strings.Contains(err.Error(), "is needed at least") {
					t.Errorf("half of the memory: error %v", err)
				}
			}
		})
	}
}

// Reading a range of ranks gives the same rows as reading them one by one.
func TestRuns(t *testing.T) {
	for _, d := range []int{1, 33, 3000} {
		arrays := fileStore{t.TempDir()}
		x := make([]float32, 4000*d)
		for i := range x {
			x[i] = float32(i)
		}
		k := key{rows, 1, 2}
		if err := arrays.put(k, array{width: d, data: x}); err != nil {
			t.Fatal(err)
		}
		s, err := arrays.open(k, false)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		rank := []int32{0, 1, 2, 40, 41, 900, 901, 1500, 3998, 3999}
		to := make([]float32, len(rank)*d)
		if _, err := runs(s, rank, d, to, nil); err != nil {
			t.Fatal(err)
		}
		for i, r := range rank {
			if !slices.Equal(to[i*d:(i+1)*d], x[int(r)*d:(int(r)+1)*d]) {
				t.Errorf("width %d: row %d is wrong", d, r)
			}
		}
		if _, err := runs(s, []int32{4000}, d, to, nil); err == nil {
			t.Errorf("width %d: a row beyond the file is read", d)
		}
	}
}

// An array store returns each array, and a file that was changed or truncated anywhere is an error.
func TestArrayStore(t *testing.T) {
	a := array{width: 3, greatest: 2.5, data: []float32{1, 2, 3, 4, 5, 6}}
	for _, arrays := range []arrayStore{newMemoryStore(), fileStore{t.TempDir()}} {
		k := key{states, 3, 12}
		if _, ok := arrays.has(k); ok {
			t.Errorf("%T has what was not put", arrays)
		}
		if err := arrays.put(k, a); err != nil {
			t.Fatal(err)
		}
		got, err := arrays.get(k, make([]float32, 2))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(a) {
			t.Errorf("%T: %v, %v", arrays, got, err)
		}
		if have, ok := arrays.has(k); !ok || have.greatest != a.greatest {
			t.Errorf("%T: has %v, %v", arrays, have, ok)
		}
		if err := arrays.drop(3, ""); err != nil {
			t.Fatal(err)
		}
		if _, ok := arrays.has(k); ok {
			t.Errorf("%T has what was dropped", arrays)
		}
	}
	arrays := fileStore{t.TempDir()}
	k := key{states, 0, 1}
	if err := arrays.put(k, a); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(arrays.path(k))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		changed := slices.Clone(whole)
		changed[i] ^= 4
		for _, b := range [][]byte{whole[:i], changed} {
			if err := os.WriteFile(arrays.path(k), b, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := arrays.get(k, nil); err == nil || !strings.Contains(err.Error(), arrays.path(k)) {
				t.Fatalf("byte %d: error %v, want one that names the file", i, err)
			}
			if _, ok := arrays.has(k); ok {
				t.Fatalf("byte %d: taken for whole", i)
			}
		}
	}
}
