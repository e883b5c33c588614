//go:build rdkit

package mars

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// If an arm is joined and then cut off at the same bond, the molecule is equal to the original.
func TestAddThenDelete(t *testing.T) {
	t.Run("chosen", func(t *testing.T) { addThenDelete(t, molecules(t), 4) })
	t.Run("zinc", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes some seconds")
		}
		addThenDelete(t, list(t, "zinc", 500), 2)
	})
}

func addThenDelete(t *testing.T, texts []string, each int) {
	e := editor(t)
	r := rng.Stream(1, "edits")
	valid, left := 0, 0
	for _, text := range texts {
		m, err := e.Read(text)
		if err != nil || unusual(m) {
			left++
			continue
		}
		for range each {
			atom, arm := r.IntN(len(m.atoms)), r.IntN(e.NumArms())
			added, err := e.Add(m, atom, arm)
			if errors.Is(err, ErrInvalid) {
				continue
			}
			if err != nil {
				t.Fatalf("%s + %s: %v", m.SMILES, e.Arm(arm).SMILES, err)
			}
			valid++
			if added.heavy != m.heavy+e.Arm(arm).Atoms || len(added.bonds) != len(m.bonds)+e.Arm(arm).Bonds+1 {
				t.Errorf("%s + %s: %s", m.SMILES, e.Arm(arm).SMILES, added.SMILES)
			}
			if !undone(e, added, m.SMILES) {
				t.Errorf("%s + %s at %d is %s, from which no cut leads back", m.SMILES, e.Arm(arm).SMILES, atom, added.SMILES)
			}
			if got := cutAnew(t, e, m, atom, arm); got != m.SMILES {
				t.Errorf("%s + %s at %d, cut at the new bond, is %s", m.SMILES, e.Arm(arm).SMILES, atom, got)
			}
		}
	}
	t.Logf("%d molecules, %d of them left out as unusual, %d valid edits", len(texts), left, valid)
	if valid < 500 {
		t.Errorf("%d valid edits, expected at least 500", valid)
	}
}

// cutAnew joins an arm, cuts the bond that joins it, and returns the part that stays. It works on
// the toolkit's molecule, because atoms get other numbers when a molecule is parsed again.
func cutAnew(t *testing.T, e *Editor, m *Molecule, atom, arm int) string {
	t.Helper()
	h, s, err := open(e.toolkit, m.SMILES)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	joined, err := h.Join(atom, e.arms[arm].fragment)
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	whole, err := joined.Structure()
	if err != nil {
		t.Fatal(err)
	}
	// The atoms of the arm follow those of the molecule.
	at := slices.IndexFunc(whole.Bonds, func(b chem.Bond) bool { return (int(b.Begin) < len(s.Atoms)) != (int(b.End) < len(s.Atoms)) })
	if at < 0 {
		t.Fatalf("%s + %s has no new bond", m.SMILES, e.Arm(arm).SMILES)
	}
	b := whole.Bonds[at]
	kept, dropped, err := joined.Cut(int(min(b.Begin, b.End)), int(max(b.Begin, b.End)))
	if err != nil {
		return err.Error()
	}
	defer kept.Close()
	defer dropped.Close()
	text, err := kept.SMILES()
	if err != nil {
		t.Fatal(err)
	}
	if text, err = stateSMILES(e.toolkit, text); err != nil {
		return err.Error()
	}
	return text
}

// unusual reports whether a molecule has no bond, a metal, a charged carbon or an atom with too few
// bonds. In such a molecule the part that is cut off differs from the arm that was joined.
func unusual(m *Molecule) bool {
	room := map[uint8][]int{1: {1}, 6: {4}, 7: {3, 5}, 8: {2}, 9: {1}, 15: {3, 5}, 16: {2, 4, 6}, 17: {1}, 35: {1}, 53: {1}}
	order := map[chem.BondType]int{chem.Single: 1, chem.Double: 2, chem.Triple: 3}
	bonds := make([]int, len(m.atoms))
	for _, b := range m.bonds {
		bonds[b.u] += order[b.kind]
		bonds[b.v] += order[b.kind]
	}
	for i, a := range m.atoms {
		whole := slices.Contains(room[a.number], bonds[i]+int(a.hydrogens))
		if room[a.number] == nil || a.charge != 0 && a.number == 6 || a.charge == 0 && !a.aromatic && !whole {
			return true
		}
	}
	return len(m.bonds) == 0
}

// undone reports whether one of the deletions gives the SMILES.
func undone(e *Editor, m *Molecule, smiles string) bool {
	for edge := range 2 * len(m.bonds) {
		if back, err := e.Delete(m, edge); err == nil && back.SMILES == smiles {
			return true
		}
	}
	return false
}

// Results of edits of small molecules. An empty result is an invalid edit. Atoms are numbered from
// 0 in the canonical SMILES.
func TestEdits(t *testing.T) {
	e := editor(t, "O", "[SH](N)(=O)=O", "c1ccncc1", "[NH3+]", "N1CCOCC1", "C(=O)O")
	const hydroxy, sulfonamide, pyridine, ammonium, morpholine, carboxy = 0, 1, 2, 3, 4, 5
	for _, c := range []struct {
		name, of string
		add      bool
		at       [2]int // atom and arm, or the atoms of the bond: the kept one, the dropped one
		want     string
	}{
		{"add to ethane", "CC", true, [2]int{0, hydroxy}, "CCO"},
		{"one atom can grow", "C", true, [2]int{0, pyridine}, "Cc1ccncc1"},
		{"an arm whose hydrogen is in brackets", "CC", true, [2]int{0, sulfonamide}, "CCS(N)(=O)=O"},
		{"a rest whose hydrogen is in brackets", "N[SH](=O)=O", true, [2]int{1, carboxy}, "NS(=O)(=O)C(=O)O"},
		{"an aromatic ring", "c1ccccc1", true, [2]int{0, morpholine}, "c1ccc(N2CCOCC2)cc1"},
		{"aromaticity is perceived again", "C1=CC=CC=C1", true, [2]int{0, hydroxy}, "Oc1ccccc1"},
		{"no free valence", "FC(F)(F)F", true, [2]int{1, hydroxy}, ""},
		{"fluorine has a neighbour", "CF", true, [2]int{1, hydroxy}, ""},
		{"a pyrrole's hydrogen stays", "c1cc[nH]c1", true, [2]int{3, hydroxy}, ""},
		{"an arm with a charge", "CC", true, [2]int{0, ammonium}, "CC[NH3+]"},
		{"a charge has no room", "C[NH3+]", true, [2]int{1, hydroxy}, ""},
		{"cut ethanol", "CCO", false, [2]int{1, 2}, "CC"},
		{"the other side is kept", "CCO", false, [2]int{1, 0}, "CO"},
		{"no bond would be left", "CCO", false, [2]int{2, 1}, ""},
		{"ethane has one bond", "CC", false, [2]int{0, 1}, ""},
		{"a ring bond", "C1CC1C", false, [2]int{0, 1}, ""},
		{"an aromatic bond", "c1ccccc1", false, [2]int{0, 1}, ""},
		{"a triple bond", "C#N", false, [2]int{0, 1}, ""},
		{"a double bond", "CC=O", false, [2]int{1, 2}, ""},
		{"aromatic nitrogen cannot lose its neighbour", "CCn1cccc1", false, [2]int{2, 1}, ""},
		{"nor can the other side be dropped", "CCn1cccc1", false, [2]int{1, 2}, ""},
		{"next to a charge no bond would be left", "CC[N+](C)(C)C", false, [2]int{0, 1}, ""},
		{"a charged neighbour is dropped", "CC[N+](C)(C)C", false, [2]int{1, 2}, "CC"},
		// The number of hydrogens in brackets is fixed, so a charged atom gets none.
		{"a charged neighbour is kept", "CC[N+](C)(C)C", false, [2]int{2, 1}, "C[N+](C)C"},
		{"a charged rest with hydrogens", "CC[NH2+]C", false, [2]int{2, 1}, "C[NH2+]"},
		{"a charged aromatic neighbour is kept", "CC[n+]1ccccc1", false, [2]int{2, 1}, "C1=CC=[N+]C=C1"},
		{"an acid loses its charge", "CCC(=O)[O-]", false, [2]int{2, 4}, "CCC=O"},
		{"biphenyl", "c1ccc(-c2ccccc2)cc1", false, [2]int{3, 4}, "c1ccccc1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, e, c.of)
			var got *Molecule
			var err error
			if c.add {
				got, err = e.Add(m, c.at[0], c.at[1])
			} else {
				edge := -1
				for i := range 2 * len(m.bonds) {
					if u, v := m.directed(i); u == c.at[0] && v == c.at[1] {
						edge = i
					}
				}
				if edge < 0 {
					t.Fatalf("%s has no bond %v", m.SMILES, c.at)
				}
				got, err = e.Delete(m, edge)
			}
			if c.want == "" {
				if !errors.Is(err, ErrInvalid) {
					t.Fatalf("%v, %v, expected an edit that is not valid", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := read(t, e, c.want).SMILES; got.SMILES != want {
				t.Errorf("%s, expected %s", got.SMILES, want)
			}
		})
	}
}

func TestSize(t *testing.T) {
	e := editor(t, "O", "OCCCCCCCC")
	m := read(t, e, strings.Repeat("C", 31))
	if got, err := e.Add(m, 0, 1); err != nil || got.heavy != 40 {
		t.Errorf("%v, %v, expected 40 atoms", got, err)
	} else if _, err := e.Add(got, 5, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("41 atoms: %v", err)
	} else if _, err := e.Delete(got, 20); err != nil {
		t.Errorf("a molecule of 40 atoms cannot be cut: %v", err)
	}
}

func TestRead(t *testing.T) {
	e := editor(t)
	for _, c := range [][2]string{
		{"C[C@H](N)C(=O)O", "CC(N)C(=O)O"},
		{"F/C=C/F", "FC=CF"},
		{"[Na+].CC(=O)[O-].O", "CC(=O)[O-]"},
		{"CC.CC.CCC.OOO", "CCC"},
		{"[CH3:1][CH2:2]O", "CCO"},
		{"[H]/N=C/C", "CC=N"},
		{"C", "C"},
	} {
		if got := read(t, e, c[0]); got.SMILES != c[1] {
			t.Errorf("%s is %s, expected %s", c[0], got.SMILES, c[1])
		}
	}
	for _, bad := range []string{"", "C(", "C(C)(C)(C)(C)C"} {
		var refused *chem.Error
		if _, err := e.Read(bad); !errors.As(err, &refused) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	v := &Vocabulary{Arms: []Arm{{SMILES: "O"}, {SMILES: "C("}, {SMILES: "N"}}}
	some, dropped, err := NewEditor(kit(t), v, MaxAtoms)
	if err != nil || len(dropped) != 1 || some.NumArms() != 2 || some.Arm(1).SMILES != "N" {
		t.Errorf("%v, %v", dropped, err)
	}
	if _, _, err := NewEditor(kit(t), &Vocabulary{Arms: v.Arms[1:2]}, MaxAtoms); err == nil {
		t.Error("an editor without arms")
	}
}
