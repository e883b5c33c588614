package surrogate

import (
	"math"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Kernel has the constants of the kernel
//
//	(1-Share)·Tanimoto(bits) + Share·exp(-d²/2) + Noise on the diagonal,
//
// as ratios to the amplitude. d² is the mean square difference of the standardised compositions,
// divided by the square of length.
type Kernel struct {
	Noise float64 `json:"noise,omitempty"`
	Share float64 `json:"share,omitempty"`
}

// The constants that are tried, all noises only with the first share, and the length.
var (
	noises = []float64{1e-3, 1e-2, 1e-1}
	shares = []float64{0.3, 0, 0.6}
)

const length = 0.5

// Molecule has the properties of a molecule that the process reads.
type Molecule struct {
	Bits        Bits
	Composition chem.Composition
}

// scaling standardises compositions by the mean and deviation of the training molecules.
type scaling struct{ mean, inverse chem.Composition }

// leastSpread is the smallest standard deviation that a count is divided by.
const leastSpread = 1e-3

func newScaling(of []Molecule) (s scaling) {
	for c := range s.mean {
		mean, deviation := standard(lists.Map(of, func(m Molecule) float64 { return float64(m.Composition[c]) }))
		s.mean[c], s.inverse[c] = float32(mean), float32(1/max(deviation, leastSpread))
	}
	return s
}

// apply returns standardised compositions, [n,counts], scaled so that the kernel of two rows is
// exp(-|a-b|²/2).
func (s *scaling) apply(of []Molecule) []float32 {
	unit := float32(1 / (length * math.Sqrt(float64(counted))))
	out := make([]float32, 0, counted*len(of))
	for _, m := range of {
		for c, v := range m.Composition {
			out = append(out, unit*(v-s.mean[c])*s.inverse[c])
		}
	}
	return out
}

// counted is the number of counts in a composition.
const counted = len(chem.Composition{})

// halves returns half the squared lengths of rows.
func halves(x []float32) []float32 {
	out := make([]float32, len(x)/counted)
	for i, v := range x {
		out[i/counted] += v * v / 2
	}
	return out
}

// mix adds the similarities of rows a [n,counts] and b [m,counts] to the similarities k [n,m] of
// bits.
func mix(pool *par.Pool, k []float32, share float64, a, b []float32) []float32 {
	if share == 0 {
		return k
	}
	n, m := len(a)/counted, len(b)/counted
	out := make([]float32, len(k))
	multiply(pool, kernel.Gemm{C: out, A: a, B: b, M: n, N: m, K: counted, TransB: true})
	halfA, halfB, of := halves(a), halves(b), float32(share)
	pool.Rows(n, 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, bits := out[i*m:(i+1)*m], k[i*m:(i+1)*m]
			for j, v := range row {
				row[j] = min(v-halfA[i]-halfB[j], 0)
			}
			kernel.Unary(kernel.Exp, row, row, 0, 0)
			for j, v := range row {
				row[j] = of*v + (1-of)*bits[j]
			}
		}
	})
	return out
}
