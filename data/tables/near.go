package tables

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/lists"
)

const (
	leastCompared = 4  // feature columns, including time, from which edges are compared
	mostCompared  = 32 // training edges that a test edge is compared with, at most
)

// NearCopies counts the test edges that join the same nodes as a training edge and differ from it in at most one
// column. It is 0 if edges have too few columns for a comparison.
func (s *Set) NearCopies(split *data.Split) int {
	columns := slices.Clone(s.EdgeColumns)
	if s.Time != nil {
		columns = append(columns, &Column{Value: s.Time})
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
