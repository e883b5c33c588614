package links

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Kind says whether pairs are undirected, directed or bipartite.
type Kind string

// The kinds of graphs.
const (
	Undirected Kind = "undirected"
	Directed   Kind = "directed"
	Bipartite  Kind = "bipartite" // sources and targets are different nodes
)

// Table is a table of edges as read from a file.
type Table struct {
	IDs  []string  // of the nodes, all distinct
	Ends []int32   // row r joins IDs[Ends[2r]] and IDs[Ends[2r+1]]
	Time []float64 // of the rows; nil if the table has no times
	Part []int8    // of the rows: Train, Valid, Test or -1; nil if the table has no column of parts
	// Target says for each id of a bipartite table whether it is a target. If it is nil, the rows
	// decide.
	Target []bool
	Kind   Kind
}

// Data has the distinct pairs of a table. Nodes are numbered in the order of their ids: by value if
// all ids are whole numbers, otherwise by their text. Only Row depends on the order of the rows.
type Data struct {
	Kind Kind
	IDs  []string
	Hash []uint64 // FNV1a64 of each id
	// Place is the node of each id of the original table.
	Place []int32
	// Pairs are the distinct pairs in ascending order. An undirected pair has the smaller node
	// first.
	Pairs [][2]int32
	first []int32 // of each node, the position in Pairs of the first pair that begins with it
	// Row is the pair of each row, or -1 for a loop.
	Row   []int32
	Time  []float64 // of the rows; nil if there are none
	Part  []int8    // of the rows; nil if there are none
	Loops int
	// Target says which nodes are targets, if Kind is Bipartite.
	Target []bool
}

// NewData returns the pairs of a table. It returns an error if a node of a bipartite table is both
// a source and a target.
func NewData(t Table) (*Data, error) {
	d := &Data{Kind: t.Kind, Time: t.Time, Part: t.Part}
	d.number(t.IDs)
	row := func(r int) [2]int32 {
		return d.Orient([2]int32{d.Place[t.Ends[2*r]], d.Place[t.Ends[2*r+1]]})
	}
	rows := len(t.Ends) / 2
	if d.Kind == Bipartite {
		if err := d.sides(rows, row, t.Target); err != nil {
			return nil, err
		}
	}
	d.gather(rows, row)
	return d, nil
}

// gather sets Pairs, Row and Loops from the nodes of the rows. It groups rows by their first node
// and sorts only within each group.
func (d *Data) gather(rows int, row func(r int) [2]int32) {
	d.Row, d.Loops = make([]int32, rows), 0
	at := make([]int32, d.Nodes()+1) // end of the rows of each node
	for r := range rows {
		if p := row(r); p[0] != p[1] {
			at[p[0]+1]++
		} else {
			d.Row[r] = -1
			d.Loops++
		}
	}
	for v := range d.Nodes() {
		at[v+1] += at[v]
	}
	sorted := make([]uint64, rows-d.Loops) // the second node of each row in the upper bits, the number of the row in the lower bits
	for r := range rows {
		if p := row(r); p[0] != p[1] {
			sorted[at[p[0]]] = uint64(p[1])<<32 | uint64(r)
			at[p[0]]++
		}
	}
	pairs, begin := 0, int32(0)
	for v := range d.Nodes() {
		of := sorted[begin:at[v]]
		slices.Sort(of)
		for i, x := range of {
			if i == 0 || x>>32 != of[i-1]>>32 {
				pairs++
			}
			d.Row[uint32(x)] = int32(pairs - 1)
		}
		begin = at[v]
	}
	d.Pairs, d.first = make([][2]int32, 0, pairs), make([]int32, d.Nodes()+1)
	begin = 0
	for v := range int32(d.Nodes()) {
		for _, x := range sorted[begin:at[v]] {
			p := [2]int32{v, int32(x >> 32)}
			if n := len(d.Pairs); n == 0 || d.Pairs[n-1] != p {
				d.Pairs = append(d.Pairs, p)
			}
		}
		begin, d.first[v+1] = at[v], int32(len(d.Pairs))
	}
}

// number sorts the ids and numbers the nodes.
func (d *Data) number(ids []string) {
	order := make([]int32, len(ids))
	whole := true
	value := make([]int64, len(ids))
	for i, id := range ids {
		order[i] = int32(i)
		v, err := strconv.ParseInt(id, 10, 64)
		whole = whole && err == nil
		value[i] = v
	}
	slices.SortFunc(order, func(a, b int32) int {
		if whole && value[a] != value[b] {
			return cmp.Compare(value[a], value[b])
		}
		return cmp.Compare(ids[a], ids[b])
	})
	d.IDs, d.Hash, d.Place = make([]string, len(ids)), make([]uint64, len(ids)), make([]int32, len(ids))
	for at, i := range order {
		d.IDs[at], d.Hash[at], d.Place[i] = ids[i], FNV1a64(ids[i]), int32(at)
	}
}

// sides marks the targets of a bipartite table.
func (d *Data) sides(rows int, row func(r int) [2]int32, target []bool) error {
	d.Target = make([]bool, len(d.IDs))
	for i, is := range target {
		d.Target[d.Place[i]] = is
	}
	for r := range rows {
		d.Target[row(r)[1]] = true
	}
	for r := range rows {
		if u := row(r)[0]; d.Target[u] {
			return fmt.Errorf("row %d: node %q is a source here and a target elsewhere, expected different names for the two sides of a bipartite table; --edges bipartite makes two nodes of it", r+1, d.IDs[u])
		}
	}
	return nil
}

// IsBipartite reports whether no node is both a source and a target.
func IsBipartite(nodes int, ends []int32) bool {
	source := make([]bool, nodes)
	for r := 0; r < len(ends); r += 2 {
		source[ends[r]] = true
	}
	for r := 1; r < len(ends); r += 2 {
		if source[ends[r]] {
			return false
		}
	}
	return true
}

// Orient returns the pair of two nodes in the order that Pairs uses.
func (d *Data) Orient(p [2]int32) [2]int32 {
	if d.Kind == Undirected && p[0] > p[1] {
		p[0], p[1] = p[1], p[0]
	}
	return p
}

// Find returns the pair of two nodes. ok is false if no row has it.
func (d *Data) Find(u, v int32) (pair int32, ok bool) {
	p := d.Orient([2]int32{u, v})
	begin := d.first[p[0]]
	at, ok := slices.BinarySearchFunc(d.Pairs[begin:d.first[p[0]+1]], p[1], func(x [2]int32, v int32) int { return cmp.Compare(x[1], v) })
	return begin + int32(at), ok
}

// Nodes returns the number of nodes.
func (d *Data) Nodes() int { return len(d.IDs) }

// Eligible reports whether two nodes could form a pair: they must differ and, in a bipartite graph,
// be a source and a target.
func (d *Data) Eligible(u, v int32) bool {
	return u != v && (d.Kind != Bipartite || !d.Target[u] && d.Target[v])
}

// Units number groups of pairs that must be in the same part.
type Units struct {
	of []int32 // unit of each pair; nil if each pair is a unit
	N  int
}

// Of returns the unit of a pair.
func (u Units) Of(pair int32) int32 {
	if u.of == nil {
		return pair
	}
	return u.of[pair]
}

// Units returns the units of a random split: each pair alone, or in a directed graph each pair
// together with its reverse.
func (d *Data) Units() Units {
	u := Units{N: len(d.Pairs)}
	if d.Kind != Directed {
		return u
	}
	u.of, u.N = make([]int32, len(d.Pairs)), 0
	for i, p := range d.Pairs {
		if p[1] < p[0] {
			if back, ok := d.Find(p[1], p[0]); ok {
				u.of[i] = u.of[back]
				continue
			}
		}
		u.of[i] = int32(u.N)
		u.N++
	}
	return u
}

func comparePairs(a, b [2]int32) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}
