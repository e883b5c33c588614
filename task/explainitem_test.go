package task

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/tensor"
)

// linearAt is a model whose logits of a node are sums over its edges of their features times
// weights; those of an edge are the sums at both of its ends.
type linearAt struct{ weight *tensor.Param }

func (l linearAt) Params() []*tensor.Param { return []*tensor.Param{l.weight} }

func (l linearAt) Forward(p *nn.Pass, b *graph.Batch) *model.Output {
	of := p.Tape.Bind(b.E).MatMul(p.Var(l.weight))
	src, dst, _ := b.H.Pairs()
	at := tensor.SegmentSum(of, src).Add(tensor.SegmentSum(of, dst))
	return &model.Output{Node: at, Edge: tensor.Gather(at, src).Add(tensor.Gather(at, dst))}
}

// Of a model that is linear in the features of the edges at a node, both methods give what each
// edge adds to the prediction for a node, and for an edge what the others do.
func TestExplainItemsLinear(t *testing.T) {
	nodes := mustOpen(t, Request{Path: nodeLinkFile(t, Nodes), Model: "ehgnn-joint-node", Given: Values{"label": "kind", "layers": 2}})
	edges := mustOpen(t, Request{Path: transactions(t, 60, 120, nil), Given: Values{"label-context": contextOff, "layers": 2}})
	for _, s := range []*Session{nodes, edges} {
		width := s.Settings.Model.Edge
		weight := tensor.New(width, s.Settings.Model.Out)
		for i := range weight.Data() {
			weight.Data()[i] = float32(math.Sin(float64(3*i + 1)))
		}
		s.Model = linearAt{&tensor.Param{Value: weight}}
		whole, err := s.part(PartAll)
		if err != nil {
			t.Fatal(err)
		}
		g := whole.Graphs[0]
		names := itemNames(s.task.Items, whole.Name(s.task.Items, []Place{{0, 2}, {0, 7}}))
		for k, item := range []int32{2, 7} {
			for _, method := range []string{Occlusion, Gradient} {
				records, err := s.ExplainItems(t.Context(), PartAll, method, "", "", names[k][0])
				if err != nil {
					t.Fatal(err)
				}
				r := records[0]
				x := r.Explanation
				if x.Item.Name != names[k][0] || len(x.Scores) != len(r.Edges) {
					t.Fatalf("%+v of %d edges", x.Item, len(r.Edges))
				}
				// What each edge between two nodes adds, by their names.
				class := slices.Index(s.targets(), x.Target)
				logits := make([]float32, s.Settings.Model.Out)
				adds := map[[2]string][]float64{}
				row := make([]float32, width)
				of := func(e int) (times float64) {
					for _, v := range []int32{g.Ends[2*e], g.Ends[2*e+1]} {
						switch {
						case s.task.Items == Nodes && v == item, s.task.Items == Edges && (v == g.Ends[2*item] || v == g.Ends[2*item+1]):
							times++
						}
					}
					return times
				}
				for e := range g.NumEdges() {
					g.Edge.Row(e, row)
					for j, v := range row {
						for c := range logits {
							logits[c] += float32(of(e)) * v * weight.Data()[len(logits)*j+c]
						}
					}
				}
				other := rival(logits, class)
				for e := range g.NumEdges() {
					g.Edge.Row(e, row)
					sum := 0.0
					for j, v := range row {
						sum += of(e) * float64(v) * float64(weight.Data()[len(logits)*j+class]-weight.Data()[len(logits)*j+other])
					}
					ends := whole.Name(Nodes, []Place{{0, int(g.Ends[2*e])}, {0, int(g.Ends[2*e+1])}})
					at := ends[len(ends)-1].Texts()
					adds[[2]string{at[0], at[1]}] = append(adds[[2]string{at[0], at[1]}], sum)
				}
				checked := 0
				for e, score := range x.Scores {
					if s.task.Items == Edges && e == int(x.Item.Number) {
						continue
					}
					want := adds[[2]string{r.Nodes[r.Edges[e][0]], r.Nodes[r.Edges[e][1]]}]
					if !slices.ContainsFunc(want, func(v float64) bool { return math.Abs(v-float64(score)) < 1e-5 }) {
						t.Errorf("%s of %s %s, edge %v: %v, expected one of %v", method, s.task.Items, x.Item.Name, r.Edges[e], score, want)
					}
					if score != 0 {
						checked++
					}
				}
				if checked < 2 || math.Abs(x.Value-float64(logits[class]-logits[other])) > 1e-4 {
					t.Errorf("%s of %s: %d edges matter, value %v, expected %v", method, x.Item.Name, checked, x.Value, logits[class]-logits[other])
				}
			}
		}
	}
}

// What is explained is the prediction: its probability is that of Predict, for runs with labels of
// other edges, with a form of their own, on many graphs, and with times.
func TestExplainedIsPredicted(t *testing.T) {
	many := Request{Path: writeSet(t, t.TempDir(), "T", tuFiles(edgeClass(t, 20))), Model: "hyperdrop", Given: quick()}
	for name, r := range map[string]Request{
		"label context":      {Path: transactions(t, 60, 300, nil), Given: Values{"epochs": 3, "hidden": 8, "label-context": contextOn}},
		"labels of the past": {Path: transactions(t, 60, 300, nil), Given: Values{"epochs": 3, "hidden": 8, "label-context": contextOn, "time": "time", "split": SplitTime, "time-features": contextOn}},
		"nodes":              {Path: nodeLinkFile(t, Nodes), Given: Values{"label": "kind", "layers": 5, "epochs": 3}},
		"one graph":          nodeRequest("deep-hyperdrop"), "graphs": many,
	} {
		t.Run(name, func(t *testing.T) {
			r.Seed, r.Threads = 1, 2
			dir, _ := trained(t, r)
			s, err := Load(t.Context(), dir, LoadOptions{Data: r.Path, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			p, got, err := s.collectPart(t.Context(), PartAll)
			if err != nil {
				t.Fatal(err)
			}
			classes := s.targets()
			if len(got.at) == 0 {
				t.Fatal("nothing is predicted")
			}
			table := &report.Table{Columns: got.predictions}
			from, at, err := s.unformed(p, 0)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(got.at); i += 1 + len(got.at)/25 {
				place := got.at[i]
				x := explained{session: s, graph: p.Graphs[place.Graph]}
				if s.task.Items != Graphs {
					n := &neighbourhood{explained: explained{session: s, item: int32(place.Item), form: s.spec.Form}}
					if n.graph, err = s.shownTo(from.Graphs[at], n.item); err != nil {
						t.Fatal(err)
					}
					if err := n.cut(t.Context()); err != nil {
						t.Fatal(err)
					}
					x = n.explained
				}
				if err := x.aim(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
				k := slices.IndexFunc(table.Columns, func(c report.Column) bool { return c.Name == "probability_"+classes[x.target] })
				want, err := strconv.ParseFloat(strings.Split(csvRows(t, table)[i], ",")[k], 64)
				if err != nil || math.Abs(want-x.full.share) > 1e-4 {
					t.Errorf("%v: the probability of %s is explained as %v, predicted as %v (%v)", place, classes[x.target], x.full.share, want, err)
				}
			}
		})
	}
}

// Methods say the same again, and refuse what is not there.
func TestExplainItems(t *testing.T) {
	s := mustOpen(t, Request{Path: transactions(t, 60, 300, nil), Given: quick()})
	nodes := mustOpen(t, Request{Path: nodeLinkFile(t, Nodes), Given: Values{"label": "kind", "layers": 5}})
	for _, of := range []struct {
		*Session
		name    string
		methods []string
	}{{s, "5", []string{Occlusion, Gradient, Chance}}, {nodes, "n0.5", []string{Occlusion, Gradient, Mask, Chance}}} {
		for _, method := range of.methods {
			first, err := of.ExplainItems(t.Context(), PartAll, method, "", "", of.name)
			if err != nil {
				t.Fatalf("%s: %v", method, err)
			}
			again, _ := of.ExplainItems(t.Context(), PartAll, method, "", "", of.name)
			r := first[0]
			x := r.Explanation
			name := r.Nodes[x.Item.Number]
			if x.Item.Kind == Edges {
				name = r.EdgeNames[x.Item.Number]
			}
			if name != of.name || len(x.Scores) != len(r.Edges) || len(x.Fidelity) != len(fidelityShares) || !slices.Equal(x.Scores, again[0].Explanation.Scores) || slices.ContainsFunc(x.Scores, func(v float32) bool { return v != v }) {
				t.Errorf("%s: %+v", method, x)
			}
		}
	}
	_, err := s.ExplainItems(t.Context(), PartAll, Mask, "", "", "5")
	fails(t, err, "does not read weights of edges")
	found, err := s.ExplainItems(t.Context(), PartAll, Chance, "", "", "5")
	if err != nil {
		t.Fatal(err)
	}
	ends := found[0].Nodes[found[0].Edges[0][0]] + ":" + found[0].Nodes[found[0].Edges[0][1]]
	if by, err := s.ExplainItems(t.Context(), PartAll, Chance, "", "", ends); err == nil && by[0].EdgeNames[0] != "5" || err != nil && !strings.Contains(err.Error(), "edges are") {
		t.Errorf("%s: edge %v (%v)", ends, by, err)
	}
	_, err = s.ExplainItems(t.Context(), PartAll, Occlusion, "", "", "300")
	fails(t, err, `no edge "300", expected one of 300 from "0" to "299"`)
	_, err = s.ExplainItems(t.Context(), PartAll, Occlusion, "red", "", "3")
	fails(t, err, `no target "red"`)
	_, err = s.Explain(t.Context(), PartAll, Occlusion, "", "0")
	fails(t, err, "explains predictions for graphs here")
	x := &explained{session: s, graph: s.Graphs(PartTrain)[0], method: Occlusion}
	_, err = x.explain(t.Context(), "")
	fails(t, err, "for each edge; name one")
}
