//go:build rdkit

package rdkit

// #include "shim.h"
import "C"

import "github.com/ehgnn/ehgnn/chem"

func (m *molecule) Cut(u, v int) (chem.Fragment, chem.Fragment, error) {
	var a, b *C.rd_mol
	var ua, vb C.int32_t
	none := chem.Fragment{}
	if err := m.bond(u, v); err != nil {
		return none, none, err
	}
	if err := m.with(func(c *C.rd_mol) C.rd_error { return C.rd_cut(c, C.int(u), C.int(v), &a, &ua, &b, &vb) }); err != nil {
		return none, none, err
	}
	ma, err := adopt(a)
	if err != nil {
		C.rd_free(b)
		return none, none, err
	}
	mb, err := adopt(b)
	if err != nil {
		ma.Close()
		return none, none, err
	}
	return chem.Fragment{Molecule: ma, Atom: int(ua)}, chem.Fragment{Molecule: mb, Atom: int(vb)}, nil
}

// bond returns an error if two atoms cannot be asked for their bond.
func (m *molecule) bond(u, v int) error {
	if err := m.atom(u); err != nil {
		return err
	}
	if err := m.atom(v); err != nil {
		return err
	}
	if u == v {
		return invalid("a bond of atom %d to itself", u)
	}
	return nil
}

func (m *molecule) WithHydrogens() (chem.Molecule, error) {
	var full *C.rd_mol
	if err := m.with(func(c *C.rd_mol) C.rd_error { return C.rd_hydrogens(c, &full) }); err != nil {
		return nil, err
	}
	return adopt(full)
}

func (m *molecule) Join(atom int, other chem.Fragment) (chem.Molecule, error) {
	o, ok := other.Molecule.(*molecule)
	if !ok {
		return nil, invalid("a molecule of another toolkit")
	}
	if err := m.atom(atom); err != nil {
		return nil, err
	}
	if err := o.atom(other.Atom); err != nil {
		return nil, err
	}
	if m.atoms+o.atoms > chem.MaxAtoms {
		return nil, invalid("a molecule of %d atoms, expected at most %d", m.atoms+o.atoms, chem.MaxAtoms)
	}
	// A copy, so that no call holds two locks.
	var arm, joined *C.rd_mol
	if err := o.with(func(c *C.rd_mol) C.rd_error { return C.rd_copy(c, &arm) }); err != nil {
		return nil, err
	}
	defer C.rd_free(arm)
	if err := m.with(func(c *C.rd_mol) C.rd_error { return C.rd_join(c, C.int(atom), arm, C.int(other.Atom), &joined) }); err != nil {
		return nil, err
	}
	return adopt(joined)
}
