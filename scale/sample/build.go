package sample

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/scale/store"
)

// Limits on what building an index takes: files that ends of edges are divided over, by their
// nodes, and ends that are sorted at a time.
const (
	mostSpills = 256
	mostSorted = 1 << 22
)

// builder makes the files of an index in one pass over blocks and one over parts. Ends of edges go
// to spills, files of neighbouring nodes each, which are then sorted one after the other.
type builder struct {
	facts
	src      Source
	m        *store.Manifest
	dir      string
	progress func(done, total int)

	base   []int64 // number of the first node of each part, and of all
	spills []spill
	of     []int // the spill of each part
}

// spill is the ends at the nodes lo to hi, as 32 bits of the node's place among them and 64 of
// the end, in the order of the ends.
type spill struct {
	lo, hi int64
	ends   int64
	w      *sumWriter
}

const spillBytes = 12

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

// openSpills divides the parts over spills of about as many nodes.
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

// writeEdges writes the rows of the edges of the training graph, those of the seeds, and the
// spills.
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

// numbers are those of the distinct nodes of a block.
func (b *builder) numbers(block *store.Block) []place {
	out := make([]place, block.NumNodes())
	for p := range b.m.Parts {
		for k := block.PartPtr[p]; k < block.PartPtr[p+1]; k++ {
			out[k] = place{b.base[p] + int64(block.Rank[k]), b.of[p]}
		}
	}
	return out
}

// label is the label of an edge that is learned from, as 32 bits, unknown for others. visible is
// false for edges that are not in the training graph. Those of validation and test are counted.
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

// sortEnds writes starts and ends from the spills.
func (b *builder) sortEnds(ctx context.Context) error {
	return b.file(startsFile, func(starts io.Writer) error {
		return b.file(endsFile, func(ends io.Writer) error {
			at := int64(0) // ends before the node
			var long []byte
			for _, s := range b.spills {
				count := make([]int64, s.hi-s.lo)
				err := s.each(ctx, func(node int, _ int64) error { count[node]++; return nil })
				if err != nil {
					return err
				}
				for lo := 0; lo < len(count); {
					hi, sum := lo, int64(0)
					for hi < len(count) && (hi == lo || sum+count[hi] <= mostSorted) {
						long = binary.LittleEndian.AppendUint64(long[:0], uint64(at+sum))
						if _, err := starts.Write(long); err != nil {
							return err
						}
						if count[hi] > 0 {
							b.Touched++
						}
						sum += count[hi]
						hi++
					}
					if err := s.write(ctx, ends, lo, hi, count); err != nil {
						return err
					}
					at, lo = at+sum, hi
				}
				if err := os.Remove(s.w.f.Name()); err != nil {
					return fmt.Errorf("sample: %w", err)
				}
			}
			_, err := starts.Write(binary.LittleEndian.AppendUint64(long[:0], uint64(at)))
			return err
		})
	})
}

// write sorts the ends at the nodes lo to hi by their nodes. One node's ends are sorted as they
// are.
func (s *spill) write(ctx context.Context, to io.Writer, lo, hi int, count []int64) error {
	var long []byte
	if hi == lo+1 {
		return s.each(ctx, func(node int, end int64) error {
			if node != lo {
				return nil
			}
			long = binary.LittleEndian.AppendUint64(long[:0], uint64(end))
			_, err := to.Write(long)
			return err
		})
	}
	next := make([]int64, hi-lo)
	for k := 1; k < len(next); k++ {
		next[k] = next[k-1] + count[lo+k-1]
	}
	sorted := make([]byte, 8*(next[len(next)-1]+count[hi-1]))
	err := s.each(ctx, func(node int, end int64) error {
		if node >= lo && node < hi {
			binary.LittleEndian.PutUint64(sorted[8*next[node-lo]:], uint64(end))
			next[node-lo]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = to.Write(sorted)
	return err
}

// each reads the spill; the first time it is written to the end before.
func (s *spill) each(ctx context.Context, f func(node int, end int64) error) error {
	if err := s.w.close(); err != nil {
		return err
	}
	file, err := os.Open(s.w.f.Name())
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	defer file.Close()
	r := bufio.NewReaderSize(untilDone{ctx, file}, 1<<18)
	var b [spillBytes]byte
	for range s.ends {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return fmt.Errorf("sample: %s: %w", file.Name(), err)
		}
		if err := f(int(binary.LittleEndian.Uint32(b[:])), int64(binary.LittleEndian.Uint64(b[4:]))); err != nil {
			return err
		}
	}
	return nil
}

// file writes a file of the index and notes its size and checksum.
func (b *builder) file(name string, write func(w io.Writer) error) error {
	w, err := createSum(filepath.Join(b.dir, name))
	if err != nil {
		return err
	}
	err = write(w)
	if cerr := w.close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	b.Files[name] = &store.File{Bytes: w.bytes, SHA256: hex.EncodeToString(w.sum.Sum(nil))}
	return nil
}

// sumWriter is a buffered file with the checksum of what was written.
type sumWriter struct {
	f      *os.File
	buf    *bufio.Writer
	sum    hash.Hash
	bytes  int64
	closed bool
}

func createSum(path string) (*sumWriter, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	w := &sumWriter{f: f, sum: sha256.New()}
	w.buf = bufio.NewWriterSize(io.MultiWriter(f, w.sum), 1<<16)
	return w, nil
}

func (w *sumWriter) Write(b []byte) (int, error) {
	n, err := w.buf.Write(b)
	w.bytes += int64(n)
	if err != nil {
		err = fmt.Errorf("sample: %w", err)
	}
	return n, err
}

// close writes what is left; a second time it does nothing.
func (w *sumWriter) close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.buf.Flush()
	if err == nil {
		err = w.f.Sync()
	}
	if cerr := w.f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	return nil
}
