package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// stream answers lines of NDJSON with lines as they arrive: lines that have arrived together are
// computed together, and results are sent before it waits for more. An invalid line gets an error,
// and the next lines are read. In each --timeout there must be a graph: blank or invalid lines do
// not keep a request alive.
func (q *request) stream() *Problem {
	control := http.NewResponseController(q.w)
	// Without full duplex the server would read the rest of the body before it sends a reply. Only
	// HTTP/2 connections do not support this call, and they are always full duplex.
	_ = control.EnableFullDuplex()
	from, p := unpacked(q.r)
	if p != nil {
		return p
	}
	if p := q.held.charge(lineBuffer); p != nil {
		return p
	}
	s := &lines{in: bufio.NewReaderSize(from, lineBuffer), most: q.run.limits.Body, held: q.held}
	d := q.decoder()
	defer q.run.putDecoder(d)
	out := &sink{w: q.w}
	var over time.Time // for the next graph
	found := true      // in the lines before
	for begun := false; ; begun = true {
		before := q.held.charged()
		if found {
			over = time.Now().Add(q.options.Timeout)
		}
		control.SetReadDeadline(over) // deadlines are supported, because the header was read with one
		come := guestOf(q.r.Context()).await()
		inputs, answers, err := q.gather(s, d, over)
		come()
		if found = len(inputs) > 0; !found && err == nil && time.Now().After(over) {
			err = os.ErrDeadlineExceeded
		}
		if p := q.batch(inputs, answers); p != nil {
			for i := range answers {
				if answers[i].problem == nil {
					answers[i].problem = p
				}
			}
		}
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			p := bodyProblem(err)
			if !begun && len(answers) == 0 {
				return p
			}
			answers = append(answers, answer{line: s.n + 1, problem: p})
			finish(q.w)
		}
		if !begun {
			q.w.Header().Set("Content-Type", mediaTypes[formatNDJSON])
			q.w.Header().Set("Ehgnn-Digest", q.run.digest)
		}
		control.SetWriteDeadline(time.Now().Add(q.options.Timeout))
		for i := range answers {
			out.b = out.spill(append(q.run.reply.appendAnswer(out.b, &answers[i], out.spill), '\n'))
		}
		out.send()
		q.held.release(before)
		if err != nil || out.err != nil || control.Flush() != nil {
			return nil
		}
	}
}

// gather reads a line, and further lines that have already arrived, until a time.
func (q *request) gather(s *lines, d *decoder, over time.Time) (inputs []*ehgnn.Input, answers []answer, err error) {
	blank := int64(0) // bytes of blank lines
	for len(answers) < together && (len(answers) == 0 || s.ready()) {
		text, p, err := s.next()
		switch {
		case err != nil:
			return inputs, answers, err
		case p == nil && len(text) == 0:
			if blank += s.length; blank > s.most {
				return inputs, answers, tooLarge(s.most)
			}
			if s.n%blankLines == 0 && time.Now().After(over) {
				return inputs, answers, os.ErrDeadlineExceeded
			}
			continue
		}
		a := answer{line: s.n, id: strconv.Itoa(s.n)}
		var g decoded
		var in *ehgnn.Input
		if p == nil {
			before := q.held.charged()
			p = q.held.charge(decodedPerByte * int64(len(text)))
			if p == nil {
				d.reset(text)
				g, p = d.line()
			}
			if p == nil {
				in, p = q.encode(g)
			}
			q.held.release(before)
			if p == nil {
				p = q.held.charge(in.Bytes() + answerBytes)
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

// batch computes the graphs of the answers without a problem.
func (q *request) batch(inputs []*ehgnn.Input, answers []answer) *Problem {
	if len(inputs) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(q.r.Context(), q.options.Timeout)
	defer cancel()
	good := lists.Filter(answers, func(a answer) bool { return a.problem == nil })
	p := q.compute(ctx, inputs, good, true)
	for i := range answers {
		if answers[i].problem == nil {
			answers[i], good = good[0], good[1:]
		}
	}
	return p
}

// lines reads the lines of a body.
type lines struct {
	in     *bufio.Reader
	most   int64
	held   *share
	n      int   // of the last line
	length int64 // of the last line in bytes
	text   []byte
}

const (
	lineBuffer = 64 << 10 // size of the read buffer, and the longest line whose buffer is reused
	blankLines = 1 << 12  // after which the time is checked
)

// ready reports whether a line can be read without waiting.
func (l *lines) ready() bool {
	have, err := l.in.Peek(l.in.Buffered())
	return err == nil && bytes.IndexByte(have, '\n') >= 0
}

// next is the next line, without surrounding blanks. A line that is too long, or for which there is
// no memory, is skipped and has a problem. At the end err is io.EOF.
func (l *lines) next() (text []byte, p *Problem, err error) {
	l.text, l.length = l.text[:0], 0
	if cap(l.text) > lineBuffer {
		l.text = nil
	}
	for {
		part, err := l.in.ReadSlice('\n')
		l.length += int64(len(part))
		if l.length > l.most && p == nil {
			p = tooLarge(l.most)
		}
		if p == nil {
			p = l.add(part)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && l.length == 0, err != nil && !errors.Is(err, io.EOF):
			return nil, nil, err
		}
		l.n++
		return bytes.TrimSpace(l.text), p, nil
	}
}

// add adds a part to the line. While its buffer doubles, there are two.
func (l *lines) add(part []byte) *Problem {
	if more := 2 * (len(l.text) + len(part)); len(l.text)+len(part) > cap(l.text) && more > lineBuffer {
		if p := l.held.charge(int64(more)); p != nil {
			l.text = nil
			return p
		}
		l.text = append(make([]byte, 0, more), l.text...)
	}
	l.text = append(l.text, part...)
	return nil
}
