package benchmark

import (
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
)

// Hits describes the molecules that reach all thresholds.
type Hits struct {
	// First is the call of the first of them, or 0 if there are none.
	First int `json:"first"`
	// Within has, for each given number of calls, the number of molecules found within these calls.
	Within map[int]int `json:"within"`
	// Scaffolds is the number of distinct Murcko scaffolds.
	Scaffolds int `json:"scaffolds"`
	// Diversity is 1 minus the mean similarity of two molecules, over a sample of at most 300.
	Diversity float64 `json:"diversity"`
	// Circles is the number of molecules counted as follows: going through the sample in order, a
	// molecule counts if its similarity to each molecule counted before is below 0.4.
	Circles int `json:"circles"`
}

const (
	hitSample = 300
	hitRadius = 3 // of the Morgan fingerprints that compare hits
	hitBits   = 2048
	hitAlike  = 0.4
)

// Describe describes hits: molecules in the order of their calls. calls has the number of each
// call, starting at 1.
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

// compare sets Circles and Diversity.
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
