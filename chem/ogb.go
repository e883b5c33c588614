package chem

// The features of Open Graph Benchmark (Hu et al., "Open Graph Benchmark", 2020). Each is the index
// of a value in a list. A value that is not in the list has the last index.

// OGBAtomSizes are the numbers of values of an atom's features: atomic number, chirality, degree, formal charge, hydrogens,
// radical electrons, hybridisation, aromatic, in ring.
var OGBAtomSizes = [9]int{119, 5, 12, 12, 10, 6, 6, 2, 2}

// OGBBondSizes are the numbers of values of a bond's features: type, stereo, conjugated.
var OGBBondSizes = [3]int{5, 6, 2}

// OGBAtom returns the feature row of an atom.
func OGBAtom(a Atom) [9]int32 {
	return [9]int32{
		within(int32(a.Number)-1, 118),
		within(int32(a.Chirality), 4),
		within(int32(a.Degree), 11),
		within(a.Charge+5, 11),
		within(int32(a.TotalHs), 9),
		within(int32(a.Radicals), 5),
		within(int32(a.Hybridization)-int32(SP), 5),
		flag(a.Aromatic),
		flag(a.InRing),
	}
}

// OGBBond returns the feature row of a bond, the same for both directions.
func OGBBond(b Bond) [3]int32 {
	return [3]int32{within(int32(b.Type)-int32(Single), 4), int32(b.Stereo), flag(b.Conjugated)}
}

// within returns the index, or misc, the last index of the list, if the index is out of range.
func within(index, misc int32) int32 {
	if index < 0 || index > misc {
		return misc
	}
	return index
}

func flag(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
