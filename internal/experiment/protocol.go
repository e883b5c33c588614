package experiment

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// protocol says how a kind of data set is trained and tested: task, split and score. The task
// decides how training selects its epoch.
type protocol struct {
	Name  string
	Title string // for the notes of a table
	Task  string
	Split string // settings.SplitFold, settings.SplitFolds or settings.SplitGiven
	// Score is the test score shown in the table: in percent, or, with Lower, in the unit of the data.
	Score string
	Lower bool // a smaller score is better
	Folds int  // trained for each seed; 0 for one split
	// Average says that the mean over data sets is shown, as in the paper's table.
	Average bool

	molecules bool // modelRow.Molecules applies
	// makesFolds says that the data have no folds and are divided with foldSeed; made describes this.
	makesFolds bool
	made       string
	foldSeed   uint64
	// holds reports whether a data set is of this kind.
	holds func(d *data.Dataset) bool
}

// protocols lists the kinds of data sets; the first kind that holds a set applies.
var protocols = []protocol{
	{Name: "folds", Title: "ten fixed folds, for each a fresh model; the fold before the test fold validates",
		Task: "graph-classification", Split: settings.SplitFold, Score: "accuracy", Folds: 10, Average: true,
		holds: func(d *data.Dataset) bool { return d.Info.HasFolds && d.Info.NumClasses > 0 }},
	{Name: "scaffold-regression", Title: "one scaffold split, a fresh model per seed; RMSE, the mean over the numbers, lower is better",
		Task: "graph-regression", Split: settings.SplitGiven, Score: "rmse", Lower: true, molecules: true,
		holds: func(d *data.Dataset) bool { return d.Split != nil && d.Info.NumTargets > 0 && !binary(d) }},
	{Name: "scaffold", Title: "one scaffold split, a fresh model per seed; ROC-AUC, the mean over the labels with both classes",
		Task: "graph-classification", Split: settings.SplitGiven, Score: "roc_auc", Average: true, molecules: true,
		holds: func(d *data.Dataset) bool { return d.Split != nil && d.Info.NumTargets > 0 }},
	{Name: "nodes", Title: "the public split of the nodes of one graph, a fresh model per seed",
		Task: "node-classification", Split: settings.SplitGiven, Score: "accuracy",
		holds: func(d *data.Dataset) bool { return d.NodeSplit != nil && d.Info.NumNodeClasses > 0 }},
	{Name: "stratified-folds", Task: "graph-classification", Split: settings.SplitFolds, Score: "accuracy", Folds: 10, Average: true, makesFolds: true,
		holds: func(d *data.Dataset) bool { return d.Split == nil && d.Info.NumClasses > 0 }},
}

// binary reports whether every target is 0, 1 or missing, like labels.
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

// protocolOf returns the protocol of data; seed makes folds if they have none.
func protocolOf(in *session.Input, seed uint64) (protocol, error) {
	none := fmt.Errorf("experiment: no protocol for %s: expected a set of graphs with classes, or with a split of its graphs or of its nodes", in.Name())
	set, err := in.Collection()
	if err != nil {
		return protocol{}, none
	}
	for _, k := range protocols {
		if !k.holds(set) {
			continue
		}
		if k.makesFolds {
			k.foldSeed = seed
			k.made = fmt.Sprintf("ten folds made here, stratified, by seed %d", seed)
			k.Title = k.made + ", for each a fresh model; the fold before the test fold validates"
		}
		return k, nil
	}
	return protocol{}, none
}

// better reports whether a score is better than another.
func (k protocol) better(score, than float64) bool {
	if k.Lower {
		return score < than
	}
	return score > than
}

// folds returns the folds that each seed trains: 0 stands for the single split of a set without folds.
func (k protocol) folds(asked []int) ([]int, error) {
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
		if slices.Contains(asked[:i], f) {
			return nil, fmt.Errorf("experiment: fold %d is there twice", f)
		}
	}
	return asked, nil
}
