package chem

import (
	"errors"
	"strconv"
)

// Toolkit is what a chemistry library does. It is safe for any number of goroutines.
type Toolkit interface {
	// Version names the library and its version, as "RDKit 2022.09.3".
	Version() string
	// Parse reads a SMILES, no longer than MaxSMILES, and sanitises it. An extension after a
	// blank (CXSMILES) is read, as far as it changes atoms and bonds: radicals, coordinate
	// bonds, wedged bonds with coordinates. A name is left out, and the empty string refused.
	Parse(smiles string) (Molecule, error)
	// ParseBlock reads a mol block, V2000 or V3000, of at most MaxScored atoms, and sanitises
	// it. Its atoms are in the order of the block; hydrogens become counts of their atoms.
	// Coordinates decide the arrangement at atoms and double bonds and are not kept.
	ParseBlock(block string) (Molecule, error)
	// Build makes a molecule of atoms and bonds and sanitises it; implicit hydrogens fill
	// up. Stereo is not read, and bonds of type NoBond are left out.
	Build(s *Structure) (Molecule, error)
	// Patterns reads patterns of SMARTS; the error names the one that does not parse.
	Patterns(smarts ...string) (Patterns, error)
	// Catalogue is a list of patterns of groups that chemists avoid, known to the toolkit by a name of
	// Catalogues. First is 0 for a molecule that has any of them.
	Catalogue(name string) (Patterns, error)
	// DrawStructure is Molecule.Draw for a structure, which need not be a molecule: valences are not checked, and bonds of type NoBond are
	// left out. Atoms stand as those of like do, which has as many; nil for places of their own. Small.
	DrawStructure(s *Structure, bond float64, like *Structure) (*Drawing, error)
}

// Molecule is a sanitised molecule inside a Toolkit. Its methods may be called from several
// goroutines, which wait for each other; after Close they return ErrClosed. Methods marked
// "small" refuse molecules of more than MaxScored atoms.
type Molecule interface {
	NumAtoms() int
	NumBonds() int
	// SMILES is the canonical SMILES with stereo and isotopes.
	SMILES() (string, error)
	// RootedSMILES is the SMILES that begins at an atom; it is unique for the atom.
	RootedSMILES(atom int) (string, error)
	// KekuleSMILES writes single and double bonds for aromatic ones.
	KekuleSMILES() (string, error)
	// Structure is the molecule as plain data.
	Structure() (*Structure, error)
	// KekuleStructure is Structure with single and double bonds for aromatic ones.
	KekuleStructure() (*Structure, error)
	// Scaffold is the SMILES of the Murcko scaffold, rings and what joins them, empty
	// without rings. Small.
	Scaffold(chiral bool) (string, error)
	// WithHydrogens is the molecule with all hydrogens as atoms, behind the others.
	WithHydrogens() (Molecule, error)
	// Cut opens the acyclic bond between two atoms; each side is a molecule of its own.
	Cut(u, v int) (Fragment, Fragment, error)
	// Join adds the other molecule by a single bond from the atom to its atom.
	Join(atom int, other Fragment) (Molecule, error)
	// MorganBits lists the bits that are on in a Morgan fingerprint, ascending. Small.
	MorganBits(radius, bits int) ([]int32, error)
	// MorganCounts lists the identifiers of a Morgan fingerprint that is not folded,
	// ascending, with how often each occurs. Small.
	MorganCounts(radius int) ([]Count, error)
	// FeatureCounts is MorganCounts with the roles of atoms (donor, acceptor, aromatic, halogen,
	// basic, acidic) in place of their elements. Small.
	FeatureCounts(radius int) ([]Count, error)
	// PairCounts lists the identifiers of pairs of atoms up to a number of bonds apart,
	// ascending, with how often each occurs. Small.
	PairCounts(distance int) ([]Count, error)
	// Rings counts rings and what is strained in them. Small.
	Rings() (Rings, error)
	// QED gives the properties that drug-likeness is made of. Small.
	QED() (QEDProperties, error)
	// SA gives the terms that synthetic accessibility is made of. Small.
	SA() (SATerms, error)
	// LogP is the partition coefficient of Wildman and Crippen. Small.
	LogP() (float64, error)
	// Draw draws the molecule in the style of ACS 1996 with bonds of the given length in pixels, at
	// most MaxPixels. The atoms that it shares with start, which may be nil, stand as start has them. Small.
	Draw(bond float64, start Molecule) (*Drawing, error)
	// Close frees the molecule. Closing twice does nothing.
	Close()
}

// Fragment is a molecule and the atom at which it was cut or is to be joined.
type Fragment struct {
	Molecule
	Atom int
}

// Patterns are patterns of SMARTS. They are safe for any number of goroutines and need no closing.
type Patterns interface {
	// First is the index of the first pattern that a molecule has, -1 for none. Small.
	First(m Molecule) (int, error)
}

// Catalogues are the names for Toolkit.Catalogue: pan-assay interference compounds (Baell and Holloway 2010),
// unwanted groups of Brenk et al. 2008, and those of the NIH's screening library.
func Catalogues() []string { return []string{"pains", "brenk", "nih"} }

// Rings describes the rings of a molecule, those of the smallest set of smallest rings.
type Rings struct {
	Largest      int // atoms of the largest ring, 0 without rings
	Aromatic     int // rings all of whose bonds are aromatic
	SmallDoubles int // double bonds between atoms whose smallest ring has three or four atoms
	Allenes      int // atoms of rings with two double bonds to atoms of rings
}

// Count is an identifier of a fingerprint and how often it occurs.
type Count struct {
	ID uint32
	N  int32
}

// Drawing is a molecule as strokes and letters, in pixels, y going down.
type Drawing struct {
	Width, Height float64
	Atoms         [][2]float64 // where each atom is
	Core          []int32      // the atom of the start that each atom stands for, or -1
	Marks         []Mark
}

// Mark is a path as SVG has it: of a line of a width, or for 0 an area (a letter, a wedge).
type Mark struct {
	Path string
	Line float64
}

// Bounds of what is accepted. Real molecules stay far below; beyond them some algorithms of
// a toolkit take minutes.
const (
	MaxSMILES = 10000 // characters
	MaxAtoms  = 10000 // of a molecule that is built or joined
	MaxScored = 1000  // atoms of a molecule that is scored, drawn or reduced to its scaffold
	MaxPixels = 100   // of a bond of a drawing
)

// ErrNoToolkit is what a build without a chemistry toolkit answers.
var ErrNoToolkit = errors.New("molecules need the chemistry build of ehgnn: make build-chem (build tag rdkit)")

// ErrClosed is returned by the methods of a molecule that was closed.
var ErrClosed = errors.New("chem: the molecule is closed")

// Class says what was wrong with a molecule.
type Class int

const (
	Syntax   Class = iota + 1 // the SMILES does not parse
	Valence                   // an atom has more bonds than it can
	Kekulize                  // aromatic bonds do not resolve into single and double ones
	Sanitize                  // another rule of sanitisation
	Invalid                   // an argument or a size
	Internal                  // the toolkit broke an invariant of its own
)

var classNames = [...]string{"", "syntax", "valence", "kekulize", "sanitize", "invalid", "internal"}

// String is the name of the class in lower case.
func (c Class) String() string { return classNames[c] }

// Error is what went wrong with a molecule.
type Error struct {
	Class  Class
	Text   string // the toolkit's own words
	SMILES string // what was parsed, if anything
}

// Error is the text with its class, and the SMILES, shortened.
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
