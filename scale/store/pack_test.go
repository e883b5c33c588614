package store_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/scale/store"
)

// payments writes generated payments with missing values, a hub, parallel edges and self-loops.
func payments(t *testing.T, dir string, edges int) {
	t.Helper()
	var e, n bytes.Buffer
	tx, err := synth.NewTransactions(max(edges/10, 40), edges, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tx.WriteEdges(&e), tx.WriteNodes(&n)); err != nil {
		t.Fatal(err)
	}
	r := rng.Stream(3, "store")
	lines := strings.SplitAfter(e.String(), "\n")
	names := strings.Split(strings.TrimSpace(lines[0]), ",")
	amount, target := slices.Index(names, "amount"), slices.Index(names, "target")
	lines[0] = strings.TrimSpace(lines[0]) + ",part\n"
	for i := 1; i < len(lines)-1; i++ {
		cells := strings.Split(strings.TrimSpace(lines[i]), ",")
		switch r.IntN(8) {
		case 0:
			cells[amount] = ""
		case 1:
			cells[target] = "17" // a hub
		case 2:
			cells[target] = cells[slices.Index(names, "source")]
		}
		lines[i] = strings.Join(cells, ",") + "," + []string{"train", "train", "train", "valid", "test"}[r.IntN(5)] + "\n"
	}
	write(t, dir, "edges.csv", strings.Join(lines, ""))
	write(t, dir, "nodes.csv", n.String())
}

// fit reads tables as ehgnn does, and fits an encoder on the column of parts.
func fit(t *testing.T, dir string, o tables.Options) (*tables.Set, *tables.Encoder) {
	t.Helper()
	set, err := tables.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	split, err := set.Split(tables.SplitOptions{By: tables.ByColumn})
	if err != nil {
		t.Fatal(err)
	}
	e, err := set.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	return set, e
}

// pack packs the tables of a folder.
func pack(t *testing.T, dir string, o store.PackOptions) (*store.Store, string) {
	t.Helper()
	if o.Edges == nil {
		o.Edges = []string{filepath.Join(dir, "edges.csv")}
		if _, err := os.Stat(filepath.Join(dir, "nodes.csv")); err == nil {
			o.Nodes = []string{filepath.Join(dir, "nodes.csv")}
		}
	}
	out := filepath.Join(t.TempDir(), "store")
	if _, err := store.Pack(context.Background(), out, o); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	return s, out
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sums returns the checksums of the files in a folder.
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPackEqualsCore packs generated payments, and compares ids, features by their bits, labels and
// ends with those that ehgnn reads, for several block sizes, numbers of parts and formats of
// tables.
func TestPackEqualsCore(t *testing.T) {
	t.Run("directed", func(t *testing.T) { packEqualsCore(t, data.Directed) })
	t.Run("undirected", func(t *testing.T) { packEqualsCore(t, data.Undirected) })
}

func packEqualsCore(t *testing.T, form data.Edges) {
	dir := t.TempDir()
	payments(t, dir, 3000)
	set, e := fit(t, dir, tables.Options{Part: "part", Form: form, Label: "label"})
	text, err := os.ReadFile(filepath.Join(dir, "edges.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(strings.Join(lines[:1200], "")))
	z.Close()
	several := []string{write(t, dir, "first.csv.gz", packed.String()), write(t, dir, "second.csv", lines[0]+strings.Join(lines[1200:], ""))}
	nodeFiles := []string{filepath.Join(dir, "nodes.csv")}
	for name, o := range map[string]store.PackOptions{
		"one block":   {},
		"small":       {Options: store.Options{BlockEdges: 77, Parts: 5}},
		"a few parts": {Options: store.Options{BlockEdges: 1000, Parts: 2}, Memory: 64 << 20},
		"files":       {Options: store.Options{BlockEdges: 500}, Edges: several, Nodes: nodeFiles},
	} {
		t.Run(name, func(t *testing.T) {
			o.Encoder, o.Split.By = e, tables.ByColumn
			s, _ := pack(t, dir, o)
			same(t, s, set, e)
			_, _, parts := whole(t, s)
			for i, p := range parts {
				if int8(p) != set.Part[i] {
					t.Fatalf("edge %d is in part %d, expected %d", i, p, set.Part[i])
				}
			}
			m := s.Manifest
			if name != "files" && m.Checksum != set.Checksum {
				t.Errorf("the checksum is %s, expected %s", m.Checksum, set.Checksum)
			}
			if count := m.Split.Edges; count[0]+count[1]+count[2] != m.Edges || m.Edges != int64(set.NumEdges()) {
				t.Errorf("%v of %d edges are in parts", count, m.Edges)
			}
			cut := filepath.Join(t.TempDir(), "cut")
			split, err := set.Split(tables.SplitOptions{By: tables.ByColumn})
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Cut(cut, set, e, split, store.Options{BlockEdges: m.BlockEdges, Parts: len(m.Parts)}); err != nil {
				t.Fatal(err)
			}
			c, err := store.Open(cut)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range []*store.Manifest{&m, &c.Manifest} {
				x.Checksum = ""
				x.Encoder = nil
			}
			if got, want := asJSON(t, m), asJSON(t, c.Manifest); got != want { // includes the checksums of all files
				t.Errorf("the manifest is\n%s, expected\n%s as of a set that is cut", got, want)
			}
		})
	}
}

// TestPackFits fits an encoder, and compares it with that of ehgnn.
func TestPackFits(t *testing.T) {
	dir := t.TempDir()
	payments(t, dir, 2000)
	o := tables.Options{Part: "part", Form: data.Directed, Label: "label"}
	set, want := fit(t, dir, o)
	s, _ := pack(t, dir, store.PackOptions{Options: store.Options{BlockEdges: 300, Parts: 3}, Tables: o, Split: store.Splitting{By: tables.ByColumn}})
	got := s.Manifest.Encoder
	same(t, s, set, got)
	for _, lists := range [][2][]tables.Field{{got.Edges, want.Edges}, {got.Nodes, want.Nodes}} {
		for i := range lists[0] {
			g, w := &lists[0][i], lists[1][i]
			if math.Abs(g.Mean-w.Mean) > 1e-12*math.Abs(w.Mean) || math.Abs(g.Scale-w.Scale) > 1e-12*w.Scale {
				t.Errorf("field %+v, expected %+v", *g, w)
			}
			g.Mean, g.Scale = w.Mean, w.Scale
		}
	}
	if a, b := asJSON(t, got), asJSON(t, want); a != b {
		t.Errorf("the encoder is\n%s, expected\n%s", a, b)
	}
}

// TestPackBytes checks that threads and memory do not change the files, and that a fitted encoder
// does not depend on blocks and parts.
func TestPackBytes(t *testing.T) {
	dir := t.TempDir()
	payments(t, dir, 1500)
	o := store.PackOptions{Tables: tables.Options{Form: data.Directed, Label: "label"}, Split: store.Splitting{By: tables.ByRandom, Seed: 5},
		Options: store.Options{BlockEdges: 100, Parts: 3}, Threads: 1}
	first, a := pack(t, dir, o)
	o.Threads, o.Memory = 4, 8<<20
	_, b := pack(t, dir, o)
	if x, y := sums(t, a), sums(t, b); !maps.Equal(x, y) {
		t.Errorf("files are %v, expected %v", y, x)
	}
	o.BlockEdges, o.Parts = 333, 8
	other, _ := pack(t, dir, o)
	if x, y := asJSON(t, first.Manifest.Encoder), asJSON(t, other.Manifest.Encoder); x != y {
		t.Errorf("the encoder is %s with other blocks, expected %s", y, x)
	}
	_, _, p := whole(t, first)
	if _, _, q := whole(t, other); !slices.Equal(p, q) {
		t.Error("the split differs with other blocks")
	}
}

func TestPackSplits(t *testing.T) {
	dir := t.TempDir()
	payments(t, dir, 2000)
	set, err := tables.Open(dir, tables.Options{Label: "label", Time: "time"})
	if err != nil {
		t.Fatal(err)
	}
	o := tables.Options{Form: data.Directed, Label: "label", Time: "time"}
	for _, fractions := range [][3]float64{{}, {0.5, 0.25, 0.25}, {0.9, 0, 0.1}, {0.7, 0.3, 0}, {1, 0, 0}} {
		s, _ := pack(t, dir, store.PackOptions{Tables: o, Split: store.Splitting{By: tables.ByTime, Fractions: fractions}})
		split, err := set.Split(tables.SplitOptions{By: tables.ByTime, Fractions: fractions})
		if err != nil {
			t.Fatal(err)
		}
		_, _, parts := whole(t, s)
		for p, list := range [][]int{split.Train, split.Valid, split.Test} {
			if s.Manifest.Split.Edges[p] != int64(len(list)) {
				t.Errorf("%v: part %d has %d edges, expected %d", fractions, p, s.Manifest.Split.Edges[p], len(list))
			}
			for _, e := range list {
				if int(parts[e]) != p {
					t.Fatalf("%v: edge %d is in part %d, expected %d", fractions, e, parts[e], p)
				}
			}
		}
	}
	// In a random split, parallel edges stay together, and the shares are approximately right.
	text, _ := os.ReadFile(filepath.Join(dir, "edges.csv"))
	lines := strings.SplitAfter(string(text), "\n")
	twice := write(t, dir, "edges.csv", string(text)+strings.Join(lines[1:], ""))
	s, _ := pack(t, dir, store.PackOptions{Edges: []string{twice}, Tables: o, Split: store.Splitting{By: tables.ByRandom, Fractions: [3]float64{0.6, 0.2, 0.2}}})
	_, _, parts := whole(t, s)
	if m := len(parts) / 2; !slices.Equal(parts[:m], parts[m:]) {
		t.Error("twins are in different parts")
	}
	for p, share := range []float64{0.6, 0.2, 0.2} {
		if got := float64(s.Manifest.Split.Edges[p]) / float64(s.Manifest.Edges); math.Abs(got-share) > 0.04 {
			t.Errorf("part %d has %.3f of the edges, expected %g", p, got, share)
		}
	}
}

func TestPackRefuses(t *testing.T) {
	e := &tables.Encoder{Options: tables.Options{Form: data.Directed, Nodes: tables.NoFiles, Numbers: []string{"x"}, Label: "label"}, Edges: []tables.Field{{Name: "x", Kind: schema.KindNumber, Scale: 1}}, Classes: []string{"0"}}
	withNodes := *e
	withNodes.Options.Nodes = nil
	undirected := *e
	undirected.Options.Form = data.Undirected
	directed := tables.Options{Form: data.Directed}
	for name, test := range map[string]struct {
		edges, nodes string
		o            store.PackOptions
		want         string
	}{
		"torn":          {"source,target,x\na,b,1\na,b\n", "", store.PackOptions{Encoder: e}, "edges.csv:3: number of values is 2, expected 3"},
		"number":        {"source,target,x\na,b,1\n\n\nb,c,two\n", "", store.PackOptions{Encoder: e}, `edges.csv:5: column "x" is "two"`},
		"column":        {"source,target\na,b\n", "", store.PackOptions{Encoder: e}, `there is no column "x"`},
		"target":        {"source,target,x\na,b,1\na,b,2\nc,d,1\n", "id\na\nb\nc\n", store.PackOptions{Encoder: &withNodes}, `edges.csv:4: column "target" is "d", which is not a node of the tables of nodes`},
		"source":        {"source,target,x\na,b,1\nz,a,2\nc,d,1\n", "id\na\nb\n", store.PackOptions{Encoder: &withNodes}, `edges.csv:3: column "source" is "z", which is not a node of the tables of nodes`},
		"node twice":    {"source,target,x\na,b,1\n", "id\na\nlonely\nb\nlonely\n", store.PackOptions{Encoder: &withNodes}, `nodes.csv:5: column "id" is "lonely", which is the id of an earlier line`},
		"mirrored":      {"source,target,x\na,b,1\nb,c,2\nb,a,1\nc,b,2\n", "", store.PackOptions{Encoder: &undirected}, "edges.csv: every edge is listed in both directions"},
		"auto":          {"source,target\na,b\n", "", store.PackOptions{Split: store.Splitting{By: tables.ByRandom}}, "must be given"},
		"no split":      {"source,target\na,b\n", "", store.PackOptions{Tables: directed}, "fitted on training edges"},
		"no part":       {"source,target\na,b\n", "", store.PackOptions{Tables: directed, Split: store.Splitting{By: tables.ByColumn}}, "needs the name of a column"},
		"no times":      {"source,target\na,b\n", "", store.PackOptions{Tables: directed, Split: store.Splitting{By: tables.ByTime}}, "no column of times"},
		"no test":       {"source,target\na,b\n", "", store.PackOptions{Tables: directed, Split: store.Splitting{By: tables.ByRandom}}, "without an edge"},
		"a time":        {"source,target,time\na,b,1\nb,c,\n", "", store.PackOptions{Tables: directed, Split: store.Splitting{By: tables.ByTime}}, "edges.csv:3: column"},
		"nodes of none": {"source,target,x\na,b,1\n", "id\na\nb\n", store.PackOptions{Encoder: e}, "trained without a table of nodes"},
		"block":         {"source,target,x\na,b,1\n", "", store.PackOptions{Encoder: e, Memory: 1 << 20}, "choose a smaller --block"},
		"structure": {"source,target,x\na,b,1\n", "", store.PackOptions{Encoder: &tables.Encoder{Options: directed, Structure: []tables.Field{{Name: "degree", Scale: 1}}}},
			"columns of structure"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			test.o.Edges = []string{write(t, dir, "edges.csv", test.edges)}
			if test.nodes != "" {
				test.o.Nodes = []string{write(t, dir, "nodes.csv", test.nodes)}
			}
			if test.o.Memory == 0 {
				test.o.BlockEdges = 2
			}
			_, err := store.Pack(context.Background(), filepath.Join(dir, "out"), test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, expected %s", err, test.want)
			}
			left, _ := filepath.Glob(filepath.Join(dir, "*out*"))
			if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left)+len(hidden) > 0 {
				t.Errorf("%v %v are left", left, hidden)
			}
		})
	}
}

func TestPackRefusesWhatIsNoFile(t *testing.T) {
	o := store.PackOptions{Tables: tables.Options{Form: data.Directed}, Split: store.Splitting{By: tables.ByRandom}}
	for _, name := range []string{os.DevNull, t.TempDir()} {
		o.Edges = []string{name}
		if _, err := store.Pack(context.Background(), filepath.Join(t.TempDir(), "out"), o); err == nil || !strings.Contains(err.Error(), "expected a file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPackInterrupted checks that an interrupted packing leaves no files.
func TestPackInterrupted(t *testing.T) {
	dir := t.TempDir()
	payments(t, dir, 3000)
	ctx, cancel := context.WithCancel(context.Background())
	o := store.PackOptions{Edges: []string{filepath.Join(dir, "edges.csv")}, Tables: tables.Options{Form: data.Directed, Label: "label"}, Split: store.Splitting{By: tables.ByRandom},
		Progress: func(step string, done, total int64) {
			if step == "edges" {
				cancel()
			}
		}}
	if _, err := store.Pack(ctx, filepath.Join(dir, "out"), o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected that it is cancelled", err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 2 {
		t.Errorf("%v are left", entries)
	}
}

// TestPackKilled kills a packing in another process: there is no store. The next packing makes it
// and removes the files that were left.
func TestPackKilled(t *testing.T) {
	const name = "EHGNN_PACK_KILLED"
	dir := os.Getenv(name)
	o := store.PackOptions{Tables: tables.Options{Form: data.Directed, Label: "label"}, Split: store.Splitting{By: tables.ByRandom}, Options: store.Options{BlockEdges: 50, Parts: 4}}
	if dir != "" {
		o.Progress = func(step string, done, _ int64) {
			if step == "blocks" && done == 3 {
				fmt.Println("now")
				select {}
			}
		}
		o.Edges = []string{filepath.Join(dir, "edges.csv")}
		_, err := store.Pack(context.Background(), filepath.Join(dir, "out"), o)
		t.Fatal(err)
	}
	dir = t.TempDir()
	payments(t, dir, 500)
	cmd := exec.Command(os.Args[0], "-test.run=^TestPackKilled$")
	cmd.Env = append(os.Environ(), name+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Kill()
	cmd.Wait()
	if line != "now\n" {
		t.Fatalf("it printed %q", line)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".out.tmp-*"))
	if _, err := store.Open(filepath.Join(dir, "out")); err == nil || len(left) != 1 {
		t.Errorf("there is a store (%v), and %v", err, left)
	}
	o.Edges = []string{filepath.Join(dir, "edges.csv")}
	if _, err := store.Pack(context.Background(), filepath.Join(dir, "out"), o); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	_, again := pack(t, dir, store.PackOptions{Edges: o.Edges, Tables: o.Tables, Split: o.Split, Options: o.Options})
	if !maps.Equal(sums(t, filepath.Join(dir, "out")), sums(t, again)) {
		t.Error("the store differs from one of a packing that was not disturbed")
	}
}

// TestPackRemarks checks that each remark is given once.
func TestPackRemarks(t *testing.T) {
	e := &tables.Encoder{Options: tables.Options{Form: data.Directed, Nodes: tables.NoFiles, Categories: []string{"kind"}}, Edges: []tables.Field{{Name: "kind", Kind: schema.KindCategory, Values: []string{"x"}}}}
	directed, random := tables.Options{Form: data.Directed}, store.Splitting{By: tables.ByRandom, Fractions: [3]float64{1, 0, 0}}
	for name, test := range map[string]struct {
		edges, nodes string
		o            store.PackOptions
		want         string
	}{
		"empty":         {"source,target,kind\na,b,\nb,c,\n", "", store.PackOptions{Tables: directed, Split: random}, `column "kind" is empty`},
		"empty of node": {"source,target\na,b\nb,c\n", "id,age\na,\nb,\nc,\n", store.PackOptions{Tables: directed, Split: random}, `column "age" is empty`},
		"mirrors":       {"source,target,kind\na,b,x\nc,c,x\nb,a,x\n", "", store.PackOptions{Encoder: e}, "listed in both directions"},
		"unseen":        {"source,target,kind\na,b,x\nb,a,new\n", "", store.PackOptions{Encoder: e}, `1 edges have a category of kind that training lacked, such as "new"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			test.o.Edges = []string{write(t, dir, "edges.csv", test.edges)}
			if test.nodes != "" {
				test.o.Nodes = []string{write(t, dir, "nodes.csv", test.nodes)}
			}
			var remarks []string
			test.o.Remark = func(text string) { remarks = append(remarks, text) }
			pack(t, dir, test.o)
			if len(remarks) != 1 || !strings.Contains(remarks[0], test.want) {
				t.Errorf("remarks are %q, expected %s", remarks, test.want)
			}
		})
	}
}
