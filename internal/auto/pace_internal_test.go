package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/model"
)

// Trees on columns that are worse than all columns are stopped early. Trees on better columns are the same as without the
// comparison.
func TestPace(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rand.New(rand.NewPCG(1, 2))
	rows := func(n int) (x model.Block, y []float32) {
		x = model.Block{Rows: n, Width: 8}
		for range n {
			sum := 0.1 * r.NormFloat64()
			for range 4 {
				v := 3 * r.NormFloat64()
				x.Data = append(x.Data, float32(v+0.3*r.NormFloat64()), float32(v))
				sum += math.Sin(3 * v)
			}
			y = append(y, float32(sum))
		}
		return x, y
	}
	p := &problem{Request: Request{Out: 1, Number: true, Scale: 1, Loss: LossSquared, Quality: model.QualityGood, Threads: 2, large: 100_000,
		Layout: model.EdgeLayout{Spans: []model.FamilySpan{{Family: model.FamilyOwn, Width: 8}}}}}
	for range 4 {
		p.families = append(p.families, model.FamilyEnds, model.FamilyOwn)
	}
	x, y := rows(longRows)
	p.hiding = &trainingSet{static: x, y: y, epoch: x.Rows}
	p.valid.x, p.valid.y = rows(2000)
	sets := []columnSet{{name: "all", families: p.families}, {name: "better", families: p.families[1:2]}, {name: "worse", families: p.families[:1]}}
	trees := trainer{model.LearnerTrees, trainTrees}
	paced := &race{problem: p}
	if err := paced.runPaced(t.Context(), trees, sets); err != nil {
		t.Fatal(err)
	}
	alone, err := trainTrees(t.Context(), p, sets[1], p.hiding, []int32{1, 3, 5, 7})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range paced.entries {
		names = append(names, e.Columns)
	}
	if want := []string{"all", "better", "worse, stopped"}; !slices.Equal(names, want) {
		t.Errorf("trees on %q, want %q", names, want)
	}
	if got := paced.entries[1].trained; !slices.Equal(got.Prediction, alone.Prediction) {
		t.Error("trees that are not stopped are others than without the comparison")
	}
	if steps := paced.entries[2].Steps; steps > paceFirst {
		t.Errorf("trees on the worse columns have %d rounds, want at most %d", steps, paceFirst)
	}
}
