package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/explain"
)

// methods are the methods of ehgnn explain.
var methods = []string{explain.Occlusion, explain.Gradient, explain.Mask, explain.Chance, explain.Recorded}

// Explained is the reply to a request for an explanation.
type Explained struct {
	Model  string `json:"model"`
	Digest string `json:"digest"`
	*ehgnn.Explanation
}

// explain answers POST /v1/models/{m}/explain for one graph.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) {
	s.do(w, r, (*request).explain)
}

// explainedBytes is the approximate memory of an explanation for each node or edge, including its reply.
const explainedBytes = 512

func (q *request) explain() *Problem {
	query := q.r.URL.Query()
	method := query.Get("method")
	if method == "" {
		if method = explain.Occlusion; !q.run.model.Explains() {
			method = explain.Recorded
		}
	}
	if !slices.Contains(methods, method) {
		return wrong("method="+strconv.Quote(method), "occlusion, gradient, mask, random or record")
	}
	item, p := q.item(method, query)
	if p != nil {
		return p
	}
	body, boundary, p := bodyFormat(q.r)
	if p != nil {
		return p
	}
	q.boundary, q.named = boundary, true
	if _, p := replyFormat(q.r, formatJSON); p != nil {
		return p
	}
	inputs, answers, p := q.read(body)
	if p != nil {
		return p
	}
	if len(inputs) != 1 {
		return wrong(strconv.Itoa(len(inputs))+" graphs", "one").in("graphs")
	}
	if i := slices.Index(answers[0].score, true); i >= 0 && item == "" && method != explain.Recorded {
		item = strconv.Itoa(i)
	}
	out := Explained{Model: q.run.name, Digest: q.run.digest}
	if p := q.held.charge(int64(answers[0].nodes+answers[0].edges) * explainedBytes); p != nil {
		return p
	}
	c := &call{ctx: q.ctx, run: q.run, do: func(ctx context.Context) (err error) {
		out.Explanation, err = q.run.model.Explain(ctx, method, query.Get("target"), item, inputs[0])
		return err
	}}
	q.seen.graphs = 1
	if p := q.queue.submit(c, false); p != nil {
		return p
	}
	q.seen.waited, q.seen.computed = c.waited, time.Duration(c.compute.Load())
	if c.problems != nil {
		return c.problems[0]
	}
	if c.err != nil {
		return c.problem(c.err)
	}
	out.Explanation.Graph = answers[0].id
	reply, err := json.Marshal(out)
	if err != nil { // a score is not a finite number
		return problemf(http.StatusUnprocessableEntity, "the explanation cannot be written: %v", err)
	}
	q.w.Header().Set("Content-Type", mediaTypes[formatJSON])
	q.w.Header().Set("Ehgnn-Digest", q.run.digest)
	q.w.Write(append(reply, '\n')) // the client may have gone
	return nil
}

// item is the node or edge whose prediction is explained; empty for the first.
func (q *request) item(method string, query url.Values) (string, *Problem) {
	level, item := q.run.model.Level(), ""
	for _, of := range []ehgnn.Level{ehgnn.Nodes, ehgnn.Edges} {
		names := query[string(of)]
		switch {
		case len(names) == 0:
		case method == explain.Recorded:
			return "", wrong(fmt.Sprintf("%s=%q", of, names[0]), "none for method=record, which shows whole graphs")
		case of != level:
			return "", wrong(fmt.Sprintf("%s=%q", of, names[0]), "none: the run predicts for each "+string(level))
		case len(names) > 1:
			return "", wrong(fmt.Sprintf("%d times %s", len(names), of), "once")
		default:
			item = names[0]
		}
	}
	return item, nil
}
