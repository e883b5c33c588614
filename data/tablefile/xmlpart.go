package tablefile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/ehgnn/ehgnn/data"
)

// xmlPart is an XML file inside a workbook.
type xmlPart struct {
	file    *file
	name    string // in the workbook
	opened  fs.File
	text    *data.Text
	decoder *xml.Decoder
	depth   int // of open elements
}

// deepest bounds how deep elements may be nested.
const deepest = 100

// newXMLPart reads an XML file of a workbook.
func newXMLPart(f *file, name string, opened fs.File) (*xmlPart, error) {
	p := &xmlPart{file: f, name: name, opened: opened}
	var err error
	if p.text, err = f.budget.NewText(opened); err != nil {
		opened.Close()
		return nil, p.failed("cannot be read", err)
	}
	p.decoder = xml.NewDecoder(p.text)
	p.decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // the text is UTF-8
	return p, nil
}

// next is the start of the next element, or the name of the one that ends; io.EOF at the end of a
// file whose elements all ended.
func (p *xmlPart) next() (start *xml.StartElement, end string, err error) {
	for {
		t, err := p.token()
		if err != nil {
			return nil, "", err
		}
		switch t := t.(type) {
		case xml.StartElement:
			return &t, "", nil
		case xml.EndElement:
			return nil, t.Name.Local, nil
		}
	}
}

// token is the next token.
func (p *xmlPart) token() (xml.Token, error) {
	t, err := p.decoder.RawToken()
	if err != nil {
		if err == io.EOF && p.depth == 0 {
			return nil, io.EOF
		}
		return nil, p.failed("cannot be read", noEnd(err))
	}
	switch t.(type) {
	case xml.StartElement:
		p.depth++
	case xml.EndElement:
		p.depth--
	}
	if p.depth < 0 || p.depth > deepest {
		return nil, p.failed("is no valid XML: its elements do not match", nil)
	}
	return t, nil
}

// noEnd is an error that is not io.EOF, which would be the end of the table.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// chars appends the text of the element that just started, without that of elements inside it. It
// reads to the end of the element.
func (p *xmlPart) chars(to []byte) ([]byte, error) {
	for level := 1; level > 0; {
		t, err := p.token()
		if err != nil {
			return nil, noEnd(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			level++
		case xml.EndElement:
			level--
		case xml.CharData:
			if level == 1 {
				to = append(to, t...)
			}
		}
	}
	return to, nil
}

// skip reads to the end of the element that just started.
func (p *xmlPart) skip() error {
	_, err := p.chars(nil)
	return err
}

// early is the error of a part that ends before its rows do.
func (p *xmlPart) early() error { return p.failed("cannot be read", io.ErrUnexpectedEOF) }

// drain reads the rest of the part, which checks its checksum. It returns io.EOF.
func (p *xmlPart) drain() error {
	p.text.Unbounded()
	if _, err := io.Copy(io.Discard, p.text); err != nil {
		return p.failed("cannot be read", err)
	}
	return io.EOF
}

func (p *xmlPart) close() { p.opened.Close() }

func (p *xmlPart) failed(msg string, err error) error {
	return p.file.failed(fmt.Sprintf("part %s of the workbook %s", p.name, msg), err)
}

// attribute is the value of an attribute, "" without it.
func attribute(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
