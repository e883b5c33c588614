package cli_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/model"
)

// ringsAndStars returns n graphs of two classes that every model can separate, by topology, by node
// labels and by edge labels. One label in ten is that of the other class.
func ringsAndStars(t *testing.T, n int) []*graph.Graph {
	t.Helper()
	r := rng.Stream(1, "rings and stars")
	out := make([]*graph.Graph, n)
	for i := range out {
		class := int32(i % 2)
		label := func(rows int) graph.Features {
			f := graph.Features{Codes: []int{2}, Code: make([]int32, rows)}
			for k := range f.Code {
				f.Code[k] = class
				if r.IntN(10) == 0 {
					f.Code[k] = 1 - class
				}
			}
			return f
		}
		nodes := 6 + r.IntN(7)
		g := graph.Graph{NumNodes: nodes, Label: class}
		for v := int32(1); int(v) < nodes; v++ {
			g.Ends = append(g.Ends, (v-1)*(1-class), v)
		}
		if class == 0 {
			g.Ends = append(g.Ends, int32(nodes-1), 0)
		}
		g.Node, g.Edge = label(nodes), label(len(g.Ends)/2)
		var err error
		if out[i], err = graph.New(g); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Every registered classifier of graphs can be trained from the command line, and its loss
// decreases from the first epoch to the second.
func TestTrainModels(t *testing.T) {
	path := newSet("RINGS", ringsAndStars(t, 60)).zip(t)
	tested := 0
	for _, s := range model.Specs() {
		if !slices.Contains(s.Tasks, "graph-classification") {
			continue
		}
		tested++
		t.Run(s.Name, func(t *testing.T) {
			if testing.Short() && tested%4 != 1 {
				t.Skip("one of many models")
			}
			dir := filepath.Join(t.TempDir(), "run")
			// Without a schedule and without dropout, the loss shows that the model learns.
			text := succeed(t, "train", path, "--model", s.Name, "--out", dir, "--epochs", "2", "--batch-size", "6", "--hidden", "16",
				"--lr", "0.01", "--constant-lr", "--dropout", "0", "--json", "--quiet")
			var result map[string]any
			document(t, text, &result)
			var loss []float64
			for line := range strings.Lines(read(t, dir, "metrics.jsonl")) {
				var epoch struct {
					Loss  *float64 `json:"train_loss"`
					Valid map[string]float64
				}
				if err := json.Unmarshal([]byte(line), &epoch); err != nil {
					t.Fatal(err)
				}
				if epoch.Loss == nil || math.IsInf(*epoch.Loss, 0) || len(epoch.Valid) == 0 {
					t.Fatalf("not finite, or without validation: %s", line)
				}
				loss = append(loss, *epoch.Loss)
			}
			t.Logf("loss %v", loss)
			if len(loss) != 2 || !(loss[1] < loss[0]) {
				t.Errorf("training loss of the epochs is %v, expected it to fall from the first to the second", loss)
			}
		})
	}
	if tested < 20 {
		t.Errorf("%d models classify graphs, expected those of the paper's tables at least", tested)
	}
}

// Every model is listed with its title and its paper. With a task only the models of this task are listed.
func TestModels(t *testing.T) {
	all := succeed(t, "models")
	for _, s := range model.Specs() {
		if !strings.Contains(all, s.Name+" ") || !strings.Contains(all, s.Title) || !strings.Contains(all, s.Paper) {
			t.Errorf("models does not list %s, its title %q or its paper %q", s.Name, s.Title, s.Paper)
		}
	}
	var some []struct {
		Name  string
		Tasks []string
	}
	document(t, succeed(t, "models", "--task", "edge-classification", "--json"), &some)
	if n := len(edgeModels()); len(some) < n || len(some) >= len(model.Specs()) {
		t.Errorf("%d models of edges, expected at least %d and not all", len(some), n)
	}
	refused(t, "unknown task", "models", "--task", "edges")
}
