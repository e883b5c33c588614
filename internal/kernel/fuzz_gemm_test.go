package kernel

import "testing"

// product draws the sizes of a matrix product. Each size may be large, to reach blocks and the code
// for long and narrow matrices, but not all at once.
func (c *check) product() (m, n, k int) {
	limits := [][3]int{{45, 70, 70}, {20, 40, 600}, {600, 20, 20}, {20, 1200, 12}, {300, 120, 10}, {1, 200, 300}, {100, 1, 300}, {30, 300, 1}, {600, 60, 12}, {200, 200, 12}}
	l := limits[c.below(len(limits))]
	m, n, k = c.size(l[0]), c.size(l[1]), c.size(l[2])
	for m*n*k > 1<<19 {
		switch max(m, n, k) {
		case m:
			m /= 2
		case n:
			n /= 2
		default:
			k /= 2
		}
	}
	return m, n, k
}

// FuzzGemm: near, with the same bits for AVX2 and AVX-512.
func FuzzGemm(f *testing.F) {
	fuzz(f, func(c *check) {
		m, n, k := c.product()
		g := Gemm{A: c.input(m * k), B: c.input(k * n), M: m, N: n, K: k,
			TransA: c.bool(), TransB: c.bool(), Acc: c.bool(), ReLU: c.bool(), Bias: c.maybe(n)}
		start := c.input(m * n)
		c.describe("%dx%dx%d transposed %v %v, add %v bias %v relu %v", m, n, k, g.TransA, g.TransB, g.Acc, g.Bias != nil, g.ReLU)
		b := bound{want: make([]float64, m*n), slack: make([]float64, m*n)}
		for e := range b.want {
			i, j := e/n, e%n
			var t tally
			if g.Acc {
				t.add(float64(start[e]))
			}
			for l := range k {
				x, y := i*k+l, l*n+j
				if g.TransA {
					x = l*m + i
				}
				if g.TransB {
					y = j*k + l
				}
				t.add(float64(g.A[x]), float64(g.B[y]))
			}
			if g.Bias != nil {
				t.add(float64(g.Bias[j]))
			}
			b.want[e], b.slack[e] = t.element(1)
			if g.ReLU && b.want[e] < 0 {
				b.want[e] = 0
			}
		}
		c.near(b, func(a *attempt) []float32 {
			g := g
			g.C = a.inout(start)
			if !g.Acc {
				g.C = a.out(m * n) // the old content must have no effect
			}
			a.cut(m, g.Rows)
			return g.C
		})
	})
}
