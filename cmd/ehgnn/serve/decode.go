package serve

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// Limits are the limits of a request.
type Limits struct {
	Body         int64   // bytes of a decompressed body, or of a line of NDJSON
	Nodes, Edges int     // of all graphs of a body, or of the graph of a line
	Memory       float64 // bytes that the model may use for a graph; 0 for no limit
}

// The members of a graph that are read.
const (
	memberID = iota
	memberNumNodes
	memberEdges
	memberLinks
	memberNodes
	memberNode
	memberEdge
	memberDirected
	memberMultigraph
	memberGraph
	memberSMILES
	memberLabels
	memberTime
	memberNodeNames
	memberScore
	memberGroups
	numMembers
)

var memberNames = [numMembers]string{"id", "num_nodes", "edges", "links", "nodes", "node", "edge", "directed", "multigraph", "graph", "smiles", "labels", "time", "node_names", "score", "groups"}

var memberOf = lists.Places[int](memberNames[:])

// ownMembers lists the members of a graph that is not a node-link document.
const ownMembers = `"num_nodes" and "edges", and "id", "node", "edge", "directed", "labels", "groups", "time", "node_names" and "score"`

// member is the place of a member's value.
type member struct {
	from  int  // 0 for none
	first byte // of the value
	items int  // of a list
}

// decoder reads graphs for a run. One goroutine at a time may use it. Its results are valid until
// it reads the next graph.
type decoder struct {
	scanner
	run           *loaded
	held          *share // of the request; nil for no limit
	limits        Limits
	nodes, edges  columns
	names         ehgnn.TableColumns // of a run on tables
	keep          bool               // the reply has the columns of tables
	named         bool               // node names are kept even if the model does not read them
	ids           ids
	graph         ehgnn.Graph
	score         []bool // requested edges; nil for all
	known         known
	totalNodes    int // so far, of the body
	totalEdges    int
	members       [numMembers]member
	unknownMember string      // the first one of the document; empty for none
	dates         string      // the edge attribute with the dates of times of day; empty if there is none
	date, clock   schema.Cell // of the current edge, if there is such an attribute
	timed         *column     // the attribute of the current edge whose times of day are those; nil for none, or for the times of edges
}

// decoded is a decoded graph.
type decoded struct {
	*ehgnn.Graph
	id     string   // empty for none
	idAt   []string // path of members to it
	linked string   // name of the edge list in a node-link document; empty for the program's own form
	score  []bool   // requested edges; nil for all
	naming []report.Column
}

func newDecoder(run *loaded, limits Limits) *decoder {
	s := run.model.Schema()
	names, _ := run.model.Tables()
	d := &decoder{run: run, names: names, dates: names.Date, limits: limits, nodes: newColumns(run.model, "node", s.Nodes), edges: newColumns(run.model, "edge", s.Edges)}
	for _, f := range s.Edges {
		d.dates = cmp.Or(d.dates, f.Date)
	}
	return d
}

// reset starts a new body.
func (d *decoder) reset(text []byte) {
	d.text, d.at, d.depth, d.totalNodes, d.totalEdges = text, 0, 0, 0, 0
}

// read reads the graph that starts here.
func (d *decoder) read() (decoded, *Problem) {
	var out decoded
	depth := d.depth
	if p := d.scanMembers(); p != nil {
		return out, p
	}
	end := d.at
	d.begin()
	out.Graph = &d.graph
	var p *Problem
	switch {
	case d.members[memberSMILES].from > 0:
		out.idAt = []string{"id"}
		out.id, out.Graph, p = d.molecule()
	case d.members[memberNodes].from > 0:
		out.id, out.idAt, out.linked, p = d.document()
	default:
		out.idAt = []string{"id"}
		out.id, p = d.readOwnForm()
	}
	d.at, d.depth = end, depth
	out.score = d.score
	d.graph.Remarks = append(d.graph.Remarks, d.remarks()...)
	return out, p
}

// begin starts a new graph.
func (d *decoder) begin() {
	d.score, d.known = nil, known{}
	d.graph = ehgnn.Graph{Node: d.nodes.clear(), Edge: d.edges.clear()}
}

// remarks returns the remarks on names of attributes, and on attributes without values.
func (d *decoder) remarks() []string {
	return slices.Concat(d.nodes.remarks, d.edges.remarks, d.nodes.empty(), d.edges.empty())
}

// scanMembers finds the members of a graph, counts the items of lists, and checks the numbers against
// the limits.
func (d *decoder) scanMembers() *Problem {
	d.members, d.unknownMember = [numMembers]member{}, ""
	return d.object(func(name []byte) *Problem {
		k, known := memberOf[string(name)]
		if !known {
			if d.unknownMember == "" {
				d.unknownMember = string(name)
			}
			return d.skip()
		}
		m := &d.members[k]
		if m.from > 0 {
			return wrong("the member twice", "once")
		}
		m.first = d.peek()
		m.from = d.at
		most := math.MaxInt
		switch k {
		case memberNodes:
			most = d.limits.Nodes - d.totalNodes
		case memberEdges, memberLinks:
			most = d.limits.Edges - d.totalEdges
		}
		if m.first != '[' {
			return d.skip()
		}
		return d.list(func(int) *Problem {
			if m.items++; m.items > most {
				return d.tooMany(k == memberNodes)
			}
			return d.skip()
		})
	})
}

func (d *decoder) tooMany(nodes bool) *Problem {
	if nodes {
		return wrong("more nodes", fmt.Sprintf("at most %d in all (--max-nodes)", d.limits.Nodes))
	}
	return wrong("more edges", fmt.Sprintf("at most %d in all (--max-edges)", d.limits.Edges))
}

// seek moves to the value of a member.
func (d *decoder) seek(k int) (member, bool) {
	m := d.members[k]
	if m.from > 0 {
		d.at = m.from // its depth was checked by scanMembers
	}
	return m, m.from > 0
}

// readOwnForm reads a graph in the form of this program.
func (d *decoder) readOwnForm() (id string, p *Problem) {
	g := &d.graph
	for _, k := range []int{memberLinks, memberMultigraph, memberGraph} {
		if d.members[k].from > 0 {
			d.unknownMember = memberNames[k]
		}
	}
	if d.unknownMember != "" {
		return "", wrong(fmt.Sprintf("the member %q", d.unknownMember), ownMembers)
	}
	if _, ok := d.seek(memberID); ok {
		if id, p = d.name(); p != nil {
			return id, p.in("id")
		}
	}
	if p = d.direction(); p != nil {
		return id, p
	}
	if _, ok := d.seek(memberNumNodes); !ok {
		return id, wrong(`no member "num_nodes"`, ownMembers)
	}
	n, p := d.count(d.limits.Nodes - d.totalNodes)
	if p != nil {
		return id, p.in("num_nodes")
	}
	m, ok := d.seek(memberEdges)
	if !ok {
		return id, wrong(`no member "edges"`, ownMembers)
	}
	g.NumNodes, g.Ends = n, make([]int32, 0, 2*m.items)
	if p = d.list(func(int) *Problem { return d.pair(n, &g.Ends) }); p != nil {
		return id, p.in("edges")
	}
	if p = d.admit(); p != nil {
		return id, p
	}
	for _, of := range []struct {
		member int
		to     *columns
		rows   int
	}{{memberNode, &d.nodes, n}, {memberEdge, &d.edges, m.items}} {
		if _, ok := d.seek(of.member); ok {
			if p := d.attributes(of.to, of.rows); p != nil {
				return id, p.in(memberNames[of.member])
			}
		}
	}
	return id, d.extras()
}

// admit checks the numbers of nodes and edges, and the model's memory, against the limits.
func (d *decoder) admit() *Problem {
	g := &d.graph
	d.totalNodes += max(g.NumNodes, 1)
	d.totalEdges += len(g.Ends) / 2
	if d.totalNodes > d.limits.Nodes {
		return d.tooMany(true)
	}
	if d.totalEdges > d.limits.Edges {
		return d.tooMany(false)
	}
	return d.run.affords(g, d.limits.Memory)
}

// direction checks the member directed, if there is one.
func (d *decoder) direction() *Problem {
	m, ok := d.seek(memberDirected)
	want := strconv.FormatBool(d.run.schema.Directed)
	switch {
	case !ok:
		return nil
	case m.first != 't' && m.first != 'f':
		return d.wrongKind(m.first, "true or false").in("directed")
	case m.first != want[0]:
		return wrong(strconv.FormatBool(m.first == 't'), want+", as in training").in("directed")
	}
	return nil
}

// extras reads additional members of edges and nodes, which some runs on one graph read.
func (d *decoder) extras() *Problem {
	g := &d.graph
	edges := len(g.Ends) / 2
	if m, ok := d.seek(memberLabels); ok {
		if p := d.labels(m, edges, d.label); p != nil {
			return p.in("labels")
		}
	}
	if m, ok := d.seek(memberGroups); ok {
		p := d.labels(m, edges, func(row int, c schema.Cell) *Problem {
			if d.names.GroupReader == nil {
				return wrong("groups of edges", "none: the run does not read them")
			}
			d.group(row, c)
			return nil
		})
		if p != nil {
			return p.in("groups")
		}
	}
	d.setLabels(true)
	if m, ok := d.seek(memberScore); ok {
		if p := d.marks(m, edges); p != nil {
			return p.in("score")
		}
	}
	if m, ok := d.seek(memberTime); ok {
		if p := d.fits(m, edges, "edges"); p != nil {
			return p.in("time")
		}
		g.Time = make(ehgnn.Numbers, edges)
		p := d.list(func(i int) (p *Problem) {
			g.Time[i], p = d.moment()
			return p
		})
		if p != nil {
			return p.in("time")
		}
	}
	if m, ok := d.seek(memberNodeNames); ok {
		if p := d.fits(m, g.NumNodes, "nodes"); p != nil {
			return p.in("node_names")
		}
		g.NodeNames = make([]string, g.NumNodes)
		p := d.list(func(i int) (p *Problem) {
			g.NodeNames[i], p = d.name()
			return p
		})
		if p != nil {
			return p.in("node_names")
		}
	}
	return nil
}

// labels reads known labels of edges, or their groups.
func (d *decoder) labels(m member, edges int, each func(row int, c schema.Cell) *Problem) *Problem {
	if p := d.fits(m, edges, "edges"); p != nil {
		return p
	}
	return d.list(func(i int) *Problem {
		cell, p := d.cell("a string or a number")
		if p == nil {
			p = each(i, cell)
		}
		return p
	})
}

// marks reads which edges are requested.
func (d *decoder) marks(m member, edges int) *Problem {
	if p := d.fits(m, edges, "edges"); p != nil {
		return p
	}
	if p := d.marked(); p != nil {
		return p
	}
	return d.list(func(i int) (p *Problem) {
		d.score[i], p = d.truth()
		return p
	})
}

// marked starts the marks of edges; none is requested yet.
func (d *decoder) marked() *Problem {
	if d.run.model.Level() != ehgnn.Edges {
		return wrong("edges that are marked", "none: the run predicts for "+string(d.run.model.Level())+"s")
	}
	if d.score == nil {
		d.score = make([]bool, len(d.graph.Ends)/2)
	}
	return nil
}

// fits checks that a member is a list with a value for each row.
func (d *decoder) fits(m member, rows int, of string) *Problem {
	if m.first != '[' {
		return d.wrongKind(m.first, "a list")
	}
	if m.items != rows {
		return wrong(fmt.Sprintf("%d values", m.items), fmt.Sprintf("%d, one for each of the %s", rows, of))
	}
	return nil
}

// body decodes {"graphs":[G]} and calls each for every graph; i is its index.
func (d *decoder) body(each func(i int, g decoded, p *Problem) *Problem) *Problem {
	if c := d.peek(); c != '{' {
		return d.wrongKind(c, `an object {"graphs":[...]}`)
	}
	seen := false
	p := d.object(func(name []byte) *Problem {
		if string(name) != "graphs" {
			return wrong(fmt.Sprintf("the member %q", shortened(name)), `"graphs" alone`)
		}
		if seen {
			return wrong("the member twice", "once")
		}
		seen = true
		return d.list(func(i int) *Problem {
			g, p := d.read()
			return each(i, g, p)
		})
	})
	switch {
	case p != nil:
		return p
	case !seen:
		return wrong("no graphs", `{"graphs":[...]}`)
	case d.peek() != 0 || d.at < len(d.text):
		return d.syntax("the end of the text")
	}
	return nil
}

// line decodes a text that consists of one graph.
func (d *decoder) line() (decoded, *Problem) {
	g, p := d.read()
	if p == nil && (d.peek() != 0 || d.at < len(d.text)) {
		p = problemf(http.StatusBadRequest, "not JSON: more text at byte %d behind a graph", d.at)
	}
	return g, p
}
