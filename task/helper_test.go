package task

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
)

// tuFiles are graphs in TU layout: ending of the file name to text. Labels are
// codes plus 1, classes as they are.
func tuFiles(graphs []*graph.Graph) map[string]string {
	text := map[string]*strings.Builder{}
	add := func(ending, format string, args ...any) {
		if text[ending] == nil {
			text[ending] = &strings.Builder{}
		}
		fmt.Fprintf(text[ending], format, args...)
	}
	base := int32(1)
	add("A", "")
	add("edge_labels", "")
	for i, g := range graphs {
		for e := range g.NumEdges() {
			u, v := base+g.Ends[2*e], base+g.Ends[2*e+1]
			add("A", "%d, %d\n%d, %d\n", u, v, v, u)
			add("edge_labels", "%d\n%d\n", g.Edge.Code[e]+1, g.Edge.Code[e]+1)
		}
		for _, c := range g.Node.Code {
			add("graph_indicator", "%d\n", i+1)
			add("node_labels", "%d\n", c+1)
		}
		add("graph_labels", "%d\n", g.Label)
		base += int32(g.NumNodes)
	}
	out := map[string]string{}
	for ending, b := range text {
		out[ending] = b.String()
	}
	return out
}

// writeSet writes a set into a folder of its name in dir and returns its path.
func writeSet(t *testing.T, dir, name string, files map[string]string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	for ending, text := range files {
		file := filepath.Join(path, name+"_"+ending+".txt")
		if strings.Contains(ending, "idx") {
			file = filepath.Join(path, "10fold_idx", ending+".txt")
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// edgeClass returns graphs of the demonstration's classes 0 and 1.
func edgeClass(t *testing.T, n int) []*graph.Graph {
	t.Helper()
	graphs, err := synth.EdgeClass(n, 3)
	if err != nil {
		t.Fatal(err)
	}
	return graphs
}

// foldSet writes a set of n graphs with ten folds that test n/10 graphs each.
func foldSet(t *testing.T, name string, n int) string {
	t.Helper()
	files := tuFiles(edgeClass(t, n))
	for k := range 10 {
		var test, train strings.Builder
		for i := range n {
			if i/(n/10) == k {
				fmt.Fprintln(&test, i)
			} else {
				fmt.Fprintln(&train, i)
			}
		}
		files[fmt.Sprintf("test_idx-%d", k+1)] = test.String()
		files[fmt.Sprintf("train_idx-%d", k+1)] = train.String()
	}
	return writeSet(t, t.TempDir(), name, files)
}

// quick are settings with which a run takes no time.
func quick() Values {
	return Values{"epochs": 2, "hidden": 16, "constant-lr": true}
}

// setting is a setting of a model; zero where the model has none of that name.
func setting[T any](c model.Config, name string) T {
	for _, at := range c.At(name) {
		return *at.(*T)
	}
	return *new(T)
}

// mustOpen is Open of a request that must be right.
func mustOpen(t *testing.T, r Request) *Session {
	t.Helper()
	s, err := Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// trained is a finished run.
func trained(t *testing.T, r Request) (dir string, res *TrainResult) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	res, err := mustOpen(t, r).Train(t.Context(), TrainOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return dir, res
}

// checkParts: the rows of all data whose column "part" names a part are those of the part.
func checkParts(t *testing.T, s *Session) {
	t.Helper()
	rows := func(part string) (header []string, rows [][]string) {
		table, err := s.Predict(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range csvRows(t, table) {
			rows = append(rows, strings.Split(row, ","))
		}
		return strings.Split(csvHeader(t, table), ","), rows
	}
	header, all := rows(PartAll)
	n := slices.Index(header, "part") // what is before it names the item
	if n < 1 {
		t.Fatalf("columns %q, want one called part", header)
	}
	of := map[string][]string{}
	for _, row := range all {
		of[row[n]] = append(of[row[n]], strings.Join(row[:n], ","))
	}
	for _, part := range parts {
		var want []string
		_, own := rows(part)
		for _, row := range own {
			want = append(want, strings.Join(row[:n], ","))
		}
		slices.Sort(want)
		slices.Sort(of[part])
		if len(want) == 0 || !slices.Equal(of[part], want) {
			t.Errorf("rows of all with part %s are %q, those of the part %q", part, of[part], want)
		}
	}
}

// fails checks that an error is there, says want, and is the user's to mend or
// not.
func fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}
