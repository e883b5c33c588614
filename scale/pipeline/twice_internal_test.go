package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// batches has the elements of a job by key.
type batches map[int64][][]byte

func (b batches) add(key int64, value []byte) { b[key] = append(b[key], value) }

// each calls f for each key with its elements.
func (b batches) each(f func(key int64, next func(*[]byte) bool) error) error {
	for key, values := range b {
		if err := f(key, func(to *[]byte) bool {
			if len(values) == 0 {
				return false
			}
			*to, values = values[0], values[1:]
			return true
		}); err != nil {
			return err
		}
	}
	return nil
}

// visits makes all visits of a turn, one after the other, without Beam. The turn must have visits
// of parts.
func (d *driver) visits(ctx context.Context, t Turn) error {
	scatter, reduce, apply := &Scatter{Turn: t}, &Reduce{Turn: t}, &Apply{Turn: t}
	said, answers, notes := batches{}, batches{}, batches{}
	for _, f := range []interface{ Setup(context.Context) error }{scatter, reduce, apply} {
		if err := f.Setup(ctx); err != nil {
			return err
		}
	}
	for block := range d.store.Manifest.Blocks {
		if err := scatter.ProcessElement(ctx, int64(block), said.add); err != nil {
			return err
		}
	}
	if err := said.each(func(part int64, next func(*[]byte) bool) error {
		return reduce.ProcessElement(ctx, part, next, answers.add, notes.add)
	}); err != nil {
		return err
	}
	return answers.each(func(block int64, next func(*[]byte) bool) error {
		return apply.ProcessElement(ctx, block, next, notes.add)
	})
}

// Engines may run a slow visit several times at once. The files are then the same as from one
// visit.
func TestTwiceAtOnce(t *testing.T) {
	g := tiny.Multigraph{Seed: 3, Nodes: 60, Edges: 260, Features: true}
	tables, out, want := t.TempDir(), t.TempDir(), t.TempDir()
	g.Write(t, tables)
	run := tiny.Trained(t, tables, "ehgnn-joint-edge", false, nil)
	in := tiny.Packed(t, tables, run, store.Options{BlockEdges: 37, Parts: 3})
	t.Setenv("TMPDIR", t.TempDir()) // Beam leaves files in it
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
				if err := d.visits(t.Context(), d.plan(turn)); err != nil {
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
