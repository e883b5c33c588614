package serve

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
)

// ids has the ids of the nodes of a document with their rows. Most ids are bytes of the text
// itself; a map of strings would need many times the memory.
type ids struct {
	slots []int32 // row+1 by hash; 0 for none
	keys  []key   // by row
	other []byte  // ids that differ from their bytes in the text
	seed  maphash.Seed
}

// key is an id: bytes of the text, or of ids.other if from is negative (starting at ^from). A
// string starts with its quote, so that "1" differs from 1.
type key struct{ from, to int32 }

func (t *ids) reset(n int) {
	size := 4
	for size < 2*n {
		size *= 2
	}
	if len(t.slots) == size && size <= keep {
		clear(t.slots)
	} else {
		t.slots = make([]int32, size)
	}
	if cap(t.keys) > keep || cap(t.keys) < n {
		t.keys = make([]key, n)
	}
	t.keys = t.keys[:n]
	if t.other = t.other[:0]; cap(t.other) > keep {
		t.other = nil
	}
	t.seed = maphash.MakeSeed()
}

func (t *ids) bytes(text []byte, k key) []byte {
	if k.from < 0 {
		return t.other[^k.from:k.to]
	}
	return text[k.from:k.to]
}

// slot is the place of a key, or the place where it belongs.
func (t *ids) slot(text []byte, k key) *int32 { return t.slotOf(text, t.bytes(text, k)) }

// slotOf is slot for the bytes of a key.
func (t *ids) slotOf(text, b []byte) *int32 {
	for i := maphash.Bytes(t.seed, b); ; i++ {
		s := &t.slots[i&uint64(len(t.slots)-1)]
		if *s == 0 || bytes.Equal(t.bytes(text, t.keys[*s-1]), b) {
			return s
		}
	}
}

// add gives a key its row, and returns the row that has the key.
func (t *ids) add(text []byte, k key, row int) int {
	s := t.slot(text, k)
	if *s == 0 {
		t.keys[row] = k
		*s = int32(row) + 1
	}
	return int(*s) - 1
}

// find is the row of a key; -1 for none.
func (t *ids) find(text []byte, k key) int { return int(*t.slot(text, k)) - 1 }

// shown is an id for an error; a string has quotation marks.
func (t *ids) shown(text []byte, k key) string {
	b := t.bytes(text, k)
	if b[0] == '"' {
		return shortened(b) + `"`
	}
	return shortened(b)
}

// expected describes the expected ids if an id is unknown: if a node has the same id as a number or
// a string, that these differ.
func (t *ids) expected(text []byte, k key) string {
	const want = "the id of a node"
	b := t.bytes(text, k)
	if b[0] == '"' {
		if *t.slotOf(text, b[1:]) != 0 {
			return fmt.Sprintf(`%s; %s is a string, and the ids of nodes are numbers, as %s`, want, t.shown(text, k), b[1:])
		}
		return want
	}
	if *t.slotOf(text, append([]byte{'"'}, b...)) != 0 {
		return fmt.Sprintf(`%s; %s is no string, and the ids of nodes are strings, as "%s"`, want, t.shown(text, k), b)
	}
	return want
}

// id reads an id: a string, a number, or a list of these, which is a Python tuple.
func (d *decoder) id() (key, *Problem) {
	c := d.peek()
	start := d.at
	switch {
	case c == '"':
		text, p := d.str()
		if raw := d.text[start+1 : max(d.at-1, start+1)]; p != nil || len(raw) == len(text) {
			return key{int32(start), int32(d.at - 1)}, p
		}
		return d.otherKey(func() { d.ids.other = append(append(d.ids.other, '"'), text...) }), nil
	case c == '-' || c-'0' < 10:
		text, p := d.number()
		if p != nil || plain(text) {
			return key{int32(start), int32(d.at)}, p
		}
		return d.otherKey(func() { d.ids.other = canonical(d.ids.other, text) }), nil
	case c == '[':
		var p *Problem
		k := d.otherKey(func() { p = d.tuple() })
		return k, p
	}
	return key{}, d.wrongKind(c, "a string, a number or a list of these")
}

// otherKey is the key of the bytes that write adds to ids.other.
func (d *decoder) otherKey(write func()) key {
	from := len(d.ids.other)
	if cap(d.ids.other)-from < 64 { // append would grow by a quarter, which costs five times the memory in total
		d.ids.other = slices.Grow(d.ids.other, max(from, 64))
	}
	write()
	return key{^int32(from), int32(len(d.ids.other))}
}

// tuple writes a list in a unique form.
func (d *decoder) tuple() *Problem {
	d.ids.other = append(d.ids.other, '[')
	p := d.list(func(int) *Problem {
		switch c := d.peek(); {
		case c == '"':
			text, p := d.str()
			d.ids.other = append(d.ids.other, '"')
			for _, c := range text {
				if c == '"' || c == '\\' {
					d.ids.other = append(d.ids.other, '\\')
				}
				d.ids.other = append(d.ids.other, c)
			}
			d.ids.other = append(d.ids.other, '"', ',')
			return p
		case c == '-' || c-'0' < 10:
			text, p := d.number()
			d.ids.other = append(canonical(d.ids.other, text), ',')
			return p
		case c == '[':
			p := d.tuple()
			d.ids.other = append(d.ids.other, ',')
			return p
		default:
			return d.wrongKind(c, "a string, a number or a list of these")
		}
	})
	d.ids.other = append(d.ids.other, ']')
	return p
}

// plain reports whether a number is a whole number in its unique form.
func plain(text []byte) bool {
	return !bytes.ContainsAny(text, ".eE") && string(text) != "-0"
}

// canonical adds a number in the unique form of all equal numbers.
func canonical(to, text []byte) []byte {
	if plain(text) {
		return append(to, text...)
	}
	v, err := strconv.ParseFloat(string(text), 64)
	const exact = 1 << 53
	switch {
	case err != nil:
		return append(to, text...)
	case v == math.Trunc(v) && math.Abs(v) <= exact:
		return strconv.AppendInt(to, int64(v), 10)
	}
	return strconv.AppendFloat(to, v, 'g', -1, 64)
}
