//go:build rdkit

package rdkit

// #include "shim.h"
import "C"

import (
	"runtime"
	"sync"

	"github.com/ehgnn/ehgnn/chem"
)

// molecule is a handle. The garbage collector frees a handle that was never closed, but it does not
// know how large it is.
type molecule struct {
	mu           sync.Mutex
	c            *C.rd_mol // nil if closed
	atoms, bonds int
	net          runtime.Cleanup
}

var _ chem.Molecule = (*molecule)(nil)

// adopt makes a handle of a C molecule. A molecule without atoms is refused: it means missing data,
// and no score is defined for it.
func adopt(c *C.rd_mol) (chem.Molecule, error) {
	m := &molecule{c: c, atoms: int(C.rd_atoms(c)), bonds: int(C.rd_bonds(c))}
	m.net = runtime.AddCleanup(m, func(c *C.rd_mol) { C.rd_free(c) }, c)
	if m.atoms == 0 {
		m.Close()
		return nil, invalid("a molecule without atoms")
	}
	return m, nil
}

func (m *molecule) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.c != nil {
		m.net.Stop()
		C.rd_free(m.c)
		m.c = nil
	}
}

// with calls f with the handle. No other call uses or frees it at that time.
func (m *molecule) with(f func(c *C.rd_mol) C.rd_error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.c == nil {
		return chem.ErrClosed
	}
	err := failure(f(m.c))
	runtime.KeepAlive(m)
	if err != nil {
		return err
	}
	return nil
}

// small is with for operations that take too long on large molecules.
func (m *molecule) small(f func(c *C.rd_mol) C.rd_error) error {
	if m.atoms > chem.MaxScored {
		return invalid("a molecule of %d atoms, expected at most %d", m.atoms, chem.MaxScored)
	}
	return m.with(f)
}

func (m *molecule) atom(i int) error {
	if i < 0 || i >= m.atoms {
		return invalid("atom %d of %d", i, m.atoms)
	}
	return nil
}

func (m *molecule) NumAtoms() int { return m.atoms }
func (m *molecule) NumBonds() int { return m.bonds }

func (m *molecule) SMILES() (string, error) { return m.write(-1, false) }

func (m *molecule) KekuleSMILES() (string, error) { return m.write(-1, true) }

func (m *molecule) RootedSMILES(atom int) (string, error) {
	if err := m.atom(atom); err != nil {
		return "", err
	}
	return m.write(atom, false)
}

func (m *molecule) write(root int, kekule bool) (string, error) {
	var d C.rd_data
	if err := m.with(func(c *C.rd_mol) C.rd_error { return C.rd_smiles(c, C.int(root), C.int(truth(kekule)), &d) }); err != nil {
		return "", err
	}
	return string(taken[byte](d)), nil
}

func (m *molecule) Scaffold(chiral bool) (string, error) {
	var d C.rd_data
	if err := m.small(func(c *C.rd_mol) C.rd_error { return C.rd_scaffold(c, C.int(truth(chiral)), &d) }); err != nil {
		return "", err
	}
	return string(taken[byte](d)), nil
}

func (m *molecule) Structure() (*chem.Structure, error)       { return m.structure(false) }
func (m *molecule) KekuleStructure() (*chem.Structure, error) { return m.structure(true) }

func (m *molecule) structure(kekule bool) (*chem.Structure, error) {
	atoms, bonds := make([]C.rd_atom, m.atoms), make([]C.rd_bond, m.bonds+1)
	err := m.with(func(c *C.rd_mol) C.rd_error { return C.rd_structure(c, C.int(truth(kekule)), &atoms[0], &bonds[0]) })
	if err != nil {
		return nil, err
	}
	s := &chem.Structure{Atoms: make([]chem.Atom, m.atoms), Bonds: make([]chem.Bond, m.bonds)}
	for i, a := range atoms {
		s.Atoms[i] = chem.Atom{
			Number: uint8(a.number), Charge: int32(a.charge), Isotope: int32(a.isotope), Map: int32(a._map),
			ExplicitHs: uint8(a.explicit_hs), TotalHs: uint8(a.total_hs), Degree: uint8(a.degree), Radicals: uint8(a.radicals),
			Chirality: chem.Chirality(a.chirality), Hybridization: chem.Hybridization(a.hybridization),
			Aromatic: a.aromatic != 0, InRing: a.in_ring != 0, NoImplicit: a.no_implicit != 0,
		}
	}
	for i, b := range bonds[:m.bonds] {
		s.Bonds[i] = chem.Bond{Begin: int32(b.begin), End: int32(b.end), Type: chem.BondType(b._type), Stereo: chem.Stereo(b.stereo), Conjugated: b.conjugated != 0}
	}
	return s, nil
}
