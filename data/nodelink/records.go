package nodelink

import (
	"bufio"
	"bytes"
	"io"

	"github.com/ehgnn/ehgnn/data"
)

// keptHead is how many bytes of the first record are kept, to read them again.
const keptHead = 1 << 20

// eachRecord yields the documents of a text. A text that begins with an object is read record by
// record, so that an invalid record does not affect others. Other texts, such as lists, are read as
// a whole.
func eachRecord(r io.Reader, name string, b *data.Budget, yield func(*Document, error) bool) {
	in := &records{in: bufio.NewReaderSize(r, 1<<15)}
	if !in.beginsWithObject() {
		readAll(in.in, name, b, 0, 0, yield)
		return
	}
	number := 0
	for first := true; in.more(); first = false {
		line := in.line
		head := &bytes.Buffer{}
		var from io.Reader = in
		if first {
			from = io.TeeReader(in, &limited{head, keptHead})
		}
		last := number
		whole := false // the text has to be read as a whole
		ok := readAll(from, name, b, number, line, func(d *Document, err error) bool {
			if first && err != nil && in.ended && in.line > line+1 && head.Len() < keptHead {
				whole = true
				return false
			}
			last = max(last, d.Number)
			return yield(d, err)
		})
		if whole { // a line inside a document begins with {
			readAll(io.MultiReader(head, in.in), name, b, 0, 0, func(d *Document, err error) bool {
				return d.Number <= last && d.Number > 0 || yield(d, err)
			})
			return
		}
		if !ok {
			return
		}
		number = last
		in.leave()
	}
}

// readAll reads documents of a text. number and line are the counts before it. It reports whether
// more documents are wanted.
func readAll(r io.Reader, name string, b *data.Budget, number, line int, yield func(*Document, error) bool) (more bool) {
	p, err := newParser(r, name, b)
	if err != nil {
		return yield(&Document{}, err)
	}
	p.each, p.number = true, number
	p.src.Behind(line)
	more = true
	p.documents(func(d *Document, err error) bool {
		more = yield(d, err)
		return more
	})
	return more
}

// records divides a text of documents into records. Each begins with a { that is the first byte of
// a line. This works for one document per line and for documents of indented lines.
type records struct {
	in    *bufio.Reader
	line  int  // lines that ended
	ended bool // the record was read to its end
	start bool // the next byte is the first of a line
}

// beginsWithObject reports whether the first byte that is not a blank is a {. It reads no more
// bytes.
func (r *records) beginsWithObject() bool {
	for n := 1; n <= r.in.Size(); n++ {
		head, err := r.in.Peek(n)
		if err != nil {
			return false
		}
		if c := head[n-1]; !bytes.ContainsAny([]byte{c}, " \t\r\n\xef\xbb\xbf") {
			return c == '{' && (n == 1 || head[0] != 0)
		}
	}
	return false
}

// more begins the next record. It reports whether there is one.
func (r *records) more() bool {
	_, err := r.in.Peek(1)
	r.ended, r.start = false, false
	return err == nil
}

// Read reads the record. It waits for the byte after the end of a line only when everything before
// it has been read.
func (r *records) Read(p []byte) (n int, err error) {
	if r.ended {
		return 0, io.EOF
	}
	if r.start {
		if c, err := r.in.Peek(1); err == nil && c[0] == '{' {
			r.ended = true
			return 0, io.EOF
		}
		r.start = false
	}
	if _, err := r.in.Peek(1); err != nil {
		r.ended = true
		return 0, err
	}
	have, _ := r.in.Peek(min(r.in.Buffered(), len(p)))
	if at := bytes.IndexByte(have, '\n'); at >= 0 {
		have, r.start = have[:at+1], true
		r.line++
	}
	n = copy(p, have)
	_, err = r.in.Discard(n)
	return n, err
}

// leave moves to the end of the record.
func (r *records) leave() {
	if !r.ended {
		_, _ = io.Copy(io.Discard, struct{ io.Reader }{r}) // more finds the same error again
	}
}

// limited is a buffer that only keeps its first bytes.
type limited struct {
	b    *bytes.Buffer
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	l.b.Write(p[:min(len(p), l.most-l.b.Len())])
	return len(p), nil
}
