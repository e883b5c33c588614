package tensor_test

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// The small heaps of tests are collected seldom: collecting takes a fifth of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

func TestTensor(t *testing.T) {
	data := []float32{1, 2, 3, 4, 5, 6}
	x := tensor.FromSlice(data, 2, 3)
	if x.Rank() != 2 || x.Size() != 6 || x.Dim(0) != 2 || x.Dim(-1) != 3 || !slices.Equal(x.Shape(), []int{2, 3}) {
		t.Errorf("sizes are wrong: %v", x)
	}
	x.Shape()[0] = 9
	if x.Dim(0) != 2 {
		t.Error("Shape hands out the tensor's own sizes")
	}
	if data[0] = 7; x.Data()[0] != 7 {
		t.Error("FromSlice copies")
	}
	c := x.Clone()
	if data[0] = 8; c.Data()[0] != 7 {
		t.Error("Clone does not copy")
	}
	if s := tensor.Scalar(3); s.Rank() != 0 || s.Item() != 3 || tensor.New(1, 1).Item() != 0 {
		t.Error("Item is wrong")
	}
	expect(t, "Full", tensor.Full(2, 1, 3), 2, 2, 2)
	if x.Detach() != x {
		t.Error("Detach copies a constant")
	}
	if got := vector(1, 2).String(); got != "[2][1 2]" {
		t.Errorf("String is %q", got)
	}
	if got := tensor.New(20).String(); !strings.HasSuffix(got, "...") || strings.Count(got, "0") != 17 {
		t.Errorf("String of a large tensor is %q", got)
	}
}

// A clone outlives its tape; a detached tensor shares the memory.
func TestCloneAndDetach(t *testing.T) {
	arena := tensor.NewArena(1)
	tape := arena.Tape()
	y := tape.Variable(vector(1, 2)).MulScalar(2)
	kept, view := y.Clone(), y.Detach()
	if &view.Data()[0] != &y.Data()[0] {
		t.Error("Detach copies")
	}
	tape.Close()
	tape = arena.Tape()
	defer tape.Close()
	tape.Variable(vector(5, 5)).Neg()
	expect(t, "the clone", kept, 2, 4)
}

func TestIndex(t *testing.T) {
	for _, c := range []struct {
		name   string
		ids    []int32
		slots  int
		ptr    []int32
		perm   []int32 // nil when sorted
		counts []int32
	}{
		{"sorted", []int32{0, 0, 2}, 4, []int32{0, 2, 2, 3, 3}, nil, []int32{2, 0, 1, 0}},
		{"unsorted", []int32{2, 0, 2, 0}, 3, []int32{0, 2, 2, 4}, []int32{1, 3, 0, 2}, []int32{2, 0, 2}},
		{"no rows", nil, 2, []int32{0, 0, 0}, nil, []int32{0, 0}},
		{"no slots", nil, 0, []int32{0}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ix, err := tensor.NewIndex(c.ids, c.slots)
			if err != nil {
				t.Fatal(err)
			}
			ptr, perm := ix.Segments()
			if !slices.Equal(ptr, c.ptr) || !slices.Equal(perm, c.perm) || (perm == nil) != (c.perm == nil) {
				t.Errorf("segments %v %v, want %v %v", ptr, perm, c.ptr, c.perm)
			}
			if !slices.Equal(ix.Counts(), c.counts) {
				t.Errorf("counts %v, want %v", ix.Counts(), c.counts)
			}
			if ix.Len() != len(c.ids) || ix.Slots() != c.slots || !slices.Equal(ix.IDs(), c.ids) {
				t.Error("the ids are not kept")
			}
		})
	}
	for _, c := range []struct {
		ids   []int32
		slots int
		want  string
	}{
		{[]int32{0, 3}, 3, "tensor: index: row 1 has id 3, expected 0 to 2"},
		{[]int32{-1}, 3, "tensor: index: row 0 has id -1, expected 0 to 2"},
		{[]int32{0}, 0, "tensor: index: row 0 has id 0"},
	} {
		if _, err := tensor.NewIndex(c.ids, c.slots); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	defer func() {
		if _, ok := recover().(error); !ok {
			t.Error("MustIndex does not panic with the error")
		}
	}()
	tensor.MustIndex([]int32{5}, 2)
}

// dense writes a sparse matrix out, with w as weights of its entries.
func dense(a *tensor.Sparse, w []float32) []float32 {
	out := make([]float32, a.Rows*a.Cols)
	for _, e := range entriesOf(a.SparseConfig) {
		out[e.row*a.Cols+e.col] += float32(e.coef) * w[e.weight]
	}
	return out
}

func TestSparseTranspose(t *testing.T) {
	forms := sparseForms()
	for _, form := range sortedKeys(forms) {
		t.Run(form, func(t *testing.T) {
			a := tensor.NewSparse(forms[form])
			at := a.T()
			if at.T() != a {
				t.Error("the transpose of the transpose is another matrix")
			}
			if a.Symmetric && at != a {
				t.Error("a symmetric matrix is transposed")
			}
			if a.Entries() != len(entriesOf(forms[form])) || at.Entries() != a.Entries() {
				t.Errorf("%d entries and %d in the transpose", a.Entries(), at.Entries())
			}
			// Powers of two add up without rounding, whatever the order.
			w := make([]float32, a.NumWeights)
			for i := range w {
				w[i] = float32(int(1) << i)
			}
			if len(forms[form].Coef) > 0 {
				for i := range w {
					w[i] = 1
				}
			}
			m, mt := dense(a, w), dense(at, w)
			for i := range a.Rows {
				for j := range a.Cols {
					if d := m[i*a.Cols+j] - mt[j*a.Rows+i]; d > 1e-6 || d < -1e-6 {
						t.Errorf("entry %d,%d is %v and transposed %v", i, j, m[i*a.Cols+j], mt[j*a.Rows+i])
					}
				}
			}
		})
	}
}
