package tables

import (
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// sameEdges finds the unit, among the labelled edges of a set, that each new edge belongs to: the edges that a split
// keeps together.
type sameEdges struct {
	SplitOptions
	copies bool
	set    Set // with only the compared columns
	seed   maphash.Seed
	keys   map[uint64]int32   // units
	groups map[string]int32   // units by group name; nil if groups do not keep edges together
	code   []map[string]int32 // of the texts of each column
}

// noUnit replaces the unit of an edge that may read all known labels.
const noUnit = -1

func newSameEdges(s *Set, e *Encoder, shown *graph.ObservedLabels, o BesideOptions) *sameEdges {
	out := &sameEdges{SplitOptions: o.Split, copies: o.Copies, set: *s, seed: maphash.MakeSeed(), keys: make(map[uint64]int32, s.NumEdges())}
	out.set.EdgeColumns = nil
	for _, c := range s.EdgeColumns {
		if slices.ContainsFunc(e.Edges, func(f Field) bool { return strings.EqualFold(f.Name, c.Name) }) {
			out.set.EdgeColumns, out.code = append(out.set.EdgeColumns, c), append(out.code, lists.Places[int32](c.Text))
		}
	}
	if o.Split.By == ByGroup && !o.Copies {
		out.groups = map[string]int32{}
	}
	for i := range s.NumEdges() {
		if x := shown.Label[i]; x != x {
			continue
		}
		out.keys[out.key(&out.set, i)] = shown.Group[i]
		if out.groups != nil && s.Group != nil && s.Group[i] >= 0 {
			out.groups[s.GroupNames[s.Group[i]]] = shown.Group[i]
		}
	}
	return out
}

// key is the same for edges that stay together.
func (x *sameEdges) key(s *Set, e int) uint64 {
	b := s.pairKey(nil, e)
	if x.copies || !x.Pairs {
		b = s.content(b, e)
	}
	if x.copies && s.Directed && s.Ends[2*e] > s.Ends[2*e+1] { // as in Set.Copies
		b = append(b, 1)
	}
	return maphash.Bytes(x.seed, b)
}

// units returns the units of the edges of a set, whose ends are given, noUnit for edges without one. ok is false if an
// edge would join units, which changes their numbers.
func (x *sameEdges) units(s *Set, ends []int32) (units []int32, ok bool) {
	other := *s
	other.Ends, other.EdgeColumns = ends, nil
	for k, c := range x.set.EdgeColumns {
		column := columnsByName(s.EdgeColumns)[schema.FoldName(c.Name)]
		if !c.Numeric() {
			code := make([]int32, len(column.Code))
			for i, at := range column.Code {
				if code[i] = at; at >= 0 {
					known, ok := x.code[k][column.Text[at]]
					if code[i] = known; !ok {
						code[i] = math.MaxInt32
					}
				}
			}
			column = &Column{Code: code}
		}
		other.EdgeColumns = append(other.EdgeColumns, column)
	}
	for e := range len(ends) / 2 {
		unit, found := x.keys[x.key(&other, e)]
		if !found {
			unit = noUnit
		}
		if x.groups != nil && s.Group != nil && s.Group[e] >= 0 {
			if of, is := x.groups[s.GroupNames[s.Group[e]]]; is && found && of != unit {
				return nil, false
			} else if is {
				unit = of
			}
		}
		units = append(units, unit)
	}
	joins := x.groups != nil && len(units) > 1 && slices.ContainsFunc(units, func(u int32) bool { return u != noUnit })
	return units, !joins
}
