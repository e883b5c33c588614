package serve

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/ehgnn/ehgnn"
)

// request is a request for predictions or vectors that is being answered.
type request struct {
	*Server
	w     http.ResponseWriter
	r     *http.Request
	run   *loaded
	level ehgnn.Level // of vectors; empty for predictions
	seen  *seen

	boundary string // between the parts of a body of tables
	named    bool   // the names of nodes are wanted
}

// predict answers POST /v1/models/{m}/predict, embed POST /v1/models/{m}/embed.
func (s *Server) predict(w http.ResponseWriter, r *http.Request) {
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
	q, p := s.asked(w, r)
	if p != nil {
		s.refuse(w, r, p)
		return
	}
	q.level = level
	body, boundary, p := bodyFormat(r)
	if p != nil {
		s.refuse(w, r, p)
		return
	}
	q.boundary = boundary
	usual := formatJSON
	if body == formatNDJSON {
		usual = formatNDJSON
	}
	to, p := replyFormat(r, usual)
	if p != nil {
		s.refuse(w, r, p)
		return
	}
	if body == formatNDJSON && to == formatNDJSON {
		q.stream()
		return
	}
	if p := q.whole(body, to); p != nil {
		s.refuse(w, r, p)
	}
}

// named is the run of a name.
func (s *Server) named(name string) (*Run, *Problem) {
	run, ok := s.runs[name]
	if !ok {
		return nil, problemf(http.StatusNotFound, "no model %q; GET /v1/models lists them", name)
	}
	return run, nil
}

// find is the run that a request names.
func (s *Server) find(r *http.Request) (*loaded, *Problem) {
	run, p := s.named(r.PathValue("m"))
	if p != nil {
		return nil, p
	}
	return run.now.Load(), nil
}

// asked is a request for the run that it names.
func (s *Server) asked(w http.ResponseWriter, r *http.Request) (*request, *Problem) {
	run, p := s.find(r)
	if p != nil {
		return nil, p
	}
	q := &request{Server: s, w: w, r: r, run: run, seen: seenOf(r)}
	q.seen.digest = run.digest
	return q, nil
}

// whole answers a body that is read and checked before anything is computed.
func (q *request) whole(body, to format) *Problem {
	ctx, cancel := context.WithTimeout(q.r.Context(), q.options.Timeout)
	defer cancel()
	inputs, answers, p := q.read(body)
	if p != nil {
		return p
	}
	if p := q.compute(ctx, inputs, answers, false); p != nil {
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
	out := buffers.Get().(*bytes.Buffer)
	defer lend(out)
	if p := q.render(out, answers, to); p != nil {
		return p
	}
	h := q.w.Header()
	h.Set("Content-Type", mediaTypes[to])
	h.Set("Content-Length", strconv.Itoa(out.Len()))
	h.Set("Ehgnn-Digest", q.run.digest)
	q.w.Write(out.Bytes()) // a caller who has gone needs no reply
	return nil
}

// read reads a body whole, and checks its graphs.
func (q *request) read(body format) (inputs []*ehgnn.Input, answers []answer, p *Problem) {
	text := buffers.Get().(*bytes.Buffer)
	defer lend(text)
	if p := readBody(q.r, text, q.run.limits.Body); p != nil {
		return nil, nil, p
	}
	return q.decode(body, text.Bytes())
}

// decode reads and checks the graphs of a body.
func (q *request) decode(body format, text []byte) (inputs []*ehgnn.Input, answers []answer, p *Problem) {
	d := q.run.readers.Get().(*decoder)
	d.named = q.named
	defer q.run.give(d)
	var ids map[string]int
	add := func(i, line int, g decoded, p *Problem) *Problem {
		var in *ehgnn.Input
		if p == nil {
			in, p = q.run.check(g)
		}
		if p != nil {
			return p
		}
		a := answer{id: g.id, line: line, nodes: g.NumNodes, edges: len(g.Ends) / 2, score: g.score, naming: g.naming, lone: q.run.readsLabels() && g.Labels == nil}
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

// give takes a decoder back.
func (l *loaded) give(d *decoder) {
	d.text, d.graph, d.named = nil, ehgnn.Graph{}, false
	d.nodes.release()
	d.edges.release()
	l.readers.Put(d)
}

// check encodes a graph. The problem has a pointer into it.
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

// compute has the graphs computed and adds what was found to the answers.
func (q *request) compute(ctx context.Context, inputs []*ehgnn.Input, answers []answer, patient bool) *Problem {
	c := &call{ctx: ctx, run: q.run, level: q.level, inputs: inputs}
	p := q.queue.submit(c, patient)
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
		default:
			a.embedding = &c.embeddings[i]
		}
		a.warnings = q.run.warnings(a.nodes, a.edges, inputs[i])
		if a.lone {
			a.warnings = append(a.warnings, "the run reads the labels of other edges, of which none is given: predictions are poor")
		}
	}
	return nil
}

// render writes the answers to a body that was read whole.
func (q *request) render(out *bytes.Buffer, answers []answer, to format) *Problem {
	names := &q.run.reply
	if to == formatCSV || to == formatParquet {
		t, p := names.table(answers, q.level)
		if p != nil {
			return p
		}
		if err := writeTable(out, t, to); err != nil {
			return problemf(http.StatusNotAcceptable, "%v", err)
		}
		return nil
	}
	b := out.AvailableBuffer()
	if to == formatNDJSON {
		for i := range answers {
			b = append(names.appendAnswer(b, &answers[i]), '\n')
		}
		out.Write(b)
		return nil
	}
	b = appendText(append(b, `{"model":`...), names.model)
	b = append(append(append(b, `,"digest":"`...), q.run.digest...), `",`...)
	if q.level == "" {
		b = append(b, `"predictions":[`...)
	} else {
		b = append(append(append(b, `"level":"`...), q.level...), `","embeddings":[`...)
	}
	for i := range answers {
		if i > 0 {
			b = append(b, ',')
		}
		b = names.appendAnswer(b, &answers[i])
	}
	out.Write(append(b, "]}\n"...))
	return nil
}
