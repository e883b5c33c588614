package session

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
)

// optionCases are requests for every task and source. Together they give every option a value that
// is not the default, except options that name things with a default name.
func optionCases(t *testing.T) map[string]Request {
	t.Helper()
	set := foldSet(t, "SET", 20)
	numbers := testsets.TUFiles(testsets.EdgeClass(t, 20))
	var attributes strings.Builder
	for i := range strings.Count(numbers["node_labels"], "\n") {
		fmt.Fprintf(&attributes, "%d.5, %d\n", i%7, i%3)
	}
	numbers["node_attributes"] = attributes.String()
	payments := testsets.Transactions(t, 60, 300, nil)
	return map[string]Request{
		"collection": {Path: set, Model: "hyperdrop", Given: settings.Values{"format": "tu", "edges": "directed", "fold": 3, "hidden": 12, "edge-hidden": 8, "layers": 2,
			"dropout": 0.25, "ratio": 0.5, "edge-init": model.EdgesFromEnds, "score": model.ScoreSigmoid, "virtual-node": true, "members": 2, "encode": true,
			"epochs": 7, "batch-size": 4, "patience": 2, "average-weights": 0.5, "lr": 0.25, "weight-decay": 0.125, "constant-lr": true}},
		"folds":                {Path: set, Model: "hyperdrop", Given: settings.Values{"split": settings.SplitFolds, "folds": 4, "fold": 2, "conv": "gat", "heads": 2}},
		"random":               {Path: set, Model: "gmt", Given: settings.Values{"split": settings.SplitRandom, "fractions": []float64{0.5, 0.25, 0.25}, "clusters": 3, "layer-norm": true}},
		"edges of the dual":    {Path: set, Model: "ehgnn", Given: settings.Values{"edge-conv": "sage"}},
		"readout":              {Path: set, Model: "gcn", Given: settings.Values{"readout": "mean"}},
		"numeric attributes":   {Path: testsets.WriteSet(t, t.TempDir(), "NUMBERS", numbers), Given: settings.Values{"standardise": true}},
		"as they are":          {Path: testsets.WriteSet(t, t.TempDir(), "NUMBERS", numbers), Given: settings.Values{"standardise": false}},
		"edge-reconstruction":  {Path: set, Model: "hypercluster", Given: settings.Values{"clusters": 4, "constant-lr": false}},
		"node-reconstruction":  {Path: set, Model: "gmpool-nodes", Given: settings.Values{"node-clusters": 3, "seed-scale": 2.5}},
		"graph-reconstruction": {Path: set, Model: "gmpool-both", Given: settings.Values{"conv": "egcn-linear", "decoder-sees-edges": true, "lr": 0.01, "node-lr": 0.125}},
		"several labels":       {Path: writeFiles(t, "bonds", molecules(60, bondNames, bonds))},
		"graph-regression": {Path: writeFiles(t, "numbers", molecules(60, []string{"n"}, func(i int, _ bool) []string { return []string{fmt.Sprint(i)} })),
			Task: task.GraphRegression.Name},
		"node-classification": {Path: tinyNodes, Model: "deep-gcn", Given: settings.Values{"name": "tiny", "init-gain": 1.5}},
		"nodes at random":     {Path: tinyNodes, Given: settings.Values{"split": settings.SplitRandom, "fractions": []float64{0.4, 0.3, 0.3}}},
		"edge-classification": {Path: payments, Given: settings.Values{"nodes": []string{"nodes.csv"}, "node-id": "id", "source": "source", "target": "target", "label": "label", "time": "time",
			"group": "group", "graph": "-", "ignore": []string{"hour"}, "categories": []string{"days"}, "feature": []string{"amount"}, "missing": []string{"?"}, "decimal": "point", "time-format": "unix", "sheet": "one", "split": settings.SplitTime, "fractions": []float64{0.5, 0.3, 0.2}, "unweighted": true, "transductive": true, "structure": []string{structure.Degree, structure.Pair}, "time-features": settings.ContextOn, "label-smoothing": 0.125}},
		"molecules": {Path: testsets.MoleculeTable(t, 60, "chain"), Toolkit: testsets.Chains{}, Given: settings.Values{"smiles": "chain", "on-invalid": "skip", "label": "oxygens", "ignore": []string{"odd"},
			"split": settings.SplitScaffold, "fractions": []float64{0.4, 0.3, 0.3}}},
		"node-regression":      {Path: itemTable(t, 40, nil, "pulled"), Toolkit: testsets.Chains{}, Given: settings.Values{"explicit-hydrogens": true}},
		"molecules by default": {Path: chainTable(t, 40, 2, "", nothing), Toolkit: testsets.Chains{}, Task: task.GraphRegression.Name},
		"molecules in parts": {Path: chainTable(t, 20, 1, ",lab,fold", func(row int) string { return fmt.Sprintf(",a,%d", row%3) }), Toolkit: testsets.Chains{},
			Task: task.GraphRegression.Name, Given: settings.Values{"part": "fold", "group": "lab"}},
		"pairs":              {Path: payments, Model: "ehgnn-roles", Given: settings.Values{"split": settings.SplitRandom, "pairs": true, "nodes": []string{"-"}, "label-context": settings.ContextOn}},
		"edge-regression":    {Path: payments, Task: task.EdgeRegression.Name, Given: settings.Values{"label": "amount", "split": settings.SplitGroup, "widen-input": 3, "constant-lr": false, "optimizer": "sgd"}},
		"edges by column":    {Path: testsets.Transactions(t, 60, 300, parted), Given: settings.Values{"part": "part", "calibrate": false, "coverage": 0.75, "budget": []float64{0.02, 10}, "threshold": "recall=0.5"}},
		"edges in folds":     {Path: payments, Given: settings.Values{"split": settings.SplitFolds, "folds": 4, "fold": 2, "pairs": true}},
		"edges, fast":        {Path: payments, Given: settings.Values{"quality": model.QualityFast}},
		"numbers, squared":   {Path: payments, Task: task.EdgeRegression.Name, Given: settings.Values{"label": "amount", "metric": "rmse"}},
		"groups in folds":    {Path: payments, Given: settings.Values{"split": settings.SplitGroup, "folds": 3, "fold": 3}},
		"node-link graphs":   {Path: testsets.NodeLinkFile(t, settings.Graphs), Given: settings.Values{"learners": false}},
		"node-link folds":    {Path: testsets.NodeLinkFile(t, settings.Graphs), Given: settings.Values{"split": settings.SplitFolds, "folds": 5}},
		"node-link nodes":    {Path: testsets.NodeLinkFile(t, settings.Nodes), Given: settings.Values{"label": "kind", "layers": 2}},
		"node-link edges":    {Path: testsets.NodeLinkFile(t, settings.Edges), Given: settings.Values{"label": "kind", "ignore": []string{"w"}}},
		"node-link numbers":  {Path: testsets.NodeLinkFile(t, settings.Edges), Task: task.EdgeRegression.Name, Given: settings.Values{"label": "w"}},
		"node-link directed": {Path: testsets.NodeLinkFile(t, settings.Graphs), Given: settings.Values{"edges": "directed", "format": "node-link"}},
	}
}

// Resolved settings, given again as defaults or by a user, resolve to the same settings.
func TestOptionsRoundTrip(t *testing.T) {
	given := map[string]bool{}
	tasks, sources := map[string]bool{}, map[string]bool{}
	for name, r := range optionCases(t) {
		r.Seed, r.Threads = 7, 2
		first := mustOpen(t, r).Settings
		tasks[first.Task], sources[first.Data.Source] = true, true
		values := first.Given()
		for option, v := range r.Given {
			given[option] = true
			if !reflect.DeepEqual(values[option], v) {
				t.Errorf("%s: %s is %v, given %v", name, option, values[option], v)
			}
		}
		r.Task, r.Model = first.Task, first.ModelName
		for how, again := range map[string]Request{
			"defaults": {Path: r.Path, Task: r.Task, Model: r.Model, Seed: r.Seed, Threads: r.Threads, Toolkit: r.Toolkit, Defaults: values},
			"given":    {Path: r.Path, Task: r.Task, Model: r.Model, Seed: r.Seed, Threads: r.Threads, Toolkit: r.Toolkit, Given: values},
		} {
			if second := mustOpen(t, again).Settings; !reflect.DeepEqual(second, first) {
				t.Errorf("%s, as %s: differ in %q", name, how, settings.Differences(first.Flat(), second.Flat()))
			}
		}
	}
	for _, o := range settings.Options() {
		if !given[o.Name] {
			t.Errorf("option %s is given nowhere", o.Name)
		}
	}
	if len(tasks) != len(task.Tasks()) || len(sources) != len(source.Sources()) {
		t.Errorf("tasks %v and sources %v", slices.Sorted(maps.Keys(tasks)), slices.Sorted(maps.Keys(sources)))
	}
}

// For every option a value of a wrong type is refused. So are unknown names and values out of
// range.
func TestOptionErrors(t *testing.T) {
	for _, o := range settings.Options() {
		err := settings.Values{o.Name: struct{}{}}.Validate()
		if testsets.Fails(t, err, fmt.Sprintf("--%s is {}, expected %s", o.Name, o.Expected())); !settings.IsUsage(err) {
			t.Errorf("%s: not marked as the user's to mend", o.Name)
		}
		if o.Help == "" {
			t.Errorf("%s has no help", o.Name)
		}
		if found, ok := settings.FindOption(strings.ReplaceAll(o.Name, "-", "_")); !ok || found.Name != o.Name {
			t.Errorf("%s is not found as in files", o.Name)
		}
	}
	set := foldSet(t, "SET", 20)
	payments := testsets.Transactions(t, 60, 300, nil)
	for _, test := range []struct {
		r    Request
		want string
	}{
		{Request{Path: set, Given: settings.Values{"hiden": 3}}, `unknown option "hiden", did you mean "hidden"?`},
		{Request{Path: set, Given: settings.Values{"edge_init": "given"}}, `unknown option "edge_init", did you mean "edge-init"?`},
		{Request{Path: set, Given: settings.Values{"hidden": 3.0}}, "--hidden is 3, expected a whole number"},
		{Request{Path: set, Given: settings.Values{"lr": 1}}, "--lr is 1, expected a number"},
		{Request{Path: set, Given: settings.Values{"fractions": []string{"1"}}}, "--fractions is [1], expected a list of numbers"},
		{Request{Path: set, Given: settings.Values{"hidden": 0}}, "--hidden is 0, expected at least 1"},
		{Request{Path: set, Given: settings.Values{"ratio": 1.5}}, "--ratio is 1.5, expected above 0 and at most 1"},
		{Request{Path: set, Given: settings.Values{"fractions": []float64{0.5, 0.5}}}, "--fractions is [0.5 0.5], expected 3 numbers"},
		{Request{Path: set, Given: settings.Values{"fractions": []float64{0, 0, 0}}}, "--fractions is [0 0 0], expected numbers that sum to 1, some of it for training, not to 0"},
		{Request{Path: set, Given: settings.Values{"fractions": []float64{0, 1, 0}}}, "--fractions is [0 1 0], expected numbers that sum to 1, some of it for training"},
		{Request{Path: set, Given: settings.Values{"fractions": []float64{2, -1, 0}}}, "--fractions is [2 -1 0], expected numbers from 0 to 1"},
		{Request{Path: set, Given: settings.Values{"split": "thirds"}}, `--split is "thirds", expected one of`},
		{Request{Path: set, Given: settings.Values{"format": "gml"}}, `--format is "gml", expected one of`},
		{Request{Path: set, Given: settings.Values{"folds": 2}}, "--folds is 2, expected at least 3"},
		{Request{Path: set, Given: settings.Values{"split": settings.SplitFold, "fold": 11}}, "fold 11"},
		{Request{Path: set, Given: settings.Values{"split": settings.SplitFolds, "fold": 11}}, "--fold is 11, expected 1 to 10"},
		{Request{Path: payments, Given: settings.Values{"split": settings.SplitFolds, "fold": 11}}, "--fold is 11, expected 1 to 10"},
		{Request{Path: payments, Given: settings.Values{"split": settings.SplitGroup, "folds": 3, "fold": 4}}, "--fold is 4, expected 1 to 3"},
		{Request{Path: payments, Given: settings.Values{"split": settings.SplitColumn}}, "has no column of parts, which split column needs"},
		{Request{Path: payments, Given: settings.Values{"part": "channel"}}, `column "channel" is "`},

		{Request{Path: payments, Given: settings.Values{"coverage": 1.0}}, "--coverage is 1, expected 0 or more and below 1"},
		{Request{Path: payments, Given: settings.Values{"coverage": 0.999}}, "--coverage 0.999 needs at least 999 edges to validate on that have a label, found 60"},
		{Request{Path: payments, Given: settings.Values{"coverage": 0.9, "fractions": []float64{0.5, 0, 0.5}}}, "--coverage 0.9 needs at least 9 edges to validate on that have a label, found 0"},
		{Request{Path: payments, Given: settings.Values{"budget": []float64{0.1, 1.5}}}, "--budget is [0.1 1.5], expected shares below 1 and whole numbers from 1"},
		{Request{Path: payments, Given: settings.Values{"budget": []float64{0.1, 0.1}}}, "--budget is [0.1 0.1], expected each once"},
		{Request{Path: payments, Given: settings.Values{"budget": []float64{}}}, "--budget is [], expected one or more"},
		{Request{Path: payments, Given: settings.Values{"threshold": "recall"}}, `--threshold is "recall", expected a number from 0 to 1`},
		{Request{Path: payments, Given: settings.Values{"label": "channel", "ignore": []string{"label"}, "threshold": "0.5"}}, "--threshold does not apply to edge-classification"},

		// Options that nothing reads.
		{Request{Path: payments, Task: task.EdgeRegression.Name, Given: settings.Values{"label": "amount", "calibrate": true}}, "--calibrate does not apply to edge-regression"},
		{Request{Path: payments, Given: settings.Values{"label": "channel", "ignore": []string{"label"}, "budget": []float64{0.1}}}, "--budget does not apply to edge-classification"},
		{Request{Path: tinyNodes, Given: settings.Values{"batch-size": 3}}, "--batch-size does not apply to node-classification"},
		{Request{Path: payments, Given: settings.Values{"batch-size": 3}}, "--batch-size does not apply to edge-classification"},
		{Request{Path: set, Given: settings.Values{"unweighted": true}}, "--unweighted does not apply to graph-classification"},
		{Request{Path: payments, Task: task.EdgeRegression.Name, Given: settings.Values{"label": "amount", "unweighted": true}}, "--unweighted does not apply to edge-regression"},
		{Request{Path: set, Given: settings.Values{"split": settings.SplitRandom, "fold": 2}}, "--fold does not apply to graph-classification of graphs"},
		{Request{Path: set, Given: settings.Values{"split": settings.SplitFold, "folds": 4}}, "--folds does not apply"},
		{Request{Path: set, Given: settings.Values{"fractions": []float64{0.5, 0.3, 0.2}}}, "--fractions does not apply"},
		{Request{Path: tinyNodes, Given: settings.Values{"fold": 2}}, "--fold does not apply"},
		{Request{Path: payments, Given: settings.Values{"split": settings.SplitGroup, "fold": 2}}, "--fold does not apply to edge-classification of tables"},
		{Request{Path: payments, Given: settings.Values{"split": settings.SplitTime, "folds": 4}}, "--folds does not apply to edge-classification of tables"},
		{Request{Path: payments, Given: settings.Values{"split": settings.SplitGroup, "folds": 4, "fractions": []float64{0.5, 0.3, 0.2}}}, "--fractions does not apply"},
		{Request{Path: set, Given: settings.Values{"pairs": true}}, "--pairs does not apply to graph-classification of graphs"},
		{Request{Path: set, Given: settings.Values{"nodes": []string{"nodes.csv"}}}, "--nodes does not apply to graphs"},
		{Request{Path: payments, Given: settings.Values{"standardise": false}}, "--standardise does not apply to edge-classification of tables"},
		{Request{Path: payments, Given: settings.Values{"name": "x"}}, "--name does not apply to tables"},
		{Request{Path: set, Model: "hyperdrop", Given: settings.Values{"clusters": 3}}, "--clusters does not apply to model hyperdrop; its own options are --"},
		{Request{Path: set, Model: "hyperdrop", Given: settings.Values{"heads": 2}}, "--heads does not apply to model hyperdrop"},
		{Request{Path: payments, Given: settings.Values{"readout": "sum"}}, "--readout does not apply to model ehgnn-roles"},
	} {
		_, err := Open(t.Context(), test.r)
		if testsets.Fails(t, err, test.want); !settings.IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
		// Defaults may contain options that do not apply, because they serve many models and tasks.
		if strings.Contains(test.want, "does not apply") {
			r := test.r
			r.Defaults, r.Given = r.Given, nil
			if _, err := Open(t.Context(), r); err != nil {
				t.Errorf("%v as a default: %v", r.Defaults, err)
			}
		}
	}
}

// Over returns a new map and does not change its operands.
func TestValuesOver(t *testing.T) {
	a := settings.Values{"hidden": 1, "layers": 2}
	b := a.Over(settings.Values{"hidden": 3})
	if !maps.Equal(a, settings.Values{"hidden": 1, "layers": 2}) || !maps.Equal(b, settings.Values{"hidden": 3, "layers": 2}) || settings.Values(nil).Over(nil) == nil {
		t.Errorf("%v, over it %v", a, b)
	}
}

// A run folder that was moved together with its data finds them by the relative path.
func TestMovedRun(t *testing.T) {
	for name, r := range map[string]Request{
		"collection": {Path: foldSet(t, "SET", 20), Model: "hyperdrop", Given: quick()},
		"tables":     {Path: testsets.Transactions(t, 60, 300, nil), Given: quick()},
		"node-link":  {Path: testsets.NodeLinkFile(t, settings.Graphs), Given: quick()},
	} {
		t.Run(name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			r.Path = moveInto(t, r.Path, filepath.Join(home, "data"))
			s := mustOpen(t, r)
			if _, err := s.Train(t.Context(), TrainOptions{Dir: filepath.Join(home, "runs", "one")}); err != nil {
				t.Fatal(err)
			}
			before, err := s.Predict(t.Context(), source.PartTest)
			if err != nil {
				t.Fatal(err)
			}
			away := filepath.Join(t.TempDir(), "away")
			moveInto(t, home, away)
			run := filepath.Join(away, "home", "runs", "one")
			l, err := Load(t.Context(), run, source.LoadOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			after, err := l.Predict(t.Context(), source.PartTest)
			if err != nil || !slices.Equal(testsets.CSVRows(t, after), testsets.CSVRows(t, before)) {
				t.Errorf("%v: predictions %q, before the move %q", err, testsets.CSVRows(t, after), testsets.CSVRows(t, before))
			}
			again, err := ReadRun(run)
			if want := filepath.Join(away, "home", "data", filepath.Base(r.Path)); err != nil || again.Path != want {
				t.Errorf("to train again from %q (%v), want %q", again.Path, err, want)
			}
			// A run folder that was moved without its data does not find them.
			alone := moveInto(t, run, t.TempDir())
			_, err = Load(t.Context(), alone, source.LoadOptions{})
			if testsets.Fails(t, err, "the data of run "+alone+" cannot be read again; name them as DATA"); !settings.IsUsage(err) {
				t.Error("not marked as the user's to mend")
			}
		})
	}
}
