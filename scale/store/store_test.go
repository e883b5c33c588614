package store_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/scale/store"
)

// edges has a hub, parallel edges, self-loops, missing values and a category that only the last
// edge has.
const edges = `source,target,amount,kind,label
a,b,1.5,x,yes
b,c,,y,no
hub,a,3,x,no
hub,a,3,x,yes
hub,b,-2,,no
hub,c,0.25,y,yes
hub,hub,7,x,no
c,c,1,y,yes
d,hub,2,z,
`

const nodes = "id,age\na,1\nb,\nc,3\nd,4\nhub,5\nlonely,6\n"

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, o tables.Options) (*tables.Set, *data.Split, *tables.Encoder) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "edges.csv", edges)
	write(t, dir, "nodes.csv", nodes)
	set, err := tables.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	split := &data.Split{Name: "random", Train: []int{0, 1, 2, 3, 4, 5}, Valid: []int{6}, Test: []int{7}}
	e, err := set.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	return set, split, e
}

// whole returns the graph of a store, with nodes in the order in which edges have them.
func whole(t *testing.T, s *store.Store) (g *graph.Graph, ids []string, parts []uint8) {
	t.Helper()
	ctx := context.Background()
	g = &graph.Graph{Directed: s.Manifest.Directed}
	known := map[string]int32{}
	for i := range s.Manifest.Blocks {
		b, err := s.Block(ctx, i)
		if err != nil {
			t.Fatal(err)
		}
		names, err := s.Names(ctx, i)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range b.Ends {
			n, ok := known[names.Nodes[v]]
			if !ok {
				n = int32(len(ids))
				known[names.Nodes[v]], ids = n, append(ids, names.Nodes[v])
			}
			g.Ends = append(g.Ends, n)
		}
		for p := range len(b.PartPtr) - 1 {
			part, err := s.Part(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			for k := b.PartPtr[p]; k < b.PartPtr[p+1]; k++ {
				if got := part.IDs[b.Rank[k]]; got != names.Nodes[k] {
					t.Errorf("block %d: node %d is %s in part %d, and %s in names", i, k, got, p, names.Nodes[k])
				}
				if want := store.PartOf(names.Nodes[k], len(s.Manifest.Parts)); want != p {
					t.Errorf("node %s is in part %d, expected %d", names.Nodes[k], p, want)
				}
			}
		}
		g.Edge.Dim, g.Edge.Codes = b.Edge.Dim, b.Edge.Codes
		g.Edge.Dense = append(g.Edge.Dense, b.Edge.Dense...)
		g.Edge.Code = append(g.Edge.Code, b.Edge.Code...)
		g.EdgeLabel = append(g.EdgeLabel, b.Class...)
		g.EdgeTargets = append(g.EdgeTargets, b.Number...)
		parts = append(parts, b.Part...)
	}
	g.NumNodes = len(ids)
	rows := make(map[string]graph.Features)
	for p := range s.Manifest.Parts {
		part, err := s.Part(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		for r, id := range part.IDs {
			rows[id] = part.Node.Take([]int32{int32(r)})
		}
	}
	for _, id := range ids {
		f := rows[id]
		g.Node.Dim, g.Node.Codes = f.Dim, f.Codes
		g.Node.Dense = append(g.Node.Dense, f.Dense...)
		g.Node.Code = append(g.Node.Code, f.Code...)
	}
	if len(rows) != len(ids) || s.Manifest.Nodes != int64(len(ids)) {
		t.Errorf("%d nodes in parts, %d at edges, %d in the manifest", len(rows), len(ids), s.Manifest.Nodes)
	}
	return g, ids, parts
}

// equalBits compares numbers by their bits, including NaN.
func equalBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// same compares a store with the graph that ehgnn makes of the set.
func same(t *testing.T, s *store.Store, set *tables.Set, e *tables.Encoder) {
	t.Helper()
	in, err := set.Whole(e, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := in.Graph
	g, ids, _ := whole(t, s)
	place := map[string]int32{}
	for i, v := range in.Nodes {
		place[set.NodeIDs[v]] = int32(i)
	}
	order := make([]int32, len(ids))
	for i, id := range ids {
		order[i] = place[id]
	}
	for i, v := range g.Ends {
		if order[v] != want.Ends[i] {
			t.Fatalf("end %d is %s, expected %s", i, ids[v], set.NodeIDs[in.Nodes[want.Ends[i]]])
		}
	}
	if len(g.Ends) != len(want.Ends) || g.Directed != want.Directed {
		t.Errorf("%d ends, directed %v; expected %d, %v", len(g.Ends), g.Directed, len(want.Ends), want.Directed)
	}
	if n := want.Node.Take(order); !equalBits(g.Node.Dense, n.Dense) || !slices.Equal(g.Node.Code, n.Code) || !slices.Equal(g.Node.Codes, n.Codes) {
		t.Errorf("features of nodes are %v, expected %v", g.Node, n)
	}
	if !equalBits(g.Edge.Dense, want.Edge.Dense) || !slices.Equal(g.Edge.Code, want.Edge.Code) || !slices.Equal(g.Edge.Codes, want.Edge.Codes) {
		t.Errorf("features of edges are %v, expected %v", g.Edge, want.Edge)
	}
	if s.Manifest.Labels && (!slices.Equal(g.EdgeLabel, want.EdgeLabel) || !equalBits(g.EdgeTargets, want.EdgeTargets)) {
		t.Errorf("labels are %v %v, expected %v %v", g.EdgeLabel, g.EdgeTargets, want.EdgeLabel, want.EdgeTargets)
	}
}

func TestCut(t *testing.T) {
	for _, form := range []data.Edges{data.Directed, data.Undirected} {
		for _, o := range []store.Options{{}, {BlockEdges: 1, Parts: 1}, {BlockEdges: 2, Parts: 3}, {BlockEdges: 4, Parts: 20}} {
			set, split, e := read(t, tables.Options{Form: form})
			dir := filepath.Join(t.TempDir(), "store")
			if err := store.Cut(dir, set, e, split, o); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			same(t, s, set, e)
			if s.Manifest.MostEntries != 7 {
				t.Errorf("most entries are %d, expected 7 of hub", s.Manifest.MostEntries)
			}
			_, _, parts := whole(t, s)
			if want := []uint8{0, 0, 0, 0, 0, 0, 1, 2, 3}; !slices.Equal(parts, want) {
				t.Errorf("parts are %v, expected %v", parts, want)
			}
		}
	}
}

// TestDamage changes, truncates and removes each file.
func TestDamage(t *testing.T) {
	set, split, e := read(t, tables.Options{})
	dir := filepath.Join(t.TempDir(), "store")
	if err := store.Cut(dir, set, e, split, store.Options{BlockEdges: 9, Parts: 1}); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	get := map[string]func(*store.Store) error{
		"blocks/000000.block": func(s *store.Store) error { _, err := s.Block(ctx, 0); return err },
		"blocks/000000.names": func(s *store.Store) error { _, err := s.Names(ctx, 0); return err },
		"parts/0000.part":     func(s *store.Store) error { _, err := s.Part(ctx, 0); return err },
		"manifest.json":       func(*store.Store) error { return nil },
	}
	for name, get := range get {
		path := filepath.Join(dir, name)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damage := map[string]func() error{
			"torn":    func() error { return os.WriteFile(path, good[:len(good)/2], 0o644) },
			"longer":  func() error { return os.WriteFile(path, append(slices.Clone(good), '{'), 0o644) },
			"missing": func() error { return os.Remove(path) },
		}
		for k := 0; k < len(good) && name != "manifest.json"; k++ {
			bad := slices.Clone(good)
			bad[k] ^= 0x80
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := get(s); err == nil || !strings.Contains(err.Error(), name) {
				t.Fatalf("%s with byte %d changed: %v", name, k, err)
			}
		}
		for what, do := range damage {
			if err := do(); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(dir)
			if err == nil {
				err = get(s)
			}
			if name == "manifest.json" && what == "longer" {
				continue // the rest after the value is not read
			}
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		if err := os.WriteFile(path, good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCutRefuses(t *testing.T) {
	set, split, e := read(t, tables.Options{})
	dir := t.TempDir()
	if err := store.Cut(dir, set, e, split, store.Options{}); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a folder that exists: %v", err)
	}
	if err := store.Cut(filepath.Join(dir, "s"), set, e, split, store.Options{Parts: -1}); err == nil {
		t.Error("-1 parts are taken")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), "is no store") {
		t.Errorf("an empty folder: %v", err)
	}
}
