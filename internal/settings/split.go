package settings

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// Kinds of Split.
const (
	SplitFold     = "fold"     // one of the data set's fixed folds
	SplitFolds    = "folds"    // one of Split.Folds folds made by seed, stratified by class
	SplitRandom   = "random"   // stratified by class, by seed
	SplitGiven    = "given"    // the split that comes with the data
	SplitScaffold = "scaffold" // molecules: those of one scaffold in one part
	SplitTime     = "time"     // tables: the latest edges are tested
	SplitGroup    = "group"    // tables: all edges, or molecules, of a group in one part
	SplitColumn   = "column"   // tables: as a column says
)

var splitKinds = []string{SplitFold, SplitFolds, SplitRandom, SplitGiven, SplitScaffold, SplitTime, SplitGroup, SplitColumn}

// Split says which items are trained on, validated on and tested.
type Split struct {
	Kind  string `json:"kind"`
	Folds int    `json:"folds,omitempty"` // number of folds, with SplitFolds and, if not 0, SplitGroup
	Fold  int    `json:"fold,omitempty"`  // the fold that is tested, from 1
	// Fractions are the shares of train, valid and test where folds are not used.
	Fractions []float64 `json:"fractions,omitempty"`
	Pairs     bool      `json:"pairs,omitempty"` // see tables.SplitOptions
	// SameMolecule keeps the rows of one molecule in one part; set where a molecule repeats.
	SameMolecule bool   `json:"same_molecule,omitempty"`
	Seed         uint64 `json:"seed,omitempty"`
}

// Shares are Fractions as the splitters take them.
func (s Split) Shares() [3]float64 {
	var out [3]float64
	copy(out[:], s.Fractions)
	return out
}

// OfEdges is the split as package tables makes it.
func (s Split) OfEdges() tables.SplitOptions {
	by := s.Kind
	if by == SplitFolds {
		by = tables.ByRandom
	}
	return tables.SplitOptions{By: by, Fractions: s.Shares(), Folds: s.Folds, Fold: s.Fold, Pairs: s.Pairs, Seed: s.Seed}
}

// ReadingGroups numbers the edges of new data, with one number for those that do not read each other's
// labels: what the split of the training keeps together; after a split by time or one that is
// given, edges that are the same.
func (s Split) ReadingGroups(set *tables.Set) []int32 {
	if s.CopiesAlone() {
		return set.Copies()
	}
	return set.Units(s.OfEdges())
}

// CopiesAlone reports whether ReadingGroups are the edges that are the same.
func (s Split) CopiesAlone() bool { return s.Kind == SplitTime || s.Kind == SplitColumn }

// SplitLabels divides items, whose classes are given, as a split says.
func SplitLabels(class []int32, s Split) (ids [3][]int, err error) {
	if s.Kind == SplitFolds {
		return FoldsOf(class, s)
	}
	ids[0], ids[1], ids[2], err = data.StratifiedSplit(class, s.Shares(), s.Seed)
	return ids, err
}

// FoldsOf makes folds, tests one and validates on the one before it.
func FoldsOf(class []int32, s Split) (ids [3][]int, err error) {
	folds, err := data.StratifiedFolds(class, s.Folds, s.Seed)
	if err != nil {
		return ids, err
	}
	return PartsOf(folds, s)
}

// PartsOf are the parts of a split of folds.
func PartsOf(folds [][]int, s Split) (ids [3][]int, err error) {
	if s.Fold < 1 || s.Fold > s.Folds {
		return ids, Misuse("--fold is %d, expected 1 to %d", s.Fold, s.Folds)
	}
	ids[0], ids[1], ids[2] = data.FoldParts(folds, s.Fold)
	slices.Sort(ids[0])
	return ids, nil
}
