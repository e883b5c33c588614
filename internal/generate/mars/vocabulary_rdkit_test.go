//go:build rdkit

package mars

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

// list returns the first n molecules of a list in the data folder.
func list(t *testing.T, name string, n int) []string {
	t.Helper()
	texts, _, err := smiles.Texts(realdata.Path(t, "molecules", name+".csv.gz"), "")
	if err != nil {
		t.Fatal(err)
	}
	return texts[:n]
}

// The arms of 2,000 molecules, in their order, equal those of an independent script.
func TestVocabularyGolden(t *testing.T) {
	var want struct {
		Distinct, Total int
		Arms            [][2]any
	}
	golden.Document(t, "internal/generate/mars/testdata/vocabulary.json.gz", &want)
	v, err := Extract(t.Context(), kit(t), list(t, "chembl", 2000), ExtractConfig{Size: 1000, KeepStereo: true})
	if err != nil {
		t.Fatal(err)
	}
	if v.Distinct != want.Distinct || v.Kept != want.Total || len(v.Arms) != len(want.Arms) {
		t.Fatalf("%d arms of %d distinct ones in %d, expected %d of %d in %d", len(v.Arms), v.Distinct, v.Kept, len(want.Arms), want.Distinct, want.Total)
	}
	for i, a := range v.Arms {
		if float64(a.Count) != want.Arms[i][0] || a.SMILES != want.Arms[i][1] {
			t.Fatalf("arm %d is %d times %s, expected %v", i, a.Count, a.SMILES, want.Arms[i])
		}
	}
}

func TestVocabularyOfZINC(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 1500
	}
	begin := time.Now()
	v, err := Extract(t.Context(), kit(t), list(t, "zinc", n), ExtractConfig{Size: 1000})
	if err != nil {
		t.Fatal(err)
	}
	atoms, bonds := v.MeanSize()
	t.Logf("%d molecules, %d cuts, %d distinct, %.2f atoms, %.2f bonds, in %.1f s", n, v.Cuts, v.Distinct, atoms, bonds, time.Since(begin).Seconds())
	if atoms < 7 || atoms > 8 {
		t.Errorf("%.2f atoms on the mean, expected 7 to 8", atoms)
	}
	for i, want := range []string{"F", "OC", "Cl"} {
		if v.Arms[i].SMILES != want {
			t.Errorf("arm %d is %s, expected %s", i, v.Arms[i].SMILES, want)
		}
	}
	for i, a := range v.Arms {
		m, err := kit(t).Parse(a.SMILES)
		if err != nil {
			t.Errorf("%s: %v", a.SMILES, err)
			continue
		}
		s, _ := m.Structure()
		m.Close()
		telling := slices.ContainsFunc(s.Atoms, func(a chem.Atom) bool { return a.Number != 6 }) ||
			slices.ContainsFunc(s.Bonds, func(b chem.Bond) bool { return b.Type == chem.Double || b.Type == chem.Triple })
		if strings.HasPrefix(a.SMILES, "CC") || strings.ContainsAny(a.SMILES, "@/\\") || a.Atoms > 10 || a.Atoms != heavyAtoms(s) || a.Bonds != len(s.Bonds) || !telling {
			t.Errorf("arm %d: %+v", i, a)
		}
		if i > 0 && a.Count > v.Arms[i-1].Count {
			t.Errorf("arm %d is more frequent than the one before", i)
		}
	}
}

func TestVocabularyFile(t *testing.T) {
	v, err := Extract(t.Context(), kit(t), []string{"CCO", "COc1ccccc1Cl", "no molecule"}, ExtractConfig{Size: 2})
	if err != nil {
		t.Fatal(err)
	}
	if v.Molecules != 2 || len(v.Arms) != 2 || v.Distinct <= 2 {
		t.Errorf("%+v", v)
	}
	var b bytes.Buffer
	if err := v.Write(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if a := v.Arms[0]; len(lines) != 4 || lines[0] != "count,smiles,atoms,bonds" || lines[1] != fmt.Sprintf("%d,%s,%d,%d", a.Count, a.SMILES, a.Atoms, a.Bonds) {
		t.Errorf("%q, expected the arms %+v", lines, v.Arms)
	}
	dir := t.TempDir()
	for i := range 2 {
		kept, err := OpenVocabulary(t.Context(), kit(t), dir, []string{"CCO", "COc1ccccc1Cl", "no molecule"}, ExtractConfig{Size: 2})
		if err != nil || !reflect.DeepEqual(kept, v) {
			t.Errorf("opened, time %d: %+v, %v, expected %+v", i, kept, err, v)
		}
	}
	if other, err := OpenVocabulary(t.Context(), kit(t), dir, []string{"CCO", "COc1ccccc1Cl"}, ExtractConfig{Size: 3}); err != nil || len(other.Arms) != 3 {
		t.Errorf("a larger one has %+v, %v", other, err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "fragments-*"))
	if len(files) != 2 {
		t.Fatalf("files %q", files)
	}
	for _, bad := range []string{"", "{}", `{"Arms": 3}`} {
		for _, f := range files {
			os.WriteFile(f, []byte(bad), 0o666)
		}
		if _, err := OpenVocabulary(t.Context(), kit(t), dir, []string{"CCO", "COc1ccccc1Cl"}, ExtractConfig{Size: 3}); err == nil || !strings.Contains(err.Error(), files[0]) && !strings.Contains(err.Error(), files[1]) {
			t.Errorf("%q is kept: %v", bad, err)
		}
	}
	if _, err := Extract(t.Context(), kit(t), []string{"CCCC"}, ExtractConfig{Size: 5}); err == nil {
		t.Error("a list without an arm is accepted")
	}
}
