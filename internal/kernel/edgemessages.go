package kernel

// EdgeMessages sums messages that depend on both ends of an edge or on the edge
// itself, without storing them. With, for entry k of row i,
//
//	z_k = X[XRow[k]] + Y[YRow[k]] + Z[ZRow[k]],  added in this order,
//
// the result is, by Kind,
//
//	SumReLU       Dst[i] = SelfCoef[i]·Self[i] + Σ_k Coef[k]·max(z_k, 0)
//	SumReLUGrad   Dst[i] = SelfCoef[i]·Self[i] + Σ_k Coef[k]·V[VRow[k]]  where z_k > 0
//	SumLeaky      Dst[i] = Σ_k Coef[k]·(z_k where z_k > 0, Slope·z_k elsewhere)
//	SumLeakyGrad  Dst[i] = Σ_k Coef[k] where z_k > 0, Slope·Coef[k] elsewhere
//
// element by element. XRow, YRow or ZRow nil stands for row i itself. Z is nil
// when there are two terms, as for the ReLU kinds. Coef nil, which the leaky kinds
// do not allow, and SelfCoef nil stand for ones, Self nil for no such term. Ptr
// and Width are those of SpMM.
//
// Rows are Stride apart. The first D columns of each slice are computed; slices
// that begin at a later element compute other columns. Entries are added by rising
// k.
type EdgeMessages struct {
	Kind             MessageKind
	Slope            float32
	Dst              []float32
	D, Stride        int
	Ptr              []int32
	Width            int
	X, Y, Z, V       []float32
	XRow, YRow, ZRow []int32
	VRow             []int32
	Coef             []float32
	Self, SelfCoef   []float32
}

// MessageKind says what EdgeMessages sums.
type MessageKind uint8

// The kinds; EdgeMessages has their formulas.
const (
	SumReLU MessageKind = iota
	SumReLUGrad
	SumLeaky
	SumLeakyGrad
)

// Rows computes rows [lo,hi) of Dst. The bits of an element do not depend on lo
// and hi.
func (m *EdgeMessages) Rows(lo, hi int) {
	if lo >= hi || m.D == 0 {
		return
	}
	// Vector code does not check bounds, so a wrong size must fail here. Row ids are trusted.
	last := (hi-1)*m.Stride + m.D
	_ = m.Dst[:last]
	if m.Self != nil {
		_ = m.Self[:last]
		if m.SelfCoef != nil {
			_ = m.SelfCoef[:hi]
		}
	}
	end := checkEntries(m.Ptr, nil, m.Coef, m.Width, hi)
	if end > 0 {
		m.checkTerm(m.X, m.XRow, end, last)
		m.checkTerm(m.Y, m.YRow, end, last)
		if m.Z != nil {
			m.checkTerm(m.Z, m.ZRow, end, last)
		}
		switch m.Kind {
		case SumReLUGrad:
			m.checkTerm(m.V, m.VRow, end, last)
		case SumLeaky, SumLeakyGrad:
			_ = m.Coef[:end]
		}
	}
	if !edgeMessagesSIMD(m, lo, hi) {
		m.generic(lo, hi)
	}
}

func (m *EdgeMessages) checkTerm(x []float32, rows []int32, end, last int) {
	if rows == nil {
		_ = x[:last]
		return
	}
	_ = rows[:end]
}

// term is the row that entry k of row i reads of x.
func (m *EdgeMessages) term(x []float32, rows []int32, i, k int) []float32 {
	if rows != nil {
		i = int(rows[k])
	}
	return x[i*m.Stride:][:m.D]
}

func (m *EdgeMessages) generic(lo, hi int) {
	var none []float32
	for i := lo; i < hi; i++ {
		dst := m.Dst[i*m.Stride:][:m.D]
		switch {
		case m.Self == nil:
			clear(dst)
		case m.SelfCoef == nil:
			for j, v := range m.Self[i*m.Stride:][:m.D] {
				dst[j] = 0 + v
			}
		default:
			for j, v := range m.Self[i*m.Stride:][:m.D] {
				dst[j] = 0 + m.SelfCoef[i]*v
			}
		}
		k0, k1 := entries(m.Ptr, m.Width, i)
		for k := k0; k < k1; k++ {
			c, z, v := coefOf(m.Coef, k), none, none
			if m.Z != nil {
				z = m.term(m.Z, m.ZRow, i, k)
			}
			if m.Kind == SumReLUGrad {
				v = m.term(m.V, m.VRow, i, k)
			}
			m.add(dst, m.term(m.X, m.XRow, i, k), m.term(m.Y, m.YRow, i, k), z, v, c)
		}
	}
}

// add adds one message to dst.
func (m *EdgeMessages) add(dst, x, y, z, v []float32, c float32) {
	for j := range dst {
		t := x[j] + y[j]
		if len(z) > 0 {
			t += z[j]
		}
		switch m.Kind {
		case SumReLU:
			dst[j] += c * relu32(t)
		case SumReLUGrad:
			if t > 0 {
				dst[j] += c * v[j]
			}
		case SumLeaky:
			if !(t > 0) {
				t *= m.Slope
			}
			dst[j] += c * t
		case SumLeakyGrad:
			if t > 0 {
				dst[j] += c
			} else {
				dst[j] += c * m.Slope
			}
		}
	}
}

// EdgeDots are inner products with messages that are not stored:
//
//	Dst[e,h] = Σ_k Coef[k]·⟨G[GRow[k],h], act(X[XRow[k]] + Y[YRow[k]] + Z[ZRow[k]])_h⟩,  k in the entries of e,
//
// act being ReLU, or LeakyReLU with a Slope that is not 0. A row has Heads parts of
// D columns, Dst an element per head. GRow, XRow, YRow or ZRow nil stands for row e
// itself; with OneG all entries use the only row of G. Z is nil for no such term,
// Coef nil for ones. Ptr gives the entries of e; nil means Width entries each.
type EdgeDots struct {
	Slope                  float32
	Dst                    []float32
	Heads, D               int
	Ptr                    []int32
	Width                  int
	G, X, Y, Z             []float32
	OneG                   bool
	GRow, XRow, YRow, ZRow []int32
	Coef                   []float32
}

// edgeDotsBytes is the size of a block of messages, which fits the first-level
// cache.
const edgeDotsBytes = 16 << 10

// Range computes Dst[lo:hi], in rows of Heads elements. The bits of an element do
// not depend on lo and hi.
func (s *EdgeDots) Range(lo, hi int) {
	buf := headsPool.Get().(*headsBuf)
	defer buf.release()
	scratch := packPool.Get().(*packBuf)
	defer packPool.Put(scratch)
	most := max(1, edgeDotsBytes/(4*max(s.Heads*s.D, 1)))
	scratch.b = grow(scratch.b, s.Heads)
	for lo < hi {
		first := lo
		k0, k1 := s.entries(lo)
		if k1-k0 > most { // too long for one block
			dst := s.Dst[lo*s.Heads : (lo+1)*s.Heads]
			clear(dst)
			for ; k0 < k1; k0 += most {
				s.block(buf, scratch, scratch.b, lo, lo+1, k0, min(k0+most, k1))
				Binary(Add, dst, dst, scratch.b)
			}
			lo++
			continue
		}
		for lo++; lo < hi; lo++ {
			_, end := s.entries(lo)
			if end-k0 > most {
				break
			}
			k1 = end
		}
		s.block(buf, scratch, s.Dst[first*s.Heads:lo*s.Heads], first, lo, k0, k1)
	}
}

// block computes the elements [first,last), which are dst, from their entries in
// [k0,k1).
func (s *EdgeDots) block(buf *headsBuf, scratch *packBuf, dst []float32, first, last, k0, k1 int) {
	width := s.Heads * s.D
	scratch.a = grow(scratch.a, (k1-k0)*width)
	buf.clear()
	for e := first; e < last; e++ {
		b0, b1 := s.entries(e)
		b0, b1 = max(b0, k0), min(b1, k1)
		for k := b0; k < b1; k++ {
			z := scratch.a[(k-k0)*width : (k-k0+1)*width]
			Binary(Add, z, s.row(s.X, s.XRow, e, k), s.row(s.Y, s.YRow, e, k))
			if s.Z != nil {
				Binary(Add, z, z, s.row(s.Z, s.ZRow, e, k))
			}
		}
		s.expand(buf, e, b0, b1, k0)
	}
	if s.Slope == 0 {
		Unary(ReLU, scratch.a, scratch.a, 0, 0)
	} else {
		Unary(LeakyReLU, scratch.a, scratch.a, s.Slope, 0)
	}
	buf.sddmm = SDDMM{Dst: dst, G: s.G, X: scratch.a, D: s.D, Ptr: buf.ptr, Row: buf.row, Col: buf.col, Coef: buf.coef}
	buf.sddmm.Range(0, (last-first)*s.Heads)
}

func (s *EdgeDots) entries(e int) (k0, k1 int) { return entries(s.Ptr, s.Width, e) }

func (s *EdgeDots) row(x []float32, rows []int32, e, k int) []float32 {
	if rows != nil {
		e = int(rows[k])
	}
	return x[e*s.Heads*s.D:][:s.Heads*s.D]
}

// expand appends the entries [b0,b1) of e, once per head; k0 is the first entry of
// the block.
func (s *EdgeDots) expand(buf *headsBuf, e, b0, b1, k0 int) {
	at := buf.more(b1-b0, s.Heads)
	for k := b0; k < b1; k++ {
		row, c := e, coefOf(s.Coef, k)
		switch {
		case s.OneG:
			row = 0
		case s.GRow != nil:
			row = int(s.GRow[k])
		}
		at := at + k - b0
		for h := range s.Heads {
			buf.row[at], buf.col[at], buf.coef[at] = int32(row*s.Heads+h), int32((k-k0)*s.Heads+h), c
			at += b1 - b0
		}
	}
}
