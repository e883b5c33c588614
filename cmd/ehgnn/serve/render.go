package serve

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/ehgnn/ehgnn"
)

// spillBytes is how much of a reply is collected before it is sent.
const spillBytes = 64 << 10

// sink sends a reply. If it fits into the buffer, it is sent at once with its length; a longer
// reply is sent in pieces, so that it needs no memory.
type sink struct {
	w    http.ResponseWriter
	b    []byte
	sent bool  // a piece was sent
	err  error // of sending
}

// Write implements io.Writer.
func (s *sink) Write(p []byte) (int, error) {
	s.b = s.spill(append(s.b, p...))
	return len(p), s.err
}

// spill sends the data in the buffer if there is much, and returns the buffer. Data that cannot be
// sent are dropped, because the client has gone.
func (s *sink) spill(b []byte) []byte {
	if len(b) < spillBytes {
		return b
	}
	s.b = b
	s.send()
	return s.b
}

// send sends the collected data.
func (s *sink) send() {
	s.sent = true
	if s.err == nil {
		_, s.err = s.w.Write(s.b)
	}
	s.b = s.b[:0]
}

// end sends the rest.
func (s *sink) end() {
	if !s.sent {
		s.w.Header().Set("Content-Length", strconv.Itoa(len(s.b)))
	}
	s.send()
}

// render sends the answers to a body that was completely read.
func (q *request) render(answers []answer, inputs []*ehgnn.Input, to format) *Problem {
	buffer := buffers.Get().(*bytes.Buffer)
	defer putBuffer(buffer)
	out := &sink{w: q.w, b: buffer.AvailableBuffer()}
	q.w.Header().Set("Content-Type", mediaTypes[to])
	if to == formatCSV || to == formatParquet {
		return q.renderTable(out, answers, inputs, to)
	}
	names := &q.run.reply
	if to == formatNDJSON {
		for i := range answers {
			out.b = out.spill(append(names.appendAnswer(out.b, &answers[i], out.spill), '\n'))
		}
		out.end()
		return nil
	}
	b := appendText(append(out.b, `{"model":`...), names.model)
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
		b = names.appendAnswer(out.spill(b), &answers[i], out.spill)
	}
	out.b = append(b, "]}\n"...)
	out.end()
	return nil
}

// renderTable sends the answers as a table.
func (q *request) renderTable(out *sink, answers []answer, inputs []*ehgnn.Input, to format) *Problem {
	t, of, p := q.run.reply.table(answers, q.level)
	if p == nil && q.rank != (ranking{}) {
		t, p = q.ranked(q.ctx, q.rank, t, of, answers, inputs)
	}
	if p != nil {
		return p
	}
	if err := writeTable(out, t, to); err != nil && !out.sent {
		return problemf(http.StatusNotAcceptable, "%v", err)
	}
	out.end()
	return nil
}

// rowBytes is the approximate memory of the prediction for a graph, node or edge, and of its row in a table.
func rowBytes(m *ehgnn.Model) int64 {
	width := max(len(m.Classes()), len(m.Targets()), 1)
	if !m.Explains() { // models that reconstruct graphs predict their attributes
		s := m.Schema()
		for _, of := range [][]ehgnn.Field{s.Nodes, s.Edges} {
			for _, f := range of {
				width += max(len(f.Values), f.Width)
			}
		}
	}
	return itemBytes + int64(width)*numberBytes
}

// Memory of an item: the item with the cells that name it, and for each of its numbers the number,
// the ends of its interval and its cell.
const (
	itemBytes   = 280
	numberBytes = 28
)
