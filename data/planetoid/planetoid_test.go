package planetoid_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

func TestRead(t *testing.T) {
	d, err := planetoid.Read(toy.fs(), planetoid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &graph.Graph{
		NumNodes: 6, Ends: []int32{0, 1, 0, 2, 0, 3, 2, 2, 2, 5}, Label: graph.NoLabel,
		NodeLabel: []int32{1, 0, 1, 0, 0, 1},
		Node:      graph.Features{Dim: 3, Dense: []float32{.5, 0, .5, 0, 0, 0, .25, .5, .25, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
		Edge:      graph.Ones(5),
	}
	if !reflect.DeepEqual(d.Graphs, []*graph.Graph{want}) {
		t.Errorf("graph %+v\nwant  %+v", d.Graphs[0], want)
	}
	if want := (&data.Split{Name: "public", Train: []int{0}, Valid: []int{1, 2}, Test: []int{5, 3}}); !reflect.DeepEqual(d.NodeSplit, want) {
		t.Errorf("split %+v, want %+v", d.NodeSplit, want)
	}
	info := data.Info{
		Name: "toy", Format: planetoid.Format, NumGraphs: 1, NumNodeClasses: 2, NodeClassCounts: []int{3, 3}, Scaled: true, NodeWidth: 3, EdgeWidth: 1,
		MeanNodes: 6, MeanEdges: 5, MaxNodes: 6, MaxEdges: 5, MaxDegree: 3,
		HasNodeLabels: true, HasNodeAttributes: true, Symmetric: true, Checksum: d.Info.Checksum,
		NodeSplit: &data.SplitInfo{Name: "public", Train: 1, Valid: 2, Test: 2},
		Notes: []string{"each row of node features is divided by its sum",
			"1 nodes are in no file but the graph: no features, class 0, in no part", "1 self-loops, kept", "edges have no features: constant 1"},
	}
	if !reflect.DeepEqual(d.Info, info) {
		t.Errorf("info %+v\nwant %+v", d.Info, info)
	}
	directed, err := planetoid.Read(toy.fs(), planetoid.Options{Edges: data.Directed})
	if err != nil {
		t.Fatal(err)
	}
	g := directed.Graphs[0]
	if arcs := []int32{0, 1, 0, 2, 0, 3, 1, 0, 2, 0, 2, 2, 2, 5, 3, 0, 5, 2}; !slices.Equal(g.Ends, arcs) || !g.Directed || !directed.Info.Directed {
		t.Errorf("arcs %v, want %v", g.Ends, arcs)
	}
}

// Other tools write other types: wider numbers, columns first, bytes of Python 3.
func TestTypes(t *testing.T) {
	want, err := planetoid.Read(toy.fs(), planetoid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wide := func(values ...float64) string {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return string(b)
	}
	for name, ally := range map[string]string{
		"int64":         pickled{}.array("i8", false, int32s(0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0), 3, 2).end(),
		"float64":       pickled{}.array("f8", false, wide(0, 1, 1, 0, 0, 1), 3, 2).end(),
		"bytes":         pickled{}.array("u1", false, "\x00\x01\x01\x00\x00\x01", 3, 2).end(),
		"columns first": pickled{}.array("i1", true, "\x00\x01\x00\x01\x00\x01", 3, 2).end(),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := planetoid.Read(toy.with("ally", ally).fs(), planetoid.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(d.Graphs[0].NodeLabel, want.Graphs[0].NodeLabel) {
				t.Errorf("classes %v, want %v", d.Graphs[0].NodeLabel, want.Graphs[0].NodeLabel)
			}
		})
	}
}

func TestContainers(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, text := range toy {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := z.Create("planetoid/" + name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "toy.zip")
	if err := os.WriteFile(file, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	want, err := planetoid.Read(toy.fs(), planetoid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, file, filepath.Join(dir, "ind.toy.allx")} {
		if !planetoid.Recognise(name) {
			t.Errorf("%s is not recognised", name)
		}
		d, err := planetoid.Open(name, planetoid.Options{})
		if err != nil {
			t.Error(err)
		} else if !reflect.DeepEqual(d, want) {
			t.Errorf("%s: %+v\nwant %+v", name, d.Info, want.Info)
		}
	}
	gz := files{}
	for name, text := range toy {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		gz["sets/"+name+".gz"] = b.String()
	}
	if d, err := planetoid.Read(gz.fs(), planetoid.Options{Name: "TOY"}); err != nil || d.Info.Checksum != want.Info.Checksum {
		t.Errorf("gzipped: %v, %v", d, err)
	}
	if planetoid.Recognise(t.TempDir()) || planetoid.Recognise(filepath.Join(dir, "none")) {
		t.Error("something else is recognised")
	}
}

func TestNotRecognised(t *testing.T) {
	two := toy.with()
	two["ind.other.graph"] = ""
	tests := []struct {
		files files
		opts  planetoid.Options
		want  string
	}{
		{files{}, planetoid.Options{}, "planetoid: no data set recognised: expected ind.NAME.graph and its companions"},
		{toy, planetoid.Options{Name: "Cora"}, "planetoid: no data set recognised: expected ind.cora.graph and its companions"},
		{two, planetoid.Options{}, "planetoid: no data set recognised: several could be meant (other, toy); select one by name"},
	}
	for _, test := range tests {
		if _, err := planetoid.Read(test.files.fs(), test.opts); !errors.Is(err, data.ErrUnknownFormat) || err.Error() != test.want {
			t.Errorf("error %v\nwant  %s", err, test.want)
		}
	}
	if _, err := planetoid.Open(filepath.Join(t.TempDir(), "none"), planetoid.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing path: %v", err)
	}
	if _, err := planetoid.Read(toy.fs(), planetoid.Options{Edges: 7}); err == nil {
		t.Error("an unknown form of edges is accepted")
	}
}

func TestBadInput(t *testing.T) {
	array := func(code, b string, shape ...int) string { return pickled{}.array(code, false, b, shape...).end() }
	matrix := func(shape pickled, indptr, indices, values string) string {
		return pickled{}.class("scipy.sparse.csr", "csr_matrix").op(")\x81}(").text("_shape").op(string(shape)).
			text("indptr").array("i4", false, indptr, len(indptr)/4).text("indices").array("i4", false, indices, len(indices)/4).
			text("data").array("f4", false, values, len(values)/4).op("ub").end()
	}
	three := pickled{}.int(3).int(3).op("\x86")
	one := int32s(int32(math.Float32bits(1)))
	const bomb = "byte 2: 2147483647 bytes expected, 4 are left"
	tests := []struct{ name, part, text, want string }{
		// The walk over the instructions
		{"missing", "tx", "-", "ind.toy.tx: file is missing: file does not exist"},
		{"empty", "x", "", "is no pickle of a Planetoid set: the file ends before the pickle does"},
		{"text", "x", "<html>", "byte 0: instruction 0x3c"},
		{"cut", "x", toy["ind.toy.x"][:60], "bytes expected, "},
		{"bytes behind", "x", toy["ind.toy.x"] + "N", "1 bytes follow the end"},
		{"protocol 5", "x", "\x80\x05N.", "byte 0: protocol 5, expected 2 or 3"},
		{"text bomb", "x", "\x80\x02T\xff\xff\xff\x7fabc.", bomb},
		{"bytes bomb", "x", "\x80\x03B\xff\xff\xff\xffabc.", "byte 2: -1 bytes expected, 4 are left"},
		{"frame", "x", "\x80\x02\x95\xff\xff\xff\xff\xff\xff\xff\x7f", "byte 2: instruction 0x95"},
		{"nested", "x", strings.Repeat("(", 17), "byte 16: more than 16 marks inside one another"},
		{"many", "x", strings.Repeat("N", 1<<20+1), "more than 1048576 instructions"},
		{"no mark", "x", "t.", "byte 0: no mark to end"},
		{"empty number", "x", "\x8a\x00.", "byte 0: a number of 0 bytes, expected 1 to 8"},
		{"a shell", "graph", "cos\nsystem\nT\x02\x00\x00\x00ls\x85R.", `byte 0: object of class "os.system", expected arrays, matrices and lists`},
		{"half a name", "graph", "cnumpy\nndar", "byte 0: the file ends inside a name"},
		// What the library finds
		{"empty stack", "x", "\x80\x02R.", "is no valid pickle: the stack is empty"},
		{"odd dict", "x", "\x80\x02}(Nu.", "is no valid pickle: runtime error: index out of range"},
		{"call of a number", "x", "\x80\x02K\x01)R.", "is no valid pickle: REDUCE requires a Callable object: 1"},
		{"a list in itself", "x", "\x80\x02]q\x01h\x01a)\x81.", "is no valid pickle: NEWOBJ requires a PyNewable object"},
		// Objects
		{"other object", "x", "\x80\x02N.", "ind.toy.x: holds a <nil>, expected a sparse matrix"},
		{"array for a matrix", "allx", array("i4", one, 1), "holds a *planetoid.array, expected a sparse matrix"},
		{"text array", "y", array("S5", "abcde", 1), `array of type "S5", expected integers or floats`},
		{"shape lies", "y", array("i4", one, 1<<20, 1<<20), "an array of shape [1048576 1048576] with 4 bytes an element has 4 bytes"},
		{"shape overflows", "y", array("f8", "", math.MaxInt32, math.MaxInt32), "has 0 bytes"},
		{"negative shape", "y", array("i4", "", -1), "an array has a size that is not a number from 0 to 2147483647"},
		{"three dimensions", "y", array("i4", one, 1, 1, 1), "an array has another shape than one or two sizes"},
		{"unfinished matrix", "allx", pickled{}.class("scipy.sparse.csr", "csr_matrix").op(")\x81").end(), "the matrix lacks indptr, indices or data"},
		{"row ends", "allx", matrix(three, int32s(0, 1, 0, 1), int32s(0), one), "row 1 of the matrix ends at value 0 of 1"},
		{"too few row ends", "allx", matrix(three, int32s(0, 1), int32s(0), one), "the matrix has 3 rows and 2 row ends, expected one more"},
		{"huge row end", "allx", matrix(three, int32s(0, 1, 1, 2000000000), int32s(0), one), "row 2 of the matrix ends at value 2000000000 of 1"},
		{"column", "allx", matrix(three, int32s(0, 1, 1, 1), int32s(3), one), "value 0 of the matrix is in column 3 of 3"},
		{"NaN", "allx", matrix(three, int32s(0, 1, 1, 1), int32s(0), int32s(0x7fc00000)), "value 0 of the matrix is NaN, expected a finite number"},
		{"columns for values", "allx", matrix(three, int32s(0, 1, 1, 1), int32s(0, 1), one), "the matrix has 2 columns for 1 values"},
		{"wide", "allx", matrix(pickled{}.int(3).int(2000000000).op("\x86"), int32s(0, 0, 0, 0), "", ""), "matrix of 2 rows and 3 columns, expected 2 as in test.index and 2000000000 as in allx"},
		// Parts that do not fit
		{"node out of range", "graph", pickled{}.lists([]int{1, 6}, []int{0}, nil, nil, nil, nil).end(), "a neighbour of node 0 is not a node from 0 to 5"},
		{"no nodes", "graph", pickled{}.lists().end(), "ind.toy.graph: no nodes"},
		{"fewer nodes", "graph", pickled{}.lists(nil, nil, nil, nil, nil).end(), "ind.toy.test.index:1: node 5, expected each node once, from 3 (rows of allx) to 4 (nodes of graph)"},
		{"test is text", "test.index", "5\nx\n", `ind.toy.test.index:2: node is "x", expected a number from 0`},
		{"test twice", "test.index", "5\n5\n", "ind.toy.test.index:2: node 5, expected each node once"},
		{"test in front", "test.index", "5\n2\n", "ind.toy.test.index:2: node 2, expected each node once"},
		{"test too long", "test.index", "5\n3\n4\n", "ind.toy.ty: array of 2 rows, expected 3 as in test.index"},
		{"more training", "y", array("i4", int32s(0, 1, 1, 0, 0, 1, 1, 0), 4, 2), "ind.toy.y: array of 4 rows, expected at most 3 as in allx"},
		{"other training", "y", array("i4", int32s(1, 0), 1, 2), "ind.toy.y: classes differ from those of the first rows of ally"},
		{"other classes", "ty", array("i4", int32s(0, 1), 2, 1), "ind.toy.ty: array of 1 classes, expected 2 as in ally"},
		{"rows of ally", "ally", array("i4", int32s(0, 1), 1, 2), "ind.toy.ally: array of 1 rows, expected 3 as in allx"},
		{"rows of x", "x", pickled{}.matrix(3).end(), "ind.toy.x: matrix of 0 rows and 3 columns, expected 1 as in y and 3 as in allx"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := planetoid.Read(toy.with(test.part, test.text).fs(), planetoid.Options{})
			var parse *data.ParseError
			if d != nil || !errors.As(err, &parse) || !strings.HasPrefix(err.Error(), "planetoid: toy: ind.toy.") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v\nwant  ...%s", err, test.want)
			}
		})
	}
	for _, limit := range []int64{10, 2000} { // of the files, of the features
		if _, err := planetoid.Read(toy.fs(), planetoid.Options{MaxMemory: limit}); !errors.Is(err, data.ErrTooLarge) {
			t.Errorf("limit %d: error %v, want ErrTooLarge", limit, err)
		}
	}
}

// FuzzRead puts any bytes in the place of each kind of part. A set is refused
// with an error that names the file, or holds together.
func FuzzRead(f *testing.F) {
	names := []string{"allx", "ally", "graph", "test.index"}
	add := func(set files) {
		f.Add([]byte(set["ind.toy.allx"]), []byte(set["ind.toy.ally"]), []byte(set["ind.toy.graph"]), []byte(set["ind.toy.test.index"]))
	}
	add(toy)
	for _, name := range names {
		add(toy.with(name, ""))
	}
	add(toy.with("ally", pickled{}.array("f8", true, strings.Repeat("\x00", 48), 3, 2).end()))
	add(toy.with("graph", "\x80\x02]q\x01h\x01a)\x81.", "ally", "\x80\x02}(Nu."))
	f.Fuzz(func(t *testing.T, allx, ally, graph, index []byte) {
		set := toy.with("allx", string(allx), "ally", string(ally), "graph", string(graph), "test.index", string(index))
		d, err := planetoid.Read(set.fs(), planetoid.Options{MaxMemory: 1 << 20})
		if err != nil {
			if d != nil || !strings.HasPrefix(err.Error(), "planetoid: toy: ind.toy.") && !strings.Contains(err.Error(), "no data set recognised") {
				t.Fatalf("%v, %v", d, err)
			}
			return
		}
		g := d.Graphs[0]
		if len(g.NodeLabel) != g.NumNodes || len(d.NodeSplit.Train)+len(d.NodeSplit.Valid)+len(d.NodeSplit.Test) > g.NumNodes {
			t.Fatalf("%+v %+v", d.Info, d.NodeSplit)
		}
		for e := 2; e < len(g.Ends); e += 2 {
			if u, v, w, x := g.Ends[e-2], g.Ends[e-1], g.Ends[e], g.Ends[e+1]; u > v || u > w || u == w && v >= x {
				t.Fatalf("edge (%d,%d) before (%d,%d)", u, v, w, x)
			}
		}
	})
}

// TestReal compares the sets with their published sizes and, number by number,
// with what Python reads (testdata/real_sha256.py).
func TestReal(t *testing.T) {
	text, err := os.ReadFile("testdata/real_sha256.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string]string
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name                                                      string
		nodes, edges, loops, classes, features, train, test, none int
	}{
		{"cora", 2708, 5278, 0, 7, 1433, 140, 1000, 0},
		{"citeseer", 3327, 4552, 124, 6, 3703, 120, 1000, 15},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := planetoid.Open(realdata.Path(t, "planetoid"), planetoid.Options{Name: test.name})
			if err != nil {
				t.Fatal(err)
			}
			g, s := d.Graphs[0], d.NodeSplit
			check := func(what string, have, want int) {
				t.Helper()
				if have != want {
					t.Errorf("%s: %d, want %d", what, have, want)
				}
			}
			loops := 0
			for e := range g.NumEdges() {
				if g.Ends[2*e] == g.Ends[2*e+1] {
					loops++
				}
			}
			check("nodes", g.NumNodes, test.nodes)
			check("edges", g.NumEdges()-loops, test.edges)
			check("loops", loops, test.loops)
			check("classes", d.Info.NumNodeClasses, test.classes)
			check("largest class", int(slices.Max(g.NodeLabel)), test.classes-1)
			check("features", g.Node.Dim, test.features)
			check("train", len(s.Train), test.train)
			check("valid", len(s.Valid), 500)
			check("test", len(s.Test), test.test)
			missing, sums := 0, 0.0
			for v := range g.NumNodes {
				sum := 0.0
				for _, x := range g.Node.Dense[v*g.Node.Dim : (v+1)*g.Node.Dim] {
					sum += float64(x)
				}
				if sum == 0 {
					if missing++; slices.Contains(s.Test, v) && test.none == 0 {
						t.Errorf("test node %d has no features", v)
					}
					continue
				}
				sums = max(sums, math.Abs(sum-1))
			}
			if missing < test.none || sums > 1e-5 {
				t.Errorf("%d rows without features, expected at least %d; sums off by %g", missing, test.none, sums)
			}
			if have := fingerprint(d); have != golden[test.name] {
				t.Errorf("fingerprint %s, want %s", have, golden[test.name])
			}
		})
	}
}

func fingerprint(d *data.Dataset) string {
	var b []byte
	ints := func(values ...int) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	g, s := d.Graphs[0], d.NodeSplit
	ints(g.NumNodes, g.NumEdges())
	for _, list := range [][]int32{g.Ends, g.NodeLabel} {
		for _, v := range list {
			ints(int(v))
		}
	}
	for _, ids := range [][]int{s.Train, s.Valid, s.Test} {
		ints(len(ids))
		ints(ids...)
	}
	for _, v := range g.Node.Dense {
		ints(int(math.Float32bits(v)))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
