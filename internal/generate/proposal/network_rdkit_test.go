//go:build rdkit

package proposal

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// chains are molecules with bonds between carbons, near to a fluorine atom and far from it.
var chains = []string{"FCCCCCCC", "FCC(C)CCCCC", "CCCCCCCC", "FCCCC(C)CCC", "CC(C)CCCCCC", "CCCC(F)CCCCC"}

func parse(t *testing.T) (out []*operator.Molecule) {
	t.Helper()
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	k := operator.Maker{Toolkit: tk}
	for _, s := range chains {
		m, err := k.Known(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// near returns the gain of an end in the test's task: 1 if a neighbouring bond has a fluorine atom.
// The atoms of the bond itself do not tell that.
func near(m *operator.Molecule, end int) float64 {
	s := m.Structure()
	b := s.Bonds[end/2]
	for _, o := range s.Bonds {
		fluorine := s.Atoms[o.Begin].Number == 9 || s.Atoms[o.End].Number == 9
		touches := o.Begin == b.Begin || o.Begin == b.End || o.End == b.Begin || o.End == b.End
		if o != b && fluorine && touches {
			return 1
		}
	}
	return 0
}

func allExamples(of []*operator.Molecule) (out []Example) {
	for _, m := range of {
		for end := range m.Ends() {
			out = append(out, Example{m, end, near(m, end)})
		}
	}
	return out
}

func fitted(t *testing.T, kind string, threads int) (wrong float64, gains [][]float64) {
	t.Helper()
	of := parse(t)
	examples := allExamples(of)
	n, err := New(kind, 1, threads)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Fit(t.Context(), examples, rng.Stream(1, "fit")); err != nil {
		t.Fatal(err)
	}
	if gains, err = n.Predict(t.Context(), of); err != nil {
		t.Fatal(err)
	}
	mean, deviation := Standard(gainsOf(examples))
	at := 0
	for _, row := range gains {
		for _, g := range row {
			d := g - (examples[at].Gain-mean)/deviation
			wrong += d * d / float64(len(examples))
			at++
		}
	}
	return wrong, gains
}

// Both networks have the same number of parameters. The network with convolutions reads
// neighbouring bonds, the other does not. The number of threads changes nothing.
func TestNetwork(t *testing.T) {
	count := map[string]int{}
	for _, kind := range []string{MLP, EHGNN} {
		n, err := New(kind, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range n.Params() {
			count[kind] += len(p.Value.Data())
		}
	}
	if count[MLP] != count[EHGNN] || count[MLP] == 0 {
		t.Errorf("%v parameters, expected as many of both", count)
	}
	mlp, _ := fitted(t, MLP, 1)
	ehgnn, one := fitted(t, EHGNN, 1)
	if ehgnn > 0.1 || mlp < 3*ehgnn {
		t.Errorf("squared error of %s %.3f, of %s %.3f", EHGNN, ehgnn, MLP, mlp)
	}
	if _, three := fitted(t, EHGNN, 3); !reflect.DeepEqual(one, three) {
		t.Error("three threads predict other numbers than one")
	}
	if _, err := New("gcn", 1, 1); err == nil || !strings.Contains(err.Error(), `"gcn", expected mlp or ehgnn`) {
		t.Errorf("%v", err)
	}
	if mean, deviation := Standard([]float64{1, 3}); mean != 2 || math.Abs(deviation-1) > 1e-6 {
		t.Errorf("mean %v, deviation %v", mean, deviation)
	}
}
