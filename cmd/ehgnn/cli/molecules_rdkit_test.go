//go:build rdkit

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// ringBonds is a table of molecules with a label for each bond: whether it is in a ring. RDKit lists the
// bond that closes a ring last.
func ringBonds(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("smiles,ring\n")
	for i := range 60 {
		chain, ring := 1+i%4, 3+i%5
		bonds := strings.Repeat("0,", chain) + strings.Repeat("1,", ring)
		fmt.Fprintf(&b, "%sC1%sC1,\"[%s]\"\n", strings.Repeat("C", chain), strings.Repeat("O", ring-2), strings.TrimSuffix(bonds, ","))
	}
	path := filepath.Join(t.TempDir(), "rings.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The program learns which bonds are in rings, and gives the same predictions for tables and for
// SMILES on standard input. A molecule with one ring has as many bonds as atoms, so the task must
// be given.
func TestBondsOfMolecules(t *testing.T) {
	path, dir := ringBonds(t), filepath.Join(t.TempDir(), "run")
	text := succeed(t, "train", path, "--task", "edge-classification", "--out", dir, "--epochs", "30", "--hidden", "16", "--layers", "3", "--seed", "1", "--quiet")
	if !strings.Contains(text, "ehgnn-roles on rings") || !regexp.MustCompile(`\n  accuracy +1\.000 +1\.000\n`).MatchString(text) {
		t.Errorf("train prints\n%s", text)
	}
	fresh := filepath.Join(t.TempDir(), "new.csv")
	if err := os.WriteFile(fresh, []byte("smiles\nCCC1OOC1\nC(\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	rows := table(t, succeed(t, "predict", dir, fresh))
	var out, errs bytes.Buffer
	code := cli.Main(t.Context(), cli.State{Args: []string{"predict", dir, "-"}, Stdin: strings.NewReader("CCC1OOC1\n\nC(\n[Na+]\n"), Stdout: &out, Stderr: &errs})
	type predicted struct {
		Document     int
		Graph, Error string
		Edges        []struct{ Class string }
	}
	var lines []predicted
	for dec := json.NewDecoder(&out); dec.More(); {
		var line predicted
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if code != 0 || len(lines) != 3 || lines[0].Graph != "CCC1OOC1" || lines[1].Document != 3 || !strings.Contains(lines[1].Error, "syntax") || len(lines[2].Edges) != 0 {
		t.Fatalf("exit code %d, %+v, %s", code, lines, &errs)
	}
	for i, e := range lines[0].Edges {
		if want := rows[i]["prediction"]; e.Class != want || want != map[bool]string{true: "1", false: "0"}[i >= 2] {
			t.Errorf("bond %d is of class %s, in a table %s", i, e.Class, want)
		}
	}
	if len(rows) != 6 || len(lines[0].Edges) != 6 {
		t.Errorf("%d rows and %d edges, expected 6", len(rows), len(lines[0].Edges))
	}
}

// A table of molecules keeps its columns, and the most probable rows come first.
func TestTopOfMolecules(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,smiles,active,vendor\n")
	for n := range 30 {
		chain := strings.Repeat("C", n+1)
		fmt.Fprintf(&b, "A%d,%sO,1,=cmd\nB%d,%sN,0,\n", n, chain, n, chain)
	}
	b.WriteString("X,C(,1,none\n")
	dir := t.TempDir()
	path, run := filepath.Join(dir, "mols.csv"), filepath.Join(dir, "run")
	writeFiles(t, dir, "mols.csv", b.String())
	succeed(t, "train", path, "--label", "active", "--split", "random", "--epochs", "1", "--hidden", "8", "--out", run, "--quiet")
	rows := table(t, succeed(t, "predict", run, path, "--top", "61", "--spreadsheet-safe", "--quiet"))
	if len(rows) != 61 || rows[60]["id"] != "X" || rows[60]["error"] == "" {
		t.Fatalf("%d rows, the last %v", len(rows), rows[len(rows)-1])
	}
	for i, row := range rows[:60] {
		if i > 0 && row["probability_active"] > rows[i-1]["probability_active"] || (row["vendor"] == "'=cmd") != (row["id"][0] == 'A') {
			t.Errorf("row %d is %v behind %v", i, row, rows[max(i-1, 0)])
		}
	}
	refused(t, "--why is for tables of edges", "predict", run, path, "--why")
}
