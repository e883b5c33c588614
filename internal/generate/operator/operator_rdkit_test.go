//go:build rdkit

package operator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/chem/rdkit"
)

// drugs are parents with rings, charges, halogens, a nitro group and sulfur.
var drugs = []string{
	"CCN(Cc1ccc(OC)c(OC)c1)C(=O)c1ccsc1", "Cc1ccc(CNc2ncnc(N3CC4(C)CC3CC(C)(C)C4)c2N)cc1", "CN1CC([NH2+]C(c2cccs2)C2CC2)CC1=O",
	"CC(=O)CCc1ccc(OCC(=O)Nc2ccn(C)n2)cc1", "Cc1ccc(-c2cc(C(F)(F)F)nn2-c2ccc(S(N)(=O)=O)cc2)cc1", "O=C([O-])c1ccc([N+](=O)[O-])cc1Cl",
	"CC1CCC(C(C)C)C(O)C1", "C#CCN1CCC(=C2c3ccccc3CCc3ccccc32)CC1", "C1CC2CCC1CC2", "CCCCCCC",
}

func maker(t testing.TB) *Maker {
	t.Helper()
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	return &Maker{Toolkit: tk}
}

func parents(t testing.TB, k *Maker, smiles []string) (out []*Molecule) {
	t.Helper()
	for _, s := range smiles {
		m, err := k.Read(s)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		out = append(out, m)
	}
	return out
}

func TestRead(t *testing.T) {
	k := maker(t)
	for smiles, want := range map[string]string{
		"C[NH+](C)CC[NH3+].[Cl-]":     "CN(C)CCN",
		"O=C([O-])c1ccc[nH+]c1":       "O=C(O)c1cccnc1",
		"C[N+](C)(C)C":                "C[N+](C)(C)C",
		"C[C@H](N)/C=C/[13CH3]":       "CC=CC(C)N",
		"[O-][N+](=O)c1ccccc1":        "O=[N+]([O-])c1ccccc1",
		"CC[S-]":                      "CCS",
		"C1=CC=CC=C1[CH3:7]":          "Cc1ccccc1",
		"[Na+].[O-]c1ccc(F)cc1.CCCCC": "Oc1ccc(F)cc1",
	} {
		m, err := k.Read(smiles)
		if err != nil || m.SMILES != want {
			t.Errorf("%s: %v, %v, expected %s", smiles, m, err, want)
		}
	}
	for _, smiles := range []string{"C(", "[CH2]C"} {
		if m, err := k.Read(smiles); err == nil {
			t.Errorf("%s gives %s", smiles, m.SMILES)
		}
	}
}

// Every child differs from its parents and is one part, without radicals and charges without a
// counterpart, of a good size, and with rings of at most six atoms if an operator changes rings.
func TestChildren(t *testing.T) {
	k := maker(t)
	of := parents(t, k, drugs)
	r := rand.New(rand.NewPCG(1, 2))
	pick := func() *Molecule { return of[r.IntN(len(of))] }
	for name, operate := range map[string]func() (*Child, []*Molecule, error){
		"mutate": func() (*Child, []*Molecule, error) {
			m := pick()
			c, err := k.end(k.mutate(r, m))
			return c, []*Molecule{m}, err
		},
		"cross": func() (*Child, []*Molecule, error) {
			a, b := pick(), pick()
			c, err := k.end(k.cross(r, a, b))
			return c, []*Molecule{a, b}, err
		},
	} {
		distinct, none := map[string]bool{}, 0
		for range 400 {
			c, from, err := operate()
			if err != nil {
				t.Fatal(err)
			}
			if c == nil {
				none++
				continue
			}
			distinct[c.SMILES] = true
			if slices.ContainsFunc(from, func(m *Molecule) bool { return m.SMILES == c.SMILES }) {
				t.Errorf("%s: the child equals its parent %s", name, c.SMILES)
			}
			m, err := k.Known(c.SMILES)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, c.SMILES, err)
			}
			checkChild(t, k.Toolkit, name, m)
		}
		if len(distinct) < 200 || none > 100 {
			t.Errorf("%s: %d distinct children, %d tries without one, of 400", name, len(distinct), none)
		}
	}
}

func checkChild(t *testing.T, tk chem.Toolkit, name string, m *Molecule) {
	t.Helper()
	if n := len(m.atoms); n < MinAtoms || n > 60 || strings.Contains(m.SMILES, ".") {
		t.Errorf("%s: %s has %d atoms", name, m.SMILES, n)
	}
	var e edit
	e.add(m, nil)
	if left := e.neutralise(); left > 0 {
		t.Errorf("%s: %s has %d charges without an opposite one", name, m.SMILES, left)
	}
	c, err := tk.Parse(m.SMILES)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if r, err := c.Rings(); err != nil || name == "mutate" && r.Largest > maxRing {
		t.Errorf("%s: rings of %s: %+v, %v", name, m.SMILES, r, err)
	}
	for i, a := range m.atoms {
		if v, ok := maxBonds(a.number, a.charge); ok && int(a.hydrogens) > v {
			t.Errorf("%s: atom %d of %s has %d hydrogens", name, i+1, m.SMILES, a.hydrogens)
		}
	}
}

// A child depends only on its parents and the generator.
func TestChildrenRepeat(t *testing.T) {
	k := maker(t)
	of := parents(t, k, drugs)
	breed := func() (out []string) {
		for i := range uint64(60) {
			r := rand.New(rand.NewPCG(7, i))
			c, err := k.Breed(r, func() *Molecule { return of[r.IntN(len(of))] }, 0.2)
			if err != nil {
				t.Fatal(err)
			}
			if c != nil {
				out = append(out, c.SMILES)
			}
		}
		return out
	}
	if a, b := breed(), breed(); !slices.Equal(a, b) || len(a) < 30 {
		t.Errorf("%d children, then %d", len(a), len(b))
	}
}

// Every child satisfies the patterns.
func TestKeepAndReject(t *testing.T) {
	k := maker(t)
	var err error
	if k.Keep, err = k.Toolkit.Patterns("c1ccsc1"); err != nil {
		t.Fatal(err)
	}
	if k.Reject, err = k.Toolkit.Patterns("[F,Cl,Br]", "C#C"); err != nil {
		t.Fatal(err)
	}
	of := parents(t, k, []string{drugs[0], drugs[2]})
	for smiles, want := range map[string]error{drugs[1]: errCore, "CC(F)c1ccsc1": errRejected} {
		if _, err := k.Read(smiles); err != want {
			t.Errorf("%s: %v, expected %v", smiles, err, want)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	made := 0
	for range 200 {
		c, err := k.Breed(r, func() *Molecule { return of[r.IntN(len(of))] }, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			continue
		}
		made++
		m, err := k.Toolkit.Parse(c.SMILES)
		if err != nil {
			t.Fatal(err)
		}
		kept, _ := k.Keep.First(m)
		rejected, _ := k.Reject.First(m)
		m.Close()
		if kept < 0 || rejected >= 0 {
			t.Errorf("%s: kept %d, rejected %d", c.SMILES, kept, rejected)
		}
	}
	if made < 50 {
		t.Errorf("%d children of 200 tries", made)
	}
}

// The list of unstable groups parses and matches the groups that it names. A catalogue of patterns
// is searched for when a molecule is read.
func TestUnstable(t *testing.T) {
	k := maker(t)
	unstable, err := k.Toolkit.Patterns(Unstable()...)
	if err != nil {
		t.Fatal(err)
	}
	for smiles, want := range map[string]bool{
		"CNF": true, "CSCl": true, "COOC": true, "CNNNC": true, "CONOC": true, "CC=C=CC": true, "OC(=O)N1CCCC1": true, "CN(C)O": false,
		"CS(=O)(=O)N": false, "O=[N+]([O-])c1ccccc1": false, "c1cnn[nH]1": false, "CN=[N+]=[N-]": false, "CC(F)(F)F": false, "COC(=O)N": false, "Clc1ccccc1": false, "c1conc1": false,
	} {
		m, err := k.Toolkit.Parse(smiles)
		if err != nil {
			t.Fatal(err)
		}
		first, err := unstable.First(m)
		m.Close()
		if err != nil || first >= 0 != want {
			t.Errorf("%s: pattern %d, %v", smiles, first, err)
		}
	}
	brenk, err := k.Toolkit.Catalogue("brenk")
	if err != nil {
		t.Fatal(err)
	}
	k.Screens = []chem.Patterns{brenk}
	if _, err := k.Read("CCCCCC(=O)Cl"); err != errScreened {
		t.Errorf("an acyl chloride: %v", err)
	}
}

func BenchmarkBreed(b *testing.B) {
	k := maker(b)
	of := parents(b, k, drugs)
	r := rand.New(rand.NewPCG(1, 1))
	for name, mutation := range map[string]float64{"cross": 0, "mutate": 1} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := k.Breed(r, func() *Molecule { return of[r.IntN(len(of))] }, mutation); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
