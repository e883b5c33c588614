package boost

// gradients writes the first and second derivatives of the loss by output k for the rows [lo,hi),
// multiplied by their weights. It returns the largest absolute values.
func (s *scored) gradients(k, lo, hi int, g, h []float32) (maxG, maxH float32) {
	switch s.c.Objective {
	case LogLoss, Softmax:
		s.classGradients(k, lo, hi, g, h)
	default:
		s.numberGradients(lo, hi, g, h)
	}
	for i := lo; i < hi; i++ {
		if s.w != nil {
			g[i] *= s.w[i]
			h[i] *= s.w[i]
		}
		maxG = max(maxG, g[i], -g[i])
		maxH = max(maxH, h[i])
	}
	return maxG, maxH
}

// mostStep is the largest Newton step of a row for one of several classes, as in LogitBoost (Friedman, Hastie and Tibshirani
// 2000). The second derivative for a rare class is near 0. Without the bound its step is so large that on 25 classes the first
// round made the loss larger than that of the class frequencies.
const mostStep = 4

func (s *scored) classGradients(k, lo, hi int, g, h []float32) {
	class, factor := float32(1), float32(1)
	if s.c.Objective == Softmax {
		// The curvature along one logit while the others move in the opposite direction.
		class, factor = float32(k), float32(s.c.Classes)/float32(s.c.Classes-1)
	}
	for i := lo; i < hi; i++ {
		p := s.prob[k*s.rows+i]
		g[i], h[i] = p, factor*p*(1-p)
		if s.y[i] == class {
			g[i]--
		}
		if s.c.Objective == Softmax {
			h[i] = max(h[i], g[i]/mostStep, -g[i]/mostStep)
		}
	}
}

func (s *scored) numberGradients(lo, hi int, g, h []float32) {
	level := s.c.level()
	for i := lo; i < hi; i++ {
		d := s.score[i] - float64(s.y[i])
		h[i] = 1
		switch s.c.Objective {
		case Squared:
			g[i] = float32(d)
		case Huber:
			g[i] = float32(min(max(d, -s.c.Delta), s.c.Delta))
		case Absolute:
			g[i] = sign(d)
		case Quantile:
			g[i] = float32(-level)
			if d > 0 {
				g[i] = float32(1 - level)
			}
		}
	}
}

func sign(d float64) float32 {
	switch {
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return 0
}
