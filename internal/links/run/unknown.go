package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/didyoumean"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Bounds of the search for similar ids: similarIDs is the largest number of ids in a message. Only
// the first comparedBytes of an id are compared. A third of them may be edited, at most mostEdits.
const (
	similarIDs    = 5
	comparedBytes = 64
	mostEdits     = 3
)

// Unknown returns a message that no node has this id. It names similar ids. If there are none, it
// says how many ids there are and shows examples.
func (d *Data) Unknown(id string) string {
	if similar := d.similar(id); len(similar) > 0 {
		return fmt.Sprintf("%q is no node of the tables; similar ids are %s", id, strings.Join(similar, ", "))
	}
	example := fmt.Sprintf("%q", d.IDs[0])
	if d.Kind == links.Bipartite {
		sources, targets := d.Ends()
		example = fmt.Sprintf("the source %q and the target %q", d.IDs[sources[0]], d.IDs[targets[0]])
	}
	return fmt.Sprintf("%q is no node of the tables and none is similar; they have %d nodes, such as %s", id, d.Nodes(), example)
}

// similar returns the quoted ids within a few edits, ignoring case, the nearest first.
func (d *Data) similar(id string) []string {
	short := func(s string) string { return strings.ToLower(s[:min(comparedBytes, len(s))]) }
	type near struct {
		id    string
		edits int
	}
	var all []near
	was := short(id)
	most := min(mostEdits, len(was)/3)
	for _, other := range d.IDs {
		is := short(other)
		if len(is) > len(was)+most || len(was) > len(is)+most {
			continue
		}
		if n := didyoumean.Distance(was, is); n <= most {
			all = append(all, near{other, n})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.edits, b.edits) })
	return lists.Map(all[:min(similarIDs, len(all))], func(n near) string { return fmt.Sprintf("%q", n.id) })
}
