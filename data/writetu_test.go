package data_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

// writeTU writes a set and returns its files.
func writeTU(t *testing.T, d *data.Dataset) (files, []string) {
	t.Helper()
	bufs := map[string]*bytes.Buffer{}
	notes, err := d.WriteTU(func(name string) (io.Writer, error) {
		if bufs[name] != nil {
			t.Errorf("%s is written twice", name)
		}
		bufs[name] = new(bytes.Buffer)
		return bufs[name], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out := files{}
	for name, b := range bufs {
		out[d.Info.Name+"/"+name] = b.String()
	}
	return out, notes
}

// same compares sets but for their format and checksum.
func same(t *testing.T, have, want *data.Dataset) {
	t.Helper()
	a, b := *have, *want
	a.Info.Checksum, b.Info.Checksum, a.Info.Format, b.Info.Format = "", "", "", ""
	if !reflect.DeepEqual(a.Info, b.Info) {
		t.Errorf("info %+v\nwant %+v", a.Info, b.Info)
	}
	if !slices.Equal(a.SMILES, b.SMILES) {
		t.Error("other SMILES")
	}
	for i := range a.Graphs {
		g, w := *a.Graphs[i], *b.Graphs[i]
		if !sameTargets(g.Targets, w.Targets) {
			t.Fatalf("graph %d: targets %v, want %v", i, g.Targets, w.Targets)
		}
		g.Targets, w.Targets = nil, nil
		if !reflect.DeepEqual(g, w) {
			t.Fatalf("graph %d: %+v\nwant %+v", i, g, w)
		}
	}
	for k := 1; a.Info.HasFolds && k <= 10; k++ {
		train, valid, test, err := a.Fold(k)
		train2, valid2, test2, err2 := b.Fold(k)
		if err != nil || err2 != nil || !slices.Equal(train, train2) || !slices.Equal(valid, valid2) || !slices.Equal(test, test2) {
			t.Errorf("fold %d differs: %v %v", k, err, err2)
		}
	}
}

// TestWriteTU writes sets and reads them again.
func TestWriteTU(t *testing.T) {
	tests := map[string]files{
		"labels":               toy,
		"attributes":           toy.with("T_node_attributes.txt", "0.1,1e-30\n1,2\n-1,3\n0,0\n0,3.4028235e38\n0,7\n", "T_edge_attributes.txt", "1\n2\n2\n1\n3\n3\n.5\n.5\n"),
		"names of classes":     toy.with("T_graph_labels.txt", "not toxic\ntoxic\ntoxic\n"),
		"targets":              toy.with("T_graph_attributes.txt", "0.5,nan\n,1\n2,3\n", "T_smiles.txt", "C\nCC\nC=O\n"),
		"only targets":         toy.with("T_graph_labels.txt", "-", "T_graph_attributes.txt", "1\n2\n3\n"),
		"no features":          toy.with("T_node_labels.txt", "-", "T_edge_labels.txt", "-"),
		"two label columns":    toy.with("T_node_labels.txt", "3,-1\n5,0\n3,1\n3,0\n6,7\n5,0\n"),
		"directed":             toy.with("T_A.txt", "2, 3\n1, 2\n2, 1\n3, 2\n1, 3\n3, 1\n5, 4\n4, 6\n", "T_graph_indicator.txt", "1\n1\n1\n2\n2\n2\n", "T_graph_labels.txt", "7\n-1\n"),
		"folds":                ten,
		"a graph with nothing": toy.with("T_graph_indicator.txt", "1\n1\n1\n3\n3\n4\n", "T_graph_labels.txt", "7\n-1\n7\n8\n"),
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			want := read(t, f, data.Options{})
			written, notes := writeTU(t, want)
			same(t, read(t, written, data.Options{}), want)
			if len(notes) > 0 {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

// TestWriteTUOfOGB: what the layout cannot hold is told, the rest is kept.
func TestWriteTUOfOGB(t *testing.T) {
	want := read(t, molecules, data.Options{})
	written, notes := writeTU(t, want)
	if len(notes) != 3 {
		t.Errorf("notes %q, want those of the widths, the names and the split", notes)
	}
	got := read(t, written, data.Options{})
	for i, g := range got.Graphs {
		w := want.Graphs[i]
		if !sameTargets(g.Targets, w.Targets) || got.SMILES[i] != want.SMILES[i] {
			t.Errorf("graph %d: targets %v, SMILES %s", i, g.Targets, got.SMILES[i])
		}
		if have := labels(g.Node, got.Info.NodeLabelOffset); !slices.Equal(have, w.Node.Code) {
			t.Errorf("graph %d: node labels %v, want %v", i, have, w.Node.Code)
		}
		arcs := g.Arcs()
		arcs.Edge.Code = labels(arcs.Edge, got.Info.EdgeLabelOffset)
		if have, want := arcsOf(arcs), arcsOf(w.Arcs()); !slices.Equal(have, want) {
			t.Errorf("graph %d: arcs %v, want %v", i, have, want)
		}
	}
}

// labels are codes as the files had them.
func labels(f graph.Features, offset []int) []int32 {
	out := slices.Clone(f.Code)
	for i := range out {
		out[i] += int32(offset[i%len(f.Codes)])
	}
	return out
}

func TestWriteTURefuses(t *testing.T) {
	fail := func(string) (io.Writer, error) { return nil, errors.New("no room") }
	d := read(t, toy, data.Options{})
	if _, err := d.WriteTU(fail); err == nil || err.Error() != "data: T: writing T_A.txt: no room" {
		t.Errorf("error %v", err)
	}
	empty := &graph.Graph{Label: 0}
	for want, change := range map[string]func(*data.Dataset){
		"it has no graphs":              func(d *data.Dataset) { d.Graphs = nil },
		"it has node classes":           func(d *data.Dataset) { d.Info.NumNodeClasses = 2 },
		"its last graph has no nodes":   func(d *data.Dataset) { d.Graphs = append(d.Graphs, empty) },
		"graph 0 has no nodes":          func(d *data.Dataset) { d.Graphs[0], d.Info.NumClasses = empty, 0 },
		"graph 0 has no class":          func(d *data.Dataset) { d.Graphs[0].Label = graph.NoLabel },
		"graph 1 has a node or an edge": func(d *data.Dataset) { d.Graphs[1].Node.Code[0] = -1 },
	} {
		d := read(t, toy, data.Options{})
		change(d)
		if _, err := d.WriteTU(fail); !errors.Is(err, data.ErrNotTU) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestRealWriteTU writes real sets and reads them again.
func TestRealWriteTU(t *testing.T) {
	for _, file := range []string{"tu/MUTAG.zip", "tu/PROTEINS.zip", "tu/IMDB-BINARY.zip", "zinc12k/ZINC_val.zip"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if testing.Short() && file != "tu/MUTAG.zip" {
				t.Skip("large")
			}
			want := open(t, file, data.Options{})
			written, _ := writeTU(t, want)
			same(t, read(t, written, data.Options{}), want)
		})
	}
}
