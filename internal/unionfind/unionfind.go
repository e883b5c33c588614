// Package unionfind divides the numbers from 0 into disjoint sets by joining them, for connected
// components and groups that a split keeps together.
package unionfind

// Sets are disjoint sets of the numbers below its length (Tarjan 1975). The smallest number of a
// set represents it, so the result does not depend on the order of joins.
type Sets []int32

// New returns n sets of one number each.
func New(n int) Sets {
	s := make(Sets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Find returns the smallest number of the set of i.
func (s Sets) Find(i int32) int32 {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// Union joins the sets of a and b.
func (s Sets) Union(a, b int32) {
	if a, b = s.Find(a), s.Find(b); a != b {
		s[max(a, b)] = min(a, b)
	}
}

// Number numbers the n sets in the order of their smallest numbers. of is the number of the set of
// each member.
func (s Sets) Number() (of []int32, n int) {
	of = make([]int32, len(s))
	for i := range int32(len(s)) {
		if r := s.Find(i); r < i {
			of[i] = of[r]
			continue
		}
		of[i] = int32(n)
		n++
	}
	return of, n
}
