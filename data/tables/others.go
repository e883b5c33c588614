package tables

import (
	"cmp"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// OtherClasses lists, for each scored edge of an input that has a class, the other classes of edges
// between the same nodes, in any part: they are also true. Keys are edges of Input.Graph; edges
// without other classes are left out. In a directed set only edges of the same direction count.
// Classes that the training lacks are left out.
func (s *Set) OtherClasses(e *Encoder, in *Input) map[int32][]int32 {
	if s.Level != OfEdges || s.Label == nil || s.Label.Numeric() {
		return nil
	}
	class := classCodes(e, s.Label)
	ends := func(i int32) (u, v int32) {
		u, v = s.Ends[2*i], s.Ends[2*i+1]
		if !s.Directed && u > v {
			u, v = v, u
		}
		return u, v
	}
	order := lists.Range[int32](s.NumEdges())
	slices.SortFunc(order, func(a, b int32) int {
		u, v := ends(a)
		x, y := ends(b)
		return cmp.Or(cmp.Compare(u, x), cmp.Compare(v, y), cmp.Compare(a, b))
	})
	of := map[int32][]int32{} // by edge of the set: the classes of its pair, if there are several
	for first := 0; first < len(order); {
		u, v := ends(order[first])
		end := first
		var classes []int32
		for ; end < len(order); end++ {
			if x, y := ends(order[end]); x != u || y != v {
				break
			}
			if k := s.Label.Code[order[end]]; k >= 0 && class[k] >= 0 && !slices.Contains(classes, class[k]) {
				classes = append(classes, class[k])
			}
		}
		if len(classes) > 1 {
			for _, i := range order[first:end] {
				of[i] = classes
			}
		}
		first = end
	}
	out := map[int32][]int32{}
	for _, i := range in.Scored {
		edge := in.Edges[i]
		classes, ok := of[edge]
		if k := s.Label.Code[edge]; !ok || k < 0 || class[k] < 0 {
			continue
		}
		own := class[s.Label.Code[edge]]
		out[i] = slices.DeleteFunc(slices.Clone(classes), func(c int32) bool { return c == own })
	}
	return out
}
