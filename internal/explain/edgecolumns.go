package explain

import (
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// clockColumn is the name of the time columns that do not depend on other edges.
const clockColumn = "time of day and week"

// ownField is an own column of the edge as features: indices among the numbers and the codes of the edge, or of one of
// its nodes.
type ownField struct {
	dense, code []int
	end         int // 0 and 1 for the node at this end, -1 for the edge
}

// mask hides the field in a graph: numbers become the mean, categories become missing.
func (f ownField) mask(g *graph.Graph, item int32) {
	of, at := &g.Edge, int(item)
	if f.end >= 0 {
		of, at = &g.Node, int(g.Ends[2*int(item)+f.end])
	}
	for _, k := range f.dense {
		of.Dense[at*of.Dim+k] = 0
	}
	for _, k := range f.code {
		of.Code[at*len(of.Codes)+k] = -1
	}
}

// nameColumns names the own columns and finds their features.
func (g *edgeGame) nameColumns() {
	e := g.session.Settings.Data.Tables.Encoder
	place := map[string]int{}
	add := func(name string) int {
		at, ok := place[name]
		if !ok {
			at = len(g.names)
			place[name] = at
			g.names = append(g.names, name)
			g.fields = append(g.fields, ownField{end: -1})
		}
		return at
	}
	// Numbers come first, then counted columns, then categories, as in graphs and model.EdgeRows.
	dense, code := 0, 0
	number := func(name string, own bool) {
		at := -1
		if own {
			at = add(name)
			g.fields[at].dense = append(g.fields[at].dense, dense)
		}
		g.column = append(g.column, at)
		dense++
	}
	for _, f := range e.Edges {
		if f.Numeric() {
			number(f.Name, true)
		}
	}
	for _, f := range e.Structure {
		number(structure.Title(f.Name), !g.recount)
	}
	if e.Times != nil {
		for _, f := range e.Times.Fields {
			if tables.TimeFamily(f.Name) == tables.TimeClock {
				number(clockColumn, true)
			} else {
				number(tables.TimeTitle(f.Name), !g.recount)
			}
		}
	}
	for _, f := range e.Edges {
		for k, width := range f.CodeWidths() {
			at := add(codeName(f, k))
			g.fields[at].code = append(g.fields[at].code, code)
			code++
			for range width {
				g.column = append(g.column, at)
			}
		}
	}
	g.nameEnds(add)
	if g.auto != nil {
		for len(g.column) < g.auto.Layout().Width() {
			g.column = append(g.column, -1) // made from labels of other edges
		}
		g.fields = nil
	}
	g.cells = map[string]string{}
	for _, c := range g.part.Edges.Columns([]int32{g.of[g.item]}) {
		g.cells[c.Name] = c.Texts()[0]
	}
	for _, c := range g.part.Edges.EndColumns(g.of[g.item]) {
		g.cells[c.Name] = c.Texts()[0]
	}
	g.setCells(e.Edges, "")
	g.setCells(e.Nodes, source.OfSource)
	g.setCells(e.Nodes, source.OfTarget)
}

// codeName is the name of a code of a field: the name of the field or, for a member of a set, a text that the set has it.
func codeName(f tables.Field, k int) string {
	if f.IsSet() {
		return f.Name + " has " + f.Values[k]
	}
	return f.Name
}

// setCells reports for each member of the sets, of the edge and of its nodes, whether the set has it.
func (g *edgeGame) setCells(fields []tables.Field, of string) {
	for _, f := range fields {
		text, ok := g.cells[f.Name+of]
		if !ok || !f.IsSet() {
			continue
		}
		codes, _, err := schema.NewFieldReader(&f).Codes(nil, schema.TextCell(text))
		for k, code := range codes {
			if has := "no"; err == nil && text != "" {
				if code >= 0 {
					has = "yes"
				}
				g.cells[codeName(f, k)+of] = has
			}
		}
	}
}

// nameEnds names the columns of the end nodes.
func (g *edgeGame) nameEnds(add func(name string) int) {
	e := g.session.Settings.Data.Tables.Encoder
	if g.auto != nil && g.session.Settings.Model.Auto().NodeColumns == 0 {
		return
	}
	for end, of := range []string{source.OfSource, source.OfTarget} {
		dense, code := 0, 0
		field := func(name string) *ownField {
			at := add(name + of)
			g.fields[at].end = end
			return &g.fields[at]
		}
		for _, f := range e.Nodes {
			if f.Numeric() {
				to := field(f.Name)
				to.dense = append(to.dense, dense)
				dense++
				g.column = append(g.column, add(f.Name+of))
			}
		}
		for _, f := range e.Nodes {
			for k, width := range f.CodeWidths() {
				to := field(codeName(f, k))
				to.code = append(to.code, code)
				code++
				for range width {
					g.column = append(g.column, add(codeName(f, k)+of))
				}
			}
		}
	}
}

// describe returns the explanation without contributions.
func (g *edgeGame) describe(o EdgeOptions) EdgeExplanation {
	of := g.edgePart(player{[]int32{g.item}, AtBoth, 0}, o.Show)
	return EdgeExplanation{Edge: of.Edge, ID: of.ID, Source: of.Source, Target: of.Target, Class: g.targetName(), Directed: g.graph.Directed,
		Unit: g.unit(), Shown: o.Show, Labels: of.Labels, Edges: []EdgePart{}, Columns: []ColumnPart{}}
}

// edgePart is an edge with its names and the values of some columns.
func (g *edgeGame) edgePart(p player, show []string) EdgePart {
	e := g.of[p.edges[0]]
	out := EdgePart{Side: p.side, Steps: p.steps, Labels: make([]string, len(show))}
	names := itemNames(settings.Edges, g.part.Name(settings.Edges, []source.Place{{Graph: g.at, Item: int(e)}}))[0]
	out.Edge, out.ID = names[0], names[0]
	ends := g.part.Name(settings.Edges, []source.Place{{Graph: g.at, Item: int(e)}})
	out.Source, out.Target = ends[len(ends)-2].Texts()[0], ends[len(ends)-1].Texts()[0]
	keys := g.part.Edges.Keys()
	for _, c := range g.part.Edges.Columns([]int32{e}) {
		text := c.Texts()[0]
		for k, name := range show {
			if c.Name == name {
				out.Labels[k] = text
			}
		}
		if len(keys) > 0 && c.Name == keys[0] && strings.TrimSpace(text) != "" {
			out.ID = text
		}
	}
	return out
}
