package serve

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"unsafe"
)

// inputTensor is an input of the Open Inference Protocol. Its values are numbers or, with datatype BYTES,
// texts.
type inputTensor struct {
	name, datatype string
	shape          []int
	numbers        []float64
	texts          []string
	packed         int64 // number of bytes after the JSON with the values; -1 if the JSON has them
}

// len is the number of values.
func (t *inputTensor) len() int { return max(len(t.numbers), len(t.texts)) }

// bytesType is the datatype of texts.
const bytesType = "BYTES"

// numberTypes are the datatypes of numbers, with functions that read one from bytes.
var numberTypes = map[string]struct {
	size int
	read func(b []byte) float64
}{
	"BOOL":   {1, func(b []byte) float64 { return float64(min(b[0], 1)) }},
	"UINT8":  {1, func(b []byte) float64 { return float64(b[0]) }},
	"UINT16": {2, func(b []byte) float64 { return float64(binary.LittleEndian.Uint16(b)) }},
	"UINT32": {4, func(b []byte) float64 { return float64(binary.LittleEndian.Uint32(b)) }},
	"UINT64": {8, func(b []byte) float64 { return float64(binary.LittleEndian.Uint64(b)) }},
	"INT8":   {1, func(b []byte) float64 { return float64(int8(b[0])) }},
	"INT16":  {2, func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }},
	"INT32":  {4, func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }},
	"INT64":  {8, func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) }},
	"FP32":   {4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	"FP64":   {8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
}

// wantedTypes is for errors.
const wantedTypes = "BYTES, BOOL, FP32, FP64, INT8 to INT64 or UINT8 to UINT64"

// tensor reads {"name":"x","shape":[3,1],"datatype":"FP32","data":[...]}.
func (d *decoder) tensor() (t *inputTensor, p *Problem) {
	t = &inputTensor{packed: -1}
	p = d.object(func(member []byte) (p *Problem) {
		switch string(member) {
		case "name":
			t.name, p = d.name()
		case "datatype":
			t.datatype, p = d.name()
		case "shape":
			t.shape, p = d.shape()
		case "data":
			p = d.values(t)
		case "parameters":
			p = d.parameters(map[string]func() *Problem{"binary_data_size": func() (p *Problem) {
				var n int
				n, p = d.size()
				t.packed = int64(n)
				return p
			}})
		default:
			p = d.skip()
		}
		return p
	})
	_, numeric := numberTypes[t.datatype]
	switch {
	case p != nil:
	case !numeric && t.datatype != bytesType:
		p = wrong("the datatype "+strconv.Quote(shortened([]byte(t.datatype))), wantedTypes).in("datatype")
	case t.packed >= 0 && t.len() > 0:
		p = wrong("data and binary_data_size", "one of them")
	case t.packed < 0:
		p = t.fits()
	}
	return t, p
}

// fits checks the number and the kind of the values.
func (t *inputTensor) fits() *Problem {
	size := 1
	for _, n := range t.shape { // at most two, of 31 bits each
		size *= n
	}
	if t.shape == nil || size != t.len() {
		return wrong(fmt.Sprintf("%d values for the shape %v", t.len(), t.shape), "as many as the shape says").in("data")
	}
	if (t.datatype == bytesType) != (t.texts != nil) && t.len() > 0 || t.numbers != nil && t.texts != nil {
		return wrong("values of another kind", map[bool]string{true: "strings", false: "numbers"}[t.datatype == bytesType]+", as the datatype says").in("data")
	}
	return nil
}

// parameters reads an object of parameters, some of which are known.
func (d *decoder) parameters(known map[string]func() *Problem) *Problem {
	return d.object(func(name []byte) *Problem {
		if read := known[string(name)]; read != nil {
			return read()
		}
		return d.skip()
	})
}

// shape reads the sizes of a tensor.
func (d *decoder) shape() (shape []int, p *Problem) {
	shape = []int{}
	p = d.list(func(i int) *Problem {
		if i >= 2 {
			return wrong("more dimensions", "at most 2")
		}
		n, p := d.size()
		shape = append(shape, n)
		return p
	})
	return shape, p
}

// size reads a whole number of at most 31 bits.
func (d *decoder) size() (int, *Problem) {
	v, p := d.float()
	if p != nil {
		return 0, p
	}
	return whole(v, math.MaxInt32)
}

// values reads the values of a tensor, nested or not, after counting them.
func (d *decoder) values(t *inputTensor) *Problem {
	start, numbers, texts := d.at, 0, 0
	if p := d.flat(func(float64) { numbers++ }, func([]byte) { texts++ }); p != nil {
		return p
	}
	d.at = start
	if p := d.held.charge(int64(texts) * textBytes); p != nil {
		return p
	}
	if numbers > 0 {
		t.numbers = make([]float64, 0, numbers)
	}
	if texts > 0 {
		t.texts = make([]string, 0, texts)
	}
	return d.flat(func(v float64) { t.numbers = append(t.numbers, v) }, func(s []byte) { t.texts = append(t.texts, string(s)) })
}

// textBytes is the memory of a text in addition to its characters.
const textBytes = 2 * int64(unsafe.Sizeof(""))

// flat reads numbers, booleans and strings, nested or not.
func (d *decoder) flat(number func(float64), text func([]byte)) *Problem {
	switch d.peek() {
	case '[':
		return d.list(func(int) *Problem { return d.flat(number, text) })
	case '"':
		s, p := d.str()
		text(s)
		return p
	case 't', 'f':
		is, p := d.truth()
		v := 0.0
		if is {
			v = 1
		}
		number(v)
		return p
	}
	v, p := d.float()
	number(v)
	return p
}

// unpack reads the values of tensors from the bytes after the JSON.
func (d *decoder) unpack(all []*inputTensor, packed []byte) *Problem {
	for i, t := range all {
		if t.packed < 0 {
			continue
		}
		if t.packed > int64(len(packed)) {
			return wrong(fmt.Sprintf("binary_data_size %d and %d bytes", t.packed, len(packed)), "as many bytes behind the JSON").at(i).in("inputs")
		}
		p := d.unpackOne(t, packed[:t.packed])
		if p == nil {
			p = t.fits()
		}
		if p != nil {
			return p.at(i).in("inputs")
		}
		packed = packed[t.packed:]
	}
	if len(packed) > 0 {
		return problemf(http.StatusBadRequest, "%d bytes behind those of all inputs", len(packed))
	}
	return nil
}

// unpackOne reads the values of a tensor.
func (d *decoder) unpackOne(t *inputTensor, packed []byte) *Problem {
	if t.datatype == bytesType {
		return d.unpackTexts(t, packed)
	}
	of := numberTypes[t.datatype]
	if len(packed)%of.size != 0 {
		return wrong(fmt.Sprintf("%d bytes", len(packed)), fmt.Sprintf("%d for each %s", of.size, t.datatype))
	}
	if p := d.held.charge(int64(len(packed)/of.size) * int64(unsafe.Sizeof(float64(0)))); p != nil {
		return p
	}
	t.numbers = make([]float64, 0, len(packed)/of.size)
	for b := range slices.Chunk(packed, of.size) {
		v := of.read(b)
		if math.IsInf(v, 0) {
			return wrong("Infinity", "a finite number, or NaN if it is missing").at(len(t.numbers)).in("data")
		}
		t.numbers = append(t.numbers, v)
	}
	return nil
}

// unpackTexts reads texts, each preceded by its length.
func (d *decoder) unpackTexts(t *inputTensor, packed []byte) *Problem {
	t.texts = []string{}
	for len(packed) > 0 {
		if len(packed) < 4 || uint64(binary.LittleEndian.Uint32(packed)) > uint64(len(packed)-4) {
			return wrong(fmt.Sprintf("%d bytes at the end", len(packed)), "texts, each behind its length in 4 bytes")
		}
		if len(t.texts) == cap(t.texts) {
			if p := d.held.charge(int64(len(t.texts)+1) * textBytes); p != nil {
				return p
			}
		}
		n := binary.LittleEndian.Uint32(packed)
		t.texts = append(t.texts, string(packed[4:4+n]))
		packed = packed[4+n:]
	}
	return nil
}
