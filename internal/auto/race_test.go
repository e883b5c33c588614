package auto

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/model"
)

func TestLosses(t *testing.T) {
	l := losses{1, 2, 3, 6}
	if mean, err := l.mean(); mean != 3 || math.Abs(err-math.Sqrt(14.0/3/4)) > 1e-12 {
		t.Errorf("mean %v ± %v, expected 3 ± %v", mean, err, math.Sqrt(14.0/3/4))
	}
	if gain, err := l.ahead(losses{2, 3, 4, 7}); gain != 1 || err != 0 {
		t.Errorf("ahead by %v ± %v, expected 1 ± 0", gain, err)
	}
	p := &problem{Request: Request{Out: 2}, valid: table{y: []float32{0, 1}}}
	if got := p.lossesOf([]float32{0.5, 0.5, 1, 0}); math.Abs(got[0]-math.Log(2)) > 1e-6 || got[1] != -math.Log(leastProbability) {
		t.Errorf("log losses %v", got)
	}
	for loss, want := range map[string]losses{LossAbsolute: {2, 1}, LossSquared: {4, 1}} {
		p := &problem{Request: Request{Out: 1, Number: true, Loss: loss}, valid: table{y: []float32{1, 2}}}
		if got := p.lossesOf([]float32{3, 1}); !slices.Equal(got, want) {
			t.Errorf("%s losses %v, expected %v", loss, got, want)
		}
	}
}

// A kind of learner that is worse by two standard errors is left out of the mean. A kind that is worse by less stays.
func TestMembers(t *testing.T) {
	noise := func(mean, size float64) losses {
		out := make(losses, 100)
		for i := range out {
			out[i] = mean + size*math.Sin(float64(i))
		}
		return out
	}
	for _, c := range []struct {
		name string
		of   []losses
		want []int
	}{
		{"none", nil, nil},
		{"one", []losses{noise(1, 1)}, []int{0}},
		{"alike", []losses{noise(1, 1), noise(1.01, 0.5)}, []int{0, 1}},
		{"one is worse", []losses{noise(1.5, 0.9), noise(1, 1)}, []int{1}},
	} {
		if got := members(c.of); !slices.Equal(got, c.want) {
			t.Errorf("%s: members %v, expected %v", c.name, got, c.want)
		}
	}
}

// For each kind, all learners within a standard error of the best are averaged, at most three. All kinds have the same weight.
func TestResult(t *testing.T) {
	p := &problem{Request: Request{Out: 1, Number: true, Loss: LossAbsolute}, valid: table{y: make([]float32, 60)}}
	r := &race{problem: p}
	add := func(kind, name string, error float64) {
		prediction := make([]float32, 60)
		for i := range prediction {
			prediction[i] = float32(error) * (1 + 0.5*float32(math.Sin(float64(i)*1.7)))
			if i%2 == 1 {
				prediction[i] = -prediction[i]
			}
		}
		r.add(kind, columnSet{name: name}, Trained{Prediction: prediction, Learner: model.Learner{Kind: kind}}, 1)
	}
	add("constant", "nothing", 3)
	add(model.LearnerLinear, "all", 2)
	add(model.LearnerTrees, "a", 1)
	add(model.LearnerTrees, "b", 1)
	add(model.LearnerTrees, "c", 1)
	add(model.LearnerTrees, "d", 1)
	add(model.LearnerTrees, "e", 1.9)
	add(model.LearnerNetwork, "a", 1.0001)
	got, err := r.result()
	if err != nil {
		t.Fatal(err)
	}
	weight := map[string]float64{}
	for _, l := range got.Learners {
		weight[l.Kind] += l.Weight
	}
	trees := 0
	for _, e := range got.Leaderboard {
		if e.Learner == model.LearnerTrees && e.Kept {
			trees++
		}
	}
	if math.Abs(weight[model.LearnerTrees]-1) > 1e-9 && math.Abs(weight[model.LearnerTrees]-0.5) > 1e-9 || trees != mostAveraged {
		t.Errorf("weights %v, %d sets of trees", weight, trees)
	}
	sum := 0.0
	for _, w := range weight {
		sum += w
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("weights %v do not sum to 1", weight)
	}
	if first := got.Leaderboard[len(got.Leaderboard)-1]; first.Learner != "constant" || first.Kept {
		t.Errorf("the last of the leaderboard is %+v", first)
	}
	// If the linear model is clearly better, it replaces the others.
	r = &race{problem: p}
	add(model.LearnerLinear, "all", 0.1)
	add(model.LearnerTrees, "a", 1)
	if got, err = r.result(); err != nil || len(got.Learners) != 1 || got.Learners[0].Kind != model.LearnerLinear {
		t.Errorf("learners %+v, error %v", got, err)
	}
	// If it is about as good, it joins the mean. Here its errors have the opposite sign.
	r = &race{problem: p}
	add(model.LearnerLinear, "all", -1)
	add(model.LearnerTrees, "a", 1)
	if got, err = r.result(); err != nil || len(got.Learners) != 2 || got.Learners[0].Weight != 0.5 || got.Learners[1].Weight != 0.5 {
		t.Errorf("learners %+v, error %v", got, err)
	}
}

// A kind that is certainly worse joins the mean if the mean is certainly better with it.
func TestWithHelpful(t *testing.T) {
	p := &problem{Request: Request{Out: 1, Number: true, Loss: LossAbsolute}, valid: table{y: make([]float32, 60)}}
	for _, c := range []struct {
		name  string
		error float64 // error of the network; the error of the trees is 1
		want  []int
	}{
		{"errors of the other sign", -1.5, []int{0, 1}},
		{"errors of the same sign", 1.5, []int{0}},
		{"errors of the other sign, far behind", -4, []int{0}},
	} {
		var of [][]float32
		for _, size := range []float64{1, c.error} {
			prediction := make([]float32, 60)
			for i := range prediction {
				prediction[i] = float32(size * (1 + 0.3*math.Sin(float64(i))))
			}
			of = append(of, prediction)
		}
		r := &race{problem: p}
		voting := members([]losses{p.lossesOf(of[0]), p.lossesOf(of[1])})
		if got := r.withHelpful(voting, of); !slices.Equal(voting, []int{0}) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v of %v, expected %v of [0]", c.name, got, voting, c.want)
		}
	}
}

// A dual network joins the mean if the mean is better with it, and is used alone if it is better than that mean. Otherwise it is left out.
func TestWithDual(t *testing.T) {
	for _, c := range []struct {
		name  string
		error float64 // error of the dual network; the error of the trees is 1
		fifth float64 // error of the dual network on every fifth edge, as a multiple of the other errors; 0: the same
		hops  int     // number of hops of each network
		want  float64 // weight of the dual networks
		kept  int     // number of these networks in the mean
	}{
		{"far ahead", 0.2, 0, 1, 1, 1},
		{"two far ahead", 0.2, 0, 2, 1, 2},
		{"two far ahead, and one that does not help them", 0.2, 0, 3, 1, 2},
		{"errors of the other sign", -1, 0, 1, 0.5, 1},
		{"ahead of a mean with it by one standard error", 0.2, -7, 1, 1, 1},
		{"behind", 1.5, 0, 1, 0, 0},
	} {
		p := &problem{Request: Request{Out: 1, Number: true, Loss: LossAbsolute}, valid: table{y: make([]float32, 60)}}
		r := &race{problem: p}
		add := func(kind, name string, error float64) {
			prediction := make([]float32, 60)
			for i := range prediction {
				prediction[i] = float32(error) * (1 + 0.3*float32(math.Sin(float64(i))))
				if kind == model.LearnerDual && c.fifth != 0 && i%5 == 0 {
					prediction[i] *= float32(c.fifth)
				}
			}
			r.add(kind, columnSet{name: name}, Trained{Prediction: prediction, Learner: model.Learner{Kind: kind}}, 1)
		}
		add(model.LearnerTrees, "a", 1)
		for k := range c.hops {
			add(model.LearnerDual, string(rune('a'+k)), c.error*math.Pow(-0.9, float64(k))*max(1, float64(5*(k-1)))) // second: opposite sign, third: large
		}
		got, err := r.result()
		if err != nil {
			t.Fatal(err)
		}
		sum, dual, kept := 0.0, 0.0, 0
		for _, l := range got.Learners {
			if sum += l.Weight; l.Kind == model.LearnerDual {
				dual += l.Weight
				if l.Weight > 0 {
					kept++
				}
			}
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(dual-c.want) > 1e-9 || kept != c.kept {
			t.Errorf("%s: weights sum to %v, those of %d dual networks to %v, expected 1 and %v of %d", c.name, sum, kept, dual, c.want, c.kept)
		}
	}
}
