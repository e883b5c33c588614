package page

import "math"

// plane projects n vectors of a width, one after the other, to the two directions in which
// they vary most (principal components), and says which share of their variance each has. The
// directions are those of the covariance, by repeated multiplication.
func plane(vectors []float32, width int) (points [][2]float64, share [2]float64) {
	n := len(vectors) / width
	mean := make([]float64, width)
	for i, v := range vectors {
		mean[i%width] += float64(v) / float64(n)
	}
	covariance, total := covarianceOf(vectors, mean), 0.0
	for j := range width {
		total += covariance[j*width+j]
	}
	points = make([][2]float64, n)
	var first []float64
	for k := range share {
		direction, variance := strongest(covariance, first)
		if !(total > 0) || variance <= 1e-12*total {
			break // no more varies
		}
		share[k] = variance / total
		for i := range points {
			for j, x := range vectors[i*width:][:width] {
				points[i][k] += (float64(x) - mean[j]) * direction[j]
			}
		}
		first = direction
	}
	return points, share
}

// covarianceOf is the matrix of vectors with a mean.
func covarianceOf(vectors []float32, mean []float64) []float64 {
	d := len(mean)
	n := len(vectors) / d
	out := make([]float64, d*d)
	centred := make([]float64, d)
	for i := range n {
		for j, v := range vectors[i*d:][:d] {
			centred[j] = float64(v) - mean[j]
		}
		for j, x := range centred {
			row := out[j*d:][:d]
			for k, y := range centred {
				row[k] += x * y / float64(n)
			}
		}
	}
	return out
}

// rounds is how often a matrix is multiplied. Directions that are still mixed after it have
// variances that are alike.
const rounds = 300

// strongest is the direction, across another unless that is nil, in which a symmetric matrix
// stretches most, and by how much.
func strongest(matrix, across []float64) (direction []float64, by float64) {
	d := int(math.Sqrt(float64(len(matrix))))
	direction = make([]float64, d)
	for j := range direction {
		direction[j] = 1 + float64(j%7)/7 // any but a direction across the one that is sought
	}
	next := make([]float64, d)
	for range rounds {
		for j := range next {
			next[j] = 0
			for k, y := range direction {
				next[j] += matrix[j*d+k] * y
			}
		}
		overlap := 0.0
		for j, a := range across {
			overlap += a * next[j]
		}
		for j, a := range across {
			next[j] -= overlap * a
		}
		by = 0
		for _, v := range next {
			by += v * v
		}
		if by = math.Sqrt(by); by == 0 {
			return direction, 0
		}
		for j, v := range next {
			direction[j] = v / by
		}
	}
	return direction, by
}
