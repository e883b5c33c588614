package data_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

func dense(dim int, values ...float32) graph.Features {
	return graph.Features{Dim: dim, Dense: values, Codes: []int{3}, Code: make([]int32, len(values)/dim)}
}

func TestScale(t *testing.T) {
	a, b := dense(3, 1, 0.1, -5, 3, 0.1, 5), dense(3, 8, 0.1, 0)
	fs := []graph.Features{a, b, {Dim: 3}}
	s, err := data.FitScale(slices.Values(fs))
	if err != nil {
		t.Fatal(err)
	}
	// 1, 3, 8: mean 4, variance (9+1+16)/3; a constant; -5, 5, 0: variance 50/3.
	want := data.Scale{Mean: []float64{4, float64(float32(0.1)), 0}, Scale: []float64{math.Sqrt(26. / 3), 1, math.Sqrt(50. / 3)}}
	for c := range 3 {
		if math.Abs(s.Mean[c]-want.Mean[c]) > 1e-12 || math.Abs(s.Scale[c]-want.Scale[c]) > 1e-12 {
			t.Errorf("column %d: %v and %v, want %v and %v", c, s.Mean[c], s.Scale[c], want.Mean[c], want.Scale[c])
		}
	}
	before := slices.Clone(a.Dense)
	got, err := s.Apply(a)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Dense, before) || &got.Code[0] != &a.Code[0] || got.Width() != a.Width() {
		t.Error("the features changed, or their codes were copied")
	}
	for i, want := range []float64{-3 / s.Scale[0], 0, -5 / s.Scale[2], -1 / s.Scale[0], 0, 5 / s.Scale[2]} {
		if math.Abs(float64(got.Dense[i])-want) > 1e-6 {
			t.Errorf("value %d is %v, want %v", i, got.Dense[i], want)
		}
	}
	text, err := json.Marshal(data.Scale{Mean: []float64{1}, Scale: []float64{2}})
	if err != nil || string(text) != `{"mean":[1],"scale":[2]}` {
		t.Errorf("%s, %v", text, err)
	}
	var back data.Scale
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, data.Scale{Mean: []float64{1}, Scale: []float64{2}}) {
		t.Errorf("%+v, %v", back, err)
	}
	far, err := data.Scale{Mean: []float64{0}, Scale: []float64{1e-30}}.Apply(graph.Features{Dim: 1, Dense: []float32{math.MaxFloat32, -1}})
	if err != nil || !slices.Equal(far.Dense, []float32{1e6, -1e6}) {
		t.Errorf("far values become %v, %v", far.Dense, err)
	}
}

func TestScaleEdges(t *testing.T) {
	none, err := data.FitScale(slices.Values([]graph.Features{graph.Ones(3)}))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := none.Apply(graph.Ones(2)); err != nil || !reflect.DeepEqual(f, graph.Ones(2)) {
		t.Errorf("%+v, %v of features without numbers", f, err)
	}
	empty, err := data.FitScale(slices.Values([]graph.Features{{Dim: 2}}))
	if err != nil || !reflect.DeepEqual(empty, data.Scale{Mean: []float64{0, 0}, Scale: []float64{1, 1}}) {
		t.Errorf("%+v, %v of no rows", empty, err)
	}
	if _, err := data.FitScale(slices.Values([]graph.Features{dense(1, 1), dense(2, 1, 2)})); err == nil || !strings.Contains(err.Error(), "2 numeric columns, expected 1") {
		t.Errorf("error %v", err)
	}
	if _, err := empty.Apply(dense(1, 1)); err == nil || !strings.Contains(err.Error(), "1 numeric columns, expected 2") {
		t.Errorf("error %v", err)
	}
}
