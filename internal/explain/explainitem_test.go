package explain

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// linearAt is a model whose logits of a node are sums over its edges: features times weights. The
// logits of an edge are the sums at both of its ends.
type linearAt struct{ weight *tensor.Param }

func (l linearAt) Params() []*tensor.Param { return []*tensor.Param{l.weight} }

func (l linearAt) Forward(p *nn.Pass, b *graph.Batch) *model.Output {
	of := p.Tape.Bind(b.E).MatMul(p.Var(l.weight))
	src, dst, _ := b.H.Pairs()
	at := tensor.SegmentSum(of, src).Add(tensor.SegmentSum(of, dst))
	return &model.Output{Node: at, Edge: tensor.Gather(at, src).Add(tensor.Gather(at, dst))}
}

// In a model that is linear in the features of the edges at a node, both methods give what each
// edge adds to the prediction for a node. For an edge they give what the other edges add.
func TestExplainItemsLinear(t *testing.T) {
	nodes := mustOpen(t, session.Request{Path: testsets.NodeLinkFile(t, settings.Nodes), Model: "ehgnn-joint-node", Given: settings.Values{"label": "kind", "layers": 2}})
	edges := mustOpen(t, session.Request{Path: testsets.Transactions(t, 60, 120, nil), Given: settings.Values{"label-context": settings.ContextOff, "layers": 2}})
	for _, s := range []*session.Session{nodes, edges} {
		width := s.Settings.Model.Edge
		weight := tensor.New(width, s.Settings.Model.Out)
		for i := range weight.Data() {
			weight.Data()[i] = float32(math.Sin(float64(3*i + 1)))
		}
		s.Model = linearAt{&tensor.Param{Value: weight}}
		whole, err := s.Part(source.PartAll)
		if err != nil {
			t.Fatal(err)
		}
		g := whole.Graphs[0]
		names := itemNames(s.Task.Level, whole.Name(s.Task.Level, []source.Place{{Graph: 0, Item: 2}, {Graph: 0, Item: 7}}))
		for k, item := range []int32{2, 7} {
			for _, method := range []string{Occlusion, Gradient} {
				records, err := Items(s, t.Context(), source.PartAll, method, "", "", names[k][0])
				if err != nil {
					t.Fatal(err)
				}
				r := records[0]
				x := r.Explanation
				if x.Item.Name != names[k][0] || len(x.Scores) != len(r.Edges) {
					t.Fatalf("%+v of %d edges", x.Item, len(r.Edges))
				}
				// What each edge between two nodes adds, by the names of the nodes.
				class := slices.Index(targets(s), x.Target)
				logits := make([]float32, s.Settings.Model.Out)
				adds := map[[2]string][]float64{}
				row := make([]float32, width)
				of := func(e int) (times float64) {
					for _, v := range []int32{g.Ends[2*e], g.Ends[2*e+1]} {
						switch {
						case s.Task.Level == settings.Nodes && v == item, s.Task.Level == settings.Edges && (v == g.Ends[2*item] || v == g.Ends[2*item+1]):
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
				other := runnerUp(logits, class)
				for e := range g.NumEdges() {
					g.Edge.Row(e, row)
					sum := 0.0
					for j, v := range row {
						sum += of(e) * float64(v) * float64(weight.Data()[len(logits)*j+class]-weight.Data()[len(logits)*j+other])
					}
					ends := whole.Name(settings.Nodes, []source.Place{{Graph: 0, Item: int(g.Ends[2*e])}, {Graph: 0, Item: int(g.Ends[2*e+1])}})
					at := ends[len(ends)-1].Texts()
					adds[[2]string{at[0], at[1]}] = append(adds[[2]string{at[0], at[1]}], sum)
				}
				checked := 0
				for e, score := range x.Scores {
					if s.Task.Level == settings.Edges && e == int(x.Item.Number) {
						continue
					}
					want := adds[[2]string{r.Nodes[r.Edges[e][0]], r.Nodes[r.Edges[e][1]]}]
					if !slices.ContainsFunc(want, func(v float64) bool { return math.Abs(v-float64(score)) < 1e-5 }) {
						t.Errorf("%s of %s %s, edge %v: %v, expected one of %v", method, s.Task.Level, x.Item.Name, r.Edges[e], score, want)
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

// The explained value is the prediction: its probability equals the one from Predict. The test uses
// runs that read labels of other edges, runs with their own edge form, runs on many graphs, and
// runs with times.
func TestExplainedIsPredicted(t *testing.T) {
	many := session.Request{Path: testsets.WriteSet(t, t.TempDir(), "T", testsets.TUFiles(testsets.EdgeClass(t, 20))), Model: "hyperdrop", Given: quick()}
	for name, r := range map[string]session.Request{
		"label context":      {Path: testsets.Transactions(t, 60, 300, nil), Given: settings.Values{"epochs": 3, "hidden": 8, "label-context": settings.ContextOn}},
		"labels of the past": {Path: testsets.Transactions(t, 60, 300, nil), Given: settings.Values{"epochs": 3, "hidden": 8, "label-context": settings.ContextOn, "time": "time", "split": settings.SplitTime, "time-features": settings.ContextOn}},
		"nodes":              {Path: testsets.NodeLinkFile(t, settings.Nodes), Given: settings.Values{"label": "kind", "layers": 5, "epochs": 3}},
		"one graph": {Path: filepath.Join("..", "..", "testdata", "planetoid"), Task: "node-classification", Model: "deep-hyperdrop", Seed: 1, Threads: 2,
			Given: settings.Values{"epochs": 30, "layers": 4, "constant-lr": true}}, "graphs": many,
	} {
		t.Run(name, func(t *testing.T) {
			r.Seed, r.Threads = 1, 2
			dir := trained(t, r)
			s, err := session.Load(t.Context(), dir, source.LoadOptions{Data: r.Path, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			p, got, err := s.CollectPart(t.Context(), source.PartAll)
			if err != nil {
				t.Fatal(err)
			}
			classes := targets(s)
			if len(got.At) == 0 {
				t.Fatal("nothing is predicted")
			}
			table := &report.Table{Columns: got.Predictions}
			from, at, err := s.Unformed(p, 0)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(got.At); i += 1 + len(got.At)/25 {
				place := got.At[i]
				x := explained{session: s, graph: p.Graphs[place.Graph]}
				if s.Task.Level != settings.Graphs {
					n := &neighbourhood{explained: explained{session: s, item: int32(place.Item), form: s.Spec.Form}}
					if n.graph, err = shownTo(s, from.Graphs[at], n.item); err != nil {
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
				want, err := strconv.ParseFloat(strings.Split(testsets.CSVRows(t, table)[i], ",")[k], 64)
				if err != nil || math.Abs(want-x.full.share) > 1e-4 {
					t.Errorf("%v: the probability of %s is explained as %v, predicted as %v (%v)", place, classes[x.target], x.full.share, want, err)
				}
			}
		})
	}
}

// Methods repeat with the same result and refuse items that do not exist.
func TestExplainItems(t *testing.T) {
	s := mustOpen(t, session.Request{Path: testsets.Transactions(t, 60, 300, nil), Given: quick()})
	nodes := mustOpen(t, session.Request{Path: testsets.NodeLinkFile(t, settings.Nodes), Given: settings.Values{"label": "kind", "layers": 5}})
	for _, of := range []struct {
		*session.Session
		name    string
		methods []string
	}{{s, "5", []string{Occlusion, Gradient, Chance}}, {nodes, "n0.5", []string{Occlusion, Gradient, Mask, Chance}}} {
		for _, method := range of.methods {
			first, err := Items(of.Session, t.Context(), source.PartAll, method, "", "", of.name)
			if err != nil {
				t.Fatalf("%s: %v", method, err)
			}
			again, _ := Items(of.Session, t.Context(), source.PartAll, method, "", "", of.name)
			r := first[0]
			x := r.Explanation
			name := r.Nodes[x.Item.Number]
			if x.Item.Kind == settings.Edges {
				name = r.EdgeNames[x.Item.Number]
			}
			if name != of.name || len(x.Scores) != len(r.Edges) || len(x.Fidelity) != len(fidelityShares) || !slices.Equal(x.Scores, again[0].Explanation.Scores) || slices.ContainsFunc(x.Scores, func(v float32) bool { return v != v }) {
				t.Errorf("%s: %+v", method, x)
			}
		}
	}
	_, err := Items(s, t.Context(), source.PartAll, Mask, "", "", "5")
	testsets.Fails(t, err, "does not read weights of edges")
	found, err := Items(s, t.Context(), source.PartAll, Chance, "", "", "5")
	if err != nil {
		t.Fatal(err)
	}
	ends := found[0].Nodes[found[0].Edges[0][0]] + ":" + found[0].Nodes[found[0].Edges[0][1]]
	if by, err := Items(s, t.Context(), source.PartAll, Chance, "", "", ends); err == nil && by[0].EdgeNames[0] != "5" || err != nil && !strings.Contains(err.Error(), "edges are") {
		t.Errorf("%s: edge %v (%v)", ends, by, err)
	}
	_, err = Items(s, t.Context(), source.PartAll, Occlusion, "", "", "300")
	testsets.Fails(t, err, `no edge "300", expected one of 300 from "0" to "299"`)
	_, err = Items(s, t.Context(), source.PartAll, Occlusion, "red", "", "3")
	testsets.Fails(t, err, `no target "red"`)
	_, err = Graphs(s, t.Context(), source.PartAll, Occlusion, "", "0")
	testsets.Fails(t, err, "explains predictions for graphs here")
	x := &explained{session: s, graph: s.Graphs(source.PartTrain)[0], method: Occlusion}
	_, err = x.explain(t.Context(), "")
	testsets.Fails(t, err, "for each edge; name one")
}
