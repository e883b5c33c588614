// Package golden reads the fixtures in testdata/golden and compares results with them. Only tests
// import it.
//
// A fixture file has cases of one operation: inputs, parameters, and the outputs and gradients that
// reference implementations (PyTorch, PyTorch Geometric, the authors' code) or a published formula
// gave. Inputs are exact float32 values. Results were computed in float64 unless the case says
// otherwise. The loss whose gradients a case lists is the sum over its upstream entries of <output,
// upstream>.
//
// Values are addressed by one string: a bare name is an input, and the prefixes "params.",
// "buffers.", "upstream." and "outputs." name the other tables. Gradients are keyed in the same way
// ("x", "params.lin.weight").
//
// A typical test:
//
//	for _, c := range golden.Load(t, "layers/gcn_conv").Cases {
//		t.Run(c.Name, func(t *testing.T) {
//			tape := tensor.NewArena(1).Tape()
//			defer tape.Close()
//			vars := c.Variables(tape)
//			out := map[string]*tensor.Tensor{"out": layer(vars["x"], vars["params.bias"])}
//			golden.CheckOutputs(t, c, out, 1e-5)
//			golden.CheckGrads(t, tape, c, out, vars, 1e-5)
//		})
//	}
package golden

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// File is one fixture file.
type File struct {
	Op     string
	Source struct{ Library, Version string }
	Notes  []string
	Cases  []Case
}

// Case is one call of the operation with all inputs and results.
type Case struct {
	Name     string
	Config   Config           // options of the call
	Inputs   map[string]Value // data
	Params   map[string]Value // learned values, by the names of the reference library
	Buffers  map[string]Value // values before the call (BatchNorm statistics)
	Upstream map[string]Value // gradient of the loss with respect to an output
	Outputs  map[string]Value
	Grads    map[string]Value // by "input" or "params.name"
	Note     string

	// ReferenceError is the error of the reference library if it fails on this input. There are no
	// outputs then, and this project decides what happens.
	ReferenceError string `json:"reference_error"`
	// ReferenceNaN says that the reference library returns NaN, on purpose or not.
	ReferenceNaN bool `json:"reference_nan"`
	// ComputedIn is "float32" if results were not computed in float64.
	ComputedIn string `json:"computed_in"`
	// Float32Error is the error of the reference library's own float32 results.
	Float32Error float64 `json:"float32_error"`
}

// Value is an array of either float32 or int64 elements, row-major.
type Value struct {
	Dtype  string // "float32" or "int64"
	Shape  []int
	Floats []float32 // NaN where the file has null
	Ints   []int64   // masks and flags are 0 or 1
}

// Load reads testdata/golden/NAME.json of the module of the running test. It fails the test if that
// is not possible.
func Load(t testing.TB, name string) *File {
	t.Helper()
	path := filepath.Join(moduleRoot(t), "testdata", "golden", filepath.FromSlash(name)+".json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden: %v", err)
	}
	f, err := parse(text)
	if err != nil {
		t.Fatalf("golden: %s: %v", name, err)
	}
	return f
}

// Document reads a gzipped JSON document. The path is relative to the root of the module. It fails
// the test if that is not possible.
func Document(t testing.TB, path string, v any) {
	t.Helper()
	f, err := os.Open(filepath.Join(moduleRoot(t), filepath.FromSlash(path)))
	if err != nil {
		t.Fatalf("golden: %v", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("golden: %s: %v", path, err)
	}
	if err := json.NewDecoder(z).Decode(v); err != nil {
		t.Fatalf("golden: %s: %v", path, err)
	}
}

// moduleRoot returns the nearest directory with a go.mod above the test's directory.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("golden: %v", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("golden: no go.mod above the test's directory")
		}
		dir = parent
	}
}

func parse(text []byte) (*File, error) {
	f := &File{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, err
	}
	if len(f.Cases) == 0 {
		return nil, fmt.Errorf("no cases")
	}
	return f, nil
}

// UnmarshalJSON reads {"dtype", "shape", "data"} and checks that they agree.
func (v *Value) UnmarshalJSON(text []byte) error {
	var raw struct {
		Dtype string
		Shape []int
		Data  json.RawMessage
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	*v = Value{Dtype: raw.Dtype, Shape: raw.Shape}
	switch raw.Dtype {
	case "float32":
		// Pointers distinguish null from 0.
		var data []*float32
		if err := json.Unmarshal(raw.Data, &data); err != nil {
			return err
		}
		v.Floats = make([]float32, len(data))
		for i, p := range data {
			v.Floats[i] = float32(math.NaN())
			if p != nil {
				v.Floats[i] = *p
			}
		}
	case "int64":
		if err := json.Unmarshal(raw.Data, &v.Ints); err != nil {
			return err
		}
	default:
		return fmt.Errorf("dtype %q, expected float32 or int64", raw.Dtype)
	}
	n := 1
	for _, d := range raw.Shape {
		n *= d
	}
	if n != v.Len() {
		return fmt.Errorf("%d elements, expected %d for shape %v", v.Len(), n, raw.Shape)
	}
	return nil
}

// Len returns the number of elements.
func (v Value) Len() int { return len(v.Floats) + len(v.Ints) }

// Tensor returns a constant with a copy of the values. Integers are converted.
func (v Value) Tensor() *tensor.Tensor {
	data := slices.Clone(v.Floats)
	for _, k := range v.Ints {
		data = append(data, float32(k))
	}
	return tensor.FromSlice(data, v.Shape...)
}

// IDs returns the values of an integer array as indices.
func (v Value) IDs() []int32 {
	if v.Dtype != "int64" {
		panic("golden: ids of a " + v.Dtype + " value")
	}
	ids := make([]int32, len(v.Ints))
	for i, k := range v.Ints {
		ids[i] = int32(k)
		if int64(ids[i]) != k {
			panic(fmt.Sprintf("golden: id %d does not fit int32", k))
		}
	}
	return ids
}

// find returns the value of a name with an optional table prefix.
func (c Case) find(name string) (Value, bool) {
	table, rest, cut := strings.Cut(name, ".")
	from := map[string]map[string]Value{
		"params": c.Params, "buffers": c.Buffers, "upstream": c.Upstream, "outputs": c.Outputs,
	}[table]
	if !cut || from == nil {
		from, rest = c.Inputs, name
	}
	v, ok := from[rest]
	return v, ok
}

// Has reports whether the case has a value with this name.
func (c Case) Has(name string) bool {
	_, ok := c.find(name)
	return ok
}

// Value returns the value with this name. It panics if there is none, because the test then has a
// wrong name.
func (c Case) Value(name string) Value {
	v, ok := c.find(name)
	if !ok {
		panic(fmt.Sprintf("golden: case %s has no value %q", c.Name, name))
	}
	return v
}

// Tensor returns Value(name).Tensor().
func (c Case) Tensor(name string) *tensor.Tensor { return c.Value(name).Tensor() }

// IDs returns Value(name).IDs(), for node, edge and graph ids.
func (c Case) IDs(name string) []int32 { return c.Value(name).IDs() }

// Pair returns the two rows of a [2,k] array of ids, such as edge_index: sources and targets.
func (c Case) Pair(name string) (first, second []int32) {
	v := c.Value(name)
	if len(v.Shape) != 2 || v.Shape[0] != 2 {
		panic(fmt.Sprintf("golden: case %s: %q has shape %v, expected [2 k]", c.Name, name, v.Shape))
	}
	ids, k := v.IDs(), v.Shape[1]
	return ids[:k:k], ids[k:]
}

// Variables puts every value with a gradient in the case on the tape. The keys are the names of the
// gradients.
func (c Case) Variables(tape *tensor.Tape) map[string]*tensor.Tensor {
	vars := make(map[string]*tensor.Tensor, len(c.Grads))
	for _, name := range sortedNames(c.Grads) {
		vars[name] = tape.Variable(c.Tensor(name))
	}
	return vars
}

// sortedNames returns the names of a map in a fixed order, so that failures and tapes are the same
// in every run.
func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
