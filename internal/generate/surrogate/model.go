package surrogate

import (
	"errors"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

const (
	jitter    = 1e-6 // added to the noise
	least     = 1e-6 // of the amplitude
	leastVar  = 1e-9 // as a share of the amplitude
	leastUnit = 1e-9 // added to the deviation of a column, because a column may be constant
	refining  = 1    // number of refinements of the weights
)

// Model is a fitted process.
type Model struct {
	// Kernel has the chosen or given constants.
	Kernel Kernel

	pool        *par.Pool
	train       []Molecule
	scaling     scaling
	scaled      []float32 // compositions of train, scaled by scaling
	factor      *factor
	weights     [][]float64 // of each column: a weight of each molecule
	mean, scale []float64   // of each column
	amplitude   []float64
}

// Fit fits a process to columns of scores, each with a number for each molecule. If the noise of
// the kernel is 0, the constants are chosen by the likelihood: the noise with the first of shares,
// then the share with this noise. threads is the number of threads, 0 for all processors.
func Fit(threads int, train []Molecule, columns [][]float64, kernel Kernel) (*Model, error) {
	n := len(train)
	if n == 0 || len(columns) == 0 {
		return nil, errors.New("surrogate: nothing to learn from")
	}
	m := &Model{pool: par.New(threads), train: train, scaling: newScaling(train)}
	m.scaled = m.scaling.apply(train)
	z := make([][]float64, len(columns))
	for c, y := range columns {
		if len(y) != n {
			return nil, fmt.Errorf("surrogate: column %d has %d scores of %d molecules", c, len(y), n)
		}
		mean, scale := standard(y)
		m.mean, m.scale = append(m.mean, mean), append(m.scale, scale)
		z[c] = make([]float64, n)
		for i, v := range y {
			z[c][i] = (v - mean) / scale
		}
	}
	bits := pack(bitsOf(train)).symmetric(m.pool, n)
	tryShares, tryNoises := shares, noises
	if kernel.Noise > 0 {
		tryShares, tryNoises = []float64{kernel.Share}, []float64{kernel.Noise}
	}
	best := math.Inf(-1)
	for _, share := range tryShares {
		k := mix(m.pool, bits, share, m.scaled, m.scaled)
		for _, r := range tryNoises {
			f, ok := factorise(m.pool, k, n, r+jitter)
			if !ok {
				continue
			}
			weights, amplitude := m.weigh(f, k, z, r+jitter)
			likelihood := -f.logDeterminant()
			for _, a := range amplitude {
				likelihood -= 0.5 * float64(n) * math.Log(a) / float64(len(amplitude))
			}
			if likelihood > best {
				best, m.Kernel, m.factor, m.weights, m.amplitude = likelihood, Kernel{r, share}, f, weights, amplitude
			}
		}
		if m.factor != nil {
			tryNoises = []float64{m.Kernel.Noise}
		}
	}
	if m.factor == nil {
		return nil, errors.New("surrogate: the scores are not finite numbers, or the similarities are no kernel")
	}
	return m, nil
}

func bitsOf(of []Molecule) []Bits {
	return lists.Map(of, func(m Molecule) Bits { return m.Bits })
}

// standard returns the mean and the standard deviation of numbers.
func standard(y []float64) (mean, deviation float64) {
	for _, v := range y {
		mean += v
	}
	mean /= float64(len(y))
	for _, v := range y {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation/float64(len(y))) + leastUnit
}

// weigh solves (K + r·I)·a = z for each column, and returns the amplitudes z·a/n.
func (m *Model) weigh(f *factor, k []float32, z [][]float64, diagonal float64) (weights [][]float64, amplitude []float64) {
	n := f.n
	weights, amplitude = make([][]float64, len(z)), make([]float64, len(z))
	m.pool.Rows(len(z), 1, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			a := append([]float64{}, z[c]...)
			f.solve(a)
			for range refining {
				rest := make([]float64, n)
				for i := range n {
					rest[i] = z[c][i] - diagonal*a[i] - dot(k[i*n:(i+1)*n], a)
				}
				f.solve(rest)
				for i, v := range rest {
					a[i] += v
				}
			}
			sum := 0.0
			for i, v := range a {
				sum += v * z[c][i]
			}
			weights[c], amplitude[c] = a, max(least, sum/float64(n))
		}
	})
	return weights, amplitude
}
