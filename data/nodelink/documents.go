package nodelink

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ehgnn/ehgnn/data"
)

// manyNames is how many names of attributes are kept from document to document.
const manyNames = 1 << 12

// Documents reads one document after another. name is the name of the text in errors.
// Options.MaxMemory bounds each document but not the text, which may have any length. An error
// comes with the number and the line of its document. Reading continues with later documents if
// their beginning can be found (see records). An error that belongs to no document, such as for a
// text without documents, has number 0.
func Documents(r io.Reader, name string, o Options) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		if err := o.validate(); err != nil {
			yield(&Document{}, err)
			return
		}
		eachRecord(r, name, data.NewBudget(o.MaxMemory), func(d *Document, err error) bool {
			if err != nil {
				err = fmt.Errorf("nodelink: %w", err)
			}
			return yield(d, err)
		})
	}
}

// The memory of the parts of a document, in bytes, besides their texts.
const (
	nodeBytes      = 80
	edgeBytes      = 64
	idBytes        = 128
	attributeBytes = 96
	numberBytes    = 32 // for a list, while it grows
)

// parser reads the documents of a text.
type parser struct {
	name   string
	src    *data.JSON
	dec    *jsontext.Decoder
	budget *data.Budget
	kept   int64             // bytes charged for the document
	each   bool              // each document has a budget of its own
	number int               // of the document
	broken bool              // the text is not JSON from here on
	part   string            // current part: "node", "edge" or empty
	item   int               // number of the current node or edge, from 1
	names  map[string]string // of attributes: equal names share memory

	ids     map[ID]int32
	order   []ID    // by the numbers in ids
	node    []int32 // the position in Document.Nodes of an id, -1 before its node is read
	mention []int   // the line on which an id occurred first
	places  int     // nodes so far without an id, whose ids are their positions
}

func newParser(r io.Reader, name string, b *data.Budget) (*parser, error) {
	text, err := b.NewText(r)
	if err != nil {
		return nil, &data.ParseError{File: name, Msg: "cannot be unpacked", Err: err}
	}
	src := data.NewJSON(text)
	return &parser{name: name, src: src, budget: b, dec: src.Decoder(), names: map[string]string{}}, nil
}

// documents yields the documents. After an error it continues with documents that can be read. An
// error comes with the number and the line of its document, or with the number 0.
func (p *parser) documents(yield func(*Document, error) bool) {
	listed := false // in an array
	wrong := func(err error) bool { return yield(&Document{Number: p.number, Line: p.line()}, err) }
	for {
		if p.each {
			p.budget.Renew()
		}
		if p.part = ""; len(p.names) > manyNames {
			clear(p.names)
		}
		t, err := p.token()
		switch {
		case errors.Is(err, io.EOF) && !listed:
			if p.number == 0 {
				wrong(p.failf("has no document"))
			}
			return
		case err != nil:
			p.number++
			wrong(err)
			return
		case t.Kind() == '[' && p.number == 0 && !listed:
			listed = true
			continue
		case t.Kind() == ']' && listed:
			switch _, err := p.token(); {
			case err == nil:
				wrong(p.failf("has more text after the array of documents"))
			case !errors.Is(err, io.EOF):
				wrong(err)
			case p.number == 0:
				wrong(p.failf("has no document"))
			}
			return
		case t.Kind() != '{':
			err := p.failf("expected a document {\"nodes\": ..., \"edges\": ...}, found %s; %s", found(t), asTable)
			p.number++
			if !wrong(err) || !p.leave(listed) {
				return
			}
			continue
		}
		p.number++
		line := p.line()
		d, err := p.document()
		if err != nil {
			d = &Document{Number: p.number, Line: line}
		}
		if !yield(d, err) || err != nil && !p.leave(listed) {
			return
		}
	}
}

// leave moves to the end of a document. It returns whether it found the end.
func (p *parser) leave(listed bool) bool {
	outside := 0
	if listed {
		outside = 1
	}
	for p.dec.StackDepth() > outside && !p.broken {
		_, _ = p.token() // errors in this document are already reported
	}
	return !p.broken
}

// document reads a document after its {.
func (p *parser) document() (*Document, error) {
	d := &Document{Number: p.number, Line: p.line()}
	p.ids, p.order, p.node, p.mention, p.places = map[ID]int32{}, nil, nil, nil, 0
	nodes, edges := false, ""
	err := p.members(func(key string) (err error) {
		switch key {
		case "directed":
			d.Directed, err = p.truth(key)
		case "multigraph":
			d.Multigraph, err = p.truth(key)
		case "graph":
			d.Graph, err = p.attributes(d.Graph, key)
		case "nodes":
			if nodes {
				return p.failf("has %q twice", key)
			}
			nodes = true
			err = p.elements(key, "node", func() error { return p.readNode(d) })
		case "edges", "links":
			if edges != "" {
				return p.failf("has both %q and %q, expected one list of edges", edges, key)
			}
			edges = key
			err = p.elements(key, "edge", func() error { return p.readEdge(d) })
		default:
			d.Graph, err = p.attribute(d.Graph, key)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !nodes || edges == "" {
		return nil, p.failf("%s%s", noLists, unlike(d, nodes, edges))
	}
	return d, p.join(d)
}

// join converts the ends of edges from numbers of ids to positions of nodes, and drops the keys of
// a multigraph.
func (p *parser) join(d *Document) error {
	for i := range d.Edges {
		e := &d.Edges[i]
		for side, end := range []*int32{&e.Source, &e.Target} {
			if p.node[*end] < 0 {
				return &data.ParseError{File: p.name, Line: p.mention[*end], Msg: fmt.Sprintf("%s%s is %s, which is not a node of the document%s",
					place(p.number, "edge", i+1), [2]string{"source", "target"}[side], p.order[*end].shown(), p.otherKind(p.order[*end]))}
			}
			*end = p.node[*end]
		}
		if d.Multigraph {
			e.Attributes = slices.DeleteFunc(e.Attributes, func(a Attribute) bool { return a.Name == "key" })
		}
	}
	p.ids, p.order, p.node, p.mention = nil, nil, nil, nil
	return nil
}

// otherKind explains an unknown id: nodes have no ids but positions, or a node has an id with the
// same text but of the other kind, string or number.
func (p *parser) otherKind(id ID) string {
	if p.places > 0 {
		return ": its nodes have no ids, so edges name nodes by their positions, from 0"
	}
	other, is := ID{Number, id.Text}, "a string, but the ids of nodes are numbers"
	if id.Kind == Number {
		other, is = ID{String, id.Text}, "a number, but the ids of nodes are strings"
	}
	if k, ok := p.ids[other]; ok && p.node[k] >= 0 {
		return fmt.Sprintf(": it is %s, such as %s", is, other.shown())
	}
	return ""
}

func (p *parser) readNode(d *Document) error {
	n := Node{}
	named := int32(-1)
	if err := p.charge(nodeBytes, "nodes"); err != nil {
		return err
	}
	err := p.members(func(key string) (err error) {
		if key != "id" {
			n.Attributes, err = p.attribute(n.Attributes, key)
			return err
		}
		if named >= 0 {
			return p.failf("has two ids")
		}
		named, err = p.id(key)
		return err
	})
	if err == nil && named < 0 && p.places == len(d.Nodes) {
		p.places++
		named, err = p.numberOf(ID{Number, strconv.Itoa(len(d.Nodes))})
	}
	switch {
	case err != nil:
		return err
	case named < 0:
		return p.failf("has no id")
	case p.places > 0 && p.places == len(d.Nodes):
		return p.failf("has an id, but the nodes before it have none")
	case p.node[named] >= 0:
		return p.failf("id is %s, which is the id of node %d", p.order[named].shown(), p.node[named]+1)
	}
	p.node[named] = int32(len(d.Nodes))
	n.ID, n.Line = p.order[named], p.line()
	d.Nodes = append(d.Nodes, n)
	return nil
}

func (p *parser) readEdge(d *Document) error {
	e := Edge{Source: -1, Target: -1}
	if err := p.charge(edgeBytes, "edges"); err != nil {
		return err
	}
	err := p.members(func(key string) (err error) {
		var end *int32
		switch key {
		case "source":
			end = &e.Source
		case "target":
			end = &e.Target
		default:
			e.Attributes, err = p.attribute(e.Attributes, key)
			return err
		}
		if *end >= 0 {
			return p.failf("has %q twice", key)
		}
		*end, err = p.id(key)
		return err
	})
	if err != nil {
		return err
	}
	if e.Source < 0 || e.Target < 0 {
		has := func(name string) bool {
			return slices.ContainsFunc(e.Attributes, func(a Attribute) bool { return a.Name == name })
		}
		if has("from") && has("to") {
			return p.failf(`expected a source and a target, found "from" and "to"; in Python networkx.node_link_graph(document, source="from", target="to", edges="edges") reads it and networkx.node_link_data makes a document`)
		}
		return p.failf("expected a source and a target")
	}
	e.Line = p.line()
	d.Edges = append(d.Edges, e)
	return nil
}
