package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// molecules returns the files of n molecules in the layout of OGB with the columns in target. The
// split is six, two and two of ten.
func molecules(n int, names []string, target func(i int, double bool) []string) map[string]string {
	r := rng.Stream(7, "molecules")
	text := map[string]*strings.Builder{}
	add := func(file, format string, args ...any) {
		if text[file] == nil {
			text[file] = &strings.Builder{}
		}
		fmt.Fprintf(text[file], format, args...)
	}
	add("mapping/mol.csv", "%s,smiles,mol_id\n", strings.Join(names, ","))
	for i := range n {
		atoms, double := 3+r.IntN(5), r.IntN(2) == 1
		if i == 3 {
			atoms = 1 // a molecule without bonds
		}
		add("raw/num-node-list.csv", "%d\n", atoms)
		add("raw/num-edge-list.csv", "%d\n", atoms-1)
		for v := range atoms {
			add("raw/node-feat.csv", "%d,0,%d,5,%d,0,2,0,0\n", 5+r.IntN(3), min(v, 2), r.IntN(4))
		}
		for v := 1; v < atoms; v++ {
			add("raw/edge.csv", "%d,%d\n", v-1, v)
			bond := 0
			if double {
				bond = 1
			}
			add("raw/edge-feat.csv", "%d,0,0\n", bond)
		}
		words := strings.Join(target(i, double), ",")
		add("raw/graph-label.csv", "%s\n", words)
		add("mapping/mol.csv", "%s,C,m%d\n", words, i)
		add("split/scaffold/"+[]string{"train", "train", "train", "train", "train", "train", "valid", "valid", "test", "test"}[i%10]+".csv", "%d\n", i)
	}
	out := map[string]string{}
	for file, b := range text {
		out[file] = b.String()
	}
	return out
}

// bonds has labels that depend on the bonds: double, its opposite with every third value missing,
// and a label without values.
func bonds(i int, double bool) []string {
	a, b := "0", "1"
	if double {
		a, b = b, a
	}
	if i%3 == 0 {
		b = ""
	}
	return []string{a, b, ""}
}

var bondNames = []string{"double", "single", "unknown"}

// writeFiles writes files into a folder with the given name and returns its path.
func writeFiles(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	for file, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
