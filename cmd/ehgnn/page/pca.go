package page

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// plane projects n vectors, one after another, to their first two principal components, and returns
// the share of variance of each.
func plane(vectors []float32, width int) (points [][2]float64, share [2]float64) {
	n := len(vectors) / width
	points = make([][2]float64, n)
	if n == 0 {
		return points, share
	}
	rows := mat.NewDense(n, width, nil)
	mean := make([]float64, width)
	for i, v := range vectors {
		rows.Set(i/width, i%width, float64(v))
		mean[i%width] += float64(v) / float64(n)
	}
	covariance, of := mat.NewSymDense(width, nil), mat.EigenSym{}
	stat.CovarianceMatrix(covariance, rows, nil)
	total := mat.Trace(covariance)
	if !(total > 0) || !of.Factorize(covariance, true) {
		return points, share
	}
	var directions mat.Dense
	of.VectorsTo(&directions)
	values := of.Values(nil)
	for k := range min(2, width) {
		at := width - 1 - k // in ascending order
		if values[at] <= 1e-12*total {
			break // no variance is left
		}
		share[k] = values[at] / total
		for i := range points {
			for j, x := range vectors[i*width:][:width] {
				points[i][k] += (float64(x) - mean[j]) * directions.At(j, at)
			}
		}
	}
	return points, share
}
