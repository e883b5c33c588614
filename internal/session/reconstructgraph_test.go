package session

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// The two autoencoders of a graph are trained separately: their weights equal, to the bit, those of
// the tasks on nodes and on edges alone, also if one of them stopped earlier.
func TestReconstructionApart(t *testing.T) {
	path := foldSet(t, "SET", 40)
	weights := func(task, model string, given settings.Values) (map[string][]float32, *TrainResult) {
		of := quick().Over(settings.Values{"epochs": 30, "patience": 2, "lr": 0.02, "batch-size": 8})
		dir, res := trained(t, Request{Path: path, Task: task, Model: model, Seed: 3, Threads: 1, Given: of.Over(given)})
		f, err := safetensors.ReadFile(filepath.Join(dir, "model.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		out := map[string][]float32{}
		for _, x := range f.Tensors {
			out[x.Name] = x.Data
		}
		return out, res
	}
	for _, model := range []string{"hypercluster", "gmpool-edges"} {
		both, res := weights("graph-reconstruction", strings.TrimSuffix(model, "-edges")+"-both", settings.Values{"node-lr": 0.05})
		nodes, ofNodes := weights("node-reconstruction", "gmpool-nodes", settings.Values{"lr": 0.05})
		edges, ofEdges := weights("edge-reconstruction", model, nil)
		if len(both) != len(nodes)+len(edges) {
			t.Errorf("%s: %d tensors, alone %d and %d", model, len(both), len(nodes), len(edges))
		}
		for prefix, alone := range map[string]map[string][]float32{"nodes.": nodes, "edges.": edges} {
			for name, want := range alone {
				if !slices.Equal(both[prefix+name], want) {
					t.Errorf("%s: %s%s differs from that of the autoencoder alone", model, prefix, name)
				}
			}
		}
		if ofNodes.Epochs == ofEdges.Epochs {
			t.Errorf("%s: both end after %d epochs: this test wants one that stops earlier", model, ofNodes.Epochs)
		}
		for name, want := range map[string]float64{"node_accuracy": scoreOf(t, ofNodes.Test, "accuracy"), "edge_accuracy": scoreOf(t, ofEdges.Test, "accuracy"),
			"node_loss": scoreOf(t, ofNodes.Test, "loss"), "edge_loss": scoreOf(t, ofEdges.Test, "loss"),
			"loss": scoreOf(t, ofNodes.Test, "loss") + scoreOf(t, ofEdges.Test, "loss")} {
			if got := scoreOf(t, res.Test, name); got != want {
				t.Errorf("%s: test %s %v, want %v", model, name, got, want)
			}
		}
		if got, want := scoreOf(t, res.Valid, "node_loss"), scoreOf(t, ofNodes.Valid, "loss"); got != want {
			t.Errorf("%s: node loss %v of the validation part, want %v, that of the best epoch of nodes", model, got, want)
		}
	}
}

// A row has the share of correct nodes and edges of a graph, which follows from the predictions for them.
func TestGraphRows(t *testing.T) {
	path := foldSet(t, "SET", 20)
	dir, res := trained(t, Request{Path: path, Task: "graph-reconstruction", Seed: 1, Threads: 1, Given: quick()})
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	checkParts(t, s)
	table, err := s.Predict(t.Context(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}
	if header := testsets.CSVHeader(t, table); header != "graph,nodes,nodes_right,edges,edges_right,all_right" {
		t.Errorf("columns %s", header)
	}
	var sums [5]float64
	for _, row := range testsets.CSVRows(t, table) {
		for k, cell := range strings.Split(row, ",")[1:] {
			n, err := strconv.Atoi(cell)
			if err != nil {
				t.Fatal(err)
			}
			sums[k] += float64(n)
		}
	}
	for name, want := range map[string]float64{"accuracy": (sums[1] + sums[3]) / (sums[0] + sums[2]), "node_accuracy": sums[1] / sums[0],
		"edge_accuracy": sums[3] / sums[2], "all_right": sums[4] / float64(len(testsets.CSVRows(t, table)))} {
		if got := scoreOf(t, res.Test, name); got != want {
			t.Errorf("%s is %v, by the rows %v", name, got, want)
		}
	}
	// One of the two kinds of features may be numbers.
	files := testsets.TUFiles(testsets.EdgeClass(t, 20))
	files["edge_attributes"] = strings.ReplaceAll(files["edge_labels"], "\n", ".5\n")
	delete(files, "edge_labels")
	dir, res = trained(t, Request{Path: testsets.WriteSet(t, t.TempDir(), "NUMBERS", files), Model: "topkpool-both", Seed: 1, Threads: 1, Given: quick()})
	var names []string
	for _, s := range res.Test {
		names = append(names, s.Name)
	}
	if want := []string{"loss", "accuracy", "all_right", "node_loss", "node_accuracy", "edge_loss"}; !slices.Equal(names, want) {
		t.Errorf("scores %q, want %q", names, want)
	}
	if s, err = Load(t.Context(), dir, source.LoadOptions{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	if table, err = s.Predict(t.Context(), source.PartTest); err != nil || testsets.CSVHeader(t, table) != "graph,nodes,nodes_right,edges,edge_error,all_right" {
		t.Errorf("columns %s, error %v", testsets.CSVHeader(t, table), err)
	}
}

// Data without features have nothing to reconstruct.
func TestReconstructionRefuses(t *testing.T) {
	files := testsets.TUFiles(testsets.EdgeClass(t, 20))
	delete(files, "node_labels")
	bare := testsets.WriteSet(t, t.TempDir(), "BARE", files)
	for _, task := range []string{"node-reconstruction", "graph-reconstruction"} {
		_, err := Open(t.Context(), Request{Path: bare, Task: task})
		testsets.Fails(t, err, task+" needs node labels or attributes, BARE has none")
	}
	if _, err := Open(t.Context(), Request{Path: bare, Task: "edge-reconstruction"}); err != nil {
		t.Error(err)
	}
	_, err := Open(t.Context(), Request{Path: foldSet(t, "SET", 20), Task: "edge-reconstruction", Given: settings.Values{"node-lr": 0.1}})
	testsets.Fails(t, err, "--node-lr does not apply to edge-reconstruction")
}
