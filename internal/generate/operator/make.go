package operator

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
)

// Sizes of children: at least MinAtoms heavy atoms, and fewer than a number that is drawn anew for
// each from a normal distribution, so that there is no hard edge.
const (
	MinAtoms  = 6
	MeanAtoms = 39.15
	deviation = 3.5
)

const (
	tries    = 10 // of an operator before it gives up
	maxRing  = 6  // atoms of a ring of a child
	mutating = 0.067
)

// Maker makes children.
type Maker struct {
	Toolkit chem.Toolkit
	// Keep, unless nil, is a pattern that every child has.
	Keep chem.Patterns
	// Reject, unless nil, are patterns that no child has.
	Reject chem.Patterns
	// Screens are longer lists of patterns that no molecule has. Read and Settle look for them, which
	// are called for fewer molecules than operators make.
	Screens []chem.Patterns
	// Atoms is the mean of the most heavy atoms of a child, MeanAtoms where 0.
	Atoms float64
	// Charges is how many charges without an opposite one beside them a child may have: those that
	// the start molecules need.
	Charges int
}

// Child is a molecule that an operator made.
type Child struct {
	SMILES string       // canonical, without stereo; parsing it may give another one, see Settle
	Counts []chem.Count // its Morgan fingerprint of radius 2
	// Composition is the numbers of its atoms and rings.
	Composition chem.Composition
	// Choices are the bonds of its parents that were drawn: two of a crossover, at most one of a mutation.
	Choices []Choice
}

// Breed is a child of two parents drawn by pick: by mutation of one with the given probability, else
// by crossover, after which a mutation follows now and then. It is nil where the operators found none.
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

// end takes the fingerprint of a child and closes it.
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

// describe is the Morgan fingerprint of radius 2 and the composition of a molecule.
func describe(m chem.Molecule) (counts []chem.Count, composition chem.Composition, err error) {
	s, err := m.Structure()
	if err != nil {
		return nil, composition, err
	}
	counts, err = m.MorganCounts(2)
	return counts, s.Composition(), err
}

// fits draws whether a molecule of some heavy atoms is of a good size.
func (k *Maker) fits(r *rand.Rand, atoms int) bool {
	mean := cmp.Or(k.Atoms, MeanAtoms)
	return atoms >= MinAtoms && float64(atoms) < mean+deviation*r.NormFloat64()
}

// build sanitises an edit; nil where it is no molecule, or none that is wanted. Children whose rings
// did not change need no check of rings.
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

// Why a molecule is not wanted.
var (
	errRejected = errors.New("the molecule has a rejected pattern")
	errCore     = errors.New("the molecule has not the pattern that is kept")
	errScreened = errors.New("the molecule has a pattern of a catalogue")
)

// allowed says why the patterns do not allow a molecule.
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

// screened says why the longer lists do not allow a molecule.
func (k *Maker) screened(m chem.Molecule) error {
	for _, s := range k.Screens {
		if first, err := s.First(m); err != nil || first >= 0 {
			return cmp.Or(err, errScreened)
		}
	}
	return nil
}
