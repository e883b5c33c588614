package sample

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/scale/store"
)

// example has tables with a split, and the store packed from them.
type example struct {
	set   *tables.Set
	split *data.Split
	enc   *tables.Encoder
	store *store.Store
}

// shape has the properties of an example.
type shape struct {
	nodes, edges int
	directed     bool
	number       bool // whether labels are numbers
	blocks       int  // edges in a block
	parts        int
	// held is a held-out edge whose label and features are changed; 0 for none.
	held int
}

// newExample draws a graph with a hub, leaves, parallel edges and self-loops. Every fourth edge is
// held out; half of these edges are for validation.
func newExample(t testing.TB, s shape, seed uint64) *example {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var edges, nodes bytes.Buffer
	fmt.Fprintln(&edges, "source,target,amount,kind,label")
	fmt.Fprintln(&nodes, "id,age,sort")
	for v := range s.nodes {
		fmt.Fprintf(&nodes, "n%d,%d,%c\n", v, r.IntN(50), 'a'+rune(r.IntN(3)))
	}
	split := &data.Split{Name: "random"}
	for e := range s.edges {
		u, v := r.IntN(s.nodes*3/4), r.IntN(s.nodes)
		switch r.IntN(10) {
		case 0, 1:
			v = 0 // the hub
		case 2:
			v = u
		case 3:
			u, v = 1, 2
		}
		amount, kind, label := r.NormFloat64(), r.IntN(3), r.IntN(2)
		if e < 4 {
			kind, label = e%3, e%2
		}
		if e%4 == 3 && e == s.held {
			amount, label = 7.5, 1-label
		}
		text := [2]string{"no", "yes"}[label]
		if s.number {
			text = fmt.Sprint(amount + float64(label))
		}
		fmt.Fprintf(&edges, "n%d,n%d,%g,%c,%s\n", u, v, amount, 'x'+rune(kind), text)
		switch {
		case e%4 != 3:
			split.Train = append(split.Train, e)
		case e%8 == 3:
			split.Valid = append(split.Valid, e)
		default:
			split.Test = append(split.Test, e)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"edges.csv": edges.Bytes(), "nodes.csv": nodes.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	form := data.Undirected
	if s.directed {
		form = data.Directed
	}
	set, err := tables.Open(dir, tables.Options{Form: form, Number: s.number})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := set.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "store")
	if err := store.Cut(at, set, enc, split, store.Options{BlockEdges: max(s.blocks, 1), Parts: max(s.parts, 1)}); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	return &example{set, split, enc, st}
}

// index makes the index of an example.
func (x *example) index(t testing.TB) *Index {
	t.Helper()
	i, err := OpenIndex(context.Background(), x.store, &x.store.Manifest, x.store.Checksum, filepath.Join(t.TempDir(), "index"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.Close() })
	return i
}

// inMemory is a store whose blocks can be changed.
type inMemory struct {
	*store.Store
	blocks []*store.Block
}

func blocksOf(t testing.TB, x *example) *inMemory {
	t.Helper()
	out := &inMemory{Store: x.store}
	for i := range x.store.Manifest.Blocks {
		b, err := x.store.Block(context.Background(), i)
		if err != nil {
			t.Fatal(err)
		}
		out.blocks = append(out.blocks, b)
	}
	return out
}

func (m *inMemory) Block(_ context.Context, i int) (*store.Block, error) { return m.blocks[i], nil }
