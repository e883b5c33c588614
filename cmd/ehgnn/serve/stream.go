package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/ehgnn/ehgnn"
)

// stream answers lines of NDJSON with lines, as they come: those that are there together are
// computed together, and what was found is sent before more is waited for. A line that is wrong
// is answered so, and the next ones go on.
func (q *request) stream() {
	control := http.NewResponseController(q.w)
	// Without full duplex the server would read the rest of the body before it sends a reply. A
	// connection that cannot is that of HTTP/2, which always is.
	_ = control.EnableFullDuplex()
	from, p := unpacked(q.r)
	if p != nil {
		q.refuse(q.w, q.r, p)
		return
	}
	s := &lines{in: bufio.NewReaderSize(from, 64<<10), most: q.run.limits.Body}
	d := q.run.readers.Get().(*decoder)
	defer q.run.give(d)
	var out []byte
	begun := false
	for {
		control.SetReadDeadline(time.Now().Add(q.options.Timeout)) // as the head of the request was read, there are deadlines
		come := guestOf(q.r.Context()).await()
		inputs, answers, err := q.gather(s, d)
		come()
		if p := q.batch(inputs, answers); p != nil {
			for i := range answers {
				if answers[i].problem == nil {
					answers[i].problem = p
				}
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			p := bodyProblem(err)
			if !begun && len(answers) == 0 {
				q.refuse(q.w, q.r, p)
				return
			}
			answers = append(answers, answer{line: s.n + 1, problem: p})
		}
		if !begun {
			begun = true
			q.w.Header().Set("Content-Type", mediaTypes[formatNDJSON])
			q.w.Header().Set("Ehgnn-Digest", q.run.digest)
		}
		out = out[:0]
		for i := range answers {
			out = append(q.run.reply.appendAnswer(out, &answers[i]), '\n')
		}
		control.SetWriteDeadline(time.Now().Add(q.options.Timeout))
		if _, failed := q.w.Write(out); failed != nil || err != nil {
			return
		}
		if control.Flush() != nil {
			return
		}
	}
}

// gather reads a line, and those behind it that have come already.
func (q *request) gather(s *lines, d *decoder) (inputs []*ehgnn.Input, answers []answer, err error) {
	for len(answers) < together && (len(answers) == 0 || s.ready()) {
		text, long, err := s.next()
		if err != nil {
			return inputs, answers, err
		}
		if len(text) == 0 {
			continue
		}
		a := answer{line: s.n, id: strconv.Itoa(s.n)}
		var g decoded
		var in *ehgnn.Input
		p := (*Problem)(nil)
		if long {
			p = tooLarge(q.run.limits.Body)
		} else {
			d.reset(text)
			if g, p = d.line(); p == nil {
				in, p = q.run.check(g)
			}
		}
		if p != nil {
			a.problem = p
		} else {
			a.nodes, a.edges, a.score, a.lone = g.NumNodes, len(g.Ends)/2, g.score, q.run.readsLabels() && g.Labels == nil
			if g.id != "" {
				a.id = g.id
			}
			inputs = append(inputs, in)
		}
		answers = append(answers, a)
	}
	return inputs, answers, nil
}

// batch computes the graphs of the answers that have no problem.
func (q *request) batch(inputs []*ehgnn.Input, answers []answer) *Problem {
	if len(inputs) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(q.r.Context(), q.options.Timeout)
	defer cancel()
	good := make([]answer, 0, len(inputs))
	for _, a := range answers {
		if a.problem == nil {
			good = append(good, a)
		}
	}
	p := q.compute(ctx, inputs, good, true)
	for i := range answers {
		if answers[i].problem == nil {
			answers[i], good = good[0], good[1:]
		}
	}
	return p
}

// lines are the lines of a body.
type lines struct {
	in   *bufio.Reader
	most int64
	n    int // of the line that was read last
	text []byte
}

// ready reports whether a line can be read without waiting.
func (l *lines) ready() bool {
	have, err := l.in.Peek(l.in.Buffered())
	return err == nil && bytes.IndexByte(have, '\n') >= 0
}

// next is the next line, without blanks around it; long says that it is longer than it may be
// and was left out. At the end err is io.EOF.
func (l *lines) next() (text []byte, long bool, err error) {
	l.text = l.text[:0]
	if cap(l.text) > 1<<20 {
		l.text = nil
	}
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || int64(len(l.text)+len(part)) > l.most; !long {
			l.text = append(l.text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(l.text) == 0 && !long, err != nil && !errors.Is(err, io.EOF):
			return nil, false, err
		}
		l.n++
		if long {
			return []byte("long"), true, nil
		}
		return bytes.TrimSpace(l.text), false, nil
	}
}
