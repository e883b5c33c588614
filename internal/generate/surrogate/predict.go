package surrogate

import "math"

// Prediction has the predictions for molecules. Deviations are standard deviations of a new
// measurement, including its noise, in the units of the columns.
type Prediction struct {
	Mean [][]float64 // of each column and molecule

	noise     float64
	unit      []float64 // of each column: the deviation far from all training molecules
	explained []float64 // of each molecule: the explained share of the variance
}

// Predict returns the predictions for molecules.
func (m *Model) Predict(of []Molecule) *Prediction {
	n, kids := len(m.train), len(of)
	p := &Prediction{Mean: make([][]float64, len(m.weights)), noise: m.Kernel.Noise, unit: make([]float64, len(m.weights)), explained: make([]float64, kids)}
	for c, a := range m.amplitude {
		p.unit[c] = m.scale[c] * math.Sqrt(a)
	}
	if kids == 0 {
		return p
	}
	k := pack(bitsOf(m.train), bitsOf(of)).across(m.pool, n)
	k = mix(m.pool, k, m.Kernel.Share, m.scaled, m.scaling.apply(of))
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
	return p
}

// Deviation returns the deviation of a column for a molecule.
func (p *Prediction) Deviation(column, molecule int) float64 {
	return p.unit[column] * math.Sqrt(max(leastVar, 1+p.noise-p.explained[molecule]))
}
