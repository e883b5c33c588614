//go:build rdkit

package score_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/golden"
)

// pinned returns the molecules of chem/testdata with their scores.
func pinned(t *testing.T) (smiles []string, qed, sa []float64) {
	t.Helper()
	var texts struct{ Molecules []struct{ SMILES string } }
	golden.Document(t, "chem/testdata/molecules.json.gz", &texts)
	var properties struct {
		Properties []struct {
			ID  int
			QED float64
			SA  float64 `json:"mars_sa"`
		}
	}
	golden.Document(t, "chem/testdata/properties.json.gz", &properties)
	for _, p := range properties.Properties {
		smiles, qed, sa = append(smiles, texts.Molecules[p.ID].SMILES), append(qed, p.QED), append(sa, p.SA)
	}
	return smiles, qed, sa
}

func TestQEDAndSA(t *testing.T) {
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	smiles, qed, sa := pinned(t)
	if len(smiles) < 300 {
		t.Fatalf("%d molecules", len(smiles))
	}
	set, err := score.NewSet(tk, 2, score.Term{Name: "qed", Property: score.QED, Weight: 1}, score.Term{Name: "sa", Property: score.SA, Weight: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := set.Score(t.Context(), smiles)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if math.Abs(v[0]-qed[i]) > 1e-9 || math.Abs(v[1]-sa[i]) > 1e-9 {
			t.Errorf("%s: %v, expected QED %v and SA %v", smiles[i], v, qed[i], sa[i])
		}
	}
}

// An oracle learns what makes a molecule active, here a chlorine atom. It is unchanged after
// reading it from its file, and is trained again for another list.
func TestOracle(t *testing.T) {
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	smiles, _, _ := pinned(t)
	var table strings.Builder
	table.WriteString("smiles,active\n")
	for i, m := range smiles {
		if strings.ContainsAny(m, ", \"") {
			continue
		}
		fmt.Fprintf(&table, "%s,%d\n", m, b2i(strings.Contains(m, "Cl")))
		if i == 0 {
			table.WriteString("this is none,0\n")
		}
	}
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(list, []byte(table.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	actives, err := score.ReadActives(list, "active")
	if err != nil {
		t.Fatal(err)
	}
	c := score.NewOracleConfig("chlorine")
	c.Trees = 20
	open := func() *score.Oracle {
		o, err := score.OpenOracle(t.Context(), tk, 2, dir, actives, c)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := open()
	if o.ROCAUC < 0.8 || o.Molecules != len(actives.SMILES)-1 {
		t.Errorf("%+v", o.OracleInfo)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.forest"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	before, _ := os.Stat(files[0])
	again := open()
	if after, _ := os.Stat(files[0]); after.ModTime() != before.ModTime() || again.OracleInfo != o.OracleInfo {
		t.Error("the oracle was trained again")
	}
	for _, text := range []string{"CCCl", "CCO", "Clc1ccccc1"} {
		m, err := tk.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		got, err := again.Property(&score.Molecule{Molecule: m})
		want, _ := o.Property(&score.Molecule{Molecule: m})
		if err != nil || got != want || (got > 0.5) != strings.Contains(text, "Cl") {
			t.Errorf("%s scores %v, %v, and %v before it was kept", text, got, err, want)
		}
	}
	text, _ := os.ReadFile(files[0])
	for _, at := range []int{0, 20, len(text) / 2, len(text) - 1} {
		bad := append([]byte{}, text...)
		bad[at] ^= 1
		os.WriteFile(files[0], bad, 0o666)
		if _, err := score.ReadOracle(files[0]); err == nil {
			t.Errorf("read the file with byte %d changed", at)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestReadActives(t *testing.T) {
	for _, c := range []struct{ content, wrong string }{
		{"smiles,active\nC,1\nCC,2\n", `row 2 has "2" in column "active", expected 0 or 1`},
		{"smiles,active\nC,1\nCC,0\n", "1 active and 1 inactive molecules"},
		{"smiles\nC\n", `no column "active"`},
	} {
		path := filepath.Join(t.TempDir(), "a.csv")
		os.WriteFile(path, []byte(c.content), 0o666)
		if _, err := score.ReadActives(path, "active"); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%v, expected %s", err, c.wrong)
		}
	}
}
