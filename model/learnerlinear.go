package model

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/tensor"
)

// Linear is a linear model of standardised columns.
type Linear struct {
	Mean, Scale []float32 // of each column
	Weight      []float32 // [columns,out]
	Bias        []float32 // [out]
	Classes     bool      // the outputs are logits
}

// LinearBound is how far from the mean, in deviations, a column counts.
const LinearBound = 5

// linearArrays are the names of the arrays of a Linear.
const (
	linearMean, linearScale  = "mean", "scale"
	linearWeight, linearBias = "weight", "bias"
)

// Learner is the model as a learner of Auto that reads some columns, with its arrays.
func (m *Linear) Learner(columns []int32) (Learner, map[string][]float32) {
	k, out := len(m.Mean), len(m.Bias)
	config := []byte("false")
	if m.Classes {
		config = []byte("true")
	}
	return Learner{Kind: LearnerLinear, Columns: columns, Config: config, Arrays: []ArrayShape{
			{linearMean, []int{k}}, {linearScale, []int{k}}, {linearWeight, []int{k, out}}, {linearBias, []int{out}}}},
		map[string][]float32{linearMean: m.Mean, linearScale: m.Scale, linearWeight: m.Weight, linearBias: m.Bias}
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
	var errs [4]error
	k := len(l.Columns)
	m.Mean, errs[0] = get(linearMean, k)
	m.Scale, errs[1] = get(linearScale, k)
	m.Weight, errs[2] = get(linearWeight, k*out)
	m.Bias, errs[3] = get(linearBias, out)
	return m, firstError(errs[:]...)
}

// Predict gives probabilities or numbers.
func (m *Linear) Predict(x Block, threads int) ([]float32, error) {
	out := len(m.Bias)
	y := make([]float32, x.Rows*out)
	par.New(threads).Rows(x.Rows, max(x.Width*out, 1), func(lo, hi int) {
		sum := make([]float64, out)
		for i := lo; i < hi; i++ {
			for k := range sum {
				sum[k] = float64(m.Bias[k])
			}
			for c, v := range x.Data[i*x.Width:][:x.Width] {
				z := m.standard(c, v)
				for k := range sum {
					sum[k] += z * float64(m.Weight[c*out+k])
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

// standard is a standardised column.
func (m *Linear) standard(column int, v float32) float64 {
	return float64(min(max((v-m.Mean[column])/m.Scale[column], -LinearBound), LinearBound))
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
