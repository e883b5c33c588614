package planetoid_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"testing/fstest"
)

// A small writer of protocol 2, in the form in which Python 2 wrote the sets.

type pickled []byte

func (p pickled) class(module, name string) pickled {
	return append(p, fmt.Sprintf("c%s\n%s\n", module, name)...)
}

func (p pickled) op(codes string) pickled { return append(p, codes...) }

func (p pickled) int(v int) pickled {
	return binary.LittleEndian.AppendUint32(append(p, 'J'), uint32(int32(v)))
}

func (p pickled) text(s string) pickled {
	p = binary.LittleEndian.AppendUint32(append(p, 'T'), uint32(len(s)))
	return append(p, s...)
}

// array adds an array of the type, as "i4", with the bytes in b.
func (p pickled) array(code string, fortran bool, b string, shape ...int) pickled {
	p = p.class("numpy.core.multiarray", "_reconstruct").class("numpy", "ndarray").int(0).op("\x85").text("b").op("\x87R(").int(1).op("(")
	for _, n := range shape {
		p = p.int(n)
	}
	p = p.op("t").class("numpy", "dtype").text(code).int(0).int(1).op("\x87R(").int(3).text("<").op("NNN").int(-1).int(-1).int(0).op("tb")
	if fortran {
		p = p.op("\x88")
	} else {
		p = p.op("\x89")
	}
	return p.text(b).op("tb")
}

// matrix adds a csr_matrix of the rows.
func (p pickled) matrix(cols int, rows ...[]float32) pickled {
	var indptr, indices, values []int32
	indptr = append(indptr, 0)
	for _, row := range rows {
		for c, v := range row {
			if v != 0 {
				indices = append(indices, int32(c))
				values = append(values, int32(math.Float32bits(v)))
			}
		}
		indptr = append(indptr, int32(len(indices)))
	}
	p = p.class("scipy.sparse.csr", "csr_matrix").op(")\x81}(").text("format").text("csr").text("_shape").int(len(rows)).int(cols).op("\x86")
	p = p.text("indptr").array("i4", false, int32s(indptr...), len(indptr))
	p = p.text("indices").array("i4", false, int32s(indices...), len(indices))
	return p.text("data").array("f4", false, int32s(values...), len(values)).op("ub")
}

// lists adds a defaultdict from node to neighbours.
func (p pickled) lists(lists ...[]int) pickled {
	p = p.class("collections", "defaultdict").class("__builtin__", "list").op("\x85R(")
	for u, list := range lists {
		p = p.int(u).op("](")
		for _, v := range list {
			p = p.int(v)
		}
		p = p.op("e")
	}
	return p.op("u")
}

func (p pickled) end() string { return "\x80\x02" + string(p) + "." }

func int32s(values ...int32) string {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return string(b)
}

type files map[string]string

func (f files) with(changes ...string) files {
	out := maps.Clone(f)
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == "-" {
			delete(out, "ind.toy."+changes[i])
		} else {
			out["ind.toy."+changes[i]] = changes[i+1]
		}
	}
	return out
}

func (f files) fs() fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range f {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// toy is a set of six nodes: one of training, two of validation, two of test and
// node 4, which only the graph knows.
var toy = files{
	"ind.toy.x":          pickled{}.matrix(3, []float32{1, 0, 1}).end(),
	"ind.toy.y":          pickled{}.array("i4", false, int32s(0, 1), 1, 2).end(),
	"ind.toy.allx":       pickled{}.matrix(3, []float32{1, 0, 1}, []float32{0, 0, 0}, []float32{1, 2, 1}).end(),
	"ind.toy.ally":       pickled{}.array("i4", false, int32s(0, 1, 1, 0, 0, 1), 3, 2).end(),
	"ind.toy.tx":         pickled{}.matrix(3, []float32{0, 3, 0}, []float32{0, 0, 5}).end(),
	"ind.toy.ty":         pickled{}.array("i4", false, int32s(0, 1, 1, 0), 2, 2).end(),
	"ind.toy.graph":      pickled{}.lists([]int{1, 2, 1}, []int{0}, []int{2, 5}, []int{0}, nil, []int{2}).end(),
	"ind.toy.test.index": "5\n3\n",
}
