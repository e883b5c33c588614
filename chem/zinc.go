package chem

// ZINCType is an atom type of ZINC-12K: an element, the hydrogens in its brackets and the sign of
// its charge.
type ZINCType struct {
	Name       string
	Number     uint8
	ExplicitHs uint8
	Charge     int32
}

// ZINCTypes is the vocabulary of ZINC-12K. The index is the label of a node. A carbon with one
// hydrogen is a stereo centre, because it was written in brackets.
var ZINCTypes = [28]ZINCType{
	{"C", 6, 0, 0}, {"O", 8, 0, 0}, {"N", 7, 0, 0}, {"F", 9, 0, 0}, {"C H1", 6, 1, 0}, {"S", 16, 0, 0}, {"Cl", 17, 0, 0},
	{"O -", 8, 0, -1}, {"N H1 +", 7, 1, 1}, {"Br", 35, 0, 0}, {"N H3 +", 7, 3, 1}, {"N H2 +", 7, 2, 1}, {"N +", 7, 0, 1}, {"N -", 7, 0, -1},
	{"S -", 16, 0, -1}, {"I", 53, 0, 0}, {"P", 15, 0, 0}, {"O H1 +", 8, 1, 1}, {"N H1 -", 7, 1, -1}, {"O +", 8, 0, 1}, {"S +", 16, 0, 1},
	{"P H1", 15, 1, 0}, {"P H2", 15, 2, 0}, {"C H2 -", 6, 2, -1}, {"P +", 15, 0, 1}, {"S H1 +", 16, 1, 1}, {"C H1 -", 6, 1, -1}, {"P H1 +", 15, 1, 1},
}

// zincLabels is the label of each type.
var zincLabels = func() map[ZINCType]int32 {
	labels := make(map[ZINCType]int32, len(ZINCTypes))
	for i, t := range ZINCTypes {
		t.Name = ""
		labels[t] = int32(i)
	}
	return labels
}()

// ZINCLabels returns the labels of the atoms of a kekulised structure ([Molecule.KekuleStructure]).
// If the hydrogens of a neutral atom make its type unknown, it has the label of its element. Any
// other unknown atom is an error.
func ZINCLabels(s *Structure) ([]int32, error) {
	labels := make([]int32, len(s.Atoms))
	for i, a := range s.Atoms {
		t := ZINCType{Number: a.Number, ExplicitHs: a.ExplicitHs, Charge: max(-1, min(a.Charge, 1))}
		label, known := zincLabels[t]
		if !known && a.Charge == 0 {
			label, known = zincLabels[ZINCType{Number: a.Number}]
		}
		if !known {
			return nil, invalid("atom %d (atomic number %d, %d explicit hydrogens, charge %d) is not in the vocabulary of ZINC-12K", i, a.Number, a.ExplicitHs, a.Charge)
		}
		labels[i] = label
	}
	return labels, nil
}

// FromZINC returns the structure of labels of atoms and bonds. As in the authors' code, an atom
// only has the element of its label, so most charged atoms become neutral or violate a valence.
// strict keeps charges and hydrogens.
func FromZINC(labels []int32, bonds []Bond, strict bool) (*Structure, error) {
	atoms := make([]Atom, len(labels))
	for i, label := range labels {
		if label < 0 || int(label) >= len(ZINCTypes) {
			return nil, invalid("atom %d has label %d, expected at most %d", i, label, len(ZINCTypes)-1)
		}
		t := ZINCTypes[label]
		atoms[i].Number = t.Number
		if strict {
			atoms[i].ExplicitHs, atoms[i].Charge = t.ExplicitHs, t.Charge
		}
	}
	return &Structure{Atoms: atoms, Bonds: bonds}, nil
}
