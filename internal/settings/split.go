package settings

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// Kinds of Split.
const (
	SplitFold     = "fold"     // one of the fixed folds of the data set
	SplitFolds    = "folds"    // one of Split.Folds folds, made from the seed and stratified by class
	SplitRandom   = "random"   // random, stratified by class, made from the seed
	SplitGiven    = "given"    // the split that comes with the data
	SplitScaffold = "scaffold" // molecules: all molecules with the same scaffold in one part
	SplitTime     = "time"     // tables: the latest edges are the test part
	SplitGroup    = "group"    // tables: all edges or molecules of a group in one part
	SplitColumn   = "column"   // tables: a column names the part
)

var splitKinds = []string{SplitFold, SplitFolds, SplitRandom, SplitGiven, SplitScaffold, SplitTime, SplitGroup, SplitColumn}

// Split says which items are in the training, validation and test parts.
type Split struct {
	Kind  string `json:"kind"`
	Folds int    `json:"folds,omitempty"` // number of folds, with SplitFolds and, if not 0, SplitGroup
	Fold  int    `json:"fold,omitempty"`  // test fold, from 1
	// Fractions are the shares of train, valid and test, if there are no folds.
	Fractions []float64 `json:"fractions,omitempty"`
	Pairs     bool      `json:"pairs,omitempty"` // see tables.SplitOptions
	// SameMolecule keeps the rows of one molecule in one part; set if a molecule occurs more than once.
	SameMolecule bool   `json:"same_molecule,omitempty"`
	Seed         uint64 `json:"seed,omitempty"`
}

// Shares is Fractions in the form that the splitters use.
func (s Split) Shares() [3]float64 {
	var out [3]float64
	copy(out[:], s.Fractions)
	return out
}

// OfEdges is the split in the form that package tables uses.
func (s Split) OfEdges() tables.SplitOptions {
	by := s.Kind
	if by == SplitFolds {
		by = tables.ByRandom
	}
	return tables.SplitOptions{By: by, Fractions: s.Shares(), Folds: s.Folds, Fold: s.Fold, Pairs: s.Pairs, Seed: s.Seed}
}

// ReadingGroups numbers the edges of new data. Edges with the same number do not read each other's
// labels: the edges that the training split keeps together, or, after a split by time or a given
// split, identical edges.
func (s Split) ReadingGroups(set *tables.Set) []int32 {
	if s.CopiesAlone() {
		return set.Copies()
	}
	return set.Units(s.OfEdges())
}

// CopiesAlone reports whether ReadingGroups are the groups of identical edges.
func (s Split) CopiesAlone() bool { return s.Kind == SplitTime || s.Kind == SplitColumn }

// SplitLabels divides items, given their classes, by a split.
func SplitLabels(class []int32, s Split) (ids [3][]int, err error) {
	if s.Kind == SplitFolds {
		return FoldsOf(class, s)
	}
	ids[0], ids[1], ids[2], err = data.StratifiedSplit(class, s.Shares(), s.Seed)
	return ids, err
}

// FoldsOf makes folds, tests on one and validates on the fold before it.
func FoldsOf(class []int32, s Split) (ids [3][]int, err error) {
	folds, err := data.StratifiedFolds(class, s.Folds, s.Seed)
	if err != nil {
		return ids, err
	}
	return PartsOf(folds, s)
}

// PartsOf returns the parts of a split into folds.
func PartsOf(folds [][]int, s Split) (ids [3][]int, err error) {
	if s.Fold < 1 || s.Fold > s.Folds {
		return ids, Misuse("--fold is %d, expected 1 to %d", s.Fold, s.Folds)
	}
	ids[0], ids[1], ids[2] = data.FoldParts(folds, s.Fold)
	slices.Sort(ids[0])
	return ids, nil
}
