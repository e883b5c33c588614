package surrogate

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Prediction is what is expected of some molecules. Deviations are those of a new measurement with its
// noise, in the units of the columns.
type Prediction struct {
	Mean [][]float64 // of columns: of each molecule

	noise      float64
	unit       []float64   // of columns: the deviation where nothing is known
	explained  []float64   // of molecules: the share of the variance that is known
	covariance []float32   // of molecules with each other [kids,kids], given what was learned; nil until Know
	known      [][]float64 // for each molecule of Know: its part in the covariance with all
	of         []Bits
	solved     []float32 // L⁻¹·k [n,kids]
	model      *Model
}

// Predict predicts for molecules.
func (m *Model) Predict(of []Bits) *Prediction {
	n, kids := len(m.train), len(of)
	p := &Prediction{Mean: make([][]float64, len(m.weights)), noise: m.Noise, unit: make([]float64, len(m.weights)), explained: make([]float64, kids), of: of, model: m}
	for c, a := range m.amplitude {
		p.unit[c] = m.scale[c] * math.Sqrt(a)
	}
	if kids == 0 {
		return p
	}
	k := pack(m.train, of).across(m.pool, n)
	for c, w := range m.weights {
		mean := make([]float64, kids)
		for i, a := range w {
			for j, v := range k[i*kids : (i+1)*kids] {
				mean[j] += a * float64(v)
			}
		}
		for j := range mean {
			mean[j] = m.mean[c] + m.scale[c]*mean[j]
		}
		p.Mean[c] = mean
	}
	m.factor.lower(m.pool, k, kids)
	for i := range n {
		for j, v := range k[i*kids : (i+1)*kids] {
			p.explained[j] += float64(v) * float64(v)
		}
	}
	p.solved = k
	return p
}

// Deviation is that of a column for a molecule.
func (p *Prediction) Deviation(column, molecule int) float64 {
	return p.unit[column] * math.Sqrt(p.left(molecule))
}

// left is the share of the variance of a molecule that is not known.
func (p *Prediction) left(molecule int) float64 {
	return max(leastVar, 1+p.noise-p.explained[molecule])
}

// Know makes deviations what they would be if a molecule were scored, whatever its score.
func (p *Prediction) Know(molecule int) {
	kids := len(p.of)
	if p.covariance == nil {
		p.covariance = pack(p.of).symmetric(p.model.pool, kids)
		negative := make([]float32, len(p.solved))
		kernel.BinaryScalar(kernel.Mul, negative, p.solved, -1)
		multiply(p.model.pool, kernel.Gemm{C: p.covariance, A: negative, B: p.solved, M: kids, N: kids, K: len(p.model.train), TransA: true, Acc: true})
	}
	deviation := math.Sqrt(p.left(molecule))
	share := make([]float64, kids)
	for j := range share {
		c := float64(p.covariance[molecule*kids+j])
		for _, before := range p.known {
			c -= before[molecule] * before[j]
		}
		share[j] = c / deviation
		p.explained[j] += share[j] * share[j]
	}
	p.known = append(p.known, share)
}
