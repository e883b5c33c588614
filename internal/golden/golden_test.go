package golden

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// Every fixture of the repository must be readable and consistent.
func TestLoadAll(t *testing.T) {
	dir := filepath.Join(moduleRoot(t), "testdata", "golden", "layers")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		name, isJSON := strings.CutSuffix(file.Name(), ".json")
		if !isJSON {
			continue
		}
		seen++
		f := Load(t, "layers/"+name)
		if f.Op == "" || f.Source.Library == "" {
			t.Errorf("%s: no operation or source", name)
		}
		for _, c := range f.Cases {
			for g, v := range c.Grads {
				if !c.Has(g) || !slices.Equal(c.Value(g).Shape, v.Shape) {
					t.Errorf("%s %s: gradient %s has no value of its shape", name, c.Name, g)
				}
			}
			for u, v := range c.Upstream {
				if out, ok := c.Outputs[u]; !ok || !slices.Equal(out.Shape, v.Shape) {
					t.Errorf("%s %s: upstream %s has no output of its shape", name, c.Name, u)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no fixtures found")
	}
}

const sample = `{"op": "scale", "source": {"library": "own formula", "version": "1"}, "notes": ["n"],
"cases": [{"name": "one", "config": {"heads": 2, "ratio": 0.5, "bias": false, "mode": "mean", "none": null,
  "dims": [1, 2.5], "modes": ["a", "b"]},
 "inputs": {"x": {"dtype": "float32", "shape": [2], "data": [0.1, null]},
  "edge_index": {"dtype": "int64", "shape": [2, 3], "data": [0, 1, 2, 3, 4, 5]}},
 "params": {"lin.weight": {"dtype": "float32", "shape": [], "data": [3]}},
 "buffers": {"mean": {"dtype": "int64", "shape": [1], "data": [7]}},
 "upstream": {"out": {"dtype": "float32", "shape": [2], "data": [2, 0]}},
 "outputs": {"out": {"dtype": "float32", "shape": [2], "data": [0.3, null]}},
 "grads": {"x": {"dtype": "float32", "shape": [2], "data": [6, 0]},
  "params.lin.weight": {"dtype": "float32", "shape": [], "data": [0.2]}},
 "reference_error": "E", "reference_nan": true, "computed_in": "float32", "float32_error": 1e-7, "note": "m"}]}`

func sampleCase(t *testing.T) Case {
	t.Helper()
	f, err := parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	return f.Cases[0]
}

func TestCase(t *testing.T) {
	c := sampleCase(t)
	if c.Name != "one" || c.ReferenceError != "E" || !c.ReferenceNaN || c.ComputedIn != "float32" ||
		c.Float32Error != 1e-7 || c.Note != "m" {
		t.Errorf("fields read wrongly: %+v", c)
	}
	x := c.Tensor("x").Data()
	if x[0] != 0.1 || x[1] == x[1] {
		t.Errorf("x is %v, want [0.1 NaN]", x)
	}
	if v := c.Tensor("buffers.mean"); v.Item() != 7 {
		t.Errorf("mean is %v", v)
	}
	if w := c.Tensor("params.lin.weight"); w.Rank() != 0 || w.Item() != 3 {
		t.Errorf("weight is %v", w)
	}
	src, dst := c.Pair("edge_index")
	if !slices.Equal(src, []int32{0, 1, 2}) || !slices.Equal(dst, []int32{3, 4, 5}) {
		t.Errorf("pair is %v %v", src, dst)
	}
	if !c.Has("outputs.out") || c.Has("out") || c.Has("params.x") {
		t.Error("names resolve to the wrong table")
	}
	g := c.Config
	if g.Int("heads", 1) != 2 || g.Float("ratio", 0) != 0.5 || g.Bool("bias", true) || g.String("mode", "") != "mean" {
		t.Errorf("options read wrongly: %v", g)
	}
	if g.Int("none", 4) != 4 || !g.Bool("missing", true) || g.Floats("missing") != nil {
		t.Error("defaults are not used")
	}
	if !slices.Equal(g.Floats("dims"), []float64{1, 2.5}) {
		t.Error("lists read wrongly")
	}
}

func TestMisuse(t *testing.T) {
	c := sampleCase(t)
	for name, f := range map[string]func(){
		"value":       func() { c.Value("nothing") },
		"ids":         func() { c.IDs("x") },
		"pair":        func() { c.Pair("x") },
		"option type": func() { c.Config.Bool("mode", true) },
		"whole":       func() { c.Config.Int("ratio", 1) },
		"list":        func() { c.Config.Floats("modes") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, bad := range []struct{ value, want string }{
		{`{"dtype": "float32", "shape": [3], "data": [1, 2]}`, "2 elements, expected 3"},
		{`{"dtype": "float16", "shape": [1], "data": [1]}`, `dtype "float16"`},
		{`{"dtype": "int64", "shape": [1], "data": [1.5]}`, "1.5"},
		{`{"dtype": "float32", "shape": [1], "data": ["a"]}`, "string"},
	} {
		_, err := parse([]byte(`{"cases": [{"inputs": {"x": ` + bad.value + `}}]}`))
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: error %v, want one with %q", bad.value, err, bad.want)
		}
	}
	if _, err := parse([]byte(`{}`)); err == nil {
		t.Error("a file without cases is accepted")
	}
}

func TestDifference(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	floats := func(v ...float32) Value { return Value{Dtype: "float32", Shape: []int{len(v)}, Floats: v} }
	for _, c := range []struct {
		name  string
		got   []float32
		shape []int
		want  Value
		tol   float64
		ok    bool
	}{
		{"equal", []float32{1, 2}, []int{2}, floats(1, 2), 0, true},
		{"absolute below one", []float32{0.001}, nil, floats(0), 0.002, true},
		{"absolute exceeded", []float32{0.003}, nil, floats(0), 0.002, false},
		{"relative to the largest", []float32{0.1, 100}, nil, floats(0, 100), 0.002, true},
		{"relative exceeded", []float32{0.3, 100}, nil, floats(0, 100), 0.002, false},
		{"nan both", []float32{nan, 1}, nil, floats(nan, 1), 0, true},
		{"nan got", []float32{nan}, nil, floats(1), 1, false},
		{"nan want", []float32{1}, nil, floats(nan), 1, false},
		{"inf both", []float32{inf}, nil, floats(inf), 0, true},
		{"inf sign", []float32{-inf}, nil, floats(inf), 1, false},
		{"inf want does not widen", []float32{1, inf}, nil, floats(0, inf), 0.1, false},
		{"shape", []float32{1, 2}, []int{2, 1}, floats(1, 2), 0, true},
		{"shape differs", []float32{1, 2, 3, 4}, []int{2, 2}, floats(1, 2, 3, 4), 0, false},
		{"length", []float32{1}, nil, floats(1, 2), 0, false},
		{"ints", []float32{3}, nil, Value{Dtype: "int64", Shape: []int{1}, Ints: []int64{3}}, 0, true},
		{"ints differ", []float32{3}, nil, Value{Dtype: "int64", Shape: []int{1}, Ints: []int64{4}}, 0, false},
		{"empty", nil, []int{0, 3}, Value{Dtype: "float32", Shape: []int{0, 3}, Floats: []float32{}}, 0, true},
	} {
		if msg := difference(c.got, c.shape, c.want, c.tol); (msg == "") != c.ok {
			t.Errorf("%s: %q", c.name, msg)
		}
	}
}

// recorder collects failures instead of failing the test that runs it.
type recorder struct {
	testing.TB
	failed []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

// check runs f with a recorder and returns what it reported.
func check(f func(t testing.TB)) (failed []string) {
	r := &recorder{}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
		failed = r.failed
	}()
	f(r)
	return r.failed
}

func TestCheckGrads(t *testing.T) {
	c := sampleCase(t)
	arena := tensor.NewArena(1)
	// The correct result is NaN in the second element, whose upstream is 0. Their product is still
	// NaN, so the test replaces it.
	c.Inputs["x"].Floats[1], c.Outputs["out"].Floats[1] = 0, 0
	run := func(change func(vars, outputs map[string]*tensor.Tensor)) []string {
		tape := arena.Tape()
		defer tape.Close()
		vars := c.Variables(tape)
		outputs := map[string]*tensor.Tensor{"out": vars["x"].Mul(vars["params.lin.weight"])}
		change(vars, outputs)
		return check(func(tb testing.TB) {
			CheckOutputs(tb, c, outputs, 1e-6)
			CheckGrads(tb, tape, c, outputs, vars, 1e-6)
		})
	}
	for _, k := range []struct {
		name   string
		change func(vars, outputs map[string]*tensor.Tensor)
		want   string // part of the first failure; empty for none
	}{
		{"right", func(_, _ map[string]*tensor.Tensor) {}, ""},
		{"left out", func(v, _ map[string]*tensor.Tensor) { v["x"] = nil }, ""},
		{"missing variable", func(v, _ map[string]*tensor.Tensor) { delete(v, "x") }, "gradient x: no variable"},
		{"surplus variable", func(v, _ map[string]*tensor.Tensor) { v["y"] = v["x"] }, "gradient y: the case has none"},
		{"wrong output", func(_, o map[string]*tensor.Tensor) { o["out"] = o["out"].MulScalar(2) }, "output out: element 0"},
		{"unknown output", func(_, o map[string]*tensor.Tensor) { o["other"] = o["out"] }, "output other: the case has none"},
		{"missing output", func(_, o map[string]*tensor.Tensor) { delete(o, "out") }, "need an output out"},
		{"wrong gradient", func(v, _ map[string]*tensor.Tensor) { v["x"], v["params.lin.weight"] = v["params.lin.weight"], v["x"] },
			"gradient params.lin.weight: shape"},
	} {
		t.Run(k.name, func(t *testing.T) {
			failed := run(k.change)
			if k.want == "" && len(failed) > 0 || k.want != "" && (len(failed) == 0 || !strings.Contains(failed[0], k.want)) {
				t.Errorf("reported %q, want %q", failed, k.want)
			}
		})
	}
}
