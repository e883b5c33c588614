package surrogate

import (
	"math/bits"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/par"
)

// The form of a fingerprint: the number of positions, and the smallest counts for the bits of each
// position.
const (
	places  = 1024
	numBits = places * len(counts)
)

var counts = [...]int32{1, 2, 4, 8}

// Bits are the set bits of a molecule, in ascending order.
type Bits []uint16

// NewBits folds the counts of a Morgan fingerprint.
func NewBits(of []chem.Count) Bits {
	var sum [places]int32
	var used []int
	for _, c := range of {
		p := int(c.ID % places)
		if sum[p] == 0 {
			used = append(used, p)
		}
		sum[p] += c.N
	}
	slices.Sort(used)
	b := make(Bits, 0, 2*len(used))
	for _, p := range used {
		for i, least := range counts {
			if sum[p] >= least {
				b = append(b, uint16(len(counts)*p+i))
			}
		}
	}
	return b
}

// Similarity returns the Tanimoto similarity of two molecules.
func Similarity(a, b Bits) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both++
			i++
			j++
		}
	}
	return tanimoto(both, len(a), len(b))
}

func tanimoto(both, a, b int) float64 {
	return float64(both) / (float64(a+b-both) + 1e-9)
}

// packed has rows of bits, as words. It leaves out bits that only one molecule has.
type packed struct {
	words int
	rows  []uint64
	on    []int // number of bits of each molecule, including those left out
}

// pack makes the rows of molecules. It leaves out bits that only one molecule has.
func pack(of ...[]Bits) *packed {
	var times, column [numBits]int
	n := 0
	for _, list := range of {
		n += len(list)
		for _, m := range list {
			for _, b := range m {
				times[b]++
			}
		}
	}
	used := 0
	for b, t := range times {
		column[b] = -1
		if t > 1 {
			column[b] = used
			used++
		}
	}
	p := &packed{words: (used + 63) / 64, on: make([]int, 0, n)}
	p.rows = make([]uint64, n*p.words)
	for _, list := range of {
		for _, m := range list {
			row := p.row(len(p.on))
			for _, b := range m {
				if c := column[b]; c >= 0 {
					row[c/64] |= 1 << (c % 64)
				}
			}
			p.on = append(p.on, len(m))
		}
	}
	return p
}

func (p *packed) row(i int) []uint64 { return p.rows[i*p.words : (i+1)*p.words] }

func (p *packed) similarity(i, j int) float32 {
	if i == j { // the bits that are left out count here
		return 1
	}
	a, b, both := p.row(i), p.row(j), 0
	for w, v := range a {
		both += bits.OnesCount64(v & b[w])
	}
	return float32(tanimoto(both, p.on[i], p.on[j]))
}

// symmetric returns the similarities of the first n rows with each other, [n,n].
func (p *packed) symmetric(pool *par.Pool, n int) []float32 {
	k := make([]float32, n*n)
	// Rows i and n-1-i together have n+1 similarities, so equal ranges of such pairs take equally
	// long.
	pool.Rows((n+1)/2, 4, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, row := range [2]int{i, n - 1 - i} {
				for j := range row + 1 {
					k[row*n+j] = p.similarity(row, j)
				}
			}
		}
	})
	pool.Rows(n, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j := i + 1; j < n; j++ {
				k[i*n+j] = k[j*n+i]
			}
		}
	})
	return k
}

// across returns the similarities of the first n rows with the other rows, [n,others].
func (p *packed) across(pool *par.Pool, n int) []float32 {
	others := len(p.on) - n
	k := make([]float32, n*others)
	pool.Rows(n, 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j := range others {
				k[i*others+j] = p.similarity(i, n+j)
			}
		}
	})
	return k
}
