package boost

// quantiles finds a weighted quantile of numbers.
type quantiles struct {
	keys    []uint64 // numbers; the low bits have the index of the weight
	weights []float64
	buffer  []uint64
	total   float64
}

func (q *quantiles) reset() {
	q.keys, q.weights, q.total = q.keys[:0], q.weights[:0], 0
}

func (q *quantiles) add(v float32, w float64) {
	q.keys = append(q.keys, uint64(ordered(v))<<32|uint64(len(q.weights)))
	q.weights = append(q.weights, w)
	q.total += w
}

// at returns the smallest number up to which the weights sum to the given share of the total. If
// they sum to exactly this share, it returns the middle between this number and the next. So a row
// of weight 2 counts as two rows.
func (q *quantiles) at(share float64) float64 {
	if len(q.keys) == 0 {
		return 0
	}
	if len(q.buffer) < len(q.keys) {
		q.buffer = make([]uint64, len(q.keys))
	}
	sortHigh(q.keys, q.buffer)
	value := func(i int) float64 { return float64(unordered(uint32(q.keys[i] >> 32))) }
	want, sum := share*q.total, 0.0
	for i, k := range q.keys {
		sum += q.weights[uint32(k)]
		switch {
		case sum > want:
			return value(i)
		case sum == want && sum > 0:
			for j := i + 1; j < len(q.keys); j++ {
				if q.weights[uint32(q.keys[j])] > 0 {
					return (value(i) + value(j)) / 2
				}
			}
			return value(i)
		}
	}
	return value(len(q.keys) - 1)
}
