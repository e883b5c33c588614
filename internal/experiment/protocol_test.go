package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Each kind of data has its protocol, and the notes say how it selects.
func TestProtocols(t *testing.T) {
	s := settings.Settings{Split: settings.Split{Kind: settings.SplitFold}}
	if text := task.Selection(s); text != "lowest validation loss, then one look at the test fold" {
		t.Error(text)
	}
	s.Split.Kind = settings.SplitGiven
	s.Train.Monitor.Metric, s.Train.Monitor.Maximize = "roc_auc", true
	if text := task.Selection(s); text != "highest validation ROC-AUC, then one look at the test set" {
		t.Error(text)
	}
	for _, p := range protocols {
		if _, err := task.FindTask(p.Task); err != nil {
			t.Error(err)
		}
	}
}

// numbers returns the target of a molecule as a number. The mean is about 2.
func numbers(i int, double bool) []string {
	if double {
		return []string{fmt.Sprintf("%.2f", 3+0.1*float64(i))}
	}
	return []string{fmt.Sprintf("%.2f", 1-0.1*float64(i))}
}

// Each kind of data has its protocol. Data without one are refused.
func TestProtocolOf(t *testing.T) {
	unlabelled := tuFiles(t, "BARE", 10)
	delete(unlabelled, "BARE_graph_labels.txt")
	for want, path := range map[string]string{
		"folds": foldSet(t, "SET", 20), "stratified-folds": tuFiles(t, "SET", 20).write(t, "SET"), "nodes": tinyNodes,
		"scaffold": molecules(t, "ogbg_molbace", bonds), "scaffold-regression": molecules(t, "ogbg_molesol", numbers),
		"": unlabelled.write(t, "BARE"),
	} {
		parts, err := session.Read(t.Context(), session.Request{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		p, err := protocolOf(parts, 1)
		same(t, "protocol", p.Name, want)
		if want == "" {
			fails(t, err, "no protocol for BARE: expected a set of graphs with classes, or with a split")
		} else if err != nil {
			t.Error(err)
		}
	}
}

// A set without folds gets ten stratified folds by seed. The table says so, and jobs with folds of
// another seed do not count.
func TestStratifiedFolds(t *testing.T) {
	r := oneCell(tuFiles(t, "SET", 40).write(t, "SET"), "gcn", 2, 1)
	r.Dir, r.FoldSeed, r.Overrides["epochs"] = t.TempDir(), 42, 1
	g := mustRun(t, r)
	same(t, "jobs", countsOf(g), counts{Total: 10, Done: 10})
	if notes := strings.Join(g.remarks(), "\n"); !strings.Contains(notes, "SET: ten folds made here, stratified, by seed 42, for each a fresh model") {
		t.Errorf("remarks\n%s", notes)
	}
	same(t, "jobs of the same folds", countsOf(mustRun(t, r)), counts{Total: 10, Done: 10, Kept: 10})
	r.FoldSeed = 43
	same(t, "jobs of other folds", countsOf(mustRun(t, r)), counts{Total: 10, Done: 10})

	// foldOf returns the graphs of the parts of a fold, and the number of test graphs of class 1.
	foldOf := func(r gridRequest, fold int, seed uint64) (train, valid, test []int, ones int) {
		g, err := plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.open(t.Context(), g.cells[0][0], Job{Seed: seed, Fold: fold})
		if err != nil {
			t.Fatal(err)
		}
		for part, to := range map[string]*[]int{source.PartTrain: &train, source.PartValid: &valid, source.PartTest: &test} {
			table, err := s.Predict(t.Context(), part)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := report.WriteCSV(&text, table); err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(strings.TrimSpace(text.String()), "\n")[1:] {
				fields := strings.Split(line, ",") // graph, label, ...
				id, err := strconv.Atoi(fields[0])
				if err != nil {
					t.Fatal(err)
				}
				*to = append(*to, id)
				if part == source.PartTest && fields[1] == "1" {
					ones++
				}
			}
		}
		return train, valid, test, ones
	}
	r.FoldSeed = 42
	var tested []int
	for fold := 1; fold <= 10; fold++ {
		train, valid, test, ones := foldOf(r, fold, 1)
		all := slices.Sorted(slices.Values(slices.Concat(train, valid, test)))
		if len(all) != 40 || all[39] != 39 || len(slices.Compact(all)) != 40 || len(test) != 4 || len(valid) != 4 || !slices.IsSorted(train) {
			t.Errorf("fold %d: %v, %v, %v", fold, train, valid, test)
		}
		if ones < 1 || ones > 3 {
			t.Errorf("fold %d tests %d graphs of class 1 among 4", fold, ones)
		}
		_, _, before, _ := foldOf(r, (fold+8)%10+1, 1)
		same(t, "graphs that validate", valid, before)
		tested = append(tested, test...)
	}
	slices.Sort(tested)
	same(t, "graphs that are tested", len(slices.Compact(tested)), 40)
	// The seed of a job does not change the folds, for any fold seed.
	for _, r.FoldSeed = range []uint64{0, 42} {
		_, _, one, _ := foldOf(r, 1, 1)
		_, _, two, _ := foldOf(r, 1, 2)
		same(t, "graphs that two seeds test", two, one)
	}
	r.Columns[0].Path = tuFiles(t, "few", 5).write(t, "few")
	_, err := plan(t.Context(), r)
	fails(t, err, "few: data: 10 folds of 5 items")
}

// Molecules with numbers are a regression: the cell has the RMSE in the unit of the data, the
// smallest is the best, and nothing is in percent.
func TestRegressionColumn(t *testing.T) {
	dir := t.TempDir()
	r := gridRequest{Title: "Graphs", Measure: "accuracy in percent", Rows: []modelRow{{Name: "gcn", Molecules: "egcn"}, {Name: "hyperdrop"}},
		Columns: []DatasetColumn{{Path: molecules(t, "ogbg_molesol", numbers)}}, Seeds: []uint64{1, 2}, Overrides: quick(), Threads: 2, Dir: dir, Choose: []string{"gcn", "hyperdrop"}}
	g := mustRun(t, r)
	cells := g.gridCells()
	best := 0
	if *cells[1].Mean < *cells[0].Mean {
		best = 1
	}
	for i, c := range cells {
		same(t, "metric", c.Metric, "rmse")
		same(t, "task", c.Settings.Task, "graph-regression")
		same(t, "model", c.Model, []string{"egcn", "hyperdrop"}[i])
		// Predicting the mean would have an error of about 2.
		if *c.Mean < 0.05 || *c.Mean > 10 || c.Folds[0].Valid <= 0 {
			t.Errorf("%s: RMSE %v, %+v", c.Row, *c.Mean, c.Folds)
		}
		if i == best && !c.Best {
			t.Errorf("%s with %v is not the best of %v and %v", c.Row, *c.Mean, *cells[0].Mean, *cells[1].Mean)
		}
	}
	choice := g.choices()[0]
	for _, c := range cells {
		if valid := (c.Folds[0].Valid + c.Folds[1].Valid) / 2; valid < choice.Valid-1e-9 {
			t.Errorf("%s is chosen with %v, %s has %v", choice.Row, choice.Valid, c.Row, valid)
		}
	}
	d := g.document()
	same(t, "title", d.Title, "Graphs: test RMSE in the unit of the data")
	text := d.Markdown()
	if !strings.Contains(text, "ogbg_molesol, RMSE") || strings.Contains(text, "percent") {
		t.Errorf("table\n%s", text)
	}
	// If the table also has a column of labels, it has no average, and its title names both.
	r.Columns, r.Dir, r.Choose = append(r.Columns, DatasetColumn{Path: molecules(t, "ogbg_molbace", bonds)}), "", nil
	mixed := mustRun(t, r)
	same(t, "title", mixed.document().Title, "Graphs: accuracy in percent; RMSE in the unit of the data")
	if mixed.Table().Average {
		t.Error("an average over errors and shares")
	}
	r.Rows, r.Columns = r.Rows[1:], r.Columns[:1]
	if text := mustRun(t, r).single().Text(); !strings.Contains(text, "Test RMSE in the unit of the data") || strings.Contains(text, "percent") {
		t.Errorf("a cell alone:\n%s", text)
	}
}
