package local_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// kinds calls f with the models and graphs of the tests.
func kinds(f func(name, model string, g tiny.Multigraph, more settings.Values)) {
	for i, model := range []string{"ehgnn-edge", "ehgnn-joint-edge", "mlp-edge"} {
		for k := range 4 {
			g := tiny.Multigraph{Seed: uint64(10*i + k), Nodes: 40 + 30*k, Edges: 260, Directed: k%2 == 0, Features: k < 2, Number: k == 1}
			more := settings.Values{}
			if k == 1 {
				more["edge-hidden"], more["number"] = 5, true // fewer columns than nodes
			}
			if k == 0 {
				more["encode"] = true
			}
			f(fmt.Sprintf("%s/%d", model, k), model, g, more)
		}
	}
}

// A job writes the same predictions, to the bit, as ehgnn makes for the same run and tables. The
// run was not trained on them.
func TestEquality(t *testing.T) {
	kinds(func(name, model string, g tiny.Multigraph, more settings.Values) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, other := t.TempDir(), t.TempDir()
			g.Write(t, first)
			run := tiny.Trained(t, first, model, g.Directed, more)
			g.Seed += 100
			g.Write(t, other)
			equal(t, run, other, model, store.Options{BlockEdges: 37, Parts: 3})
		})
	})
}

// The predictions are also equal if two nodes have a tenth of all edges each.
func TestEqualityAtHubs(t *testing.T) {
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			first, other := t.TempDir(), t.TempDir()
			g := tiny.Multigraph{Seed: 1, Nodes: 60, Edges: 500, Features: true, Directed: true}
			g.Write(t, first)
			run := tiny.Trained(t, first, model, g.Directed, settings.Values{"hidden": 16})
			g.Seed, g.Nodes, g.Edges = 2, 2000, 20000
			g.Write(t, other)
			equal(t, run, other, model, store.Options{BlockEdges: 6000, Parts: 2})
		})
	}
}

// The predictions are also equal if all features are categories, which ehgnn stores sparsely, with
// more rows than a product reads at once.
func TestEqualityOfCategories(t *testing.T) {
	for _, encode := range []bool{false, true} {
		for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
			t.Run(fmt.Sprintf("%s/encode=%v", model, encode), func(t *testing.T) {
				t.Parallel()
				first, other := t.TempDir(), t.TempDir()
				writeCategories(t, first, 1)
				writeCategories(t, other, 2)
				dir := tiny.Trained(t, first, model, true, settings.Values{"encode": encode, "feature": []string{"town", "trade", "age"}})
				run, err := session.LoadRun(dir)
				if err != nil {
					t.Fatal(err)
				}
				if m := run.Settings.Model; m.Edge <= 384 || m.Node <= 384 {
					t.Fatalf("features of widths %d and %d, which is few", m.Node, m.Edge)
				}
				equal(t, dir, other, model, store.Options{BlockEdges: 500, Parts: 2})
			})
		}
	}
}

// writeCategories writes tables with three columns of many categories for nodes and for edges.
func writeCategories(t *testing.T, dir string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	edges, nodes := "source,target,shop,street,kind,label\n", "id,town,trade,age\n"
	for e := range 1200 {
		edges += fmt.Sprintf("n%d,n%d,s%d,t%d,k%d,%s\n", r.IntN(150), r.IntN(150), e%180, e%190, e%170, []string{"fair", "odd"}[r.IntN(2)])
	}
	for v := range 150 {
		nodes += fmt.Sprintf("n%d,a%d,b%d,c%d\n", v, v%140, v%149, v%145)
	}
	tiny.File(t, filepath.Join(dir, "edges.csv"), edges)
	tiny.File(t, filepath.Join(dir, "nodes.csv"), nodes)
}

// equal compares the results of a run for tables in ehgnn and as a job on a store of them.
func equal(t *testing.T, run, path, model string, o store.Options) {
	t.Helper()
	s, in := loaded(t, run, path), tiny.Packed(t, path, run, o)
	whole, err := s.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	out, m := wrote(t, local.Job{Run: run, Store: in, Threads: 2})
	same(t, outputs(t, out, m), core(t, whole))

	levels := map[string]settings.Level{visit.EdgeVectors: settings.Edges}
	if model == "ehgnn-joint-edge" {
		levels[visit.NodeVectors] = settings.Nodes
	}
	for writes, level := range levels {
		whole, err := s.Embed(t.Context(), source.PartAll, level)
		if err != nil {
			t.Fatal(err)
		}
		out, m := wrote(t, local.Job{Run: run, Store: in, Writes: writes})
		sameVectors(t, outputs(t, out, m), core(t, whole), level)
	}
}

// same compares predictions as text.
func same(t *testing.T, got, want *table) {
	t.Helper()
	if fmt.Sprint(got.columns) != fmt.Sprint(want.columns) || len(got.rows) != len(want.rows) {
		t.Fatalf("%d rows of %q, want %d of %q", len(got.rows), got.columns, len(want.rows), want.columns)
	}
	for i, row := range want.rows {
		for c, text := range row {
			if have := got.rows[i][c]; have != text {
				t.Fatalf("row %d, %s: %q, want %q", i, want.columns[c], have, text)
			}
		}
	}
}

// sameVectors compares the vectors of the same edges or nodes.
func sameVectors(t *testing.T, got, want *table, level settings.Level) {
	t.Helper()
	of := string(level)
	have := map[string]string{}
	vectors := got.column("vector")
	for i, id := range got.column(of) {
		have[id] = vectors[i]
	}
	ids := want.column(of)
	if len(have) != len(ids) {
		t.Fatalf("vectors of %d %ss, want %d", len(have), of, len(ids))
	}
	var columns [][]string
	for want.column(fmt.Sprintf("vector_%d", len(columns))) != nil {
		columns = append(columns, want.column(fmt.Sprintf("vector_%d", len(columns))))
	}
	for i, id := range ids {
		var row []string
		for _, c := range columns {
			row = append(row, c[i])
		}
		if text := strings.Join(row, " "); have[id] != text {
			t.Fatalf("vector of %s %s: %s, want %s", of, id, have[id], text)
		}
	}
}
