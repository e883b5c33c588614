package sample

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// Limits for building an index: the number of files into which the ends of edges are divided, by
// node, and the number of ends that are sorted at a time.
const (
	mostSpills = 256
	mostSorted = 1 << 22
)

// spill has the ends at the nodes lo to hi, in the order of the ends: 32 bits for the node's
// position among these nodes and 64 bits for the end.
type spill struct {
	lo, hi int64
	ends   int64
	w      *sumWriter
}

const spillBytes = 12

// sortEnds writes starts and ends from the spills.
func (b *builder) sortEnds(ctx context.Context) error {
	return b.file(startsFile, func(starts io.Writer) error {
		return b.file(endsFile, func(ends io.Writer) error {
			at := int64(0) // number of ends before the node
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

// write writes the ends at the nodes lo to hi, sorted by node. The ends of one node keep their
// order.
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

// each reads the spill. The first call also flushes it to its file.
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
