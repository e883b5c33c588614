package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/version"
)

// The Open Inference Protocol (v2, REST) for those whose tools speak it, as KServe. Tensors are
// a batch of graphs: num_nodes and num_edges INT64[G], edge_index INT64[2,E] with the nodes of
// all graphs numbered one after the other, x FP32[N,d] and e FP32[E,d] with a column for each
// attribute in the schema, in its order: numbers, codes as in the data, categories by their
// places in the schema; null stands for NaN, which may be sent, too.

// tensorInfo describes a tensor.
type tensorInfo struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

// oip registers the routes of the protocol.
func (s *Server) oip(mux *http.ServeMux) {
	answer := func(of func(r *http.Request) (any, *Problem)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			v, p := of(r)
			if p != nil {
				s.refuse(w, r, p)
				return
			}
			text, err := json.Marshal(v)
			if err != nil {
				panic(err) // of texts and whole numbers
			}
			w.Header().Set("Content-Type", mediaTypes[formatJSON])
			w.Write(append(text, '\n')) // a caller who has gone needs no reply
		}
	}
	mux.HandleFunc("GET /v2", answer(func(*http.Request) (any, *Problem) {
		return map[string]any{"name": "ehgnn", "version": version.String(), "extensions": []string{}}, nil
	}))
	mux.HandleFunc("GET /v2/health/live", answer(func(*http.Request) (any, *Problem) { return map[string]bool{"live": true}, nil }))
	ready := func(r *http.Request) (any, *Problem) {
		if s.leaving.Load() {
			return nil, problemf(http.StatusServiceUnavailable, "the server is ending")
		}
		return map[string]bool{"ready": true}, nil
	}
	mux.HandleFunc("GET /v2/health/ready", answer(ready))
	mux.HandleFunc("GET /v2/models/{m}/ready", answer(func(r *http.Request) (any, *Problem) {
		if _, p := s.find(r); p != nil {
			return nil, p
		}
		return ready(r)
	}))
	mux.HandleFunc("GET /v2/models/{m}", answer(func(r *http.Request) (any, *Problem) {
		l, p := s.find(r)
		if p != nil {
			return nil, p
		}
		d := newDecoder(l, l.limits)
		return map[string]any{"name": l.name, "versions": []string{l.digest}, "platform": "ehgnn", "inputs": []tensorInfo{
			{"num_nodes", "INT64", []int{-1}}, {"num_edges", "INT64", []int{-1}}, {"edge_index", "INT64", []int{2, -1}},
			{"x", "FP32", []int{-1, len(d.nodes.list)}}, {"e", "FP32", []int{-1, len(d.edges.list)}},
		}, "outputs": []tensorInfo{{l.reply.output(), "FP32", []int{-1, max(len(l.reply.classes), len(l.reply.targets), 1)}}}}, nil
	}))
	mux.HandleFunc("POST /v2/models/{m}/infer", func(w http.ResponseWriter, r *http.Request) {
		s.do(w, r, (*request).infer)
	})
}

// output is the name of the tensor of predictions.
func (r *replyNames) output() string {
	if r.numbers {
		return "values"
	}
	return "probabilities"
}

// tensors are the inputs of a request.
type tensors struct {
	id     string
	counts [2][]float64 // num_nodes, num_edges
	ends   []float64
	rows   [2][]float64 // x, e
	shapes map[string][]int
}

var tensorNames = []string{"num_nodes", "num_edges", "edge_index", "x", "e"}

// infer answers POST /v2/models/{m}/infer.
func (q *request) infer() *Problem {
	if f, _, p := bodyFormat(q.r); p != nil || f != formatJSON {
		if p == nil {
			p = problemf(http.StatusUnsupportedMediaType, "expected application/json")
		}
		return p
	}
	text := buffers.Get().(*bytes.Buffer)
	defer lend(text)
	if p := readBody(q.r, text, q.run.limits.Body, q.held); p != nil {
		return p
	}
	d := q.decoder()
	defer q.run.give(d)
	if p := q.held.take(decodedPerByte * int64(text.Len())); p != nil {
		return p
	}
	d.reset(text.Bytes())
	t, p := d.readTensors()
	if p != nil {
		return p
	}
	inputs, answers, p := d.graphs(t)
	if p != nil {
		return p
	}
	if p := q.compute(q.ctx, inputs, answers, false); p != nil {
		return p
	}
	var values []float64
	rows := 0
	for _, a := range answers {
		if a.problem != nil {
			return a.problem
		}
		items := []ehgnn.Item{a.prediction.Item}
		switch q.run.reply.level {
		case ehgnn.Nodes:
			items = a.prediction.Nodes
		case ehgnn.Edges:
			items = a.prediction.Edges
		}
		for _, x := range items {
			values = append(append(values, x.Probabilities...), x.Values...)
		}
		rows += len(items)
	}
	width := 0
	if rows > 0 {
		width = len(values) / rows
	}
	out := buffers.Get().(*bytes.Buffer)
	defer lend(out)
	b := appendText(append(out.AvailableBuffer(), `{"model_name":`...), q.run.name)
	b = appendText(append(b, `,"model_version":`...), q.run.digest)
	if t.id != "" {
		b = appendText(append(b, `,"id":`...), t.id)
	}
	if w := warningsOf(answers); w != "" {
		b = append(appendText(append(b, `,"parameters":{"warnings":`...), w), '}')
	}
	b = appendText(append(b, `,"outputs":[{"name":`...), q.run.reply.output())
	b = append(fmt.Appendf(b, `,"datatype":"FP32","shape":[%d,%d],"data":`, rows, width), '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v)
	}
	out.Write(append(b, "]}]}\n"...))
	q.w.Header().Set("Content-Type", mediaTypes[formatJSON])
	q.w.Write(out.Bytes()) // a caller who has gone needs no reply
	return nil
}

// warningsOf are the warnings on a batch as one text, as parameters of the protocol have no lists.
func warningsOf(answers []answer) string {
	var out []string
	for _, a := range answers {
		for _, w := range a.warnings {
			out = append(out, "graph "+a.id+": "+w)
		}
	}
	return strings.Join(out, "\n")
}

// readTensors reads the body of a request.
func (d *decoder) readTensors() (*tensors, *Problem) {
	t := &tensors{shapes: map[string][]int{}}
	p := d.object(func(name []byte) (p *Problem) {
		switch string(name) {
		case "id":
			t.id, p = d.name()
			return p
		case "inputs":
			return d.list(func(int) *Problem { return d.tensor(t) })
		}
		return d.skip() // parameters, outputs
	})
	if p == nil && (d.peek() != 0 || d.at < len(d.text)) {
		p = d.syntax("the end of the text")
	}
	if p != nil {
		return nil, p
	}
	for _, name := range tensorNames[:3] {
		if t.shapes[name] == nil {
			return nil, wrong("no input "+name, "num_nodes, num_edges and edge_index, and x and e where the run reads attributes").in("inputs")
		}
	}
	return t, nil
}

// tensor reads {"name":"x","shape":[3,1],"datatype":"FP32","data":[...]}.
func (d *decoder) tensor(t *tensors) *Problem {
	var name string
	var shape []int
	var data []float64
	p := d.object(func(member []byte) (p *Problem) {
		switch string(member) {
		case "name":
			name, p = d.name()
		case "shape":
			p = d.list(func(i int) *Problem {
				v, p := d.float()
				if p != nil {
					return p
				}
				n, p := whole(v, math.MaxInt32)
				if shape = append(shape, n); p == nil && i >= 2 {
					p = wrong("more dimensions", "at most 2")
				}
				return p
			})
		case "data":
			start, n := d.at, 0
			if p = d.flat(func(float64) { n++ }); p == nil {
				d.at, data = start, make([]float64, 0, n)
				p = d.flat(func(v float64) { data = append(data, v) })
			}
		default:
			p = d.skip()
		}
		return p
	})
	if p != nil {
		return p
	}
	size := 1
	for _, n := range shape { // two at most, each of 31 bits
		size *= n
	}
	if shape == nil || size != len(data) {
		return wrong(fmt.Sprintf("%d numbers for the shape %v", len(data), shape), "as many as the shape says").in("data")
	}
	if t.shapes[name] != nil {
		return wrong("the input "+name+" twice", "once")
	}
	t.shapes[name] = shape
	switch name {
	case "num_nodes":
		t.counts[0] = data
	case "num_edges":
		t.counts[1] = data
	case "edge_index":
		t.ends = data
	case "x":
		t.rows[0] = data
	case "e":
		t.rows[1] = data
	default:
		return wrong("the input "+strconv.Quote(name), fmt.Sprintf("one of %q", tensorNames))
	}
	return nil
}

// flat reads numbers, in lists or not.
func (d *decoder) flat(each func(float64)) *Problem {
	if d.peek() == '[' {
		return d.list(func(int) *Problem { return d.flat(each) })
	}
	v, p := d.float()
	each(v)
	return p
}

// graphs are the graphs of a batch.
func (d *decoder) graphs(t *tensors) (inputs []*ehgnn.Input, answers []answer, p *Problem) {
	edges := len(t.ends) / 2
	if len(t.counts[0]) != len(t.counts[1]) || len(t.shapes["edge_index"]) != 2 || t.shapes["edge_index"][0] != 2 {
		return nil, nil, wrong(fmt.Sprintf("num_nodes%v, num_edges%v, edge_index%v", t.shapes["num_nodes"], t.shapes["num_edges"], t.shapes["edge_index"]), "[G], [G], [2,E]").in("inputs")
	}
	node, edge := 0, 0 // those of the graphs before
	for i := range t.counts[0] {
		n, p := whole(t.counts[0][i], d.limits.Nodes-d.totalNodes)
		if p != nil {
			return nil, nil, p.at(i).in("num_nodes")
		}
		m, p := whole(t.counts[1][i], edges-edge)
		if p != nil {
			return nil, nil, p.at(i).in("num_edges")
		}
		d.graph = ehgnn.Graph{NumNodes: n, Ends: make([]int32, 0, 2*m), Node: d.nodes.clear(), Edge: d.edges.clear()}
		for k := edge; k < edge+m; k++ {
			for side := range 2 {
				v, p := whole(t.ends[side*edges+k]-float64(node), n-1)
				if p != nil {
					p = wrong(fmt.Sprint(t.ends[side*edges+k]), fmt.Sprintf("a node of graph %d, from %d to %d", i, node, node+n-1))
					return nil, nil, p.at(k).at(side).in("edge_index")
				}
				d.graph.Ends = append(d.graph.Ends, int32(v))
			}
		}
		if p := d.admit(); p != nil {
			return nil, nil, p.at(i).in("num_nodes")
		}
		if p := d.nodes.slice(t.rows[0], node, n); p != nil {
			return nil, nil, p.in("x")
		}
		if p := d.edges.slice(t.rows[1], edge, m); p != nil {
			return nil, nil, p.in("e")
		}
		in, p := d.run.check(decoded{Graph: &d.graph})
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

// slice takes rows of a tensor as columns.
func (c *columns) slice(data []float64, from, rows int) *Problem {
	width := len(c.list)
	if width > 0 && len(data)%width != 0 || len(data) < (from+rows)*width || width == 0 && len(data) > 0 {
		return wrong(fmt.Sprintf("%d numbers", len(data)), fmt.Sprintf("rows of %d, one for each of %s", width, c.wanted()))
	}
	for k := range c.list {
		to := c.begin(k, rows)
		for i := range rows {
			v := data[(from+i)*width+k]
			if to.Kind != settings.KindCategory && to.reader != nil {
				if p := to.set(i, schema.NumberCell(v)); p != nil {
					return p.at(k).at(from + i)
				}
			} else if to.Kind != settings.KindCategory {
				to.numbers[i] = v
			} else if place, p := whole(v, len(to.Values)-1); p == nil {
				to.codes.Codes[i] = int32(place)
			} else if v == v && v != -1 {
				return wrong(fmt.Sprint(v), fmt.Sprintf("a place of the categories, from 0 to %d, or -1 where it is missing", len(to.Values)-1)).at(k).at(from + i)
			}
		}
	}
	return nil
}
