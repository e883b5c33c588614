package explain

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// linear is a model whose logits are sums over the edges of a graph: features times weights. So the
// effect of each edge is known.
type linear struct{ weight *tensor.Param }

func (l linear) Params() []*tensor.Param { return []*tensor.Param{l.weight} }

func (l linear) Forward(p *nn.Pass, b *graph.Batch) *model.Output {
	return &model.Output{Graph: tensor.SegmentSum(p.Tape.Bind(b.E).MatMul(p.Var(l.weight)), b.EdgeOf)}
}

// In a model that is linear in the edge features, both methods give what each edge adds, and the
// edges with the highest scores change the prediction most.
func TestExplainLinear(t *testing.T) {
	path := testsets.WriteSet(t, t.TempDir(), "T", testsets.TUFiles(testsets.EdgeClass(t, 20)))
	s := mustOpen(t, session.Request{Path: path, Model: "hyperdrop", Given: quick()})
	width := s.Settings.Model.Edge
	weight := tensor.New(width, 2)
	for i := range weight.Data() {
		weight.Data()[i] = float32(math.Sin(float64(3*i + 1)))
	}
	s.Model = linear{&tensor.Param{Value: weight}}
	whole, err := s.Part(source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{Occlusion, Gradient} {
		for _, target := range []string{"", "0", "1"} {
			records, err := Graphs(s, t.Context(), source.PartAll, method, target, "4", "9")
			if err != nil {
				t.Fatal(err)
			}
			for k, r := range records {
				g := whole.Graphs[[]int{4, 9}[k]]
				x := r.Explanation
				class := int(x.Target[0] - '0')
				sum := 0.0
				row := make([]float32, width)
				for e, score := range x.Scores {
					g.Edge.Row(e, row)
					want := 0.0
					for j, v := range row {
						want += float64(v) * float64(weight.Data()[2*j+class]-weight.Data()[2*j+1-class])
					}
					sum += want
					if math.Abs(float64(score)-want) > 1e-5 {
						t.Errorf("%s of class %s, edge %d: %v, expected %v", method, x.Target, e, score, want)
					}
				}
				if math.Abs(sum-x.Value) > 1e-4 || target == "" && x.Value < 0 || target != "" && x.Target != target {
					t.Errorf("%s of class %s has the value %v, its edges add up to %v", method, x.Target, x.Value, sum)
				}
				for _, f := range x.Fidelity {
					if f.Edges < 1 || f.Without.Fall < f.RandomWithout.Fall-1e-6 || f.Alone.Fall > f.RandomAlone.Fall+1e-6 {
						t.Errorf("%s of class %s: %+v, expected the chosen edges to matter most", method, x.Target, f)
					}
				}
			}
		}
	}
}

// Fidelity is defined as in PyTorch Geometric: the share of graphs whose class changes without the
// edges with the highest scores, or with only these edges. For probabilities it is the decrease. In
// a linear model both follow from what each edge adds.
func TestFidelity(t *testing.T) {
	s := mustOpen(t, session.Request{Path: testsets.WriteSet(t, t.TempDir(), "T", testsets.TUFiles(testsets.EdgeClass(t, 20))), Model: "hyperdrop", Given: quick()})
	s.Model = linear{&tensor.Param{Value: tensor.FromSlice([]float32{0.9, 0, -0.83, 0, 0.051, 0}, 3, 2)}} // weights of the three types of edges
	whole, err := s.Part(source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	probability := func(margin float64) float64 { return 1 / (1 + math.Exp(-margin)) }
	changed := map[string]float64{}
	for _, g := range whole.Graphs {
		x := &explained{session: s, graph: g, method: Occlusion}
		e, err := x.explain(t.Context(), "0")
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for _, v := range e.Scores {
			total += float64(v)
		}
		order := byScore(e.Scores)
		for k, f := range e.Fidelity {
			if want := []int{1, 2, 4, 10}[k]; f.Edges < want || f.Edges > want+4 {
				t.Fatalf("%v of %d edges are %d", f.Share, g.NumEdges(), f.Edges)
			}
			top := 0.0
			for _, edge := range order[:f.Edges] {
				top += float64(e.Scores[edge])
			}
			for name, c := range map[string]struct {
				Change
				margin float64
			}{"without": {f.Without, total - top}, "alone": {f.Alone, top}} {
				other := 0.0
				if (c.margin >= 0) != (total >= 0) {
					other = 1
				}
				if math.Abs(c.Fall-(probability(total)-probability(c.margin))) > 1e-5 || c.Changed != other {
					t.Errorf("%s %d edges: %+v, expected a fall from %v to %v and %v changed", name, f.Edges, c.Change, probability(total), probability(c.margin), other)
				}
				changed[name] += c.Changed
			}
		}
	}
	if changed["without"] == 0 || changed["alone"] == 0 {
		t.Errorf("%v predictions changed: the test cannot tell", changed)
	}
}

// Every method explains the predictions of models in the registry and repeats with the same result.
// Requests that cannot be explained are usage errors.
func TestExplainModels(t *testing.T) {
	path := testsets.WriteSet(t, t.TempDir(), "T", testsets.TUFiles(testsets.EdgeClass(t, 20)))
	models := []string{"hyperdrop", "ehgnn-joint", "gcn-summed", "gmt"}
	if testing.Short() {
		models = models[:2]
	}
	for _, name := range models {
		s := mustOpen(t, session.Request{Path: path, Model: name, Given: quick()})
		methods := []string{Occlusion, Gradient, Chance}
		if name == "ehgnn-joint" {
			_, err := Graphs(s, t.Context(), source.PartAll, Mask, "", "3")
			testsets.Fails(t, err, "does not read weights of edges")
		} else {
			methods = append(methods, Mask)
		}
		for _, method := range methods {
			first, err := Graphs(s, t.Context(), source.PartAll, method, "", "3")
			if err != nil {
				t.Fatalf("%s, %s: %v", name, method, err)
			}
			again, _ := Graphs(s, t.Context(), source.PartAll, method, "", "3")
			x := first[0].Explanation
			if len(x.Scores) != len(first[0].Edges) || len(x.Fidelity) != len(fidelityShares) || x.Value < 0 {
				t.Errorf("%s, %s: %+v", name, method, x)
			}
			for e, v := range x.Scores {
				if v != again[0].Explanation.Scores[e] || v != v {
					t.Errorf("%s, %s, edge %d: %v, then %v", name, method, e, v, again[0].Explanation.Scores[e])
				}
			}
		}
		_, err := Graphs(s, t.Context(), source.PartAll, Occlusion, "red", "3")
		testsets.Fails(t, err, `no target "red", expected one of ["0" "1"]`)
		_, err = Graphs(s, t.Context(), source.PartAll, "guess", "", "3")
		testsets.Fails(t, err, `method "guess"`)
		_, err = Graphs(s, t.Context(), source.PartAll, Occlusion, "", "20")
		testsets.Fails(t, err, `no graph "20"`)
	}
	s := mustOpen(t, session.Request{Path: path, Model: "hypercluster", Given: settings.Values{"epochs": 1, "hidden": 8}})
	_, err := Graphs(s, t.Context(), source.PartAll, Occlusion, "", "3")
	testsets.Fails(t, err, "explains predictions for graphs")
}
