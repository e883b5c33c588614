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
	// Loss is the loss of numbers: LossAbsolute or LossSquared. Classes have the log loss.
	Loss string
	// Time is the time of each edge of Train if the validation edges are later than the training edges, else nil.
	Time []float64
	// Structure returns the structure columns of the edges rows, counted from the edges known; nil if there are none.
	Structure func(known, rows []int32) (model.Block, error)
	Quality   string
	// Coverage is the share of numbers that prediction intervals cover; 0 for no intervals.
	Coverage float64
	Seed     uint64
	Threads  int
	// Kept has the learners that an interrupted Fit of the same request trained; nil for none.
	Kept Store
	// ValidLabels receives the columns of known labels of the validation edges; nil to drop them.
	ValidLabels *model.KeptLabels
	large       int // replaces largeRows in tests
	// OnEntry is called with each entry of the leaderboard.
	OnEntry func(Entry)
}

// problem is a request and the data that all learners share.
type problem struct {
	Request
	families []string // family of each column
	valid    table
	hiding   *trainingSet
	moments  *trainingSet // nil if edges have no times

	rows, validRows *model.EdgeRows
	edges           []int32      // training edges that have a label
	folds           [][]int8     // for each draw: the fold of each of edges
	turns           []model.Turn // turns in which the validation edges are predicted
	around          surroundings
}

// table has rows of columns, and a label for each edge.
type table struct {
	x model.Block
	y []float32 // class or standardised number of each edge; an edge has one row or two
}

// trainingSet has the rows that a learner is trained on.
type trainingSet struct {
	static model.Block
	draws  []model.Block // columns made from labels, for the same rows
	y      []float32     // label of each row
	epoch  int           // rows in an epoch

	drift []bool // result of drifted; nil before its first call
}

// rowsFor returns the training rows for a set of columns.
func (p *problem) rowsFor(set columnSet) *trainingSet {
	if set.snapshots {
		return p.moments
	}
	return p.hiding
}

// Limits of drifted.
const (
	mostDrift   = 3   // for computed columns: distance of the means of training and validation rows, in standard deviations of the training rows
	mostOutside = 0.5 // for features: share of the validation rows outside the range of the training rows
)

// drifted reports for each column whether its values in the validation rows differ from the training rows. Examples are
// counts that grow with time, and the month of an edge if validation edges are later. A learner cannot know from the
// training rows what these values mean. The labels of the rows are not read.
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

// spread has statistics of the values of a column that are not missing; all are 0 if all values are missing.
type spread struct{ n, mean, deviation, low, high float64 }

// spreadOf returns the spread of each column of a block.
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

// outside counts for each column the values outside the range in of.
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

// draw returns all columns of the rows, with the label columns of draw k.
func (t *trainingSet) draw(k int) model.Block {
	if t.draws == nil {
		return t.static
	}
	return t.static.Beside(t.draws[k%len(t.draws)])
}

// columns returns some columns of the rows, with the label columns of draw k.
func (t *trainingSet) columns(k int, columns []int32) model.Block {
	if t.draws == nil {
		return t.static.Select(columns)
	}
	return t.static.SelectBeside(t.draws[k%len(t.draws)], columns)
}

// sample returns n evenly spaced rows with one draw, or t itself if it has at most n rows.
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

// Constants of hide and snapshots.
const (
	hiddenParts    = 5    // folds
	snapshotCount  = 8    // number of moments
	snapshotFirst  = 0.25 // share of the training edges before the first moment
	snapshotLast   = 0.92 // share of the training edges before the last moment
	snapshotWindow = 0.2  // share of the training edges in the window after a moment
	leastSnapshots = 1000 // training edges from which snapshots are made
)

// drawCount is how often the labels are divided into folds.
func (p *problem) drawCount() int {
	switch rows := len(p.edges); {
	case p.Quality == model.QualityFast || rows > 200_000:
		return 1
	case rows > 100_000:
		return 2
	}
	return 4
}

// labelOf is the class or the standardised number of a labelled edge.
func (p *problem) labelOf(b *graph.Batch, e int32) float32 {
	if p.Number {
		return float32((float64(b.EdgeTargets.Data()[e]) - p.Mean) / p.Scale)
	}
	return float32(b.EdgeLabels[e])
}

// labels returns the labels of edges, repeated until there is one for each row.
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
		now, at := selectEdges(edges, func(i int) bool { _, ok := slices.BinarySearch(t.Edges, edges[i]); return ok })
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

// selectEdges returns the edges at the indices for which is(i) holds, and these indices.
func selectEdges(edges []int32, is func(i int) bool) (some, at []int32) {
	for i, e := range edges {
		if is(i) {
			some, at = append(some, e), append(at, int32(i))
		}
	}
	return some, at
}

// place copies the rows of x to the indices at in a block of so many rows. A block has one row for each edge, or two.
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

// known returns the known label of each training edge, or graph.Masked.
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

// labelsBut returns the known labels of the training edges, with one fold of a draw masked.
func (p *problem) labelsBut(draw int, part int8) []float32 {
	out := p.known()
	for i, e := range p.edges {
		if p.folds[draw][i] == part {
			out[e] = graph.Masked
		}
	}
	return out
}

// hide makes the columns of each fold of the training edges from the labels of the other folds.
func (p *problem) hide(ctx context.Context) error {
	rows, edges := p.rows, p.edges
	of := rows.Rows(edges)
	set := &trainingSet{static: rows.Static(of), y: p.labels(p.Train, edges, len(of))}
	set.epoch = len(of)
	var unit []int32
	if p.Train.Observed != nil {
		unit = p.Train.Observed.Group
	}
	for draw := range p.drawCount() {
		part := columns.Folds(edges, unit, hiddenParts, rng.Stream(p.Seed, "auto", "folds", draw).IntN)
		p.folds = append(p.folds, part)
		var block model.Block
		for k := range int8(hiddenParts) {
			now, at := selectEdges(edges, func(i int) bool { return part[i] == k })
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

// snapshots makes columns of the training edges after some moments, from the graph and the labels before each moment.
func (p *problem) snapshots(ctx context.Context) error {
	rows, edges := p.rows, p.edges
	if p.Time == nil || len(edges) < leastSnapshots {
		return nil
	}
	order := slices.Clone(edges)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p.Time[a], p.Time[b]) }) // edges of the same time keep the order of their numbers
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

// structureAt writes the structure columns of the edges now, counted from the edges before, into their rows of x.
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
