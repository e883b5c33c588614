package explain

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
)

// In a model whose log-odds are a sum over the edges at both ends, the contribution of an edge is what it adds to the sum.
func TestEdgesLinear(t *testing.T) {
	s := mustOpen(t, session.Request{Path: testsets.Transactions(t, 60, 120, nil), Given: settings.Values{"label-context": settings.ContextOff, "layers": 2, "time-features": settings.ContextOff, "structure": []string{"none"}}})
	width := s.Settings.Model.Edge
	weight := tensor.New(width, s.Settings.Model.Out)
	for i := range weight.Data() {
		weight.Data()[i] = float32(math.Sin(float64(3*i+1))) / 4
	}
	s.Model = linearAt{&tensor.Param{Value: weight}}
	records, err := Edges(s, t.Context(), EdgeOptions{Part: source.PartAll, Edges: []string{"7"}, Top: 100})
	if err != nil {
		t.Fatal(err)
	}
	x := records[0]
	whole, err := s.Part(source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	g := whole.Graphs[0]
	positive := int(s.Settings.Target.Binary.Positive)
	row := make([]float32, width)
	adds := map[string]float64{}
	for e := range g.NumEdges() {
		times := 0.0
		for _, v := range g.Ends[2*e : 2*e+2] {
			for _, end := range g.Ends[14:16] {
				if v == end {
					times++
				}
			}
		}
		g.Edge.Row(e, row)
		for j, v := range row {
			w := weight.Data()[j*2:]
			adds[fmt.Sprint(e)] += times * float64(v) * float64(w[positive]-w[1-positive])
		}
	}
	if len(x.Edges) < 3 || x.Class != "fraud" && x.Class == "" {
		t.Fatalf("%+v", x)
	}
	for _, e := range x.Edges {
		if math.Abs(e.Contribution-adds[e.Edge]) > 1e-4 {
			t.Errorf("edge %s contributes %v, it adds %v", e.Edge, e.Contribution, adds[e.Edge])
		}
	}
	fidelityAtEnds(t, s, g, adds)
	own := 0.0
	for _, c := range x.Columns {
		own += c.Contribution
	}
	if own == 0 || x.StandardError > 1e-5 {
		t.Errorf("own columns contribute %v, standard error %v", own, x.StandardError)
	}
}

// fidelityAtEnds checks the model whose log-odds are a sum. The score without the listed edge and the score with it
// alone must follow from the sum, and each randomly chosen edge must be at an end of the explained edge.
func fidelityAtEnds(t *testing.T, s *session.Session, g *graph.Graph, adds map[string]float64) {
	t.Helper()
	records, err := Edges(s, t.Context(), EdgeOptions{Part: source.PartAll, Edges: []string{"7"}, Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := records[0]
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	f, listed := x.Fidelity, adds[x.Edges[0].Edge]
	if f == nil || f.Edges != 1 || f.Draws != edgeDraws || f.Low >= f.High {
		t.Fatalf("fidelity %+v", f)
	}
	if got := logit(f.Without); math.Abs(got-(x.Value-listed)) > 1e-3 {
		t.Errorf("without the edge the log-odds are %v, want %v", got, x.Value-listed)
	}
	none := logit(f.Alone) - listed
	for what, score := range map[string]float64{"lowest": f.Low, "highest": f.High} {
		found := false
		for e := range g.NumEdges() {
			at := slices.ContainsFunc(g.Ends[2*e:2*e+2], func(v int32) bool { return slices.Contains(g.Ends[14:16], v) })
			found = found || e != 7 && at && math.Abs(logit(score)-none-adds[fmt.Sprint(e)]) < 1e-3
		}
		if !found {
			t.Errorf("the %s score at random, %v, is that of no edge at the same ends", what, score)
		}
	}
}

// The score in an explanation equals the prediction, and the parts sum to it. The column on which the label depends
// contributes most. One thread gives the same explanation. The test does this for classes and numbers, with a model
// that reads columns and one that passes messages.
func TestEdges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, classes := range []int{0, 2, 3} {
		path := columnTable(t, classes)
		for _, kind := range []string{model.AutoName, "ehgnn-roles"} {
			if kind != model.AutoName && classes != 2 || testing.Short() && classes != 2 {
				continue
			}
			t.Run(fmt.Sprint(kind, classes), func(t *testing.T) {
				given := quick()
				if kind == model.AutoName {
					given = settings.Values{"quality": model.QualityFast}
				}
				given["part"] = "part"
				dir := trained(t, session.Request{Path: path, Model: kind, Seed: 3, Given: given})
				s, err := session.Load(t.Context(), dir, source.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				table, err := s.Predict(t.Context(), source.PartTest)
				if err != nil {
					t.Fatal(err)
				}
				header, lines := strings.Split(testsets.CSVHeader(t, table), ","), testsets.CSVRows(t, table)
				cells := strings.Split(lines[0], ",")
				name := cells[slices.Index(header, "edge")]
				o := EdgeOptions{Part: source.PartTest, Edges: []string{name}, Top: 3, Show: []string{"noise"}}
				got, err := Edges(s, t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				x := got[0]
				column := "prediction"
				if classes > 0 {
					column = "probability_" + x.Class
				}
				var want float64
				if _, err := fmt.Sscan(cells[slices.Index(header, column)], &want); err != nil {
					t.Fatal(err)
				}
				if math.Abs(x.Score-want) > 2e-3*max(1, math.Abs(want)) {
					t.Errorf("score %v, predicted %v", x.Score, want)
				}
				sum := x.Base
				for _, c := range x.Columns {
					sum += c.Contribution
				}
				for _, e := range x.Edges {
					sum += e.Contribution
				}
				for _, r := range x.Rest {
					sum += r.Contribution
				}
				if math.Abs(sum-x.Value) > 1e-9 || len(x.Edges) == 0 || len(x.Edges) > 3 || x.Fidelity == nil || len(x.Edges[0].Labels) != 1 {
					t.Errorf("parts sum to %v: %+v", sum, x)
				}
				if kind == model.AutoName && (x.Columns[0].Column != "amount" || x.Columns[0].Value == "") {
					t.Errorf("the largest contribution is of %+v", x.Columns[0])
				}
				asked := o // requested edges are listed, even if they contribute little
				asked.Top = 40
				if more, err := Edges(s, t.Context(), asked); err != nil || len(more[0].Edges) < min(40, len(x.Edges)+countOf(x.Rest)) {
					t.Errorf("of 40 edges %d are listed beside %+v, %v", len(more[0].Edges), more[0].Rest, err)
				}
				s.Threads = 1
				if one, err := Edges(s, t.Context(), o); err != nil || !reflect.DeepEqual(got, one) {
					t.Errorf("one thread gives another explanation, %v", err)
				}
			})
		}
	}
}

func countOf(rest []RestPart) (n int) {
	for _, r := range rest {
		n += r.Edges
	}
	return n
}

// An edge is named by its number or by the id in the table. An unknown id is refused.
func TestEdgesByID(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,source,target,amount,label\n")
	for e := range 60 {
		fmt.Fprintf(&text, "T%d,n%d,n%d,%d.5,%s\n", 1000+e, e%7, (e+3)%9, e, []string{"a", "b"}[e%2])
	}
	s := mustOpen(t, session.Request{Path: testsets.EdgeFolder(t, "edges.csv", text.String()), Model: "ehgnn-roles", Given: quick()})
	for _, name := range []string{"T1007", "7"} {
		got, err := Edges(s, t.Context(), EdgeOptions{Part: source.PartAll, Edges: []string{name}, Top: 1})
		if err != nil || got[0].ID != "T1007" || !strings.HasSuffix(got[0].Source, "0") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := Edges(s, t.Context(), EdgeOptions{Part: source.PartAll, Edges: []string{"T7"}}); err == nil || !settings.IsUsage(err) {
		t.Errorf("T7: %v", err)
	}
}
