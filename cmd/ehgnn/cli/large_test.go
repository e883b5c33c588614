package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// starSet writes a set of small rings and one star of n nodes.
func starSet(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "STAR")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var edges, of, labels strings.Builder
	base := 0
	add := func(graph, nodes int, ends func(i int) (int, int)) {
		for i := range nodes {
			fmt.Fprintln(&of, graph)
			if u, v := ends(i); u != v {
				fmt.Fprintf(&edges, "%d, %d\n%d, %d\n", base+u+1, base+v+1, base+v+1, base+u+1)
			}
		}
		fmt.Fprintln(&labels, graph%2)
		base += nodes
	}
	for g := range 19 {
		add(g+1, 6, func(i int) (int, int) { return i, (i + 1) % 6 })
	}
	add(20, n, func(i int) (int, int) { return 0, i })
	for name, text := range map[string]string{"A": edges.String(), "graph_indicator": of.String(), "graph_labels": labels.String()} {
		if err := os.WriteFile(filepath.Join(dir, "STAR_"+name+".txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A large star is refused, or there is a warning, before training starts.
func TestLargeGraph(t *testing.T) {
	set, dir := starSet(t, 60000), t.TempDir()
	for name, args := range map[string][]string{"asap": {"--model", "asap"}, "hyperdrop": {"--edge-conv", "line:gcn"}} {
		out := filepath.Join(dir, name)
		r := program(t, append([]string{"train", set, "--out", out, "--max-memory", "2GiB"}, args...)...)
		if want := "model " + name + " needs "; r.code != 2 || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "with 60000 nodes and 59999 edges") {
			t.Errorf("%v: exit %d, %s", args, r.code, r.stderr)
		}
		if exists(out) {
			t.Errorf("%v: %s was made", args, out)
		}
	}
}

// A node with very many edges is refused for models on the line graph, in both edge forms, and for no other model.
func TestLargeHub(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var edges strings.Builder
	edges.WriteString("source,target,label\n")
	for i := range 10000 {
		fmt.Fprintf(&edges, "a%d,hub,%d\nhub,b%d,1\n", i, i%2, i)
	}
	table := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(table, []byte(edges.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"directed", "undirected"} {
		out := filepath.Join(t.TempDir(), "run")
		r := program(t, "train", table, "--model", "linegraph-edge", "--edges", form, "--transductive", "--max-memory", "2GiB", "--out", out)
		if want := "model linegraph-edge needs "; r.code != 2 || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "with 20001 nodes and 20000 edges") {
			t.Errorf("%s: exit %d, %s", form, r.code, r.stderr)
		}
		if exists(out) {
			t.Errorf("%s: %s was made", form, out)
		}
	}
	succeed(t, "train", table, "--model", "attention-edge", "--transductive", "--max-memory", "2GiB", "--epochs", "1", "--hidden", "4", "--out", filepath.Join(t.TempDir(), "run"))
}

// Settings that need too much memory are a usage error.
func TestLargeSettings(t *testing.T) {
	set := starSet(t, 10)
	for _, c := range []struct{ model, option, value, want string }{
		{"hyperdrop", "hidden", "1000000000", "would take about "},
		{"hyperdrop", "edge-hidden", "1000000000", "would take about "},
		{"hyperdrop", "layers", "100000000", "more than 131072 tensors"},
		{"hyperdrop", "members", "1000000000", "more than 131072 tensors"},
		{"gmt", "clusters", "1000000000", "would take about "},
		{"diffpool", "clusters", "1000000000", "would take about "},
		{"gat", "heads", "1000000000", "heads"},
		{"gcn", "epochs", "100000000000000000", "Config.Epochs is 100000000000000000, expected 1 to 1000000000"},
	} {
		r := program(t, "train", set, "--model", c.model, "--"+c.option, c.value, "--batch-size", "1", "--out", filepath.Join(t.TempDir(), "run"))
		if r.code != 2 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("--%s %s: exit %d, %s", c.option, c.value, r.code, r.stderr)
		}
	}
}
