package model

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/tabular"
)

// The number of neighbour lists of an edge in a directed and in an undirected graph.
const (
	directedLists   = 6
	undirectedLists = 3
)

// edgeLists list the neighbours of all rows of edges of a graph (EdgeRows.Neighbours).
type edgeLists struct {
	directed                bool
	ends                    []int32 // of all rows
	pair, reverse           []int32 // for each row: the numbers of the pairs (source, target) and (target, source)
	number                  map[[2]int32]int32
	leaving, entering, same tabular.Keyed // rows by source, by target and by pair
}

func newEdgeLists(nodes int, ends []int32, directed bool) *edgeLists {
	n := len(ends) / 2
	l := &edgeLists{directed: directed, ends: ends, pair: make([]int32, n), reverse: make([]int32, n), number: map[[2]int32]int32{}}
	number := numberPairs(nil, l.number)
	source, target := make([]int32, n), make([]int32, n)
	for i := range n {
		s, t := ends[2*i], ends[2*i+1]
		source[i], target[i], l.pair[i], l.reverse[i] = s, t, number(s, t), number(t, s)
	}
	l.leaving, l.same = tabular.NewKeyed(source, nodes), tabular.NewKeyed(l.pair, len(l.number))
	if directed {
		l.entering = tabular.NewKeyed(target, nodes)
	}
	return l
}

// numberPairs returns a function that numbers pairs of nodes. A pair without a number in have gets
// one in more.
func numberPairs(have, more map[[2]int32]int32) func(a, b int32) int32 {
	return func(a, b int32) int32 {
		pair := [2]int32{a, b}
		k, ok := have[pair]
		if !ok {
			k, ok = more[pair]
		}
		if !ok {
			k = int32(len(have) + len(more))
			more[pair] = k
		}
		return k
	}
}

// keys return the keys of a row: its source, its target, its pair and its reversed pair.
func (l *edgeLists) keys() [4]func(row int32) int32 {
	return [4]func(row int32) int32{
		func(row int32) int32 { return l.ends[2*row] }, func(row int32) int32 { return l.ends[2*row+1] },
		func(row int32) int32 { return l.pair[row] }, func(row int32) int32 { return l.reverse[row] },
	}
}

// all returns the lists of neighbours.
func (l *edgeLists) all() []tabular.List {
	return listsBy(l.directed, l.keys(), l.leaving.With, l.entering.With, l.same.With)
}

// withNewEnds returns the lists of neighbours after rows (ascending) got new ends. Before, these rows
// must not share an end with any other row.
func (l *edgeLists) withNewEnds(rows, ends []int32) []tabular.List {
	number, place := numberPairs(l.number, map[[2]int32]int32{}), make(map[int32]int, len(rows))
	own := make([][4]int32, len(rows))
	leaving, entering, same := map[int32][]int32{}, map[int32][]int32{}, map[int32][]int32{}
	for i, row := range rows {
		s, t := ends[2*i], ends[2*i+1]
		place[row], own[i] = i, [4]int32{s, t, number(s, t), number(t, s)}
		for k, by := range []map[int32][]int32{leaving, entering, same} {
			by[own[i][k]] = append(by[own[i][k]], row)
		}
	}
	keys := l.keys()
	for k, kept := range keys {
		keys[k] = func(row int32) int32 {
			if i, is := place[row]; is {
				return own[i][k]
			}
			return kept(row)
		}
	}
	with := func(kept tabular.Keyed, more map[int32][]int32) func(key int32) []int32 {
		for key, rows := range more {
			more[key] = slices.Concat(kept.With(key), rows)
			slices.Sort(more[key])
		}
		return func(key int32) []int32 {
			if rows, is := more[key]; is {
				return rows
			}
			return kept.With(key)
		}
	}
	return listsBy(l.directed, keys, with(l.leaving, leaving), with(l.entering, entering), with(l.same, same))
}

// listsBy returns lists of neighbours. key gives the source, target, pair and reversed pair of a
// row. leaving, entering and same give the rows with a source, a target or a pair.
func listsBy(directed bool, key [4]func(row int32) int32, leaving, entering, same func(key int32) []int32) []tabular.List {
	list := func(key func(row int32) int32, with func(key int32) []int32) tabular.List {
		return func(row int32) []int32 { return with(key(row)) }
	}
	source, target, pair, reverse := key[0], key[1], key[2], key[3]
	if !directed { // the other direction of an edge that enters a node leaves it
		return []tabular.List{list(source, leaving), list(target, leaving), list(pair, same)}
	}
	return []tabular.List{list(source, leaving), list(source, entering), list(target, entering), list(target, leaving), list(pair, same), list(reverse, same)}
}
