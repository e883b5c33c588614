//go:build rdkit

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// alcohols are chains with a hydroxyl group, as rows of a table with the number of carbons of each.
func alcohols(n int, row func(smiles string, carbons int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(row(strings.Repeat("C", 1+i)+"O", 1+i) + "\n")
	}
	return b.String()
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// quickly are flags of a very short training.
func quickly(args ...string) []string {
	return append(args, "--epochs", "2", "--hidden", "8", "--layers", "2")
}

// Equal molecules are in one part, and a column of parts decides the split. Predictions for all
// training data name the parts.
func TestMoleculesInParts(t *testing.T) {
	twice := file(t, "twice.csv", "smiles,carbons\n"+alcohols(40, func(s string, n int) string {
		return fmt.Sprintf("%s,%d\nO%s,%d", s, n, strings.TrimSuffix(s, "O"), n)
	}))
	dir := filepath.Join(t.TempDir(), "run")
	r := run(t, quickly("train", twice, "--out", dir)...)
	if r.code != 0 || !strings.Contains(r.stderr, "80 rows of 40 molecules (equal canonical SMILES) are kept in one part") {
		t.Fatalf("exit code %d, %s", r.code, r.stderr)
	}
	in := map[string]string{}
	rows := table(t, succeed(t, "predict", dir, twice, "--quiet"))
	for i, row := range rows {
		if in[row["part"]] += "x"; i%2 == 1 && row["part"] != rows[i-1]["part"] {
			t.Errorf("rows %d and %d are in parts %s and %s", i, i+1, rows[i-1]["part"], row["part"])
		}
	}
	if len(rows) != 80 || len(in["train"]) != 64 || len(in["valid"]) != 8 || len(in["test"]) != 8 {
		t.Errorf("%d rows, parts %v", len(rows), in)
	}
	if tested := table(t, succeed(t, "predict", dir, twice, "--split", "test", "--quiet")); len(tested) != 8 {
		t.Errorf("%d test rows", len(tested))
	}

	parts := file(t, "parts.csv", "smiles,carbons,split\n"+alcohols(12, func(s string, n int) string {
		return fmt.Sprintf("%s,%d,%s", s, n, []string{"train", "train", "val", "test"}[n%4])
	}))
	given := filepath.Join(t.TempDir(), "run")
	succeed(t, quickly("train", parts, "--label", "carbons", "--part", "split", "--quiet", "--out", given)...)
	for i, row := range table(t, succeed(t, "predict", given, parts, "--split", "all", "--quiet")) {
		if want := []string{"train", "train", "valid", "test"}[(i+1)%4]; row["part"] != want {
			t.Errorf("row %s is in part %s, expected %s", row["row"], row["part"], want)
		}
	}
	if text := succeed(t, "data", "info", parts, "--part", "split"); !strings.Contains(text, "part           split: 6 train, 3 valid, 3 test") {
		t.Errorf("data info prints\n%s", text)
	}
}

// predict reads SMILES files, extended SMILES and SD files.
func TestMoleculesInOtherFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	succeed(t, quickly("train", file(t, "a.csv", "smiles,carbons\n"+alcohols(20, func(s string, n int) string { return fmt.Sprintf("%s,%d", s, n) })), "--quiet", "--out", dir)...)
	want := table(t, succeed(t, "predict", dir, file(t, "new.csv", "smiles\nCCO\n"), "--quiet"))[0]["prediction_carbons"]
	for name, text := range map[string]string{
		"new.smi": "CCO ethanol\n",
		"cx.smi":  "CCO |$;;foo$| ethanol\n",
		"cx.csv":  "smiles\n\"CCO |$;;foo$|\"\n",
		"new.sdf": "ethanol\n  x\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n    1.0000    0.0000    0.0000 C   0  0\n    2.0000    0.0000    0.0000 O   0  0\n  1  2  1  0\n  2  3  1  0\nM  END\n>  <carbons>\n2\n\n$$$$\n",
	} {
		r := run(t, "predict", dir, file(t, name, text))
		rows := table(t, r.stdout)
		if r.code != 0 || len(rows) != 1 || rows[0]["prediction_carbons"] != want || rows[0]["error"] != "" {
			t.Errorf("%s: exit code %d, %s%s, expected %s", name, r.code, r.stdout, r.stderr, want)
		}
		if strings.HasPrefix(name, "cx") != strings.Contains(r.stderr, "1 row has an extension (CXSMILES)") {
			t.Errorf("%s: %s", name, r.stderr)
		}
	}
}
