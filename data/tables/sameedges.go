package tables

import (
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// sameEdges finds edges that a split keeps together with some edge of a set. It may find one too many.
type sameEdges struct {
	SplitOptions
	copies bool
	set    Set // with the columns alone that are compared
	seed   maphash.Seed
	keys   map[uint64]bool
	groups map[string]bool    // by which edges stay together; nil for none
	code   []map[string]int32 // of the texts of each column
}

func newSameEdges(s *Set, e *Encoder, o BesideOptions) *sameEdges {
	out := &sameEdges{SplitOptions: o.Split, copies: o.Copies, set: *s, seed: maphash.MakeSeed(), keys: make(map[uint64]bool, s.NumEdges())}
	out.set.EdgeColumns = nil
	for _, c := range s.EdgeColumns {
		if slices.ContainsFunc(e.Edges, func(f Field) bool { return strings.EqualFold(f.Name, c.Name) }) {
			codes := make(map[string]int32, len(c.Text))
			for k, text := range c.Text {
				codes[text] = int32(k)
			}
			out.set.EdgeColumns, out.code = append(out.set.EdgeColumns, c), append(out.code, codes)
		}
	}
	if o.Split.By == ByGroup && !o.Copies && s.Group != nil {
		out.groups = make(map[string]bool, len(s.GroupNames))
		for _, name := range s.GroupNames {
			out.groups[name] = true
		}
	}
	for i := range s.NumEdges() {
		out.keys[out.key(&out.set, i)] = true
	}
	return out
}

// key is what edges have in common that stay together.
func (x *sameEdges) key(s *Set, e int) uint64 {
	b := s.pairKey(nil, e)
	if x.copies || !x.Pairs {
		b = s.content(b, e)
	}
	return maphash.Bytes(x.seed, b)
}

// any reports whether one of the edges of a set, whose ends are given, stays together with one of x.
func (x *sameEdges) any(s *Set, ends []int32) bool {
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
		if x.keys[x.key(&other, e)] {
			return true
		}
		if x.groups != nil && s.Group != nil && s.Group[e] >= 0 && x.groups[s.GroupNames[s.Group[e]]] {
			return true
		}
	}
	return false
}
