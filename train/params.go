package train

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// SaveParams writes the parameters and buffers of a model to a safetensors file, under their names
// and with the given metadata. The file is written completely or not at all.
func SaveParams(path string, m nn.Module, metadata map[string]string) error {
	params := m.Params()
	if err := checkNames(params); err != nil {
		return err
	}
	return writeParams(path, params, metadata)
}

// weightsKey is the key for the digest in the metadata of a file of weights.
const weightsKey = "ehgnn.digest"

func writeParams(path string, params []*tensor.Param, metadata map[string]string) error {
	f := &safetensors.File{Metadata: maps.Clone(metadata), Tensors: named("", params)}
	if f.Metadata == nil {
		f.Metadata = map[string]string{}
	}
	f.Metadata[weightsKey] = weightsDigest(f)
	err := safetensors.WriteFile(path, f)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// weightsDigest returns the digest of the tensors of a file and of its other metadata.
func weightsDigest(f *safetensors.File) string {
	var text []byte
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		if key != weightsKey {
			text = fmt.Appendf(text, "%q %q\n", key, f.Metadata[key])
		}
	}
	return digest(text, f.Tensors)
}

// CheckParams returns an error if weights are not finite, or if they differ from the digest in
// their metadata. A file may have no digest.
func CheckParams(f *safetensors.File) error {
	if want, ok := f.Metadata[weightsKey]; ok {
		if sum := weightsDigest(f); sum != want {
			return fmt.Errorf("the weights or their metadata are damaged: their digest is %s, expected %s", sum, want)
		}
	}
	for _, t := range f.Tensors {
		for i, v := range t.Data {
			if v-v != 0 {
				return fmt.Errorf("the weights are damaged: number %d of tensor %q is %v", i, t.Name, v)
			}
		}
	}
	return nil
}

// ReadParams loads a safetensors file into a model as LoadParams does. It returns the file's
// metadata.
func ReadParams(path string, m nn.Module) (metadata map[string]string, err error) {
	f, err := safetensors.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if err := CheckParams(f); err != nil {
		return nil, fmt.Errorf("train: %s: %w", path, err)
	}
	if err := match(named("", m.Params()), f); err != nil {
		return nil, fmt.Errorf("train: %s: %w", path, err)
	}
	fill(named("", m.Params()), f)
	return f.Metadata, nil
}

// MatchParams checks that a file has exactly the parameters and buffers of a model, by name and
// shape. Their elements are not read, so the model may be an outline.
func MatchParams(m nn.Module, f *safetensors.File) error {
	if err := match(named("", m.Params()), f); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// LoadParams copies the tensors of a file into the parameters and buffers of a model. The file must
// have exactly these, by name and shape. After an error the model is unchanged.
func LoadParams(m nn.Module, f *safetensors.File) error {
	if err := MatchParams(m, f); err != nil {
		return err
	}
	fill(named("", m.Params()), f)
	return nil
}

// named returns parameters as tensors of a file, in the same memory. Their names get a prefix.
func named(prefix string, params []*tensor.Param) []safetensors.Tensor {
	return lists.Map(params, func(p *tensor.Param) safetensors.Tensor {
		return safetensors.Tensor{Name: prefix + p.Name, Shape: p.Value.Shape(), Data: p.Value.Data()}
	})
}

// match checks that f has exactly the tensors of want, in the same shapes.
func match(want []safetensors.Tensor, f *safetensors.File) error {
	have := make(map[string]safetensors.Tensor, len(f.Tensors))
	for _, t := range f.Tensors {
		have[t.Name] = t
	}
	for _, w := range want {
		t, ok := have[w.Name]
		if !ok {
			return fmt.Errorf("there is no tensor %q of shape %v", w.Name, w.Shape)
		}
		if !slices.Equal(t.Shape, w.Shape) {
			return fmt.Errorf("tensor %q has shape %v, expected %v", w.Name, t.Shape, w.Shape)
		}
		delete(have, w.Name)
	}
	for _, t := range f.Tensors { // in order, so that the message is always the same
		if _, left := have[t.Name]; left {
			return fmt.Errorf("tensor %q of shape %v does not belong to the model", t.Name, t.Shape)
		}
	}
	return nil
}

// fill copies the values of f into the memory of tensors. match has checked f.
func fill(tensors []safetensors.Tensor, f *safetensors.File) {
	for _, t := range tensors {
		from, _ := f.Lookup(t.Name)
		copy(t.Data, from.Data)
	}
}
