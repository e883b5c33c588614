package tabular_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/tabular"
	"github.com/ehgnn/ehgnn/tensor"
)

// saved returns a model as JSON and arrays.
func saved(t testing.TB, m *tabular.Model) (spec []byte, arrays []*tensor.Param) {
	t.Helper()
	spec, err := json.Marshal(m.Spec())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Params() {
		arrays = append(arrays, &tensor.Param{Name: p.Name, Value: p.Value.Clone()})
	}
	return spec, arrays
}

func reopen(spec []byte, arrays []*tensor.Param) (*tabular.Model, error) {
	var s tabular.Spec
	if err := json.Unmarshal(spec, &s); err != nil {
		return nil, err
	}
	return tabular.Open(s, arrays)
}

// A model is the same, to the bit, after it was written and opened.
func TestOpen(t *testing.T) {
	for _, c := range []tabular.Config{
		{Loss: tabular.CrossEntropy, Classes: 2},
		{Loss: tabular.CrossEntropy, Classes: 3, Members: 3},
		{Loss: tabular.Huber, Members: 2},
		{Loss: tabular.Quantile, Quantiles: []float64{0.05, 0.95}},
	} {
		d := numberData(300, 1)
		d.Targets.Classes, d.ValidTargets.Classes = products(d.Static), products(d.Valid.Static)
		c.MaxEpochs = 2
		m := train(t, d, c)
		spec, arrays := saved(t, m)
		slices.Reverse(arrays) // arrays are found by their names
		back, err := reopen(spec, arrays)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(predict(t, back, d.Valid), predict(t, m, d.Valid)) {
			t.Errorf("%s: other predictions", c.Loss)
		}
		if len(spec) > 4000 {
			t.Errorf("%s: %d bytes of description", c.Loss, len(spec))
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	d := numberData(300, 1)
	d.Targets.Classes, d.ValidTargets.Classes = products(d.Static), products(d.Valid.Static)
	m := train(t, d, tabular.Config{Loss: tabular.CrossEntropy, Classes: 3, Members: 2, MaxEpochs: 1, Units: 8})
	nan := float32(math.NaN())
	for _, c := range []struct {
		want   string
		change func(s *tabular.Spec, a []*tensor.Param)
	}{
		{"loss", func(s *tabular.Spec, _ []*tensor.Param) { s.Loss = "l1" }},
		{"members", func(s *tabular.Spec, _ []*tensor.Param) { s.Members = 0 }},
		{"deviation 0", func(s *tabular.Spec, _ []*tensor.Param) { s.Deviation = 0 }},
		{"mean NaN", func(s *tabular.Spec, _ []*tensor.Param) { s.Mean = math.NaN() }},
		{"head.weight has the shape", func(s *tabular.Spec, _ []*tensor.Param) { s.Members = 3 }},
		{"arrays, expected", func(s *tabular.Spec, _ []*tensor.Param) { s.Members = 1 }},
		{"hidden.0.weight has the shape", func(s *tabular.Spec, _ []*tensor.Param) { s.Inputs.Columns[0].Edges = nil }},
		{"no array head.bias", func(_ *tabular.Spec, a []*tensor.Param) { a[5].Name = "head.weight" }},
		{"element 3 of array hidden.0.bias", func(_ *tabular.Spec, a []*tensor.Param) { a[1].Value.Data()[3] = nan }},
		{"static and", func(s *tabular.Spec, _ []*tensor.Param) { s.Inputs.Static = -1 }},
		{"after those of column", func(s *tabular.Spec, _ []*tensor.Param) { s.Inputs.Columns[1].Column = 0 }},
		{"of 3", func(s *tabular.Spec, _ []*tensor.Param) { s.Inputs.Static = 3 }},
		{"not finite", func(s *tabular.Spec, _ []*tensor.Param) { s.Inputs.Columns[0].Fill = nan }},
		{"deviation -1", func(s *tabular.Spec, _ []*tensor.Param) { s.Inputs.Columns[0].Deviation = -1 }},
		{"scale 0", func(s *tabular.Spec, _ []*tensor.Param) { s.Inputs.Columns[0].Log = true }},
		{"missing values", func(s *tabular.Spec, _ []*tensor.Param) { s.Inputs.Columns[0].Missing = nan }},
		{"2 edges", func(s *tabular.Spec, _ []*tensor.Param) { s.Inputs.Columns[0].Edges = []float32{1, 2} }},
		{"edge 1 after", func(s *tabular.Spec, _ []*tensor.Param) {
			s.Inputs.Columns[0].Edges[1] = 1
			s.Inputs.Columns[0].Edges[0] = 1
		}},
	} {
		text, arrays := saved(t, m)
		var s tabular.Spec
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		c.change(&s, arrays)
		if _, err := tabular.Open(s, arrays); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.want, err)
		}
	}
}

// FuzzOpen opens damaged descriptions and arrays. A model that can be opened predicts without a
// panic.
func FuzzOpen(f *testing.F) {
	d := numberData(90, 1)
	d.Targets.Classes, d.ValidTargets.Classes = products(d.Static), products(d.Valid.Static)
	for _, c := range []tabular.Config{
		{Loss: tabular.CrossEntropy, Classes: 2, Members: 2},
		{Loss: tabular.CrossEntropy, Classes: 3},
		{Loss: tabular.Quantile, Quantiles: []float64{0.5}},
	} {
		c.Units, c.MaxEpochs, c.Plain = 2, 1, []bool{true, true, true}
		m, err := tabular.Train(f.Context(), d, c)
		if err != nil {
			f.Fatal(err)
		}
		spec, arrays := saved(f, m)
		var data []byte
		var shapes []string
		for _, a := range arrays {
			shapes = append(shapes, strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Name, a.Value.Shape()), "[", " "), "]"))
			for _, v := range a.Value.Data() {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
			}
		}
		f.Add(spec, strings.Join(shapes, "\n"), data)
	}
	f.Fuzz(func(t *testing.T, spec []byte, shapes string, data []byte) {
		var arrays []*tensor.Param
		for line := range strings.Lines(shapes) {
			fields := strings.Fields(line)
			if len(fields) < 1 || len(fields) > 4 {
				return
			}
			dims, size := make([]int, len(fields)-1), 1
			for i, f := range fields[1:] {
				if _, err := fmt.Sscan(f, &dims[i]); err != nil || dims[i] < 0 || dims[i] > 1<<10 {
					return
				}
				size *= dims[i]
			}
			if 4*size > len(data) {
				return
			}
			x := make([]float32, size)
			for i := range x {
				x[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
			}
			data = data[4*size:]
			arrays = append(arrays, &tensor.Param{Name: fields[0], Value: tensor.FromSlice(x, dims...)})
		}
		m, err := reopen(spec, arrays)
		if err != nil {
			return
		}
		in := m.Spec().Inputs
		if in.Static+in.Labels == 0 || in.Static+in.Labels > 1000 || m.Outputs() > 1000 {
			return
		}
		rows := tabular.Rows{Static: tabular.Block{X: make([]float32, 2*in.Static), Cols: in.Static},
			Labels: tabular.Block{X: make([]float32, 2*in.Labels), Cols: in.Labels}}
		for i := range rows.Static.X {
			rows.Static.X[i] = float32(math.Inf(i&1*2 - 1))
		}
		out := make([]float32, 2*m.Outputs())
		if err := m.Predict(t.Context(), rows, out); err != nil {
			t.Fatal(err)
		}
	})
}
