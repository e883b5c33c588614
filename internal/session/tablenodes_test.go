package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// staff returns tables of n people and of messages between them. The role of a person determines
// the working hours. Every tenth person has no role. change changes the fields of a person: id,
// hours, town, role, part.
func staff(t *testing.T, n int, change func(i int, fields []string)) string {
	t.Helper()
	var nodes, edges strings.Builder
	nodes.WriteString("id,hours,town,role,part\n")
	edges.WriteString("from,to,words,label\n")
	for i := range n {
		f := []string{fmt.Sprintf("p%d", i), strconv.Itoa(20 + 10*(i%3) + i%2), []string{"Bonn", "Ulm"}[i%2], []string{"boss", "clerk", "guard"}[i%3],
			[]string{"train", "train", "valid", "test", "train"}[i%5]}
		if i%10 == 9 {
			f[3] = ""
		}
		if change != nil {
			change(i, f)
		}
		fmt.Fprintln(&nodes, strings.Join(f, ","))
		fmt.Fprintf(&edges, "p%d,p%d,%d,%s\n", i, (i+3)%n, 5+i%7, []string{"news", "chat"}[i%2])
		fmt.Fprintf(&edges, "p%d,p%d,%d,%s\n", i, (i*5+1)%n, 3+i%4, "news")
	}
	return testsets.EdgeFolder(t, "nodes.csv", nodes.String(), "edges.csv", edges.String())
}

// staffRequest requests a very short training that classifies people.
func staffRequest(path string, given settings.Values) Request {
	return Request{Path: path, Task: task.NodeClassification.Name, Seed: 1, Threads: 2,
		Given: settings.Values{"label": "role", "epochs": 60, "layers": 3, "dropout": 0.0, "constant-lr": true}.Over(given)}
}

// Classes of nodes in a table are learned with every split. Nodes without a class are predicted,
// too.
func TestTableNodes(t *testing.T) {
	path := staff(t, 120, nil)
	for _, test := range []struct {
		name  string
		given settings.Values
		sizes [3]int // sizes of the parts
	}{
		{"random", nil, [3]int{72, 24, 24}},
		{"column", settings.Values{"part": "part"}, [3]int{72, 24, 24}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, res := trained(t, staffRequest(path, test.given))
			if a := scoreOf(t, res.Test, "accuracy"); a < 0.75 {
				t.Errorf("accuracy %v", a)
			}
			s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(res.Test, mustEvaluate(t, s, source.PartTest)) {
				t.Error("the loaded run has other scores")
			}
			for k, part := range source.Parts() {
				if table, err := s.Predict(t.Context(), part); err != nil || table.Rows() != test.sizes[k] {
					t.Errorf("%s has %d rows, %v; want %d", part, table.Rows(), err, test.sizes[k])
				}
			}
			checkParts(t, s)
			all, err := s.Predict(t.Context(), source.PartAll)
			if err != nil {
				t.Fatal(err)
			}
			if want := "node,part,label,prediction,probability_boss,probability_clerk,probability_guard"; testsets.CSVHeader(t, all) != want {
				t.Errorf("columns %s, want %s", testsets.CSVHeader(t, all), want)
			}
			for i, row := range testsets.CSVRows(t, all) {
				f := strings.Split(row, ",")
				if f[0] != fmt.Sprintf("p%d", i) || f[3] == "" || (f[2] == "") != (i%10 == 9) {
					t.Fatalf("row %d is %q", i, row)
				}
			}
		})
	}
}

// New tables need no labels and no parts, and may be a graph file.
func TestTableNodesOfOthers(t *testing.T) {
	dir, _ := trained(t, staffRequest(staff(t, 60, nil), settings.Values{"epochs": 2, "part": "part"}))
	graphML := `<graphml><key id="h" for="node" attr.name="hours" attr.type="int"/><key id="t" for="node" attr.name="town" attr.type="string"/>` +
		`<key id="w" for="edge" attr.name="words" attr.type="int"/><key id="l" for="edge" attr.name="label" attr.type="string"/><graph edgedefault="directed">` +
		`<node id="x"><data key="h">30</data><data key="t">Ulm</data></node><node id="y"><data key="h">41</data></node>` +
		`<edge source="x" target="y"><data key="w">4</data><data key="l">chat</data></edge></graph></graphml>`
	for name, path := range map[string]string{
		"tables":  testsets.EdgeFolder(t, "nodes.csv", "id,hours,town\nx,30,Ulm\ny,41,\n", "edges.csv", "from,to,words,label\nx,y,4,chat\n"),
		"GraphML": filepath.Join(testsets.EdgeFolder(t, "g.graphml", graphML), "g.graphml"),
	} {
		s, err := Load(t.Context(), dir, source.LoadOptions{Data: path, Threads: 1})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		table, err := s.Predict(t.Context(), source.PartAll)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if rows := testsets.CSVRows(t, table); len(rows) != 2 || !strings.HasPrefix(rows[0], "x,,") || !strings.HasPrefix(rows[1], "y,,") {
			t.Errorf("%s: rows %q", name, rows)
		}
	}
}

// Classes of test nodes do not change the weights, and features of held-out nodes do not change the encoder.
func TestTableNodesLeak(t *testing.T) {
	weights := func(change func(i int, fields []string)) string {
		dir, _ := trained(t, staffRequest(staff(t, 60, change), settings.Values{"part": "part", "epochs": 5}))
		s, err := LoadRun(dir)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(s.Settings.Data.Tables.Encoder.Nodes) + contentsOf(t, s)
	}
	want := weights(nil)
	if weights(func(i int, f []string) {
		if f[4] == "test" {
			f[3] = "guard"
		}
	}) != want {
		t.Error("classes of test nodes change the weights")
	}
	if weights(func(i int, f []string) {
		if f[4] == "train" && i%2 == 0 {
			f[3] = "guard"
		}
	}) == want {
		t.Error("classes of training nodes change no weights, so the test shows nothing")
	}
	fields := func(change func(i int, f []string)) string {
		s := mustOpen(t, staffRequest(staff(t, 60, change), settings.Values{"part": "part"}))
		return fmt.Sprint(s.Settings.Data.Tables.Encoder.Nodes)
	}
	if fields(func(i int, f []string) {
		if f[4] != "train" {
			f[1], f[2] = "900", "Bern"
		}
	}) != fields(nil) {
		t.Error("features of held-out nodes change the encoder")
	}
}

// contentsOf returns the weights of a run as text.
func contentsOf(t *testing.T, r *Run) string {
	t.Helper()
	var out strings.Builder
	for _, p := range r.Model.Params() {
		fmt.Fprint(&out, p.Value.Data())
	}
	return out.String()
}

func TestTableNodesRefused(t *testing.T) {
	path := staff(t, 40, nil)
	numbers := staff(t, 40, func(i int, f []string) { f[3] = strconv.Itoa(i*7 + 3) })
	for _, test := range []struct {
		name string
		path string
		task string
		with settings.Values
		want string
	}{
		{"no such label", path, task.NodeClassification.Name, settings.Values{"label": "rank"}, `nodes.csv:1: there is no column "rank", found id, hours, town, role, part`},
		{"no label", path, task.NodeClassification.Name, settings.Values{}, "the nodes have no labels to learn from: expected a column called label"},
		{"no nodes", testsets.EdgeFolder(t, "edges.csv", "a,b\n1,2\n"), task.NodeClassification.Name, settings.Values{"label": "role", "source": "a", "target": "b"}, "there is no table of nodes with their labels"},
		{"no column of parts", path, task.NodeClassification.Name, settings.Values{"label": "role", "split": "column"}, "has no column of parts of nodes, which --split column needs; --part names one"},
		{"nobody trains", staff(t, 40, func(i int, f []string) { f[4] = "test" }), task.NodeClassification.Name, settings.Values{"label": "role", "part": "part"}, `no node with a label has part train in column "part"`},
		{"a split of edges", path, task.NodeClassification.Name, settings.Values{"label": "role", "split": "time"}, `--split is "time", expected one of ["random"]`},
		{"numbers", numbers, task.NodeRegression.Name, settings.Values{"label": "role"}, "node-regression is for molecules with a list of numbers for each; expected --task node-classification"},
		{"numbers without a task", numbers, "", settings.Values{"label": "role"}, "column role has numbers of nodes, which can be predicted only for molecules; --task node-classification takes each number for a class"},
		{"a task on edges", path, task.EdgeClassification.Name, settings.Values{"label": "role"}, `edges.csv:1: there is no column "role"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(t.Context(), Request{Path: test.path, Task: test.task, Seed: 1, Threads: 1, Given: test.with})
			if testsets.Fails(t, err, test.want); err != nil && !settings.IsUsage(err) {
				t.Errorf("%v is not marked as the user's to mend", err)
			}
		})
	}
	dir, _ := trained(t, staffRequest(path, settings.Values{"epochs": 1}))
	_, err := Load(t.Context(), dir, source.LoadOptions{Data: path, Context: source.ContextTraining})
	testsets.Fails(t, err, "--context is for runs on edges, and this one is on nodes")
}
