package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// Kinds are the columns of the ends of edges if sources and targets are nodes of two kinds with separate ids: user 5
// is not item 5. Both are empty if an id identifies the same node at both ends.
type Kinds [2]string

// NodeID is the id of the node in a cell at an end of an edge: 0 for the source, 1 for the target, bothEnds for either.
// With two kinds it is the name of the column and the cell, for example "userId 5".
func (k Kinds) NodeID(end int, cell string) string {
	if end == bothEnds || k[end] == "" {
		return cell
	}
	return k[end] + " " + cell
}

// Cell is the cell of a node in a table, without the kind: the inverse of NodeID.
func (k Kinds) Cell(end int, id string) string {
	if end == bothEnds || k[end] == "" {
		return id
	}
	return strings.TrimPrefix(id, k[end]+" ")
}

// things are words for what people buy, rate and use. Such an end, together with an end of another name, is the
// other kind of a bipartite table.
var things = []string{"item", "product", "movie", "film", "song", "track", "artist", "album", "book", "game", "anime", "recipe", "restaurant", "venue", "hotel", "shop",
	"store", "merchant", "business", "brand", "course", "job", "ad", "post", "article", "paper", "video", "app", "event", "disease"}

// kindsOf returns the kinds of ends by their names: one has a word of things that the other lacks.
func kindsOf(from, to string) Kinds {
	a, b := joinedWords(from), joinedWords(to)
	alone := func(of, other []string) bool {
		return slices.ContainsFunc(of, func(w string) bool { return slices.Contains(things, w) && !slices.Contains(other, w) })
	}
	if alone(a, b) || alone(b, a) {
		return Kinds{from, to}
	}
	return Kinds{}
}

// oneNode starts a note on an id that is one node although the names of both columns suggest two kinds.
func oneNode(from, to string) string {
	return fmt.Sprintf("an id names the same node in %q and in %q; if these are different things, ", from, to)
}

// besideNodes says why bipartite edges and a table of nodes, whose ids have no kind, are an error.
const besideNodes = "with a table of nodes of both kinds or a column of graphs edges cannot be bipartite: each source and each target must have an id of its own, or the table lists the nodes of one kind and its column of ids has the name of that end"

// namedAsBoth is the first column name without the words for an end, for example account_id together with from_account
// and to_account; empty for none.
func namedAsBoth(names []string, ends Kinds) string {
	to := wordsOf(ends[1])
	both := slices.DeleteFunc(wordsOf(ends[0]), func(w string) bool { return w == "id" || !slices.Contains(to, w) })
	k := slices.IndexFunc(names, func(name string) bool {
		return len(both) > 0 && slices.Equal(slices.DeleteFunc(wordsOf(name), func(w string) bool { return w == "id" }), both)
	})
	if k < 0 {
		return ""
	}
	return names[k]
}

// Lists reports whether the table of nodes, if there is one, lists a node with this id.
func (o *Options) Lists(id string) bool {
	return o.NodesOf == "" || strings.HasPrefix(id, o.NodesOf+" ")
}

// padNodes adds missing values for the nodes that a table of nodes does not list.
func (s *Set) padNodes() {
	columns := slices.Concat(s.NodeColumns, s.NodeKeys)
	if s.Level == OfNodes && s.Label != nil {
		columns = append(columns, s.Label)
	}
	for _, c := range columns {
		for len(c.Value) < len(s.NodeIDs) && c.Numeric() {
			c.Value = append(c.Value, math.NaN())
		}
		for len(c.Code) < len(s.NodeIDs) && !c.Numeric() {
			c.Code = append(c.Code, -1)
		}
	}
	for k, c := range s.NodeOwn {
		s.NodeOwn[k].Texts = append(c.Texts, make([]string, len(s.NodeIDs)-len(c.Texts))...)
	}
	if s.Level == OfNodes && s.Part != nil {
		s.padParts(len(s.NodeIDs))
	}
}

// padParts adds nodes without a part until there are n.
func (s *Set) padParts(n int) {
	for len(s.Part) < n {
		s.Part = append(s.Part, -1)
	}
}

// separateKinds makes two nodes of an id that is used for a source and a target of different kinds: if the training had
// kinds, if the options ask for them, or if ids are whole numbers (which have no kind) and the names of both columns
// suggest kinds.
func (l *loader) separateKinds(file string) error {
	s := l.set
	o := &s.Options
	switch {
	case o.kindsListed():
		return nil // kinds were assigned during reading
	case o.Kinds != Kinds{}:
	case o.known != nil:
		return nil
	case o.Bipartite:
		if l.nodes != "" || l.graphs != nil {
			return fmt.Errorf("%s: %s", file, besideNodes)
		}
		o.Kinds = Kinds{o.Source, o.Target}
	case o.WholeIDs && l.graphs == nil && o.Form == data.Auto:
		switch byName := kindsOf(o.Source, o.Target); {
		case l.nodes == "":
			o.Kinds = byName
		case byName != Kinds{}:
			l.note("%s", oneNode(o.Source, o.Target)+"each source and each target needs an id of its own or, where the table lists one kind alone, its column of ids the name of that end")
		}
	}
	if o.Kinds == (Kinds{}) {
		return nil
	}
	number := [2][]int32{slices.Repeat([]int32{-1}, len(s.NodeIDs)), slices.Repeat([]int32{-1}, len(s.NodeIDs))}
	var ids []string
	for i, v := range s.Ends {
		of := number[i%2]
		if of[v] < 0 {
			if err := l.folder.budget.Charge(nodeBytes, "nodes"); err != nil {
				return err
			}
			of[v] = int32(len(ids))
			ids = append(ids, o.Kinds.NodeID(i%2, s.NodeIDs[v]))
		}
		s.Ends[i] = of[v]
	}
	if both := len(ids) - len(s.NodeIDs); both > 0 && o.known == nil {
		l.note("%d ids are in both columns of ends, %q and %q, which name different things: they are two nodes each, such as %q and %q (--edges directed makes them one)", both, o.Kinds[0], o.Kinds[1], ids[s.Ends[0]], ids[s.Ends[1]])
	}
	s.NodeIDs = ids
	return nil
}
