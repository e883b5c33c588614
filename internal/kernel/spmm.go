package kernel

// SpMM is a sparse matrix in row form times a dense matrix:
//
//	Dst[i] = Bias + SelfCoef[i]·Self[i] + Σ_k Coef[k]·X[Col[k]],  k in row i,
//
// followed by ReLU if set. Dst, X and Self have D columns. Nil fields mean:
//
//	Ptr nil       every row has Width entries: row i is [i·Width, (i+1)·Width)
//	Col nil       entry k refers to row k of X
//	Coef nil      all ones
//	Self nil      no such term; SelfCoef nil with Self set: ones
//	Bias nil      no such term
//
// Terms are added in the order written, entries by rising k.
type SpMM struct {
	Dst, X         []float32
	D              int
	Ptr, Col       []int32
	Width          int
	Coef           []float32
	Self, SelfCoef []float32
	Bias           []float32
	ReLU           bool
}

// Rows computes rows [lo,hi) of Dst. The bits of an element do not depend on lo
// and hi.
func (s *SpMM) Rows(lo, hi int) {
	if lo >= hi || s.D == 0 {
		return
	}
	// Vector code does not check bounds, so a wrong size must fail here. The ids in Col are trusted.
	_ = s.Dst[:hi*s.D]
	if s.Self != nil {
		_ = s.Self[:hi*s.D]
		if s.SelfCoef != nil {
			_ = s.SelfCoef[:hi]
		}
	}
	if s.Bias != nil {
		_ = s.Bias[:s.D]
	}
	end := checkEntries(s.Ptr, s.Col, s.Coef, s.Width, hi)
	if s.Col == nil {
		_ = s.X[:end*s.D]
	}
	if !spmmSIMD(s, lo, hi) {
		spmmGeneric(s, lo, hi)
	}
}

// entries is the range of entries of row i.
func entries(ptr []int32, width, i int) (lo, hi int) {
	if ptr == nil {
		return i * width, (i + 1) * width
	}
	return int(ptr[i]), int(ptr[i+1])
}

// idOf is the id of entry k, which is k if there are no ids.
func idOf(ids []int32, k int) int {
	if ids == nil {
		return k
	}
	return int(ids[k])
}

// coefOf is the coefficient of entry k, which is 1 if there are none.
func coefOf(coef []float32, k int) float32 {
	if coef == nil {
		return 1
	}
	return coef[k]
}

// checkEntries returns the end of the entries of rows before hi, and panics if
// ids or coef do not reach it.
func checkEntries(ptr, ids []int32, coef []float32, width, hi int) int {
	_, end := entries(ptr, width, hi-1)
	if ids != nil {
		_ = ids[:end]
	}
	if coef != nil {
		_ = coef[:end]
	}
	return end
}

func spmmGeneric(s *SpMM, lo, hi int) {
	for i := lo; i < hi; i++ {
		k0, k1 := entries(s.Ptr, s.Width, i)
		j := 0
		for ; j+8 <= s.D; j += 8 {
			s.tile8(i, j, k0, k1)
		}
		for ; j < s.D; j++ {
			s.tile1(i, j, k0, k1)
		}
	}
}

// tile8 computes columns [j,j+8) of row i with the sums in registers.
func (s *SpMM) tile8(i, j, k0, k1 int) {
	var acc [8]float32
	if s.Bias != nil {
		acc = [8]float32(s.Bias[j:])
	}
	if s.Self != nil {
		c, x := coefOf(s.SelfCoef, i), (*[8]float32)(s.Self[i*s.D+j:])
		for t := range acc {
			acc[t] += c * x[t]
		}
	}
	a0, a1, a2, a3 := acc[0], acc[1], acc[2], acc[3]
	a4, a5, a6, a7 := acc[4], acc[5], acc[6], acc[7]
	for k := k0; k < k1; k++ {
		c, x := coefOf(s.Coef, k), (*[8]float32)(s.X[idOf(s.Col, k)*s.D+j:])
		a0 += c * x[0]
		a1 += c * x[1]
		a2 += c * x[2]
		a3 += c * x[3]
		a4 += c * x[4]
		a5 += c * x[5]
		a6 += c * x[6]
		a7 += c * x[7]
	}
	acc = [8]float32{a0, a1, a2, a3, a4, a5, a6, a7}
	if s.ReLU {
		for t, v := range acc {
			acc[t] = relu32(v)
		}
	}
	*(*[8]float32)(s.Dst[i*s.D+j:]) = acc
}

// tile1 computes one element.
func (s *SpMM) tile1(i, j, k0, k1 int) {
	var acc float32
	if s.Bias != nil {
		acc = s.Bias[j]
	}
	if s.Self != nil {
		acc += coefOf(s.SelfCoef, i) * s.Self[i*s.D+j]
	}
	for k := k0; k < k1; k++ {
		acc += coefOf(s.Coef, k) * s.X[idOf(s.Col, k)*s.D+j]
	}
	if s.ReLU {
		acc = relu32(acc)
	}
	s.Dst[i*s.D+j] = acc
}
