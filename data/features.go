package data

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
)

// block has the labels and attributes of nodes, or of arcs, one row for each.
type block struct {
	what    string // "node" or "edge"
	file    string // of the labels, for errors; row i is line i+1 if it is a file of its own
	ownFile bool
	labels  []int32 // rows × columns; codes after encode
	columns int
	attrs   []float32 // rows × dim
	dim     int

	offset []int32 // per column: what encode subtracted
	widths []int   // per column
}

// empty reports whether rows have no features.
func (b *block) empty() bool { return b.columns == 0 && b.dim == 0 }

// differ reports whether rows x and y have different features.
func (b *block) differ(x, y int32) bool {
	for c := range b.columns {
		if b.labels[int(x)*b.columns+c] != b.labels[int(y)*b.columns+c] {
			return true
		}
	}
	for d := range b.dim {
		if b.attrs[int(x)*b.dim+d] != b.attrs[int(y)*b.dim+d] {
			return true
		}
	}
	return false
}

// encode turns labels into codes. In each column the smallest label becomes 0. With fixed > 0,
// labels must be from offset to offset+fixed-1.
func (b *block) encode(fixed, offset int) error {
	if b.columns == 0 {
		return nil
	}
	if fixed > 0 && b.columns > 1 {
		return &ParseError{File: b.file, Msg: fmt.Sprintf("%d label columns, expected one when the %s codes are fixed", b.columns, b.what)}
	}
	lo := make([]int32, b.columns)
	hi := make([]int32, b.columns)
	copy(lo, b.labels)
	copy(hi, b.labels)
	for i, v := range b.labels {
		c := i % b.columns
		lo[c], hi[c] = min(lo[c], v), max(hi[c], v)
		if fixed > 0 && (int(v) < offset || int(v) >= offset+fixed) {
			return b.labelError(i, fmt.Sprintf("%s label %d, expected %d to %d", b.what, v, offset, offset+fixed-1))
		}
	}
	b.offset = lo
	b.widths = make([]int, b.columns)
	total := int64(0)
	for c := range b.columns {
		width := int64(hi[c]) - int64(lo[c]) + 1
		if width > maxCodes {
			return &ParseError{File: b.file, Msg: fmt.Sprintf("%s labels from %d to %d, expected a range of at most %d", b.what, lo[c], hi[c], maxCodes)}
		}
		b.widths[c] = int(width)
		total += width
	}
	if total > maxCodes {
		return &ParseError{File: b.file, Msg: fmt.Sprintf("%d one-hot columns for %d columns of %s labels, expected at most %d", total, b.columns, b.what, maxCodes)}
	}
	if fixed > 0 {
		b.offset, b.widths = []int32{int32(offset)}, []int{fixed}
	}
	for i := range b.labels {
		b.labels[i] -= b.offset[i%b.columns]
	}
	return nil
}

func (b *block) labelError(i int, msg string) error {
	e := &ParseError{File: b.file, Msg: msg}
	if b.ownFile {
		e.Line = i/b.columns + 1
	}
	return e
}

// offsets returns offset in the form of Info.
func (b *block) offsets() []int {
	if b.columns == 0 {
		return nil
	}
	out := make([]int, b.columns)
	for c := range out {
		if c < len(b.offset) {
			out[c] = int(b.offset[c])
		}
	}
	return out
}

// features returns the attributes of some rows followed by their labels as codes.
func (b *block) features(rows int, row func(i int) int) graph.Features {
	f := graph.Features{Dim: b.dim, Codes: b.widths}
	if b.dim > 0 {
		f.Dense = make([]float32, 0, rows*b.dim)
	}
	if b.columns > 0 {
		f.Code = make([]int32, 0, rows*b.columns)
	}
	for i := range rows {
		r := row(i)
		f.Dense = append(f.Dense, b.attrs[r*b.dim:(r+1)*b.dim]...)
		f.Code = append(f.Code, b.labels[r*b.columns:(r+1)*b.columns]...)
	}
	return f
}

// degreeLimit is the smallest degree for which nodes without features get standardised degrees and
// not one-hot codes (published code).
const degreeLimit = 1000

// degrees gives nodes without features their degree. Its scale comes from the whole set, test
// graphs included, because it fixes the input width.
type degrees struct {
	codes     int // one-hot width, or 0 for standardised degrees
	mean, std float64
}

func newDegrees(adj []adjacency, maxDegree, fixed int) degrees {
	if fixed > 0 {
		return degrees{codes: fixed}
	}
	if maxDegree < degreeLimit {
		return degrees{codes: maxDegree + 1}
	}
	var d degrees
	var n, sum, squares float64
	for g := range adj {
		n += float64(adj[g].numNodes())
		sum += float64(len(adj[g].end))
	}
	d.mean = sum / n
	for g := range adj {
		for v := range adj[g].numNodes() {
			x := float64(adj[g].start[v+1]-adj[g].start[v]) - d.mean
			squares += x * x
		}
	}
	d.std = math.Sqrt(squares / (n - 1)) // n > degreeLimit here
	return d
}

func (d degrees) features(a *adjacency) graph.Features {
	n := a.numNodes()
	if d.codes > 0 {
		f := graph.Features{Codes: []int{d.codes}, Code: make([]int32, n)}
		for v := range f.Code {
			f.Code[v] = a.start[v+1] - a.start[v]
		}
		return f
	}
	f := graph.Features{Dim: 1, Dense: make([]float32, n)}
	if d.std > 0 {
		for v := range f.Dense {
			f.Dense[v] = float32((float64(a.start[v+1]-a.start[v]) - d.mean) / d.std)
		}
	}
	return f
}
