package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Numbers far from 0, some missing, are learned and predicted in their unit.
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
	o := settings.Values{"epochs": 30, "hidden": 16, "batch-size": 8, "lr": 0.01, "constant-lr": true, "dropout": 0.0}
	dir, res := trained(t, Request{Path: path, Task: "graph-regression", Seed: 1, Threads: 2, Given: o})
	// Graph 3 has no bonds from which its number could follow.
	if v, _ := res.Test.Get("r2"); !(v > 0.9) || len(res.Test) != 4 {
		t.Errorf("scores %v", res.Test)
	}
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Predict(t.Context(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}
	if want := "graph,target_weight,prediction_weight,target_other,prediction_other"; testsets.CSVHeader(t, table) != want {
		t.Errorf("columns %s, want %s", testsets.CSVHeader(t, table), want)
	}
	sum, squares, rows := [2]float64{}, [2]float64{}, [2]float64{}
	for _, row := range testsets.CSVRows(t, table) {
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
	testsets.Fails(t, err, "graph-regression needs graphs with regression targets, SET has none")
}
