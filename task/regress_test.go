package task

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Numbers far from zero, some missing, are learned and predicted in their unit.
func TestRegression(t *testing.T) {
	names := []string{"weight", "other"}
	path := writeFiles(t, "numbers", molecules(60, names, func(i int, double bool) []string {
		v := 1000.0
		if double {
			v = 1400
		}
		if i%4 == 0 {
			return []string{fmt.Sprint(v), ""}
		}
		return []string{fmt.Sprint(v), fmt.Sprint(v / 1e6)}
	}))
	o := Values{"epochs": 30, "hidden": 16, "batch-size": 8, "lr": 0.01, "constant-lr": true, "dropout": 0.0}
	dir, res := trained(t, Request{Path: path, Task: "graph-regression", Seed: 1, Threads: 2, Given: o})
	// Graph 3 has no bonds that could tell.
	if v, _ := res.Test.Get("r2"); !(v > 0.9) || len(res.Test) != 4 {
		t.Errorf("scores %v", res.Test)
	}
	s, err := Load(t.Context(), dir, LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Predict(t.Context(), PartTest)
	if err != nil {
		t.Fatal(err)
	}
	if want := "graph,target_weight,prediction_weight,target_other,prediction_other"; csvHeader(t, table) != want {
		t.Errorf("columns %s, want %s", csvHeader(t, table), want)
	}
	sum, squares, rows := [2]float64{}, [2]float64{}, [2]float64{}
	for _, row := range csvRows(t, table) {
		f := strings.Split(row, ",")
		for k := range 2 {
			if f[1+2*k] == "" {
				continue
			}
			y, _ := strconv.ParseFloat(f[1+2*k], 64)
			p, err := strconv.ParseFloat(f[2+2*k], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum[k], squares[k], rows[k] = sum[k]+math.Abs(p-y), squares[k]+(p-y)*(p-y), rows[k]+1
		}
	}
	mae := (sum[0]/rows[0] + sum[1]/rows[1]) / 2
	rmse := (math.Sqrt(squares[0]/rows[0]) + math.Sqrt(squares[1]/rows[1])) / 2
	for name, want := range map[string]float64{"mae": mae, "rmse": rmse} {
		if v, _ := res.Test.Get(name); math.Abs(v-want) > 1e-4*want {
			t.Errorf("%s is %v, of the predictions %v", name, v, want)
		}
	}
	if rows[0] != 12 || rows[1] != 9 {
		t.Errorf("%v rows with a number", rows)
	}

	_, err = Open(t.Context(), Request{Path: foldSet(t, "SET", 20), Task: "graph-regression"})
	fails(t, err, "graph-regression needs graphs with numbers to predict, SET has none")
}

func TestUnits(t *testing.T) {
	nan := float32(math.NaN())
	var graphs []*graph.Graph
	for _, row := range [][]float32{{1, 5, nan, nan}, {3, 5, 7, nan}, {nan, 5, 9, nan}, {8, 5, nan, nan}} {
		graphs = append(graphs, &graph.Graph{Targets: row})
	}
	u := unitsOf(graphs, Graphs, 4)
	for k, want := range []Unit{{4, math.Sqrt(26.0 / 3)}, {5, 1}, {8, 1}, {0, 1}} {
		if math.Abs(u[k].Mean-want.Mean) > 1e-12 || math.Abs(u[k].Scale-want.Scale) > 1e-12 {
			t.Errorf("unit of target %d is %v, want %v", k, u[k], want)
		}
	}
	target := tensor.FromSlice([]float32{1, 5, 7, nan, 3, 6, nan, 2}, 2, 4)
	scaled := u.scaled(target)
	u.restore(scaled.Data())
	for i, v := range target.Data() {
		if got := scaled.Data()[i]; got-v > 1e-6 || v-got > 1e-6 || (v != v) != (got != got) {
			t.Errorf("number %d is %v there and back, want %v", i, got, v)
		}
	}

	// (1-2)² + (5-1)² over two targets; the missing ones have no gradient.
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	x := tape.Variable(tensor.FromSlice([]float32{1, 3, 5, 7}, 2, 2))
	l := maskedMSE(x, tensor.FromSlice([]float32{2, nan, 1, nan}, 2, 2))
	if l.Item() != 8.5 {
		t.Errorf("loss %v, want 8.5", l.Item())
	}
	for i, want := range []float32{-1, 0, 4, 0} {
		if g := tape.Grad(l, x)[0].Data()[i]; g != want {
			t.Errorf("gradient %d is %v, want %v", i, g, want)
		}
	}
}
