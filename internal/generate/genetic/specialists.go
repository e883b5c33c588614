package genetic

import (
	"cmp"
	"math"
	"slices"
)

// specialistParents is the number of members that can be parents for a part.
const specialistParents = 100

// specialists lists, for each part of the score, the best members by this part. Of equal members
// the one with the higher total comes first. To compare members by one part, it combines the part
// with the best known values of all other parts, so that limits of parts apply. If the score has
// one part, the list is empty.
func (s *search) specialists(sorted []*member) [][]*member {
	if len(sorted) == 0 || len(sorted[0].Values) < 2 {
		return nil
	}
	best := slices.Repeat([]float64{math.Inf(-1)}, len(sorted[0].Values))
	for _, m := range sorted {
		for k, v := range m.Values {
			best[k] = max(best[k], v)
		}
	}
	lists := make([][]*member, len(best))
	for k := range best {
		alone := slices.Clone(best)
		values := make(map[*member]float64, len(sorted))
		for _, m := range sorted {
			alone[k] = m.Values[k]
			values[m] = s.Objective.Combine(alone)
		}
		list := slices.Clone(sorted)
		slices.SortStableFunc(list, func(a, b *member) int { return cmp.Compare(values[b], values[a]) })
		lists[k] = list[:min(specialistParents, len(list))]
	}
	return lists
}
