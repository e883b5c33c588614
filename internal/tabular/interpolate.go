package tabular

import (
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/tensor"
)

// inputs are the network inputs of some rows. All elements of a piecewise-linear encoding except one are ½ or -½. So
// the product of an encoding with weights is an interpolation between two sums of these weights, one at each edge of
// the bin:
//
//	Σ_b encoding_b·w_b = (1-share)·k_bin + share·k_bin+1,   k_j = ½·Σ_b<j w_b - ½·Σ_b≥j w_b
//
// Instead of all weights of its encoding, a number reads two rows of sums.
type inputs struct {
	from  *expander
	dense *tensor.Tensor // [rows, from.dense + more]: numbers, flags and message passing
	// edges [rows, from.edges] interpolates between the sums at the edges of bins. It is nil if there are no
	// encodings, or if they are part of dense (which then has the width from.width + more).
	edges *tensor.Sparse
}

// rows is the number of rows.
func (in *inputs) rows() int { return in.dense.Dim(0) }

// extended returns the inputs with the columns of more added.
func (in *inputs) extended(more *tensor.Tensor) *inputs {
	return &inputs{in.from, tensor.Concat(1, in.dense, more), in.edges}
}

// affine computes x·w + bias for inputs x and w [inputs, units], followed by a ReLU if relu is set.
func (in *inputs) affine(w, bias *tensor.Tensor, relu bool) *tensor.Tensor {
	return in.product(in.from.weights(w, bias, in.edges != nil), relu)
}

// weights are a matrix and a bias in the form that multiplies inputs.
type weights struct {
	dense, bias *tensor.Tensor // multiply inputs.dense
	sums        *tensor.Tensor // sums at the edges of bins; nil for inputs without edges
}

// weights prepares w [inputs, units] and bias for inputs with or without edges.
func (e *expander) weights(w, bias *tensor.Tensor, edges bool) *weights {
	if !edges {
		return &weights{dense: w, bias: bias}
	}
	dense := w.Slice(0, 0, e.dense)
	if n := w.Dim(0); n > e.width {
		dense = tensor.Concat(0, dense, w.Slice(0, e.width, n))
		w = w.Slice(0, 0, e.width)
	}
	return &weights{dense, bias, tensor.SpMM(e.sums, w, tensor.SpMMConfig{})}
}

// product is affine with prepared weights.
func (in *inputs) product(w *weights, relu bool) *tensor.Tensor {
	if in.edges == nil {
		return tensor.Affine(in.dense, w.dense, w.bias, tensor.AffineConfig{ReLU: relu})
	}
	return tensor.SpMM(in.edges, w.sums, tensor.SpMMConfig{Self: tensor.Affine(in.dense, w.dense, w.bias, tensor.AffineConfig{}), ReLU: relu})
}

// newSums is the matrix [edges, width] that maps weights to their sums at the edges of bins.
func newSums(e *expander) *tensor.Sparse {
	c := tensor.SparseConfig{Rows: e.edges, Cols: e.width, Ptr: make([]int32, 1, e.edges+1)}
	for _, i := range e.encoded {
		x := &e.columns[i]
		for j := range x.bins + 1 {
			for b := range x.bins {
				half := float32(-0.5)
				if b < j {
					half = 0.5
				}
				c.Col, c.Coef = append(c.Col, x.encoding+b), append(c.Coef, half)
			}
			c.Ptr = append(c.Ptr, int32(len(c.Col)))
		}
	}
	return tensor.NewSparse(c)
}

// inputs returns the inputs of the rows ids of r, in the memory of the tape.
func (e *expander) inputs(tape *tensor.Tape, pool *par.Pool, r Rows, ids []int32) *inputs {
	out := &inputs{from: e, dense: tape.New(len(ids), e.dense)}
	two := 2 * len(e.encoded)
	col, coef := tape.Ints(len(ids)*two), tape.New(len(ids), max(two, 1)).Data()
	dense := out.dense.Data()
	pool.Rows(len(ids), expandGrain/max(e.width, 1)+1, func(lo, hi int) {
		logs := make([]float32, len(e.logs))
		for i := lo; i < hi; i++ {
			id := int(ids[i])
			x := dense[i*e.dense:][:e.dense]
			e.read(x, r.Static.row(id), r.Labels.row(id))
			e.locate(col[i*two:][:two], coef[i*two:][:two], x)
			e.standardise(x, logs)
		}
	})
	out.dense = tape.Constant(out.dense)
	if two > 0 {
		out.edges = tensor.NewSparse(tensor.SparseConfig{Rows: len(ids), Cols: e.edges, Width: two, Col: col, Coef: coef[:len(ids)*two]})
		out.edges.WithTranspose(func() *tensor.Sparse { return e.transpose(tape, pool, out.edges) })
	}
	return out
}

// locate writes the two edges around each encoded number and the weights of the interpolation.
func (e *expander) locate(col []int32, coef, x []float32) {
	for k, i := range e.encoded {
		c := &e.columns[i]
		b, share := c.bin(x[i])
		col[2*k], col[2*k+1] = c.edgeAt+int32(b), c.edgeAt+int32(b)+1
		coef[2*k], coef[2*k+1] = 1-share, share
	}
}

// transpose returns the transpose of edges. A row of edges has two entries for each encoded column, and each column has
// its own range of rows in the transpose.
func (e *expander) transpose(tape *tensor.Tape, pool *par.Pool, edges *tensor.Sparse) *tensor.Sparse {
	rows, two := edges.Rows, edges.Width
	ptr, of := tape.Ints(e.edges+1), tape.Ints(rows*two)
	coef := tape.New(rows, two).Data()
	ptr[e.edges] = int32(rows * two)
	pool.Rows(len(e.encoded), expandGrain/(2*rows)+1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			c := &e.columns[e.encoded[k]]
			at := ptr[c.edgeAt:][:c.bins+1]
			clear(at)
			for r := range rows {
				b := edges.Col[r*two+2*k] - c.edgeAt
				at[b]++
				at[b+1]++
			}
			next := int32(2 * k * rows)
			for j, n := range at {
				at[j] = next
				next += n
			}
			for r := range rows {
				p := r*two + 2*k
				for q := p; q < p+2; q++ {
					j := edges.Col[q] - c.edgeAt
					of[at[j]], coef[at[j]] = int32(r), edges.Coef[q]
					at[j]++
				}
			}
			// Filling has moved each start to the start of the next row.
			copy(at[1:], at[:c.bins])
			at[0] = int32(2 * k * rows)
		}
	})
	return tensor.NewSparse(tensor.SparseConfig{Rows: e.edges, Cols: rows, Ptr: ptr, Col: of, Coef: coef})
}
