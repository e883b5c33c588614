package operator

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
)

// Sizes of children: at least MinAtoms heavy atoms, and fewer than a number that is drawn for each
// child from a normal distribution, so that there is no sharp limit.
const (
	MinAtoms  = 6
	MeanAtoms = 39.15
	deviation = 3.5
)

const (
	tries    = 10 // of an operator, after which it fails
	maxRing  = 6  // largest number of atoms in a ring of a child
	mutating = 0.067
)

// Maker makes children.
type Maker struct {
	Toolkit chem.Toolkit
	// Keep is a pattern that every child must have. It may be nil.
	Keep chem.Patterns
	// Reject are patterns that no child may have. It may be nil.
	Reject chem.Patterns
	// Screens are longer lists of patterns that no molecule may have. Only Read and Settle search
	// for them, because they run for fewer molecules than operators make.
	Screens []chem.Patterns
	// Atoms is the mean of the largest number of heavy atoms of a child; 0 means MeanAtoms.
	Atoms float64
	// Charges is the number of charges without an opposite charge next to them that a child may
	// have. Start molecules may need some.
	Charges int
}

// Child is a molecule that an operator made.
type Child struct {
	SMILES string       // canonical, without stereo; parsing it can give another SMILES, see Settle
	Counts []chem.Count // its Morgan fingerprint of radius 2
	// Composition has the numbers of its atoms and rings.
	Composition chem.Composition
	// Choices are the bonds of its parents that were drawn: two in a crossover, at most one in a
	// mutation.
	Choices []Choice
}

// Breed returns a child of two parents drawn by pick: with the given probability by mutation of one
// parent, otherwise by crossover, sometimes followed by a mutation. It returns nil if the operators
// found no child.
func (k *Maker) Breed(r *rand.Rand, pick func() *Molecule, mutation float64) (*Child, error) {
	if r.Float64() < mutation {
		return k.end(k.mutate(r, pick()))
	}
	a, b := pick(), pick()
	c := k.cross(r, a, b)
	if c == nil || r.Float64() >= mutating {
		return k.end(c)
	}
	m, err := c.molecule()
	c.Close()
	if err != nil {
		return nil, err
	}
	mutated := k.mutate(r, m)
	if mutated != nil {
		mutated.choices = c.choices
	}
	return k.end(mutated)
}

// built is a child in the toolkit.
type built struct {
	chem.Molecule
	smiles  string
	choices []Choice
}

func (b *built) molecule() (*Molecule, error) {
	s, err := b.KekuleStructure()
	if err != nil {
		return nil, err
	}
	return newMolecule(b.smiles, s), nil
}

// end computes the fingerprint of a child and closes the toolkit's molecule.
func (k *Maker) end(b *built) (*Child, error) {
	if b == nil {
		return nil, nil
	}
	defer b.Close()
	counts, composition, err := describe(b)
	if err != nil {
		return nil, err
	}
	return &Child{b.smiles, counts, composition, b.choices}, nil
}

// describe returns the Morgan fingerprint of radius 2 and the composition of a molecule.
func describe(m chem.Molecule) (counts []chem.Count, composition chem.Composition, err error) {
	s, err := m.Structure()
	if err != nil {
		return nil, composition, err
	}
	counts, err = m.MorganCounts(2)
	return counts, s.Composition(), err
}

// fits draws the size limit and reports whether a molecule with this number of heavy atoms is
// within it.
func (k *Maker) fits(r *rand.Rand, atoms int) bool {
	mean := cmp.Or(k.Atoms, MeanAtoms)
	return atoms >= MinAtoms && float64(atoms) < mean+deviation*r.NormFloat64()
}

// build sanitises an edit. It returns nil if the result is no molecule or is not allowed. Rings are
// checked only if rings is true.
func (k *Maker) build(e *edit, rings bool) *built {
	if e.neutralise() > k.Charges || !e.possible() {
		return nil
	}
	m, err := k.Toolkit.Build(e.structure())
	if err != nil {
		return nil
	}
	b := &built{Molecule: m, choices: e.choices}
	if k.wanted(b, rings) {
		return b
	}
	b.Close()
	return nil
}

func (k *Maker) wanted(b *built, rings bool) bool {
	if rings {
		if r, err := b.Rings(); err != nil || r.Largest > maxRing || r.SmallDoubles > 0 || r.Allenes > 0 {
			return false
		}
	}
	if k.allowed(b.Molecule) != nil {
		return false
	}
	var err error
	b.smiles, err = b.SMILES()
	return err == nil && !strings.Contains(b.smiles, ".")
}

// Reasons why a molecule is not allowed.
var (
	errRejected = errors.New("the molecule has a rejected pattern")
	errCore     = errors.New("the molecule has not the pattern that is kept")
	errScreened = errors.New("the molecule has a pattern of a catalogue")
)

// allowed returns an error if the patterns do not allow a molecule.
func (k *Maker) allowed(m chem.Molecule) error {
	if k.Reject != nil {
		if first, err := k.Reject.First(m); err != nil || first >= 0 {
			return cmp.Or(err, errRejected)
		}
	}
	if k.Keep != nil {
		if first, err := k.Keep.First(m); err != nil || first < 0 {
			return cmp.Or(err, errCore)
		}
	}
	return nil
}

// screened returns an error if the longer lists do not allow a molecule.
func (k *Maker) screened(m chem.Molecule) error {
	for _, s := range k.Screens {
		if first, err := s.First(m); err != nil || first >= 0 {
			return cmp.Or(err, errScreened)
		}
	}
	return nil
}
