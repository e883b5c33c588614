package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/safetensors"
)

func encode(t *testing.T, f *safetensors.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := safetensors.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(b []byte) (*safetensors.File, error) {
	return safetensors.Read(bytes.NewReader(b), int64(len(b)))
}

// raw returns a file from a header and elements, without checks.
func raw(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// The bytes equal those in the reference implementation's own tests (safetensors/src/tensor.rs,
// test_serialization and its neighbours).
func TestWriteMatchesReference(t *testing.T) {
	data := []float32{0, 1, 2, 3, 4, 5}
	var elements []byte
	for _, v := range data {
		elements = binary.LittleEndian.AppendUint32(elements, math.Float32bits(v))
	}
	tests := []struct {
		name string
		file safetensors.File
		want []byte
	}{
		{"no padding needed", safetensors.File{Tensors: []safetensors.Tensor{{Name: "attn.0", Shape: []int{1, 2, 3}, Data: data}}},
			raw(`{"attn.0":{"dtype":"F32","shape":[1,2,3],"data_offsets":[0,24]}}`, elements...)},
		{"padding", safetensors.File{Tensors: []safetensors.Tensor{{Name: "attn0", Shape: []int{1, 1, 2, 3}, Data: data}}},
			raw(`{"attn0":{"dtype":"F32","shape":[1,1,2,3],"data_offsets":[0,24]}}       `, elements...)},
		{"empty", safetensors.File{}, raw(`{}      `)},
		{"metadata only", safetensors.File{Metadata: map[string]string{"framework": "pt"}},
			raw(`{"__metadata__":{"framework":"pt"}}     `)},
		{"scalar, empty tensor, order, escapes", safetensors.File{
			Metadata: map[string]string{"b": `"<ä>"`, "a": "1"},
			Tensors: []safetensors.Tensor{
				{Name: "z", Data: data[1:2]},
				{Name: "y&", Shape: []int{0, 7}},
				{Name: "a", Shape: []int{1}, Data: data[:1]},
			}},
			raw(`{"__metadata__":{"a":"1","b":"\"<ä>\""},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},`+
				`"y&":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]},"z":{"dtype":"F32","shape":[],"data_offsets":[4,8]}}`+
				strings.Repeat(" ", 6), elements[:8]...)},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := encode(t, &tc.file); !bytes.Equal(got, tc.want) {
				t.Errorf("wrote\n%q\nwant\n%q", got, tc.want)
			}
		})
	}
}

func TestRoundTrip(t *testing.T) {
	big := make([]float32, 100_000) // several chunks, the last one not full
	for i := range big {
		big[i] = float32(i) * 0.1
	}
	f := &safetensors.File{
		Metadata: map[string]string{"config": `{"hidden": 64}`, "": "empty key", "v": ""},
		Tensors: []safetensors.Tensor{
			{Name: "", Shape: []int{1}, Data: []float32{1}},
			{Name: "big", Shape: []int{1000, 100}, Data: big},
			{Name: "none", Shape: []int{3, 0}, Data: []float32{}},
			{Name: "scalar", Shape: []int{}, Data: []float32{-0.5}},
			{Name: "späcial", Shape: []int{4}, Data: []float32{
				float32(math.Inf(1)), float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, math.MaxFloat32}},
		},
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := safetensors.WriteFile(path, f); err != nil {
		t.Fatal(err)
	}
	got, err := safetensors.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, f) {
		t.Error("what is read is not what was written")
	}
	onDisk, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(onDisk, encode(t, f)) {
		t.Error("WriteFile and Write differ")
	}
	if s, ok := got.Lookup("scalar"); !ok || s.Data[0] != -0.5 {
		t.Errorf("Lookup found %v, %v", s, ok)
	}
	if _, ok := got.Lookup("absent"); ok {
		t.Error("Lookup found an absent tensor")
	}
}

func TestNaNPayloadSurvives(t *testing.T) {
	const bits = 0x7fc12345
	f, err := decode(encode(t, &safetensors.File{Tensors: []safetensors.Tensor{{Data: []float32{math.Float32frombits(bits)}}}}))
	if err != nil {
		t.Fatal(err)
	}
	if got := math.Float32bits(f.Tensors[0].Data[0]); got != bits {
		t.Errorf("bits %#x, want %#x", got, bits)
	}
}

func TestWriteRefuses(t *testing.T) {
	one := []float32{1}
	tests := []struct {
		name string
		file safetensors.File
		want string
	}{
		{"data too short", safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{2, 3}, Data: one}}},
			`tensor "w": shape [2 3] has 6 elements, data has 1`},
		{"scalar without data", safetensors.File{Tensors: []safetensors.Tensor{{Name: "w"}}}, "has 1 elements, data has 0"},
		{"negative", safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{-1, -1}, Data: one}}}, "negative"},
		{"overflow", safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{math.MaxInt, math.MaxInt, 3}}}}, "too many"},
		{"twice", safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Data: one}, {Name: "a", Data: one}, {Name: "w", Data: one}}}, `"w" is there twice`},
		{"reserved", safetensors.File{Tensors: []safetensors.Tensor{{Name: "__metadata__", Data: one}}}, "reserved"},
		{"name not UTF-8", safetensors.File{Tensors: []safetensors.Tensor{{Name: "\xff", Data: one}}}, "UTF-8"},
		{"metadata not UTF-8", safetensors.File{Metadata: map[string]string{"k": "\xff"}}, "UTF-8"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			err := safetensors.Write(&b, &tc.file)
			wantError(t, err, tc.want)
			if b.Len() > 0 {
				t.Errorf("%d bytes were written before the error", b.Len())
			}
			path := filepath.Join(t.TempDir(), "f")
			wantError(t, safetensors.WriteFile(path, &tc.file), tc.want)
			if _, err := os.Stat(path); err == nil {
				t.Error("WriteFile left a file")
			}
		})
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "safetensors: ") {
		t.Errorf("error is %v, want one of this package with %q", err, want)
	}
}

type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestWriteReportsTheWritersError(t *testing.T) {
	f := &safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{4}, Data: make([]float32, 4)}}}
	size := len(encode(t, f))
	for _, left := range []int{0, 8, size - 1} {
		if err := safetensors.Write(&failingWriter{left}, f); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("room for %d of %d bytes: error is %v", left, size, err)
		}
	}
}
