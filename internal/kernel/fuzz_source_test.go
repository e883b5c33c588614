package kernel

import (
	"math"
	"math/rand/v2"
)

// source turns the bytes of a fuzz input into sizes and numbers. After the last byte, pseudo-random
// ones follow, so that a short input is a whole problem.
type source struct {
	data []byte
	rand *rand.Rand
}

func newSource(seed uint64, data []byte) source {
	return source{data: data, rand: rand.New(rand.NewPCG(seed, 29))}
}

func (s *source) byte() byte {
	if len(s.data) == 0 {
		return byte(s.rand.Uint32())
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

func (s *source) word() uint32 {
	return uint32(s.byte())<<24 | uint32(s.byte())<<16 | uint32(s.byte())<<8 | uint32(s.byte())
}

func (s *source) below(n int) int { return int(s.word() % uint32(n)) }

func (s *source) bool() bool { return s.byte()&1 != 0 }

// size returns at most limit. Half of the time it is a size at which some loop ends.
func (s *source) size(limit int) int {
	b := int(s.byte())
	if n := lengths[b/2%len(lengths)]; b&1 == 0 && n <= limit {
		return n
	}
	return s.below(limit + 1)
}

// nearEdges are arguments at which a function overflows, underflows, saturates
// or changes its formula.
var nearEdges = []float32{88.722839, 88.376, 89, 87.336544, 103.972084, 104, 103.27893, 127 * math.Ln2, 126.5 * math.Ln2,
	math.Ln2 / 2, math.Ln2, 1.5 * math.Ln2, 0.625, 9.010913, 44.361419, 16.635532, 17.328679, 1, math.Sqrt2, 1 / math.Sqrt2,
	2, 1 << 23, 1 << 24, 1 << 31, 0x1p-126, 0x1p-125, 0x1p-23, 0x1p-24, 1.8446743e19, 1.0842022e-19, 0.25, 0.75}

// Styles of the numbers in one array.
const (
	normal     = iota
	special15  // a third of special values
	magnitudes // of all magnitudes
	bitwise    // any bits
	integers   // a few small integers, with ties
	edges      // around nearEdges
	styles
)

func (s *source) style() int {
	// Half of the arrays are plain, because overflow in some elements hides other errors.
	return max(0, int(s.byte())%(2*styles)-styles)
}

func (s *source) number(style int) float32 {
	switch style {
	case special15:
		if b := s.byte(); b%3 == 0 {
			return special[int(b/3)%len(special)]
		}
	case magnitudes:
		return float32(math.Ldexp(s.rand.NormFloat64(), s.below(276)-149))
	case bitwise:
		return math.Float32frombits(s.word())
	case integers:
		if b := s.byte(); b != 0 {
			return float32(b%5) - 2
		}
		return float32(math.NaN())
	case edges:
		v := nearEdges[int(s.byte())%len(nearEdges)]
		b := s.byte()
		v = math.Float32frombits(math.Float32bits(v) + uint32(b%9) - 4)
		if b >= 128 {
			return -v
		}
		return v
	}
	return float32(s.rand.NormFloat64())
}

// input returns n numbers that the kernel must not change.
func (c *check) input(n int) []float32 { return c.inputOf(c.style(), n) }

func (c *check) inputOf(style, n int) []float32 {
	x := c.floats(n)
	for i := range x {
		x[i] = c.number(style)
	}
	return x
}

// scalar returns a number of any style.
func (c *check) scalar() float32 { return c.number(c.style()) }

// inputIDs returns k row ids below n.
func (c *check) inputIDs(k, n int) []int32 {
	x := c.ints(k)
	for i := range x {
		x[i] = int32(c.below(n))
	}
	return x
}

// inputPtr returns the pointers of n rows with up to most entries each.
func (c *check) inputPtr(n, most int) []int32 {
	p := c.ints(n + 1)
	p[0] = 0
	for i := range n {
		p[i+1] = p[i] + int32(max(0, c.below(most+2)-1))
	}
	return p
}
