package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// moveInto moves a file or folder into another folder and returns its new path.
func moveInto(t *testing.T, path, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, filepath.Base(path))
	if err := os.Rename(path, to); err != nil {
		t.Fatal(err)
	}
	return to
}

// Specific sources are asked before general ones.
func TestRecognise(t *testing.T) {
	var names []string
	for _, s := range source.Sources() {
		names = append(names, s.Name)
	}
	if want := []string{"node-link", "smiles", "tables", "graphs"}; !slices.Equal(names, want) {
		t.Fatalf("sources %q, want %q", names, want)
	}
	tabled := testsets.EdgeFolder(t, "edges.csv", "source,target,label\na,b,x\n")
	for path, want := range map[string]string{
		testsets.NodeLinkFile(t, settings.Graphs):                            "node-link",
		testsets.NodeLinkFile(t, settings.Edges):                             "node-link",
		testsets.MoleculeTable(t, 3, "SMILES"):                               "smiles",
		testsets.EdgeFolder(t, "edges.csv", "source,target,smiles\na,b,C\n"): "tables",
		tabled: "tables",
		testsets.EdgeFolder(t, "train.txt", "a\tin\tb\nb\tin\tc\n", "test.txt", "a\tin\tc\n"): "tables",
		filepath.Join(testsets.EdgeFolder(t, "links.txt", "1 2\n2 3\n"), "links.txt"):         "tables",
		filepath.Join(testsets.EdgeFolder(t, "g.gml", "graph [\n]\n"), "g.gml"):               "tables", // refused with the name of the format
		filepath.Join(tabled, "edges.csv"):                                                    "tables",
		foldSet(t, "SET", 20):                                                                 "graphs",
		tinyNodes:                                                                             "graphs",
		filepath.Join(t.TempDir(), "absent"):                                                  "graphs",
	} {
		s, err := source.SourceOf(path, "")
		if err != nil || s.Name != want {
			t.Errorf("%s is read as %s (%v), want %s", path, s.Name, err, want)
		}
	}
	for format, want := range map[string]string{"node-link": "node-link", "tables": "tables", "edge-list": "tables", "graphml": "tables", "tu": "graphs", "ogb": "graphs", "planetoid": "graphs"} {
		if s, err := source.SourceOf(tabled, format); err != nil || s.Name != want {
			t.Errorf("format %s is read as %s (%v), want %s", format, s.Name, err, want)
		}
	}
	_, err := source.SourceOf(tabled, "gml")
	testsets.Fails(t, err, `unknown format "gml", expected one of`)
	_, err = Open(t.Context(), Request{Path: filepath.Join(t.TempDir(), "absent")})
	if testsets.Fails(t, err, "absent"); !settings.IsUsage(err) {
		t.Errorf("%v is not marked as the user's to mend", err)
	}
	_, err = source.FindSource("table")
	testsets.Fails(t, err, `unknown source "table", did you mean "tables"?`)
}

// Node-link data can be trained on at each level, predicted with the ids of the documents, and
// loaded again.
func TestNodeLink(t *testing.T) {
	for _, test := range []struct {
		level        settings.Level
		task, header string
		id           string // id of the first row
		rows         int
		given        settings.Values
	}{
		{settings.Graphs, task.GraphClassification.Name, "graph,part,label,prediction,probability_blue,probability_red", "g0,", 30, nil},
		{settings.Nodes, task.NodeClassification.Name, "node,part,label,prediction,probability_blue,probability_red", "n0.0,", 60, settings.Values{"label": "kind", "layers": 2}},
		{settings.Edges, task.EdgeClassification.Name, "edge,source,target,part,label,prediction,probability_blue,probability_red", "0,n0.0,n0.", 60, settings.Values{"label": "kind"}},
	} {
		t.Run(string(test.level), func(t *testing.T) {
			path := testsets.NodeLinkFile(t, test.level)
			dir, res := trained(t, Request{Path: path, Seed: 1, Threads: 2, Given: settings.Values{"epochs": 1, "hidden": 8}.Over(test.given)})
			if res.Task != test.task || res.Epochs != 1 || res.Dataset != "graphs.json" && res.Dataset != "graphs" {
				t.Errorf("result %+v", res)
			}
			s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(mustEvaluate(t, s, source.PartTest), res.Test) {
				t.Errorf("the loaded run has other scores than %v", res.Test)
			}
			all, err := s.Predict(t.Context(), source.PartAll)
			if err != nil {
				t.Fatal(err)
			}
			rows := testsets.CSVRows(t, all)
			if header := testsets.CSVHeader(t, all); header != test.header || len(rows) != test.rows || !strings.HasPrefix(rows[0], test.id) {
				t.Errorf("%d rows with %s, the first %q; want %d with %s, the first with %q", len(rows), header, rows[0], test.rows, test.header, test.id)
			}
			checkParts(t, s)
			if vectors, err := s.Embed(t.Context(), source.PartAll, test.level); err != nil || vectors.Rows() != test.rows {
				t.Errorf("%d vectors (%v), want %d", vectors.Rows(), err, test.rows)
			}

			// Other documents, without labels.
			text := testsets.Contents(t, path)
			for _, word := range []string{`, "label": "red"`, `, "label": "blue"`, `, "kind": "red"`, `, "kind": "blue"`} {
				text = strings.ReplaceAll(text, word, "")
			}
			other := filepath.Join(t.TempDir(), "other.json")
			if err := os.WriteFile(other, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			o, err := Load(t.Context(), dir, source.LoadOptions{Data: other, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			table, err := o.Predict(t.Context(), source.PartAll)
			if err != nil || table.Rows() != test.rows || testsets.CSVHeader(t, table) != strings.Replace(test.header, "part,", "", 1) {
				t.Fatalf("%d rows with %s (%v) without labels", table.Rows(), testsets.CSVHeader(t, table), err)
			}
			_, err = o.Evaluate(t.Context(), source.PartAll)
			if testsets.Fails(t, err, "has a label to score predictions by"); !settings.IsUsage(err) {
				t.Error("not marked as the user's to mend")
			}
			// For graphs and nodes the input of the model is the same, and so are its predictions.
			if test.level != settings.Edges {
				for i, row := range testsets.CSVRows(t, table) {
					f, g := strings.Split(rows[i], ","), strings.Split(row, ",")
					if f[0] != g[0] || !slices.Equal(f[3:], g[2:]) {
						t.Fatalf("row %d is %q, with labels %q", i, row, rows[i])
					}
				}
			}
		})
	}
	_, err := Open(t.Context(), Request{Path: testsets.NodeLinkFile(t, settings.Graphs), Task: task.EdgeReconstruction.Name})
	testsets.Fails(t, err, "edge-reconstruction does not apply to ")
	_, err = Open(t.Context(), Request{Path: testsets.NodeLinkFile(t, settings.Nodes), Given: settings.Values{"label": "kind", "split": settings.SplitTime}})
	testsets.Fails(t, err, `--split is "time", expected one of ["random"]`)
}

// Generated folds are disjoint, cover the data, and contain all classes.
func TestMadeFolds(t *testing.T) {
	plain := testsets.WriteSet(t, t.TempDir(), "SET", testsets.TUFiles(testsets.EdgeClass(t, 40)))
	for name, r := range map[string]Request{"collection": {Path: plain}, "node-link": {Path: testsets.NodeLinkFile(t, settings.Graphs)}} {
		t.Run(name, func(t *testing.T) {
			of := func(fold int, seed uint64) (ids [3][]int, classes map[string]int, set settings.Split) {
				r.Seed, r.Given = seed, settings.Values{"split": settings.SplitFolds, "folds": 5, "fold": fold}
				s := mustOpen(t, r)
				for k, part := range source.Parts() {
					p := s.Parts[part]
					for g := range p.Graphs {
						ids[k] = append(ids[k], p.ID(source.Place{Graph: g}))
					}
				}
				classes = map[string]int{}
				for _, g := range s.Graphs(source.PartTest) {
					classes[fmt.Sprint(g.Label)]++
				}
				return ids, classes, s.Settings.Split
			}
			var tested []int
			total := 0
			for fold := 1; fold <= 5; fold++ {
				ids, classes, split := of(fold, 1)
				all := slices.Sorted(slices.Values(slices.Concat(ids[0], ids[1], ids[2])))
				total = len(all)
				for i, id := range all {
					if i != id {
						t.Fatalf("fold %d: parts %v are not all graphs once", fold, ids)
					}
				}
				if len(ids[2]) != total/5 || len(ids[1]) != total/5 || len(classes) != 2 || max(classes["0"], classes["1"])-min(classes["0"], classes["1"]) > 2 {
					t.Errorf("fold %d tests %v with classes %v and validates on %v", fold, ids[2], classes, ids[1])
				}
				if split.Kind != settings.SplitFolds || split.Folds != 5 || split.Fold != fold || split.Fractions != nil {
					t.Errorf("split %+v", split)
				}
				before, _, _ := of((fold+3)%5+1, 1)
				if !slices.Equal(ids[1], before[2]) {
					t.Errorf("fold %d validates on %v, the fold before tests %v", fold, ids[1], before[2])
				}
				tested = append(tested, ids[2]...)
			}
			slices.Sort(tested)
			if len(slices.Compact(tested)) != total {
				t.Errorf("the folds test %v", tested)
			}
			one, _, _ := of(1, 1)
			two, _, _ := of(1, 2)
			if slices.Equal(one[2], two[2]) {
				t.Error("the folds do not depend on the seed")
			}
			r.Given = settings.Values{"folds": 10, "fold": 11}
			_, err := Open(t.Context(), r)
			if testsets.Fails(t, err, "--fold is 11, expected 1 to 10"); !settings.IsUsage(err) {
				t.Error("not marked as the user's to mend")
			}
			r.Given = settings.Values{"folds": 200}
			_, err = Open(t.Context(), r)
			testsets.Fails(t, err, "200 folds of ")
		})
	}
}
