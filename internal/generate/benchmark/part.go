package benchmark

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/ehgnn/ehgnn/chem"
)

// part computes a number of a molecule.
type part func(m chem.Molecule) (float64, error)

// gauss returns a part with a Gaussian form: 1 at the mean.
func gauss(of part, mean, width float64) part {
	return changed(of, func(v float64) float64 { return bell(v, mean, width) })
}

// below returns a part that is 1 up to the mean and decreases above it.
func below(of part, mean, width float64) part {
	return changed(of, func(v float64) float64 { return bell(max(v, mean), mean, width) })
}

// above returns a part that is 1 from the mean on and decreases below it.
func above(of part, mean, width float64) part {
	return changed(of, func(v float64) float64 { return bell(min(v, mean), mean, width) })
}

// clip returns a part that is 1 from most on and proportional below it.
func clip(of part, most float64) part {
	return changed(of, func(v float64) float64 { return min(max(v/most, 0), 1) })
}

func bell(v, mean, width float64) float64 {
	return math.Exp(-0.5 * (v - mean) * (v - mean) / (width * width))
}

func changed(of part, f func(float64) float64) part {
	return func(m chem.Molecule) (float64, error) {
		v, err := of(m)
		return f(v), err
	}
}

func logP(m chem.Molecule) (float64, error) { return m.LogP() }

func tpsa(m chem.Molecule) (float64, error) {
	p, err := m.QED()
	return p.PSA, err
}

func aromaticRings(m chem.Molecule) (float64, error) {
	r, err := m.Rings()
	return float64(r.Aromatic), err
}

// fingerprint computes the counts of a fingerprint of a molecule.
type fingerprint func(m chem.Molecule) ([]chem.Count, error)

func morgan(radius int) fingerprint {
	return func(m chem.Molecule) ([]chem.Count, error) { return m.MorganCounts(radius) }
}

func features(radius int) fingerprint {
	return func(m chem.Molecule) ([]chem.Count, error) { return m.FeatureCounts(radius) }
}

func pairs(distance int) fingerprint {
	return func(m chem.Molecule) ([]chem.Count, error) { return m.PairCounts(distance) }
}

// similar returns a part: the Tanimoto similarity to a molecule.
func similar(tk chem.Toolkit, smiles string, of fingerprint) (part, error) {
	m, err := tk.Parse(smiles)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	want, err := of(m)
	if err != nil {
		return nil, err
	}
	return func(m chem.Molecule) (float64, error) {
		have, err := of(m)
		return tanimoto(have, want), err
	}, nil
}

// tanimoto returns the similarity of counts, which must be sorted by identifier.
func tanimoto(a, b []chem.Count) float64 {
	both, all := int32(0), int32(0)
	for _, c := range a {
		all += c.N
	}
	for _, c := range b {
		all += c.N
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].ID < b[j].ID:
			i++
		case a[i].ID > b[j].ID:
			j++
		default:
			both += min(a[i].N, b[j].N)
			i++
			j++
		}
	}
	if all == both {
		return 0
	}
	return float64(both) / float64(all-both)
}

// element matches an element in a formula, such as Cl2.
var element = regexp.MustCompile(`([A-Z][a-z]?)(\d*)`)

// numbers are the atomic numbers of the elements in formulas.
var numbers = map[string]uint8{"H": 1, "C": 6, "N": 7, "O": 8, "F": 9, "P": 15, "S": 16, "Cl": 17, "Br": 35}

// isomers returns a part for each element of a formula and one for the number of all atoms,
// including hydrogens.
func isomers(formula string) ([]part, error) {
	var out []part
	all := 0
	for _, e := range element.FindAllStringSubmatch(formula, -1) {
		number, ok := numbers[e[1]]
		if !ok {
			return nil, fmt.Errorf("benchmark: the formula %s has %s, which is no known element", formula, e[1])
		}
		n := 1
		if e[2] != "" {
			n, _ = strconv.Atoi(e[2])
		}
		all += n
		out = append(out, gauss(atoms(number), float64(n), 1))
	}
	return append(out, gauss(atoms(0), float64(all), 2)), nil
}

// atoms returns a part that counts the atoms of an element, including implicit hydrogens; all atoms
// if number is 0.
func atoms(number uint8) part {
	return func(m chem.Molecule) (float64, error) {
		s, err := m.Structure()
		if err != nil {
			return 0, err
		}
		n := 0
		for _, a := range s.Atoms {
			if number == 0 || number == 1 {
				n += int(a.TotalHs)
			}
			if number == 0 || a.Number == number {
				n++
			}
		}
		return float64(n), nil
	}
}
