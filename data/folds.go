package data

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// numFolds is the number of folds of the published protocol.
const numFolds = 10

// foldFolder holds the index files of the fixed folds.
const foldFolder = "10fold_idx"

// folds has the training and test graphs of each fold.
type folds struct {
	train, test [][]int32
}

// readFolds reads 10fold_idx, if the set has it. It checks that the two files of every fold divide
// the graphs and that no graph is tested twice.
func readFolds(f *folder, numGraphs int) (*folds, error) {
	info, err := fs.Stat(f.fsys, path.Join(f.dir, foldFolder))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
		return nil, nil
	case err != nil:
		return nil, &ParseError{File: foldFolder, Msg: "cannot be opened", Err: err}
	}
	out := &folds{train: make([][]int32, numFolds), test: make([][]int32, numFolds)}
	tested := make([]int32, numGraphs) // the fold that tests a graph, counted from 1
	for k := range numFolds {
		used := make([]string, numGraphs) // the file that names a graph
		names := [2]string{
			fmt.Sprintf("%s/test_idx-%d.txt", foldFolder, k+1),
			fmt.Sprintf("%s/train_idx-%d.txt", foldFolder, k+1),
		}
		for i, dst := range []*[]int32{&out.test[k], &out.train[k]} {
			ids, err := readIndices(f, names[i], numGraphs, func(l *lines, id int32) bool {
				if used[id] != "" {
					l.failf("graph %d is already in %s", id, used[id])
					return false
				}
				used[id] = names[i]
				if i > 0 {
					return true
				}
				if tested[id] > 0 {
					l.failf("graph %d is already tested in fold %d", id, tested[id])
					return false
				}
				tested[id] = int32(k + 1)
				return true
			})
			if err != nil {
				return nil, err
			}
			*dst = ids
		}
		for id, name := range used {
			if name == "" {
				return nil, &ParseError{File: names[1], Msg: fmt.Sprintf("graph %d is neither here nor in %s", id, names[0])}
			}
		}
	}
	return out, nil
}

// readIndices reads one graph index per line, counted from 0. accept checks each.
func readIndices(f *folder, name string, numGraphs int, accept func(*lines, int32) bool) ([]int32, error) {
	l, err := f.open(name)
	if err != nil {
		return nil, err
	}
	var ids []int32
	for b, ok := l.next(); ok; b, ok = l.next() {
		c := cursor{b: b}
		id, ok := l.int(&c, "graph index")
		if !ok || !l.only(&c, "one graph index a line") {
			break
		}
		if id < 0 || int(id) >= numGraphs {
			l.failf("graph %d, expected 0 to %d", id, numGraphs-1)
			break
		}
		if !accept(l, id) || !l.charge(16, "indices") {
			break
		}
		ids = append(ids, id)
	}
	if err := l.close(); err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, &ParseError{File: name, Msg: "file is empty, expected graph indices"}
	}
	return ids, nil
}

// WithFolds returns the set with k folds, 3 or more, made by StratifiedFolds of its labels with the
// given seed. They replace the folds that come with the set. Every graph is tested in one fold.
// Info.HasFolds does not change, because it describes the files.
func (d *Dataset) WithFolds(k int, seed uint64) (*Dataset, error) {
	if k < 3 {
		return nil, fmt.Errorf("data: %s: %d folds, expected 3 or more: one tests, one validates, the others train", d.Info.Name, k)
	}
	test, err := StratifiedFolds(d.Labels(), k, seed)
	if err != nil {
		return nil, err
	}
	f := &folds{train: make([][]int32, k), test: make([][]int32, k)}
	for i, ids := range test {
		held := make([]bool, len(d.Graphs))
		for _, id := range ids {
			held[id] = true
			f.test[i] = append(f.test[i], int32(id))
		}
		for id, tested := range held {
			if !tested {
				f.train[i] = append(f.train[i], int32(id))
			}
		}
	}
	out := *d
	out.folds = f
	return &out, nil
}

// NumFolds is the number of folds for Fold, 0 if there are none.
func (d *Dataset) NumFolds() int {
	if d.folds == nil {
		return 0
	}
	return len(d.folds.test)
}

// Fold returns the graphs of fold k, counted from 1 to NumFolds: of the ten fixed folds that come
// with the set (10fold_idx), the protocol of the paper's tables, or of the folds of WithFolds.
//
// Test graphs are those of test_idx-k. Validation graphs are the test graphs of fold k-1 (of the
// last fold for fold 1), removed from the training graphs, as in the published code. All fixed test
// folds of a set have the same size. If the number of graphs is not a multiple of ten, a few graphs
// are never tested; they are training graphs of every fold. The three lists are disjoint and
// together have all graphs. Each keeps the order of its file. The caller may change them.
//
// Fold returns ErrNoFolds if the set has none.
func (d *Dataset) Fold(k int) (train, valid, test []int, err error) {
	if d.folds == nil {
		return nil, nil, nil, fmt.Errorf("%w (%s)", ErrNoFolds, d.Info.Name)
	}
	n := d.NumFolds()
	if k < 1 || k > n {
		return nil, nil, nil, fmt.Errorf("data: fold %d, expected 1 to %d", k, n)
	}
	before := d.folds.test[(k+n-2)%n]
	held := make([]bool, len(d.Graphs))
	for _, id := range before {
		held[id] = true
		valid = append(valid, int(id))
	}
	for _, id := range d.folds.train[k-1] {
		if !held[id] {
			train = append(train, int(id))
		}
	}
	for _, id := range d.folds.test[k-1] {
		test = append(test, int(id))
	}
	if len(train)+len(valid)+len(test) != len(d.Graphs) {
		// This cannot happen: the reader has checked the folds.
		return nil, nil, nil, errors.New("data: folds do not divide the set")
	}
	return train, valid, test, nil
}
