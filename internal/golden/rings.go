package golden

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// WriteRings writes rings as a TU set into a new folder. A ring has least to least+8 nodes. The set
// has labels of edges and, with nodeLabels, of nodes. There are two classes: rings with most edges
// of kind 1, and the others.
func WriteRings(dir string, graphs, least int, nodeLabels bool) error {
	random := rand.New(rand.NewPCG(5, 6))
	files := map[string]string{}
	nodes := 0
	for g := range graphs {
		size, ones := least+random.IntN(9), 0
		for v := range size {
			kind := random.IntN(2)
			ones += kind
			files["A"] += fmt.Sprintf("%d, %d\n%d, %d\n", nodes+v+1, nodes+(v+1)%size+1, nodes+(v+1)%size+1, nodes+v+1)
			files["edge_labels"] += fmt.Sprintf("%d\n%d\n", kind, kind)
			files["graph_indicator"] += fmt.Sprintln(g + 1)
			if nodeLabels {
				files["node_labels"] += fmt.Sprintln(v % 3)
			}
		}
		nodes += size
		files["graph_labels"] += fmt.Sprintln(2 * ones / (size + 1))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for of, text := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(dir)+"_"+of+".txt"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
