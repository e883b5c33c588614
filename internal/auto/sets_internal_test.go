package auto

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
)

// The linear model is fitted without structure, too, which tells nodes apart and so lets it learn from which labels are hidden; of a
// large table, or where its classes share weights, it is not.
func TestLinearSets(t *testing.T) {
	const rows = 20
	for _, c := range []struct {
		name       string
		large, out int
		moments    bool
		want       []string
	}{
		{"by time", 100, 2, true, []string{"all", "no structure", "all, snapshots"}},
		{"at random", 100, 2, false, []string{"all", "no structure"}},
		{"large", 10, 2, true, []string{"all", "all, snapshots"}},
		{"many classes", 100, 2000, true, []string{"all", "all, snapshots"}},
	} {
		families := []string{model.FamilyOwn, model.FamilyStructure, model.FamilyLabels}
		block := func(width int) model.Block {
			return model.Block{Rows: rows, Width: width, Data: make([]float32, rows*width)}
		}
		p := &problem{Request: Request{Out: c.out, large: c.large}, families: families, valid: table{x: block(3)}}
		p.hiding = &trainingSet{static: block(2), draws: []model.Block{block(1)}}
		if c.moments {
			p.moments = &trainingSet{static: block(3)}
		}
		got := lists.Map(p.sets(model.LearnerLinear), func(s columnSet) string { return s.name })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
