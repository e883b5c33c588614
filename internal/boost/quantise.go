package boost

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/par"
)

// A row's gradient, second derivative and a count of 1 are packed into one integer, so that one
// addition adds all three to a bin. The sums of blockRows rows do not overflow into each other: the
// gradient has 26 bits with its sign, the second derivative 25 bits and the count 13 bits.
const (
	blockRows = 1<<13 - 1
	levels    = 1<<12 - 1 // largest gradient and second derivative as integers
	packedG   = 38
	packedH   = 13
)

// countBits is the size of the count in a bin; the second derivatives are in the bits above.
const countBits = 26

// bin holds the sums of gradients of the rows in one bin of a column, or in a node.
type bin struct {
	g  int64
	hn int64 // second derivative in the upper bits, number of rows in the lower countBits
}

func (b bin) rows() int        { return int(b.hn & maxRows) }
func (b bin) hessian() float64 { return float64(b.hn >> countBits) }
func (b bin) minus(o bin) bin  { return bin{b.g - o.g, b.hn - o.hn} }
func (b bin) plus(o bin) bin   { return bin{b.g + o.g, b.hn + o.hn} }

// add adds the packed sum of at most blockRows rows.
func (b *bin) add(sum int64) {
	b.g += sum >> packedG
	b.hn += (sum>>packedH&(1<<(packedG-packedH)-1))<<countBits | sum&blockRows
}

// gradients has the gradients of all rows for one tree.
type gradients struct {
	g, h   []float32
	packed []int64
	unitG  float64 // value of the integer 1
	unitH  float64
}

func newGradients(rows int) *gradients {
	return &gradients{g: make([]float32, rows), h: make([]float32, rows), packed: make([]int64, rows)}
}

// gradientRows is how many rows one thread should have at least.
const gradientRows = 8192

// compute sets the gradients by output k of the scores. The row and the key decide whether a
// gradient is rounded up or down.
func (d *gradients) compute(s *scored, k int, key uint64, pool *par.Pool) {
	blocks := (s.rows + gradientRows - 1) / gradientRows
	most := make([][2]float32, blocks)
	pool.Rows(blocks, 1, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			most[b][0], most[b][1] = s.gradients(k, b*gradientRows, min((b+1)*gradientRows, s.rows), d.g, d.h)
		}
	})
	var maxG, maxH float32
	for _, m := range most {
		maxG, maxH = max(maxG, m[0]), max(maxH, m[1])
	}
	d.unitG, d.unitH = unit(maxG), unit(maxH)
	pool.Rows(s.rows, gradientRows, func(lo, hi int) { d.pack(key, lo, hi) })
}

// unit is the value of the integer 1 if levels stands for the largest number.
func unit(most float32) float64 {
	if most == 0 {
		return 1
	}
	return float64(most) / levels
}

// pack rounds up or down at random, so that the mean of the result is the gradient.
func (d *gradients) pack(key uint64, lo, hi int) {
	perG, perH := 1/d.unitG, 1/d.unitH
	packed, gs, hs := d.packed[lo:hi], d.g[lo:hi], d.h[lo:hi]
	for i := range packed {
		random := mix(key + uint64(lo+i))
		g := int64(math.Floor(float64(gs[i])*perG + float64(uint32(random))*0x1p-32))
		h := int64(float64(hs[i])*perH + float64(uint32(random>>32))*0x1p-32)
		packed[i] = min(g, levels)<<packedG + min(h, levels)<<packedH + 1
	}
}

// mix is the finaliser of SplitMix64: neighbouring keys give unrelated numbers.
func mix(z uint64) uint64 {
	z *= 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
