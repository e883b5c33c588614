package tabular

import (
	"context"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// pathSteps is the number of points of the path of integrated gradients.
const pathSteps = 32

// Attribute writes to out [rows, columns] how much each column of a row contributes to one output
// of Predict, compared with a row of the columns' means. The contributions of a row sum to the
// difference of both outputs. They are integrated gradients along the straight line between the
// inputs of the two rows (Sundararajan, Taly and Yan 2017). The error of the sum over 32 points is
// distributed in proportion to the sizes of the contributions.
func (m *Model) Attribute(ctx context.Context, rows Rows, output int, out []float32) error {
	if m.net.messages != nil {
		return fmt.Errorf("tabular: a network that reads neighbours has no parts by columns alone")
	}
	cols := m.spec.Inputs.Static + m.spec.Inputs.Labels
	if err := m.check(rows, out, cols); err != nil {
		return err
	}
	if output < 0 || output >= m.spec.Outputs() {
		return fmt.Errorf("tabular: output %d, expected 0 to %d", output, m.spec.Outputs()-1)
	}
	a := m.newAttributer(output)
	for i := range rows.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.row(rows, int32(i), out[i*cols:][:cols]); err != nil {
			return err
		}
	}
	return nil
}

// attributer attributes an output to columns.
type attributer struct {
	m      *Model
	output int
	arena  *tensor.Arena
	column []int32   // column of each input
	base   []float32 // inputs of the row of means
	x      []float32 // inputs of the row
	logs   []float32 // scratch memory of the expander
}

func (m *Model) newAttributer(output int) *attributer {
	in := &m.spec.Inputs
	width := m.expander.width
	a := &attributer{m: m, output: output, arena: tensor.NewArena(m.Threads),
		column: make([]int32, width), base: make([]float32, width), x: make([]float32, width), logs: make([]float32, len(m.expander.logs))}
	means := make([]float32, in.Static+in.Labels)
	for i, c := range in.Columns {
		means[c.Column] = c.Fill
		x := &m.expander.columns[i]
		a.column[i] = int32(c.Column)
		if x.flag > 0 {
			a.column[x.flag] = int32(c.Column)
		}
		for b := range x.bins {
			a.column[x.encoding+b] = int32(c.Column)
		}
	}
	m.expander.row(a.base, means[:in.Static], means[in.Static:], a.logs)
	return a
}

// row writes the contributions to the output of row i.
func (a *attributer) row(rows Rows, i int32, out []float32) (err error) {
	defer tensor.Catch(&err)
	tape := a.arena.Tape()
	defer tape.Close()
	a.m.expander.row(a.x, rows.Static.row(int(i)), rows.Labels.row(int(i)), a.logs)
	width := len(a.x)
	path := tape.New(pathSteps+2, width)
	for s := range pathSteps + 2 {
		// The first and the last point are the ends of the path.
		share := float32(min(max(float64(s)-0.5, 0)/pathSteps, 1))
		for k, b := range a.base {
			path.Data()[s*width+k] = b + share*(a.x[k]-b)
		}
	}
	x := tape.Variable(path)
	f := a.m.output(tape, a.m.net.forward(&pass{Pass: nn.Pass{Tape: tape}}, &inputs{from: a.m.expander, dense: x}), a.output)
	change := float64(f.Data()[pathSteps+1]) - float64(f.Data()[0])
	part := make([]float64, len(out))
	for k, g := range a.meanGradient(tape.Grad(f.Sum(), x)[0].Data()) {
		part[a.column[k]] += g * float64(a.x[k]-a.base[k])
	}
	spread(out, part, change)
	return nil
}

// meanGradient is the mean of the gradients g of the points between the ends of the path.
func (a *attributer) meanGradient(g []float32) []float64 {
	width := len(a.x)
	mean := make([]float64, width)
	for s := 1; s <= pathSteps; s++ {
		for k := range mean {
			mean[k] += float64(g[s*width+k]) / pathSteps
		}
	}
	return mean
}

// spread writes the contributions, corrected so that they sum to whole.
func spread(out []float32, part []float64, whole float64) {
	sum, size := 0.0, 0.0
	for _, v := range part {
		sum += v
		size += math.Abs(v)
	}
	rest := 0.0
	if size > 0 {
		rest = (whole - sum) / size
	}
	for j, v := range part {
		out[j] = float32(v + rest*math.Abs(v))
	}
}

// output computes output c of Predict from z [members, rows, out] by operations with gradients. The
// result has an element for each row.
func (m *Model) output(tape *tensor.Tape, z *tensor.Tensor, c int) *tensor.Tensor {
	s := &m.spec
	rows := z.Dim(1)
	switch {
	case s.numbers():
		return z.Slice(2, c, c+1).MeanAxis(0).MulScalar(float32(s.Deviation)).AddScalar(float32(s.Mean)).Reshape(rows)
	case s.Classes == 2 && c == 1:
		z = z.Neg().Softplus().Neg()
	case s.Classes == 2:
		z = z.Softplus().Neg()
	default:
		z = z.LogSoftmax().Slice(2, c, c+1)
	}
	// The logarithm of the mean over members. Subtracting the greatest first keeps it finite.
	greatest := tape.New(1, rows, 1)
	for i := range rows {
		most := z.Data()[i]
		for b := range s.Members {
			most = max(most, z.Data()[b*rows+i])
		}
		greatest.Data()[i] = most
	}
	return z.Sub(greatest).Exp().MeanAxis(0).Log().Reshape(rows).Add(greatest.Reshape(rows))
}
