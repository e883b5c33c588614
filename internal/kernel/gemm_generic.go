package kernel

// gemmGeneric works on tiles of two rows and four columns: sixteen registers hold
// eight sums and their operands. B is packed into panels of four columns, padded
// with zeros, so that one inner loop serves all shapes.
func gemmGeneric(g *Gemm, lo, hi int) {
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	panels := (g.N + 3) / 4
	buf.b = grow(buf.b, 4*panels*min(g.K, gemmKC))
	var rows [2 * gemmKC]float32
	var c [8]float32
	block := g.kBlock()
	for k0 := 0; k0 == 0 || k0 < g.K; k0 += block {
		kc := min(block, g.K-k0)
		packPanels4(buf.b, g, k0, kc)
		first, last := k0 == 0, k0+kc >= g.K
		for i := lo; i < hi; i += 2 {
			// A single last row is computed twice and stored once: the same code
			// for every row keeps the bits independent of hi.
			i1 := min(i+1, hi-1)
			a0, a1 := g.rowsOfA(rows[:], i, i1, k0, kc)
			for p := range panels {
				gemm2x4(&c, a0, a1, buf.b[p*4*kc:(p+1)*4*kc])
				j := 4 * p
				w := min(4, g.N-j)
				g.finish(c[:w], i, j, first, last)
				if i1 != i {
					g.finish(c[4:4+w], i1, j, first, last)
				}
			}
		}
	}
}

// rowsOfA returns rows i0 and i1 of op(A), columns [k0,k0+kc), copied into buf
// when they are not contiguous.
func (g *Gemm) rowsOfA(buf []float32, i0, i1, k0, kc int) (a0, a1 []float32) {
	if !g.TransA {
		return g.A[i0*g.K+k0:][:kc], g.A[i1*g.K+k0:][:kc]
	}
	a0, a1 = buf[:kc], buf[gemmKC:gemmKC+kc]
	for k := range a0 {
		row := g.A[(k0+k)*g.M:]
		a0[k], a1[k] = row[i0], row[i1]
	}
	return a0, a1
}

// packPanels4 copies rows [k0,k0+kc) of op(B) into panels of four columns.
func packPanels4(dst []float32, g *Gemm, k0, kc int) {
	for j := 0; j < g.N; j += 4 {
		panel := dst[j*kc : (j+4)*kc]
		w := min(4, g.N-j)
		if w < 4 {
			clear(panel)
		}
		if g.TransB {
			for c := range w {
				for k, v := range g.B[(j+c)*g.K+k0:][:kc] {
					panel[4*k+c] = v
				}
			}
			continue
		}
		for k := range kc {
			copy(panel[4*k:4*k+w], g.B[(k0+k)*g.N+j:])
		}
	}
}

// gemm2x4 sets c to the 2×4 product of two rows of A with a packed panel.
func gemm2x4(c *[8]float32, a0, a1, b []float32) {
	var c00, c01, c02, c03, c10, c11, c12, c13 float32
	a1 = a1[:len(a0)]
	for k, x := range a0 {
		y := a1[k]
		v := (*[4]float32)(b[4*k:])
		c00 += x * v[0]
		c01 += x * v[1]
		c02 += x * v[2]
		c03 += x * v[3]
		c10 += y * v[0]
		c11 += y * v[1]
		c12 += y * v[2]
		c13 += y * v[3]
	}
	*c = [8]float32{c00, c01, c02, c03, c10, c11, c12, c13}
}

// finish adds one row of a block's sums to row i of C from column j on; after
// the last block it applies Bias and ReLU.
func (g *Gemm) finish(sums []float32, i, j int, first, last bool) {
	c := g.C[i*g.N+j:][:len(sums)]
	if first && !g.Acc {
		copy(c, sums)
	} else {
		for t, v := range sums {
			c[t] += v
		}
	}
	if !last {
		return
	}
	if g.Bias != nil {
		for t, v := range g.Bias[j:][:len(c)] {
			c[t] += v
		}
	}
	if g.ReLU {
		for t, v := range c {
			c[t] = relu32(v)
		}
	}
}
