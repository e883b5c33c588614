package score

import "slices"

// Best collects the k candidates with the largest scores. Of equal scores the smaller node comes
// first.
type Best struct {
	k    int
	heap []Ranked // the worst of the k best is at the root
}

// NewBest returns an empty Best for k candidates.
func NewBest(k int) Best { return Best{k: k} }

// before reports whether a ranks before b.
func before(a, b Ranked) bool { return a.Score > b.Score || a.Score == b.Score && a.Node < b.Node }

// takes reports whether a candidate with this score could be among the best.
func (b *Best) takes(score float64) bool {
	return len(b.heap) < b.k || b.k > 0 && score >= b.heap[0].Score
}

// Add adds a candidate.
func (b *Best) Add(x Ranked) {
	h := b.heap
	if len(h) < b.k {
		b.heap = append(h, x)
		for c := len(h); c > 0 && before(b.heap[(c-1)/2], b.heap[c]); c = (c - 1) / 2 {
			b.heap[(c-1)/2], b.heap[c] = b.heap[c], b.heap[(c-1)/2]
		}
		return
	}
	if b.k == 0 || !before(x, h[0]) {
		return
	}
	h[0] = x
	for at := 0; ; {
		worst := at
		for c := 2*at + 1; c <= 2*at+2 && c < len(h); c++ {
			if before(h[worst], h[c]) {
				worst = c
			}
		}
		if worst == at {
			return
		}
		h[at], h[worst] = h[worst], h[at]
		at = worst
	}
}

// Sorted returns the best candidates by descending score.
func (b *Best) Sorted() []Ranked {
	slices.SortFunc(b.heap, func(x, y Ranked) int {
		if before(x, y) {
			return -1
		}
		return 1
	})
	return b.heap
}
