package tables

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// content appends the features and the time of edge e, which distinguish it from other edges
// between its nodes. The label is left out: two edges that differ only in their label, or one of
// which has a hidden label, must stay in one part of a split.
func (s *Set) content(b []byte, e int) []byte {
	for _, c := range s.EdgeColumns {
		if c.Numeric() {
			b = appendFloat(b, c.Value[e])
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(c.Code[e]))
		}
	}
	if s.Time != nil {
		b = appendFloat(b, s.Time[e])
	}
	return b
}

// appendFloat writes the same bytes for all NaNs, and for 0 and -0.
func appendFloat(b []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		v = math.NaN()
	case v == 0:
		v = 0
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// pairKey starts a key with the two nodes of edge e, the lower one first.
func (s *Set) pairKey(b []byte, e int) []byte {
	u, v := s.Ends[2*e], s.Ends[2*e+1]
	b = binary.LittleEndian.AppendUint32(b, uint32(min(u, v)))
	return binary.LittleEndian.AppendUint32(b, uint32(max(u, v)))
}

// labelKey appends the label, the group and the part of edge e; nothing if nodes have the labels.
func (s *Set) labelKey(b []byte, e int) []byte {
	if s.Level != OfEdges {
		return b
	}
	switch {
	case s.Label == nil:
	case s.Label.Numeric():
		b = appendFloat(b, s.Label.Value[e])
	default:
		b = binary.LittleEndian.AppendUint32(b, uint32(s.Label.Code[e]))
	}
	if s.Group != nil {
		b = binary.LittleEndian.AppendUint32(b, uint32(s.Group[e]))
	}
	if s.Part != nil {
		b = append(b, byte(s.Part[e]))
	}
	return b
}

// mergeMirrors makes the set undirected, with one edge for each pair of edges that differ only in
// direction, if all edges have such a mirror (a self-loop is its own mirror). Otherwise all edges
// are kept; they are directed unless an undirected set is required. The memory of this work is
// charged while it runs.
func (s *Set) mergeMirrors(demanded bool, b *data.Budget) error {
	m := s.NumEdges()
	up, down := 0, 0
	for e := range m {
		switch u, v := s.Ends[2*e], s.Ends[2*e+1]; {
		case u < v:
			up++
		case u > v:
			down++
		}
	}
	if s.Directed = !demanded; up != down || up == 0 {
		return nil
	}
	work := int64(up) * int64(mirrorBytes+len(s.labelKey(s.content(nil, 0), 0)))
	if err := b.Charge(work, "edges in both directions"); err != nil {
		return err
	}
	defer b.Release(work)
	waiting := map[string][]int32{} // edges without a mirror so far, by content
	keep := make([]int32, 0, m)
	open := 0
	var key []byte
	for e := range m {
		u, v := s.Ends[2*e], s.Ends[2*e+1]
		if u == v {
			keep = append(keep, int32(e))
			continue
		}
		side := byte(0)
		if u > v {
			side = 1
		}
		key = s.labelKey(s.content(s.pairKey(append(key[:0], 1-side), e), e), e)
		if list := waiting[string(key)]; len(list) > 0 {
			waiting[string(key)] = list[1:]
			open--
			continue
		}
		key[0] = side
		waiting[string(key)] = append(waiting[string(key)], int32(e))
		keep = append(keep, int32(e))
		open++
	}
	if open > 0 {
		return nil
	}
	s.Directed = false
	s.keepEdges(keep)
	s.Notes = append(s.Notes, fmt.Sprintf("every edge is listed in both directions: %d rows are %d undirected edges", m, len(keep)))
	return nil
}

// keepEdges keeps the listed edges.
func (s *Set) keepEdges(edges []int32) {
	s.Ends = s.endsOf(edges)
	for _, c := range slices.Concat(s.EdgeColumns, s.EdgeKeys) {
		c.Take(edges)
	}
	takeOwn(s.EdgeOwn, edges)
	if s.Label != nil && s.Level == OfEdges {
		s.Label.Take(edges)
	}
	if s.Time != nil {
		s.Time = lists.Take(s.Time, edges)
	}
	if s.Group != nil {
		s.Group = lists.Take(s.Group, edges)
	}
	if s.Part != nil && s.Level == OfEdges {
		s.Part = lists.Take(s.Part, edges)
	}
}
