package experiment

import (
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/task"
)

// Protocol is how the paper trains and tests a kind of data set: which task, which
// split, which score counts. How training selects its epoch is the task's.
type Protocol struct {
	Name  string `json:"name"`
	Title string `json:"title"` // for the notes of a table
	Task  string `json:"task"`
	Split string `json:"split"`
	Score string `json:"score"` // that of the test part which the table shows, in percent
	Folds int    `json:"folds"` // trained per seed; 0 for one split
	// Average says that the mean over data sets is of interest, as in the paper's table.
	Average bool `json:"average"`
	// holds reports whether a data set is of this kind.
	holds func(i data.Info) bool
}

// scaffold is the name of the protocol of OGB's molecules.
const scaffold = "scaffold"

// Protocols lists the kinds of data sets; the first that holds a set is its own.
var Protocols = []Protocol{
	{Name: "folds", Title: "ten fixed folds, for each a fresh model; the fold before the test fold validates",
		Task: "graph-classification", Split: task.SplitFold, Score: "accuracy", Folds: 10, Average: true,
		holds: func(i data.Info) bool { return i.HasFolds && i.NumClasses > 0 }},
	{Name: scaffold, Title: "one scaffold split, a fresh model per seed; ROC-AUC, the mean over the labels with both classes",
		Task: "graph-classification", Split: task.SplitGiven, Score: "roc_auc", Average: true,
		holds: func(i data.Info) bool { return i.Split != nil && i.NumTargets > 0 }},
	{Name: "nodes", Title: "the public split of the nodes of one graph, a fresh model per seed",
		Task: "node-classification", Split: task.SplitGiven, Score: "accuracy",
		holds: func(i data.Info) bool { return i.NodeSplit != nil && i.NumNodeClasses > 0 }},
}

// protocolOf is the protocol of data.
func protocolOf(p *task.Parts) (Protocol, error) {
	for _, k := range Protocols {
		if p.Whole != nil && k.holds(p.Whole.Info) {
			return k, nil
		}
	}
	return Protocol{}, fmt.Errorf("experiment: no protocol for %s: expected a set with ten fixed folds (10fold_idx), or with a split of its graphs or of its nodes", p.Name())
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
