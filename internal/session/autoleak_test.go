package session

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
)

// The columns of an edge never read the labels of held-out edges, its own label, labels of edges in the same unit of
// the split, or features of other held-out edges. After a split by time they read nothing of later edges.
func TestAutoColumnsLeak(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for name, split := range leakSplits {
		if testing.Short() && strings.HasPrefix(name, "transductive ") {
			continue
		}
		for _, label := range []string{"two classes", "class", "number"} {
			for _, edges := range []string{settings.EdgesDirected, settings.EdgesUndirected} {
				for seed := range seeds {
					t.Run(fmt.Sprint(name, ", ", label, ", ", edges, ", ", seed), func(t *testing.T) {
						c := newAutoCase(t, label, seed, split.Over(settings.Values{"edges": edges}))
						c.heldOutLabels()
						c.ownLabels()
						c.otherFeatures()
						c.alone()
						c.later()
						c.moments()
					})
				}
			}
		}
	}
}

// By default, the default model sees the features of all edges if they have no times. A given setting is used in any case.
func TestTransductive(t *testing.T) {
	for _, c := range []struct {
		time, model string
		given       any
		want        bool
	}{
		{"-", model.AutoName, nil, true},
		{"-", model.AutoName, false, false},
		{"time", model.AutoName, nil, false},
		{"time", model.AutoName, true, true},
		{"-", "ehgnn-roles", nil, false},
	} {
		given := settings.Values{"label": "class", "time": c.time, "ignore": []string{"number"}}
		if c.given != nil {
			given["transductive"] = c.given
		}
		r := Request{Path: testsets.EdgeFolder(t, "edges.csv", multigraphOf(1, 9)), Model: c.model, Task: task.EdgeClassification.Name, Given: given}
		if got := mustOpen(t, r).Settings.Data.Tables.Transductive; got != c.want {
			t.Errorf("%+v: transductive is %v", c, got)
		}
	}
}

// autoCase is a session of the default model. Its table is changed, and its split and encoder stay the same.
type autoCase struct{ leakCase }

func newAutoCase(t *testing.T, label string, seed uint64, given settings.Values) autoCase {
	t.Helper()
	nodes := 9 // so that each node has many edges
	if given["split"] != settings.SplitGroup && (seed%2 == 1 || label == "number" && testing.Short()) {
		nodes = 150 // so that many edges share no node with a training edge
	}
	text := multigraphOf(seed, nodes)
	of, column, other := task.EdgeClassification.Name, "class", "number"
	switch label {
	case "number":
		of, column, other = task.EdgeRegression.Name, "number", "class"
	case "two classes":
		text = strings.ReplaceAll(text, ",z,", ",y,")
	}
	given = settings.Values{"label": column, "time": "time", "ignore": []string{other}}.Over(given)
	r := Request{Path: testsets.EdgeFolder(t, "edges.csv", text), Model: model.AutoName, Task: of, Seed: seed, Given: given}
	c := autoCase{leakCase{t: t, s: mustOpen(t, r)}}
	c.data = c.s.Data.(*source.ColumnData)
	var err error
	if c.split, err = c.data.Set.Split(c.s.Settings.Split.OfEdges()); err != nil {
		t.Fatal(err)
	}
	return c
}

// on returns the case with another table and the split of that table.
func (c autoCase) on(set *tables.Set, split *data.Split) autoCase {
	of := *c.data
	of.Set, c.data, c.split = set, &of, split
	return c
}

// labelled returns the case with other labels.
func (c autoCase) labelled(label *tables.Column) autoCase {
	set := *c.data.Set
	set.Label = label
	return c.on(&set, c.split)
}

// columns returns the columns of the predicted edges of a part, by edge of the set. An undirected edge has the
// columns of both its rows.
func (c autoCase) columns(part string) map[int32][]float32 {
	c.t.Helper()
	var in *tables.Input
	var err error
	e, o := c.s.Settings.Data.Tables.Encoder, c.data.InputOptions(&c.s.Settings, c.split)
	if part == source.PartAll {
		in, err = c.data.Set.Whole(e, o)
	} else {
		in, err = c.data.Set.Input(e, c.split, part, o)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	b, err := graph.Collate([]*graph.Graph{in.Graph})
	if err != nil {
		c.t.Fatal(err)
	}
	layout := c.s.Model.(*model.Auto).Layout()
	rows, out := model.NewEdgeRows(b, layout, 1), map[int32][]float32{}
	for _, turn := range model.Turns(b, layout.Classes) {
		x, err := rows.Block(c.t.Context(), turn.Label, rows.Rows(turn.Edges))
		if err != nil {
			c.t.Fatal(err)
		}
		for i := range x.Rows {
			e := in.Edges[turn.Edges[i%len(turn.Edges)]]
			out[e] = append(out[e], x.Data[i*x.Width:][:x.Width]...)
		}
	}
	return out
}

// same fails if the columns of some edges differ. now returns the number in after of an edge of before.
func (c autoCase) same(what string, before, after map[int32][]float32, now func(e int32) int32) {
	c.t.Helper()
	families := c.s.Model.(*model.Auto).Layout().Families()
	for e, row := range before {
		other, ok := after[now(e)]
		if !ok {
			continue
		}
		for k, x := range row {
			if math.Float32bits(x) != math.Float32bits(other[k]) {
				c.t.Fatalf("%s: column %d of edge %d, of family %s, is %v and then %v", what, k%len(families), e, families[k%len(families)], x, other[k])
			}
		}
	}
}

func itself(e int32) int32 { return e }

var allParts = []string{source.PartTrain, source.PartValid, source.PartTest, source.PartAll}

// heldOutLabels changes the labels of all edges outside the training part.
func (c autoCase) heldOutLabels() {
	c.t.Helper()
	known := c.data.Known(c.split)
	other := c.labelled(c.relabelled(func(e int32) bool { return !known[e] }))
	for _, part := range allParts {
		c.same("other labels of held-out edges, part "+part, c.columns(part), other.columns(part), itself)
	}
	shown := c.labelled(c.relabelled(func(e int32) bool { return known[e] }))
	if before, after := c.columns(source.PartTest), shown.columns(source.PartTest); equalRows(before, after) {
		c.t.Error("other labels of training edges change no column of an edge to test: the test is blind")
	}
}

func equalRows(a, b map[int32][]float32) bool {
	for e, row := range a {
		if !bitsEqual(row, b[e]) {
			return false
		}
	}
	return true
}

// ownLabels changes the label of each training edge, together with the other labels that its columns must not read.
func (c autoCase) ownLabels() {
	c.t.Helper()
	step := 1
	if testing.Short() {
		step = 4
	}
	set, unit := c.data.Set, c.data.Set.Units(c.s.Settings.Split.OfEdges())
	for _, part := range []string{source.PartTrain, source.PartAll} {
		before, shows := c.columns(part), false
		for i := 0; i < len(c.split.Train); i += step {
			e := int32(c.split.Train[i])
			after := c.labelled(c.relabelled(func(f int32) bool {
				switch c.s.Settings.Split.Kind {
				case settings.SplitTime:
					return set.Time[f] >= set.Time[e]
				case settings.SplitColumn:
					return f == e
				}
				return unit[f] == unit[e]
			})).columns(part)
			c.same("another label of the edge, part "+part, map[int32][]float32{e: before[e]}, after, itself)
			shows = shows || !equalRows(before, after)
		}
		if !shows {
			c.t.Error("no label of a training edge changes a column: the test is blind")
		}
	}
}

// otherFeatures changes the features of a held-out edge. Only its own row may change.
func (c autoCase) otherFeatures() {
	c.t.Helper()
	for _, e := range []int{c.split.Valid[0], c.split.Test[0]} {
		set := *c.data.Set
		set.EdgeColumns = nil
		for _, column := range c.data.Set.EdgeColumns {
			to := *column
			to.Code, to.Value, to.Text = slices.Clone(column.Code), slices.Clone(column.Value), append(slices.Clone(column.Text), "other")
			if to.Numeric() {
				to.Value[e] = 100 - 7*to.Value[e]
			} else {
				to.Code[e] = int32(len(column.Text))
			}
			set.EdgeColumns = append(set.EdgeColumns, &to)
		}
		other, changed := c.on(&set, c.split), false
		if before, after := c.fitted(), other.fitted(); before != after {
			c.t.Fatalf("features that are held out change the encoder\nfrom %s\nto   %s", before, after)
		}
		for _, part := range allParts {
			before, after := c.columns(part), other.columns(part)
			changed = changed || !equalRows(before, after)
			delete(before, int32(e))
			c.same("other features of a held-out edge, part "+part, before, after, itself)
		}
		if !changed {
			c.t.Error("features change no column: the test is blind")
		}
	}
}

// alone removes all held-out edges, which must not change the training. It skips transductive runs, which read the features of all edges.
func (c autoCase) alone() {
	c.t.Helper()
	if c.s.Settings.Data.Tables.Transductive {
		return
	}
	known := c.data.Known(c.split)
	other, now := c.without(func(e int32) bool { return !known[e] })
	if before, after := c.fitted(), other.fitted(); before != after {
		c.t.Fatalf("without the held-out edges the encoder is another\nfrom %s\nto   %s", before, after)
	}
	// The labels hidden in one draw depend on the numbers of units. So columns of labels differ here, and only the other columns are compared.
	c.same("without the held-out edges, part train", c.unlabelled(c.columns(source.PartTrain)), other.columns(source.PartTrain), now)
}

// unlabelled returns the columns of edges before the first column computed from labels.
func (c autoCase) unlabelled(rows map[int32][]float32) map[int32][]float32 {
	n := slices.Index(c.s.Model.(*model.Auto).Layout().Families(), model.FamilyLabels)
	out := map[int32][]float32{}
	for e, row := range rows {
		out[e] = row[:n]
	}
	return out
}

// later removes edges that are later than the compared ones, or changes everything about them.
func (c autoCase) later() {
	c.t.Helper()
	if c.s.Settings.Split.Kind != settings.SplitTime || c.s.Settings.Data.Tables.Transductive {
		return // a transductive run sees all edges
	}
	time := c.data.Set.Time
	for _, part := range []struct {
		name  string
		edges []int
	}{{source.PartValid, c.split.Valid}, {source.PartTest, c.split.Test}, {source.PartAll, c.split.Test}} {
		before := c.columns(part.name)
		for _, at := range part.edges {
			moment := time[at]
			fewer, now := c.without(func(e int32) bool { return time[e] > moment })
			earlier := map[int32][]float32{}
			for _, e := range part.edges {
				if time[e] <= moment {
					earlier[int32(e)] = before[int32(e)]
				}
			}
			c.same(fmt.Sprintf("without the edges after %v, part %s", moment, part.name), earlier, fewer.columns(part.name), now)
		}
	}
}

// moments checks that training hides the labels of edges with the same time together.
func (c autoCase) moments() {
	c.t.Helper()
	if c.s.Settings.Split.Kind != settings.SplitTime {
		return
	}
	p := c.s.Parts[source.PartTrain]
	unit := p.Graphs[0].Observed.Group
	for _, e := range p.Items {
		for _, f := range p.Items {
			is := c.data.Set.Time[p.ID(source.Place{Item: int(e)})] == c.data.Set.Time[p.ID(source.Place{Item: int(f)})]
			if is != (unit[e] == unit[f]) {
				c.t.Fatalf("edges %d and %d have units %d and %d; that they are of one moment is %t", e, f, unit[e], unit[f], is)
			}
		}
	}
}

// without returns the case without some edges. now has the new number of each edge that stays.
func (c autoCase) without(gone func(e int32) bool) (other autoCase, now func(e int32) int32) {
	set := *c.data.Set
	var stay []int
	at := make([]int32, set.NumEdges())
	for e := range at {
		if at[e] = int32(len(stay)); !gone(int32(e)) {
			stay = append(stay, e)
		}
	}
	set.Ends = nil
	for _, e := range stay {
		set.Ends = append(set.Ends, c.data.Set.Ends[2*e:2*e+2]...)
	}
	set.Time, set.Group, set.Part = some(set.Time, stay), some(set.Group, stay), some(set.Part, stay)
	column := func(of *tables.Column) *tables.Column {
		to := *of
		to.Code, to.Value = some(of.Code, stay), some(of.Value, stay)
		return &to
	}
	set.EdgeColumns, set.Label = nil, column(set.Label)
	for _, of := range c.data.Set.EdgeColumns {
		set.EdgeColumns = append(set.EdgeColumns, column(of))
	}
	part := func(edges []int) (out []int) {
		for _, e := range edges {
			if !gone(int32(e)) {
				out = append(out, int(at[e]))
			}
		}
		return out
	}
	split := &data.Split{Train: part(c.split.Train), Valid: part(c.split.Valid), Test: part(c.split.Test)}
	return c.on(&set, split), func(e int32) int32 { return at[e] }
}

// some returns the entries of a list at the given indices, or nil for a nil list.
func some[T any](of []T, at []int) []T {
	if of == nil {
		return nil
	}
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = of[k]
	}
	return out
}
