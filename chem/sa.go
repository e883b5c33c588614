package chem

import "math"

// SATerms are the terms of the synthetic accessibility score.
type SATerms struct {
	Atoms       int
	Fragments   []Count // Morgan counts at radius 2, not folded
	Centres     int     // stereo centres, assigned and possible
	Spiro       int     // spiro atoms
	Bridgeheads int     // bridgehead atoms
	LargeRings  int     // rings of more than 8 atoms
}

// Score is the synthetic accessibility score of Ertl and Schuffenhauer (Journal of Cheminformatics
// 2009, 1:8) as RDKit computes it, from 1 (easy) to 10. With the counts c of fragments, their
// values s in the table (-4 if a fragment is not in it), n atoms and k distinct fragments:
//
//	x = Σ c·s / Σ c − (n^1.005 − n) − log10(centres+1) − log10(spiro+1) − log10(bridgeheads+1)
//	    − [a large ring] log10 2 + [n > k] ½ ln(n/k)
//	SA = 11 − 9 (x+5)/6.5, compressed above 8
//
// A molecule without atoms has 10.
func (t SATerms) Score() float64 {
	if t.Atoms == 0 || len(t.Fragments) == 0 {
		return 10
	}
	table := fragmentTable()
	var sum, total float64
	for _, f := range t.Fragments {
		sum += table.value(f.ID) * float64(f.N)
		total += float64(f.N)
	}
	n := float64(t.Atoms)
	x := sum/total - (math.Pow(n, 1.005) - n) - log10p1(t.Centres) - log10p1(t.Spiro) - log10p1(t.Bridgeheads)
	if t.LargeRings > 0 {
		x -= math.Log10(2)
	}
	if k := float64(len(t.Fragments)); n > k {
		x += math.Log(n/k) / 2
	}
	sa := 11 - (x+5)/6.5*9
	if sa > 8 {
		sa = 8 + math.Log(sa-8)
	}
	return max(1, min(sa, 10))
}

func log10p1(n int) float64 { return math.Log10(float64(n + 1)) }
