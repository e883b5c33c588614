package serve

import (
	"bytes"
	"fmt"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// headerLength is the header with the number of JSON bytes of a body. Binary values follow.
const headerLength = "Inference-Header-Content-Length"

// octets is the media type of a body with binary values.
const octets = "application/octet-stream"

// tensorBody checks the media type of a body, which clients of the protocol may omit, and returns
// the number of its JSON bytes; -1 for all.
func tensorBody(r *http.Request) (int, *Problem) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // an invalid one counts as no media type
	length, packed := r.Header[headerLength]
	if given := r.Header.Get("Content-Type"); given != "" && formatOf(media) != formatJSON && (media != octets || !packed) {
		p := problemf(http.StatusUnsupportedMediaType, "Content-Type is %q, expected application/json, or %s with %s", given, octets, headerLength)
		p.Found, p.Expected = given, "application/json or "+octets
		return 0, p
	}
	if !packed {
		return -1, nil
	}
	n, err := strconv.ParseUint(length[0], 10, 31)
	if err != nil {
		return 0, problemf(http.StatusBadRequest, "%s is %q, expected a number of bytes", headerLength, shortened([]byte(length[0])))
	}
	return int(n), nil
}

// infer answers POST /v2/models/{m}/infer.
func (q *request) infer() *Problem {
	length, p := tensorBody(q.r)
	if p != nil {
		return p
	}
	text := buffers.Get().(*bytes.Buffer)
	defer putBuffer(text)
	if p := readBody(q.r, text, q.run.limits.Body, q.held); p != nil {
		return p
	}
	body, packed := text.Bytes(), []byte(nil)
	if length > len(body) {
		return problemf(http.StatusBadRequest, "%s is %d, and the body has %d bytes", headerLength, length, len(body))
	}
	if length >= 0 {
		body, packed = body[:length], body[length:]
	}
	d := q.decoder()
	defer q.run.putDecoder(d)
	if p := q.held.charge(decodedPerByte * int64(len(body))); p != nil {
		return p
	}
	d.reset(body)
	t, p := d.readTensors(packed)
	if p != nil {
		return p
	}
	inputs, answers, p := q.graphs(d, t)
	if p != nil {
		return p
	}
	if p := q.compute(q.ctx, inputs, answers, false); p != nil {
		return p
	}
	for i := range answers {
		if p := answers[i].problem; p != nil {
			return p
		}
	}
	return q.replyTensors(t, answers)
}

// tensors is a request of the protocol.
type tensors struct {
	id      string
	inputs  map[string]*inputTensor
	outputs []output // nil for all
	packed  bool     // default for outputs: binary
}

// output is a requested tensor.
type output struct {
	name   string
	packed *bool // nil for the default of the request
}

var tensorNames = []string{"num_nodes", "num_edges", "edge_index", "x", "e"}

// readTensors reads the body of a request: JSON followed by binary values.
func (d *decoder) readTensors(packed []byte) (*tensors, *Problem) {
	t := &tensors{inputs: map[string]*inputTensor{}}
	var list []*inputTensor
	p := d.object(func(name []byte) (p *Problem) {
		switch string(name) {
		case "id":
			if d.peek() == 'n' {
				return d.word("null")
			}
			t.id, p = d.name()
			return p
		case "inputs":
			return d.list(func(int) *Problem {
				one, p := d.tensor()
				if p != nil {
					return p
				}
				list = append(list, one)
				return t.add(one)
			})
		case "outputs":
			return d.list(func(int) *Problem { return d.output(t) })
		case "parameters":
			return d.parameters(map[string]func() *Problem{"binary_data_output": func() (p *Problem) {
				t.packed, p = d.truth()
				return p
			}})
		}
		return d.skip()
	})
	if p == nil && (d.peek() != 0 || d.at < len(d.text)) {
		p = d.syntax("the end of the text")
	}
	if p == nil {
		p = d.unpack(list, packed)
	}
	if p != nil {
		return nil, p
	}
	for _, name := range tensorNames[:3] {
		switch one := t.inputs[name]; {
		case one == nil:
			return nil, wrong("no input "+name, "num_nodes, num_edges and edge_index, and x and e if the run reads attributes").in("inputs")
		case one.texts != nil:
			return nil, wrong("the input "+name+" of datatype BYTES", "INT64").in("inputs")
		}
	}
	for _, name := range tensorNames[3:] {
		if t.inputs[name] == nil {
			t.inputs[name] = &inputTensor{}
		}
	}
	return t, nil
}

// add adds an input.
func (t *tensors) add(one *inputTensor) *Problem {
	if !slices.Contains(tensorNames, one.name) {
		return wrong("the input "+strconv.Quote(one.name), fmt.Sprintf("one of %q", tensorNames))
	}
	if t.inputs[one.name] != nil {
		return wrong("the input "+one.name+" twice", "once")
	}
	t.inputs[one.name] = one
	return nil
}

// output reads {"name":"class","parameters":{"binary_data":true}}.
func (d *decoder) output(t *tensors) *Problem {
	var out output
	p := d.object(func(member []byte) (p *Problem) {
		switch string(member) {
		case "name":
			out.name, p = d.name()
		case "parameters":
			p = d.parameters(map[string]func() *Problem{
				"binary_data": func() *Problem {
					is, p := d.truth()
					out.packed = &is
					return p
				},
				"classification": func() *Problem {
					return wrong("the parameter classification", "none: the output class has the predicted classes")
				},
			})
		default:
			p = d.skip()
		}
		return p
	})
	names := d.run.reply.outputs()
	switch {
	case p != nil:
		return p
	case !slices.Contains(names, out.name):
		return wrong("the output "+strconv.Quote(shortened([]byte(out.name))), fmt.Sprintf("one of %q", names)).in("name")
	case slices.ContainsFunc(t.outputs, func(other output) bool { return other.name == out.name }):
		return wrong("the output "+out.name+" twice", "once").in("name")
	}
	t.outputs = append(t.outputs, out)
	return nil
}

// graphs returns the graphs of a batch.
func (q *request) graphs(d *decoder, t *tensors) (inputs []*ehgnn.Input, answers []answer, p *Problem) {
	nodeCounts, edgeCounts, index := t.inputs["num_nodes"], t.inputs["num_edges"], t.inputs["edge_index"]
	ends := index.numbers
	edges := len(ends) / 2
	if nodeCounts.len() != edgeCounts.len() || len(index.shape) != 2 || index.shape[0] != 2 {
		return nil, nil, wrong(fmt.Sprintf("num_nodes%v, num_edges%v, edge_index%v", nodeCounts.shape, edgeCounts.shape, index.shape), "[G], [G], [2,E]").in("inputs")
	}
	node, edge := 0, 0 // counts of the previous graphs
	for i := range nodeCounts.numbers {
		n, p := whole(nodeCounts.numbers[i], d.limits.Nodes-d.totalNodes)
		if p != nil {
			return nil, nil, p.at(i).in("num_nodes")
		}
		m, p := whole(edgeCounts.numbers[i], edges-edge)
		if p != nil {
			return nil, nil, p.at(i).in("num_edges")
		}
		d.graph = ehgnn.Graph{NumNodes: n, Ends: make([]int32, 0, 2*m), Node: d.nodes.clear(), Edge: d.edges.clear()}
		for k := edge; k < edge+m; k++ {
			for side := range 2 {
				v, p := whole(ends[side*edges+k]-float64(node), n-1)
				if p != nil {
					p = wrong(fmt.Sprint(ends[side*edges+k]), fmt.Sprintf("a node of graph %d, from %d to %d", i, node, node+n-1))
					return nil, nil, p.at(k).at(side).in("edge_index")
				}
				d.graph.Ends = append(d.graph.Ends, int32(v))
			}
		}
		if p := d.admit(); p != nil {
			return nil, nil, p.at(i).in("num_nodes")
		}
		if p := d.nodes.slice(t.inputs["x"], node, n); p != nil {
			return nil, nil, p.in("x")
		}
		if p := d.edges.slice(t.inputs["e"], edge, m); p != nil {
			return nil, nil, p.in("e")
		}
		in, p := q.encode(decoded{Graph: &d.graph})
		if p != nil {
			return nil, nil, p.at(i)
		}
		inputs, answers = append(inputs, in), append(answers, answer{id: strconv.Itoa(i), nodes: n, edges: m})
		node, edge = node+n, edge+m
	}
	if edge != edges {
		return nil, nil, wrong(fmt.Sprintf("%d edges in all", edge), fmt.Sprintf("%d, as edge_index has", edges)).in("num_edges")
	}
	return inputs, answers, nil
}

// whole is a whole number from 0 to most.
func whole(v float64, most int) (int, *Problem) {
	if v != math.Trunc(v) || !(v >= 0 && v <= float64(most)) {
		return 0, wrong(fmt.Sprint(v), fmt.Sprintf("a whole number from 0 to %d", most))
	}
	return int(v), nil
}

// slice returns rows of a tensor as columns.
func (c *columns) slice(t *inputTensor, from, rows int) *Problem {
	width, values := len(c.list), t.len()
	if width > 0 && values%width != 0 || values < (from+rows)*width || width == 0 && values > 0 {
		return wrong(fmt.Sprintf("%d values", values), fmt.Sprintf("rows of %d, one for each of %s", width, c.fieldList()))
	}
	for k := range c.list {
		to := c.begin(k, rows)
		for i := range rows {
			if t.texts != nil {
				if p := to.text(i, t.texts[(from+i)*width+k]); p != nil {
					return p.at(k).at(from + i)
				}
				continue
			}
			v := t.numbers[(from+i)*width+k]
			if to.Kind != settings.KindCategory && to.reader != nil {
				if p := to.set(i, schema.NumberCell(v)); p != nil {
					return p.at(k).at(from + i)
				}
			} else if to.Kind != settings.KindCategory {
				to.numbers[i] = v
			} else if place, p := whole(v, len(to.Values)-1); p == nil && to.IsSet() {
				to.texts[i] = to.Values[place]
			} else if p == nil {
				to.codes.Codes[i] = int32(place)
			} else if v == v && v != -1 {
				return wrong(fmt.Sprint(v), fmt.Sprintf("an index of the categories, from 0 to %d, or -1 if it is missing", len(to.Values)-1)).at(k).at(from + i)
			}
		}
	}
	return nil
}

// text returns a value as text, as in a table.
func (c *column) text(row int, text string) *Problem {
	switch {
	case c.reader == nil && text == "":
		return nil // missing
	case c.reader != nil && text == "":
		return c.set(row, schema.Cell{})
	case c.reader != nil:
		return c.set(row, schema.TextCell(text))
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return wrong(strconv.Quote(shortened([]byte(text))), "a number")
	}
	c.numbers[row] = v
	return nil
}
