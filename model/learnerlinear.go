package model

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/tensor"
)

// Linear is a linear model of standardised inputs: the columns, and the logarithms of the columns
// that have a Floor.
type Linear struct {
	Mean, Scale []float32 // of each input
	Weight      []float32 // [inputs,out]
	Bias        []float32 // [out]
	Classes     bool      // the outputs are logits
	// Floor is a lower bound for each column whose logarithm is another input, and 0 for other
	// columns. The logarithms follow all columns. nil means no logarithms.
	Floor []float32
}

// LinearBound is the largest distance of an input from its mean, in standard deviations; a larger
// one is cut off.
const LinearBound = 5

// linearArrays are the names of the arrays of a Linear.
const (
	linearMean, linearScale  = "mean", "scale"
	linearWeight, linearBias = "weight", "bias"
	linearFloor              = "floor" // optional
)

// Learner returns the model as a learner of Auto that reads the given columns, with its arrays.
func (m *Linear) Learner(columns []int32) (Learner, map[string][]float32) {
	inputs, out := len(m.Mean), len(m.Bias)
	config := []byte("false")
	if m.Classes {
		config = []byte("true")
	}
	shapes := []ArrayShape{{linearMean, []int{inputs}}, {linearScale, []int{inputs}}, {linearWeight, []int{inputs, out}}, {linearBias, []int{out}}}
	arrays := map[string][]float32{linearMean: m.Mean, linearScale: m.Scale, linearWeight: m.Weight, linearBias: m.Bias}
	if m.Floor != nil {
		shapes, arrays[linearFloor] = append(shapes, ArrayShape{linearFloor, []int{len(m.Floor)}}), m.Floor
	}
	return Learner{Kind: LearnerLinear, Columns: columns, Config: config, Arrays: shapes}, arrays
}

func loadLinear(l Learner, out int, arrays map[string]*tensor.Tensor) (ColumnLearner, error) {
	get := func(name string, n int) ([]float32, error) {
		t := arrays[name]
		if t == nil || t.Size() != n {
			return nil, fmt.Errorf("array %s has not %d numbers", name, n)
		}
		return t.Data(), nil
	}
	m := &Linear{Classes: string(l.Config) == "true"}
	var errs [5]error
	inputs := len(l.Columns)
	if arrays[linearFloor] != nil {
		m.Floor, errs[4] = get(linearFloor, len(l.Columns))
		inputs += len(m.logarithms())
	}
	m.Mean, errs[0] = get(linearMean, inputs)
	m.Scale, errs[1] = get(linearScale, inputs)
	m.Weight, errs[2] = get(linearWeight, inputs*out)
	m.Bias, errs[3] = get(linearBias, out)
	return m, firstError(errs[:]...)
}

// Predict returns probabilities or numbers.
func (m *Linear) Predict(x Block, threads int) ([]float32, error) {
	out := len(m.Bias)
	y := make([]float32, x.Rows*out)
	if m.Floor != nil {
		x = m.Inputs(x)
	}
	par.New(threads).Rows(x.Rows, max(x.Width*out, 1), func(lo, hi int) {
		sum := make([]float64, out)
		for i := lo; i < hi; i++ {
			for k := range sum {
				sum[k] = float64(m.Bias[k])
			}
			for c, v := range x.Data[i*x.Width:][:x.Width] {
				z := m.standard(c, v)
				for k, w := range m.Weight[c*out:][:out] {
					sum[k] += z * float64(w)
				}
			}
			if m.Classes {
				softmax(sum)
			}
			for k, v := range sum {
				y[i*out+k] = float32(v)
			}
		}
	})
	return y, nil
}

// logarithms lists the columns whose logarithms are inputs.
func (m *Linear) logarithms() (out []int) {
	for c, floor := range m.Floor {
		if floor > 0 {
			out = append(out, c)
		}
	}
	return out
}

// Inputs returns the inputs of rows of columns, not yet standardised.
func (m *Linear) Inputs(x Block) Block {
	logarithms := m.logarithms()
	out := Block{Rows: x.Rows, Width: x.Width + len(logarithms)}
	out.Data = make([]float32, out.Rows*out.Width)
	for i := range x.Rows {
		row, to := x.Data[i*x.Width:][:x.Width], out.Data[i*out.Width:][:out.Width]
		copy(to, row)
		for k, c := range logarithms {
			to[x.Width+k] = float32(math.Log(float64(max(row[c], m.Floor[c]))))
		}
	}
	return out
}

// standard returns a standardised input.
func (m *Linear) standard(input int, v float32) float64 {
	return float64(min(max((v-m.Mean[input])/m.Scale[input], -LinearBound), LinearBound))
}

// softmax turns logits into probabilities.
func softmax(x []float64) {
	most, sum := math.Inf(-1), 0.0
	for _, v := range x {
		most = max(most, v)
	}
	for i, v := range x {
		x[i] = math.Exp(v - most)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}
