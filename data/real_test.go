package data_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

// open reads a real set, or skips the test.
func open(t testing.TB, file string, opts data.Options) *data.Dataset {
	t.Helper()
	d, err := data.Open(realdata.Path(t, filepath.FromSlash(file)), opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// skipLarge leaves sets that take long to read to the full run.
func skipLarge(t *testing.T, file string) {
	t.Helper()
	if testing.Short() && (strings.Contains(file, "COLLAB") || strings.Contains(file, "DD")) {
		t.Skip("large")
	}
}

// TestRealCounts compares the sets with the table of sizes published with the
// paper, and with class counts taken from the files.
func TestRealCounts(t *testing.T) {
	tests := []struct {
		file                 string
		meanNodes, meanEdges float64 // to two digits
		maxNodes, maxDegree  int
		nodeWidth, edgeWidth int
		classes              []int // graphs of each class
		names                string
		notes                string
	}{
		{"tu/MUTAG.zip", 17.93, 19.79, 28, 4, 7, 4, []int{63, 125}, "-1 1", ""},
		{"tu/PROTEINS.zip", 39.06, 72.82, 620, 25, 4, 1, []int{663, 450}, "1 2", "edges have no features: constant 1"},
		{"tu/DD.zip", 284.32, 715.66, 5748, 19, 89, 1, []int{691, 487}, "1 2", "edges have no features: constant 1"},
		{"tu/IMDB-BINARY.zip", 19.77, 96.53, 136, 135, 136, 1, []int{500, 500}, "0 1",
			"nodes have no features: one-hot degree, width 136; edges have no features: constant 1"},
		{"tu/IMDB-MULTI.zip", 13.00, 65.94, 89, 88, 89, 1, []int{500, 500, 500}, "0 1 2",
			"nodes have no features: one-hot degree, width 89; edges have no features: constant 1"},
		// The published mean of COLLAB's edges is 2457.78. The file has 24,574,995
		// arcs, 2457.50 pairs a graph, of which 2,837 are self-loops.
		{"dgcnn/COLLAB.zip", 74.49, 2457.22, 492, 491, 492, 1, []int{2600, 775, 1625}, "0 1 2",
			"2837 self-loops dropped; nodes have no features: one-hot degree, width 492; edges have no features: constant 1"},
		{"zinc12k/ZINC_train.zip", 23.15, 24.90, 37, 4, 20, 3, []int{10000}, "0", ""},
	}
	for _, test := range tests {
		t.Run(filepath.Base(test.file), func(t *testing.T) {
			skipLarge(t, test.file)
			d := open(t, test.file, data.Options{})
			info := d.Info
			check := func(what string, got, want any) {
				t.Helper()
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s = %v, want %v", what, got, want)
				}
			}
			total := 0
			for _, n := range test.classes {
				total += n
			}
			check("Name", info.Name, strings.TrimSuffix(filepath.Base(test.file), ".zip"))
			format := data.FormatTU
			if strings.HasPrefix(test.file, "dgcnn/") {
				format = data.FormatDGCNN
			}
			check("Format", info.Format, format)
			check("NumGraphs", info.NumGraphs, total)
			check("len(Graphs)", len(d.Graphs), total)
			check("MeanNodes", math.Round(info.MeanNodes*100)/100, test.meanNodes)
			check("MeanEdges", math.Round(info.MeanEdges*100)/100, test.meanEdges)
			check("MaxNodes", info.MaxNodes, test.maxNodes)
			check("MaxDegree", info.MaxDegree, test.maxDegree)
			check("NodeWidth", info.NodeWidth, test.nodeWidth)
			check("EdgeWidth", info.EdgeWidth, test.edgeWidth)
			check("ClassNames", strings.Join(info.ClassNames, " "), test.names)
			check("NumClasses", info.NumClasses, len(test.classes))
			check("Symmetric, Directed", [2]bool{info.Symmetric, info.Directed}, [2]bool{true, false})
			check("Notes", strings.Join(info.Notes, "; "), test.notes)
			counts := make([]int, info.NumClasses)
			nodes, edges := 0, 0
			for _, g := range d.Graphs {
				counts[g.Label]++
				nodes += g.NumNodes
				edges += g.NumEdges()
				if g.Node.Width() != info.NodeWidth || g.Edge.Width() != info.EdgeWidth {
					t.Fatalf("graph of widths %d, %d", g.Node.Width(), g.Edge.Width())
				}
			}
			check("class counts", counts, test.classes)
			check("mean of the graphs' nodes", float64(nodes)/float64(total), info.MeanNodes)
			check("mean of the graphs' edges", float64(edges)/float64(total), info.MeanEdges)
		})
	}
}

// TestRealFolds compares the sizes of the parts with the published protocol.
func TestRealFolds(t *testing.T) {
	tests := []struct {
		file               string
		train, valid, test int
		never              int // graphs that no fold tests
	}{
		{"tu/MUTAG.zip", 152, 18, 18, 8},
		{"tu/PROTEINS.zip", 891, 111, 111, 3},
		{"tu/DD.zip", 944, 117, 117, 8},
		{"tu/IMDB-BINARY.zip", 800, 100, 100, 0},
		{"tu/IMDB-MULTI.zip", 1200, 150, 150, 0},
		{"dgcnn/COLLAB.zip", 4000, 500, 500, 0},
	}
	for _, test := range tests {
		t.Run(filepath.Base(test.file), func(t *testing.T) {
			skipLarge(t, test.file)
			d := open(t, test.file, data.Options{})
			tested := map[int]bool{}
			var before []int
			for k := 0; k <= 10; k++ { // fold 10 stands in for fold 0
				train, valid, held, err := d.Fold((k+9)%10 + 1)
				if err != nil {
					t.Fatal(err)
				}
				if len(train) != test.train || len(valid) != test.valid || len(held) != test.test {
					t.Errorf("fold %d has %d/%d/%d graphs, want %d/%d/%d", k, len(train), len(valid), len(held), test.train, test.valid, test.test)
				}
				partition(t, len(d.Graphs), train, valid, held)
				if k > 0 && !reflect.DeepEqual(valid, before) {
					t.Errorf("fold %d validates on %v, want the test graphs before, %v", k, valid, before)
				}
				before = held
				for _, id := range held {
					tested[id] = true
				}
			}
			if got := len(d.Graphs) - len(tested); got != test.never {
				t.Errorf("%d graphs are never tested, want %d", got, test.never)
			}
		})
	}
}

// TestRealFingerprints compares every number of every graph, in the directed
// form, with what PyTorch Geometric reads (testdata/real_sha256.py).
func TestRealFingerprints(t *testing.T) {
	text, err := os.ReadFile("testdata/real_sha256.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ SHA256 map[string]string }
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.SHA256) != 9 {
		t.Fatalf("%d golden sums, want 9", len(golden.SHA256))
	}
	for file, want := range golden.SHA256 {
		t.Run(filepath.Base(file), func(t *testing.T) {
			skipLarge(t, file)
			opts := data.Options{Edges: data.Directed}
			if strings.HasPrefix(file, "zinc") {
				opts.NodeCodes, opts.EdgeCodes = 28, 5
			}
			if got := fingerprint(open(t, file, opts)); got != want {
				t.Errorf("fingerprint %s, want %s", got, want)
			}
		})
	}
}

func fingerprint(d *data.Dataset) string {
	h := sha256.New()
	var buf []byte
	put := func(v uint32) { buf = binary.LittleEndian.AppendUint32(buf, v) }
	row := make([]float32, max(d.Info.NodeWidth, d.Info.EdgeWidth))
	rows := func(f graph.Features, n int) {
		for i := range n {
			f.Row(i, row[:f.Width()])
			for _, v := range row[:f.Width()] {
				put(math.Float32bits(v))
			}
		}
	}
	for _, g := range d.Graphs {
		buf = buf[:0]
		put(uint32(g.NumNodes))
		put(uint32(g.NumEdges()))
		put(uint32(g.Label))
		for _, v := range g.Ends {
			put(uint32(v))
		}
		rows(g.Node, g.NumNodes)
		rows(g.Edge, g.NumEdges())
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestRealForms checks that the undirected form holds the arcs of the directed
// one.
func TestRealForms(t *testing.T) {
	for _, file := range []string{"tu/MUTAG.zip", "tu/PROTEINS.zip", "zinc12k/ZINC_val.zip"} {
		undirected := open(t, file, data.Options{Edges: data.Undirected})
		directed := open(t, file, data.Options{Edges: data.Directed})
		for i, g := range undirected.Graphs {
			if got, want := g.Arcs(), directed.Graphs[i]; !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: graph %d: arcs of the undirected form differ from the directed form", file, i)
			}
		}
	}
}

func TestRealZINC(t *testing.T) {
	var smiles []string
	offsets := map[string][]int{}
	for _, part := range []string{"train", "val", "test"} {
		file := fmt.Sprintf("zinc12k/ZINC_%s.zip", part)
		offsets[part] = open(t, file, data.Options{}).Info.EdgeLabelOffset
		d := open(t, file, data.Options{NodeCodes: 28, EdgeCodes: 5})
		if d.Info.NodeWidth != 28 || d.Info.EdgeWidth != 5 {
			t.Errorf("%s: widths %d, %d, want 28, 5", part, d.Info.NodeWidth, d.Info.EdgeWidth)
		}
		if d.Info.HasFolds {
			t.Errorf("%s has folds", part)
		}
		counts := [5]int{}
		for _, g := range d.Graphs {
			for _, label := range g.EdgeLabel {
				counts[label]++
			}
		}
		if counts[0] != 0 || counts[4] != 0 || counts[1] == 0 || counts[2] == 0 || counts[3] == 0 {
			t.Errorf("%s: bonds of types 0 to 4: %v, want types 1 to 3 only", part, counts)
		}
		if len(d.SMILES) != len(d.Graphs) {
			t.Fatalf("%s: %d SMILES of %d graphs", part, len(d.SMILES), len(d.Graphs))
		}
		smiles = append(smiles, d.SMILES[0])
	}
	if want := "C[C@@]1(c2ccc(F)cc2)NC(=O)N(CN2CCN(S(=O)(=O)c3ccc4ccccc4c3)CC2)C1=O"; smiles[1] != want {
		t.Errorf("first SMILES of val is %s, want %s", smiles[1], want)
	}
	if want := map[string][]int{"train": {1}, "val": {1}, "test": {1}}; !reflect.DeepEqual(offsets, want) {
		t.Errorf("edge label offsets %v, want %v", offsets, want)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, file := range []string{"tu/MUTAG.zip", "tu/PROTEINS.zip", "tu/DD.zip", "dgcnn/COLLAB.zip"} {
		b.Run(filepath.Base(file), func(b *testing.B) {
			path := realdata.Path(b, filepath.FromSlash(file))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := data.Open(path, data.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
