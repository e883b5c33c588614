package data_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

// foldFiles are complete index files of ten folds for n graphs, graph i tested
// in fold i+1.
func foldFiles(f files, n int) files {
	out := f.with()
	for k := range 10 {
		var test, train strings.Builder
		for i := range n {
			if i == k {
				test.WriteString(itoa(i) + "\n")
			} else {
				train.WriteString(itoa(i) + "\n")
			}
		}
		out["T/10fold_idx/test_idx-"+itoa(k+1)+".txt"] = test.String()
		out["T/10fold_idx/train_idx-"+itoa(k+1)+".txt"] = train.String()
	}
	return out
}

// ten is a DGCNN set of ten single nodes and two more that are never tested.
var ten = foldFiles(files{"T/T.txt": "12\n" + strings.Repeat("1 0\n0 0\n", 12)}, 12)

func TestBadInput(t *testing.T) {
	dgcnn := func(text string) files { return files{"T.txt": text} }
	tests := []struct {
		name  string
		files files
		opts  data.Options
		want  string
	}{
		// TU: indicator and labels
		{"indicator missing", toy.with("T_graph_indicator.txt", "-"), data.Options{},
			"data: T: T_graph_indicator.txt: file is missing: file does not exist"},
		{"indicator empty", toy.with("T_graph_indicator.txt", ""), data.Options{},
			"data: T: T_graph_indicator.txt: file is empty, expected the graph of each node"},
		{"indicator zero", toy.with("T_graph_indicator.txt", "0\n1\n"), data.Options{},
			"data: T: T_graph_indicator.txt:1: graph 0, expected numbers from 1"},
		{"indicator falls", toy.with("T_graph_indicator.txt", "1\n1\n3\n2\n2\n3\n"), data.Options{},
			"data: T: T_graph_indicator.txt:4: graph 2 after graph 3, expected rising numbers"},
		{"indicator is text", toy.with("T_graph_indicator.txt", "1\none\n"), data.Options{},
			`data: T: T_graph_indicator.txt:2: graph is "one", expected an integer`},
		{"indicator with two columns", toy.with("T_graph_indicator.txt", "1, 1\n"), data.Options{},
			`data: T: T_graph_indicator.txt:1: "1" after the end, expected only one graph a line`},
		{"indicator too large", toy.with("T_graph_indicator.txt", "1\n99999999999999999999\n"), data.Options{},
			`data: T: T_graph_indicator.txt:2: graph "99999999999999999999" is too large a number`},
		{"indicator lies", toy.with("T_graph_indicator.txt", "1\n1\n1\n2\n2\n2000000000\n"), data.Options{},
			"data: T: T_graph_labels.txt:3: file ends early, expected 2000000000 lines, one per graph"},
		{"indicator lies and no labels", toy.with("T_graph_indicator.txt", "1\n1\n1\n2\n2\n2000000000\n", "T_graph_labels.txt", "-"), data.Options{},
			"data: T: T_graph_indicator.txt:6: graph 2000000000 after graph 2; without graph labels or attributes every graph must have a node"},
		{"labels too short", toy.with("T_graph_labels.txt", "7\n-1\n"), data.Options{},
			"data: T: T_graph_labels.txt:2: file ends early, expected 3 lines, one per graph"},
		{"labels too long", toy.with("T_graph_labels.txt", "7\n-1\n7\n7\n"), data.Options{},
			"data: T: T_graph_labels.txt:4: more lines than the 3 expected, one per graph"},
		{"labels empty", toy.with("T_graph_labels.txt", ""), data.Options{},
			"data: T: T_graph_labels.txt: file is empty, expected 3 lines, one per graph"},
		{"label is real", toy.with("T_graph_labels.txt", "7\n-1.5\n7\n"), data.Options{},
			`data: T: T_graph_labels.txt:2: graph label is "-1.5", expected a whole number or, on each line, the name of a class; numbers to estimate belong into T_graph_attributes.txt, which graph-regression reads`},
		{"label is real at first", toy.with("T_graph_labels.txt", "0.25\n1\n7\n"), data.Options{},
			`data: T: T_graph_labels.txt:1: graph label is "0.25", expected a whole number or, on each line, the name of a class; numbers to estimate belong into T_graph_attributes.txt, which graph-regression reads`},
		{"label is missing", toy.with("T_graph_labels.txt", "7\nnan\n7\n"), data.Options{}, `data: T: T_graph_labels.txt:2: graph label is "nan", expected an integer`},
		{"label is large", toy.with("T_graph_labels.txt", "7.0\n3e9\n7\n"), data.Options{}, `data: T: T_graph_labels.txt:2: graph label "3e9" is too large a number`},
		{"label is hexadecimal", toy.with("T_graph_labels.txt", "7\n0x1p4\n7\n"), data.Options{}, `data: T: T_graph_labels.txt:2: graph label is "0x1p4", expected an integer`},
		{"a name among numbers", toy.with("T_graph_labels.txt", "7\nseven\n7\n"), data.Options{}, `data: T: T_graph_labels.txt:2: graph label is "seven", expected an integer`},
		{"a number among names", toy.with("T_graph_labels.txt", "seven\n7\nseven\n"), data.Options{}, `data: T: T_graph_labels.txt:2: graph label is "7", expected the name of a class, as the lines before have`},
		{"a name that is no text", toy.with("T_graph_labels.txt", "seven\n\xff\nseven\n"), data.Options{}, `data: T: T_graph_labels.txt:2: graph label "\xff" is not UTF-8`},
		{"unknown name", toy.with("T_graph_labels.txt", "seven\neight\nseven\n"), data.Options{ClassNames: []string{"seven"}}, `data: T: graph 1 has label "eight", expected one of ["seven"]`},
		{"two labels", toy.with("T_graph_labels.txt", "7\n-1 2\n7\n"), data.Options{},
			"data: T: T_graph_labels.txt:2: number of graph labels is 2, expected 1 on each line"},
		{"unknown class", toy, data.Options{ClassNames: []string{"7", "8"}},
			`data: T: graph 1 has label -1, expected one of ["7" "8"]`},
		{"empty line", toy.with("T_graph_labels.txt", "7\n\n\n7\n"), data.Options{},
			"data: T: T_graph_labels.txt:2: empty line"},
		{"graph attribute infinite", toy.with("T_graph_attributes.txt", "1\n-inf\n"), data.Options{},
			`data: T: T_graph_attributes.txt:2: graph attribute is "-inf", expected a finite number`},
		{"SMILES too short", toy.with("T_smiles.txt", "C\nC\n"), data.Options{},
			"data: T: T_smiles.txt:2: file ends early, expected 3 lines, one per graph"},
		{"SMILES too long", toy.with("T_smiles.txt", "C\nC\nC\nC\n"), data.Options{},
			"data: T: T_smiles.txt:4: more lines than the 3 expected, one per graph"},

		// TU: arcs
		{"node too high", toy.with("T_A.txt", "2, 3\n1, 41\n"), data.Options{}, "data: T: T_A.txt:2: node 41 of 6"},
		{"source too high", toy.with("T_A.txt", "7, 3\n"), data.Options{}, "data: T: T_A.txt:1: node 7 of 6"},
		{"node zero", toy.with("T_A.txt", "1, 0\n"), data.Options{}, "data: T: T_A.txt:1: node 0, expected numbers from 1"},
		{"node negative", toy.with("T_A.txt", "-1, 2\n"), data.Options{}, "data: T: T_A.txt:1: node -1, expected numbers from 1"},
		{"two graphs", toy.with("T_A.txt", "2, 3\n3, 4\n"), data.Options{},
			"data: T: T_A.txt:2: node 3 is of graph 1 and node 4 of graph 2, expected an edge inside one graph"},
		{"one node", toy.with("T_A.txt", "2, 3\n3\n"), data.Options{}, "data: T: T_A.txt:2: target node is missing"},
		{"one node and a comma", toy.with("T_A.txt", "2, 3\n3,\n"), data.Options{}, "data: T: T_A.txt:2: target node is missing"},
		{"two commas", toy.with("T_A.txt", "2,,3\n"), data.Options{}, `data: T: T_A.txt:1: target node is "", expected an integer`},
		{"three nodes", toy.with("T_A.txt", "2, 3, 4\n"), data.Options{}, `data: T: T_A.txt:1: "4" after the end, expected only two nodes a line`},
		{"not a number", toy.with("T_A.txt", "2, 3\n1, x2\n"), data.Options{}, `data: T: T_A.txt:2: target node is "x2", expected an integer`},
		{"half a number", toy.with("T_A.txt", "2, 3x\n"), data.Options{}, `data: T: T_A.txt:1: target node is "3x", expected an integer`},
		{"binary", toy.with("T_A.txt", "\x00\x01\x02\xff and much more that follows it\n"), data.Options{},
			`data: T: T_A.txt:1: source node is "\x00\x01\x02\xff", expected an integer`},
		{"long garbage", toy.with("T_A.txt", strings.Repeat("g", 1000)), data.Options{},
			`data: T: T_A.txt:1: source node is "gggggggggggggggggggggggg"..., expected an integer`},
		{"too large", toy.with("T_A.txt", "2147483648, 1\n"), data.Options{}, `data: T: T_A.txt:1: source node "2147483648" is too large a number`},
		{"wraps", toy.with("T_A.txt", "18446744073709551617, 1\n"), data.Options{},
			`data: T: T_A.txt:1: source node "18446744073709551617" is too large a number`},

		// TU: labels and attributes of nodes and edges
		{"node labels too short", toy.with("T_node_labels.txt", "3\n"), data.Options{},
			"data: T: T_node_labels.txt:1: file ends early, expected 6 lines, one per node"},
		{"node labels too long", toy.with("T_node_labels.txt", strings.Repeat("3\n", 7)), data.Options{},
			"data: T: T_node_labels.txt:7: more lines than the 6 expected, one per node"},
		{"node label not in the fixed codes", toy, data.Options{NodeCodes: 5},
			"data: T: T_node_labels.txt:2: node label 5, expected 0 to 4"},
		{"node labels ragged", toy.with("T_node_labels.txt", "3\n3,4\n"), data.Options{},
			"data: T: T_node_labels.txt:2: number of node labels is 2, expected 1 on each line"},
		{"node labels spread", toy.with("T_node_labels.txt", "-2000000000\n2000000000\n1\n1\n1\n1\n"), data.Options{},
			"data: T: T_node_labels.txt: node labels from -2000000000 to 2000000000, expected a range of at most 1048576"},
		{"node labels spread over two columns", toy.with("T_node_labels.txt", "0,1\n1000000,60000\n1,1\n1,1\n1,1\n1,1\n"), data.Options{},
			"data: T: T_node_labels.txt: 1060001 one-hot columns for 2 columns of node labels, expected at most 1048576"},
		{"two columns and fixed codes", toy.with("T_node_labels.txt", strings.Repeat("1,2\n", 6)), data.Options{NodeCodes: 5},
			"data: T: T_node_labels.txt: 2 label columns, expected one when the node codes are fixed"},
		{"node attribute NaN", toy.with("T_node_attributes.txt", "1,2\n1,nan\n"), data.Options{},
			`data: T: T_node_attributes.txt:2: node attribute is "nan", expected a finite number`},
		{"node attribute infinite", toy.with("T_node_attributes.txt", "1,2\n1,+Inf\n"), data.Options{},
			`data: T: T_node_attributes.txt:2: node attribute is "+Inf", expected a finite number`},
		{"node attribute huge", toy.with("T_node_attributes.txt", "1e39\n"), data.Options{},
			`data: T: T_node_attributes.txt:1: node attribute "1e39" is too large a number`},
		{"node attribute is text", toy.with("T_node_attributes.txt", "1\nabc\n"), data.Options{},
			`data: T: T_node_attributes.txt:2: node attribute is "abc", expected a number`},
		{"node attribute empty", toy.with("T_node_attributes.txt", "1,2\n1,\n"), data.Options{},
			"data: T: T_node_attributes.txt:2: node attribute is missing"},
		{"node attributes ragged", toy.with("T_node_attributes.txt", "1,2\n1\n"), data.Options{},
			"data: T: T_node_attributes.txt:2: number of node attributes is 1, expected 2 on each line"},
		{"node codes without labels", toy.with("T_node_labels.txt", "-", "T_node_attributes.txt", strings.Repeat("1\n", 6)), data.Options{NodeCodes: 5},
			"data: T: node codes fixed to 5, but the set has node attributes and no node labels"},
		{"degree above the fixed codes", toy.with("T_node_labels.txt", "-"), data.Options{NodeCodes: 2},
			"data: T: a node has degree 2, expected at most 1 as node codes are fixed to 2"},
		{"edge labels too short", toy.with("T_edge_labels.txt", "1\n"), data.Options{},
			"data: T: T_edge_labels.txt:1: file ends early, expected 8 lines, one per edge"},
		{"edge labels too long", toy.with("T_edge_labels.txt", strings.Repeat("3\n", 9)), data.Options{},
			"data: T: T_edge_labels.txt:9: more lines than the 8 expected, one per edge"},
		{"edge label not in the fixed codes", toy, data.Options{EdgeCodes: 4},
			"data: T: T_edge_labels.txt:5: edge label 4, expected 0 to 3"},
		{"edge codes without labels", toy.with("T_edge_labels.txt", "-"), data.Options{EdgeCodes: 4},
			"data: T: edge codes fixed to 4, but the set has no edge labels"},
		{"edge attributes too short", toy.with("T_edge_attributes.txt", "1\n2\n"), data.Options{},
			"data: T: T_edge_attributes.txt:2: file ends early, expected 8 lines, one per edge"},

		// DGCNN
		{"empty", dgcnn(""), data.Options{}, "data: T: T.txt: file is empty, expected the number of graphs"},
		{"no graphs", dgcnn("0\n"), data.Options{}, "data: T: T.txt:1: number of graphs is 0, expected at least 1"},
		{"not a count", dgcnn("hello\n"), data.Options{}, `data: T: T.txt:1: begins with "hello", expected the names of columns above rows that are divided in the same way, as a table has them, or the number of graphs of DGCNN text`},
		{"two counts", dgcnn("1 2\n"), data.Options{}, `data: T: T.txt:1: "2" after the end, expected only the number of graphs on the first line`},
		{"lying count", dgcnn("2000000000\n1 0\n0 0\n"), data.Options{}, "data: T: T.txt:3: file ends early, after graph 1 of 2000000000"},
		{"lying nodes", dgcnn("1\n2000000000 0\n0 0\n"), data.Options{}, "data: T: T.txt:3: file ends early, after node 1 of 2000000000 in graph 1 of 1"},
		{"lying degree", dgcnn("1\n2 0\n0 2000000000 1\n"), data.Options{}, "data: T: T.txt:3: number of neighbours is 1, expected 2000000000"},
		{"negative nodes", dgcnn("1\n-1 0\n"), data.Options{}, "data: T: T.txt:2: number of nodes is -1"},
		{"negative degree", dgcnn("1\n1 0\n0 -1\n"), data.Options{}, "data: T: T.txt:3: number of neighbours is -1"},
		{"no label", dgcnn("1\n1\n"), data.Options{}, "data: T: T.txt:2: graph label is missing"},
		{"long header", dgcnn("1\n1 0 0\n"), data.Options{}, `data: T: T.txt:2: "0" after the end, expected only the number of nodes and the label of a graph`},
		{"no degree", dgcnn("1\n1 0\n0\n"), data.Options{}, "data: T: T.txt:3: number of neighbours is missing"},
		{"neighbour outside", dgcnn("1\n2 0\n0 1 2\n0 0\n"), data.Options{}, "data: T: T.txt:3: neighbour 2 in a graph with 2 nodes, expected 0 to 1"},
		{"neighbour negative", dgcnn("1\n2 0\n0 1 -1\n0 0\n"), data.Options{}, "data: T: T.txt:3: neighbour -1 in a graph with 2 nodes, expected 0 to 1"},
		{"too many neighbours", dgcnn("1\n2 0\n0 1 1\n0 1 0 0\n"), data.Options{},
			"data: T: T.txt:4: number of values after the neighbours is 1, expected 0 as on line 3"},
		{"attribute NaN", dgcnn("1\n1 0\n0 0 NaN\n"), data.Options{}, `data: T: T.txt:3: node attribute is "NaN", expected a finite number`},
		{"more graphs", dgcnn("1\n1 0\n0 0\n1 0\n0 0\n"), data.Options{}, "data: T: T.txt:4: more lines after the last of 1 graphs"},
		{"tag not in the fixed codes", dgcnn("1\n2 0\n0 0\n4 0\n"), data.Options{NodeCodes: 4}, "data: T: T.txt: node label 4, expected 0 to 3"},

		// folds
		{"fold file missing", ten.with("10fold_idx/train_idx-4.txt", "-"), data.Options{},
			"data: T: 10fold_idx/train_idx-4.txt: file is missing: file does not exist"},
		{"fold file empty", ten.with("10fold_idx/test_idx-1.txt", ""), data.Options{},
			"data: T: 10fold_idx/test_idx-1.txt: file is empty, expected graph indices"},
		{"fold index too high", ten.with("10fold_idx/test_idx-1.txt", "0\n12\n"), data.Options{},
			"data: T: 10fold_idx/test_idx-1.txt:2: graph 12, expected 0 to 11"},
		{"fold index negative", ten.with("10fold_idx/test_idx-1.txt", "-1\n"), data.Options{},
			"data: T: 10fold_idx/test_idx-1.txt:1: graph -1, expected 0 to 11"},
		{"fold index twice", ten.with("10fold_idx/test_idx-2.txt", "1\n1\n"), data.Options{},
			"data: T: 10fold_idx/test_idx-2.txt:2: graph 1 is already in 10fold_idx/test_idx-2.txt"},
		{"train and test", ten.with("10fold_idx/train_idx-1.txt", "1\n2\n0\n"), data.Options{},
			"data: T: 10fold_idx/train_idx-1.txt:3: graph 0 is already in 10fold_idx/test_idx-1.txt"},
		{"neither train nor test", ten.with("10fold_idx/train_idx-1.txt", "1\n2\n"), data.Options{},
			"data: T: 10fold_idx/train_idx-1.txt: graph 3 is neither here nor in 10fold_idx/test_idx-1.txt"},
		{"tested twice", ten.with("10fold_idx/test_idx-2.txt", "1\n0\n"), data.Options{},
			"data: T: 10fold_idx/test_idx-2.txt:2: graph 0 is already tested in fold 1"},

		// options
		{"format", toy, data.Options{Format: "csv"}, `data: format "csv", expected "tu", "dgcnn", "ogb" or none`},
		{"edges", toy, data.Options{Edges: 7}, "data: edge form 7, expected Auto, Directed or Undirected"},
		{"codes", toy, data.Options{NodeCodes: -1}, "data: code widths -1 (nodes) and 0 (edges), expected 0 to 1048576"},
		{"limit", toy, data.Options{MaxMemory: -1}, "data: MaxMemory -1 is negative"},
		{"too much text", toy, data.Options{MaxMemory: 20},
			"data: T: T_graph_indicator.txt:1: cannot be read: too large: nodes take more than the bound of 20 B on memory allows; raise it with --max-memory (Options.MaxMemory)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := data.Read(test.files.fs(), test.opts)
			if err == nil {
				t.Fatalf("no error, want %s", test.want)
			}
			if err.Error() != test.want {
				t.Errorf("error %s\nwant  %s", err, test.want)
			}
			// What names a file is a ParseError with the same place.
			var pe *data.ParseError
			if strings.Contains(test.want, ".txt") {
				if !errors.As(err, &pe) {
					t.Fatalf("%T, want a *ParseError inside", err)
				}
				place := pe.File
				if pe.Line > 0 {
					place += ":" + itoa(pe.Line)
				}
				if !strings.HasPrefix(test.want, "data: T: "+place+": ") {
					t.Errorf("place %s, want that of %s", place, test.want)
				}
			}
		})
	}
}

func TestErrorCauses(t *testing.T) {
	_, err := data.Read(toy.with("T_graph_indicator.txt", "-").fs(), data.Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	_, err = data.Read(toy.fs(), data.Options{MaxMemory: 1})
	if !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("%v is not ErrTooLarge", err)
	}
}

// denied is a file system in which one file cannot be looked at.
type denied struct {
	fs.FS
	name string
}

func (d denied) Open(name string) (fs.File, error) {
	if name == d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.FS.Open(name)
}

// TestUnreadable: an optional file that is there but cannot be read is an error.
func TestUnreadable(t *testing.T) {
	for _, name := range []string{"T_edge_labels.txt", "10fold_idx", "T_A.txt"} {
		_, err := data.Read(denied{toy.fs(), "T/" + name}, data.Options{})
		want := "data: T: " + name + ": cannot be opened: open T/" + name + ": permission denied"
		if !errors.Is(err, fs.ErrPermission) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
