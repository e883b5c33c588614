package nodelink

import (
	"bufio"
	"bytes"
	"io"

	"github.com/ehgnn/ehgnn/data"
)

// keptHead is how much of the first record is kept, to read it again.
const keptHead = 1 << 20

// eachRecord yields the documents of a text. A text that begins with an object is read record by
// record, so that one that is no JSON spoils no other; other texts, as lists, are read as a whole.
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
		whole := false // whether the text has to be read as a whole
		ok := readAll(from, name, b, number, line, func(d *Document, err error) bool {
			if first && err != nil && in.ended && in.line > line+1 && head.Len() < keptHead {
				whole = true
				return false
			}
			last = max(last, d.Number)
			return yield(d, err)
		})
		if whole { // lines of one document begin with {
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

// readAll reads documents that are numbered behind others, in a text that begins behind some lines. It
// reports whether more are wanted.
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

// records are the parts of a text of documents: each begins with a { that is the first byte of a
// line. So are lines of documents, and documents of indented lines.
type records struct {
	in    *bufio.Reader
	line  int  // lines that ended
	ended bool // the record is read
	start bool // the next byte begins a line
}

// beginsWithObject reports whether the first byte that is no blank is a {. It reads no further.
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

// more begins the next record, and reports whether there is one.
func (r *records) more() bool {
	_, err := r.in.Peek(1)
	r.ended, r.start = false, false
	return err == nil
}

// Read reads the record. It waits for the byte behind the end of a line only once what was before
// is read.
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

// leave goes to the end of the record.
func (r *records) leave() {
	if !r.ended {
		_, _ = io.Copy(io.Discard, struct{ io.Reader }{r}) // what it meets is met again by more
	}
}

// limited is a buffer that keeps no more than its first bytes.
type limited struct {
	b    *bytes.Buffer
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	l.b.Write(p[:min(len(p), l.most-l.b.Len())])
	return len(p), nil
}
