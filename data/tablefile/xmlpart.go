package tablefile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"

	"github.com/ehgnn/ehgnn/data"
)

// xmlPart reads the elements of an XML file in a workbook one after another. It does not allocate
// memory for them, and takes half the time of encoding/xml.
type xmlPart struct {
	file   *file
	name   string // in the workbook
	opened fs.File
	text   *data.Text
	in     *bufio.Reader
	names  []byte // of the open elements, one after another
	starts []int  // start of each in names

	between    []byte // ignored text
	attributes []attribute
	empty      bool // the last element is self-closing
}

// deepest is the largest nesting depth of elements.
const deepest = 100

// longestMarkup is the largest size of a tag, a comment or a CDATA section. A cell has at most 32,767 characters.
const longestMarkup = textBuffer

// tag is the start or the end of an element. It is valid until the next one.
type tag struct {
	name       []byte // without the namespace prefix
	attributes []attribute
	end        bool
}

// attribute is NAME="VALUE" in a tag.
type attribute struct {
	space, name, value []byte
}

// starts reports whether a tag is the start of an element with a name.
func (t tag) starts(name string) bool { return !t.end && string(t.name) == name }

// attribute is the value of an attribute, or nil.
func (t tag) attribute(name string) []byte {
	for _, a := range t.attributes {
		if string(a.name) == name {
			return a.value
		}
	}
	return nil
}

// newXMLPart reads an XML file of a workbook.
func newXMLPart(f *file, name string, opened fs.File) (*xmlPart, error) {
	p := &xmlPart{file: f, name: name, opened: opened}
	var err error
	if p.text, err = f.budget.NewText(opened); err != nil {
		opened.Close()
		return nil, p.failed("cannot be read", err)
	}
	p.in = bufio.NewReaderSize(p.text, longestMarkup)
	return p, nil
}

// record starts a record: the limit of a line applies to what is read from here.
func (p *xmlPart) record() { p.text.Record(p.in.Buffered()) }

// next returns the next tag; io.EOF at the end of a file whose elements all ended.
func (p *xmlPart) next() (tag, error) {
	t, between, err := p.read(p.between[:0])
	p.between = between
	return t, err
}

// read returns the next tag; io.EOF only outside all elements. The text before the tag is appended to text.
func (p *xmlPart) read(text []byte) (tag, []byte, error) {
	if p.empty {
		p.empty = false
		_, name := splitName(p.closeElement())
		return tag{name: name, end: true}, text, nil
	}
	for {
		mark, more, err := p.markup(text)
		if text = more; err != nil {
			return tag{}, text, err
		}
		cdata, ok := bytes.CutPrefix(mark, []byte(cdataMark))
		switch {
		case ok:
			text = append(text, cdata...)
		case bytes.HasPrefix(mark, []byte(commentMarkup)), bytes.HasPrefix(mark, []byte("?")):
		case bytes.HasPrefix(mark, []byte("!")):
			return tag{}, text, p.failed("declares a type of document, which no workbook does", nil)
		default:
			t, err := p.tag(mark)
			return t, text, err
		}
	}
}

// markup returns the markup between the next < and its end; the text before it is appended to text.
func (p *xmlPart) markup(text []byte) (mark, more []byte, err error) {
	begin := len(text)
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		var piece []byte
		piece, err = p.in.ReadSlice('<')
		text = append(text, piece...)
	}
	if err == io.EOF && len(p.starts) == 0 && len(bytes.TrimSpace(text)) == 0 {
		return nil, text, io.EOF
	}
	if err != nil {
		return nil, text, p.failed("cannot be read", noEOF(err))
	}
	text, ok := plainText(text[:len(text)-1], begin)
	if !ok {
		return nil, text, p.failed("is no valid XML: a text has a character or an entity that it cannot have", nil)
	}
	for n := 1; ; n = p.in.Buffered() + 1 {
		b, err := p.in.Peek(max(min(n, longestMarkup), p.in.Buffered()))
		if size, past := markupEnd(b); past > 0 {
			_, err := p.in.Discard(past)
			return b[:size], text, err
		}
		if err != nil {
			return nil, text, p.failed("cannot be read", noEOF(err))
		}
		if len(b) == longestMarkup {
			return nil, text, p.failed(fmt.Sprintf("has a tag or a comment of more than %d bytes", longestMarkup), nil)
		}
	}
}

// Starts of markup other than tags.
const (
	commentMarkup = "!--"
	cdataMark     = "![CDATA["
)

// markupEnd returns the size of the markup at the start of b, and the start of the text after it; 0
// if it does not end in b.
func markupEnd(b []byte) (size, past int) {
	if i := bytes.IndexByte(b, '>'); i > 0 && b[0] > '?' && bytes.IndexByte(b[:i], '"') < 0 && bytes.IndexByte(b[:i], '\'') < 0 {
		return i, i + 1
	}
	for _, m := range [...][2]string{{"?", "?>"}, {commentMarkup, "-->"}, {cdataMark, "]]>"}} {
		if rest, ok := bytes.CutPrefix(b, []byte(m[0])); ok {
			i := bytes.Index(rest, []byte(m[1]))
			if i < 0 {
				return 0, 0
			}
			return len(m[0]) + i, len(m[0]) + i + len(m[1])
		}
	}
	quote := byte(0)
	for i, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i, i + 1
		}
	}
	return 0, 0
}

// tag parses a tag from its markup.
func (p *xmlPart) tag(mark []byte) (t tag, err error) {
	mark, t.end = bytes.CutPrefix(mark, []byte("/"))
	if !t.end {
		mark, p.empty = bytes.CutSuffix(mark, []byte("/"))
	}
	name, rest := mark, []byte(nil)
	if i := bytes.IndexFunc(mark, blank); i >= 0 {
		name, rest = mark[:i], mark[i:]
	}
	_, t.name = splitName(name)
	var ok bool
	if p.attributes, ok = parseAttributes(p.attributes[:0], rest); !ok || len(t.name) == 0 {
		return tag{}, p.failed("is no valid XML: a tag or one of its attributes is damaged", nil)
	}
	t.attributes = p.attributes
	ok = len(p.starts) < deepest
	if t.end {
		ok = len(p.starts) > 0 && bytes.Equal(p.closeElement(), name)
	} else {
		p.starts = append(p.starts, len(p.names))
		p.names = append(p.names, name...)
	}
	if !ok {
		return tag{}, p.failed("is no valid XML: its elements do not match", nil)
	}
	return t, nil
}

// parent is the local name of the element around the innermost open one, empty at the root.
func (p *xmlPart) parent() string {
	n := len(p.starts)
	if n < 2 {
		return ""
	}
	_, name := splitName(p.names[p.starts[n-2]:p.starts[n-1]])
	return string(name)
}

// closeElement ends the innermost open element and returns its name.
func (p *xmlPart) closeElement() []byte {
	last := len(p.starts) - 1
	begin := p.starts[last]
	name := p.names[begin:]
	p.names, p.starts = p.names[:begin], p.starts[:last]
	return name
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }

// splitName splits a name into the namespace prefix and the local name. A colon at the start or the
// end is a part of the name.
func splitName(name []byte) (space, local []byte) {
	if i := bytes.LastIndexByte(name, ':'); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// parseAttributes appends the attributes of a tag.
func parseAttributes(to []attribute, b []byte) ([]attribute, bool) {
	for {
		if b = bytes.TrimLeftFunc(b, blank); len(b) == 0 {
			return to, true
		}
		name, rest, ok := bytes.Cut(b, []byte("="))
		rest = bytes.TrimLeftFunc(rest, blank)
		if !ok || len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
			return to, false
		}
		value, rest, ok := bytes.Cut(rest[1:], rest[:1])
		if !ok {
			return to, false
		}
		if value, ok = plainText(value, 0); !ok {
			return to, false
		}
		a := attribute{value: value}
		a.space, a.name = splitName(bytes.TrimRightFunc(name, blank))
		to, b = append(to, a), rest
	}
}

// chars appends the text of the element that just started, without the text of inner elements. It
// reads to the end of the element.
func (p *xmlPart) chars(to []byte) ([]byte, error) {
	for level := 1; level > 0; {
		begin := len(to)
		t, text, err := p.read(to)
		if err != nil {
			return nil, err
		}
		if to = text; level > 1 {
			to = to[:begin]
		}
		if t.end {
			level--
		} else {
			level++
		}
	}
	return to, nil
}

// skip reads to the end of the element that just started.
func (p *xmlPart) skip() error {
	text, err := p.chars(p.between[:0])
	p.between = text[:0]
	return err
}

// drain reads the rest of the part, which checks its checksum.
func (p *xmlPart) drain() error {
	p.text.Unbounded()
	if _, err := io.Copy(io.Discard, p.text); err != nil {
		return p.failed("cannot be read", err)
	}
	return nil
}

func (p *xmlPart) close() { p.opened.Close() }

func (p *xmlPart) failed(msg string, err error) error {
	return p.file.failed(fmt.Sprintf("part %s of the workbook %s", p.name, msg), err)
}
