package benchmark

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/ehgnn/ehgnn/chem"
)

// part is a number of a molecule.
type part func(m chem.Molecule) (float64, error)

// gauss is 1 where a number is the mean.
func gauss(of part, mean, width float64) part {
	return changed(of, func(v float64) float64 { return bell(v, mean, width) })
}

// below is 1 up to a number, and falls beyond.
func below(of part, mean, width float64) part {
	return changed(of, func(v float64) float64 { return bell(max(v, mean), mean, width) })
}

// above is 1 from a number on.
func above(of part, mean, width float64) part {
	return changed(of, func(v float64) float64 { return bell(min(v, mean), mean, width) })
}

// clip is 1 from a number on, and in proportion below.
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

// fingerprint are counts of a molecule.
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

// similar is the Tanimoto similarity of counts to a molecule.
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

// tanimoto is that of counts, which are in the order of their identifiers.
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

// element in a formula, as Cl2.
var element = regexp.MustCompile(`([A-Z][a-z]?)(\d*)`)

// numbers are the atomic numbers of the elements of formulas.
var numbers = map[string]uint8{"H": 1, "C": 6, "N": 7, "O": 8, "F": 9, "P": 15, "S": 16, "Cl": 17, "Br": 35}

// isomers are a part for each element of a formula and one for the number of atoms, hydrogens included.
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

// atoms counts those of an element, hydrogens that are no atoms included; all for 0.
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
