package tabular

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/tensor"
)

// Width is the number of inputs of a row.
func (in *Inputs) Width() int {
	n := len(in.Columns)
	for _, c := range in.Columns {
		if c.Missing > 0 {
			n++
		}
		n += c.bins()
	}
	return n
}

func (c *Column) bins() int { return max(len(c.Edges)-1, 0) }

// expander applies Inputs fast. It is read-only and can be shared.
type expander struct {
	width   int // inputs of a row: first the dense ones, then the encodings
	dense   int // number of inputs that are numbers and flags
	edges   int // number of edges of all bins
	columns []expandColumn
	logs    []int32        // indices of the columns whose logarithm is taken
	encoded []int32        // indices of the columns with an encoding
	sums    *tensor.Sparse // see newSums
}

// expandColumn is a Column with inverses in place of divisors.
type expandColumn struct {
	column             int32 // in its block
	labels             bool
	flag, bins         int32 // index of the flag (0 for none) and of the encoding; number of bins
	encoding, edgeAt   int32 // index of the first bin in the encoding, and of its first edge among the edges of all columns
	fill               float32
	shift, scale       float32 // of the logarithm; scale is 0 for none
	mean, inverse      float32
	flagNo, flagYes    float32
	edge, inverseWidth [bins]float32 // lower edges; +Inf beyond the last bin
	order              [bins]int64   // see order
}

// halves holds 0.5 and then -0.5. An encoding is a window of it, except for one bin.
var halves = func() (h [2 * bins]float32) {
	for i := range h {
		h[i] = 0.5
		if i >= bins {
			h[i] = -0.5
		}
	}
	return h
}()

func newExpander(in *Inputs) *expander {
	e := &expander{width: in.Width()}
	at := int32(len(in.Columns))
	for i := range in.Columns {
		c := &in.Columns[i]
		x := expandColumn{column: int32(c.Column), fill: c.Fill, mean: c.Mean, inverse: 1 / c.Deviation}
		if x.labels = c.Column >= in.Static; x.labels {
			x.column -= int32(in.Static)
		}
		if c.Log {
			x.shift, x.scale = c.Shift, 1/c.Scale
			e.logs = append(e.logs, int32(i))
		}
		if c.Missing > 0 {
			x.flag = at
			x.flagNo, x.flagYes = flagValues(c.Missing)
			at++
		}
		e.columns = append(e.columns, x)
	}
	e.dense = int(at)
	for i := range in.Columns {
		c, x := &in.Columns[i], &e.columns[i]
		x.encoding, x.bins = at, int32(c.bins())
		at += x.bins
		if x.bins > 0 {
			x.edgeAt = int32(e.edges)
			e.edges += int(x.bins) + 1
			e.encoded = append(e.encoded, int32(i))
		}
		for b := range x.edge {
			x.edge[b] = float32(math.Inf(1))
			if b < c.bins() {
				x.edge[b], x.inverseWidth[b] = c.Edges[b], 1/(c.Edges[b+1]-c.Edges[b])
			}
			x.order[b] = order(x.edge[b])
		}
	}
	e.sums = newSums(e)
	return e
}

// flagValues are the standardised flag of a present and of a missing value.
func flagValues(missing float32) (no, yes float32) {
	p := float64(missing)
	if p >= 1 {
		return 0, 0
	}
	d := math.Sqrt(p * (1 - p))
	return float32(-p / d), float32(min((1-p)/d, clipZ))
}

// expandGrain is the number of inputs from which a second thread is used.
const expandGrain = 1 << 12

// row writes the inputs of one row. logs is scratch memory.
func (e *expander) row(dst, static, labels, logs []float32) {
	e.read(dst, static, labels)
	for _, i := range e.encoded {
		c := &e.columns[i]
		c.encode(dst[c.encoding:][:c.bins], dst[i])
	}
	e.standardise(dst, logs)
}

// read writes the values of the columns to the start of dst, followed by the flags.
func (e *expander) read(dst, static, labels []float32) {
	for i := range e.columns {
		c := &e.columns[i]
		from := static
		if c.labels {
			from = labels
		}
		x := from[c.column]
		missing := x-x != 0
		if missing {
			x = c.fill
		}
		if c.flag > 0 {
			dst[c.flag] = c.flagNo
			if missing {
				dst[c.flag] = c.flagYes
			}
		}
		dst[i] = x
	}
}

// encode writes the piecewise-linear encoding of x.
func (c *expandColumn) encode(dst []float32, x float32) {
	b, share := c.bin(x)
	copy(dst, halves[bins-b:])
	dst[b] = share - 0.5
}

// order maps x, which is finite or +Inf, to an integer with the same order.
func order(x float32) int64 {
	b := int32(math.Float32bits(x))
	return int64(b ^ b>>31&math.MaxInt32)
}

// bin returns the bin of x and the position of x in the bin, from 0 to 1.
func (c *expandColumn) bin(x float32) (b int, share float32) {
	at := order(x)
	for step := bins / 2; step > 0; step /= 2 {
		b += step &^ int((at-c.order[b+step])>>63) // no branch: it would be mispredicted half of the time
	}
	share = (x - c.edge[b]) * c.inverseWidth[b]
	// Only the first and the last edge have branches; min and max would be slower.
	if share < 0 {
		share = 0
	}
	if share > 1 {
		share = 1
	}
	return b, share
}

// standardise turns the columns' values at the start of dst into standardised numbers.
func (e *expander) standardise(dst, logs []float32) {
	for k, i := range e.logs {
		c := &e.columns[i]
		logs[k] = 1 + max(dst[i]-c.shift, 0)*c.scale
	}
	kernel.Unary(kernel.Log, logs, logs, 0, 0)
	for k, i := range e.logs {
		dst[i] = logs[k]
	}
	for i := range e.columns {
		c := &e.columns[i]
		z := (dst[i] - c.mean) * c.inverse
		if z < -clipZ {
			z = -clipZ
		}
		if z > clipZ {
			z = clipZ
		}
		dst[i] = z
	}
}
