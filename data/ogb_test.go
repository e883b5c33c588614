package data_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

// molecules is an OGB set of three graphs, the second a lone atom, with three
// tasks.
var molecules = files{
	"raw/num-node-list.csv":    "3\n1\n2\n",
	"raw/num-edge-list.csv":    "2\n0\n1\n",
	"raw/node-feat.csv":        "5,0,4,5,3,0,2,0,0\n7,4,2,5,1,5,5,1,1\n118,0,11,11,9,0,0,0,0\n16,0,0,5,0,1,2,0,0\n0,0,0,0,0,0,0,0,0\n1,1,1,1,1,1,1,1,1\n",
	"raw/edge.csv":             "0,1\n2,0\n1,0\n",
	"raw/edge-feat.csv":        "0,0,0\n4,5,1\n1,0,1\n",
	"raw/graph-label.csv":      "0.0,1.0,\n,,\n1,0,0\n",
	"split/scaffold/train.csv": "2\n",
	"split/scaffold/valid.csv": "0\n",
	"split/scaffold/test.csv":  "1\n",
	"mapping/mol.csv":          "one,two,three,smiles,mol_id\n0,1,,COC,m1\n,,,\"Cl\",m2\n1,0,0,C=O,m3\n",
}

// changed returns the files with changes made, as files.with for the OGB layout.
func changed(f files, changes ...string) files {
	out := maps.Clone(f)
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == "-" {
			delete(out, changes[i])
		} else {
			out[changes[i]] = changes[i+1]
		}
	}
	return out
}

// sameTargets compares targets, NaN being equal to NaN.
func sameTargets(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return x == y || x != x && y != y })
}

var nan = float32(math.NaN())

func TestOGB(t *testing.T) {
	d := read(t, molecules, data.Options{})
	want := data.Info{
		Name: "ogb", Format: data.FormatOGB, NumGraphs: 3, NumTargets: 3, MissingTargets: 4,
		TargetNames: []string{"one", "two", "three"}, NodeWidth: 174, EdgeWidth: 13,
		MeanNodes: 2, MeanEdges: 1, MaxNodes: 3, MaxEdges: 2, MaxDegree: 2,
		HasNodeLabels: true, HasEdgeLabels: true, Symmetric: true,
		Split: &data.SplitInfo{Name: "scaffold", Train: 1, Valid: 1, Test: 1}, Checksum: d.Info.Checksum,
	}
	if !reflect.DeepEqual(d.Info, want) {
		t.Errorf("info %+v\nwant %+v", d.Info, want)
	}
	atoms, bonds := []int{119, 5, 12, 12, 10, 6, 6, 2, 2}, []int{5, 6, 2}
	graphs := []graph.Graph{
		{
			NumNodes: 3, Ends: []int32{0, 1, 2, 0}, Targets: []float32{0, 1, nan},
			Node: graph.Features{Codes: atoms, Code: []int32{5, 0, 4, 5, 3, 0, 2, 0, 0, 7, 4, 2, 5, 1, 5, 5, 1, 1, 118, 0, 11, 11, 9, 0, 0, 0, 0}},
			Edge: graph.Features{Codes: bonds, Code: []int32{0, 0, 0, 4, 5, 1}},
		},
		{
			NumNodes: 1, Targets: []float32{nan, nan, nan},
			Node: graph.Features{Codes: atoms, Code: []int32{16, 0, 0, 5, 0, 1, 2, 0, 0}},
			Edge: graph.Features{Codes: bonds},
		},
		{
			NumNodes: 2, Ends: []int32{1, 0}, Targets: []float32{1, 0, 0},
			Node: graph.Features{Codes: atoms, Code: []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
			Edge: graph.Features{Codes: bonds, Code: []int32{1, 0, 1}},
		},
	}
	for i, g := range d.Graphs {
		want := graphs[i]
		want.Label = graph.NoLabel
		have := *g
		if !sameTargets(have.Targets, want.Targets) {
			t.Errorf("graph %d: targets %v, want %v", i, have.Targets, want.Targets)
		}
		have.Targets, want.Targets = nil, nil
		if !reflect.DeepEqual(have, want) {
			t.Errorf("graph %d: %+v\nwant %+v", i, have, want)
		}
	}
	if want := []string{"COC", "Cl", "C=O"}; !slices.Equal(d.SMILES, want) {
		t.Errorf("SMILES %q, want %q", d.SMILES, want)
	}
	if want := (&data.Split{Name: "scaffold", Train: []int{2}, Valid: []int{0}, Test: []int{1}}); !reflect.DeepEqual(d.Split, want) {
		t.Errorf("split %+v, want %+v", d.Split, want)
	}
}

// Without mapping and split a set is complete as well, and a set with one task
// has its missing labels as empty lines or as Python writes them.
func TestOGBOptionalFiles(t *testing.T) {
	f := changed(molecules, "mapping/mol.csv", "-", "split/scaffold/train.csv", "-", "split/scaffold/valid.csv", "-",
		"split/scaffold/test.csv", "-", "raw/graph-label.csv", "0.5\n\n\"\"\n\n\n")
	d := read(t, f, data.Options{})
	if d.SMILES != nil || d.Split != nil || d.Info.Split != nil || d.Info.TargetNames != nil || d.Info.MissingTargets != 2 {
		t.Errorf("%+v %+v", d.SMILES, d.Info)
	}
	for i, want := range []float32{0.5, nan, nan} {
		if !sameTargets(d.Graphs[i].Targets, []float32{want}) {
			t.Errorf("graph %d has targets %v, want %v", i, d.Graphs[i].Targets, want)
		}
	}
	// Without labels it is data to predict for.
	unlabelled := changed(molecules, "raw/graph-label.csv", "-")
	if d := read(t, unlabelled, data.Options{}); d.Info.NumTargets != 0 || d.Info.TargetNames != nil || d.Info.MissingTargets != 0 ||
		d.Graphs[0].Targets != nil || len(d.Graphs) != 3 || !slices.Equal(d.Info.Notes, []string{"no raw/graph-label.csv: graphs have no targets"}) {
		t.Errorf("without labels: %+v", d.Info)
	}
	// Another split than scaffold is taken when it is the only one.
	f = changed(f, "split/species/train.csv", "0\n", "split/species/valid.csv", "2\n", "split/species/test.csv", "1\n")
	if d := read(t, f, data.Options{}); d.Split == nil || d.Split.Name != "species" {
		t.Errorf("split %+v, want species", d.Split)
	}
	f = changed(f, "split/random/train.csv", "0\n", "split/species/train.csv", "0\n", "split/species/test.csv", "1\n")
	if d := read(t, f, data.Options{}); d.Split != nil || len(d.Info.Notes) != 1 {
		t.Errorf("split %+v of two folders, notes %q", d.Split, d.Info.Notes)
	}
	f = changed(molecules, "split/scaffold/train.csv", "2\n", "raw/num-node-list.csv", "3\n1\n2\n0\n", "raw/num-edge-list.csv", "2\n0\n1\n0\n",
		"raw/graph-label.csv", "0.0,1.0,\n,,\n1,0,0\n,,1\n", "mapping/mol.csv", "-")
	if d := read(t, f, data.Options{}); !slices.Equal(d.Info.Notes, []string{"1 graphs are in no part of the scaffold split"}) {
		t.Errorf("notes %q", d.Info.Notes)
	}
}

// TestOGBForms reads bonds once and twice, in either form.
func TestOGBForms(t *testing.T) {
	inverse := "0,1\n1,0\n2,0\n0,2\n1,0\n0,1\n"
	twice := changed(molecules, "raw/num-edge-list.csv", "4\n0\n2\n", "raw/edge.csv", inverse,
		"raw/edge-feat.csv", "0,0,0\n0,0,0\n4,5,1\n4,5,1\n1,0,1\n1,0,1\n")
	// By another tool: sorted, so that no inverse is beside its bond.
	sorted := changed(twice, "raw/edge.csv", "0,1\n0,2\n1,0\n2,0\n0,1\n1,0\n",
		"raw/edge-feat.csv", "0,0,0\n4,5,1\n0,0,0\n4,5,1\n1,0,1\n1,0,1\n")
	const note = "the files hold every bond in both directions"
	tests := []struct {
		name   string
		files  files
		form   data.Edges
		ends   []int32 // of the first graph
		codes  []int32
		degree int
		notes  []string
	}{
		{"once, auto", molecules, data.Auto, []int32{0, 1, 2, 0}, []int32{0, 0, 0, 4, 5, 1}, 2, nil},
		{"once, undirected", molecules, data.Undirected, []int32{0, 1, 2, 0}, []int32{0, 0, 0, 4, 5, 1}, 2, nil},
		{"once, directed", molecules, data.Directed, []int32{0, 1, 1, 0, 2, 0, 0, 2}, []int32{0, 0, 0, 0, 0, 0, 4, 5, 1, 4, 5, 1}, 2, nil},
		{"twice, auto", twice, data.Auto, []int32{0, 1, 2, 0}, []int32{0, 0, 0, 4, 5, 1}, 2, []string{note}},
		{"twice, directed", twice, data.Directed, []int32{0, 1, 1, 0, 2, 0, 0, 2}, []int32{0, 0, 0, 0, 0, 0, 4, 5, 1, 4, 5, 1}, 2, []string{note}},
		{"sorted, undirected", sorted, data.Undirected, []int32{0, 1, 0, 2}, []int32{0, 0, 0, 4, 5, 1}, 2, []string{note}},
		{"sorted, directed", sorted, data.Directed, []int32{0, 1, 0, 2, 1, 0, 2, 0}, []int32{0, 0, 0, 4, 5, 1, 0, 0, 0, 4, 5, 1}, 2, []string{note}},
		// The inverse has another type: these are two bonds.
		{"other features", changed(twice, "raw/edge-feat.csv", "0,0,0\n0,0,1\n4,5,1\n4,5,1\n1,0,1\n1,0,1\n"), data.Auto,
			[]int32{0, 1, 1, 0, 2, 0, 0, 2}, []int32{0, 0, 0, 0, 0, 1, 4, 5, 1, 4, 5, 1}, 4, nil},
		// One graph holds its bonds once: so do all.
		{"one graph differs", changed(twice, "raw/edge.csv", "0,1\n1,0\n2,0\n0,2\n1,0\n1,0\n"), data.Auto,
			[]int32{0, 1, 1, 0, 2, 0, 0, 2}, []int32{0, 0, 0, 0, 0, 0, 4, 5, 1, 4, 5, 1}, 4, nil},
		{"a loop", changed(molecules, "raw/edge.csv", "0,1\n2,2\n1,0\n"), data.Directed, []int32{0, 1, 1, 0, 2, 2},
			[]int32{0, 0, 0, 0, 0, 0, 4, 5, 1}, 1, []string{"1 bonds of an atom with itself, kept"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := read(t, test.files, data.Options{Edges: test.form})
			g := d.Graphs[0]
			if !slices.Equal(g.Ends, test.ends) || !slices.Equal(g.Edge.Code, test.codes) || g.Directed != (test.form == data.Directed) {
				t.Errorf("ends %v, codes %v, directed %v\nwant %v, %v", g.Ends, g.Edge.Code, g.Directed, test.ends, test.codes)
			}
			if d.Info.MaxDegree != test.degree || !slices.Equal(d.Info.Notes, test.notes) {
				t.Errorf("degree %d, notes %q; want %d, %q", d.Info.MaxDegree, d.Info.Notes, test.degree, test.notes)
			}
		})
	}
}

func TestOGBContainers(t *testing.T) {
	inside := func(dir string) files {
		out := files{}
		for name, text := range molecules {
			out[dir+"/"+name] = text
		}
		return out
	}
	packed := files{}
	for name, text := range molecules {
		packed[name+".gz"] = gz(text)
	}
	packed["RELEASE_v1.txt"] = "" // comes with OGB's archives, and is no DGCNN text
	two := inside("a")
	maps.Copy(two, inside("b"))
	plain := read(t, molecules, data.Options{})
	tests := []struct {
		name  string
		files files
		opts  data.Options
		want  string // name
	}{
		{"gzipped", packed, data.Options{}, "ogb"},
		{"in a folder", inside("hiv"), data.Options{}, "hiv"},
		{"one of two", two, data.Options{Name: "b"}, "b"},
		{"named", molecules, data.Options{Name: "x"}, "x"},
		{"by format", packed, data.Options{Format: data.FormatOGB}, "ogb"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := read(t, test.files, test.opts)
			if d.Info.Name != test.want || d.Info.Checksum != plain.Info.Checksum {
				t.Errorf("name %s, checksum %s, want %s, %s", d.Info.Name, d.Info.Checksum, test.want, plain.Info.Checksum)
			}
		})
	}
	dir := packed.write(t)
	d, err := data.Open(dir, data.Options{})
	if err != nil || d.Info.Name != filepath.Base(dir) {
		t.Errorf("folder: %+v, %v, want the name of the folder", d, err)
	}
	for opts, want := range map[*data.Options]string{
		{}:                         "data: no data set recognised: several could be meant (a, b); select one with --name",
		{Name: "c"}:                "",
		{Format: data.FormatDGCNN}: "",
	} {
		if _, err := data.Read(two.fs(), *opts); !errors.Is(err, data.ErrUnknownFormat) || want != "" && err.Error() != want {
			t.Errorf("%+v: error %v", *opts, err)
		}
	}
}

func TestOGBBadInput(t *testing.T) {
	tests := []struct {
		name    string
		changes []string
		opts    data.Options
		want    string
	}{
		{"no graphs", []string{"raw/num-node-list.csv", ""}, data.Options{},
			"raw/num-node-list.csv: file is empty, expected the number of atoms of each graph"},
		{"file missing", []string{"raw/edge-feat.csv", "-"}, data.Options{},
			"raw/edge-feat.csv: file is missing: file does not exist"},
		{"no number", []string{"raw/num-node-list.csv", "3\nx\n2\n"}, data.Options{},
			`raw/num-node-list.csv:2: number of atoms is "x", expected an integer`},
		{"negative number", []string{"raw/num-edge-list.csv", "2\n-1\n1\n"}, data.Options{},
			"raw/num-edge-list.csv:2: number of bonds is -1"},
		{"two numbers", []string{"raw/num-edge-list.csv", "2,1\n0\n1\n"}, data.Options{},
			`raw/num-edge-list.csv:1: "1" after the end, expected only one number a line`},
		{"too few sizes", []string{"raw/num-edge-list.csv", "2\n0\n"}, data.Options{},
			"raw/num-edge-list.csv:2: file ends early, expected the number of bonds of graph 2"},
		{"too many sizes", []string{"raw/num-edge-list.csv", "2\n0\n1\n0\n"}, data.Options{},
			"raw/num-edge-list.csv:4: more lines than the 3 expected, one per graph"},
		{"numbers lie", []string{"raw/num-node-list.csv", "3\n1\n2000000000\n"}, data.Options{},
			"raw/node-feat.csv:6: file ends early, expected 2000000000 atoms of graph 2, found 2"},
		{"too many atoms", []string{"raw/num-node-list.csv", "3\n1\n1\n", "raw/edge.csv", "0,1\n2,0\n0,0\n"}, data.Options{},
			"raw/node-feat.csv:6: more lines than the 5 expected, one per atom"},
		{"too few bonds", []string{"raw/edge.csv", "0,1\n2,0\n"}, data.Options{},
			"raw/edge.csv:2: file ends early, expected 1 bonds of graph 2, found 0"},
		{"too many bonds", []string{"raw/edge.csv", "0,1\n2,0\n1,0\n1,0\n"}, data.Options{},
			"raw/edge.csv:4: more lines than the 3 expected, one per bond"},
		{"too few bond features", []string{"raw/edge-feat.csv", "0,0,0\n"}, data.Options{},
			"raw/edge-feat.csv:1: file ends early, expected 2 bonds of graph 0, found 1"},
		{"atom out of range", []string{"raw/edge.csv", "0,1\n2,3\n1,0\n"}, data.Options{},
			"raw/edge.csv:2: second atom is 3 in a graph with 3 atoms, expected 0 to 2"},
		{"three ends", []string{"raw/edge.csv", "0,1\n2,0,1\n1,0\n"}, data.Options{},
			`raw/edge.csv:2: "1" after the end, expected only two atoms a line`},
		{"category out of range", []string{"raw/edge-feat.csv", "0,0,0\n0,6,0\n1,0,1\n"}, data.Options{},
			"raw/edge-feat.csv:2: stereo is 6, expected 0 to 5"},
		{"too few columns", []string{"raw/edge-feat.csv", "0,0\n"}, data.Options{},
			"raw/edge-feat.csv:1: conjugated is missing"},
		{"too many columns", []string{"raw/edge-feat.csv", "0,0,0,1\n"}, data.Options{},
			`raw/edge-feat.csv:1: "1" after the end, expected only 3 columns`},
		{"real feature", []string{"raw/node-feat.csv", "5,0,4,5,3,0,2,0,0.5\n"}, data.Options{},
			`raw/node-feat.csv:1: in a ring is "0.5", expected an integer`},
		{"labels missing", []string{"raw/graph-label.csv", "0,1,1\n"}, data.Options{},
			"raw/graph-label.csv:1: file ends early, expected the labels of graph 1"},
		{"labels of other number", []string{"raw/graph-label.csv", "0,1,1\n0,1\n0,1,1\n"}, data.Options{},
			"raw/graph-label.csv:2: number of labels is 2, expected 3 on each line"},
		{"infinite label", []string{"raw/graph-label.csv", "0,inf,1\n"}, data.Options{},
			`raw/graph-label.csv:1: label is "inf", expected a finite number`},
		{"too many labels", []string{"raw/graph-label.csv", "0,1,1\n,,\n,,\n\n1,1,1\n"}, data.Options{},
			"raw/graph-label.csv:4: empty line"},
		{"split out of range", []string{"split/scaffold/valid.csv", "3\n"}, data.Options{},
			"split/scaffold/valid.csv:1: graph 3, expected 0 to 2"},
		{"split overlaps", []string{"split/scaffold/test.csv", "1\n2\n"}, data.Options{},
			"split/scaffold/test.csv:2: graph 2 is already in split/scaffold/train.csv"},
		{"split incomplete", []string{"split/scaffold/test.csv", "-"}, data.Options{},
			"split/scaffold/test.csv: file is missing: file does not exist"},
		{"mapping without SMILES", []string{"mapping/mol.csv", "a,b,c,mol_id\n"}, data.Options{},
			"mapping/mol.csv:1: no column smiles"},
		{"mapping too short", []string{"mapping/mol.csv", "one,two,three,smiles,mol_id\n0,1,,COC,m1\n"}, data.Options{},
			"mapping/mol.csv:2: file ends early, expected a header and 3 lines, one per graph"},
		{"mapping too long", []string{"mapping/mol.csv", "smiles\na\nb\nc\nd\n"}, data.Options{},
			"mapping/mol.csv:5: more lines than the 3 expected behind the header, one per graph"},
		{"mapping with a stray quote", []string{"mapping/mol.csv", "smiles\na\nb\"c\nc\n"}, data.Options{},
			`mapping/mol.csv:3: is not CSV: bare " in non-quoted-field`},
		{"mapping empty", []string{"mapping/mol.csv", ""}, data.Options{},
			"mapping/mol.csv: file is empty, expected a header"},
		{"too large", nil, data.Options{MaxMemory: 100},
			"raw/num-node-list.csv:1: cannot be read: too large: graphs take more than the bound of 100 B on memory allows; raise it with --max-memory (Options.MaxMemory)"},
		{"fixed codes", nil, data.Options{NodeCodes: 28},
			"codes fixed to 28 (nodes) and 0 (edges), but OGB has widths of its own"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := data.Read(changed(molecules, test.changes...).fs(), test.opts)
			if err == nil {
				t.Fatalf("read %+v", d.Info)
			}
			if got := err.Error(); !strings.HasPrefix(got, "data: ogb: ") || !strings.HasSuffix(got, test.want) || d != nil {
				t.Errorf("error %v\nwant  data: ogb: %s", err, test.want)
			}
			var parse *data.ParseError
			if test.name != "fixed codes" && !errors.As(err, &parse) {
				t.Errorf("%T is no *ParseError", err)
			}
		})
	}
}

// FuzzOGB reads any text as an OGB set.
func FuzzOGB(f *testing.F) {
	names := slices.Sorted(maps.Keys(molecules))
	add := func(m files) {
		f.Add(m["raw/num-node-list.csv"], m["raw/num-edge-list.csv"], m["raw/node-feat.csv"], m["raw/edge.csv"],
			m["raw/edge-feat.csv"], m["raw/graph-label.csv"], m["split/scaffold/train.csv"], m["mapping/mol.csv"])
	}
	add(molecules)
	for _, name := range names {
		add(changed(molecules, name, ""))
	}
	add(changed(molecules, "raw/num-edge-list.csv", "4\n0\n2\n", "raw/edge.csv", "0,1\n1,0\n2,0\n0,2\n1,0\n0,1\n",
		"raw/edge-feat.csv", "0,0,0\n0,0,0\n4,5,1\n4,5,1\n1,0,1\n1,0,1\n"))
	f.Fuzz(func(t *testing.T, numNodes, numEdges, nodes, ends, edges, labels, train, mapping string) {
		set := files{"raw/num-node-list.csv": numNodes, "raw/num-edge-list.csv": numEdges, "raw/node-feat.csv": nodes,
			"raw/edge.csv": ends, "raw/edge-feat.csv": edges, "raw/graph-label.csv": labels, "mapping/mol.csv": mapping,
			"split/scaffold/train.csv": train, "split/scaffold/valid.csv": "0\n", "split/scaffold/test.csv": "1\n"}
		opts := data.Options{MaxMemory: 1 << 20, Edges: data.Undirected}
		d, err := data.Read(set.fs(), opts)
		if err != nil {
			if d != nil || !strings.HasPrefix(err.Error(), "data: ogb: ") {
				t.Fatalf("%v, %v", d, err)
			}
			return
		}
		opts.Edges = data.Directed
		directed, err := data.Read(set.fs(), opts)
		if err != nil {
			t.Fatal(err)
		}
		if d.Info.NumGraphs != len(d.Graphs) || len(d.SMILES) != len(d.Graphs) || d.Info.MeanEdges != directed.Info.MeanEdges {
			t.Fatalf("%d graphs, %d SMILES, %+v", len(d.Graphs), len(d.SMILES), d.Info)
		}
		for i, g := range d.Graphs {
			if len(g.Targets) != d.Info.NumTargets || g.Node.Width() != 174 || g.Edge.Width() != 13 {
				t.Fatalf("graph %d: %+v", i, g)
			}
			if have, want := arcsOf(directed.Graphs[i]), arcsOf(g.Arcs()); !slices.Equal(have, want) {
				t.Fatalf("graph %d: arcs %v, of the edges %v", i, have, want)
			}
		}
	})
}

// arcsOf are the arcs of a directed graph with their codes, sorted.
func arcsOf(g *graph.Graph) []string {
	var out []string
	k := len(g.Edge.Codes)
	for e := range g.NumEdges() {
		out = append(out, fmt.Sprint(g.Ends[2*e:2*e+2], g.Edge.Code[e*k:(e+1)*k]))
	}
	slices.Sort(out)
	return out
}

// TestRealOGB compares the sets with the sizes published with the paper, the
// split sizes of OGB and the shares of missing labels.
func TestRealOGB(t *testing.T) {
	tests := []struct {
		name                  string
		graphs, targets       int
		meanNodes, meanEdges  float64 // to two digits
		maxNodes              int
		train, valid, test    int
		missing               float64 // percent, to one digit
		noBonds               int
		name0, smiles0        string
		validTasks, testTasks int // with both classes in that part
	}{
		{"ogbg_molhiv", 41127, 1, 25.51, 27.47, 222, 32901, 4113, 4113, 0, 0, "HIV_active",
			"CCC1=[O+][Cu-3]2([O+]=C(CC)C1)[O+]=C(CC)CC(CC)=[O+]2", 1, 1},
		// The published mean of Tox21's edges is 19.27, that of the file 19.29.
		{"ogbg_moltox21", 7831, 12, 18.57, 19.29, 132, 6264, 783, 784, 17.1, 19, "NR-AR", "CCOc1ccc2nc(S(N)(=O)=O)sc2c1", 12, 12},
		{"ogbg_moltoxcast", 8576, 617, 18.78, 19.26, 124, 6860, 858, 858, 71.0, 11, "ACEA_T47D_80hr_Negative",
			"[O-][N+](=O)C1=CC=C(Cl)C=C1", 610, 610},
		{"ogbg_molbbbp", 2039, 1, 24.06, 25.95, 132, 1631, 204, 204, 0, 0, "p_np", "[Cl].CC(C)NCC(O)COc1cccc2ccccc12", 1, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.graphs > 3000 && testing.Short() {
				t.Skip("large")
			}
			d := open(t, "ogb/"+test.name, data.Options{})
			info := d.Info
			check := func(what string, have, want any) {
				t.Helper()
				if !reflect.DeepEqual(have, want) {
					t.Errorf("%s is %v, want %v", what, have, want)
				}
			}
			check("Name", info.Name, test.name)
			check("Format", info.Format, data.FormatOGB)
			check("NumGraphs", info.NumGraphs, test.graphs)
			check("NumTargets", info.NumTargets, test.targets)
			check("MeanNodes", math.Round(info.MeanNodes*100)/100, test.meanNodes)
			check("MeanEdges", math.Round(info.MeanEdges*100)/100, test.meanEdges)
			check("MaxNodes", info.MaxNodes, test.maxNodes)
			check("widths", [2]int{info.NodeWidth, info.EdgeWidth}, [2]int{174, 13})
			check("Split", *info.Split, data.SplitInfo{Name: "scaffold", Train: test.train, Valid: test.valid, Test: test.test})
			check("missing", math.Round(1000*float64(info.MissingTargets)/float64(test.graphs*test.targets))/10, test.missing)
			check("Directed", info.Directed, false)
			check("Notes", len(info.Notes), 0)
			check("first target", info.TargetNames[0], test.name0)
			check("names", len(info.TargetNames), test.targets)
			check("first SMILES", d.SMILES[0], test.smiles0)
			partition(t, len(d.Graphs), d.Split.Train, d.Split.Valid, d.Split.Test)
			nodes, edges, noBonds := 0, 0, 0
			for _, g := range d.Graphs {
				nodes += g.NumNodes
				edges += g.NumEdges()
				if g.NumEdges() == 0 {
					noBonds++
				}
			}
			check("mean of the graphs' nodes", float64(nodes)/float64(len(d.Graphs)), info.MeanNodes)
			check("mean of the graphs' edges", float64(edges)/float64(len(d.Graphs)), info.MeanEdges)
			check("molecules without bonds", noBonds, test.noBonds)
			check("tasks of valid", mixedTasks(d, d.Split.Valid), test.validTasks)
			check("tasks of test", mixedTasks(d, d.Split.Test), test.testTasks)
		})
	}
}

// mixedTasks is the number of tasks with both classes among some graphs.
func mixedTasks(d *data.Dataset, ids []int) int {
	n := 0
	for task := range d.Info.NumTargets {
		var seen [2]bool
		for _, id := range ids {
			switch d.Graphs[id].Targets[task] {
			case 0:
				seen[0] = true
			case 1:
				seen[1] = true
			}
		}
		if seen[0] && seen[1] {
			n++
		}
	}
	return n
}

func BenchmarkReadOGB(b *testing.B) {
	for _, name := range []string{"ogbg_molbbbp", "ogbg_molhiv"} {
		b.Run(name, func(b *testing.B) {
			path := realdata.Path(b, "ogb", name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := data.Open(path, data.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
