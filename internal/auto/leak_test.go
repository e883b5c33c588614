package auto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
)

// attacked is a request on a random multigraph with loops, parallel and reverse edges and equal times. It has training
// edges, whose labels are known, and validation edges. Edges of one unit are kept together.
func attacked(t *testing.T, seed uint64, classes int, directed bool) Request {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 8))
	nodes, edges := int32(6+r.IntN(20)), leastSnapshots*5/4
	g := graph.Graph{NumNodes: int(nodes), Directed: directed, Label: graph.NoLabel, Observed: &graph.ObservedLabels{}}
	var number []float32
	var class []int32
	var time []float64
	unit := int32(0)
	for e := range edges {
		if e%3 == 0 || r.IntN(2) == 0 {
			unit++
		}
		u, v := r.Int32N(nodes), r.Int32N(nodes)
		if e > 0 && r.IntN(3) == 0 { // parallel to the previous edge, or its reverse
			u, v = g.Ends[2*e-2+e%2], g.Ends[2*e-1-e%2]
		}
		g.Ends = append(g.Ends, u, v)
		number, class = append(number, float32(r.NormFloat64())), append(class, r.Int32N(int32(max(classes, 1))))
		time = append(time, float64(r.IntN(200)))
		g.Observed.Group = append(g.Observed.Group, unit)
		g.Edge.Dense = append(g.Edge.Dense, float32(r.NormFloat64()))
	}
	g.Edge.Dim = 1
	out := Request{Out: max(classes, 1), Number: classes == 0, Scale: 1, Loss: LossAbsolute, Quality: model.QualityFast, Seed: seed, Threads: 1, Time: time,
		Layout: model.EdgeLayout{Classes: classes, Spans: []model.FamilySpan{{Family: model.FamilyOwn, Width: 1}}}}
	part := func(scored func(e int) bool) *graph.Batch {
		g := g
		g.Observed = &graph.ObservedLabels{Group: g.Observed.Group}
		g.EdgeLabel, g.EdgeTargets = nil, nil
		for e := range edges {
			shown := float32(graph.Masked)
			if training(e) {
				if shown = number[e]; classes > 0 {
					shown = float32(class[e])
				}
			}
			g.Observed.Label = append(g.Observed.Label, shown)
			c, x := class[e], number[e]
			if !scored(e) {
				c, x = graph.NoLabel, float32(math.NaN())
			}
			if classes > 0 {
				g.EdgeLabel = append(g.EdgeLabel, c)
			} else {
				g.EdgeTargets = append(g.EdgeTargets, x)
			}
		}
		made, err := graph.New(g)
		if err != nil {
			t.Fatal(err)
		}
		b, err := graph.Collate([]*graph.Graph{made})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	out.Train, out.Valid = part(training), part(func(e int) bool { return !training(e) })
	return out
}

// training reports whether an edge of attacked is in the training part.
func training(e int) bool { return e%6 != 5 }

// relabel changes the labels of some training edges.
func relabel(r Request, which func(e int32) bool) Request {
	change := func(x float32) float32 {
		if r.Number {
			return x + 3
		}
		return float32((int(x) + 1) % r.Out)
	}
	of := func(b *graph.Batch) *graph.Batch {
		out, shown := *b, *b.Observed
		out.Observed, shown.Label = &shown, slices.Clone(shown.Label)
		out.EdgeLabels = slices.Clone(b.EdgeLabels)
		if b.EdgeTargets != nil {
			out.EdgeTargets = tensor.FromSlice(slices.Clone(b.EdgeTargets.Data()), b.EdgeTargets.Dim(0))
		}
		for e := range shown.Label {
			if !which(int32(e)) || !training(e) {
				continue
			}
			shown.Label[e] = change(shown.Label[e])
			if out.EdgeLabels != nil && out.EdgeLabels[e] >= 0 {
				out.EdgeLabels[e] = int32(change(float32(out.EdgeLabels[e])))
			}
			if out.EdgeTargets != nil {
				out.EdgeTargets.Data()[e] = change(out.EdgeTargets.Data()[e])
			}
		}
		return &out
	}
	r.Train, r.Valid = of(r.Train), of(r.Valid)
	return r
}

// prepared has the columns of a request.
func prepared(t *testing.T, r Request) *problem {
	t.Helper()
	p := &problem{Request: r, families: r.Layout.Families()}
	if err := p.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.snapshots(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// In every draw of hidden labels, the columns of a training edge do not depend on its own label or on labels of edges
// in its unit. In a snapshot they do not depend on labels from its time on. The columns of validation edges depend only
// on the labels of training edges.
func TestTrainingColumnsLeak(t *testing.T) {
	of := []int{0, 2, 3, 14}
	if testing.Short() {
		of = []int{0, 3}
	}
	for _, classes := range of {
		for _, directed := range []bool{true, false} {
			if testing.Short() && directed != (classes == 0) {
				continue // a short test has numbers in a directed graph and classes in an undirected one
			}
			t.Run(fmt.Sprint(classes, " classes, directed ", directed), func(t *testing.T) {
				r := attacked(t, uint64(classes), classes, directed)
				units := 7
				if testing.Short() {
					units = 3
				} else {
					r.Quality = model.QualityGood
				}
				p := prepared(t, r)
				edges := model.Labelled(r.Train)
				shows := false
				for i := 0; i < len(edges); i += 1 + len(edges)/units {
					unit := r.Train.Observed.Group[edges[i]]
					other := prepared(t, relabel(r, func(e int32) bool { return r.Train.Observed.Group[e] == unit }))
					for k := range p.hiding.draws {
						same, changed := compareRows(p.hiding.draw(k), other.hiding.draw(k), func(row int) bool {
							return r.Train.Observed.Group[edges[row%len(edges)]] == unit
						})
						if !same {
							t.Fatalf("draw %d: columns of edge %d depend on labels of its unit", k, edges[i])
						}
						shows = shows || changed
					}
					if same, _ := compareRows(p.valid.x, other.valid.x, func(row int) bool {
						of := model.Labelled(r.Valid)
						return r.Valid.Observed.Group[of[row%len(of)]] == unit
					}); !same {
						t.Fatalf("columns of edges to validate on depend on labels of their unit, %d", unit)
					}
				}
				if !shows {
					t.Error("no label changes a column: the test is blind")
				}
				checkSnapshots(t, r, p)
			})
		}
	}
}

// compareRows reports whether given rows of two blocks are the same to the bit, and whether any other row differs.
func compareRows(a, b model.Block, of func(row int) bool) (same, changed bool) {
	same = true
	for i := range a.Rows {
		differ := !slices.EqualFunc(a.Data[i*a.Width:][:a.Width], b.Data[i*a.Width:][:a.Width], func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
		if of(i) {
			same = same && !differ
		} else {
			changed = changed || differ
		}
	}
	return same, changed
}

// checkSnapshots changes all labels from a time on and compares the rows of the snapshots up to that time.
func checkSnapshots(t *testing.T, r Request, p *problem) {
	t.Helper()
	if p.moments == nil {
		t.Fatal("no snapshots were made")
	}
	starts := p.momentRows()
	for k := 0; k < len(starts); k += 3 {
		at := starts[k]
		other := prepared(t, relabel(r, func(e int32) bool { return r.Time[e] >= at.moment }))
		same, changed := compareRows(p.moments.draw(0), other.moments.draw(0), func(row int) bool { return row < at.end })
		if !same {
			t.Fatalf("columns as of time %v depend on later labels", at.moment)
		}
		if k < len(starts)-1 && !changed {
			t.Errorf("labels from time %v on change no later row: the test is blind", at.moment)
		}
	}
}

// momentRow is a time of a snapshot, with the number of rows up to the end of that snapshot.
type momentRow struct {
	moment float64
	end    int
}

// momentRows finds the times by their definition, without the code that makes the rows.
func (p *problem) momentRows() []momentRow {
	edges := model.Labelled(p.Train)
	var times []float64
	for _, e := range edges {
		times = append(times, p.Time[e])
	}
	slices.Sort(times)
	var out []momentRow
	rows, each := 0, len(model.NewEdgeRows(p.Train, p.Layout, 1).Rows(edges))/len(edges)
	for k := range snapshotCount {
		at := int((snapshotFirst + (snapshotLast-snapshotFirst)*float64(k)/(snapshotCount-1)) * float64(len(times)))
		end := times[min(at+int(snapshotWindow*float64(len(times))), len(times)-1)]
		for _, t := range times {
			if t >= times[at] && t <= end {
				rows += each
			}
		}
		out = append(out, momentRow{times[at], rows})
	}
	return out
}

// A snapshot has no edges from its time on: structure is counted in the graph of the earlier edges.
func TestSnapshotGraph(t *testing.T) {
	r := attacked(t, 3, 2, true)
	r.Layout.Spans = []model.FamilySpan{{Family: model.FamilyStructure, Width: 1}}
	calls := 0
	r.Structure = func(known, rows []int32) (model.Block, error) {
		calls++
		first := math.Inf(1)
		for _, e := range rows {
			first = min(first, r.Time[e])
		}
		for _, e := range known {
			if r.Time[e] >= first {
				t.Fatalf("edge %d of time %v is counted for edges from time %v on", e, r.Time[e], first)
			}
		}
		out := model.Block{Rows: len(rows), Width: 1}
		for range rows {
			out.Data = append(out.Data, 77)
		}
		return out, nil
	}
	p := prepared(t, r)
	if calls != snapshotCount {
		t.Errorf("structure is counted %d times, expected %d", calls, snapshotCount)
	}
	for i := range p.moments.static.Rows {
		if p.moments.static.Data[i*p.moments.static.Width] != 77 {
			t.Fatalf("row %d of the snapshots has the structure of another moment", i)
		}
	}
}
