package serve

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/schema"
)

// document reads a graph in the node-link form of NetworkX, like package nodelink: ids are typed,
// attributes that the run does not read are ignored, and a list NAME of numbers becomes the
// attributes NAME_0, NAME_1 and so on.
func (d *decoder) document() (id string, idAt []string, edges string, p *Problem) {
	list := memberEdges
	if d.members[memberLinks].from > 0 {
		if list = memberLinks; d.members[memberEdges].from > 0 {
			return "", nil, "", wrong(`both "edges" and "links"`, "one list of edges")
		}
	}
	edges = memberNames[list]
	if p = d.direction(); p != nil {
		return "", nil, edges, p
	}
	if id, idAt, p = d.title(); p != nil {
		return id, idAt, edges, p
	}
	nodes := d.members[memberNodes]
	m, ok := d.seek(list)
	if !ok {
		return id, idAt, edges, wrong(`no member "edges"`, `"nodes" and "edges" (or "links")`)
	}
	if m.first != '[' {
		return id, idAt, edges, d.wrongKind(m.first, "a list").in(edges)
	}
	d.seek(memberNodes)
	if nodes.first != '[' {
		return id, idAt, edges, d.wrongKind(nodes.first, "a list").in("nodes")
	}
	g := &d.graph
	g.NumNodes, g.Ends = nodes.items, make([]int32, 2*m.items)
	d.ids.reset(nodes.items)

	// Ids come first: so the cost of the graph is known before attributes use memory.
	p = d.list(func(i int) *Problem { return d.identify(i) })
	if p != nil {
		return id, idAt, edges, p.in("nodes")
	}
	d.seek(list)
	p = d.list(func(i int) *Problem { return d.ends(g.Ends[2*i : 2*i+2]) })
	if p != nil {
		return id, idAt, edges, p.in(edges)
	}
	if p = d.admit(); p != nil {
		return id, idAt, edges, p
	}
	d.beginColumns(m.items)
	for _, of := range []struct {
		member int
		to     *columns
		rows   int
	}{{memberNodes, &d.nodes, nodes.items}, {list, &d.edges, m.items}} {
		for k := range of.to.list {
			of.to.begin(k, of.rows)
		}
		d.seek(of.member)
		p := d.list(func(i int) *Problem { return d.row(of.to, i) })
		if p != nil {
			return id, idAt, edges, p.in(memberNames[of.member])
		}
	}
	d.setLabels(true)
	return id, idAt, edges, nil
}

// beginColumns starts the columns that a run on tables reads in addition to attributes: times and labels
// of edges, under the names of their columns, and ids of nodes.
func (d *decoder) beginColumns(edges int) {
	g := &d.graph
	if d.names.Time != "" {
		g.Time = make(ehgnn.Numbers, edges)
		for i := range g.Time {
			g.Time[i] = math.NaN()
		}
	}
	if d.named {
		g.NodeNames = make([]string, g.NumNodes)
		for v, k := range d.ids.keys {
			g.NodeNames[v] = string(bytes.TrimPrefix(d.ids.bytes(d.text, k), []byte{'"'}))
		}
	}
}

// title is the id or the name of the graph, and the path of members to it.
func (d *decoder) title() (id string, at []string, p *Problem) {
	if m, ok := d.seek(memberID); ok && (m.first == '"' || m.first == '-' || m.first-'0' < 10) {
		if id, p = d.name(); p != nil {
			p.in("id")
		}
		return id, []string{"id"}, p
	}
	m, ok := d.seek(memberGraph)
	if !ok || m.first != '{' {
		return "", nil, nil
	}
	p = d.object(func(name []byte) (p *Problem) {
		if c := d.peek(); id == "" && (string(name) == "id" || string(name) == "name") && (c == '"' || c == '-' || c-'0' < 10) {
			at = []string{"graph", string(name)}
			id, p = d.name()
			return p
		}
		return d.skip()
	})
	if p != nil {
		p.in("graph")
	}
	return id, at, p
}

// identify reads the id of a node.
func (d *decoder) identify(row int) *Problem {
	found := false
	p := d.object(func(name []byte) *Problem {
		if string(name) != "id" {
			return d.skip()
		}
		if found {
			return wrong("the member twice", "once")
		}
		found = true
		key, p := d.id()
		if p != nil {
			return p
		}
		if other := d.ids.add(d.text, key, row); other != row {
			return wrong(d.ids.shown(d.text, key)+", the id of node "+strconv.Itoa(other), "an id of its own")
		}
		return nil
	})
	if p == nil && !found {
		p = wrong("a node without an id", `a member "id"`)
	}
	return p
}

// ends reads the source and the target of an edge.
func (d *decoder) ends(to []int32) *Problem {
	to[0], to[1] = -1, -1
	p := d.object(func(name []byte) *Problem {
		k := 0
		switch string(name) {
		case "source":
		case "target":
			k = 1
		default:
			return d.skip()
		}
		if to[k] >= 0 {
			return wrong("the member twice", "once")
		}
		key, p := d.id()
		if p != nil {
			return p
		}
		row := d.ids.find(d.text, key)
		if row < 0 {
			return wrong(d.ids.shown(d.text, key), d.ids.expected(d.text, key))
		}
		to[k] = int32(row)
		return nil
	})
	if p == nil && (to[0] < 0 || to[1] < 0) {
		p = wrong("an edge without two ends", `the members "source" and "target"`)
	}
	return p
}

// row reads the attributes of a node or an edge, and the other columns of an edge.
func (d *decoder) row(c *columns, row int) *Problem {
	d.date, d.clock, d.timed = schema.Cell{}, schema.Cell{}, nil
	p := d.object(func(name []byte) (p *Problem) {
		if k, equal := c.names.Find(name); k >= 0 {
			return d.readAttribute(c, k, row, name, equal)
		}
		if c == &d.edges {
			switch {
			case string(name) == "score" && d.run.model.Level() == ehgnn.Edges:
				p := d.marked()
				if p == nil {
					d.score[row], p = d.truth()
				}
				return p
			case d.names.Date != "" && bytes.EqualFold(name, []byte(d.names.Time)):
				d.clock, p = d.cell("a time")
				return p
			case d.dates != "" && bytes.EqualFold(name, []byte(d.dates)):
				d.date, p = d.cell("a date")
				return p
			case d.names.Time != "" && bytes.EqualFold(name, []byte(d.names.Time)):
				d.graph.Time[row], p = d.moment()
				return p
			case d.names.Label != "" && bytes.EqualFold(name, []byte(d.names.Label)):
				cell, p := d.cell("a label")
				if p == nil {
					p = d.label(row, cell)
				}
				return p
			case d.names.Group != "" && bytes.EqualFold(name, []byte(d.names.Group)):
				cell, p := d.cell("a group")
				d.group(row, cell)
				return p
			}
		}
		return d.vector(c, row, name)
	})
	switch {
	case p == nil && d.timed != nil:
		if p = d.timed.set(row, schema.WithDate(d.date, d.clock, d.timed.reader.Missing)); p != nil {
			return p.in(d.timed.Name)
		}
		return nil
	case p != nil || c != &d.edges || d.names.Date == "":
		return p
	}
	t, err := d.names.TimeReader.Time(d.date, d.clock)
	if err != nil {
		return wrongCell(d.clock, err).in(d.names.Time)
	}
	d.graph.Time[row] = t
	return nil
}

// readAttribute reads the value of an attribute under some name.
func (d *decoder) readAttribute(c *columns, k, row int, name []byte, equal bool) *Problem {
	to, p := c.startValue(k, row, name, equal)
	switch {
	case p != nil:
		return p
	case to == nil:
		return d.skip()
	case to.Date != "": // row sets the value, when it knows the date
		d.timed = to
		d.clock, p = d.cell("a time")
		return p
	}
	return d.value(to, row)
}

// molecule reads {"smiles":"CCO"}.
func (d *decoder) molecule() (id string, g *ehgnn.Graph, p *Problem) {
	for k, m := range d.members {
		if m.from > 0 && k != memberSMILES && k != memberID {
			d.unknownMember = memberNames[k]
		}
	}
	if d.unknownMember != "" {
		return "", nil, wrong(fmt.Sprintf("the member %q", d.unknownMember), `"smiles" and "id"`)
	}
	if _, ok := d.seek(memberID); ok {
		if id, p = d.name(); p != nil {
			return id, nil, p.in("id")
		}
	}
	m, _ := d.seek(memberSMILES)
	if m.first != '"' {
		return id, nil, d.wrongKind(m.first, "a string").in("smiles")
	}
	text, p := d.str()
	if p != nil {
		return id, nil, p.in("smiles")
	}
	id = cmp.Or(id, string(text))
	if g, p = d.run.molecule(string(text)); p != nil {
		return id, nil, p.in("smiles")
	}
	d.graph = *g
	return id, &d.graph, d.admit()
}
