package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/columns"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/model"
)

// Losses of numbers.
const (
	LossAbsolute = "absolute"
	LossSquared  = "squared"
)

// Request is what Fit trains on.
type Request struct {
	// Train and Valid are the training part and the validation part as a model sees them: the edges of the part have
	// a class (EdgeLabels) or a number (EdgeTargets), and Shown has the known labels. Other edges are neighbours
	// without a label.
	Train, Valid *graph.Batch
	Layout       model.EdgeLayout
	Out          int // classes, or 1
	Number       bool
	// Mean and Scale standardise the numbers of EdgeTargets.
	Mean, Scale float64
	// Loss is that of numbers, LossAbsolute or LossSquared. Classes have the log loss.
	Loss string
	// Time is the time of each edge of Train, where the validation edges are later than those; else nil.
	Time []float64
	// Structure has the structure columns of some edges of Train, counted from others; nil where there are none.
	Structure func(known, rows []int32) (model.Block, error)
	Quality   string
	// Coverage is the share of numbers that intervals are to hold; 0 for no intervals.
	Coverage float64
	Seed     uint64
	Threads  int
	// Kept are learners that an interrupted Fit of the same request has trained; nil for none.
	Kept Store
	// ValidLabels gets the columns of known labels of the validation edges; nil for nothing.
	ValidLabels *model.KeptLabels
	large       int // stands for largeRows in tests
	// OnEntry is told of each entry of the leaderboard.
	OnEntry func(Entry)
}

// problem is a request with what all learners share.
type problem struct {
	Request
	families []string // of each column
	valid    table
	hiding   *trainingSet
	moments  *trainingSet // nil without times

	rows, validRows *model.EdgeRows
	edges           []int32      // of the training part that have a label
	folds           [][]int8     // of each of edges, the part whose labels are hidden together, for each draw
	turns           []model.Turn // of the validation edges
	around          surroundings
}

// table is a number of rows of columns with a label for each edge.
type table struct {
	x model.Block
	y []float32 // class or standardised number of each edge; rows are as many, or twice as many
}

// trainingSet is what a learner is trained on.
type trainingSet struct {
	static model.Block
	draws  []model.Block // columns from labels, for the same rows
	y      []float32     // of each row
	epoch  int           // rows of an epoch

	drift []bool // see drifted; nil before it is known
}

// from is what learners are trained on with a set of columns.
func (p *problem) from(set columnSet) *trainingSet {
	if set.snapshots {
		return p.moments
	}
	return p.hiding
}

// Bounds of what drifted calls other values.
const (
	mostDrift   = 3   // standard deviations of the training rows that the mean of the validation rows may be away, for computed columns
	mostOutside = 0.5 // share of the validation rows that may be outside of the range of the training rows, for features
)

// drifted tells which columns have other values in the validation rows than in the training rows: numbers of edges that grow with time,
// for example, or the month of an edge where validation edges are later. A learner cannot know from the training rows what these values
// mean. The labels of the rows are not read.
func (p *problem) drifted(t *trainingSet) []bool {
	if t == nil {
		return make([]bool, len(p.families))
	}
	if t.drift == nil {
		train := spreadOf(t.static)
		if t.draws != nil {
			train = append(train, spreadOf(t.draws[0])...)
		}
		valid, out := spreadOf(p.valid.x), outside(p.valid.x, train)
		for c, f := range p.families {
			drifted := train[c].deviation > 0 && math.Abs(valid[c].mean-train[c].mean) > mostDrift*train[c].deviation
			if f == model.FamilyOwn || f == model.FamilyEnds || f == model.FamilyClock {
				drifted = out[c] > mostOutside*valid[c].n
			}
			t.drift = append(t.drift, drifted)
		}
	}
	return t.drift
}

// spread is the number, the mean, the standard deviation and the range of the values of a column that are not missing; 0 where all are.
type spread struct{ n, mean, deviation, low, high float64 }

// spreadOf are those of the columns of a block.
func spreadOf(x model.Block) []spread {
	out := make([]spread, x.Width)
	for i := range x.Rows {
		for c, v := range x.Data[i*x.Width:][:x.Width] {
			if s := &out[c]; v == v {
				if s.n == 0 {
					s.low, s.high = float64(v), float64(v)
				}
				s.low, s.high = min(s.low, float64(v)), max(s.high, float64(v))
				s.n++
				gap := float64(v) - s.mean
				s.mean += gap / s.n
				s.deviation += gap * (float64(v) - s.mean)
			}
		}
	}
	for c := range out {
		out[c].deviation = math.Sqrt(out[c].deviation / max(out[c].n, 1))
	}
	return out
}

// outside is how many values of each column are outside of a range.
func outside(x model.Block, of []spread) []float64 {
	n := make([]float64, x.Width)
	for i := range x.Rows {
		for c, v := range x.Data[i*x.Width:][:x.Width] {
			if float64(v) < of[c].low || float64(v) > of[c].high {
				n[c]++
			}
		}
	}
	return n
}

// draw has all columns of the rows of a draw.
func (t *trainingSet) draw(k int) model.Block {
	if t.draws == nil {
		return t.static
	}
	return t.static.Beside(t.draws[k%len(t.draws)])
}

// columns has some columns of the rows of a draw.
func (t *trainingSet) columns(k int, columns []int32) model.Block {
	if t.draws == nil {
		return t.static.Select(columns)
	}
	return t.static.SelectBeside(t.draws[k%len(t.draws)], columns)
}

// sample has n evenly spaced rows of a set and one of its draws, or all of a set of fewer rows.
func (t *trainingSet) sample(n int) *trainingSet {
	if t.static.Rows <= n {
		return t
	}
	var rows []int32
	for i := range n {
		rows = append(rows, int32(i*t.static.Rows/n))
	}
	out := &trainingSet{static: t.static.Take(rows), epoch: t.epoch * len(rows) / t.static.Rows}
	if t.draws != nil {
		out.draws = []model.Block{t.draws[0].Take(rows)}
	}
	for _, i := range rows {
		out.y = append(out.y, t.y[i])
	}
	return out
}

// Hiding and snapshots.
const (
	hiddenParts    = 5    // in which labels are hidden in turn
	snapshotCount  = 8    // moments
	snapshotFirst  = 0.25 // of the training edges that are before the first moment
	snapshotLast   = 0.92 // and before the last one
	snapshotWindow = 0.2  // of the training edges that come after a moment
	leastSnapshots = 1000 // training edges
)

// drawCount is how often labels are hidden.
func (p *problem) drawCount() int {
	switch rows := len(p.edges); {
	case p.Quality == model.QualityFast || rows > 200_000:
		return 1
	case rows > 100_000:
		return 2
	}
	return 4
}

// labelOf is the class or the standardised number of an edge that has one.
func (p *problem) labelOf(b *graph.Batch, e int32) float32 {
	if p.Number {
		return float32((float64(b.EdgeTargets.Data()[e]) - p.Mean) / p.Scale)
	}
	return float32(b.EdgeLabels[e])
}

// labels are those of some edges, as often as they have rows.
func (p *problem) labels(b *graph.Batch, edges []int32, rows int) []float32 {
	out := make([]float32, 0, rows)
	for len(out) < rows {
		for _, e := range edges {
			out = append(out, p.labelOf(b, e))
		}
	}
	return out
}

// prepare makes the columns of the validation edges and of the training edges.
func (p *problem) prepare(ctx context.Context) error {
	p.rows, p.edges = model.NewEdgeRows(p.Train, p.Layout, p.Threads), model.Labelled(p.Train)
	rows := model.NewEdgeRows(p.Valid, p.Layout, p.Threads)
	rows.KeepLabels(p.ValidLabels)
	edges := model.Labelled(p.Valid)
	p.validRows = rows
	of := rows.Rows(edges)
	p.valid = table{y: p.labels(p.Valid, edges, len(edges))}
	for _, t := range model.Turns(p.Valid, p.Layout.Classes) {
		now, at := within(edges, func(i int) bool { _, ok := slices.BinarySearch(t.Edges, edges[i]); return ok })
		p.turns = append(p.turns, model.Turn{Edges: now, Label: t.Label})
		x, err := rows.Block(ctx, t.Label, rows.Rows(now))
		if err != nil {
			return err
		}
		p.valid.x = place(p.valid.x, len(of), x, at, len(edges))
	}
	p.around = p.lookAround()
	return p.hide(ctx)
}

// within lists the edges at whose places a function is true, and these places.
func within(edges []int32, is func(i int) bool) (some, at []int32) {
	for i, e := range edges {
		if is(i) {
			some, at = append(some, e), append(at, int32(i))
		}
	}
	return some, at
}

// place puts the rows of some edges into a block with so many rows for all edges.
func place(to model.Block, rows int, x model.Block, at []int32, edges int) model.Block {
	if to.Data == nil {
		to = model.Block{Rows: rows, Width: x.Width, Data: make([]float32, rows*x.Width)}
	}
	for i := range x.Rows {
		row := int(at[i%len(at)]) + i/len(at)*edges
		copy(to.Data[row*x.Width:][:x.Width], x.Data[i*x.Width:])
	}
	return to
}

// known are the labels of the training edges that may be read, graph.Masked for others.
func (p *problem) known() []float32 {
	out := make([]float32, p.Train.H.NumEdges())
	for e := range out {
		out[e] = graph.Masked
		if p.Train.Observed != nil {
			out[e] = p.Train.Observed.Label[e]
		}
	}
	return out
}

// labelsBut are the known labels of the training part but those that are hidden with a part of a draw.
func (p *problem) labelsBut(draw int, part int8) []float32 {
	out := p.known()
	for i, e := range p.edges {
		if p.folds[draw][i] == part {
			out[e] = graph.Masked
		}
	}
	return out
}

// hide makes the columns of the training edges from labels that are hidden in turn.
func (p *problem) hide(ctx context.Context) error {
	rows, edges := p.rows, p.edges
	of := rows.Rows(edges)
	set := &trainingSet{static: rows.Static(of), y: p.labels(p.Train, edges, len(of))}
	set.epoch = len(of)
	var unit []int32
	if p.Train.Observed != nil {
		unit = p.Train.Observed.Unit
	}
	for draw := range p.drawCount() {
		part := columns.Folds(edges, unit, hiddenParts, rng.Stream(p.Seed, "auto", "folds", draw).IntN)
		p.folds = append(p.folds, part)
		var block model.Block
		for k := range int8(hiddenParts) {
			now, at := within(edges, func(i int) bool { return part[i] == k })
			x, err := rows.Labels(ctx, p.labelsBut(draw, k), rows.Rows(now))
			if err != nil {
				return err
			}
			block = place(block, set.static.Rows, x, at, len(edges))
		}
		set.draws = append(set.draws, block)
	}
	p.hiding = set
	return nil
}

// snapshots makes the columns of training edges from the graph and the labels before some moments.
func (p *problem) snapshots(ctx context.Context) error {
	rows, edges := p.rows, p.edges
	if p.Time == nil || len(edges) < leastSnapshots {
		return nil
	}
	order := slices.Clone(edges)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p.Time[a], p.Time[b]) }) // they rise, by number
	label, set := p.known(), &trainingSet{epoch: len(rows.Rows(edges))}
	window := int(snapshotWindow * float64(len(order)))
	for k := range snapshotCount {
		at := int((snapshotFirst + (snapshotLast-snapshotFirst)*float64(k)/(snapshotCount-1)) * float64(len(order)))
		moment, end := p.Time[order[at]], p.Time[order[min(at+window, len(order)-1)]]
		var now, before []int32
		known := slices.Clone(label)
		for e, t := range p.Time {
			switch {
			case t < moment:
				before = append(before, int32(e))
			default:
				known[e] = graph.Masked
			}
		}
		for _, e := range edges {
			if t := p.Time[e]; t >= moment && t <= end {
				now = append(now, e)
			}
		}
		of := rows.Rows(now)
		x, err := rows.Block(ctx, known, of)
		if err != nil {
			return err
		}
		if err := p.structureAt(x, before, now); err != nil {
			return err
		}
		set.static = appendRows(set.static, x)
		set.y = append(set.y, p.labels(p.Train, now, len(of))...)
	}
	p.moments = set
	return nil
}

// structureAt puts the structure columns of edges into their rows, counted from the edges before a moment.
func (p *problem) structureAt(x model.Block, before, now []int32) error {
	first := slices.Index(p.families, model.FamilyStructure)
	if first < 0 || p.Structure == nil {
		return nil
	}
	s, err := p.Structure(before, now)
	if err != nil {
		return err
	}
	for i := range x.Rows {
		copy(x.Data[i*x.Width+first:], s.Data[i%s.Rows*s.Width:][:s.Width])
	}
	return nil
}

func appendRows(a, b model.Block) model.Block {
	return model.Block{Rows: a.Rows + b.Rows, Width: b.Width, Data: append(a.Data, b.Data...)}
}
