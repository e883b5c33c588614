package molgan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// small is a space with networks small enough for numerical derivatives.
var small = Space{Size: 5, Elements: []uint8{6, 7, 8}}

// variants are the four variants of the paper.
var variants = map[string]Config{"plain": {}, "gmpool": {GMPool: true}, "ehgnn": {EHGNN: true}, "both": {GMPool: true, EHGNN: true}}

// forms calls f with the settings of critics: every variant with both forms of R-GCN.
func forms(f func(name string, c Config)) {
	for name, c := range variants {
		for _, c.RGCN = range []string{Typed, Shared} {
			f(c.RGCN+" "+name, c)
		}
	}
}

// randomMolecules returns random codes. Most pairs have no bond.
func randomMolecules(s Space, r *rand.Rand, n int) []Molecule {
	out := make([]Molecule, n)
	for k := range out {
		out[k] = Molecule{Atoms: make([]uint8, s.Size), Bonds: make([]uint8, s.Pairs())}
		for i := range out[k].Atoms {
			out[k].Atoms[i] = uint8(r.IntN(s.atomCodes()))
		}
		for i := range out[k].Bonds {
			out[k].Bonds[i] = uint8(max(0, r.IntN(bondCodes+6)-6))
		}
	}
	return out
}

// soften moves one-hot rows into the interior of the simplex.
func soften(g graphs, r *rand.Rand) graphs {
	for _, t := range []*tensor.Tensor{g.bonds, g.atoms} {
		k := t.Dim(1)
		for lo := 0; lo < t.Size(); lo += k {
			sum := float32(0)
			for i := lo; i < lo+k; i++ {
				t.Data()[i] = 0.3*t.Data()[i] + r.Float32()
				sum += t.Data()[i]
			}
			for i := lo; i < lo+k; i++ {
				t.Data()[i] /= sum
			}
		}
	}
	return g
}

// score runs a critic on graphs.
func score(k *critic, g graphs) []float32 {
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	return k.forward(&nn.Pass{Tape: tape}, g).Clone().Data()
}

// toy is a toolkit for graphs of carbon, nitrogen and oxygen. It checks valences, and its SMILES
// list atoms and bonds. QED decreases with triple bonds, SA with the number of bonds.
type toy struct{ chem.Toolkit }

var toyValence = map[uint8]float64{0: 99, 6: 4, 7: 3, 8: 2, 9: 1}

func (toy) Build(s *chem.Structure) (chem.Molecule, error) {
	used := make([]float64, len(s.Atoms))
	m := &toyMolecule{structure: s}
	for _, b := range s.Bonds {
		order := float64(b.Type)
		if b.Type == chem.Aromatic {
			order = 1.5
		}
		if b.Type == chem.Triple {
			m.triple++
		}
		used[b.Begin] += order
		used[b.End] += order
	}
	for i, a := range s.Atoms {
		if used[i] > toyValence[a.Number] {
			return nil, &chem.Error{Class: chem.Valence, Text: fmt.Sprintf("atom %d", i)}
		}
	}
	return m, nil
}

func (toy) Parse(string) (chem.Molecule, error) { return &toyMolecule{}, nil }

type toyMolecule struct {
	chem.Molecule
	structure *chem.Structure
	triple    int
}

func (m *toyMolecule) SMILES() (string, error) {
	text := ""
	for _, a := range m.structure.Atoms {
		text += fmt.Sprint(a.Number, " ")
	}
	for _, b := range m.structure.Bonds {
		text += fmt.Sprint(b.Begin, b.End, b.Type, " ")
	}
	return text, nil
}

func (m *toyMolecule) QED() (chem.QEDProperties, error) {
	return chem.QEDProperties{MW: 100 + 20*float64(len(m.structure.Atoms)), LogP: 2, Aromatic: 1, Alerts: float64(m.triple)}, nil
}

func (m *toyMolecule) SA() (chem.SATerms, error) {
	return chem.SATerms{Atoms: len(m.structure.Atoms), Centres: len(m.structure.Bonds), Fragments: []chem.Count{{ID: 1, N: 1}}}, nil
}

func (m *toyMolecule) MorganBits(_, bits int) ([]int32, error) {
	var out []int32
	for i, b := range m.structure.Bonds {
		out = append(out, int32((37*i+int(b.Type)*101)%bits))
	}
	return out, nil
}

func (*toyMolecule) Close() {}

// chains returns molecules of the toy toolkit: chains of single and double bonds.
func chains(s Space, r *rand.Rand, n int) *Data {
	d := &Data{Space: s}
	j := &Judge{Toolkit: toy{}, Space: s, Threads: 1}
	for len(d.Molecules) < n {
		m := Molecule{Atoms: make([]uint8, s.Size), Bonds: make([]uint8, s.Pairs())}
		length := 3 + r.IntN(s.Size-2)
		for i := range length {
			m.Atoms[i] = uint8(1 + r.IntN(len(s.Elements)))
			if i > 0 {
				m.Bonds[s.pair(i-1, i)] = uint8(1 + r.IntN(2))
			}
		}
		j.with(m, func(_ chem.Molecule, smiles string) {
			d.Molecules, d.SMILES = append(d.Molecules, m), append(d.SMILES, smiles)
		})
	}
	return d
}

func all32(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

func newRand(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(len(t.Name())))) }
