package local_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// The results for the edges of a part, with the edges that the part may see, equal the predictions
// of ehgnn for the part. Edges that are not seen have zeros. The bits are equal, because no number
// of these graphs is so small that the scale rounds it (package visit).
func TestEach(t *testing.T) {
	kinds(func(name, model string, g tiny.Multigraph, more settings.Values) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			g.Write(t, dir)
			run := tiny.Trained(t, dir, model, g.Directed, more)
			s, err := session.Load(t.Context(), run, source.LoadOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			split := &data.Split{Name: "random"}
			lists := map[string]*[]int{source.PartTrain: &split.Train, source.PartValid: &split.Valid, source.PartTest: &split.Test}
			for part, list := range lists {
				whole, err := s.Predict(t.Context(), part)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range core(t, whole).column("edge") {
					*list = append(*list, int(number(t, e)))
				}
			}
			r, in := opened(t, dir, run, split)
			p, err := visit.Compile(r)
			if err != nil {
				t.Fatal(err)
			}
			seen := visit.Seen(0)
			for i, part := range []string{source.PartTrain, source.PartValid, source.PartTest} {
				seen |= 1 << i
				// Vectors are compared because they are the outputs of the layers.
				whole, err := s.Embed(t.Context(), part, settings.Edges)
				if err != nil {
					t.Fatal(err)
				}
				want := core(t, whole)
				at := map[string]int{}
				for k, e := range want.column("edge") {
					at[e] = k
				}
				next, found := int64(0), 0
				err = local.Each(t.Context(), local.Config{Program: p, Store: in, Seen: seen, Threads: 3}, func(b *store.Block, res *visit.Result) error {
					if b.First != next {
						return fmt.Errorf("block from edge %d on, want %d", b.First, next)
					}
					next += int64(b.NumEdges())
					for e := range b.NumEdges() {
						row := res.Vector[e*p.VectorWidth():][:p.VectorWidth()]
						if !seen.Has(b, e) {
							if strings.Trim(fmt.Sprint(row), "[0 ]") != "" {
								return fmt.Errorf("edge %d is not seen and has vector %v", b.First+int64(e), row)
							}
							continue
						}
						k, scored := at[fmt.Sprint(b.First+int64(e))]
						if !scored {
							continue
						}
						found++
						for j, v := range row {
							if x := number(t, want.column(fmt.Sprintf("vector_%d", j))[k]); float32(x) != v {
								return fmt.Errorf("part %s, edge %d, number %d: %v, want %v", part, b.First+int64(e), j, v, x)
							}
						}
					}
					return nil
				})
				if err != nil || found != len(want.rows) {
					t.Fatalf("part %s: %d of %d edges, error %v", part, found, len(want.rows), err)
				}
			}
		})
	})
}

// opened returns a run and a store of its tables with a split.
func opened(t *testing.T, path, run string, split *data.Split) (*session.Run, *store.Store) {
	t.Helper()
	r, err := session.LoadRun(run)
	if err != nil {
		t.Fatal(err)
	}
	e := r.Settings.Data.Tables.Encoder
	set, err := e.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/store"
	if err := store.Cut(dir, set, e, split, store.Options{BlockEdges: 64, Parts: 3}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

// An error of the callback ends the run, which leaves nothing behind.
func TestEachEnds(t *testing.T) {
	dir := t.TempDir()
	tiny.Multigraph{Seed: 1, Nodes: 30, Edges: 300, Directed: true}.Write(t, dir)
	run := tiny.Trained(t, dir, "ehgnn-joint-edge", true, settings.Values{"epochs": 1})
	r, in := opened(t, dir, run, nil)
	p, err := visit.Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	own, states := errors.New("enough"), t.TempDir()
	if err := local.Each(t.Context(), local.Config{Program: p, Store: in, Threads: 4, Dir: states}, func(b *store.Block, _ *visit.Result) error {
		if b.Index == 2 {
			return own
		}
		return nil
	}); !errors.Is(err, own) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(states); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
