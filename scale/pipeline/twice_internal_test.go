package pipeline

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// Visits that are made several times at once, as engines do with slow ones, write what one would.
func TestTwiceAtOnce(t *testing.T) {
	g := tiny.Multigraph{Seed: 3, Nodes: 60, Edges: 260, Features: true}
	tables, out, want := t.TempDir(), t.TempDir(), t.TempDir()
	g.Write(t, tables)
	run := tiny.Trained(t, tables, "ehgnn-joint-edge", false, nil)
	in := tiny.Packed(t, tables, run, store.Options{BlockEdges: 37, Parts: 3})
	c := Config{Run: run, Store: in, Out: out, Writes: visit.Predictions, Runner: Prism}
	if err := configure(c.Runner, nil); err != nil {
		t.Fatal(err)
	}
	d, err := open(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for turn := range d.program.Turns() {
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if err := execute(t.Context(), Prism, d.build(d.plan(turn)), d.Log); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if err := d.turn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
	m, err := local.Write(t.Context(), local.Job{Run: run, Store: in, Out: want, Writes: visit.Predictions})
	if err != nil {
		t.Fatal(err)
	}
	for name := range m.Files {
		is, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		should, err := os.ReadFile(filepath.Join(want, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(is) != string(should) {
			t.Errorf("%s differs from what package local wrote", name)
		}
	}
}
