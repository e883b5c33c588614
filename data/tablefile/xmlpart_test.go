package tablefile

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

// partOf returns a part of a workbook with a text.
func partOf(t testing.TB, text string) *xmlPart {
	t.Helper()
	f := &file{name: "t.xlsx", budget: data.NewBudget(64 << 20)}
	in, err := f.budget.NewText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return &xmlPart{file: f, name: "p.xml", text: in, in: bufio.NewReaderSize(in, longestMarkup)}
}

// events returns the tags of a part and the texts between them.
func (p *xmlPart) events() (string, error) {
	var out strings.Builder
	for {
		t, text, err := p.read(nil)
		if text = []byte(strings.TrimSpace(string(text))); len(text) > 0 {
			fmt.Fprintf(&out, "%q", text)
		}
		if errors.Is(err, io.EOF) && len(p.starts) == 0 {
			return out.String(), nil
		}
		if err != nil {
			return out.String(), err
		}
		if t.end {
			fmt.Fprintf(&out, "</%s>", t.name)
			continue
		}
		fmt.Fprintf(&out, "<%s", t.name)
		for _, a := range t.attributes {
			fmt.Fprintf(&out, " %s:%s=%q", a.space, a.name, a.value)
		}
		out.WriteString(">")
	}
}

// eventsOfXML returns the same as events, computed with encoding/xml.
func eventsOfXML(text string) (string, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	var out strings.Builder
	var chars []byte
	depth := 0
	flush := func() {
		if s := strings.TrimSpace(string(chars)); s != "" {
			fmt.Fprintf(&out, "%q", s)
		}
		chars = nil
	}
	for {
		t, err := d.RawToken()
		switch t := t.(type) {
		case xml.CharData:
			chars = append(chars, t...)
		case xml.StartElement:
			flush()
			depth++
			fmt.Fprintf(&out, "<%s", t.Name.Local)
			for _, a := range t.Attr {
				fmt.Fprintf(&out, " %s:%s=%q", a.Name.Space, a.Name.Local, a.Value)
			}
			out.WriteString(">")
		case xml.EndElement:
			flush()
			depth--
			fmt.Fprintf(&out, "</%s>", t.Name.Local)
		case xml.Directive:
			return "", errors.New("a directive")
		}
		if err == io.EOF && depth == 0 && len(strings.TrimSpace(string(chars))) == 0 {
			return out.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// xmlTexts are XML files as programs that write workbooks may write them.
var xmlTexts = []string{
	`<?xml version="1.0" encoding="UTF-8"?><a><b c="1"/><d>x</d></a>`,
	`<a x="1>2" y='"'><!-- <b> > -->t</a>`,
	"<a>\n <b>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;</b>\r\n</a>\n",
	`<a>1<![CDATA[<b>&amp;]]>2</a>`,
	`<s:a xmlns:s="u" s:b="&#10;c"><s:d /></s:a>`,
	"<a b = 'c'\n\td=\"e\" ></a >",
	"<x:a :b='c' d:='e'><:s></:s></x:a>",
	"<a>one\rtwo\r\nthree Zürich \U0001f600</a>",
}

// TestXML compares the tags and texts of XML files with those of encoding/xml.
func TestXML(t *testing.T) {
	for _, text := range xmlTexts {
		want, err := eventsOfXML(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := partOf(t, text).events(); err != nil || got != want {
			t.Errorf("%s: %s, error %v, want %s", text, got, err, want)
		}
	}
}

// TestXMLErrors reads texts that are not XML.
func TestXMLErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"<a>", "unexpected EOF"},
		{"<a", "unexpected EOF"},
		{"<a><!-- x", "unexpected EOF"},
		{"x", "unexpected EOF"},
		{"</a>", "its elements do not match"},
		{"<a></b>", "its elements do not match"},
		{"<x:a></a>", "its elements do not match"},
		{strings.Repeat("<a>", deepest+1), "its elements do not match"},
		{"<>", "a tag or one of its attributes is damaged"},
		{"<a b>", "a tag or one of its attributes is damaged"},
		{"<a b=1>", "a tag or one of its attributes is damaged"},
		{`<a b="&x;">`, "a tag or one of its attributes is damaged"},
		{"<a>&nbsp;</a>", "a character or an entity"},
		{"<a>&lt</a>", "a character or an entity"},
		{"<a>&#0;</a>", "a character or an entity"},
		{"<a>&#4294967361;</a>", "a character or an entity"},
		{"<a>\x01</a>", "a character or an entity"},
		{"<a>&#1;</a>", "a character or an entity"},
		{`<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, "declares a type of document"},
		{`<a b="` + strings.Repeat(">", longestMarkup) + `"/>`, "has a tag or a comment of more than 65536 bytes"},
	} {
		_, err := partOf(t, c.text).events()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "t.xlsx: part p.xml") {
			t.Errorf("%.40s: error %v, want %q", c.text, err, c.want)
		}
	}
}

// FuzzXML: if encoding/xml can also read a text, both read the same.
func FuzzXML(f *testing.F) {
	for _, text := range xmlTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := eventsOfXML(text)
		if err != nil || strings.HasPrefix(text, "\xef\xbb\xbf") {
			return
		}
		if got, err := partOf(t, text).events(); err == nil && got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	})
}
