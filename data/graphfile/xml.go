package graphfile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// mostDepth bounds the nesting of XML elements. Graphs need fewer than ten levels.
const mostDepth = 100

// xmlFile reads an XML file element by element. Entities other than the five of XML are errors, and
// declarations in a DTD are not read, so that no text grows.
type xmlFile struct {
	*textFile
	decoder *xml.Decoder
	depth   int
	texts   map[string]string // texts that are kept once, at most mostTexts
}

// mostTexts is how many different texts are kept once: categories and ids recur.
const mostTexts = 1 << 18

// openXML opens a GraphML or GEXF file and reads it.
func openXML(path, format string, b *data.Budget) (*Graph, error) {
	t, err := openText(path, b)
	if err != nil {
		return nil, err
	}
	defer t.file.Close()
	x := &xmlFile{textFile: t, decoder: xml.NewDecoder(t.buf), texts: map[string]string{}}
	x.decoder.CharsetReader = charset
	t.text.Record(0) // bounds each token
	root, err := x.root()
	if err != nil {
		return nil, err
	}
	read := readGraphML
	if format == GEXF {
		read = readGEXF
	}
	if root.Name.Local != format {
		return nil, x.failf("element %s, expected %s", root.Name.Local, format)
	}
	g, err := read(x)
	if err != nil {
		return nil, err
	}
	g.Format = format
	return g, nil
}

// root returns the first element.
func (x *xmlFile) root() (xml.StartElement, error) {
	for {
		t, err := x.token()
		if err != nil {
			return xml.StartElement{}, err
		}
		if s, ok := t.(xml.StartElement); ok {
			return s, nil
		}
	}
}

// line returns the line after the last token.
func (x *xmlFile) line() int {
	line, _ := x.decoder.InputPos()
	return line
}

// failf returns an error on the current line.
func (x *xmlFile) failf(format string, args ...any) error {
	return x.errorf(x.line(), nil, format, args...)
}

// token returns the next token, which is bounded like a line. It is valid until the next call.
func (x *xmlFile) token() (xml.Token, error) {
	x.text.Record(x.buf.Buffered())
	t, err := x.decoder.Token()
	if err != nil {
		var syntax *xml.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return nil, x.failf("file ends early, expected the end of its first element")
		case errors.As(err, &syntax):
			return nil, x.errorf(syntax.Line, nil, "is no XML: %s", syntax.Msg)
		}
		return nil, x.errorf(x.line(), err, "cannot be read")
	}
	switch t.(type) {
	case xml.StartElement:
		if x.depth++; x.depth > mostDepth {
			return nil, x.failf("elements are nested more than %d deep", mostDepth)
		}
	case xml.EndElement:
		x.depth--
	}
	return t, nil
}

// children calls each for every element in the current one. each must read its element to the end.
// children returns after the end of the current element.
func (x *xmlFile) children(each func(e xml.StartElement) error) error {
	for {
		t, err := x.token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := each(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// skip reads the current element to its end.
func (x *xmlFile) skip() error {
	for end := x.depth - 1; x.depth > end; {
		if _, err := x.token(); err != nil {
			return err
		}
	}
	return nil
}

// content reads the current element to its end and returns its text. nested says that it contains
// elements.
func (x *xmlFile) content() (text string, nested bool, err error) {
	var long []byte
	for {
		t, err := x.token()
		if err != nil {
			return "", false, err
		}
		switch t := t.(type) {
		case xml.CharData:
			if int64(len(long)+len(t)) > x.budget.Longest() {
				return "", false, x.errorf(x.line(), x.budget.TooLong("a text"), "cannot be read")
			}
			long = append(long, t...)
		case xml.StartElement:
			nested = true
			if err := x.skip(); err != nil {
				return "", false, err
			}
		case xml.EndElement:
			text, err := x.keep(string(long))
			return text, nested, err
		}
	}
}

// keep returns a text that will be kept. Equal texts share memory.
func (x *xmlFile) keep(text string) (string, error) {
	if kept, ok := x.texts[text]; ok {
		return kept, nil
	}
	const entryBytes = 48
	if err := x.budget.Charge(int64(len(text))+entryBytes, "texts"); err != nil {
		return "", x.errorf(x.line(), err, "cannot be read")
	}
	if len(x.texts) < mostTexts {
		x.texts[text] = text
	}
	return text, nil
}

// finish reads the text after the root and ends reading.
func (x *xmlFile) finish() error {
	for {
		x.text.Record(x.buf.Buffered())
		t, err := x.decoder.Token()
		if errors.Is(err, io.EOF) {
			x.ended = true
			return nil
		}
		if err != nil {
			return x.errorf(x.line(), err, "cannot be read")
		}
		if s, ok := t.(xml.StartElement); ok {
			return x.failf("element %s behind the end, expected nothing", s.Name.Local)
		}
	}
}

// attributes returns the attributes of an element by name, without those of other namespaces.
func attributes(e xml.StartElement) map[string]string {
	m := make(map[string]string, len(e.Attr))
	for _, a := range e.Attr {
		if a.Name.Space == "" {
			m[a.Name.Local] = a.Value
		}
	}
	return m
}

// charset reads encodings that are subsets of the first characters of Unicode.
func charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "ascii", "us-ascii", "utf8":
		return in, nil
	case "iso-8859-1", "latin1", "latin-1":
		return charmap.ISO8859_1.NewDecoder().Reader(in), nil
	}
	return nil, fmt.Errorf("encoding %q is not read, expected UTF-8", label)
}

// ends writes the ends and the id of an edge to its row.
func (x *xmlFile) ends(row []schema.Cell, a map[string]string) error {
	if err := x.id(row, sourceAt, "source of an edge", a["source"]); err != nil {
		return err
	}
	if err := x.id(row, targetAt, "target of an edge", a["target"]); err != nil {
		return err
	}
	if a["id"] == "" {
		return nil
	}
	return x.id(row, edgeIDAt, "id of an edge", a["id"])
}

// id writes an id to a row.
func (x *xmlFile) id(row []schema.Cell, at int, what, id string) error {
	if id == "" {
		return x.failf("%s is missing", what)
	}
	id, err := x.keep(id)
	row[at] = schema.TextCell(id)
	return err
}

// absent returns the default of an attribute, for elements without a value. It reads to the end of
// the attribute.
func (x *xmlFile) absent(name string, kind valueKind) (absent schema.Cell, err error) {
	err = x.children(func(e xml.StartElement) error {
		if e.Name.Local != "default" {
			return x.skip()
		}
		text, _, err := x.content()
		if err != nil {
			return err
		}
		var ok bool
		if absent, ok = typed(kind, text); !ok {
			return x.failf("default of %s is %q, expected %s", name, text, kind)
		}
		return nil
	})
	return absent, err
}
