package learn

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/tensor"
)

// ParamArrays returns parameters as arrays of a file.
func ParamArrays(params []*tensor.Param) []safetensors.Tensor {
	return lists.Map(params, func(p *tensor.Param) safetensors.Tensor {
		return safetensors.Tensor{Name: p.Name, Shape: p.Value.Shape(), Data: p.Value.Data()}
	})
}

// LoadParams fills parameters from the arrays of a file. The sizes must be equal.
func LoadParams(f *safetensors.File, params []*tensor.Param) error {
	for _, p := range params {
		t, ok := f.Lookup(p.Name)
		if !ok || len(t.Data) != len(p.Value.Data()) {
			return missingArray(p.Name, len(p.Value.Data()))
		}
		copy(p.Value.Data(), t.Data)
	}
	return nil
}

// missingArray returns the error for a file without an array of this name and size.
func missingArray(name string, numbers int) error {
	return fmt.Errorf("the weights have no array %s of %d numbers, which the data and the settings of the run need", name, numbers)
}

// Arrays returns the weights as arrays of a file.
func (m *GAE) Arrays() []safetensors.Tensor { return ParamArrays(m.Params()) }

// Arrays returns the weights as arrays of a file.
func (t *Trees) Arrays() []safetensors.Tensor {
	var out []safetensors.Tensor
	arrays := t.Model.Arrays()
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		out = append(out, safetensors.Tensor{Name: name, Shape: []int{len(arrays[name])}, Data: arrays[name]})
	}
	return out
}

// LoadTrees returns a model from its arrays.
func LoadTrees(f *safetensors.File) (*Trees, error) {
	arrays := map[string][]float32{}
	for _, t := range f.Tensors {
		arrays[t.Name] = t.Data
	}
	m, err := boost.FromArrays(arrays)
	if err != nil {
		return nil, err
	}
	m.Threads = 1 // the caller scores candidates on several threads
	return &Trees{m}, nil
}
