package benchmark

import (
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
)

// Hits describes the molecules that reach all thresholds.
type Hits struct {
	// First is the call of the first, 0 for none.
	First int `json:"first"`
	// Within are how many there are within so many calls.
	Within map[int]int `json:"within"`
	// Scaffolds counts different Murcko scaffolds.
	Scaffolds int `json:"scaffolds"`
	// Diversity is one less the mean similarity of two, over a sample of at most 300.
	Diversity float64 `json:"diversity"`
	// Circles counts those of the sample, in order, that are less alike than 0.4 to each counted before.
	Circles int `json:"circles"`
}

const (
	hitSample = 300
	hitRadius = 3 // of the Morgan bits that hits are compared by
	hitBits   = 2048
	hitAlike  = 0.4
)

// Describe describes hits: molecules in the order of their calls, which are given beside them.
func Describe(tk chem.Toolkit, smiles []string, calls []int, within ...int) (h Hits, err error) {
	h.Within = map[int]int{}
	scaffolds := map[string]bool{}
	bits := make([]surrogate.Bits, len(smiles))
	for i, s := range smiles {
		m, err := tk.Parse(s)
		if err != nil {
			return h, err
		}
		scaffold, err := m.Scaffold(false)
		on, failed := m.MorganBits(hitRadius, hitBits)
		m.Close()
		if err != nil {
			return h, err
		}
		if failed != nil {
			return h, failed
		}
		for _, b := range on {
			bits[i] = append(bits[i], uint16(b))
		}
		scaffolds[scaffold] = true
		for _, n := range within {
			if calls[i] <= n {
				h.Within[n]++
			}
		}
	}
	if len(smiles) > 0 {
		h.First = calls[0]
	}
	h.Scaffolds = len(scaffolds)
	r := rand.New(rand.NewPCG(0, 0))
	r.Shuffle(len(bits), func(i, j int) { bits[i], bits[j] = bits[j], bits[i] })
	h.compare(bits[:min(hitSample, len(bits))])
	return h, nil
}

// compare counts circles and takes the mean similarity.
func (h *Hits) compare(sample []surrogate.Bits) {
	var circles []surrogate.Bits
	sum, pairs := 0.0, 0
	for i, a := range sample {
		for _, b := range sample[:i] {
			sum += surrogate.Similarity(a, b)
			pairs++
		}
		alone := true
		for _, b := range circles {
			alone = alone && surrogate.Similarity(a, b) < hitAlike
		}
		if alone {
			circles = append(circles, a)
		}
	}
	h.Circles = len(circles)
	if pairs > 0 {
		h.Diversity = 1 - sum/float64(pairs)
	}
}
