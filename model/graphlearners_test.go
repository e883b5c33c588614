package model_test

import (
	"math"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/substructure"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// The predictions are the weighted mean of those of the network and of the learners: of probabilities, or of numbers.
func TestGraphLearnersMean(t *testing.T) {
	graphs, err := synth.EdgeClass(12, 3)
	if err != nil {
		t.Fatal(err)
	}
	b, err := graph.Collate(graphs)
	if err != nil {
		t.Fatal(err)
	}
	counter := substructure.Counter{Radius: 1}
	ids := substructure.Frequent(counter.Counts(b.View, b.N), 4)
	columns := model.GraphColumns{Counter: counter, IDs: ids}
	for _, test := range []struct {
		outputs      string
		out, learner int // outputs of the network and of a learner
		share        func(logits []float64) []float64
		whole        float64 // what the probabilities of a row sum to; 0 where they need not
	}{
		{model.OutputClasses, 3, 3, softmaxOf, 1},
		{model.OutputLabels, 2, 2, func(z []float64) []float64 { return []float64{sigmoid(z[0]), sigmoid(z[1])} }, 0},
		{model.OutputNumbers, 2, 1, func(z []float64) []float64 { return z }, 0},
	} {
		t.Run(test.outputs, func(t *testing.T) {
			spec, err := model.Find("hyperdrop")
			if err != nil {
				t.Fatal(err)
			}
			c := spec.Config()
			c.Dims, c.Seed = model.Dims{Node: b.X.Dim(1), Edge: b.E.Dim(1), Out: test.out}, 3
			c.Default("hidden", 8)
			c.Default("layers", 2)
			c.Default("ratio", 0.8)
			network, err := spec.New(c)
			if err != nil {
				t.Fatal(err)
			}
			width := columns.Described(c.Node, c.Edge) + len(ids)
			linear := &model.Linear{Classes: test.outputs != model.OutputNumbers, Bias: make([]float32, test.learner)}
			var all []int32
			for k := range width {
				all = append(all, int32(k))
				linear.Mean, linear.Scale = append(linear.Mean, 0), append(linear.Scale, 1)
				for o := range test.learner {
					linear.Weight = append(linear.Weight, 0.01*float32(k%5-o))
				}
			}
			learner, arrays := linear.Learner(all)
			learner.Weight = 0.25
			of := model.GraphLearnersConfig{Outputs: test.outputs, Counter: counter, Substructures: len(ids), Network: []float64{0.75}, Learners: []model.TargetLearner{{Learner: learner}}}
			if test.outputs != model.OutputClasses {
				of.Network = []float64{0.75, 1} // the second target has no learner
			}
			m, err := model.WithGraphLearners(network, c.Dims, of, ids, []map[string][]float32{arrays})
			if err != nil {
				t.Fatal(err)
			}
			forward := func(m model.Model) []float32 {
				return m.Forward(&nn.Pass{Tape: tensor.NewArena(1).Tape()}, b).Graph.Data()
			}
			got, alone := forward(m), forward(network)
			y, err := linear.Predict(columns.Block(b), 1)
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				logits := func(x []float32) (z []float64) {
					for _, v := range x[i*test.out:][:test.out] {
						z = append(z, float64(v))
					}
					return z
				}
				want, mixed, sum := test.share(logits(alone)), test.share(logits(got)), 0.0
				for o := range want {
					row := y[i*test.learner:][:test.learner]
					switch {
					case test.outputs == model.OutputClasses:
						want[o] = 0.75*want[o] + 0.25*float64(row[o])
					case o == 0:
						want[o] = 0.75*want[o] + 0.25*float64(row[test.learner-1])
					}
					if math.Abs(mixed[o]-want[o]) > 1e-5 {
						t.Fatalf("graph %d, output %d: %v, expected %v", i, o, mixed[o], want[o])
					}
					sum += mixed[o]
				}
				if test.whole > 0 && math.Abs(sum-test.whole) > 1e-5 {
					t.Fatalf("graph %d: probabilities sum to %v", i, sum)
				}
			}

			c.Graphs = &of
			again, err := spec.New(c)
			if err != nil {
				t.Fatal(err)
			}
			for k, p := range m.Params() {
				q := again.Params()[k]
				if p.Name != q.Name {
					t.Fatalf("parameter %d is %s, expected %s", k, q.Name, p.Name)
				}
				copy(q.Value.Data(), p.Value.Data())
			}
			if err := again.(*model.GraphLearners).Ready(); err != nil {
				t.Fatal(err)
			}
			for i, v := range forward(again) {
				if v != got[i] {
					t.Fatalf("a model that was stored and read gives %v, expected %v", v, got[i])
				}
			}
		})
	}
}

func softmaxOf(z []float64) []float64 {
	sum, out := 0.0, make([]float64, len(z))
	for _, v := range z {
		sum += math.Exp(v)
	}
	for k, v := range z {
		out[k] = math.Exp(v) / sum
	}
	return out
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// Configs and weights of a stranger are checked.
func TestGraphLearnersRefuse(t *testing.T) {
	spec, err := model.Find("hyperdrop")
	if err != nil {
		t.Fatal(err)
	}
	base := spec.Config()
	base.Dims = model.Dims{Node: 2, Edge: 1, Out: 2}
	base.Default("hidden", 4)
	base.Default("layers", 1)
	base.Default("ratio", 0.8)
	linear := func(columns ...int32) []model.TargetLearner {
		l, _ := (&model.Linear{Mean: make([]float32, len(columns)), Scale: make([]float32, len(columns)), Weight: make([]float32, len(columns)), Bias: make([]float32, 1)}).Learner(columns)
		return []model.TargetLearner{{Learner: l}}
	}
	for _, test := range []struct {
		name string
		c    model.GraphLearnersConfig
		want string
	}{
		{"outputs", model.GraphLearnersConfig{Outputs: "words", Network: []float64{1}}, `outputs are "words"`},
		{"weights", model.GraphLearnersConfig{Outputs: model.OutputNumbers, Network: []float64{1}}, "1 weights for 2 targets"},
		{"substructures", model.GraphLearnersConfig{Outputs: model.OutputClasses, Network: []float64{1}, Substructures: 1 << 30}, "substructures is"},
		{"radius", model.GraphLearnersConfig{Outputs: model.OutputClasses, Network: []float64{1}, Counter: substructure.Counter{Radius: 99}}, "radius is 99"},
		{"target", model.GraphLearnersConfig{Outputs: model.OutputNumbers, Network: []float64{1, 1}, Learners: []model.TargetLearner{{Target: 2, Learner: linear(0)[0].Learner}}}, "of target 2"},
		{"columns", model.GraphLearnersConfig{Outputs: model.OutputNumbers, Network: []float64{1, 1}, Learners: linear(0, 9999)}, "reads column 9999"},
		{"identifiers", model.GraphLearnersConfig{Outputs: model.OutputClasses, Network: []float64{1}, Substructures: 2}, "substructure 1 is 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := base
			c.Graphs = &test.c
			m, err := spec.New(c)
			if err == nil {
				err = m.(*model.GraphLearners).Ready()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, expected one with %q", err, test.want)
			}
		})
	}
}

// A linear model with logarithms predicts the same after it was stored, and the logarithm is that of the column.
func TestLinearLogarithms(t *testing.T) {
	m := &model.Linear{Floor: []float32{0, 0.5}, Mean: []float32{1, 2, 3}, Scale: []float32{1, 2, 1}, Weight: []float32{2, 0, 4}, Bias: []float32{0.25}}
	x := model.Block{Rows: 2, Width: 2, Data: []float32{2, 0.1, 3, float32(math.E)}}
	got, err := m.Predict(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.25 + 2 + 4*(math.Log(0.5)-3), 0.25 + 4 + 4*(1-3)} {
		if math.Abs(float64(got[i])-want) > 1e-5 {
			t.Errorf("row %d is %v, want %v", i, got[i], want)
		}
	}
}
