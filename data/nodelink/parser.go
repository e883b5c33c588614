package nodelink

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// maxDepth bounds the nesting of values, including the document itself.
const maxDepth = 64

// token returns the next token, which is valid until the following call. At the end of the text the
// error wraps io.EOF.
func (p *parser) token() (jsontext.Token, error) {
	t, err := p.dec.ReadToken()
	if err != nil {
		p.broken = true
		return t, p.unread(err)
	}
	p.src.Record(p.dec.InputOffset())
	if p.dec.StackDepth() > maxDepth {
		return t, p.failf("values are nested deeper than %d", maxDepth)
	}
	return t, nil
}

// unread returns the error if there is no token.
func (p *parser) unread(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return p.failf("the text ends within a document")
	case errors.As(err, &syntax):
		return p.failf("is not JSON: %v", syntax.Err)
	}
	return p.fail("cannot be read", err)
}

// more reports whether the current object or list has more elements.
func (p *parser) more() bool {
	k := p.dec.PeekKind()
	return k != '}' && k != ']'
}

// charge charges memory for what is kept of a document.
func (p *parser) charge(n int, what string) error {
	p.kept += int64(n)
	if err := p.budget.Charge(int64(n), what); err != nil {
		return p.fail("cannot be read", err)
	}
	return nil
}

func (p *parser) line() int { return p.src.Line(p.dec.InputOffset()) }

func (p *parser) failf(format string, args ...any) error {
	return p.fail(fmt.Sprintf(format, args...), nil)
}

func (p *parser) fail(msg string, err error) error {
	return &data.ParseError{File: p.name, Line: p.line(), Msg: place(p.number, p.part, p.item) + msg, Err: err}
}

// place says which node or edge of which document an error is in.
func place(document int, part string, item int) string {
	switch {
	case document == 0:
		return ""
	case part == "":
		return fmt.Sprintf("document %d: ", document)
	}
	return fmt.Sprintf("document %d, %s %d: ", document, part, item)
}

// found describes a token in an error.
func found(t jsontext.Token) string {
	switch t.Kind() {
	case '"':
		return schema.Shown(t.String())
	case '0':
		if data.IsJSONInfinity(t) {
			return strings.Replace(t.String(), data.JSONInfinity, "Infinity", 1)
		}
	case '{', '[', '}', ']':
		return kindFound(t.Kind())
	}
	return t.String()
}

// kindFound describes the start or the end of an object or a list in an error.
func kindFound(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "the end"
}

// members reads an object after its {. each reads the value of a member.
func (p *parser) members(each func(key string) error) error {
	for p.more() {
		t, err := p.token()
		if err != nil {
			return err
		}
		if err := each(t.String()); err != nil {
			return err
		}
	}
	_, err := p.token()
	return err
}

// open reads the start of an object or a list.
func (p *parser) open(k jsontext.Kind, what string) error {
	t, err := p.token()
	if err == nil && t.Kind() != k {
		err = p.failf("%s is %s, expected %s", what, found(t), kindFound(k))
	}
	return err
}

// elements reads a list of objects. each reads an object after its {.
func (p *parser) elements(list, what string, each func() error) error {
	if err := p.open('[', list); err != nil {
		return err
	}
	for i := 1; p.more(); i++ {
		if i == math.MaxInt32 {
			return p.failf("has %d %ss or more", i, what)
		}
		p.part, p.item = what, i
		if err := p.open('{', what); err != nil {
			return err
		}
		if err := each(); err != nil {
			return err
		}
	}
	p.part = ""
	_, err := p.token()
	return err
}

func (p *parser) truth(what string) (bool, error) {
	t, err := p.token()
	if err != nil {
		return false, err
	}
	if k := t.Kind(); k != 't' && k != 'f' {
		return false, p.failf("%s is %s, expected true or false", what, found(t))
	}
	return t.Bool(), nil
}

// id reads an id and returns its number.
func (p *parser) id(what string) (int32, error) {
	t, err := p.token()
	if err != nil {
		return 0, err
	}
	var id ID
	switch t.Kind() {
	case '"':
		id = ID{String, t.String()}
	case '0':
		if !data.IsJSONInfinity(t) {
			id = ID{Number, canonical(t.String())}
		}
	case '[':
		var b strings.Builder
		if err := p.tuple(&b, what); err != nil {
			return 0, err
		}
		id = ID{List, b.String()}
	}
	if id.Kind == Null {
		return 0, p.failf("%s is %s, expected a string, a number or a list of these", what, found(t))
	}
	return p.numberOf(id)
}

// numberOf returns the number of an id. An id that is new gets the next number.
func (p *parser) numberOf(id ID) (int32, error) {
	k, ok := p.ids[id]
	if !ok {
		if err := p.charge(idBytes+len(id.Text), "ids"); err != nil {
			return 0, err
		}
		k = int32(len(p.order))
		p.ids[id] = k
		p.order, p.node, p.mention = append(p.order, id), append(p.node, -1), append(p.mention, p.line())
	}
	return k, nil
}

// tuple writes a list, after its [, as JSON.
func (p *parser) tuple(b *strings.Builder, what string) error {
	b.WriteByte('[')
	for i := 0; p.more(); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		t, err := p.token()
		if err == nil {
			err = p.charge(attributeBytes, "ids")
		}
		if err != nil {
			return err
		}
		switch t.Kind() {
		case '"':
			quoted, err := json.Marshal(t.String())
			if err != nil {
				return err // cannot happen: a string returns no error
			}
			b.Write(quoted)
		case '0':
			if data.IsJSONInfinity(t) {
				return p.failf("%s has %s in a list, expected strings, finite numbers or lists of these", what, found(t))
			}
			b.WriteString(canonical(t.String()))
		case '[':
			if err := p.tuple(b, what); err != nil {
				return err
			}
		default:
			return p.failf("%s has %s in a list, expected strings, numbers or lists of these", what, found(t))
		}
	}
	b.WriteByte(']')
	_, err := p.token()
	return err
}

// attributes reads an object of attributes.
func (p *parser) attributes(list []Attribute, what string) ([]Attribute, error) {
	if err := p.open('{', what); err != nil {
		return nil, err
	}
	err := p.members(func(key string) (err error) {
		list, err = p.attribute(list, key)
		return err
	})
	return list, err
}

// attribute reads the value of an attribute.
func (p *parser) attribute(list []Attribute, name string) ([]Attribute, error) {
	v, err := p.value(name)
	if err != nil {
		return nil, err
	}
	n := attributeBytes + len(v.Text) // numbers of a list are charged as they are read
	known, ok := p.names[name]
	if !ok {
		known = name
		p.names[name] = name
		n += attributeBytes + len(name)
	}
	if err := p.charge(n, "attributes"); err != nil {
		return list, err
	}
	return append(list, Attribute{known, v}), nil
}

// value reads the value of a named attribute.
func (p *parser) value(name string) (v Value, err error) {
	t, err := p.token()
	if err != nil {
		return v, err
	}
	switch t.Kind() {
	case 't', 'f':
		return Value{Kind: Bool, Text: t.String()}, nil
	case '0':
		if data.IsJSONInfinity(t) {
			return v, p.failf("attribute %q is %s, expected a finite number, or null for a missing value", name, found(t))
		}
		return Value{Kind: Number, Text: t.String()}, nil
	case '"':
		return Value{Kind: String, Text: t.String()}, nil
	case '{':
		return Value{Kind: Nested}, p.skip()
	case '[':
		return p.list(name)
	}
	return Value{}, nil
}

// list reads the value of a named attribute after its [. Unlike the reader of records in package
// tablefile, it keeps numbers as numbers, for vectors, and does not refuse nested lists.
func (p *parser) list(name string) (Value, error) {
	v, items, texts := Value{Kind: List}, []string(nil), false
	for p.more() {
		t, err := p.token()
		if err != nil {
			return v, err
		}
		if err := p.charge(numberBytes, "values of lists"); err != nil {
			return v, err
		}
		x, c := math.NaN(), schema.Cell{}
		switch t.Kind() {
		case 'n':
		case '"':
			c, texts = schema.Cell{Kind: schema.Text, Text: t.String()}, true
		case '0':
			if data.IsJSONInfinity(t) {
				return v, p.failf("attribute %q has %s, expected finite numbers, or null for a missing value", name, found(t))
			}
			if x, err = strconv.ParseFloat(t.String(), 64); err != nil {
				return v, p.failf("the number %s is too large", t)
			}
			c = schema.NumberCell(x)
		case '{', '[':
			v.Kind = Nested
			if err := p.skip(); err != nil {
				return v, err
			}
		default:
			v.Kind = Nested
		}
		v.List, items = append(v.List, x), append(items, schema.ListItem(c))
	}
	_, err := p.token()
	switch {
	case v.Kind == Nested:
		return Value{Kind: Nested}, err
	case texts:
		return Value{Kind: Texts, Text: schema.ListText(items)}, err
	case v.List == nil:
		return Value{}, err // an empty list has no value
	}
	return v, err
}

// skip reads to the end of an object or list after its start.
func (p *parser) skip() error {
	for end := p.dec.StackDepth() - 1; p.dec.StackDepth() > end; {
		if _, err := p.token(); err != nil {
			return err
		}
	}
	return nil
}
