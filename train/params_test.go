package train_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

func TestParamsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	m := newClassifier(1, 4)
	m.norm.RunMean.Value.Data()[2] = 0.25 // buffers are saved, too
	if err := train.SaveParams(path, m, map[string]string{"epoch": "3"}); err != nil {
		t.Fatal(err)
	}
	other := newClassifier(2, 4)
	meta, err := train.ReadParams(path, other)
	if err != nil || meta["epoch"] != "3" {
		t.Fatalf("metadata %v, error %v", meta, err)
	}
	for i, p := range other.Params() {
		if fmt.Sprint(p.Value.Data()) != fmt.Sprint(m.Params()[i].Value.Data()) {
			t.Errorf("%s differs", p.Name)
		}
	}
	twice := params{m.out.Bias, m.out.Bias}
	if err := train.SaveParams(path, twice, nil); err == nil {
		t.Error("two parameters of one name were saved")
	}
}

func TestLoadParamsRefuses(t *testing.T) {
	a, b := &tensor.Param{Name: "a", Value: tensor.New(2, 3)}, &tensor.Param{Name: "b", Value: tensor.Scalar(5)}
	m := params{a, b}
	six := make([]float32, 6)
	for _, c := range []struct {
		want string
		file safetensors.File
	}{
		{`there is no tensor "b" of shape []`, safetensors.File{Tensors: []safetensors.Tensor{{Name: "a", Shape: []int{2, 3}, Data: six}}}},
		{`tensor "a" has shape [3 2], expected [2 3]`, safetensors.File{Tensors: []safetensors.Tensor{
			{Name: "b", Data: six[:1]}, {Name: "a", Shape: []int{3, 2}, Data: six}}}},
		{`tensor "c" of shape [6] does not belong to the model`, safetensors.File{Tensors: []safetensors.Tensor{
			{Name: "a", Shape: []int{2, 3}, Data: six}, {Name: "b", Data: six[:1]}, {Name: "c", Shape: []int{6}, Data: six}}}},
	} {
		err := train.LoadParams(m, &c.file)
		if err == nil || err.Error() != "train: "+c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
		if b.Value.Item() != 5 {
			t.Error("a refused file changed the model")
		}
		path := filepath.Join(t.TempDir(), "f.safetensors")
		if err := safetensors.WriteFile(path, &c.file); err != nil {
			t.Fatal(err)
		}
		if _, err := train.ReadParams(path, m); err == nil || !strings.Contains(err.Error(), path+": "+c.want) {
			t.Errorf("error %v, want the path and %s in it", err, c.want)
		}
	}
	if _, err := train.ReadParams(filepath.Join(t.TempDir(), "none"), m); err == nil {
		t.Error("a missing file was read")
	}
}
