package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// predict reads the example stored with a run, and its prediction equals the stored one.
func TestRunExample(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	golden := filepath.Join("..", "..", "..", "testdata")
	old := filepath.Join(golden, "sets")
	for _, args := range [][]string{{filepath.Join(old, "RINGS")}, {filepath.Join(old, "NUMBERS")}, {filepath.Join(old, "ogbg_molmine")},
		{filepath.Join(old, "payments")}, {setsOfItems(t)}, {filepath.Join(golden, "planetoid")}, {numbersOfNodes(t)},
		{filepath.Join(old, "payments"), "--time", "time", "--structure", "all", "--time-features", "on"}} {
		t.Run(filepath.Base(args[0]), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			exits0(t, append([]string{"train", "--out", dir, "--epochs", "2", "--hidden", "8"}, args...)...)
			text := read(t, dir, "input_example.json")
			var example struct {
				Graph struct{ Prediction []map[string]any }
			}
			if err := json.Unmarshal([]byte(text), &example); err != nil {
				t.Fatal(err)
			}
			type item struct {
				Class                 string
				Probabilities, Values []float64
			}
			var got struct {
				item
				Nodes, Edges []item
			}
			cmd := command(t, "predict", dir, "-")
			cmd.Stdin = strings.NewReader(text)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, cmd.Stderr)
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			items := slices.Concat(got.Nodes, got.Edges)
			if len(items) == 0 {
				items = []item{got.item}
			}
			if len(items) != len(example.Graph.Prediction) {
				t.Fatalf("%d predictions, the example has %d", len(items), len(example.Graph.Prediction))
			}
			for i, row := range example.Graph.Prediction {
				var numbers []float64
				for name, v := range row {
					if x, ok := v.(float64); ok && (strings.HasPrefix(name, "probability_") || strings.HasPrefix(name, "prediction")) {
						numbers = append(numbers, x)
					}
				}
				want := append(items[i].Probabilities, items[i].Values...)
				slices.Sort(numbers)
				slices.Sort(want)
				if len(want) == 0 || !slices.EqualFunc(numbers, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-5*max(1, math.Abs(b)) }) {
					t.Errorf("prediction %d is %v, the example has %v", i, want, numbers)
				}
				if class, ok := row["prediction"].(string); ok && class != items[i].Class {
					t.Errorf("class %d is %s, the example has %s", i, items[i].Class, class)
				}
			}
		})
	}
}

// numbersOfNodes is a set whose nodes have numbers of different sizes, which are standardised.
func numbersOfNodes(t *testing.T) string {
	t.Helper()
	from := small(t)
	var b strings.Builder
	for i := range strings.Count(read(t, from.folder(t), "SMALL_node_labels.txt"), "\n") {
		fmt.Fprintf(&b, "%d, %g\n", 5000+37*(i%11), 0.001*float64(i%7))
	}
	return from.with("node_attributes.txt", b.String()).folder(t)
}

// setsOfItems are tables in which edges and nodes have columns of sets.
func setsOfItems(t *testing.T) string {
	t.Helper()
	parts := []string{"a", "b|c", "", "c|a", "a|b|c"}
	edges, nodes := "source,target,label,amount,tags\n", "id,tags,age\n"
	for i := range 100 {
		edges += fmt.Sprintf("%d,%d,%s,%d,%s\n", i%17, (3*i+1)%17, []string{"x", "y"}[i%7/4], i*i%31, parts[i%5])
	}
	for v := range 17 {
		text := strings.ReplaceAll(parts[v%5], "|", "', '")
		if text != "" {
			text = `"['` + text + `']"`
		}
		nodes += fmt.Sprintf("%d,%s,%d\n", v, text, v*v)
	}
	dir := t.TempDir()
	writeFiles(t, dir, "edges.csv", edges, "nodes.csv", nodes)
	return dir
}
