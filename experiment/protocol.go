package experiment

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/task"
)

// Protocol is how a kind of data set is trained and tested: which task, which split,
// which score counts. How training selects its epoch is the task's.
type Protocol struct {
	Name  string
	Title string // for the notes of a table
	Task  string
	Split string // task.SplitFold or task.SplitGiven
	// Score is that of the test part which the table shows: in percent, or with Lower
	// in the unit of the data.
	Score string
	Lower bool // a smaller score is a better one
	Folds int  // trained per seed; 0 for one split
	// Average says that the mean over data sets is of interest, as in the paper's table.
	Average bool

	molecules bool // ModelRow.Molecules applies
	// makesFolds says that the data come without folds and are divided here: made says
	// how, and folding lists the test graphs of each fold.
	makesFolds bool
	made       string
	folding    [][]int
	// holds reports whether a data set is of this kind.
	holds func(d *data.Dataset) bool
}

// Protocols lists the kinds of data sets; the first that holds a set is its own.
var Protocols = []Protocol{
	{Name: "folds", Title: "ten fixed folds, for each a fresh model; the fold before the test fold validates",
		Task: "graph-classification", Split: task.SplitFold, Score: "accuracy", Folds: 10, Average: true,
		holds: func(d *data.Dataset) bool { return d.Info.HasFolds && d.Info.NumClasses > 0 }},
	{Name: "scaffold-regression", Title: "one scaffold split, a fresh model per seed; RMSE, the mean over the numbers, lower is better",
		Task: "graph-regression", Split: task.SplitGiven, Score: "rmse", Lower: true, molecules: true,
		holds: func(d *data.Dataset) bool { return d.Split != nil && d.Info.NumTargets > 0 && !binary(d) }},
	{Name: "scaffold", Title: "one scaffold split, a fresh model per seed; ROC-AUC, the mean over the labels with both classes",
		Task: "graph-classification", Split: task.SplitGiven, Score: "roc_auc", Average: true, molecules: true,
		holds: func(d *data.Dataset) bool { return d.Split != nil && d.Info.NumTargets > 0 }},
	{Name: "nodes", Title: "the public split of the nodes of one graph, a fresh model per seed",
		Task: "node-classification", Split: task.SplitGiven, Score: "accuracy",
		holds: func(d *data.Dataset) bool { return d.NodeSplit != nil && d.Info.NumNodeClasses > 0 }},
	{Name: "stratified-folds", Task: "graph-classification", Split: task.SplitGiven, Score: "accuracy", Folds: 10, Average: true, makesFolds: true,
		holds: func(d *data.Dataset) bool { return d.Split == nil && d.Info.NumClasses > 0 }},
}

// binary reports whether every target is 0, 1 or missing, as labels are.
func binary(d *data.Dataset) bool {
	for _, g := range d.Graphs {
		for _, v := range g.Targets {
			if v != 0 && v != 1 && v == v {
				return false
			}
		}
	}
	return true
}

// protocolOf is the protocol of data; seed makes folds where they have none.
func protocolOf(p *task.Parts, seed uint64) (Protocol, error) {
	for _, k := range Protocols {
		if p.Whole == nil || !k.holds(p.Whole) {
			continue
		}
		if k.makesFolds {
			k.made = fmt.Sprintf("ten folds made here, stratified, by seed %d", seed)
			k.Title = k.made + ", for each a fresh model; the fold before the test fold validates"
			var err error
			if k.folding, err = data.StratifiedFolds(p.Whole.Labels(), k.Folds, seed); err != nil {
				return k, fmt.Errorf("%s: %w", p.Name(), err)
			}
		}
		return k, nil
	}
	return Protocol{}, fmt.Errorf("experiment: no protocol for %s: expected a set of graphs with classes, or with a split of its graphs or of its nodes", p.Name())
}

// better reports whether a score is better than another.
func (k Protocol) better(score, than float64) bool {
	if k.Lower {
		return score < than
	}
	return score > than
}

// divide is the data with a fold that is made here as their split; other data stay as
// they are.
func (k Protocol) divide(p *task.Parts, fold int) *task.Parts {
	if !k.makesFolds {
		return p
	}
	test, valid := fold-1, (fold+k.Folds-2)%k.Folds
	s := &data.Split{Name: "stratified", Valid: k.folding[valid], Test: k.folding[test]}
	for i, ids := range k.folding {
		if i != test && i != valid {
			s.Train = append(s.Train, ids...)
		}
	}
	slices.Sort(s.Train)
	whole := *p.Whole
	whole.Split, whole.Info.Split = s, s.Info()
	return &task.Parts{Whole: &whole}
}

// folds are the folds a seed trains: 0 stands for the one split of a set without.
func (k Protocol) folds(asked []int) ([]int, error) {
	if k.Folds == 0 {
		return []int{0}, nil
	}
	if asked == nil {
		for f := range k.Folds {
			asked = append(asked, f+1)
		}
	}
	for i, f := range asked {
		if f < 1 || f > k.Folds {
			return nil, fmt.Errorf("experiment: there is no fold %d, expected 1 to %d", f, k.Folds)
		}
		for _, g := range asked[:i] {
			if g == f {
				return nil, fmt.Errorf("experiment: fold %d is there twice", f)
			}
		}
	}
	return asked, nil
}
