package kernel

import (
	"math"
	"testing"
)

// segmentCase returns n segments, some of them empty, over rows rows of d columns with ties. With
// perm the rows are in random order.
func segmentCase(seed uint64, n, d int, perm bool) (x []float32, rows int, s Segments) {
	r := newRand(seed)
	s.Ptr = pointers(r, n, 40)
	rows = int(s.Ptr[n])
	x = randn(r, rows*d)
	for i := range x {
		x[i] = float32(math.Round(float64(x[i]) * 4)) // ties
	}
	if perm {
		for _, p := range r.Perm(rows) {
			s.Perm = append(s.Perm, int32(p))
		}
	}
	return x, rows, s
}

func TestSegments(t *testing.T) {
	const n = 17
	eachLevel(t, func(t *testing.T) {
		for _, perm := range []bool{false, true} {
			for _, d := range []int{0, 1, 2, 5, 11, 12, 13, 16, 33, 70} {
				x, rows, s := segmentCase(uint64(d), n, d, perm)
				if d > 1 && rows > 0 {
					x[1] = float32(math.NaN())
				}
				top := make([]float64, n*d)
				share, soft := make([]float64, rows*d), make([]float64, rows*d)
				for i := range n {
					for j := range d {
						var in []float64
						var at []int
						for k := s.Ptr[i]; k < s.Ptr[i+1]; k++ {
							at = append(at, s.row(int(k))*d+j)
							in = append(in, float64(x[at[len(at)-1]]))
						}
						if len(in) == 0 {
							continue
						}
						m, ties, sum := math.Inf(-1), 0.0, 0.0
						for _, v := range in {
							m = max(m, v)
						}
						for _, v := range in {
							sum += math.Exp(v - m)
							if v == m || v != v {
								ties++
							}
						}
						top[i*d+j] = m
						for k, v := range in {
							soft[at[k]] = math.Exp(v-m) / (sum + 1e-16)
							if v == m || v != v {
								share[at[k]] = 1 / ties
							}
						}
					}
				}
				what := name("d=%d perm=%v", d, perm)
				maxima := randn(newRand(9), n*d)
				SegmentMax(maxima, x, d, s, 0, n)
				close32(t, what+" max", maxima, top, nil, 0)
				dst := randn(newRand(9), rows*d)
				SegmentMaxShare(dst, x, maxima, d, s, 0, n)
				close32(t, what+" share", dst, share, nil, 1e-7)
				stats, grad := randn(newRand(9), 3*n*d), randn(newRand(8), 3*n*d)
				SegmentStats(stats, x, d, s, 0, n)
				SegmentStatsGrad(dst, x, stats, grad, d, s, 0, n)
				wantStats, wantGrad := make([]float64, 3*n*d), make([]float64, rows*d)
				for i := range n {
					rows := float64(s.Ptr[i+1] - s.Ptr[i])
					for j := range d {
						at := i*3*d + j
						wantStats[at] = top[i*d+j]
						for k := s.Ptr[i]; k < s.Ptr[i+1]; k++ {
							r := s.row(int(k))*d + j
							wantStats[at+d] += float64(x[r]) / rows
							wantStats[at+2*d] += float64(x[r])
							wantGrad[r] = float64(grad[at])*share[r] + float64(grad[at+d])/rows + float64(grad[at+2*d])
						}
					}
				}
				close32(t, what+" stats", stats, wantStats, nil, 1e-6)
				close32(t, what+" gradient of stats", dst, wantGrad, nil, 1e-6)
				SegmentSoftmax(dst, x, d, s, 0, n)
				close32(t, what+" softmax", dst, soft, nil, 5e-7)

				parts := make([]float32, rows*d)
				splits(newRand(1), n, func(lo, hi int) { SegmentSoftmax(parts, x, d, s, lo, hi) })
				sameBits(t, what+" softmax in parts", parts, dst)
				splits(newRand(2), n, func(lo, hi int) { SegmentSoftmax(x, x, d, s, lo, hi) })
				sameBits(t, what+" softmax in place", x, dst)
			}
		}
	})
}

func TestSegmentSoftmaxLong(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, d := range []int{1, 3, 16} { // longer than the chunk of narrow segments
			const rows = 1000
			x := randn(newRand(1), rows*d)
			dst := make([]float32, rows*d)
			SegmentSoftmax(dst, x, d, Segments{Ptr: []int32{0, rows}}, 0, 1)
			for j := range d {
				var sum float64
				for i := range rows {
					sum += float64(dst[i*d+j])
				}
				if math.Abs(sum-1) > 1e-5 {
					t.Errorf("d=%d: column %d sums to %v", d, j, sum)
				}
			}
		}
	})
}

// Blocks of many segments and blocks of few use different loops. A segment must have the bits that
// it has alone.
func TestSegmentSoftmaxMany(t *testing.T) {
	const n = 1500
	eachLevel(t, func(t *testing.T) {
		for _, d := range []int{1, 3, 4, 5, 8} {
			for _, perm := range []bool{false, true} {
				r := newRand(uint64(d))
				s := Segments{Ptr: pointers(r, n, 4)}
				for i := n / 2; i < n/2+5; i++ { // some long ones
					for j := i + 1; j <= n; j++ {
						s.Ptr[j] += 100
					}
				}
				rows := int(s.Ptr[n])
				if perm {
					for _, p := range r.Perm(rows) {
						s.Perm = append(s.Perm, int32(p))
					}
				}
				x := randn(r, rows*d)
				all, alone := make([]float32, rows*d), make([]float32, rows*d)
				SegmentSoftmax(all, x, d, s, 0, n)
				for i := range n {
					SegmentSoftmax(alone, x, d, s, i, i+1)
				}
				what := name("d=%d perm=%v", d, perm)
				sameBits(t, what, alone, all)
				SegmentSoftmax(x, x, d, s, 0, n)
				sameBits(t, what+" in place", x, all)
				var total float64
				for _, v := range all {
					total += float64(v)
				}
				full := 0
				for i := range n {
					full += min(int(s.Ptr[i+1]-s.Ptr[i]), 1)
				}
				if want := float64(full * d); math.Abs(total-want) > 1e-5*want {
					t.Errorf("%s: the sum of all is %v, want %v", what, total, want)
				}
			}
		}
	})
}

func BenchmarkSegmentSoftmax(b *testing.B) {
	for _, d := range []int{1, 4, 8, 32} {
		for _, perm := range []bool{false, true} {
			for l := levelGeneric; l <= levelAVX512; l++ {
				b.Run(name("d=%d/permuted=%v/%v", d, perm, l), func(b *testing.B) {
					withLevel(b, l)
					r := newRand(1)
					s := Segments{Ptr: pointers(r, 5000, 8)}
					rows := int(s.Ptr[5000])
					if perm {
						for _, p := range r.Perm(rows) {
							s.Perm = append(s.Perm, int32(p))
						}
					}
					x := randn(r, rows*d)
					dst := make([]float32, len(x))
					b.SetBytes(int64(8 * len(x)))
					for b.Loop() {
						SegmentSoftmax(dst, x, d, s, 0, 5000)
					}
				})
			}
		}
	}
}
