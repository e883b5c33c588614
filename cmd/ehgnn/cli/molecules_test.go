package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A build without chemistry refuses tables of molecules with a line that names the build that reads
// them.
func TestMoleculesWithoutChemistry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "molecules.csv")
	if err := os.WriteFile(path, []byte("smiles,toxic\nCCO,1\nCC,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"train", path}, {"data", "info", path}, {"train", path, "--smiles", "toxic"},
		{"generate", path}, {"reproduce", "molgan", "--dataset", path}} {
		r := program(t, args...)
		if r.code != 2 || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "make build-chem") {
			t.Errorf("%q: exit code %d, %q", args, r.code, r.stderr)
		}
	}
}

// Files that are not tables of SMILES are refused by format name, also without chemistry.
func TestMoleculesInOtherForms(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"rxn.csv":    {"rxn_smiles,y\nCO>>CC,1\n", "holds reactions, which are not read; --smiles COLUMN names a column of molecules"},
		"inchi.csv":  {"id,inchi,y\na,InChI=1S/CH4/h1H4,1\n", `[Chem.MolToSmiles(Chem.MolFromInchi(x)) for x in df["inchi"]]`},
		"a.mol2":     {"@<TRIPOS>MOLECULE\n", "a.mol2 is a Tripos MOL2 file, which is not read"},
		"names.rxn":  {"$RXN\n", "names.rxn is a file of a reaction, which is not read"},
		"selfie.tsv": {"selfies\ty\n[C][C]\t1\n", `[selfies.decoder(x) for x in df["selfies"]]`},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"train", path}, {"data", "info", path}} {
			r := program(t, args...)
			if r.code != 2 || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, test.want) {
				t.Errorf("%q: exit code %d, %q", args, r.code, r.stderr)
			}
		}
	}
}
