package columns

import "fmt"

// Column is a column of a family.
type Column struct {
	Family Family
	Text   string // description for people
}

// Names returns the columns of a graph. classes are the names of its classes in order, or nil if labels are numbers.
func Names(g *Graph, class []string) []Column {
	var out []Column
	add := func(f Family, format string, of ...any) { out = append(out, Column{f, fmt.Sprintf(format, of...)}) }
	var names []string
	for _, c := range g.classes() {
		switch {
		case g.Classes == 0:
			names = append(names, "mean label")
		case int(c) < len(class):
			names = append(names, "share of "+class[c])
		default:
			names = append(names, fmt.Sprintf("share of class %d", c))
		}
	}
	for _, edges := range []string{"the source's other outgoing edges", "the target's other incoming edges", "the source's incoming edges", "the target's outgoing edges"} {
		for _, n := range names {
			add(Labels, "%s among %s", n, edges)
		}
		add(Labels, "number of labels of %s", edges)
		switch {
		case g.Classes == 2:
			for c := range 2 {
				name := fmt.Sprintf("class %d", c)
				if c < len(class) {
					name = class[c]
				}
				add(Labels, "number of %s among %s", name, edges)
			}
		case g.Classes > 2 && g.Classes <= countedMost:
			for c := range names {
				add(Labels, "number of %s among %s", names[c][len("share of "):], edges)
			}
		}
	}
	for _, edges := range []string{"parallel edges", "reverse edges"} {
		for _, n := range names {
			add(Labels, "%s among %s, less the mean", n, edges)
		}
		add(Labels, "number of labels of %s", edges)
	}
	if g.Classes == 0 {
		add(Labels, "mean label of the source plus that of the target")
		add(Labels, "label by the effects of source and target")
		add(Labels, "effect of the source")
		add(Labels, "effect of the target")
	}
	if g.Classes > 2 {
		for _, n := range names {
			add(LowRank, "%s by the effects of source and target", n)
		}
		for _, n := range names {
			add(LowRank, "%s by low-rank scores", n)
		}
		return out
	}
	add(LowRank, "standardised label by the effects of source and target")
	add(LowRank, "standardised label by low-rank scores, rank 2")
	add(LowRank, "standardised label by low-rank scores, rank 8")
	for _, way := range []string{"source → node → target", "source → node ← target", "source ← node → target", "source ← node ← target"} {
		add(TwoStep, "product of both labels on paths %s", way)
		add(TwoStep, "label of the first edge on paths %s", way)
		add(TwoStep, "label of the second edge on paths %s", way)
		add(TwoStep, "number of paths %s", way)
	}
	return out
}

// ByClass groups the columns that exist once for each class. Each element lists the indices of such columns among
// Names, in the order of the classes: first EndShares elements with shares at the ends, then shares of parallel and of
// reverse edges, then both scores. It is empty for two classes and for numbers.
func ByClass(g *Graph) (out [][]int) {
	w, at := len(g.classes()), 0
	take := func() {
		places := make([]int, w)
		for c := range places {
			places[c] = at + c
		}
		out, at = append(out, places), at+w
	}
	if g.Classes <= 2 {
		return nil
	}
	for range EndShares {
		take()
		at += 1 + g.counted()
	}
	for range 2 {
		take()
		at++
	}
	take()
	take()
	return out
}

// EndShares is the number of elements of ByClass that are shares of the labels at an end. They are above 0 if a label
// of the class is known there.
const EndShares = 4
