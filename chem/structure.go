package chem

import "fmt"

// Structure is a molecule as plain data. The atoms and bonds of a parsed molecule are in the order
// of its SMILES. Hydrogens are counts of their atoms, except those that SMILES must keep (isotopes,
// hydrides).
type Structure struct {
	Atoms []Atom
	Bonds []Bond
}

// Atom is an atom of a Structure. [Toolkit.Build] reads Number, Charge, ExplicitHs, NoImplicit,
// Isotope and Map. The toolkit perceives the other fields.
type Atom struct {
	Number        uint8 // atomic number, 0 for a wildcard
	ExplicitHs    uint8 // hydrogens written in brackets
	TotalHs       uint8 // all hydrogens that are not atoms
	Degree        uint8 // number of bonds, including those to hydrogens
	Radicals      uint8 // unpaired electrons
	Chirality     Chirality
	Hybridization Hybridization
	Aromatic      bool
	InRing        bool
	NoImplicit    bool // no hydrogens except the explicit ones
	Charge        int32
	Isotope       int32 // 0 for the natural mixture
	Map           int32 // the number after the colon; 0 means none
}

// Bond is a bond of a Structure. [Toolkit.Build] reads its ends and its type.
type Bond struct {
	Begin, End int32
	Type       BondType
	Stereo     Stereo
	Conjugated bool
}

// BondType is the order of a bond. The first five are the labels of ZINC-12K and MolGAN.
type BondType uint8

const (
	NoBond BondType = iota
	Single
	Double
	Triple
	Aromatic
	Quadruple
	Dative
	ZeroOrder
	OtherBond
)

// Stereo is the arrangement at a double bond, in the order of OGB.
type Stereo uint8

const (
	StereoNone Stereo = iota
	StereoZ
	StereoE
	StereoCis
	StereoTrans
	StereoAny
)

// Chirality is the arrangement at an atom.
type Chirality uint8

const (
	Achiral Chirality = iota
	Clockwise
	CounterClockwise
	OtherChirality
	HigherChirality // allenes, square planar and higher arrangements
)

// Hybridization is the hybridisation of an atom's orbitals.
type Hybridization uint8

const (
	HybridUnspecified Hybridization = iota
	HybridS
	SP
	SP2
	SP3
	SP3D
	SP3D2
	OtherHybrid
)

// Check returns an error if the structure cannot be given to a toolkit: an end that is not an atom,
// two bonds between the same atoms, no atoms or too many.
func (s *Structure) Check() error {
	if len(s.Atoms) == 0 || len(s.Atoms) > MaxAtoms {
		return invalid("a molecule of %d atoms, expected 1 to %d", len(s.Atoms), MaxAtoms)
	}
	for i, a := range s.Atoms {
		if a.Number > 118 {
			return invalid("atom %d has atomic number %d, expected at most 118", i, a.Number)
		}
		if a.ExplicitHs > maxHydrogens || a.Charge < -maxCharge || a.Charge > maxCharge || a.Isotope < 0 || a.Isotope > 999 || a.Map < 0 || a.Map > 999 {
			return invalid("atom %d has %d hydrogens, charge %d, isotope %d, map number %d", i, a.ExplicitHs, a.Charge, a.Isotope, a.Map)
		}
	}
	seen := make(map[[2]int32]bool, len(s.Bonds))
	for i, b := range s.Bonds {
		pair := [2]int32{min(b.Begin, b.End), max(b.Begin, b.End)}
		switch {
		case pair[0] < 0 || int(pair[1]) >= len(s.Atoms):
			return invalid("bond %d joins atoms %d and %d of %d", i, b.Begin, b.End, len(s.Atoms))
		case pair[0] == pair[1]:
			return invalid("bond %d joins atom %d to itself", i, b.Begin)
		case seen[pair]:
			return invalid("bond %d joins atoms %d and %d a second time", i, b.Begin, b.End)
		case b.Type >= OtherBond:
			return invalid("bond %d has type %d, expected at most %d", i, b.Type, ZeroOrder)
		}
		seen[pair] = true
	}
	return nil
}

// Limits for an atom, as in SMILES.
const (
	maxHydrogens = 99
	maxCharge    = 15
)

func invalid(format string, args ...any) error {
	return &Error{Class: Invalid, Text: fmt.Sprintf(format, args...)}
}
