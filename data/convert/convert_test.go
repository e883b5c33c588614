package convert_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/convert"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/internal/parquettest"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

// toy is a TU set of two graphs with labels, attributes and a missing target.
func toy(t *testing.T) *data.Dataset {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n", "graph_indicator": "1\n1\n1\n2\n2\n", "graph_labels": "-1\n1\n",
		"graph_attributes": "0.5,nan\n1,2\n", "node_labels": "3\n5\n3\n3\n4\n", "edge_labels": "1\n1\n2\n2\n1\n1\n",
		"edge_attributes": "0.25,1\n0.25,1\n1,2\n1,2\n3,4\n3,4\n", "smiles": "C\nCC\n",
	} {
		fsys["T_"+name+".txt"] = &fstest.MapFile{Data: []byte(text)}
	}
	d, err := data.Read(fsys, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTU writes folders and zips that are read as the set they were.
func TestTU(t *testing.T) {
	want := toy(t)
	for _, name := range []string{"folder", "set.zip"} {
		out := filepath.Join(t.TempDir(), name)
		r, err := convert.Write(want, convert.TU, out)
		if err != nil {
			t.Fatal(err)
		}
		if r.Out != out || r.Layout != convert.TU || len(r.Files) != 8 || r.Notes != nil {
			t.Errorf("%s: %+v", name, r)
		}
		have, err := data.Open(out, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		have.Info.Checksum = want.Info.Checksum
		for i := range have.Graphs { // NaN is not equal to itself
			have.Graphs[i].Targets[1], want.Graphs[i].Targets[1] = 0, 0
		}
		if !reflect.DeepEqual(have, want) {
			t.Errorf("%s: %+v\nwant %+v", name, have.Info, want.Info)
		}
		want = toy(t)
		if files, err := os.ReadDir(filepath.Dir(out)); err != nil || len(files) != 1 {
			t.Errorf("%s: beside it: %v, %v", name, files, err)
		}
	}
}

func readCSV(t *testing.T, elem ...string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestCSV(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tables")
	r, err := convert.Write(toy(t), convert.CSV, out)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Files, []string{"graphs.csv", "nodes.csv", "edges.csv"}) || len(r.Notes) != 1 {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]string{
		"graphs.csv": "graph,label,target_1,target_2,smiles|0,-1,0.5,,C|1,1,1,2,CC",
		"nodes.csv":  "graph,node,label|0,0,3|0,1,5|0,2,3|1,0,3|1,1,4",
		"edges.csv":  "graph,source,target,label,attributes_0,attributes_1|0,0,1,1,0.25,1|0,1,2,2,1,2|1,0,1,1,3,4",
	} {
		var lines []string
		for _, row := range readCSV(t, out, name) {
			lines = append(lines, strings.Join(row, ","))
		}
		if have := strings.Join(lines, "|"); have != want {
			t.Errorf("%s: %s\nwant %s", name, have, want)
		}
	}
}

func TestParquet(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tables")
	if _, err := convert.Write(toy(t), convert.Parquet, out); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(out, "edges.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	columns, rows := parquettest.Rows(t, b)
	if want := []string{"graph", "source", "target", "label", "attributes"}; !reflect.DeepEqual(columns, want) {
		t.Errorf("columns %q, want %q", columns, want)
	}
	if want := []string{"1", "0", "1", "1", "[3,4]"}; len(rows) != 3 || !reflect.DeepEqual(rows[2], want) {
		t.Errorf("rows %q, want %q last", rows, want)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	d := toy(t)
	nodes := toy(t)
	nodes.Info.NumNodeClasses = 2
	tests := []struct {
		d                 *data.Dataset
		layout, out, want string
	}{
		{d, "sql", "x", `layout "sql", expected tu, csv or parquet`},
		{d, convert.CSV, "x.zip", "tables go into a folder"},
		{d, convert.TU, ".", "it exists, expected a new file or folder"},
		{d, convert.TU, "none/x", "no such file or directory"},
		{nodes, convert.TU, "y", "it has node classes"},
		{nodes, convert.TU, "y.zip", "it has node classes"},
	}
	for _, test := range tests {
		r, err := convert.Write(test.d, test.layout, filepath.Join(dir, test.out))
		if r != nil || err == nil || !strings.HasPrefix(err.Error(), "convert: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.out, err, test.want)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// TestReal converts sets of each format and counts the rows.
func TestReal(t *testing.T) {
	cora, err := planetoid.Open(realdata.Path(t, "planetoid"), planetoid.Options{Name: "cora"})
	if err != nil {
		t.Fatal(err)
	}
	bbbp, err := data.Open(realdata.Path(t, "ogb", "ogbg_molbbbp"), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		d                    *data.Dataset
		graphs, nodes, edges int
		header               string // of the nodes, its beginning
	}{
		{cora, 1, 2708, 5278, "graph,node,class,split,attributes_0,attributes_1,"},
		{bbbp, 2039, 49068, 52921, "graph,node,label_1,label_2,label_3,label_4,"},
	} {
		if testing.Short() && test.d == cora {
			continue
		}
		out := filepath.Join(t.TempDir(), "tables")
		if _, err := convert.Write(test.d, convert.CSV, out); err != nil {
			t.Fatal(err)
		}
		nodes := readCSV(t, out, "nodes.csv")
		have := []int{len(readCSV(t, out, "graphs.csv")) - 1, len(nodes) - 1, len(readCSV(t, out, "edges.csv")) - 1}
		if want := []int{test.graphs, test.nodes, test.edges}; !reflect.DeepEqual(have, want) || !strings.HasPrefix(strings.Join(nodes[0], ","), test.header) {
			t.Errorf("%s: rows %v, want %v; nodes %.80q", test.d.Info.Name, have, want, nodes[0])
		}
	}
}
