package kernel

// SDDMM is a sampled product of two dense matrices with D columns:
//
//	Dst[e] = Σ_k Coef[k]·⟨G[Row[k]], X[Col[k]]⟩,  k in the entries of e.
//
// It is the gradient of SpMM by its coefficients. Ptr gives the entries of e;
// nil means Width entries each. Row or Col nil: entry k refers to row k. Coef
// nil: ones.
type SDDMM struct {
	Dst, G, X     []float32
	D             int
	Ptr, Row, Col []int32
	Width         int
	Coef          []float32
}

// Range computes Dst[lo:hi]. The bits of an element do not depend on lo and hi.
func (s *SDDMM) Range(lo, hi int) {
	if lo >= hi {
		return
	}
	// Vector code does not check bounds, so a wrong size must fail here. The ids in Row and Col are
	// trusted.
	_ = s.Dst[:hi]
	checkEntries(s.Ptr, s.Row, s.Coef, s.Width, hi)
	end := checkEntries(s.Ptr, s.Col, nil, s.Width, hi)
	if s.Row == nil {
		_ = s.G[:end*s.D]
	}
	if s.Col == nil {
		_ = s.X[:end*s.D]
	}
	if s.D == 0 { // 0 at every level, even with an infinite Coef
		clear(s.Dst[lo:hi])
		return
	}
	if !sddmmSIMD(s, lo, hi) {
		sddmmGeneric(s, lo, hi)
	}
}

func sddmmGeneric(s *SDDMM, lo, hi int) {
	for e := lo; e < hi; e++ {
		k0, k1 := entries(s.Ptr, s.Width, e)
		var sum float32
		for k := k0; k < k1; k++ {
			row, col := idOf(s.Row, k), idOf(s.Col, k)
			sum += coefOf(s.Coef, k) * dot4(s.G[row*s.D:][:s.D], s.X[col*s.D:][:s.D])
		}
		s.Dst[e] = sum
	}
}

// dot4 is a float32 dot product in four chains.
func dot4(x, y []float32) float32 {
	var s0, s1, s2, s3 float32
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += v * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}
