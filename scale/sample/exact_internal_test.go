package sample

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/visit"
	"github.com/ehgnn/ehgnn/tensor"
)

// Validation and test read the same edges as in ehgnn, and give the same results.
func TestPartsAreScoredAsInTheCore(t *testing.T) {
	everyModel(t, func(t *testing.T, x *example, name string, number bool) {
		m, set, _ := modelFor(t, x, name, number, 0)
		set.ModelName, set.Data.Tables = name, &settings.TableSettings{Encoder: x.enc}
		p, err := visit.Compile(&session.Run{Settings: *set, Model: m})
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"", t.TempDir()} {
			e := exact{store: x.store, config: local.Config{Program: p, Store: x.store, Threads: 2}, out: set.Model.Out, small: dir == "", dir: dir}
			for _, part := range []string{source.PartValid, source.PartTest} {
				in, err := x.set.Input(x.enc, x.split, part, tables.InputOptions{})
				if err != nil {
					t.Fatal(err)
				}
				b, err := graph.Collate([]*graph.Graph{in.Graph})
				if err != nil {
					t.Fatal(err)
				}
				out := m.Forward(&nn.Pass{Tape: tensor.NewArena(1).Tape()}, b).Edge
				k := out.Dim(1)
				var want, got []float32
				for _, i := range in.Scored {
					want = append(want, out.Data()[int(i)*k:][:k]...)
				}
				err = e.Each(context.Background(), part, func(o *model.Output, b *graph.Batch) error {
					got = append(got, o.Edge.Data()...)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if left, err := filepath.Glob(filepath.Join(dir, ".*")); dir != "" && (err != nil || left != nil) {
					t.Errorf("%v is left, error %v", left, err)
				}
				if len(got) != len(want) {
					t.Fatalf("%s: %d predictions, want %d", part, len(got), len(want))
				}
				for i, w := range want {
					if got[i] != w {
						t.Fatalf("%s: prediction %d is %v, want %v", part, i/k, got[i], w)
					}
				}
			}
		}
	})
}
