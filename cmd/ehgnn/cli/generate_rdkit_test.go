//go:build rdkit

package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// smallMolecules is a table of a few hundred SMILES with up to nine atoms.
func smallMolecules(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("smiles\n")
	for _, head := range []string{"C", "N", "O", "CC", "C1CC1", "OC", "C=C", "N#C"} {
		for _, body := range []string{"C", "CC", "C(=O)", "C(O)C", "CCC", "C(N)", "COC"} {
			for _, tail := range []string{"C", "N", "O", "F", "C=O"} {
				b.WriteString(head + body + tail + "\n")
			}
		}
	}
	path := filepath.Join(t.TempDir(), "small.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A generator is trained and draws different molecules, in a table or as JSON. They depend on the
// seed and not on the number of threads.
func TestGenerateMolecules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gan")
	text := succeed(t, "reproduce", "molgan", "--dataset", smallMolecules(t), "--preset", "quick", "--rgcn", "typed", "--variants", "ehgnn", "--seeds", "1",
		"--iterations", "150", "--samples", "100", "--pictures", "1", "--out", dir, "--seed", "3", "--quiet")
	if !strings.Contains(text, "MolGAN + EHGNN") || !strings.Contains(text, "molgan-typed.svg") {
		t.Errorf("it prints\n%s", text)
	}
	run := filepath.Join(dir, "generators", "typed-ehgnn-3")
	rows := table(t, succeed(t, "generate", run, "--count", "12", "--threads", "1"))
	seen := map[string]bool{}
	for _, row := range rows {
		qed, err := strconv.ParseFloat(row["qed"], 64)
		if err != nil || qed <= 0 || qed > 1 || row["smiles"] == "" || seen[row["smiles"]] {
			t.Errorf("%v, %v", row, err)
		}
		seen[row["smiles"]] = true
	}
	if len(rows) != 12 {
		t.Errorf("%d rows", len(rows))
	}
	var list []struct {
		SMILES  string
		QED, SA float64
	}
	if err := json.Unmarshal([]byte(succeed(t, "generate", run, "--count", "12", "--threads", "3", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	for i, m := range list {
		if m.SMILES != rows[i]["smiles"] {
			t.Errorf("row %d is %s, want %s", i, m.SMILES, rows[i]["smiles"])
		}
	}
	if succeed(t, "generate", run, "--count", "12", "--seed", "9") == succeed(t, "generate", run, "--count", "12") {
		t.Error("--seed changes nothing")
	}
	// The first row is written before the others: a write to a pipe is one read.
	out, in := io.Pipe()
	go func() {
		in.CloseWithError(fmt.Errorf("exit code %d", cli.Main(t.Context(), cli.State{Args: []string{"generate", run, "--count", "12"}, Stdout: in, Stderr: io.Discard})))
	}()
	first := make([]byte, 4096)
	n, err := out.Read(first)
	if got := strings.Count(string(first[:n]), "\n"); err != nil || got != 2 {
		t.Errorf("%d lines come first, expected the header and a row: %v", got, err)
	}
	rest, err := io.ReadAll(out)
	if err == nil || err.Error() != "exit code 0" || strings.Count(string(rest), "\n") != 11 {
		t.Errorf("the rest is %q, %v", rest, err)
	}
	refused(t, "--count is 0", "generate", run, "--count", "0")
	refused(t, "no folder of a generator", "generate", dir)
}
