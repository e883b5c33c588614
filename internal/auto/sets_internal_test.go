package auto

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
)

// The linear model is also fitted without structure columns and on the features alone. Structure columns identify
// nodes, and so the model could learn which labels are hidden. On a large table, or if its classes share weights, it is
// fitted on fewer sets.
func TestLinearSets(t *testing.T) {
	const rows = 20
	for _, c := range []struct {
		name       string
		large, out int
		moments    bool
		want       []string
	}{
		{"by time", 100, 2, true, []string{"all", "no structure", "own", "all, snapshots"}},
		{"at random", 100, 2, false, []string{"all", "no structure", "own"}},
		{"large", 10, 2, true, []string{"all", "own", "all, snapshots"}},
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

// With many classes, fast learners are trained on all columns alone.
func TestFastSets(t *testing.T) {
	for _, c := range []struct {
		quality string
		out     int
		want    []string
	}{
		{model.QualityFast, treeClasses, []string{"all", "no structure"}},
		{model.QualityFast, treeClasses + 1, []string{"all"}},
		{model.QualityGood, treeClasses + 1, []string{"all", "no structure"}},
	} {
		p := &problem{Request: Request{Out: c.out, Quality: c.quality}, families: []string{model.FamilyOwn, model.FamilyStructure}}
		x := model.Block{Rows: 2, Width: 2, Data: []float32{1, 2, 3, 4}}
		p.valid.x, p.hiding = x, &trainingSet{static: x}
		if got := lists.Map(p.sets(model.LearnerTrees), func(s columnSet) string { return s.name }); !slices.Equal(got, c.want) {
			t.Errorf("%s, %d classes: %q, want %q", c.quality, c.out, got, c.want)
		}
	}
}

// The network is trained without structure columns if trees are as good without them. It is also trained without them
// if trees are worse, unless the linear model is worse, too.
func TestNetworkSets(t *testing.T) {
	const rows = 20
	families := []string{model.FamilyOwn, model.FamilyStructure, model.FamilyLabels}
	block := func(width int) model.Block {
		return model.Block{Rows: rows, Width: width, Data: make([]float32, rows*width)}
	}
	same := func(loss float64) losses { return slices.Repeat(losses{loss}, rows) }
	for _, c := range []struct {
		name                             string
		linear, linearWithout, trees     float64
		treesWithout, treesWithoutLabels float64
		want                             []string
	}{
		{"all are level", 2, 2, 2, 2, 2, []string{"all", "no structure", "no labels"}},
		{"structure helps trees", 2, 2, 2, 3, 3, []string{"all", "no structure"}},
		{"structure helps the linear model", 2, 3, 2, 2, 3, []string{"all", "no structure"}},
		{"structure helps both", 2, 3, 2, 3, 3, []string{"all"}},
		{"there is no linear model", 0, 0, 2, 3, 3, []string{"all", "no structure"}},
	} {
		r := &race{problem: &problem{Request: Request{Out: 2, large: 100, Quality: model.QualityGood}, families: families, valid: table{x: block(3)}}}
		r.hiding = &trainingSet{static: block(2), draws: []model.Block{block(1)}}
		for _, e := range []struct {
			learner, columns string
			loss             float64
		}{{model.LearnerLinear, "all", c.linear}, {model.LearnerLinear, "no structure", c.linearWithout}, {model.LearnerTrees, "all", c.trees},
			{model.LearnerTrees, "no structure", c.treesWithout}, {model.LearnerTrees, "no labels", c.treesWithoutLabels}, {model.LearnerTrees, "own", 9}} {
			if e.loss > 0 {
				r.entries = append(r.entries, entry{Entry: Entry{Learner: e.learner, Columns: e.columns, Loss: e.loss}, set: columnSet{name: e.columns}, loss: same(e.loss)})
			}
		}
		got := lists.Map(r.setsOf(model.LearnerNetwork), func(s columnSet) string { return s.name })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// On a large table the network is trained on the set that trees on a sample prefer, even if trees on all rows are worse with it.
func TestNetworkSetOfLarge(t *testing.T) {
	const rows = 20
	families := []string{model.FamilyOwn, model.FamilyStructure, model.FamilyLabels}
	block := func(width int) model.Block {
		return model.Block{Rows: rows, Width: width, Data: make([]float32, rows*width)}
	}
	for _, full := range []float64{1, 3} {
		r := &race{problem: &problem{Request: Request{Out: 2, large: 10, Quality: model.QualityGood}, families: families, valid: table{x: block(3)}}}
		r.hiding = &trainingSet{static: block(2), draws: []model.Block{block(1)}}
		for set, loss := range map[*columnSet]float64{{name: "all", sample: true}: 2.5, {name: "no labels", sample: true}: 2, {name: "no labels"}: full} {
			r.entries = append(r.entries, entry{Entry: Entry{Learner: model.LearnerTrees, Columns: set.title(), Loss: loss}, set: *set, loss: slices.Repeat(losses{loss}, rows)})
		}
		if got := r.setsOf(model.LearnerNetwork); len(got) != 1 || got[0].name != "no labels" {
			t.Errorf("with a loss of %v of all rows: %+v, want no labels", full, got)
		}
	}
}
