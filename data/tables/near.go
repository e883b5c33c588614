package tables

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Edges are compared by columns of features and the time, so many at least, and each edge with so many others at most.
const (
	leastCompared = 4
	mostCompared  = 32
)

// NearCopies counts the test edges that join the same nodes as a training edge and differ from it in one column at most. It is 0 where
// edges have too few columns for that to say anything.
func (s *Set) NearCopies(split *data.Split) int {
	columns := s.EdgeColumns
	if s.Time != nil {
		columns = append(columns[:len(columns):len(columns)], &Column{Value: s.Time})
	}
	if len(columns) < leastCompared {
		return 0
	}
	pair, train := s.pairs(), map[int32][]int{}
	for _, e := range split.Train {
		if p := pair[e]; len(train[p]) < mostCompared {
			train[p] = append(train[p], e)
		}
	}
	near := func(a, b int) bool {
		differ := 0
		for _, c := range columns {
			if c.Numeric() && c.Value[a] != c.Value[b] || !c.Numeric() && c.Code[a] != c.Code[b] {
				differ++
			}
		}
		return differ < 2
	}
	return lists.Count(split.Test, func(e int) bool {
		return slices.ContainsFunc(train[pair[e]], func(t int) bool { return near(e, t) })
	})
}
