package molgan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Data has the molecules of a training.
type Data struct {
	Space Space
	// Molecules are the molecules that can be encoded, in their order. SMILES are the canonical
	// SMILES of the decoded molecules, without charges; empty if decoding fails.
	Molecules []Molecule
	SMILES    []string
	Left      Left
}

// Left counts the molecules that were left out, by reason.
type Left struct {
	Unparsable int `json:"unparsable"`
	Outside    int `json:"outside"` // too many atoms, other elements or bonds, or an atom without a bond
	Charged    int `json:"charged"` // if charged molecules are not wanted
}

// Read encodes SMILES. It leaves out molecules that do not parse or are not in the space and, with
// dropCharged, molecules with a charged atom.
func Read(ctx context.Context, tk chem.Toolkit, threads int, s Space, smiles []string, dropCharged bool) (*Data, error) {
	if tk == nil {
		return nil, chem.ErrNoToolkit
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	type encoded struct {
		Molecule
		charged bool
		smiles  string
	}
	judge := &Judge{Toolkit: tk, Space: s, Threads: threads}
	results, err := chem.Map(ctx, tk, threads, smiles, func(m chem.Molecule) (e encoded, err error) {
		of, err := encodable(m)
		if err != nil {
			return e, err
		}
		e.charged = slices.ContainsFunc(of.Atoms, func(a chem.Atom) bool { return a.Charge != 0 })
		if e.Molecule, err = s.Encode(of); err != nil {
			return e, outside{err}
		}
		judge.with(e.Molecule, func(_ chem.Molecule, smiles string) { e.smiles = smiles })
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	d := &Data{Space: s}
	for _, r := range results {
		switch {
		case errors.As(r.Err, &outside{}):
			d.Left.Outside++
		case r.Err != nil:
			d.Left.Unparsable++
		case r.Value.charged && dropCharged:
			d.Left.Charged++
		default:
			d.Molecules, d.SMILES = append(d.Molecules, r.Value.Molecule), append(d.SMILES, r.Value.smiles)
		}
	}
	if len(d.Molecules) == 0 {
		return nil, fmt.Errorf("molgan: none of %d SMILES is a molecule of 2 to %d atoms of the elements %v, each with a bond", len(smiles), s.Size, s.Elements)
	}
	return d, nil
}

// outside is the error for a molecule that has no encoding.
type outside struct{ error }

// encodable returns the structure that is encoded for a molecule: with aromatic bonds, or in Kekulé
// form if an aromatic atom has a hydrogen that must be written, as in pyrrole.
func encodable(m chem.Molecule) (*chem.Structure, error) {
	s, err := m.Structure()
	if err == nil && slices.ContainsFunc(s.Atoms, func(a chem.Atom) bool { return a.Aromatic && a.ExplicitHs > 0 && a.Charge == 0 }) {
		return m.KekuleStructure()
	}
	return s, err
}

// Parts are the indices of the training, validation and test molecules.
type Parts struct{ Train, Valid, Test []int32 }

// Split draws a tenth of the molecules for validation and a tenth for test.
func (d *Data) Split(seed uint64) Parts {
	all := lists.Range[int32](len(d.Molecules))
	rng.Stream(seed, "molgan", "split").Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tenth := len(all) / 10
	return Parts{Train: all[2*tenth:], Valid: all[:tenth], Test: all[tenth : 2*tenth]}
}
