package store

import (
	"context"
	"io"

	"github.com/ehgnn/ehgnn/graph"
)

// Flags for the arrays of a block.
const (
	hasClass = 1 << iota
	hasNumber
	hasPart
)

func encodeBlock(w io.Writer, b *Block) error {
	m, flags := b.NumEdges(), 0
	if b.Class != nil {
		flags |= hasClass
	}
	if b.Number != nil {
		flags |= hasNumber
	}
	if b.Part != nil {
		flags |= hasPart
	}
	e := &encoder{w: w}
	e.head(blockMagic, b.Index, m, len(b.Rank), len(b.PartPtr)-1, b.Edge.Dim, len(b.Edge.Codes), flags)
	e.long(b.First)
	e.layout(b.Edge)
	put(e, b.Ends)
	put(e, b.PartPtr)
	put(e, b.Rank)
	put(e, b.Edge.Dense)
	put(e, b.Edge.Code)
	put(e, b.Class)
	put(e, b.Number)
	e.bytes(b.Part)
	return e.err
}

func decodeBlock(ctx context.Context, r io.Reader, size int64) (*Block, error) {
	d := &decoder{ctx: ctx, r: r, left: size}
	h := d.head(blockMagic, 7)
	m, nodes, parts, dim, codes, flags := h[1], h[2], h[3], h[4], h[5], h[6]
	if m == 0 || flags >= hasPart<<1 {
		d.fail("it has %d edges and flags %b", m, flags)
	}
	b := &Block{Index: h[0], First: d.long()}
	layout := d.layout(codes)
	b.Ends = get[int32](d, m, 2)
	b.PartPtr = get[int32](d, parts+1, 1)
	b.Rank = get[int32](d, nodes, 1)
	b.Edge = d.features(m, dim, layout)
	if flags&hasClass != 0 {
		b.Class = get[int32](d, m, 1)
	}
	if flags&hasNumber != 0 {
		b.Number = get[float32](d, m, 1)
	}
	if flags&hasPart != 0 {
		b.Part = d.octets(m)
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	d.checkBlock(b)
	return b, d.err
}

// checkBlock checks the content of a block.
func (d *decoder) checkBlock(b *Block) {
	if b.First < 0 {
		d.fail("its first edge is %d", b.First)
	}
	nodes := int32(len(b.Rank))
	for i, v := range b.Ends {
		if v < 0 || v >= nodes {
			d.fail("edge %d ends in node %d of %d", b.First+int64(i/2), v, nodes)
			return
		}
	}
	if b.PartPtr[0] != 0 || b.PartPtr[len(b.PartPtr)-1] != nodes {
		d.fail("its parts do not have all of its nodes")
		return
	}
	for p := range len(b.PartPtr) - 1 {
		lo, hi := b.PartPtr[p], b.PartPtr[p+1]
		if lo > hi || hi > nodes {
			d.fail("part %d has the nodes from %d to %d of %d", p, lo, hi, nodes)
			return
		}
		last := int32(-1)
		for _, r := range b.Rank[lo:hi] {
			if r <= last {
				d.fail("rank %d of part %d follows %d", r, p, last)
				return
			}
			last = r
		}
	}
	for i, c := range b.Class {
		if c < graph.NoLabel {
			d.fail("edge %d has class %d", b.First+int64(i), c)
			return
		}
	}
	for i, p := range b.Part {
		if p > InNone {
			d.fail("edge %d is in part %d of the split", b.First+int64(i), p)
			return
		}
	}
}

func encodeNames(w io.Writer, index int, ids []string) error {
	e := &encoder{w: w}
	e.head(namesMagic, index, len(ids))
	e.texts(ids)
	return e.err
}

func decodeNames(ctx context.Context, r io.Reader, size int64) (index int, ids []string, err error) {
	d := &decoder{ctx: ctx, r: r, left: size}
	h := d.head(namesMagic, 2)
	ids = d.texts(h[1])
	return h[0], ids, d.end()
}

func encodePart(w io.Writer, p *Part) error {
	e := &encoder{w: w}
	e.head(partMagic, p.Index, len(p.IDs), p.Node.Dim, len(p.Node.Codes))
	e.layout(p.Node)
	e.texts(p.IDs)
	put(e, p.Node.Dense)
	put(e, p.Node.Code)
	return e.err
}

func decodePart(ctx context.Context, r io.Reader, size int64) (*Part, error) {
	d := &decoder{ctx: ctx, r: r, left: size}
	h := d.head(partMagic, 4)
	n, dim, codes := h[1], h[2], h[3]
	layout := d.layout(codes)
	p := &Part{Index: h[0], IDs: d.texts(n)}
	p.Node = d.features(n, dim, layout)
	if err := d.end(); err != nil {
		return nil, err
	}
	for i := 1; i < len(p.IDs); i++ {
		if p.IDs[i-1] >= p.IDs[i] {
			d.fail("id %q follows %q", p.IDs[i], p.IDs[i-1])
			break
		}
	}
	return p, d.err
}
