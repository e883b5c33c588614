package kernel

import (
	"math"
	"slices"
	"testing"
)

// normRow is a row normalised in float64, with the allowed error in float32.
type normRow struct {
	n       []float64
	inverse float64 // 1/√(variance+eps)
	err     float64 // of an element of n, in addition to the relative error
	rel     float64 // relative error of inverse
	wild    bool    // rounding may decide the result, or a step may overflow
	nan     bool
}

func normalised(x []float32, eps float32) normRow {
	d := float64(len(x))
	var mean, variance, most float64
	for _, v := range x {
		mean += float64(v) / d
		most = max(most, math.Abs(float64(v)))
	}
	r := normRow{nan: math.IsNaN(most) || math.IsInf(most, 0)}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / d
	}
	off := (d+4)*eps32*most + 0x1p-147 // error of the mean and of differences from it
	under := variance + float64(eps)
	r.inverse = 1 / math.Sqrt(under)
	r.rel = (off*(2*math.Sqrt(variance)+off)+(d+8)*eps32*variance+0x1p-120)/under + 4*eps32
	r.err = off * r.inverse
	r.wild = !r.nan && (!(r.rel < 0.1) || most >= 1e18)
	for _, v := range x {
		n := (float64(v) - mean) * r.inverse
		r.n = append(r.n, n)
	}
	return r
}

// slack returns the allowed error of element j.
func (r *normRow) slack(j int) float64 { return r.err + math.Abs(r.n[j])*(r.rel+2*eps32) }

func finite(x ...float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// normProblem draws a matrix and eps.
func (c *check) normProblem() (x []float32, rows, d int, eps float32) {
	rows, d = c.size(20), c.size(200)
	return c.input(rows * d), rows, d, []float32{0, 1e-5, 1e-5, 1}[c.below(4)]
}

// FuzzLayerNorm: near, see normRow.
func FuzzLayerNorm(f *testing.F) {
	fuzz(f, func(c *check) {
		x, rows, d, eps := c.normProblem()
		w, bias := c.maybe(d), c.maybe(d)
		c.describe("%dx%d, eps %v, weight %v, bias %v", rows, d, eps, w != nil, bias != nil)
		b := bound{want: make([]float64, rows*d), slack: make([]float64, rows*d)}
		for i := range rows {
			r := normalised(x[i*d:(i+1)*d], eps)
			for j, n := range r.n {
				f, shift := one(w, j), 0.0
				if bias != nil {
					shift = float64(bias[j])
				}
				at := i*d + j
				b.want[at] = n*f + shift
				b.slack[at] = math.Abs(f)*r.slack(j) + 3*eps32*(math.Abs(n*f)+math.Abs(shift)) + 0x1p-148*(1+math.Abs(f))
				switch {
				case r.nan, math.IsNaN(f), math.IsNaN(shift):
					b.want[at], b.slack[at] = math.NaN(), 0
				case r.wild, !finite(f, shift), math.Abs(f)*(1+math.Abs(n))+math.Abs(shift) >= math.MaxFloat32/4:
					b.slack[at] = anything
				}
			}
		}
		c.near(b, func(a *attempt) []float32 {
			dst := a.out(rows * d)
			a.cut(rows, func(lo, hi int) { LayerNorm(dst[lo*d:hi*d], x[lo*d:hi*d], w, bias, hi-lo, d, eps) })
			return dst
		})
	})
}

// FuzzLayerNormGrad: near, see normRow.
func FuzzLayerNormGrad(f *testing.F) {
	fuzz(f, func(c *check) {
		x, rows, d, eps := c.normProblem()
		g, w := c.input(rows*d), c.maybe(d)
		c.describe("%dx%d, eps %v, weight %v", rows, d, eps, w != nil)
		b := bound{want: make([]float64, rows*d), slack: make([]float64, rows*d)}
		for i := range rows {
			r := normalised(x[i*d:(i+1)*d], eps)
			var mean, along, most, steep, err float64
			gw := make([]float64, d)
			for j, n := range r.n {
				gw[j] = float64(g[i*d+j]) * one(w, j)
				mean += gw[j] / float64(d)
				along += gw[j] * n / float64(d)
				most = max(most, math.Abs(gw[j]))
				steep = max(steep, math.Abs(n))
				err = max(err, r.slack(j))
			}
			ofMean := float64(d+4)*eps32*most + 0x1p-140
			ofAlong := float64(d+6)*eps32*most*steep + most*err + 0x1p-140
			for j, n := range r.n {
				at := i*d + j
				inner := gw[j] - mean - n*along
				b.want[at] = r.inverse * inner
				b.slack[at] = r.inverse*(ofMean+math.Abs(n)*ofAlong+math.Abs(along)*err+8*eps32*(most+math.Abs(mean)+math.Abs(n*along))) +
					math.Abs(b.want[at])*(r.rel+2*eps32) + 0x1p-140
				switch {
				case r.nan || !finite(most):
					b.want[at], b.slack[at] = math.NaN(), notFinite
				case r.wild, most*float64(d)*(1+steep)*(1+steep)*(1+r.inverse) >= math.MaxFloat32/8:
					b.slack[at] = anything
				}
			}
			// A product may be infinite in float32 only, or NaN next to an infinite one.
			if most >= math.MaxFloat32/8 && !math.IsNaN(most) {
				for j := range d {
					b.slack[i*d+j] = anything
				}
			}
		}
		c.near(b, func(a *attempt) []float32 {
			dst := a.out(rows * d)
			a.cut(rows, func(lo, hi int) { LayerNormGrad(dst[lo*d:hi*d], g[lo*d:hi*d], x[lo*d:hi*d], w, hi-lo, d, eps) })
			return dst
		})
	})
}

// FuzzLayerNormParamGrad: near, see normRow.
func FuzzLayerNormParamGrad(f *testing.F) {
	fuzz(f, func(c *check) {
		x, rows, d, eps := c.normProblem()
		g := c.input(rows * d)
		c.describe("%dx%d, eps %v", rows, d, eps)
		b := bound{want: make([]float64, 2*d), slack: make([]float64, 2*d)}
		abs, wild := make([]float64, 2*d), make([]bool, 2*d)
		for i := range rows {
			r := normalised(x[i*d:(i+1)*d], eps)
			for j, n := range r.n {
				v := float64(g[i*d+j])
				if r.nan {
					n = math.NaN()
				}
				b.want[j] += v * n
				b.want[d+j] += v
				b.slack[j] += math.Abs(v)*r.slack(j) + 0x1p-148*(1+math.Abs(v))
				abs[j] += math.Abs(v) * (1 + math.Abs(n))
				abs[d+j] += math.Abs(v)
				wild[j] = wild[j] || r.wild || math.IsInf(v, 0)
			}
		}
		for j := range b.want {
			switch {
			case math.IsNaN(b.want[j]) && !wild[j]:
				b.slack[j] = 0 // NaN is expected
			case wild[j], abs[j] >= math.MaxFloat32/4 && !math.IsInf(abs[j], 0):
				b.slack[j] = anything
			default:
				b.slack[j] += float64(rows+3) * eps32 * abs[j]
				if !finite(b.want[j]) { // the finite terms may overflow with the other sign
					b.slack[j] = notFinite
				}
			}
		}
		c.near(b, func(a *attempt) []float32 {
			dst := a.out(2 * d)
			LayerNormParamGrad(dst, g, x, rows, d, eps)
			return dst
		})
	})
}
