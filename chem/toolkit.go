package chem

import (
	"errors"
	"strconv"
)

// Toolkit is a chemistry library. Any number of goroutines may use it.
type Toolkit interface {
	// Version names the library and its version, such as "RDKit 2022.09.3".
	Version() string
	// Parse reads a SMILES of at most MaxSMILES characters and sanitises it. An extension after a
	// blank (CXSMILES) is read if it changes atoms and bonds: radicals, coordinate bonds, wedged
	// bonds with coordinates. A name is ignored. The empty string is refused.
	Parse(smiles string) (Molecule, error)
	// ParseBlock reads a mol block, V2000 or V3000, of at most MaxScored atoms, and sanitises it.
	// Its atoms are in the order of the block. Hydrogens become counts of their atoms. Coordinates
	// decide the arrangement at atoms and double bonds and are not kept.
	ParseBlock(block string) (Molecule, error)
	// Build makes a molecule of atoms and bonds and sanitises it. Implicit hydrogens are added.
	// Stereo is not read, and bonds of type NoBond are left out.
	Build(s *Structure) (Molecule, error)
	// Patterns reads SMARTS patterns. The error names the pattern that does not parse.
	Patterns(smarts ...string) (Patterns, error)
	// Catalogue returns a list of patterns of unwanted groups. name is one of Catalogues. First is
	// 0 for a molecule that has any of them.
	Catalogue(name string) (Patterns, error)
	// DrawStructure is Molecule.Draw for a structure, which need not be a molecule: valences are
	// not checked, and bonds of type NoBond are left out. Atoms have the positions of those of
	// like, which has the same number of atoms. like may be nil. Small.
	DrawStructure(s *Structure, bond float64, like *Structure) (*Drawing, error)
}

// Molecule is a sanitised molecule in a Toolkit. Several goroutines may call its methods; they wait
// for each other. After Close, methods return ErrClosed. Methods marked "small" refuse molecules of
// more than MaxScored atoms.
type Molecule interface {
	NumAtoms() int
	NumBonds() int
	// SMILES returns the canonical SMILES with stereo and isotopes.
	SMILES() (string, error)
	// RootedSMILES returns the SMILES that begins at an atom. It is unique for the atom.
	RootedSMILES(atom int) (string, error)
	// KekuleSMILES returns the SMILES with single and double bonds instead of aromatic bonds.
	KekuleSMILES() (string, error)
	// Structure returns the molecule as plain data.
	Structure() (*Structure, error)
	// KekuleStructure is Structure with single and double bonds instead of aromatic bonds.
	KekuleStructure() (*Structure, error)
	// Scaffold returns the SMILES of the Murcko scaffold: rings and the atoms that join them. It is
	// empty without rings. Small.
	Scaffold(chiral bool) (string, error)
	// WithHydrogens returns the molecule with all hydrogens as atoms, after the others.
	WithHydrogens() (Molecule, error)
	// Cut opens the acyclic bond between two atoms. Each side becomes a molecule.
	Cut(u, v int) (Fragment, Fragment, error)
	// Join adds the other molecule with a single bond from the atom to the other's atom.
	Join(atom int, other Fragment) (Molecule, error)
	// MorganBits lists the bits that are set in a Morgan fingerprint, ascending. Small.
	MorganBits(radius, bits int) ([]int32, error)
	// MorganCounts lists the identifiers of an unfolded Morgan fingerprint, ascending, with their
	// counts. Small.
	MorganCounts(radius int) ([]Count, error)
	// FeatureCounts is MorganCounts with the roles of atoms (donor, acceptor, aromatic, halogen,
	// basic, acidic) instead of their elements. Small.
	FeatureCounts(radius int) ([]Count, error)
	// PairCounts lists the identifiers of pairs of atoms within a distance in bonds, ascending,
	// with their counts. Small.
	PairCounts(distance int) ([]Count, error)
	// Rings describes rings and strained bonds in them. Small.
	Rings() (Rings, error)
	// QED returns the properties of drug-likeness. Small.
	QED() (QEDProperties, error)
	// SA returns the terms of synthetic accessibility. Small.
	SA() (SATerms, error)
	// LogP returns the partition coefficient of Wildman and Crippen. Small.
	LogP() (float64, error)
	// Draw draws the molecule in the style of ACS 1996 with bonds of the given length in pixels, at
	// most MaxPixels. Atoms that it shares with start have the same positions. start may be nil.
	// Small.
	Draw(bond float64, start Molecule) (*Drawing, error)
	// Close frees the molecule. Closing twice does nothing.
	Close()
}

// Fragment is a molecule and the atom at which it was cut or will be joined.
type Fragment struct {
	Molecule
	Atom int
}

// Patterns are SMARTS patterns. Any number of goroutines may use them. They need no closing.
type Patterns interface {
	// First returns the index of the first pattern that a molecule has, -1 if it has none. Small.
	First(m Molecule) (int, error)
}

// Catalogues returns the names for Toolkit.Catalogue: pan-assay interference compounds (Baell and
// Holloway 2010), unwanted groups of Brenk et al. 2008, and those of the NIH's screening library.
func Catalogues() []string { return []string{"pains", "brenk", "nih"} }

// Rings describes the rings of a molecule in the smallest set of smallest rings.
type Rings struct {
	Largest      int // atoms of the largest ring, 0 without rings
	Aromatic     int // rings in which all bonds are aromatic
	SmallDoubles int // double bonds between atoms whose smallest ring has three or four atoms
	Allenes      int // ring atoms with two double bonds to ring atoms
}

// Count is an identifier of a fingerprint and the number of times it occurs.
type Count struct {
	ID uint32
	N  int32
}

// Drawing is a molecule as lines and letters, in pixels. y points down.
type Drawing struct {
	Width, Height float64
	Atoms         [][2]float64 // position of each atom
	Core          []int32      // the corresponding atom of start, or -1
	Marks         []Mark
}

// Mark is an SVG path: a line with a width, or for width 0 a filled area (a letter, a wedge).
type Mark struct {
	Path string
	Line float64
}

// Limits of the input. Real molecules are far smaller. Beyond the limits some algorithms of a
// toolkit take minutes.
const (
	MaxSMILES = 10000 // characters
	MaxAtoms  = 10000 // of a molecule that is built or joined
	MaxScored = 1000  // atoms of a molecule that is scored, drawn or reduced to its scaffold
	MaxPixels = 100   // of a bond in a drawing
)

// ErrNoToolkit is the error of a build without a chemistry toolkit.
var ErrNoToolkit = errors.New("molecules need the chemistry build of ehgnn: make build-chem (build tag rdkit)")

// ErrClosed is returned by the methods of a closed molecule.
var ErrClosed = errors.New("chem: the molecule is closed")

// Class says what is wrong with a molecule.
type Class int

const (
	Syntax   Class = iota + 1 // the SMILES does not parse
	Valence                   // an atom has more bonds than it can have
	Kekulize                  // aromatic bonds cannot be written as single and double bonds
	Sanitize                  // another rule of sanitisation
	Invalid                   // an argument or a size is not valid
	Internal                  // the toolkit violated an invariant of its own
)

var classNames = [...]string{"", "syntax", "valence", "kekulize", "sanitize", "invalid", "internal"}

// String returns the name of the class in lower case.
func (c Class) String() string { return classNames[c] }

// Error says what is wrong with a molecule.
type Error struct {
	Class  Class
	Text   string // the toolkit's own message
	SMILES string // the text that was parsed, if any
}

// Error returns the text with its class, and the shortened SMILES.
func (e *Error) Error() string {
	text := "chem: " + e.Class.String() + ": " + e.Text
	if e.SMILES == "" {
		return text
	}
	shown := e.SMILES
	if len(shown) > maxShown {
		shown = shown[:maxShown] + "..."
	}
	return text + " in SMILES " + strconv.Quote(shown)
}

// maxShown is how much of a SMILES an error repeats.
const maxShown = 80
