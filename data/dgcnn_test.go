package data_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

func TestDGCNN(t *testing.T) {
	tests := []struct {
		name string
		text string
		want []*graph.Graph
		info string // "nodes edges: names of what the input has"
	}{
		{
			// Equal tags say nothing; the neighbours are out of order.
			"degrees", "2\n3 1\n0 2 2 1\n0 1 0\n0 1 0\n1 0\n0 0\n",
			[]*graph.Graph{
				{NumNodes: 3, Ends: []int32{0, 1, 0, 2}, Label: 1, Node: graph.Features{Code: []int32{2, 1, 1}, Codes: []int{3}}, Edge: graph.Ones(2)},
				{NumNodes: 1, Ends: []int32{}, Label: 0, Node: graph.Features{Code: []int32{0}, Codes: []int{3}}, Edge: graph.Ones(0)},
			},
			"",
		},
		{
			"tags", "1\n2 0\n5 1 1\n3 1 0\n",
			[]*graph.Graph{{
				NumNodes: 2, Ends: []int32{0, 1}, Node: graph.Features{Code: []int32{2, 0}, Codes: []int{3}},
				Edge: graph.Ones(1), NodeLabel: []int32{2, 0},
			}},
			"labels",
		},
		{
			"attributes", "1\n2 0\n4 1 1 0.5 -2\n4 1 0 1e1 0\n",
			[]*graph.Graph{{NumNodes: 2, Ends: []int32{0, 1}, Node: graph.Features{Dense: []float32{0.5, -2, 10, 0}, Dim: 2}, Edge: graph.Ones(1)}},
			"attributes",
		},
		{
			"attributes and tags", "1\n2 0\n4 1 1 0.5\n3 1 0 1e1\n",
			[]*graph.Graph{{
				NumNodes: 2, Ends: []int32{0, 1}, Node: graph.Features{Dense: []float32{0.5, 10}, Dim: 1, Code: []int32{1, 0}, Codes: []int{2}},
				Edge: graph.Ones(1), NodeLabel: []int32{1, 0},
			}},
			"labels attributes",
		},
		{
			"loops and repeats", "1\n2 0\n0 4 1 0 1 0\n0 1 0\n",
			[]*graph.Graph{{NumNodes: 2, Ends: []int32{0, 1}, Node: graph.Features{Code: []int32{1, 1}, Codes: []int{2}}, Edge: graph.Ones(1)}},
			"",
		},
		{
			"directed", "1\n3 0\n0 1 1\n0 1 2\n0 0\n",
			[]*graph.Graph{{
				NumNodes: 3, Ends: []int32{0, 1, 1, 2}, Directed: true,
				Node: graph.Features{Code: []int32{1, 1, 0}, Codes: []int{2}}, Edge: graph.Ones(2),
			}},
			"",
		},
		{
			"a graph without nodes", "2\n0 0\n1 1\n0 0\n",
			[]*graph.Graph{
				{Ends: []int32{}, Node: graph.Features{Code: []int32{}, Codes: []int{1}}, Edge: graph.Ones(0)},
				{NumNodes: 1, Ends: []int32{}, Label: 1, Node: graph.Features{Code: []int32{0}, Codes: []int{1}}, Edge: graph.Ones(0)},
			},
			"",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := read(t, files{"T.txt": test.text}, data.Options{})
			if d.Info.Format != data.FormatDGCNN || d.Info.Name != "T" {
				t.Errorf("%s set %s", d.Info.Format, d.Info.Name)
			}
			for i, g := range d.Graphs {
				if !reflect.DeepEqual(g, test.want[i]) {
					t.Errorf("graph %d is %+v\nwant %+v", i, g, test.want[i])
				}
			}
			var has []string
			if d.Info.HasNodeLabels {
				has = append(has, "labels")
			}
			if d.Info.HasNodeAttributes {
				has = append(has, "attributes")
			}
			if got := strings.Join(has, " "); got != test.info {
				t.Errorf("the input has node %q, want %q", got, test.info)
			}
		})
	}
}

// TestFormatsAgree reads one set in both formats.
func TestFormatsAgree(t *testing.T) {
	tu := read(t, toy.with("T_edge_labels.txt", "-"), data.Options{})
	text := "3\n3 7\n3 2 1 2\n5 2 0 2\n3 2 0 1\n2 -1\n3 1 1\n6 1 0\n1 7\n5 0\n"
	dgcnn := read(t, files{"T.txt": text}, data.Options{})
	for i := range tu.Graphs {
		if !reflect.DeepEqual(tu.Graphs[i], dgcnn.Graphs[i]) {
			t.Errorf("graph %d: %+v in TU, %+v in DGCNN text", i, tu.Graphs[i], dgcnn.Graphs[i])
		}
	}
	if !slices.Equal(tu.Info.ClassNames, dgcnn.Info.ClassNames) {
		t.Errorf("classes %v in TU, %v in DGCNN text", tu.Info.ClassNames, dgcnn.Info.ClassNames)
	}
}

// TestLongLines reads lines beyond the size of any buffer.
func TestLongLines(t *testing.T) {
	const n = 50000
	var text strings.Builder
	text.WriteString("1\n" + itoa(n) + " 0\n0 " + itoa(n-1))
	for v := 1; v < n; v++ {
		text.WriteString(" " + itoa(v))
	}
	text.WriteString("\n" + strings.Repeat("0 1 0\n", n-1))
	d := read(t, files{"T.txt": text.String()}, data.Options{})
	if d.Info.MaxDegree != n-1 || d.Info.MaxEdges != n-1 || !d.Info.Symmetric {
		t.Errorf("%+v, want a star of %d leaves", d.Info, n-1)
	}
	_, err := data.Read(files{"T.txt": strings.TrimSuffix(text.String(), "0 1 0\n") + strings.Repeat("0", 1<<20) + "1 1 x"}.fs(), data.Options{})
	if want := `data: T: T.txt:50002: neighbour is "x", expected an integer`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
