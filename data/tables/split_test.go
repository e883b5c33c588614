package tables_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/structure"
)

// row is one edge of a random multigraph.
type row struct {
	u, v, w, kind, label, time, group string
	part                              string // in partedText, but not in text
}

// randomRows draws edges, among them parallel and reverse edges and missing values.
func randomRows(r *rand.Rand, n int) []row { return randomRowsOf(r, 12, n) }

// randomRowsOf is randomRows with a given number of nodes. With many nodes few edges have the same ends.
func randomRowsOf(r *rand.Rand, nodes, n int) []row {
	var rows []row
	for range n {
		x := row{u: fmt.Sprint("n", r.IntN(nodes)), v: fmt.Sprint("n", r.IntN(nodes)), w: fmt.Sprint(r.IntN(4)), kind: string(rune('a' + r.IntN(3))),
			label: []string{"no", "no", "no", "yes"}[r.IntN(4)], time: fmt.Sprint(r.IntN(40)), group: fmt.Sprint("g", r.IntN(15))}
		if r.IntN(9) == 0 {
			x.w = ""
		}
		rows = append(rows, x)
		if r.IntN(3) == 0 { // the same edge in the other direction
			x.u, x.v = x.v, x.u
			rows = append(rows, x)
		}
	}
	return rows
}

func text(rows []row) string {
	var b strings.Builder
	b.WriteString("source,target,w,kind,label,time,group\n")
	for _, x := range rows {
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s,%s,%s\n", x.u, x.v, x.w, x.kind, x.label, x.time, x.group)
	}
	return b.String()
}

// partedText is text with a column of parts.
func partedText(rows []row) string {
	lines := strings.Split(text(rows), "\n")
	lines[0] += ",part"
	for i, x := range rows {
		lines[1+i] += "," + x.part
	}
	return strings.Join(lines, "\n")
}

func partsOf(t *testing.T, s *data.Split, m int) []int {
	t.Helper()
	part := make([]int, m)
	for p, edges := range [][]int{s.Train, s.Valid, s.Test} {
		if !slices.IsSorted(edges) {
			t.Errorf("part %d is not in order", p)
		}
		for _, e := range edges {
			if part[e] != 0 {
				t.Fatalf("edge %d is in two parts", e)
			}
			part[e] = p + 1
		}
	}
	if i := slices.Index(part, 0); i >= 0 {
		t.Fatalf("edge %d is in no part", i)
	}
	return part
}

func TestSplit(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows := randomRows(r, 300)
		s := read(t, tables.Options{}, "edges.csv", text(rows))
		for _, o := range []tables.SplitOptions{{}, {Pairs: true}, {By: tables.ByTime}, {By: tables.ByGroup}} {
			o.Seed, o.Fractions = seed, [3]float64{0.6, 0.2, 0.2}
			split, err := s.Split(o)
			if err != nil {
				if o.Pairs { // 12 nodes have few pairs, so that parts may be too uneven
					continue
				}
				t.Fatalf("%+v: %v", o, err)
			}
			again, err := s.Split(o)
			if err != nil || !reflect.DeepEqual(split, again) {
				t.Errorf("%+v: another split the second time: %v", o, err)
			}
			part := partsOf(t, split, len(rows))
			for i, x := range rows {
				for k, y := range rows[:i] {
					pair := x.u == y.u && x.v == y.v || x.u == y.v && x.v == y.u
					together := pair && (o.Pairs || x.w == y.w && x.kind == y.kind && x.time == y.time)
					switch {
					case o.By == tables.ByTime:
						together = together || x.time == y.time
						if s.Time[i] < s.Time[k] && part[i] > part[k] || s.Time[i] > s.Time[k] && part[i] < part[k] {
							t.Fatalf("%+v: times %s and %s are in parts %d and %d", o, x.time, y.time, part[i], part[k])
						}
					case o.By == tables.ByGroup:
						together = together || x.group == y.group
					}
					if together && part[i] != part[k] {
						t.Fatalf("%+v: edges %+v and %+v are in parts %d and %d", o, y, x, part[k], part[i])
					}
				}
			}
			if got := float64(len(split.Train)) / float64(len(rows)); !o.Pairs && math.Abs(got-0.6) > 0.1 {
				t.Errorf("%+v: %g of the edges train, want about 0.6", o, got)
			}
			if o.By == "" && !o.Pairs {
				checkRare(t, s, split)
			}
		}
	}
}

// checkRare checks that the rare class has its share in every part.
func checkRare(t *testing.T, s *tables.Set, split *data.Split) {
	t.Helper()
	yes := int32(slices.Index(s.Label.Text, "yes"))
	share := func(edges []int) float64 {
		n := 0
		for _, e := range edges {
			if s.Label.Code[e] == yes {
				n++
			}
		}
		return float64(n) / float64(len(edges))
	}
	all := share(slices.Concat(split.Train, split.Valid, split.Test))
	for _, part := range [][]int{split.Train, split.Valid, split.Test} {
		if got := share(part); math.Abs(got-all) > 0.06 {
			t.Errorf("rare class is %g of a part and %g of all", got, all)
		}
	}
}

func TestSplitErrors(t *testing.T) {
	s := read(t, tables.Options{}, "edges.csv", "source,target,time,group\na,b,1,x\nb,c,1,x\nc,d,,x\nd,e,1,x\n")
	for _, c := range []struct {
		o    tables.SplitOptions
		want string
	}{
		{tables.SplitOptions{By: "colour"}, `split "colour", expected random, time, group or column`},
		{tables.SplitOptions{By: tables.ByTime}, "edge from c to d has no time"},
		{tables.SplitOptions{By: tables.ByTime, Pairs: true}, "several times"},
		{tables.SplitOptions{By: tables.ByGroup}, "leaves the part valid without an edge"},
		{tables.SplitOptions{By: tables.ByColumn}, "has no column of parts, which split column needs"},
		{tables.SplitOptions{By: tables.ByColumn, Pairs: true}, "the column says where each edge is"},
		{tables.SplitOptions{By: tables.ByTime, Folds: 3, Fold: 1}, "split time into folds"},
		{tables.SplitOptions{Folds: 2, Fold: 1}, "split into 2 folds, expected 3 or more"},
		{tables.SplitOptions{Folds: 1_000_000_000, Fold: 1}, "split into 1000000000 folds, expected at most"},
		{tables.SplitOptions{Folds: 3}, "fold 0, expected 1 to 3"},
		{tables.SplitOptions{Folds: 3, Fold: 4}, "fold 4, expected 1 to 3"},
		{tables.SplitOptions{By: tables.ByGroup, Folds: 3, Fold: 1}, "leaves the part train without an edge"},
		{tables.SplitOptions{Fractions: [3]float64{0.5, 0.1, 0.1}}, "sum to 0.7"},
		{tables.SplitOptions{Fractions: [3]float64{0, 0.5, 0.5}}, "some training"},
	} {
		if _, err := s.Split(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.o, err, c.want)
		}
	}
}

// TestNoLeak: changes to held-out edges do not change the training input by a bit, and labels of
// the edges to be scored are in no feature of any input.
func TestNoLeak(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 2))
		for _, o := range []tables.SplitOptions{{By: tables.ByRandom}, {By: tables.ByTime}, {By: tables.ByGroup}, {By: tables.ByColumn}, {Folds: 4, Fold: 2}, {By: tables.ByGroup, Folds: 3, Fold: 1},
			{Pairs: true}, {Pairs: true, Folds: 4, Fold: 2}, {By: tables.ByGroup, Pairs: true}} {
			nodes := 12
			if o.Pairs { // otherwise the units are too large
				nodes = 200
			}
			rows := randomRowsOf(r, nodes, 150)
			for e := range rows {
				rows[e].part = []string{"train", "train", "valid", "test"}[r.IntN(4)]
			}
			s := read(t, tables.Options{Part: "part"}, "edges.csv", partedText(rows))
			o.Seed, o.Fractions = seed, [3]float64{0.6, 0.2, 0.2}
			split, err := s.Split(o)
			if err != nil {
				t.Fatal(err)
			}
			past := o.By == tables.ByTime
			enc, train := inputInTime(t, s, split, tables.Train, past)
			if train.Graph.NumEdges() != len(split.Train) {
				t.Fatalf("%d edges in training, want %d", train.Graph.NumEdges(), len(split.Train))
			}
			// Held-out edges get other features, labels, times, and ends.
			changed := slices.Clone(rows)
			for _, e := range slices.Concat(split.Valid, split.Test) {
				x := &changed[e]
				x.u, x.v, x.w, x.kind = fmt.Sprint("n", r.IntN(12)), fmt.Sprint("m", r.IntN(99)), fmt.Sprint(1000*r.Float64()), fmt.Sprint("k", r.IntN(99))
				x.label, x.time, x.group = []string{"no", "yes", ""}[r.IntN(3)], fmt.Sprint(r.IntN(999)), fmt.Sprint(r.IntN(99))
			}
			other := read(t, tables.Options{Form: data.Directed, Part: "part"}, "edges.csv", partedText(changed))
			enc2, train2 := inputInTime(t, other, split, tables.Train, past)
			equalGraphs(t, "training", train, train2, s, other)
			if a, b := mustJSON(t, slices.Concat(enc.Edges, enc.Structure, enc.Times.Fields)), mustJSON(t, slices.Concat(enc2.Edges, enc2.Structure, enc2.Times.Fields)); a != b {
				t.Errorf("split %+v: encoder\n%s\nand with other held-out edges\n%s", o, a, b)
			}
			// With other labels on held-out edges, every input has the same features.
			relabelled := slices.Clone(rows)
			for _, e := range slices.Concat(split.Valid, split.Test) {
				relabelled[e].label = map[string]string{"yes": "no", "no": "yes"}[rows[e].label]
			}
			other = read(t, tables.Options{Form: data.Directed, Part: "part"}, "edges.csv", partedText(relabelled))
			for _, part := range []string{tables.Valid, tables.Test} {
				_, a := inputInTime(t, s, split, part, past)
				_, b := inputInTime(t, other, split, part, past)
				for _, i := range a.Scored {
					a.Graph.EdgeLabel[i], b.Graph.EdgeLabel[i] = 0, 0
				}
				equalGraphs(t, part, a, b, s, other)
			}
		}
	}
}

// inputInTime returns the input of a part with all columns of structure and time.
func inputInTime(t *testing.T, s *tables.Set, split *data.Split, part string, past bool) (*tables.Encoder, *tables.Input) {
	t.Helper()
	e, err := s.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FitStructure(e, split, structure.Groups(), tables.InputOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.FitTimes(e, split, past, false, tables.InputOptions{}); err != nil {
		t.Fatal(err)
	}
	in, err := s.Input(e, split, part, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range in.Graph.EdgeLabel {
		if _, scored := slices.BinarySearch(in.Scored, int32(i)); !scored && l != graph.NoLabel {
			t.Fatalf("%s: edge %d of another part shows its label", part, i)
		}
	}
	return e, in
}

// equalGraphs compares everything that a model sees. Node names are compared, because node numbers
// may differ between the sets.
func equalGraphs(t *testing.T, part string, a, b *tables.Input, s, other *tables.Set) {
	t.Helper()
	names := func(in *tables.Input, s *tables.Set) []string {
		var out []string
		for _, v := range in.Graph.Ends {
			out = append(out, s.NodeIDs[in.Nodes[v]])
		}
		return out
	}
	if !slices.Equal(names(a, s), names(b, other)) || !slices.Equal(a.Edges, b.Edges) || !reflect.DeepEqual(a.Graph.Edge, b.Graph.Edge) ||
		!slices.Equal(a.Graph.EdgeLabel, b.Graph.EdgeLabel) || a.Graph.NumNodes != b.Graph.NumNodes || !reflect.DeepEqual(a.Graph.Node, b.Graph.Node) {
		t.Errorf("the input for %s depends on what is held out", part)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestInputs(t *testing.T) {
	s := read(t, tables.Options{}, "edges.csv", "source,target,label,time\na,b,x,1\nb,c,y,2\nc,d,x,3\nd,e,y,4\n")
	split := &data.Split{Train: []int{0, 1}, Valid: []int{2}, Test: []int{3}}
	e, err := s.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		part          string
		transductive  bool
		edges, scored []int32
		labels        []int32
	}{
		{tables.Train, false, []int32{0, 1}, []int32{0, 1}, []int32{0, 1}},
		{tables.Valid, false, []int32{0, 1, 2}, []int32{2}, []int32{-1, -1, 0}},
		{tables.Test, false, []int32{0, 1, 2, 3}, []int32{3}, []int32{-1, -1, -1, 1}},
		{tables.Train, true, []int32{0, 1, 2, 3}, []int32{0, 1}, []int32{0, 1, -1, -1}},
	} {
		in, err := s.Input(e, split, c.part, tables.InputOptions{Transductive: c.transductive})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(in.Edges, c.edges) || !slices.Equal(in.Scored, c.scored) || !slices.Equal(in.Graph.EdgeLabel, c.labels) {
			t.Errorf("%s: edges %v scored %v labels %v, want %v %v %v", c.part, in.Edges, in.Scored, in.Graph.EdgeLabel, c.edges, c.scored, c.labels)
		}
	}
	if _, err := s.Input(e, split, "all", tables.InputOptions{}); err == nil {
		t.Error("no error for a part that there is not")
	}
	split.Test = []int{2}
	if _, err := s.Input(e, split, tables.Train, tables.InputOptions{}); err == nil {
		t.Error("no error for an edge in two parts")
	}
}

func TestEncoder(t *testing.T) {
	s := read(t, tables.Options{}, "nodes.csv", nodesCSV, "edges.csv", edgesCSV)
	e, err := s.Fit([]int{0, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	// amount is 10, 20 and missing: mean 15 and deviation 5. channel is card or wire, and cash is not
	// in training.
	want := []tables.Field{{Name: "amount", Kind: schema.KindNumber, Mean: 15, Scale: 5, Gaps: true}, {Name: "channel", Kind: schema.KindCategory, Width: 2, Values: []string{"card", "wire"}}}
	if !reflect.DeepEqual(e.Edges, want) {
		t.Errorf("edge fields %+v, want %+v", e.Edges, want)
	}
	// age is 30, missing and 4 at the ends of these edges.
	if want := (tables.Field{Name: "age", Kind: schema.KindNumber, Mean: 17, Scale: 13, Gaps: true}); !reflect.DeepEqual(e.Nodes[1], want) {
		t.Errorf("node field %+v, want %+v", e.Nodes[1], want)
	}
	if !slices.Equal(e.Classes, []string{"fraud", "ok"}) {
		t.Errorf("classes %q", e.Classes)
	}
	// The encoder is written as JSON, read again, and encodes new data, here without labels.
	var back tables.Encoder
	if err := json.Unmarshal([]byte(mustJSON(t, e)), &back); err != nil {
		t.Fatal(err)
	}
	dir := writeFolder(t, "nodes.csv", nodesCSV, "edges.csv", "source,target,amount,channel\nalice,bob,30,cash\nbob,shop,,card\n")
	fresh, err := back.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	in, err := fresh.Whole(&back, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := in.Graph.Edge
	if f.Dim != 1 || !slices.Equal(f.Dense, []float32{3, 0}) || !slices.Equal(f.Codes, []int{1, 2}) || !slices.Equal(f.Code, []int32{-1, -1, 0, 0}) {
		t.Errorf("features %+v", f)
	}
	if !slices.Equal(in.Graph.EdgeLabel, []int32{-1, -1}) {
		t.Errorf("labels %v of edges without", in.Graph.EdgeLabel)
	}
	for _, c := range []struct{ edges, want string }{
		{"source,target,amount\nalice,bob,1\n", `there is no column "channel"`},
		{"source,target,amount,channel\nalice,bob,much,card\n", `edges.csv:2: column "amount" is "much", expected a number`},
	} {
		dir := writeFolder(t, "nodes.csv", nodesCSV, "edges.csv", c.edges)
		if _, err := back.Open(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	// An edge whose class training lacks is not scored.
	if e, err = s.Fit([]int{0, 2}); err != nil {
		t.Fatal(err)
	}
	if in, err := s.Whole(e, tables.InputOptions{}); err != nil || !slices.Equal(in.Graph.EdgeLabel, []int32{0, -1, 0, 0, -1}) || in.Unseen[2].Example != "fraud" || in.Unseen[2].Rows != 1 || !in.Unseen[2].Label {
		t.Errorf("labels %v, %+v and %v of a class that training lacks", in.Graph.EdgeLabel, in.Unseen, err)
	}
	// If the classes are numbers, a regression may be intended.
	var rows strings.Builder
	rows.WriteString("source,target,label\n")
	for i := range 12 {
		rows.WriteString("a,b," + strconv.Itoa(i) + "\n")
	}
	many := read(t, tables.Options{}, "edges.csv", rows.String())
	if e, err = many.Fit([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}); err != nil {
		t.Fatal(err)
	}
	if in, err := many.Whole(e, tables.InputOptions{}); err != nil || !strings.Contains(fmt.Sprint(in.Unseen), "and 1 more; --task edge-regression estimates numbers") {
		t.Errorf("%v and %v of a number that training lacks", in.Unseen, err)
	}
}

func TestRegressionInput(t *testing.T) {
	s := read(t, tables.Options{Number: true}, "edges.csv", "source,target,y\na,b,1\nb,c,3\nc,d,\nd,a,9\n")
	e, err := s.Fit([]int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if e.Mean != 2 || e.Scale != 1 || e.Classes != nil {
		t.Errorf("mean %v scale %v, want 2 and 1 of the training edges", e.Mean, e.Scale)
	}
	in, err := s.Input(e, &data.Split{Train: []int{0, 1}, Valid: []int{2}, Test: []int{3}}, tables.Test, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(in.Graph.EdgeTargets); got != "[NaN NaN NaN 9]" {
		t.Errorf("targets %s", got)
	}
}
