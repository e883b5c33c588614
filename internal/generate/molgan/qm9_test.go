package molgan

import (
	"bufio"
	"compress/gzip"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/realdata"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
)

// qm9 returns the SMILES of every every-th molecule of QM9, in the chemistry build.
func qm9(t testing.TB, every int) (chem.Toolkit, []string) {
	t.Helper()
	tk, err := rdkit.Toolkit()
	if errors.Is(err, chem.ErrNoToolkit) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(realdata.Path(t, "molecules", "qm9.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	lines := bufio.NewScanner(text)
	for n := 0; lines.Scan(); n++ {
		if n > 0 && n%every == 0 {
			out = append(out, lines.Text())
		}
	}
	return tk, out
}

// Molecules without charges are equal after encoding and decoding, apart from stereo.
func TestQM9ComesBack(t *testing.T) {
	tk, list := qm9(t, 45)
	list = slices.DeleteFunc(list, func(s string) bool { return strings.ContainsAny(s, "+-.@/\\") })
	if len(list) < 2000 {
		t.Fatalf("%d molecules", len(list))
	}
	d, err := Read(t.Context(), tk, 0, QM9, list, false)
	if err != nil {
		t.Fatal(err)
	}
	if d.Left.Unparsable != 0 || d.Left.Outside > 3 {
		t.Errorf("left out %+v", d.Left)
	}
	at := 0
	for _, s := range list {
		m, err := tk.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.SMILES()
		if err != nil {
			t.Fatal(err)
		}
		if m.NumBonds() == 0 {
			continue
		}
		if d.SMILES[at] != want {
			t.Errorf("%s comes back as %q", want, d.SMILES[at])
		}
		at++
		m.Close()
	}
}

// Charged molecules, molecules with a lone atom and SMILES that do not parse are counted.
func TestReadLeaves(t *testing.T) {
	tk, _ := qm9(t, 1<<20)
	d, err := Read(t.Context(), tk, 1, QM9, []string{"CCO", "C", "C(", "CCS", "C[NH3+]", "CC.C", "CCCCCCCCCC", "c1cc[nH]c1"}, true)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Left{Unparsable: 1, Outside: 4, Charged: 1}); d.Left != want || !slices.Equal(d.SMILES, []string{"CCO", "c1cc[nH]c1"}) {
		t.Errorf("%+v %q, want %+v", d.Left, d.SMILES, want)
	}
	if _, err := Read(t.Context(), tk, 1, QM9, []string{"C"}, false); err == nil || !strings.Contains(err.Error(), "none of 1") {
		t.Errorf("error %v", err)
	}
}

// shuffled returns the molecules with several types of bonds, with their types shuffled.
func shuffled(r *rand.Rand, ms []Molecule) []Molecule {
	out := make([]Molecule, len(ms))
	for k, m := range ms {
		out[k] = Molecule{Atoms: m.Atoms, Bonds: slices.Clone(m.Bonds)}
		var at []int
		for p, b := range m.Bonds {
			if b != 0 {
				at = append(at, p)
			}
		}
		for slices.Equal(out[k].Bonds, m.Bonds) {
			r.Shuffle(len(at), func(i, j int) {
				b := out[k].Bonds
				b[at[i]], b[at[j]] = b[at[j]], b[at[i]]
			})
		}
	}
	return out
}

// A discriminator learns to tell molecules from the same molecules with shuffled types of bonds.
// Shared R-GCN cannot. Typed R-GCN can, and shared R-GCN with EHGNN can. Molecules with one type of
// bond are left out, because they are equal in both classes.
func TestTypesOfBondsAreSeenByEHGNN(t *testing.T) {
	tk, list := qm9(t, 33)
	d, err := Read(t.Context(), tk, 0, QM9, list, false)
	if err != nil {
		t.Fatal(err)
	}
	d.Molecules = slices.DeleteFunc(d.Molecules, func(m Molecule) bool {
		types := slices.DeleteFunc(slices.Clone(m.Bonds), func(b uint8) bool { return b == 0 })
		return slices.Min(types) == slices.Max(types)
	})
	const batch, held = 16, 500
	for _, of := range []struct {
		form        string
		edges       bool
		least, most float64
	}{{Shared, false, 0.5, 0.5}, {Shared, true, 0.75, 1}, {Typed, false, 0.75, 1}} {
		c := Default()
		c.RGCN, c.EHGNN = of.form, of.edges
		k := newCritic(nn.NewInit(1), QM9, c)
		side, err := newSide(group{k.Params(), c.LR}, group{k.EdgeParams(), c.EdgeLR})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 1))
		ls, arena := newLayouts(QM9), tensor.NewArena(1)
		target := tensor.New(2*batch, 1)
		for i := range batch {
			target.Data()[i] = 1
		}
		train := d.Molecules[held:]
		for range 500 {
			tape := arena.Tape()
			var real []Molecule
			for range batch {
				real = append(real, train[r.IntN(len(train))])
			}
			y := k.forward(&nn.Pass{Tape: tape, Train: true}, ls.join(tape, ls.oneHot(real), ls.oneHot(shuffled(r, real))))
			side.step(tape, loss.BCEWithLogits(y, target), 1)
			tape.Close()
		}
		var scores, labels []float32
		for i, ms := range [][]Molecule{d.Molecules[:held], shuffled(r, d.Molecules[:held])} {
			scores = append(scores, score(k, ls.oneHot(ms))...)
			labels = append(labels, slices.Repeat([]float32{float32(1 - i)}, held)...)
		}
		auc, err := metric.ROCAUC(scores, labels)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, EHGNN %v: AUC %.3f of %d training molecules", of.form, of.edges, auc, len(train))
		if auc < of.least || auc > of.most {
			t.Errorf("%s, EHGNN %v: AUC %v, want %v to %v", of.form, of.edges, auc, of.least, of.most)
		}
	}
}
