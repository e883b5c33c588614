package pool

import (
	"math"
	"slices"
)

// haarChain is a chain of coarser and coarser partitions of one graph, with the low-pass half of a
// Haar basis on each. It is immutable.
//
// The basis of a level is built from the coarsest level to the finest. With k points, let u_1 =
// 1/√k and, for l = 1 to k-1,
//
//	f_l = sqrt((k-l)/(k-l+1))·(e_l - mean of e_{l+1..k})
//
// The coarsest level of N points has u_1, f_1, ..., f_{N-1}. A finer level starts with the vectors
// of the next coarser one, spread evenly: φ(v) = φ'(cluster of v) / sqrt(size of the cluster). Then
// it has, cluster by cluster, f_1, f_2, ... on the cluster's members. The basis is orthonormal on
// every level.
type haarChain struct {
	points, clusters int
	parent           []int32    // cluster of each point; the identity at the end of the chain
	ends             []int32    // edges between clusters, each pair once, and inside clusters
	low              sparseRows // the vectors of the coarser level spread over the points: the pooling matrix
	coarser          *haarChain // the next level; at the end the chain itself
}

// sparseRows are rows of a sparse matrix.
type sparseRows struct {
	ptr, col []int32
	val      []float64
}

// newHaarChain returns the chain of a graph of n nodes with an interleaved edge list. parents[j] is
// the cluster of each point of level j, numbered from 0 without gaps. Pooling after the last
// partition changes nothing.
func newHaarChain(n int, ends []int32, directed bool, parents [][]int32) *haarChain {
	c := &haarChain{points: n}
	if len(parents) == 0 {
		c.parent = make([]int32, n)
		c.low = sparseRows{ptr: make([]int32, n+1), col: c.parent, val: make([]float64, n)}
		for i := range c.parent {
			c.parent[i], c.low.ptr[i+1], c.low.val[i] = int32(i), int32(i+1), 1
		}
		c.clusters, c.coarser = n, c
		c.ends = mergedEnds(ends, c.parent, directed)
		return c
	}
	c.parent = parents[0]
	for _, k := range c.parent {
		c.clusters = max(c.clusters, int(k)+1)
	}
	c.ends = mergedEnds(ends, c.parent, directed)
	c.coarser = newHaarChain(c.clusters, c.ends, directed, parents[1:])
	c.low = c.coarser.basis().spread(c.members())
	return c
}

// members lists the points of each cluster.
func (c *haarChain) members() [][]int32 {
	out := make([][]int32, c.clusters)
	for i, k := range c.parent {
		out[k] = append(out[k], int32(i))
	}
	return out
}

// basis returns the vectors of the finest level's basis as rows.
func (c *haarChain) basis() sparseRows {
	if c.coarser == c {
		s := sparseRows{ptr: []int32{0}}
		if c.points > 0 {
			s.flat(c.parent)
			s.details(c.parent)
		}
		return s
	}
	s := sparseRows{slices.Clone(c.low.ptr), slices.Clone(c.low.col), slices.Clone(c.low.val)}
	for _, m := range c.members() {
		s.details(m)
	}
	return s
}

// spread divides the value of a cluster equally over its members and keeps norms.
func (s sparseRows) spread(members [][]int32) sparseRows {
	out := sparseRows{ptr: []int32{0}}
	for i := range len(s.ptr) - 1 {
		for k := s.ptr[i]; k < s.ptr[i+1]; k++ {
			m := members[s.col[k]]
			share := s.val[k] / math.Sqrt(float64(len(m)))
			for _, v := range m {
				out.col, out.val = append(out.col, v), append(out.val, share)
			}
		}
		out.ptr = append(out.ptr, int32(len(out.col)))
	}
	return out
}

// flat appends the row u_1 on the given points.
func (s *sparseRows) flat(points []int32) {
	for _, v := range points {
		s.col, s.val = append(s.col, v), append(s.val, 1/math.Sqrt(float64(len(points))))
	}
	s.ptr = append(s.ptr, int32(len(s.col)))
}

// details appends the rows f_1, f_2, ... on the given points.
func (s *sparseRows) details(points []int32) {
	for l := 1; l < len(points); l++ {
		rest := float64(len(points) - l)
		f := math.Sqrt(rest / (rest + 1))
		s.col, s.val = append(s.col, points[l-1]), append(s.val, f)
		for _, v := range points[l:] {
			s.col, s.val = append(s.col, v), append(s.val, -f/rest)
		}
		s.ptr = append(s.ptr, int32(len(s.col)))
	}
}
