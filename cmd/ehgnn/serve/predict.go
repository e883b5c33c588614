package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/ehgnn/ehgnn"
)

// request is a request for predictions or embeddings.
type request struct {
	*Server
	w     http.ResponseWriter
	r     *http.Request
	run   *loaded
	level ehgnn.Level // of embeddings; empty for predictions
	seen  *seen
	ctx   context.Context // ends when the request times out
	held  *share          // of the memory of all requests

	boundary string // between the parts of a body of tables
	named    bool   // names of nodes are needed
	sorted   bool   // edges are computed in a fixed order, independent of the request
	ends     bool   // the reply has a row for each edge, named by its ends
	rank     ranking
}

// predict answers POST /v1/models/{m}/predict, embed POST /v1/models/{m}/embed.
// Runs of link prediction score pairs.
func (s *Server) predict(w http.ResponseWriter, r *http.Request) {
	if _, ok := s.options.Links[r.PathValue("m")]; ok {
		to := r.Clone(r.Context())
		for _, path := range []*string{&to.URL.Path, &to.URL.RawPath} {
			if rest, ok := strings.CutSuffix(*path, "/predict"); ok {
				*path = rest + "/score"
			}
		}
		s.mux.ServeHTTP(w, to)
		return
	}
	s.answer(w, r, "")
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	level := ehgnn.Level(r.URL.Query().Get("level"))
	switch level {
	case "":
		level = ehgnn.Graphs
	case ehgnn.Graphs, ehgnn.Nodes, ehgnn.Edges:
	default:
		s.refuse(w, r, wrong("level="+string(level), "graph, node or edge"))
		return
	}
	s.answer(w, r, level)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, level ehgnn.Level) {
	s.do(w, r, func(q *request) *Problem {
		q.level = level
		body, boundary, p := bodyFormat(r)
		if p != nil {
			return p
		}
		q.boundary = boundary
		usual := formatJSON
		if body == formatNDJSON {
			usual = formatNDJSON
		}
		to, p := replyFormat(r, usual)
		switch {
		case p != nil:
			return p
		}
		if q.rank, p = q.rankingOf(to); p != nil {
			return p
		}
		if body == formatNDJSON && to == formatNDJSON {
			return q.stream()
		}
		q.ends = (to == formatCSV || to == formatParquet) && (level == ehgnn.Edges || level == "" && q.run.model.Level() == ehgnn.Edges)
		q.sorted = q.run.model.Level() == ehgnn.Edges && level != ehgnn.Nodes
		q.named = q.ends || q.sorted
		return q.whole(body, to)
	})
}

// do answers a request for the named run by a function. A returned problem becomes the answer.
func (s *Server) do(w http.ResponseWriter, r *http.Request, f func(q *request) *Problem) {
	run, p := s.find(r)
	if p == nil {
		ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
		defer cancel()
		q := &request{Server: s, w: w, r: r, run: run, seen: seenOf(r), ctx: ctx, held: &share{of: &s.ledger}}
		q.seen.digest = run.digest
		defer q.held.release(0)
		if p = q.held.charge(requestBytes); p == nil {
			p = f(q)
		}
	}
	if p != nil {
		s.refuse(w, r, p)
		drain(w, r)
	}
}

// named returns a run by name.
func (s *Server) named(name string) (*Run, *Problem) {
	run, ok := s.runs[name]
	if !ok {
		return nil, problemf(http.StatusNotFound, "no model %q; GET /v1/models lists them", name)
	}
	return run, nil
}

// find returns the run that a request names.
func (s *Server) find(r *http.Request) (*loaded, *Problem) {
	run, p := s.named(r.PathValue("m"))
	if p != nil {
		return nil, p
	}
	return run.now.Load(), nil
}

// whole answers a body that is completely read and checked before anything is computed.
func (q *request) whole(body, to format) *Problem {
	inputs, answers, p := q.read(body)
	if p != nil {
		return p
	}
	if p := q.compute(q.ctx, inputs, answers, false); p != nil {
		return p
	}
	for i := range answers {
		if p := answers[i].problem; p != nil {
			if body == formatNDJSON {
				p.Line = answers[i].line
				return p
			}
			if body == formatTables {
				return p
			}
			return p.at(i).in("graphs")
		}
	}
	q.w.Header().Set("Ehgnn-Digest", q.run.digest)
	return q.render(answers, inputs, to)
}

// read reads the whole body and checks its graphs.
func (q *request) read(body format) (inputs []*ehgnn.Input, answers []answer, p *Problem) {
	text := buffers.Get().(*bytes.Buffer)
	defer putBuffer(text)
	before := q.held.charged()
	if p := readBody(q.r, text, q.run.limits.Body, q.held); p != nil {
		return nil, nil, p
	}
	if inputs, answers, p = q.decode(body, text.Bytes()); p != nil {
		return nil, nil, p
	}
	// The body is released; its graphs stay.
	q.held.release(before)
	kept := int64(0)
	for i, in := range inputs {
		a := &answers[i]
		kept += in.Bytes() + answerBytes + int64(len(a.score)+len(a.naming)*keptName*a.edges)
	}
	return inputs, answers, q.held.charge(kept)
}

// Memory charged for the stages of a request.
const (
	keptName       = 24                                                                        // for the name of an edge
	decodedPerByte = 4                                                                         // for each byte of a body; see TestDecodeMemory
	answerBytes    = int64(unsafe.Sizeof(answer{}) + unsafe.Sizeof(ehgnn.Prediction{}) + 2*64) // for a graph
)

// decode decodes and checks the graphs of a body.
func (q *request) decode(body format, text []byte) (inputs []*ehgnn.Input, answers []answer, p *Problem) {
	d := q.decoder()
	defer q.run.putDecoder(d)
	if body != formatTables { // tables are charged while they are read
		if p := q.held.charge(decodedPerByte * int64(len(text))); p != nil {
			return nil, nil, p
		}
	}
	var ids map[string]int
	add := func(i, line int, g decoded, p *Problem) *Problem {
		var in *ehgnn.Input
		given, order := g.Graph, []int(nil)
		if p == nil && g.score != nil && q.sorted {
			g.Graph, order = inOneOrder(g.Graph, g.score)
		}
		if p == nil {
			in, p = q.encode(g)
		}
		if g.Graph = given; p != nil && order != nil && p.Status == http.StatusUnprocessableEntity {
			if _, placed := q.run.check(g); placed != nil {
				p = placed // with the index in the request
			}
		}
		if p != nil {
			return p
		}
		if q.ends && g.naming == nil {
			g.naming = endsOf(g.Graph)
		}
		if !q.ends {
			g.naming = nil
		}
		a := answer{id: g.id, line: line, nodes: g.NumNodes, edges: len(g.Ends) / 2, score: g.score, naming: g.naming, order: order, lone: q.run.readsLabels() && g.Labels == nil}
		if a.id == "" {
			a.id = strconv.Itoa(i)
		} else {
			if ids == nil {
				ids = map[string]int{}
			}
			if other, twice := ids[a.id]; twice {
				return wrong(strconv.Quote(a.id)+", the id of graph "+strconv.Itoa(other), "an id of its own").in(g.idAt...)
			}
			ids[a.id] = i
		}
		inputs, answers = append(inputs, in), append(answers, a)
		return nil
	}
	if body == formatTables {
		d.reset(text)
		g, p := d.tables(q.boundary)
		p = add(0, 0, g, p)
		return inputs, answers, p
	}
	if body == formatJSON {
		d.reset(text)
		p = d.body(func(i int, g decoded, p *Problem) *Problem { return add(i, 0, g, p) })
		return inputs, answers, p
	}
	n := 0
	for line := range bytes.Lines(text) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		nodes, edges := d.totalNodes, d.totalEdges
		d.reset(line)
		d.totalNodes, d.totalEdges = nodes, edges
		g, p := d.line()
		if p = add(len(answers), n, g, p); p != nil {
			p.Line = n
			return nil, nil, p
		}
	}
	return inputs, answers, nil
}

// encode checks and encodes a graph, and charges its memory.
func (q *request) encode(g decoded) (*ehgnn.Input, *Problem) {
	before := q.held.charged()
	if p := q.held.charge(q.run.encodingBytes(g.Graph)); p != nil {
		return nil, p
	}
	in, p := q.run.check(g)
	q.held.release(before)
	if p == nil {
		p = q.held.charge(in.Bytes() + answerBytes)
	}
	return in, p
}

// encodingBytes is the approximate memory to encode a graph: some columns of numbers for each
// attribute, and some for structure and labels of edges.
func (l *loaded) encodingBytes(g *ehgnn.Graph) int64 {
	const columns, number = 8, 8
	return number * (int64(g.NumNodes)*int64(columns+3*len(g.Node)) + int64(len(g.Ends)/2)*int64(columns+3*len(g.Edge)))
}

// decoder borrows a decoder for the request.
func (q *request) decoder() *decoder {
	d := q.run.readers.Get().(*decoder)
	d.named, d.keep, d.held, d.ctx = q.named, q.ends && q.level == "", q.held, q.ctx
	return d
}

// putDecoder returns a decoder.
func (l *loaded) putDecoder(d *decoder) {
	d.text, d.graph, d.named, d.keep, d.held, d.ctx = nil, ehgnn.Graph{}, false, false, nil, nil
	d.nodes.release()
	d.edges.release()
	l.readers.Put(d)
}

// check encodes a graph. The pointer of a problem is relative to the graph.
func (l *loaded) check(g decoded) (*ehgnn.Input, *Problem) {
	in, err := l.model.Input(g.Graph)
	if err == nil {
		return in, nil
	}
	var a *ehgnn.AttributeError
	if !errors.As(err, &a) {
		return nil, problemf(http.StatusUnprocessableEntity, "%v", err)
	}
	p := problemf(http.StatusUnprocessableEntity, "%v", a)
	p.Found, p.Expected = a.Found, a.Expected
	switch {
	case g.linked == "" && a.Row < 0:
		p.in(a.Of)
	case g.linked == "":
		p.at(a.Row).in(a.Name).in(a.Of)
	case a.Row >= 0:
		p.in(a.Name).at(a.Row).in(map[string]string{"node": "nodes", "edge": g.linked}[a.Of])
	}
	return nil, p
}

// compute computes the graphs and adds the results to the answers.
func (q *request) compute(ctx context.Context, inputs []*ehgnn.Input, answers []answer, patient bool) *Problem {
	c := &call{ctx: ctx, run: q.run, level: q.level, inputs: inputs}
	p := q.held.charge(q.run.resultBytes(answers, q.level))
	if p == nil {
		p = q.queue.submit(c, patient)
	}
	q.seen.graphs += len(inputs)
	if p != nil {
		return p
	}
	q.seen.waited += c.waited
	q.seen.computed += time.Duration(c.compute.Load())
	for i := range answers {
		a := &answers[i]
		switch {
		case c.problems != nil && c.problems[i] != nil:
			a.problem = c.problems[i]
			if a.problem.Status >= http.StatusInternalServerError {
				return a.problem
			}
			continue
		case q.level == "":
			a.prediction = c.predictions[i]
			if a.order != nil {
				a.prediction.Edges = restored(a.prediction.Edges, a.order, 1)
			}
		default:
			a.embedding = &c.embeddings[i]
			if a.order != nil && q.level == ehgnn.Edges {
				a.embedding.Rows = restored(a.embedding.Rows, a.order, a.embedding.Width)
			}
		}
		a.warnings = q.run.warnings(a.nodes, a.edges, inputs[i])
		if a.lone {
			a.warnings = append(a.warnings, "the run reads labels of other edges, and none is given: predictions are poor")
		}
	}
	return nil
}

// resultBytes is the approximate memory of the predictions for graphs, and of a reply with them as a table.
func (l *loaded) resultBytes(answers []answer, level ehgnn.Level) int64 {
	rows := int64(0)
	level = cmp.Or(level, l.model.Level())
	for i := range answers {
		switch a := &answers[i]; {
		case !l.model.Explains():
			rows += int64(a.nodes + a.edges)
		case level == ehgnn.Nodes:
			rows += int64(a.nodes)
		case level == ehgnn.Edges:
			rows += int64(a.edges)
		default:
			rows++
		}
	}
	return rows * l.reply.rowBytes
}
