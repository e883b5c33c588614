package run

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// fileNegatives reads negatives of the test part from a table with a row for each positive and
// candidate. A row has the source and the target of the positive, and either the node that replaces
// the target or the two nodes of the candidate. The order of the rows does not matter.
func fileNegatives(file string, d *Data, maxMemory int64) ([]score.Own, error) {
	rows, err := tables.OpenRows(file, data.NewBudget(maxMemory))
	if err != nil {
		return nil, fromFile(err)
	}
	defer rows.Close()
	r := &negativeRows{file: file, d: d, names: rows.Columns(), ends: []int{0, 1, 1}, node: d.places(), at: map[[2]int32]int{}, seen: map[[4]int32]bool{}}
	if n := len(r.names); n != 3 && n != 4 {
		return nil, misuse("--negatives-from: %s has %d columns, expected three: source and target of a positive and the node in place of the target; or four: source and target of the positive and of the candidate", file, n)
	}
	if len(r.names) == 4 {
		r.ends = []int{0, 1, 0, 1}
	}
	withNames(rows, r.node, r.ends)
	var wrong error
	err = rows.Each(func(row []string) error {
		wrong = r.add(row, rows.Line)
		return wrong
	})
	switch {
	case wrong != nil:
		return nil, settings.Usage(fmt.Errorf("--negatives-from: %w", wrong))
	case err != nil:
		return nil, fromFile(err)
	}
	if len(r.own) == 0 {
		return nil, misuse("--negatives-from: %s has no row, expected one for each positive and candidate", file)
	}
	slices.SortFunc(r.own, func(a, b score.Own) int {
		return cmp.Or(cmp.Compare(a.Positive[0], b.Positive[0]), cmp.Compare(a.Positive[1], b.Positive[1]))
	})
	return r.own, nil
}

// fromFile adds to an error that it is about the file of negatives.
func fromFile(err error) error {
	return misuse("--negatives-from: %s", sanitize.WithoutPackage(err.Error()))
}

// negativeRows gathers the rows of a file of negatives.
type negativeRows struct {
	file  string
	d     *Data
	names []string
	ends  []int // for each column the end of edges: 0 for sources, 1 for targets
	node  places
	at    map[[2]int32]int // position of each positive in own
	seen  map[[4]int32]bool
	own   []score.Own
}

// add checks a row and stores it. Its nodes are the ends of the positive and then the ends of the
// candidate, or only the candidate's target.
func (r *negativeRows) add(row []string, line func(column int) int) error {
	wrong := func(column int, format string, args ...any) error {
		return &data.ParseError{File: r.file, Line: line(column), Msg: fmt.Sprintf("column %q %s", r.names[column], fmt.Sprintf(format, args...))}
	}
	var nodes []int32
	for k, id := range row {
		v, ok := r.node.find(id, r.ends[k])
		switch {
		case id == "":
			return wrong(k, "is empty, expected the id of a node")
		case !ok:
			return wrong(k, "has an unknown id: %s", r.d.Unknown(id))
		}
		nodes = append(nodes, v)
	}
	positive, candidate := [2]int32{nodes[0], nodes[1]}, [2]int32{nodes[0], nodes[2]}
	if len(nodes) == 4 {
		candidate = [2]int32{nodes[2], nodes[3]}
	}
	name := func(p [2]int32) string { return fmt.Sprintf("(%q, %q)", r.d.IDs[p[0]], r.d.IDs[p[1]]) }
	pair, known := r.d.Find(positive[0], positive[1])
	switch {
	case !known:
		return wrong(1, "makes the positive %s, which is no pair of the tables, expected one of the test part", name(positive))
	case r.d.Split.Part[pair] != links.Test || r.d.Split.Shown != nil && r.d.Split.Shown[pair]:
		part := "no part"
		if p := r.d.Split.Part[pair]; p >= 0 {
			part = "the part " + links.PartNames[p]
		}
		if r.d.Split.Shown != nil && r.d.Split.Shown[pair] {
			part += " and is shown in the graph"
		}
		return wrong(1, "makes the positive %s, which is in %s, expected one of the test part", name(positive), part)
	}
	last := len(nodes) - 1
	if candidate[0] == candidate[1] {
		return wrong(last, "makes the candidate %s, a loop, expected two nodes", name(candidate))
	}
	if !r.d.Eligible(candidate[0], candidate[1]) {
		return wrong(last, "makes the candidate %s, expected a source and a target of the tables", name(candidate))
	}
	if _, known := r.d.Find(candidate[0], candidate[1]); known {
		return wrong(last, "makes the candidate %s, which is a pair of the tables and no negative", name(candidate))
	}
	p, c := r.d.Orient(positive), r.d.Orient(candidate)
	key := [4]int32{p[0], p[1], c[0], c[1]}
	if r.seen[key] {
		return wrong(last, "repeats the candidate %s of the positive %s, expected each once", name(candidate), name(positive))
	}
	r.seen[key] = true
	at, ok := r.at[p]
	if !ok {
		at = len(r.own)
		r.at[p] = at
		r.own = append(r.own, score.Own{Positive: p})
	}
	r.own[at].Negatives = append(r.own[at].Negatives, c)
	return nil
}

// formsAsked returns the forms to score: the requested forms or else the usual ones, and the file
// of negatives if there is one.
func formsAsked(asked, usual []string, file string) ([]string, error) {
	is := slices.Contains(asked, score.File)
	if file == "" && is {
		return nil, misuse("negatives \"file\" need --negatives-from, the table that lists them")
	}
	if asked == nil {
		asked = usual
	}
	if file != "" && !is {
		asked = append(slices.Clone(asked), score.File)
	}
	return asked, nil
}
