// Package tiny makes small graphs, runs and stores for tests.
package tiny

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/store"
)

// Multigraph describes a random graph.
type Multigraph struct {
	Seed     uint64
	Nodes    int
	Edges    int
	Directed bool
	Features bool // nodes and edges have features
	Number   bool // labels are numbers
}

// Write writes tables of a graph with two hubs, leaves, parallel edges and self-loops. Edges and
// nodes have a column of numbers with missing values and a column of categories.
func (g Multigraph) Write(t testing.TB, dir string) {
	t.Helper()
	r := rand.New(rand.NewPCG(g.Seed, 1))
	end := func() int {
		if r.IntN(5) == 0 {
			return r.IntN(2)
		}
		return r.IntN(g.Nodes)
	}
	var edges, nodes strings.Builder
	edges.WriteString("source,target,")
	if g.Features {
		edges.WriteString("amount,channel,rate,")
	}
	edges.WriteString("label\n")
	u, v := 0, 1
	for range g.Edges {
		switch k := r.IntN(10); {
		case k == 0: // parallel to the previous edge
		case k == 1:
			u = end()
			v = u
		default:
			u, v = end(), end()
		}
		fmt.Fprintf(&edges, "n%d,n%d,", u, v)
		if g.Features {
			amount := strconv.FormatFloat(r.NormFloat64()*10, 'f', 3, 64)
			if r.IntN(6) == 0 {
				amount = ""
			}
			fmt.Fprintf(&edges, "%s,%s,%.3f,", amount, []string{"card", "cash", "wire", ""}[r.IntN(4)], r.Float64())
		}
		if g.Number {
			fmt.Fprintf(&edges, "%.3f\n", r.NormFloat64()+float64(u%3))
		} else {
			fmt.Fprintf(&edges, "%s\n", []string{"fair", "odd"}[min(r.IntN(3), 1)*(u%2)])
		}
	}
	File(t, filepath.Join(dir, "edges.csv"), edges.String())
	if !g.Features {
		return
	}
	nodes.WriteString("id,age,kind\n")
	for i := range g.Nodes {
		fmt.Fprintf(&nodes, "n%d,%.2f,%s\n", i, r.Float64()*50, []string{"shop", "person", "bank"}[r.IntN(3)])
	}
	File(t, filepath.Join(dir, "nodes.csv"), nodes.String())
}

// File writes a file.
func File(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Trained returns a run trained on tables for a few epochs. more has further settings, and number
// says that labels are numbers.
func Trained(t testing.TB, path, model string, directed bool, more settings.Values) string {
	t.Helper()
	given := settings.Values{"edges": "undirected", "structure": []string{"none"}, "label-context": "off", "time-features": "off",
		"hidden": 8, "epochs": 4}
	if directed {
		given["edges"] = "directed"
	}
	if model != "mlp-edge" {
		given["layers"] = 3
	}
	for k, v := range more {
		if given[k] = v; v == nil {
			delete(given, k)
		}
	}
	of := "edge-classification"
	if given["number"] == true {
		delete(given, "number")
		of = "edge-regression"
	}
	s, err := session.Open(t.Context(), session.Request{Path: path, Task: of, Model: model, Given: given, Seed: 5, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := s.Train(t.Context(), session.TrainOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Packed returns a store of tables with a run's encoder.
func Packed(t testing.TB, path, run string, o store.Options) string {
	t.Helper()
	r, err := session.LoadRun(run)
	if err != nil {
		t.Fatal(err)
	}
	e := r.Settings.Data.Tables.Encoder
	set, err := e.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return Cut(t, set, e, o)
}

// Cut returns a store of tables with an encoder.
func Cut(t testing.TB, set *tables.Set, e *tables.Encoder, o store.Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if err := store.Cut(dir, set, e, nil, o); err != nil {
		t.Fatal(err)
	}
	return dir
}
