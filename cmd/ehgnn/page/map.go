package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// mostPoints is how many edges are on a map.
const mostPoints = 5000

// mostGroups is how many groups of edges a map shows in different colours; the others share one colour.
const mostGroups = 4

// edgeMap shows the embeddings of edges in the plane.
type edgeMap struct {
	chart        *report.Chart
	edges, shown int
	width        int // of the embeddings
	share        [2]float64
	by           string // what the groups are
	groups       *report.Listing
	of           string // what the edges belong to
	problem      string // why there is no map
}

// showMap shows the embeddings of edges.
func (s *site) showMap(o *opened, r *http.Request) (*view, error) {
	v := &view{Title: "Edge map of " + o.Name, Tab: "map"}
	g, end, err := o.withData(r.Context())
	if err != nil {
		return missingScreen(v, err)
	}
	defer end()
	if g.edgeMap == nil {
		set, err := o.Stored()
		if err != nil && !errors.Is(err, items.ErrNone) {
			return nil, err
		}
		if g.edgeMap, err = mapOf(r.Context(), g.session, set); err != nil {
			return nil, err
		}
	}
	m := g.edgeMap
	if m.problem != "" {
		v.Problem = m.problem
		return v, nil
	}
	v.Lead = []string{fmt.Sprintf("The learned embeddings of %s, %d numbers each, projected to two principal components: the first axis has %.1f %% of their variance, the second %.1f %%. Edges that are close together are similar to the model; distances in the other %.1f %% are not visible.",
		m.count(), m.width, 100*m.share[0], 100*m.share[1], 100*max(0, 1-m.share[0]-m.share[1]))}
	return v.setDocument(&report.Document{Parts: []report.Part{report.Heading{Title: "Vectors of edges"}, report.Cards{Parts: []report.Part{m.chart, report.Stacked{Title: "Groups", Parts: []report.Part{m.groups}}}}}})
}

func (m *edgeMap) count() string {
	if m.shown < m.edges {
		return fmt.Sprintf("%s of %s edges of %s, evenly chosen", report.Count(m.shown), report.Count(m.edges), m.of)
	}
	return fmt.Sprintf("all %s of %s", report.Counted(m.edges, "edge"), m.of)
}

// mapOf makes the map; set has the predictions of the run, nil for none.
func mapOf(ctx context.Context, s *session.Session, set *items.Set) (*edgeMap, error) {
	part, of := source.PartTest, "the test set"
	if _, err := explain.GraphNames(s, part); err != nil {
		part, of = source.PartAll, "the data"
	}
	t, err := s.Embed(ctx, part, settings.Edges)
	if err != nil && settings.IsUsage(err) {
		return &edgeMap{problem: sentence(err)}, nil
	}
	if err != nil {
		return nil, err
	}
	vectors := t.Columns[len(t.Columns)-1]
	m := &edgeMap{edges: t.Rows(), width: vectors.Width(), of: of}
	if m.edges == 0 {
		return &edgeMap{problem: "There are no edges in " + of + "."}, nil
	}
	m.shown = min(m.edges, mostPoints)
	which := make([]int, m.shown)
	var some []float32
	for k := range which {
		which[k] = k * m.edges / m.shown
		some = append(some, vectors.Values()[which[k]*m.width:][:m.width]...)
	}
	points, share := plane(some, m.width)
	m.share = share
	group := m.group(t, set, which)
	series := make([]report.Series, len(m.groups.Rows))
	for k, row := range m.groups.Rows {
		series[k] = report.Series{Name: short(row[0], 30), Kind: report.Dots, Colour: report.ColourOf(k)}
	}
	var low, high [2]float64
	for k, at := range points {
		s := &series[group[k]]
		s.X, s.Y = append(s.X, at[0]), append(s.Y, at[1])
		for d := range at {
			low[d], high[d] = min(low[d], at[d]), max(high[d], at[d])
		}
	}
	m.chart = &report.Chart{Title: "By their principal components", Square: true, Hide: true, Series: series,
		X:       report.LinearAxis(fmt.Sprintf("first component, %.1f %% of the variance", 100*share[0]), low[0], high[0]),
		Y:       report.LinearAxis(fmt.Sprintf("second component, %.1f %%", 100*share[1]), low[1], high[1]),
		Caption: "Vectors of edges by their first two principal components; colour: " + m.by + ". Of a group with more than 2,000 edges, 2,000 are drawn, at random."}
	return m, nil
}

// group numbers the groups of edges: their classes, clusters, or the layers that dropped them.
func (m *edgeMap) group(t *report.Table, set *items.Set, which []int) []int {
	names := make([]string, len(which))
	m.by = "all edges alike"
	for _, c := range t.Columns {
		switch c.Name {
		case "cluster":
			m.by = "the cluster of the edge"
			for k, i := range which {
				names[k] = "cluster " + strconv.Itoa(int(c.Values()[i]))
			}
		case "dropped_at":
			m.by = "the layer that dropped the edge"
			for k, i := range which {
				if names[k] = "kept"; c.Values()[i] == c.Values()[i] {
					names[k] = "dropped at layer " + strconv.Itoa(int(c.Values()[i]))
				}
			}
		}
	}
	if set != nil && set.Classes() && sameItems(t, set) {
		m.by = "the true class of the edge"
		for k, i := range which {
			if names[k] = "not known"; set.Row(int32(i)).Text("label") != "" {
				names[k] = "class " + set.Row(int32(i)).Text("label")
			}
		}
	}
	return m.number(names)
}

// sameItems reports whether the rows of a table are the items of stored predictions.
func sameItems(t *report.Table, set *items.Set) bool {
	names := set.Names()
	if t.Rows() != set.Len() || len(names) == 0 || len(names) >= len(t.Columns) {
		return false
	}
	for j, name := range names {
		c := t.Columns[j]
		texts := c.Texts()
		if c.Name != name || len(texts) != set.Len() {
			return false
		}
		for i, text := range texts {
			if set.Row(int32(i)).Text(name) != text {
				return false
			}
		}
	}
	return true
}

// number numbers groups by decreasing size; groups after the first are merged.
func (m *edgeMap) number(names []string) []int {
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	order := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	at := map[string]int{}
	m.groups = &report.Listing{Columns: []report.ListingColumn{{Name: "group", Left: true}, {Name: "edges on the map"}, {Name: "share"}}}
	others := 0
	for k, name := range order {
		if at[name] = k; k >= mostGroups && len(order) > mostGroups+1 {
			at[name] = mostGroups
			others += count[name]
			continue
		}
		m.groups.Rows = append(m.groups.Rows, m.row(cmp.Or(name, "edge"), count[name]))
	}
	if others > 0 {
		m.groups.Rows = append(m.groups.Rows, m.row("others", others))
	}
	return lists.Map(names, func(n string) int { return at[n] })
}

func (m *edgeMap) row(name string, n int) []string {
	return []string{name, report.Count(n), fmt.Sprintf("%.1f %%", 100*float64(n)/float64(m.shown))}
}
