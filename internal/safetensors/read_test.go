package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/safetensors"
)

func TestReadDtypes(t *testing.T) {
	tests := []struct {
		dtype string
		data  []byte
		want  []float32
	}{
		{"F32", []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, []float32{1, -2}},
		{"F64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1)), []float32{0.1}},
		{"F16", []byte{0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b, 0x01, 0x00, 0x00, 0x7c}, []float32{1, -2, 65504, 0x1p-24, float32(math.Inf(1))}},
		{"BF16", []byte{0x80, 0x3f, 0x00, 0xc0, 0x80, 0xff}, []float32{1, -2, float32(math.Inf(-1))}},
	}
	for _, tc := range tests {
		t.Run(tc.dtype, func(t *testing.T) {
			h := `{"x":{"dtype":"` + tc.dtype + `","shape":[` + strconv.Itoa(len(tc.want)) + `],"data_offsets":[0,` + strconv.Itoa(len(tc.data)) + `]}}`
			f, err := decode(raw(h, tc.data...))
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Tensors[0].Data; !slices.Equal(got, tc.want) {
				t.Errorf("read %v, want %v", got, tc.want)
			}
		})
	}
}

// All 65536 half floats are compared with the definition.
func TestHalfPrecision(t *testing.T) {
	data := make([]byte, 2<<16)
	for i := range 1 << 16 {
		binary.LittleEndian.PutUint16(data[2*i:], uint16(i))
	}
	f, err := decode(raw(`{"x":{"dtype":"F16","shape":[65536],"data_offsets":[0,131072]}}`, data...))
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range f.Tensors[0].Data {
		exp, frac := i>>10&0x1f, float64(i&0x3ff)
		var want float64
		switch exp {
		case 0:
			want = math.Ldexp(frac, -24)
		case 31:
			want = math.Inf(1)
			if frac != 0 {
				want = math.NaN()
			}
		default:
			want = math.Ldexp(1024+frac, exp-25)
		}
		want = math.Copysign(want, float64(1-2*(i>>15)))
		if float64(got) != want && !(math.IsNaN(want) && got != got) || math.Signbit(float64(got)) != (i>>15 == 1) {
			t.Fatalf("half %#04x is %v, want %v", i, got, want)
		}
	}
}

// Tensors may be listed in any order and unknown keys are skipped, as in the reference
// implementation.
func TestReadOrderAndUnknownKeys(t *testing.T) {
	b := raw(`{"b":{"data_offsets":[4,8],"shape":[1],"dtype":"F32","new":{"x":[1,{}]}},`+
		`"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"__metadata__":{"k":"v"}} `+"\n\t",
		0, 0, 0x80, 0x3f, 0, 0, 0, 0x40)
	f, err := decode(b)
	if err != nil {
		t.Fatal(err)
	}
	want := &safetensors.File{
		Metadata: map[string]string{"k": "v"},
		Tensors: []safetensors.Tensor{
			{Name: "a", Shape: []int{}, Data: []float32{1}},
			{Name: "b", Shape: []int{1}, Data: []float32{2}},
		},
	}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("read %+v, want %+v", f, want)
	}
}

// wide returns the expected error for numbers that do not fit a 32-bit int; on such systems they do
// not parse.
func wide(want string) string {
	if strconv.IntSize == 32 {
		return "cannot unmarshal"
	}
	return want
}

func TestReadRefuses(t *testing.T) {
	four := []byte{0, 0, 0, 0}
	eight := append(four, four...)
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "0 bytes"},
		{"short length", []byte{1, 0, 0}, "3 bytes"},
		{"huge header", binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "at most 100000000"},
		{"header beyond the file", raw(`{}`)[:9], "only 1 follow"},
		{"header not UTF-8", raw("{\"\xff\":1}"), "not UTF-8"},
		{"empty header", raw(""), "JSON object at its first byte"},
		{"leading space", raw(" {}"), "JSON object at its first byte"},
		{"array", raw("[]"), "JSON object at its first byte"},
		{"cut header", raw(`{"a":{"dtype":"F32"`), "unexpected EOF"},
		{"cut in a key", raw(`{"a`), "unexpected EOF"},
		{"trailing garbage", raw(`{}x`), "only spaces"},
		{"second object", raw(`{}{}`), "only spaces"},
		{"comma", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},}`, four...), "invalid character"},
		{"tensor is a number", raw(`{"a":1}`), `"a": expected a JSON object, found 1`},
		{"tensor twice", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[],"data_offsets":[4,8]}}`, eight...), `"a" is there twice`},
		{"tensor twice by escape", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"\u0061":{"dtype":"F32","shape":[],"data_offsets":[4,8]}}`, eight...), `"a" is there twice`},
		{"metadata twice", raw(`{"__metadata__":{},"__metadata__":{}}`), "twice"},
		{"field twice", raw(`{"a":{"dtype":"F32","dtype":"F16","shape":[],"data_offsets":[0,4]}}`, four...), `"dtype" is there twice`},
		{"metadata number", raw(`{"__metadata__":{"a":1}}`), "cannot unmarshal number"},
		{"metadata null", raw(`{"__metadata__":{"a":null}}`), "found null"},
		{"no dtype", raw(`{"a":{"shape":[],"data_offsets":[0,4]}}`, four...), "no dtype"},
		{"dtype in another case", raw(`{"a":{"DTYPE":"F32","shape":[],"data_offsets":[0,4]}}`, four...), "no dtype"},
		{"no shape", raw(`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, four...), "no shape"},
		{"no offsets", raw(`{"a":{"dtype":"F32","shape":[]}}`, four...), "0 numbers, expected 2"},
		{"three offsets", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4,8]}}`, four...), "3 numbers, expected 2"},
		{"null shape", raw(`{"a":{"dtype":"F32","shape":null,"data_offsets":[0,4]}}`, four...), "found null"},
		{"null size", raw(`{"a":{"dtype":"F32","shape":[null],"data_offsets":[0,4]}}`, four...), "negative or null"},
		{"negative size", raw(`{"a":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}`, four...), "negative or null"},
		{"fractional size", raw(`{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}`, four...), "cannot unmarshal"},
		{"many sizes", raw(`{"a":{"dtype":"F32","shape":[`+strings.Repeat("1,", 99_999)+`1],"data_offsets":[0,4]}}`, four...), "the array has 100000 numbers, expected at most 32"},
		{"negative offset", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[-4,0]}}`, four...), "negative or null"},
		{"unknown dtype", raw(`{"a":{"dtype":"I64","shape":[],"data_offsets":[0,8]}}`, eight...), `dtype "I64", expected F32`},
		{"shape overflows", raw(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}}`, four...), wide("too many")},
		{"bytes overflow", raw(`{"a":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}}`, four...), wide("does not fit")},
		{"shape too small", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,8]}}`, eight...), "does not fit"},
		{"shape too large", raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, four...), "does not fit"},
		{"backwards", raw(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"F32","shape":[],"data_offsets":[0,-4]}}`, four...), "negative or null"},
		{"ends before it begins", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[],"data_offsets":[4,0]}}`, four...), "end before they begin"},
		{"overlap", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, four...), "overlap"},
		{"hole", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[4,8]}}`, eight...), "hole"},
		{"data missing", raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, four...), "exceed the 4 bytes"},
		{"data left over", raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, eight...), "take 4 bytes, but 8"},
		{"data without tensors", raw(`{}`, 1), "take 0 bytes, but 1"},
		{"vast claim", raw(`{"a":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4398046511104]}}`), wide("exceed the 0 bytes")},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f, err := decode(tc.file)
			wantError(t, err, tc.want)
			if f != nil {
				t.Error("a file came with the error")
			}
		})
	}
}

// A file that becomes shorter after its size was read must be an error, not zeros.
func TestReadShorterThanItsSize(t *testing.T) {
	b := encode(t, &safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{4}, Data: make([]float32, 4)}}})
	for _, n := range []int{4, 20, len(b) - 1} {
		_, err := safetensors.Read(bytes.NewReader(b[:n]), int64(len(b)))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: error is %v", n, len(b), err)
		}
	}
}

func TestReadFileErrorsNameTheFile(t *testing.T) {
	_, err := safetensors.ReadFile("absent.safetensors")
	wantError(t, err, "absent.safetensors")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want ErrNotExist", err)
	}
	_, err = safetensors.ReadFile("read_test.go")
	wantError(t, err, "read_test.go: the header has")
}

// FuzzRead checks that a file that is read is written as an equivalent file, and that the size of
// each tensor fits its shape.
func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	f.Add(raw(`{}`))
	f.Add(raw(`{"__metadata__":{"a":"b"}}      `))
	f.Add(raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 1, 2, 3, 4))
	f.Add(raw(`{"a":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]},"b":{"dtype":"F64","shape":[],"data_offsets":[4,12]}}`, make([]byte, 12)...))
	f.Add(raw(`{"a":{"dtype":"F16","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"F16","shape":[3,0],"data_offsets":[0,0]}}`))
	f.Add(raw(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`))
	f.Add(raw(strings.Repeat(`{"a":`, 50)))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := decode(b)
		if err != nil {
			return
		}
		for _, x := range file.Tensors {
			n := 1
			for _, d := range x.Shape {
				n *= d
			}
			if n != len(x.Data) {
				t.Fatalf("tensor %q of shape %v has %d elements", x.Name, x.Shape, len(x.Data))
			}
		}
		var first, second bytes.Buffer
		if err := safetensors.Write(&first, file); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := decode(first.Bytes())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if err := safetensors.Write(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("writing is not stable: %v", err)
		}
	})
}
