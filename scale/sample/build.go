package sample

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/ehgnn/ehgnn/scale/store"
)

// builder makes the files of an index in one pass over blocks and one over parts. It divides the
// ends of edges into spills, files of consecutive nodes, and then sorts one spill after the other.
type builder struct {
	facts
	src      Source
	m        *store.Manifest
	dir      string
	progress func(done, total int)

	base   []int64 // number of the first node of each part, and the number of all nodes
	spills []spill
	of     []int // the spill of each part
}

func (b *builder) build(ctx context.Context) error {
	b.base = make([]int64, len(b.m.Parts)+1)
	for p, n := range b.m.Parts {
		b.base[p+1] = b.base[p] + int64(n)
	}
	if err := b.writeNodes(ctx); err != nil {
		return err
	}
	if err := b.openSpills(); err != nil {
		return err
	}
	if err := b.writeEdges(ctx); err != nil {
		return err
	}
	return b.sortEnds(ctx)
}

// writeNodes writes the rows of nodes.
func (b *builder) writeNodes(ctx context.Context) error {
	return b.file(nodesFile, func(w io.Writer) error {
		var row []byte
		for p, n := range b.m.Parts {
			part, err := b.src.Part(ctx, p)
			if err != nil {
				return err
			}
			if p == 0 {
				b.Node = columnsOf(part.Node)
			}
			for i := range n {
				row = b.Node.put(row[:0], part.Node, i)
				if _, err := w.Write(row); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// openSpills divides the parts into spills with about equal numbers of nodes.
func (b *builder) openSpills() error {
	b.of = make([]int, len(b.m.Parts))
	n := min(len(b.m.Parts), mostSpills)
	for p := range b.m.Parts {
		k := p * n / len(b.m.Parts)
		if k == len(b.spills) {
			w, err := createSum(filepath.Join(b.dir, fmt.Sprintf("spill%03d", k)))
			if err != nil {
				return err
			}
			b.spills = append(b.spills, spill{lo: b.base[p], w: w})
		}
		b.of[p], b.spills[k].hi = k, b.base[p+1]
	}
	return nil
}

// writeEdges writes the rows of the training graph's edges, the seeds, and the spills.
func (b *builder) writeEdges(ctx context.Context) error {
	if !b.m.Encoder.Options.Number {
		b.Classes = make([]int, len(b.m.Encoder.Classes))
	}
	return b.file(edgesFile, func(edges io.Writer) error {
		return b.file(seedsFile, func(seeds io.Writer) error {
			var row []byte
			for i := range b.m.Blocks {
				block, err := b.src.Block(ctx, i)
				if err != nil {
					return err
				}
				if i == 0 {
					b.Edge = columnsOf(block.Edge)
				}
				nodes := b.numbers(block)
				for e := range block.NumEdges() {
					label, visible := b.label(block, e)
					if !visible {
						continue
					}
					u, v := nodes[block.Ends[2*e]], nodes[block.Ends[2*e+1]]
					row = binary.LittleEndian.AppendUint64(row[:0], uint64(u.number))
					row = binary.LittleEndian.AppendUint64(row, uint64(v.number))
					row = binary.LittleEndian.AppendUint32(row, label)
					if _, err := edges.Write(b.Edge.put(row, block.Edge, e)); err != nil {
						return err
					}
					if label != unknown {
						if _, err := seeds.Write(binary.LittleEndian.AppendUint64(row[:0], uint64(b.Edges))); err != nil {
							return err
						}
						b.Seeds++
					}
					for side, at := range []place{u, v} {
						s := &b.spills[at.spill]
						row = binary.LittleEndian.AppendUint32(row[:0], uint32(at.number-s.lo))
						row = binary.LittleEndian.AppendUint64(row, uint64(2*b.Edges+int64(side)))
						if _, err := s.w.Write(row); err != nil {
							return err
						}
						s.ends++
					}
					b.Edges++
				}
				if b.progress != nil {
					b.progress(i+1, b.m.Blocks)
				}
			}
			return nil
		})
	})
}

// place is the number of a node and the spill of its ends.
type place struct {
	number int64
	spill  int
}

// numbers returns the numbers of the distinct nodes of a block, and their spills.
func (b *builder) numbers(block *store.Block) []place {
	out := make([]place, block.NumNodes())
	for p := range b.m.Parts {
		for k := block.PartPtr[p]; k < block.PartPtr[p+1]; k++ {
			out[k] = place{b.base[p] + int64(block.Rank[k]), b.of[p]}
		}
	}
	return out
}

// label returns the label of a training edge as 32 bits, or unknown for other edges. visible is
// false for edges that are not in the training graph. It counts the edges of validation and test.
func (b *builder) label(block *store.Block, e int) (label uint32, visible bool) {
	part := uint8(store.InTrain)
	if block.Part != nil {
		part = block.Part[e]
	}
	label = unknown
	switch {
	case block.Class != nil && block.Class[e] >= 0:
		label = uint32(block.Class[e])
	case block.Number != nil && block.Number[e] == block.Number[e]:
		label = math.Float32bits(block.Number[e])
	}
	switch part {
	case store.InTrain:
		if label != unknown && block.Class != nil {
			b.Classes[label]++
		}
		return label, true
	case store.InNone:
		return unknown, true
	case store.InValid:
		if label != unknown {
			b.Valid++
		}
	case store.InTest:
		if label != unknown {
			b.Test++
		}
	}
	return unknown, false
}
