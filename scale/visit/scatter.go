package visit

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/scale/store"
)

// Scatter adds up the messages of blocks at their ends. Its memory is used again from block to
// block; the zero value is ready.
type Scatter struct {
	// Most is how many nodes Sums have at most, so that they stay in a cache; 0 for those of a
	// part.
	Most int

	first []int32 // of the seen ends of each place, in edge
	edge  []int32
	sums  Sums
}

// Each calls f with what a block says to each part of which it has nodes with seen edges, in order
// of parts and ranks. A Sums is valid until f returns. parts says of which parts; nil for all.
func (s *Scatter) Each(b *store.Block, seen Seen, message []float32, width, shift int, parts func(part int) bool, f func(*Sums) error) error {
	s.sort(b, seen)
	scale := math.Ldexp(1, shift)
	s.sums = Sums{Block: b.Index, Width: width, Rank: s.sums.Rank[:0], Count: s.sums.Count[:0], Value: s.sums.Value[:0]}
	for p := range len(b.PartPtr) - 1 {
		if parts != nil && !parts(p) {
			continue
		}
		s.sums.Part = p
		for place := b.PartPtr[p]; place < b.PartPtr[p+1]; place++ {
			ends := s.edge[s.first[place]:s.first[place+1]]
			if len(ends) == 0 {
				continue
			}
			kernel.AddFixed(s.next(b.Rank[place], len(ends)), message, ends, scale)
			if len(s.sums.Rank) == s.Most {
				if err := s.give(f); err != nil {
					return err
				}
			}
		}
		if err := s.give(f); err != nil {
			return err
		}
	}
	return nil
}

// next begins the sum of a node.
func (s *Scatter) next(rank int32, count int) []int64 {
	s.sums.Rank = append(s.sums.Rank, rank)
	s.sums.Count = append(s.sums.Count, int32(count))
	at := len(s.sums.Value)
	if at+s.sums.Width > cap(s.sums.Value) {
		s.sums.Value = append(s.sums.Value, make([]int64, s.sums.Width)...)
	} else {
		s.sums.Value = s.sums.Value[:at+s.sums.Width]
	}
	to := s.sums.Value[at:][:s.sums.Width]
	clear(to)
	return to
}

// give hands on the sums, if there are any, and begins new ones.
func (s *Scatter) give(f func(*Sums) error) error {
	if len(s.sums.Rank) == 0 {
		return nil
	}
	err := f(&s.sums)
	s.sums.Rank, s.sums.Count, s.sums.Value = s.sums.Rank[:0], s.sums.Count[:0], s.sums.Value[:0]
	return err
}

// sort lists the seen edges at each place, one with both ends there twice.
func (s *Scatter) sort(b *store.Block, seen Seen) {
	s.first = sized(s.first, b.NumNodes()+2)
	clear(s.first)
	n := int32(0)
	for e := range b.NumEdges() {
		if seen.Has(b, e) {
			s.first[b.Ends[2*e]+2]++
			s.first[b.Ends[2*e+1]+2]++
			n += 2
		}
	}
	for k := 2; k < len(s.first); k++ {
		s.first[k] += s.first[k-1]
	}
	s.edge = sized(s.edge, int(n))
	for e := range b.NumEdges() {
		if !seen.Has(b, e) {
			continue
		}
		for _, place := range b.Ends[2*e : 2*e+2] {
			s.edge[s.first[place+1]] = int32(e)
			s.first[place+1]++
		}
	}
}

// sized is a list of n elements in the memory of x where that is large enough.
func sized[T any](x []T, n int) []T {
	if n > cap(x) {
		return make([]T, n)
	}
	return x[:n]
}
