package forest

import (
	"encoding/binary"
	"fmt"
	"math"
)

// MarshalBinary returns the forest as bytes: the number of bits and of trees, then the nodes of
// each tree in preorder. A split is its bit plus one, a leaf is 0 with its samples, all as unsigned
// varints.
func (f *Forest) MarshalBinary() ([]byte, error) {
	out := binary.AppendUvarint(nil, uint64(f.bits))
	out = binary.AppendUvarint(out, uint64(len(f.trees)))
	for _, tree := range f.trees {
		for _, n := range tree {
			if n.right > 0 {
				out = binary.AppendUvarint(out, uint64(n.bit)+1)
				continue
			}
			out = append(out, 0)
			out = binary.AppendUvarint(out, uint64(n.positive))
			out = binary.AppendUvarint(out, uint64(n.all))
		}
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. It returns an error for anything else.
func (f *Forest) UnmarshalBinary(data []byte) error {
	d := decoder{rest: data}
	bits, trees := d.number(math.MaxInt32), d.number(uint64(len(data)))
	if d.err != nil {
		return fmt.Errorf("forest: %w", d.err)
	}
	if bits == 0 || trees == 0 {
		return fmt.Errorf("forest: %d trees of %d bits, expected at least 1 of each", trees, bits)
	}
	read := Forest{bits: int(bits)}
	for range trees {
		d.nodes, d.bits = nil, bits
		d.tree()
		if d.err != nil {
			return fmt.Errorf("forest: tree %d: %w", len(read.trees), d.err)
		}
		read.trees = append(read.trees, d.nodes)
	}
	if len(d.rest) > 0 {
		return fmt.Errorf("forest: %d bytes behind the last tree", len(d.rest))
	}
	*f = read
	return nil
}

// decoder reads nodes from bytes until a node is invalid.
type decoder struct {
	rest  []byte
	bits  uint64
	nodes []node
	err   error
}

// tree reads the nodes of a tree. It keeps splits with an unread right side in a list instead of
// recursing, because a malicious file could be very deep.
func (d *decoder) tree() {
	type open struct {
		split int32
		left  bool // its left side has been read
	}
	var path []open
	for d.err == nil {
		at := int32(len(d.nodes))
		if code := d.number(d.bits); code > 0 {
			d.nodes = append(d.nodes, node{bit: int32(code) - 1})
			path = append(path, open{split: at})
			continue
		}
		leaf := node{positive: uint32(d.number(math.MaxUint32)), all: uint32(d.number(math.MaxUint32))}
		if d.err == nil && (leaf.all == 0 || leaf.positive > leaf.all) {
			d.err = fmt.Errorf("node %d has %d positive samples of %d", at, leaf.positive, leaf.all)
		}
		d.nodes = append(d.nodes, leaf)
		for len(path) > 0 && path[len(path)-1].left {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return
		}
		last := &path[len(path)-1]
		last.left = true
		d.nodes[last.split].right = int32(len(d.nodes))
	}
}

// number reads a number that is at most most.
func (d *decoder) number(most uint64) uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || v > most {
		d.err = fmt.Errorf("node %d: no number of at most %d", len(d.nodes), most)
		return 0
	}
	d.rest = d.rest[n:]
	return v
}
