package mars

import (
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/chem"
)

// Editor edits molecules with the arms of a vocabulary. Several goroutines may use it.
type Editor struct {
	toolkit chem.Toolkit
	most    int // largest number of heavy atoms of a molecule
	arms    []arm
}

// arm is an arm as a parsed molecule.
type arm struct {
	Arm
	fragment chem.Fragment
}

// MaxAtoms is the largest number of heavy atoms of a molecule in MARS.
const MaxAtoms = 40

// NewEditor parses the arms of a vocabulary. Edited molecules have at most the given number of
// heavy atoms. Arms that do not parse are left out and listed; the editor numbers the other arms.
// Close frees the arms.
func NewEditor(tk chem.Toolkit, v *Vocabulary, most int) (e *Editor, dropped []string, err error) {
	e = &Editor{toolkit: tk, most: most}
	for _, a := range v.Arms {
		m, s, err := open(tk, a.SMILES)
		if err != nil {
			dropped = append(dropped, a.SMILES)
			continue
		}
		a.Atoms, a.Bonds = heavyAtoms(s), len(s.Bonds)
		e.arms = append(e.arms, arm{a, chem.Fragment{Molecule: m}})
	}
	if len(e.arms) == 0 {
		return nil, dropped, fmt.Errorf("mars: none of the %d arms of the vocabulary parses", len(v.Arms))
	}
	return e, dropped, nil
}

// Close frees the arms.
func (e *Editor) Close() {
	for _, a := range e.arms {
		a.fragment.Close()
	}
}

// NumArms returns the number of arms.
func (e *Editor) NumArms() int { return len(e.arms) }

// Arm returns the arm with this number.
func (e *Editor) Arm(i int) Arm { return e.arms[i].Arm }

// Read returns the state of a SMILES: its largest part, without stereo.
func (e *Editor) Read(smiles string) (*Molecule, error) {
	text, err := stateSMILES(e.toolkit, smiles)
	if err != nil {
		return nil, err
	}
	return e.state(text)
}

// state returns the state of a canonical SMILES.
func (e *Editor) state(smiles string) (*Molecule, error) {
	m, s, err := open(e.toolkit, smiles)
	if err != nil {
		return nil, err
	}
	m.Close()
	return newMolecule(smiles, s), nil
}

// ErrInvalid is wrapped by the error of an edit that gives no valid molecule. The chain then keeps
// its molecule.
var ErrInvalid = errors.New("mars: the edit is not valid")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Add joins an arm to an atom.
func (e *Editor) Add(m *Molecule, atom, arm int) (*Molecule, error) {
	a := e.arms[arm]
	if n := m.heavy + a.Atoms; n > e.most {
		return nil, invalid("%d atoms, expected at most %d", n, e.most)
	}
	h, _, err := open(e.toolkit, m.SMILES)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	joined, err := h.Join(atom, a.fragment)
	return e.result(joined, err)
}

// Delete cuts a directed edge u -> v and keeps the side of u. The edge must be a single bond
// outside rings, and the side of u must have a bond.
func (e *Editor) Delete(m *Molecule, edge int) (*Molecule, error) {
	if m.bonds[edge/2].kind != chem.Single {
		return nil, invalid("the bond is not single")
	}
	u, v := m.directed(edge)
	h, _, err := open(e.toolkit, m.SMILES)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	kept, dropped, err := h.Cut(u, v)
	if err != nil {
		return e.result(nil, err)
	}
	dropped.Close()
	if kept.NumBonds() == 0 {
		kept.Close()
		return nil, invalid("no bond is left")
	}
	return e.result(kept.Molecule, nil)
}

// result closes an edited molecule and parses its SMILES again. If the toolkit returns an error,
// the edit is invalid.
func (e *Editor) result(m chem.Molecule, err error) (*Molecule, error) {
	var text string
	if err == nil {
		text, err = m.SMILES()
		m.Close()
	}
	var state *Molecule
	if err == nil {
		state, err = e.state(text)
	}
	if refused := (*chem.Error)(nil); errors.As(err, &refused) && refused.Class != chem.Internal {
		return nil, invalid("%v", err)
	}
	return state, err
}
