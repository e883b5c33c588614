package tables

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// content appends the features and the time of edge e, which tell it from other edges
// between its nodes. The label is left out: two edges that differ in it alone, or of
// which one has its label hidden, must stay in one part of a split.
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

// appendFloat writes all NaNs alike, and 0 and -0 alike.
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

// labelKey appends the label, the group and the part of edge e; nothing where nodes have the labels.
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

// mergeMirrors makes the set undirected with one edge per pair of mirrored edges, which
// differ in direction only, if all edges have a mirror (a self-loop is its own).
// Otherwise all edges are kept, directed unless an undirected set is demanded. What the
// work takes is charged while it lasts.
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
	waiting := map[string][]int32{} // edges without their mirror yet, by content
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
	s.take(keep)
	s.Notes = append(s.Notes, fmt.Sprintf("every edge is listed in both directions: %d rows are %d undirected edges", m, len(keep)))
	return nil
}

// take keeps the listed edges.
func (s *Set) take(edges []int32) {
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
