package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
)

// pull is the strength with which an atom of a chain attracts electrons.
var pull = map[byte]float64{'C': 2.5, 'N': 3, 'O': 3.5}

// itemLists returns the labels of a chain by column name: for each atom the number of its
// neighbours and their total pull, for each bond its number of O atoms and whether both atoms are
// of the same element, and for each direction of a bond the difference in pull. Some values are
// missing: in every third chain the neighbours of the first atom, and in another third the
// differences of the first bond.
func itemLists(row int, text string) map[string]any {
	var neighbours, pulled, oxygens, kinds, differences []any
	for i := range len(text) {
		n, sum := 0, 0.0
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(text) {
				n++
				sum += pull[text[j]]
			}
		}
		neighbours, pulled = append(neighbours, n), append(pulled, sum)
		if i == 0 {
			continue
		}
		ends := text[i-1 : i+1]
		oxygens, kinds = append(oxygens, strings.Count(ends, "O")), append(kinds, map[bool]string{true: "same", false: "other"}[ends[0] == ends[1]])
		d := pull[ends[1]] - pull[ends[0]]
		differences = append(differences, []any{d, -d})
	}
	if row%3 == 0 {
		neighbours[0] = nil
	}
	if row%3 == 1 && len(differences) > 0 {
		differences[0] = nil
	}
	return map[string]any{"neighbours": neighbours, "pulled": pulled, "oxygens": oxygens, "kind": kinds, "difference": differences}
}

// itemTable is a CSV file of n chains with the columns of itemLists. Rows 4 and 8 have lists that
// are too long, every tenth row is not a molecule, and every eleventh has no lists. edit may change
// other rows.
func itemTable(t *testing.T, n int, edit func(row int, lists map[string]any), columns ...string) string {
	t.Helper()
	r := rng.Stream(3, "chains")
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "smiles,%s\n", strings.Join(columns, ","))
	for row := 1; row <= n; row++ {
		text := ""
		for range 2 + r.IntN(7) {
			text += string("CNO"[r.IntN(3)])
		}
		lists := itemLists(row, text)
		if edit != nil {
			edit(row, lists)
		}
		if row%10 == 0 {
			text = "C(C"
		}
		b.WriteString(text)
		for _, c := range columns {
			cell := ""
			if l := lists[c].([]any); row%11 != 0 {
				if row == 4 || row == 8 {
					l = append(l, l[0])
				}
				words, err := json.Marshal(l)
				if err != nil {
					t.Fatal(err)
				}
				cell = strings.ReplaceAll(string(words), `"`, `""`)
			}
			fmt.Fprintf(b, `,"%s"`, cell)
		}
		b.WriteByte('\n')
	}
	path := filepath.Join(t.TempDir(), "items.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// itemRequest requests a very short training on labels of atoms or bonds.
func itemRequest(path string) Request {
	return Request{Path: path, Toolkit: testsets.Chains{}, Seed: 2, Threads: 2,
		Given: settings.Values{"epochs": 60, "hidden": 24, "layers": 2, "dropout": 0.0, "batch-size": 16, "lr": 0.01, "patience": 0}}
}

// Labels that follow from the molecule are learned, for atoms, for bonds and for each direction of
// a bond. The run supports everything that other runs do.
func TestItemLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, test := range []struct {
		columns     []string
		task, score string
		items       settings.Level
		directed    bool
		header      string
	}{
		{columns: []string{"neighbours"}, task: "node-regression", score: "r2", items: settings.Nodes, header: "row,node,target_neighbours,prediction_neighbours"},
		{columns: []string{"neighbours", "pulled"}, task: "node-regression", score: "r2", items: settings.Nodes,
			header: "row,node,target_neighbours,prediction_neighbours,target_pulled,prediction_pulled"},
		{columns: []string{"neighbours"}, task: "node-classification", score: "accuracy", items: settings.Nodes, header: "row,node,label,prediction,probability_1,probability_2"},
		{columns: []string{"oxygens"}, task: "edge-regression", score: "r2", items: settings.Edges, header: "row,bond,source,target,target_oxygens,prediction_oxygens"},
		{columns: []string{"kind"}, task: "edge-classification", score: "macro_f1", items: settings.Edges, header: "row,bond,source,target,label,prediction,probability_other,probability_same"},
		{columns: []string{"difference"}, task: "edge-regression", score: "r2", items: settings.Edges, directed: true,
			header: "row,bond,source,target,target_difference,prediction_difference"},
		{columns: []string{"oxygens", "difference"}, task: "edge-regression", score: "r2", items: settings.Edges, directed: true,
			header: "row,bond,source,target,target_oxygens,prediction_oxygens,target_difference,prediction_difference"},
	} {
		t.Run(test.task+" "+strings.Join(test.columns, " "), func(t *testing.T) {
			path := itemTable(t, 90, nil, test.columns...)
			r := itemRequest(path)
			if test.task == "node-classification" {
				r.Task = test.task // the default for these numbers is a regression
			}
			s := mustOpen(t, r)
			if s.Settings.Task != test.task || s.Settings.Data.Directed() != test.directed {
				t.Fatalf("task %s, directed %v", s.Settings.Task, s.Settings.Data.Directed())
			}
			checkParts(t, s)
			notes := strings.Join(s.Data.Notes(), "\n")
			if !strings.Contains(notes, "row 4 has labels that do not fit and is left out: column \""+test.columns[0]+"\" has a list of ") ||
				!strings.Contains(notes, "row 10 is no molecule and is left out: syntax") || !strings.Contains(notes, "11 of 90 rows") {
				t.Errorf("notes %s", notes)
			}
			dir := filepath.Join(t.TempDir(), "run")
			res, err := s.Train(t.Context(), TrainOptions{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if v, _ := res.Test.Get(test.score); v < 0.95 {
				t.Errorf("scores %v", res.Test)
			}
			loaded, err := Load(t.Context(), dir, source.LoadOptions{Toolkit: testsets.Chains{}, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(mustEvaluate(t, loaded, source.PartTest), res.Test) {
				t.Error("the loaded run has other scores")
			}
			checkStream(t, dir, path, test.header, test.items, loaded)
		})
	}
}

// checkStream checks that predictions made piece by piece equal predictions made at once, with a
// row for each atom or bond.
func checkStream(t *testing.T, dir, path, header string, items settings.Level, s *Session) {
	t.Helper()
	all := 0
	for _, g := range s.Graphs(source.PartAll) {
		all += task.CountOf(g, items)
	}
	table, err := s.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(testsets.CSVHeader(t, table), ",")
	part := slices.Index(names, "part")
	if got := strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == "part" }), ","); got != header {
		t.Errorf("columns %s, expected %s", got, header)
	}
	if header = testsets.CSVHeader(t, table); part < 0 {
		t.Errorf("no column of parts in %s", header)
	}
	want := testsets.CSVRows(t, table)
	st, err := openStream(dir, source.LoadOptions{Data: path, Toolkit: testsets.Chains{}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	lines := csvOf(t, st.Predict(t.Context()))
	if lines[0] != header || !slices.Equal(lines[1:], want) || len(want) != all {
		t.Errorf("%s, %d rows, expected %d, at once %d", lines[0], len(lines)-1, all, len(want))
	}
	if st.Rows != 90 || st.Invalid != 11 || !strings.HasPrefix(st.Notes[0], "row 4 has labels that do not fit: ") {
		t.Errorf("%d rows, %d invalid, %q", st.Rows, st.Invalid, st.Notes)
	}
	vectors, err := openStream(dir, source.LoadOptions{Data: path, Toolkit: testsets.Chains{}})
	if err != nil {
		t.Fatal(err)
	}
	defer vectors.Close()
	if lines := csvOf(t, vectors.Embed(t.Context(), items)); len(lines) != all+1 {
		t.Errorf("%d vectors, expected %d", len(lines)-1, all)
	}
}

// The two directions of a bond get different predictions.
func TestDirections(t *testing.T) {
	dir, _ := trained(t, itemRequest(itemTable(t, 90, nil, "difference")))
	path := filepath.Join(t.TempDir(), "new.csv")
	if err := os.WriteFile(path, []byte("smiles\nCO\nOC\nOO\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	st, err := openStream(dir, source.LoadOptions{Data: path, Toolkit: testsets.Chains{}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var got []string
	for _, line := range csvOf(t, st.Predict(t.Context()))[1:] {
		f := strings.Split(line, ",")
		var v float64
		if _, err := fmt.Sscan(f[5], &v); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s>%s %.0f", f[0], f[2], f[3], 2*v))
	}
	for i, text := range got {
		got[i] = strings.Replace(text, "-0", "0", 1)
	}
	if want := []string{"1 0>1 2", "1 1>0 -2", "2 0>1 -2", "2 1>0 2", "3 0>1 0", "3 1>0 0"}; !slices.Equal(got, want) {
		t.Errorf("twice the differences %q, expected %q", got, want)
	}
}

// Units come from the training part. Neither units nor weights depend on the labels of the test
// part.
func TestItemLeak(t *testing.T) {
	r := itemRequest(itemTable(t, 90, nil, "pulled"))
	r.Given["epochs"] = 2
	first := mustOpen(t, r)
	sum, squares, n := 0.0, 0.0, 0.0
	for _, g := range first.Graphs(source.PartTrain) {
		for _, v := range g.NodeTargets {
			if v == v {
				sum, squares, n = sum+float64(v), squares+float64(v)*float64(v), n+1
			}
		}
	}
	mean := sum / n
	if u := first.Settings.Target.Units[0]; math.Abs(u.Mean-mean) > 1e-9 || math.Abs(u.Scale-math.Sqrt(squares/n-mean*mean)) > 1e-6 {
		t.Errorf("unit %+v, mean of the training part %v", u, mean)
	}
	test := map[int]bool{}
	d := first.Data.(*source.MoleculeData)
	for g := range first.Parts[source.PartTest].Graphs {
		test[d.Set.Rows[first.Parts[source.PartTest].ID(source.Place{Graph: g})]] = true
	}
	r.Path = itemTable(t, 90, func(row int, lists map[string]any) {
		if test[row] {
			for i := range lists["pulled"].([]any) {
				lists["pulled"].([]any)[i] = 100
			}
		}
	}, "pulled")
	second := mustOpen(t, r)
	if !reflect.DeepEqual(first.Settings.Target, second.Settings.Target) {
		t.Errorf("units %+v and %+v", first.Settings.Target, second.Settings.Target)
	}
	for _, s := range []*Session{first, second} {
		if _, err := s.Fit(t.Context(), FitOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range first.Model.Params() {
		if !slices.Equal(p.Value.Data(), second.Model.Params()[i].Value.Data()) {
			t.Fatalf("parameter %s differs", p.Name)
		}
	}
}

// The length of a list decides whether its labels belong to atoms or bonds. --label and the task override this.
func TestItemColumns(t *testing.T) {
	for _, test := range []struct {
		text, task string
		given      settings.Values
		suits      string
		err        string
	}{
		{text: "smiles;a\nCCO;[1,2,3.5]\nCC;[1,2]", suits: "node-regression"},
		{text: "smiles;a\nCCO;[1,0,null]\nCC;", suits: "node-classification"},
		{text: "smiles;a\nCCO;['x','y']\nCC;['x']", suits: "edge-classification"},
		{text: "smiles;a\nCCO;\nC;[]\nCC;[[1,2]]", suits: "edge-regression"},
		{text: "smiles;a\nCCO;[[1,2],[1,2]]", given: settings.Values{"edges": "undirected"}, err: `column "a" has two values for each bond, which --edges undirected does not tell apart`},
		{text: "smiles;a;b\nCCO;1.5;[1,2,3]\nCC;2;[1,1]", suits: "graph-regression"},
		{text: "smiles;a;b\nCCO;1.5;[1,2,3]\nCC;2;[1,1]", task: "node-regression", suits: "node-regression"},
		{text: "smiles;a;b\nCCO;1.5;[1,2,3]\nCC;2;[1,1]", given: settings.Values{"label": "b"}, suits: "node-regression"},
		{text: "smiles;a;b\nCCO;1.5;[1,2,3]\nCC;2;[1,1]", given: settings.Values{"label": "a,b"}, err: `column "b" has a list for each molecule, expected one value; --task node-regression`},
		{text: "smiles;a;b\nCCO;1.5;[1,2,3]\nCC;2;[1,1]", task: "node-regression", given: settings.Values{"label": "a"}, err: `column "a" has one value for each molecule, expected a list with a value for each atom`},
		{text: "smiles;a;b\nCCO;[1,2];[1,2,3]\nCC;[1];[1,1]", err: `column "a" is of each bond and column "b" of each atom; name those to learn with --label`},
		{text: "smiles;a;b\nCCO;[1,2];[1,2,3]\nCC;[1];[1,1]", task: "edge-regression", suits: "edge-regression"},
		{text: "smiles;a\nCCO;[1,2]\nCC;[1]", task: "node-regression", given: settings.Values{"label": "a"}, err: `column "a" has a value for each bond, expected a list with a value for each atom`},
		{text: "smiles;a\nCCO;[1,2]\nCC;[1]", task: "node-regression", err: "no column has a list with a value for each atom"},
		{text: "smiles;a\nCCO;[1,2,3]\nCC;[1,2]\nCCC;[[1,2],[3,4]]", given: settings.Values{"edges": "undirected"}, suits: "node-regression"}, // one row has a wrong length
		{text: "smiles;a\nCCO;[1,2,3,4]", err: `column "a" fits atoms as well as bonds; --task node-regression`},
		{text: "smiles;a\nCCO;[1,2,3]\nCC;[1", given: settings.Values{"on-invalid": "fail"}, err: `row 2 has labels that do not fit: column "a" is "[1", expected a list such as`},
		{text: "smiles;a\nCCO;[1,2,3]\nCC;[1,2,3]", given: settings.Values{"on-invalid": "fail"}, err: `row 2 has labels that do not fit: column "a" has a list of 3, expected 2, one for each atom`},
		{text: "smiles;a\nCCO;[1,2,3,4]\nCC;[1,2,3]", task: "node-regression", err: `none of 2 rows of column "smiles" is a molecule`},
		{text: "smiles;a;b\nCCO;['x','y','z'];[1,2,3]", task: "node-regression", err: `column "a" is text, expected numbers`},
		{text: "smiles;a;b\nCCO;[0,1,0];[1,1,0]", err: `columns "a" and "b" are classes, expected one`},
		{text: "smiles;a;b\nCCO;[0,1,0];[1,1,0]", task: "node-regression", suits: "node-regression"},
	} {
		path := filepath.Join(t.TempDir(), "labels.csv")
		if err := os.WriteFile(path, []byte(test.text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		in, err := Read(t.Context(), Request{Path: path, Task: test.task, Given: test.given, Toolkit: testsets.Chains{}})
		switch {
		case test.err != "":
			if testsets.Fails(t, err, test.err); err != nil && !settings.IsUsage(err) {
				t.Errorf("%q: not marked as the user's to mend", test.text)
			}
		case err != nil || settings.TaskOf(in.Labelled()) != test.suits:
			t.Errorf("%q: %v, expected %s", test.text, err, test.suits)
		}
	}
}

// Every model of nodes and of edges learns from many graphs, including models with their own edge form.
func TestItemModels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for task, columns := range map[string][]string{"node-classification": {"neighbours"}, "edge-classification": {"kind"}} {
		path := itemTable(t, 40, nil, columns...)
		for _, spec := range model.Specs() {
			if !slices.Contains(spec.Tasks, task) || spec.Fitted {
				continue
			}
			name := spec.Name
			r := itemRequest(path)
			r.Task, r.Model = task, name
			r.Given = settings.Values{"epochs": 2, "hidden": 8, "layers": 5}
			if name == "mlp-edge" {
				delete(r.Given, "layers")
			}
			dir, _ := trained(t, r)
			st, err := openStream(dir, source.LoadOptions{Data: path, OnInvalid: smiles.Skip, Toolkit: testsets.Chains{}})
			if err != nil {
				t.Fatal(err)
			}
			s, err := Load(t.Context(), dir, source.LoadOptions{Toolkit: testsets.Chains{}})
			if err != nil {
				t.Fatal(err)
			}
			table, err := s.Predict(t.Context(), source.PartAll)
			if err != nil {
				t.Fatal(err)
			}
			if lines := csvOf(t, st.Predict(t.Context())); len(lines) != table.Rows()+1 {
				t.Errorf("%s: %d lines, at once %d rows", name, len(lines), table.Rows())
			}
			if err := st.Close(); err != nil {
				t.Error(err)
			}
			if g := s.Graphs(source.PartAll)[0]; g.NumNodes == 0 || g.Label != graph.NoLabel {
				t.Errorf("%s: graph %+v", name, g)
			}
		}
	}
}
