package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/model"
)

// weightsFile holds a digest of the weights after three epochs, by instruction level and by case. A
// change that should not change numbers must leave it unchanged. A change that should do so
// rewrites it with -update and gives the reason.
var weightsFile = filepath.Join("testdata", "weights.json")

// A weightsCase is a training of three epochs: a model with flags on one of the
// small sets that weightsData writes.
type weightsCase struct {
	name, data string
	args       []string
}

// weightsCases lists every registered model with each of its tasks, and options that change what is
// built.
func weightsCases() []weightsCase {
	data := map[string]string{"graph-classification": "rings", "graph-regression": "numbers", "edge-reconstruction": "rings", "node-reconstruction": "rings", "graph-reconstruction": "rings",
		"node-classification": "nodes", "edge-classification": "payments", "edge-regression": "amounts"}
	var out []weightsCase
	for _, s := range model.Specs() {
		if s.Fitted { // no short training with the same few settings gives it
			continue
		}
		for _, task := range s.Tasks {
			c := weightsCase{s.Name + " " + task, data[task], []string{"--task", task, "--model", s.Name}}
			switch task {
			case "edge-regression":
				c.args = append(c.args, "--label", "amount", "--ignore", "label")
			case "node-classification":
				c.args = append(c.args, "--layers", "6")
			}
			out = append(out, c)
		}
	}
	for _, text := range []string{
		"labels --model hyperdrop", "labels --model gine --no-encode", "labels --model hyperdrop-committee",
		"rings --model hyperdrop --conv gat --heads 2", "rings --model hyperdrop --edge-conv line:gcn --edge-hidden 8",
		"rings --model hyperdrop --edge-init endpoints --score sigmoid --virtual-node", "rings --model hyperdrop --members 2",
		"rings --model hyperdrop --encode --conv egcn", "rings --model hyperdrop --edges directed --fold 3",
		"rings --model gmt --heads 2 --layer-norm --clusters 3", "rings --model sortpool --split random",
		"nodes --model deep-hyperdrop --layers 6 --score sigmoid --init-gain 1.4142", "payments --model ehgnn-edge --unweighted --split time",
		"payments --model ehgnn-joint-edge --transductive --constant-lr=false --fractions 0.5,0.25,0.25",
	} {
		words := strings.Fields(strings.Replace(text, "--no-encode", "--encode=false", 1))
		out = append(out, weightsCase{text, words[0], words[1:]})
	}
	return out
}

// weightsData writes the small sets and returns their paths.
func weightsData(t *testing.T) map[string]string {
	t.Helper()
	graphs := ringsAndStars(t, 40)
	rings := newSet("RINGS", graphs)
	folds := set{"RINGS", map[string]string{}}
	maps.Copy(folds.files, rings.files)
	for k := range 10 {
		var test, train strings.Builder
		for i := range graphs {
			if i/4 == k {
				fmt.Fprintln(&test, i)
			} else {
				fmt.Fprintln(&train, i)
			}
		}
		folds.files[fmt.Sprintf("10fold_idx/test_idx-%d.txt", k+1)] = test.String()
		folds.files[fmt.Sprintf("10fold_idx/train_idx-%d.txt", k+1)] = train.String()
	}
	var numbers strings.Builder
	for _, g := range graphs {
		fmt.Fprintf(&numbers, "%d, %.2f\n", g.NumNodes, math.Sqrt(float64(g.NumEdges())))
	}
	return map[string]string{
		"rings":    folds.folder(t),
		"numbers":  rings.with("graph_labels.txt", "-", "graph_attributes.txt", numbers.String()).folder(t),
		"labels":   labelledMolecules(t, 64),
		"nodes":    tinyNodes,
		"payments": payments(t, 300, "nodes.csv", "edges.csv"),
		"amounts":  payments(t, 300, "nodes.csv", "edges.csv"),
	}
}

// digestOf returns a digest of the weights of a run: names, shapes and bits.
func digestOf(t *testing.T, dir string) string {
	t.Helper()
	f, err := safetensors.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	list := slices.Clone(f.Tensors)
	slices.SortFunc(list, func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	h := sha256.New()
	for _, x := range list {
		fmt.Fprintln(h, x.Name, x.Shape)
		for _, v := range x.Data {
			fmt.Fprintf(h, "%08x", math.Float32bits(v))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// The weights after three epochs equal the recorded ones to the bit.
func TestWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	want := map[string]map[string]string{}
	text, err := os.ReadFile(weightsFile)
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	level := kernel.Level()
	if level == "avx2" {
		level = "avx512" // has the same bits (ADR 5)
	}
	if want[level] == nil && !*update {
		t.Skipf("no digests for instructions %s", level)
	}
	data, got := weightsData(t), map[string]string{}
	for _, c := range weightsCases() {
		dir := filepath.Join(t.TempDir(), "run")
		args := append([]string{data[c.data], "--out", dir, "--epochs", "3", "--hidden", "16", "--quiet"}, c.args...)
		if !slices.Contains(c.args, "--constant-lr=false") {
			args = append(args, "--constant-lr", "--lr", "0.01")
		}
		if err := cli.TrainWithoutReport(t.Context(), args...); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got[c.name] = digestOf(t, dir)
		if !*update && got[c.name] != want[level][c.name] {
			t.Errorf("%s: the weights have digest %s, recorded is %q", c.name, got[c.name], want[level][c.name])
		}
	}
	for name := range want[level] {
		if got[name] == "" && !*update {
			t.Errorf("%s: recorded, but no longer trained", name)
		}
	}
	if *update {
		want[level] = got
		out, err := json.MarshalIndent(want, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(weightsFile, append(out, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
