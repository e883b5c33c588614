package kernel

import (
	"math"
	"testing"
)

// term draws one of the matrices that are added to a message: its rows, of stride columns, starting
// at column off, and the rows that read it.
func (c *check) term(n, nnz, stride, off int) ([]float32, []int32) {
	var ids []int32
	if c.bool() {
		n = 1 + c.size(30)
		ids = c.inputIDs(nnz, n)
	}
	x := c.input(n * stride)
	return x[min(off, len(x)):], ids
}

// read returns element j of the row that entry k of row i reads.
func read(x []float32, ids []int32, i, k, j, stride int) float32 {
	if ids != nil {
		i = int(ids[k])
	}
	return x[i*stride+j]
}

// FuzzEdgeMessages: near, with the same bits for AVX2 and AVX-512, and exact if nothing is
// multiplied. Columns outside the requested ones do not change.
func FuzzEdgeMessages(f *testing.F) {
	fuzz(f, func(c *check) {
		d := c.size(140)
		if c.byte()%8 == 0 {
			d = c.size(300) // several tiles of columns
		}
		stride := d
		if c.bool() {
			stride += c.below(40)
		}
		off := c.below(stride - d + 1)
		p := c.pattern(c.size(20), 6)
		m := EdgeMessages{Kind: MessageKind(c.below(4)), D: d, Stride: stride, Ptr: p.ptr, Width: p.width}
		m.X, m.XRow = c.term(p.n, p.nnz, stride, off)
		m.Y, m.YRow = c.term(p.n, p.nnz, stride, off)
		leaky := m.Kind >= SumLeaky
		if leaky {
			m.Slope = []float32{0.2, 0, 1, -0.5, 3, c.scalar()}[c.below(6)]
			m.Coef = c.input(p.nnz)
			if c.bool() {
				m.Z, m.ZRow = c.term(p.n, p.nnz, stride, off)
			}
		} else {
			m.Coef = c.maybe(p.nnz)
			if m.Kind == SumReLUGrad {
				m.V, m.VRow = c.term(p.n, p.nnz, stride, off)
			}
			if self := c.maybe(p.n * stride); self != nil {
				m.Self, m.SelfCoef = self[min(off, len(self)):], c.maybe(p.n)
			}
		}
		c.describe("kind %d, %d rows of %d+%d/%d, %d entries, ids %v %v %v %v, coef %v, self %v %v", m.Kind, p.n, off, d, stride, p.nnz,
			m.XRow != nil, m.YRow != nil, m.ZRow != nil, m.VRow != nil, m.Coef != nil, m.Self != nil, m.SelfCoef != nil)
		size := p.n * stride
		exact := make([]float32, size)
		b := bound{want: make([]float64, size), slack: make([]float64, size)}
		for e := range size {
			exact[e], b.want[e] = float32(math.NaN()), math.NaN()
			i, j := e/stride, e%stride-off
			if j < 0 || j >= d {
				continue
			}
			var sum float32
			var t tally
			add := func(w float64, v float32) {
				sum += v
				t.add(w, float64(v))
			}
			if m.Self != nil {
				add(one(m.SelfCoef, i), m.Self[i*stride+j])
			}
			k0, k1 := p.entries(i)
			for k := k0; k < k1; k++ {
				z := read(m.X, m.XRow, i, k, j, stride) + read(m.Y, m.YRow, i, k, j, stride)
				if m.Z != nil {
					z += read(m.Z, m.ZRow, i, k, j, stride)
				}
				w := one(m.Coef, k)
				switch {
				case m.Kind == SumReLU:
					add(w, relu32(z))
				case m.Kind == SumReLUGrad && z > 0:
					add(w, read(m.V, m.VRow, i, k, j, stride))
				case m.Kind == SumLeaky && z > 0:
					add(w, z)
				case m.Kind == SumLeaky:
					add(w, m.Slope*z)
				case m.Kind == SumLeakyGrad && z > 0:
					add(w, 1)
				case m.Kind == SumLeakyGrad:
					add(1, m.Coef[k]*m.Slope)
				}
			}
			exact[e] = sum
			b.want[e], b.slack[e] = t.element(1)
		}
		run := func(a *attempt) []float32 {
			m := m
			dst := a.out(size)
			m.Dst = dst[min(off, len(dst)):]
			a.cut(p.n, m.Rows)
			return dst
		}
		if m.Coef == nil && m.SelfCoef == nil {
			c.exact(exact, run)
			return
		}
		c.near(b, run)
	})
}

// FuzzEdgeDots: near, with the same bits for AVX2 and AVX-512.
func FuzzEdgeDots(f *testing.F) {
	fuzz(f, func(c *check) {
		heads, d := c.headShape()
		width := heads * d
		n := c.size(20)
		if c.byte()%8 == 0 {
			n = c.size(300) // several blocks
		}
		s := EdgeDots{Heads: heads, D: d, Width: c.below(4)}
		nnz, ends := n*s.Width, func(e int) (int, int) { return e * s.Width, (e + 1) * s.Width }
		if c.bool() {
			most := 4
			if n > 0 && c.byte()%4 == 0 {
				n, most = 1+c.below(3), 5000/max(width, 10) // several blocks of one element
			}
			s.Ptr = c.inputPtr(n, most)
			nnz, ends = int(s.Ptr[n]), func(e int) (int, int) { return int(s.Ptr[e]), int(s.Ptr[e+1]) }
		}
		if s.G, s.GRow = c.term(n, nnz, width, 0); c.byte()%3 == 0 {
			s.G, s.GRow, s.OneG = c.input(width), nil, true
		}
		s.X, s.XRow = c.term(n, nnz, width, 0)
		s.Y, s.YRow = c.term(n, nnz, width, 0)
		if c.bool() {
			s.Z, s.ZRow = c.term(n, nnz, width, 0)
		}
		if c.bool() {
			s.Slope = 0.2
		}
		s.Coef = c.maybe(nnz)
		c.describe("%d rows of %dx%d, %d entries, ids %v %v %v %v, coef %v", n, heads, d, nnz,
			s.GRow != nil, s.XRow != nil, s.YRow != nil, s.ZRow != nil, s.Coef != nil)
		b := bound{want: make([]float64, n*heads), slack: make([]float64, n*heads)}
		for at := range b.want {
			e, h := at/heads, at%heads
			k0, k1 := ends(e)
			sub := pattern{entries: func(int) (int, int) { return k0, k1 }}
			b.want[at], b.slack[at] = sddmmBound(sub, 0, s.Coef, d, func(k, j int) (float64, float64) {
				j += h * d
				z := read(s.X, s.XRow, e, k, j, width) + read(s.Y, s.YRow, e, k, j, width)
				if s.Z != nil {
					z += read(s.Z, s.ZRow, e, k, j, width)
				}
				switch {
				case s.Slope == 0:
					z = relu32(z)
				case !(z > 0):
					z *= s.Slope
				}
				if s.OneG {
					return float64(s.G[j]), float64(z)
				}
				return float64(read(s.G, s.GRow, e, k, j, width)), float64(z)
			})
		}
		c.near(b, func(a *attempt) []float32 {
			s := s
			s.Dst = a.out(n * heads)
			a.cut(n, s.Range)
			return s.Dst
		})
	})
}
