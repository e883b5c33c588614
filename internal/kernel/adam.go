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

// adamCoef holds the constants of a step that the loop uses, by the indices below.
type adamCoef = [8]float32

const (
	adamShrink  = iota // factor on w
	adamDecay          // factor of w in the gradient
	adamToG1           // 1-Beta1
	adamBeta2          // Beta2
	adamToG2           // 1-Beta2
	adamRootB2         // √Bias2
	adamEps            // Eps
	adamMinusLR        // -LR/Bias1
)

func (s AdamStep) coef() adamCoef {
	c := adamCoef{
		adamShrink:  1,
		adamDecay:   s.WeightDecay,
		adamToG1:    float32(1 - float64(s.Beta1)),
		adamBeta2:   s.Beta2,
		adamToG2:    float32(1 - float64(s.Beta2)),
		adamRootB2:  float32(math.Sqrt(float64(s.Bias2))),
		adamEps:     s.Eps,
		adamMinusLR: float32(-float64(s.LR) / float64(s.Bias1)),
	}
	if s.Decoupled {
		c[adamShrink] = float32(1 - float64(s.LR)*float64(s.WeightDecay))
		c[adamDecay] = 0
	}
	return c
}

// The weights of a unit that is never active have no gradient, and an L2 term would shrink them to
// denormal numbers, with which a product takes ten times as long. Second moments this small are
// negligible compared with any usual Eps.
const (
	adamTiny       = 1e-30 // of w and m
	adamTinySquare = 1e-36 // of v
)

// Adam applies one step to the parameter w with gradient g and the running
// moments m and v, all of one length. g is not changed. Weights and moments below
// 1e-30, squares below 1e-36, become 0.
func Adam(w, g, m, v []float32, s AdamStep) {
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	buf.adam = s.coef()
	n := len(w)
	current.adam(w, g[:n], m[:n], v[:n], &buf.adam)
}

// adam rounds every product before it is added, so that all code paths give the
// same bits.
func adam(w, g, m, v []float32, c *adamCoef) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	shrink, decay, toG1, beta2 := c[adamShrink], c[adamDecay], c[adamToG1], c[adamBeta2]
	toG2, rootB2, eps, minusLR := c[adamToG2], c[adamRootB2], c[adamEps], c[adamMinusLR]
	for i, p := range w {
		p = float32(p * shrink)
		d := g[i] + float32(decay*p)
		mi := unlessTiny(m[i]+float32((d-m[i])*toG1), adamTiny)
		vi := unlessTiny(float32(v[i]*beta2)+float32(float32(toG2*d)*d), adamTinySquare)
		m[i], v[i] = mi, vi
		w[i] = unlessTiny(p+float32(minusLR*mi)/(sqrt32(vi)/rootB2+eps), adamTiny)
	}
}

// unlessTiny is 0 for |x| below tiny, else x, which may be NaN.
func unlessTiny(x, tiny float32) float32 {
	if -tiny < x && x < tiny {
		return 0
	}
	return x
}
