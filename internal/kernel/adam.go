package kernel

import "math"

// AdamStep is one step of Adam (Kingma and Ba, 2015) with the conventions of
// torch.optim: Bias1 = 1-Beta1^t and Bias2 = 1-Beta2^t for step t; WeightDecay
// adds WeightDecay·w to the gradient, or, when Decoupled (AdamW, Loshchilov and
// Hutter, 2019), first shrinks w by the factor 1-LR·WeightDecay.
type AdamStep struct {
	LR, Beta1, Beta2, Eps, WeightDecay, Bias1, Bias2 float32
	Decoupled                                        bool
}

// adamCoef holds the constants of a step as the loop uses them.
type adamCoef struct {
	shrink  float32 // factor on w
	decay   float32 // factor of w in the gradient
	toG1    float32 // 1-Beta1
	beta2   float32
	toG2    float32 // 1-Beta2
	rootB2  float32 // √Bias2
	eps     float32
	minusLR float32 // -LR/Bias1
}

func (s AdamStep) coef() adamCoef {
	c := adamCoef{
		shrink:  1,
		decay:   s.WeightDecay,
		toG1:    float32(1 - float64(s.Beta1)),
		beta2:   s.Beta2,
		toG2:    float32(1 - float64(s.Beta2)),
		rootB2:  float32(math.Sqrt(float64(s.Bias2))),
		eps:     s.Eps,
		minusLR: float32(-float64(s.LR) / float64(s.Bias1)),
	}
	if s.Decoupled {
		c.shrink = float32(1 - float64(s.LR)*float64(s.WeightDecay))
		c.decay = 0
	}
	return c
}

// Adam applies one step to the parameter w with gradient g and the running
// moments m and v, all of one length. g is not changed.
func Adam(w, g, m, v []float32, s AdamStep) {
	c := s.coef()
	adamGeneric(w, g, m, v, &c)
}

// adamGeneric rounds every product before it is added, so that all code paths
// give the same bits.
func adamGeneric(w, g, m, v []float32, c *adamCoef) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	shrink, decay, toG1, beta2, toG2 := c.shrink, c.decay, c.toG1, c.beta2, c.toG2
	rootB2, eps, minusLR := c.rootB2, c.eps, c.minusLR
	for i, p := range w {
		p *= shrink
		d := g[i] + float32(decay*p)
		mi := m[i] + float32((d-m[i])*toG1)
		vi := float32(v[i]*beta2) + float32(float32(toG2*d)*d)
		m[i], v[i] = mi, vi
		w[i] = p + float32(minusLR*mi)/(sqrt32(vi)/rootB2+eps)
	}
}
