package tables_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

// Over all folds each edge is tested once and validates in the next fold. Edges that a split keeps
// together are in one fold.
func TestFolds(t *testing.T) {
	for seed := range uint64(10) {
		rows := randomRows(rand.New(rand.NewPCG(seed, 3)), 300)
		s := read(t, tables.Options{}, "edges.csv", text(rows))
		for _, o := range []tables.SplitOptions{{}, {Pairs: true}, {By: tables.ByGroup}} {
			o.Seed, o.Folds = seed, 4
			const times = 10 // an edge that is tested once, in fold f, has the value f; an edge that is tested twice has 10 or more
			tested, valid := make([]int, len(rows)), make([]int, len(rows))
			for o.Fold = 1; o.Fold <= o.Folds; o.Fold++ {
				split, err := s.Split(o)
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				for e, p := range partsOf(t, split, len(rows)) {
					switch p {
					case 2:
						valid[e] = times*valid[e] + o.Fold
					case 3:
						tested[e] = times*tested[e] + o.Fold
					}
				}
				if n := len(split.Test); o.By == "" && !o.Pairs && (n < len(rows)/4-6 || n > len(rows)/4+6) {
					t.Errorf("%+v: %d of %d edges are tested", o, n, len(rows))
				}
			}
			for e, fold := range tested {
				if fold < 1 || fold > o.Folds || valid[e] != fold%o.Folds+1 {
					t.Fatalf("%+v: edge %d is tested in fold %d and validates in fold %d", o, e, fold, valid[e])
				}
			}
			for i, x := range rows {
				for k, y := range rows[:i] {
					pair := x.u == y.u && x.v == y.v || x.u == y.v && x.v == y.u
					together := pair && (o.Pairs || x.w == y.w && x.kind == y.kind && x.time == y.time) || o.By == tables.ByGroup && x.group == y.group
					if together && tested[i] != tested[k] {
						t.Fatalf("%+v: edges %+v and %+v are in folds %d and %d", o, y, x, tested[k], tested[i])
					}
				}
			}
		}
	}
}
