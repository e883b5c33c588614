package boost_test

import (
	"encoding/binary"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/boost"
)

// A model that is built from the arrays of another one is the same.
func TestArrays(t *testing.T) {
	models, rows := shapCases(t)
	x := &boost.Matrix{Columns: 4, Blocks: rows}
	for _, m := range models {
		again, err := boost.FromArrays(m.Arrays())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again.Arrays(), m.Arrays()) || !slices.Equal(predict(t, again, x), predict(t, m, x)) || again.Rounds() != m.Rounds() {
			t.Error("the model differs after its arrays")
		}
	}
}

// A model with a damaged array is refused with a message that names the array.
func TestDamagedArrays(t *testing.T) {
	models, _ := shapCases(t)
	good := models[2].Arrays()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	set := func(name string, i int, v float32) func(map[string][]float32) {
		return func(a map[string][]float32) { a[name][i] = v }
	}
	split := slices.IndexFunc(good["columns"], func(c float32) bool { return c >= 0 && c < 3 })
	category := slices.Index(good["columns"], 3)
	leaf := slices.Index(good["columns"], -1)
	for _, test := range []struct {
		want   string
		change func(map[string][]float32)
	}{
		{"array shape", func(a map[string][]float32) { delete(a, "shape") }},
		{"array shape", set("shape", 0, 0)},
		{"array shape", set("shape", 1, .5)},
		{"array shape", set("shape", 1, nan)},
		{"array base", set("shape", 0, 2)},
		{"array base", set("base", 1, inf)},
		{"array trees", set("trees", 0, 0)},
		{"array trees", set("trees", 0, 1e9)},
		{"array columns", set("trees", 0, good["trees"][0]-1)},
		{"array trees", func(a map[string][]float32) {
			a["trees"] = append(a["trees"][:len(a["trees"])-2], a["trees"][len(a["trees"])-2]+a["trees"][len(a["trees"])-1])
		}},
		{"array columns", set("columns", split, 4)},
		{"array columns", set("columns", split, -2)},
		{"array columns", set("columns", split, .5)},
		{"array thresholds", set("thresholds", split, nan)},
		{"array thresholds", set("thresholds", leaf, nan)},
		{"array thresholds", set("thresholds", leaf, inf)},
		{"array thresholds", set("thresholds", category, 1e6)},
		{"array thresholds", set("thresholds", category, -1)},
		{"array children", set("children", split, 0)},
		{"array children", set("children", split, 1e6)},
		{"array children", set("children", 0, 2)},
		{"array missing", set("missing", split, 2)},
		{"array missing", func(a map[string][]float32) { a["missing"] = a["missing"][1:] }},
		{"array covers", set("covers", split, 1)},
		{"array covers", set("covers", 0, nan)},
		{"array category_columns", set("category_columns", 0, 4)},
		{"array category_columns", func(a map[string][]float32) { a["category_columns"] = nil }},
		{"array category_counts", set("category_counts", 0, 255)},
		{"array category_codes", func(a map[string][]float32) { a["category_codes"] = a["category_codes"][1:] }},
		{"array category_codes", set("category_codes", 1, 0)},
		{"array category_codes", set("category_codes", 1, nan)},
		{"array set_bins", set("set_bins", 0, 256)},
		{"array set_bins", func(a map[string][]float32) { a["set_bins"] = nil }},
		{"array set_counts", set("set_counts", 0, -1)},
	} {
		damaged := maps.Clone(good)
		for name, v := range damaged {
			damaged[name] = slices.Clone(v)
		}
		test.change(damaged)
		if m, err := boost.FromArrays(damaged); m != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, expected %q in it", err, test.want)
		}
	}
}

// Predict refuses tables and output slices of wrong sizes.
func TestPredictErrors(t *testing.T) {
	models, rows := shapCases(t)
	for _, test := range []struct {
		x    *boost.Matrix
		room int
	}{
		{nil, 1},
		{&boost.Matrix{}, 0},
		{&boost.Matrix{Columns: 3, Blocks: [][]float32{{1, 2, 3}}}, 1},
		{&boost.Matrix{Columns: 4, Blocks: rows}, len(rows) + 1},
	} {
		if models[0].Predict(test.x, make([]float32, test.room)) == nil {
			t.Errorf("no error for %+v", test.x)
		}
	}
	if err := models[0].Predict(&boost.Matrix{Columns: 4}, nil); err != nil {
		t.Errorf("no rows: %v", err)
	}
}

// FuzzArrays changes a number in the arrays of a model. The model is refused, or it predicts and
// explains without a panic.
func FuzzArrays(f *testing.F) {
	f.Add(uint8(0), []byte{0, 0, 0, 0, 128, 63})
	f.Add(uint8(3), []byte{1, 0, 0, 0, 192, 127, 9, 0, 0, 0, 0, 64})
	f.Add(uint8(5), []byte{2, 0, 0, 0, 64, 64})
	models, rows := shapCases(&testing.T{})
	f.Fuzz(func(t *testing.T, which uint8, changes []byte) {
		a := models[int(which)%len(models)].Arrays()
		names := slices.Sorted(maps.Keys(a))
		for ; len(changes) >= 6; changes = changes[6:] {
			list := a[names[int(which)/len(models)%len(names)]]
			if len(list) > 0 {
				list[int(binary.LittleEndian.Uint16(changes))%len(list)] = math.Float32frombits(binary.LittleEndian.Uint32(changes[2:]))
			}
			which += 4
		}
		m, err := boost.FromArrays(a)
		if err != nil || m.Columns() > 100 {
			return
		}
		x := &boost.Matrix{Columns: m.Columns()}
		for _, r := range rows {
			x.Blocks = append(x.Blocks, append(slices.Clone(r), make([]float32, 100)...)[:m.Columns()])
		}
		predict(t, m, x)
		if err := m.Contributions(x.Blocks[0], make([]float64, m.Columns()*m.Outputs())); err != nil {
			t.Error(err)
		}
		m.MeanScores()
	})
}
