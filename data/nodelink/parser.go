package nodelink

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// maxDepth bounds how deep values are nested, those of a document itself included.
const maxDepth = 64

// token is the next token; at the end of the text the error wraps io.EOF.
func (p *parser) token() (json.Token, error) {
	t, err := p.dec.Token()
	p.broken = p.broken || err != nil
	switch {
	case err == nil:
	case errors.Is(err, io.EOF) && p.depth == 0:
		return nil, io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, p.failf("the text ends inside of a document")
	default:
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, p.failf("is not JSON: %v", err)
		}
		return nil, p.fail("cannot be read", err)
	}
	p.src.text.Record(int(p.src.offset - p.dec.InputOffset()))
	switch t {
	case json.Delim('{'), json.Delim('['):
		if p.depth++; p.depth > maxDepth {
			return nil, p.failf("values are nested deeper than %d", maxDepth)
		}
	case json.Delim('}'), json.Delim(']'):
		p.depth--
	}
	return t, nil
}

// charge takes memory for what is kept of a document.
func (p *parser) charge(n int, what string) error {
	p.kept += int64(n)
	if err := p.budget.Charge(int64(n), what); err != nil {
		return p.fail("cannot be read", err)
	}
	return nil
}

func (p *parser) line() int { return p.src.at(p.dec.InputOffset()) }

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

// found is a token as an error names it.
func found(t json.Token) string {
	switch t := t.(type) {
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "a list", '}': "the end", ']': "the end"}[t]
	case json.Number:
		if isInfinite(t) {
			return strings.Replace(t.String(), infinite, "Infinity", 1)
		}
		return t.String()
	case string:
		return Value{Kind: String, Text: t}.shown()
	case nil:
		return "null"
	}
	return fmt.Sprint(t)
}

// isInfinite reports whether a number stands for Infinity or -Infinity.
func isInfinite(n json.Number) bool { return strings.TrimPrefix(n.String(), "-") == infinite }

// members reads an object whose { was read; each reads the value of a member.
func (p *parser) members(each func(key string) error) error {
	for p.dec.More() {
		t, err := p.token()
		if err != nil {
			return err
		}
		key, ok := t.(string)
		if !ok {
			return p.failf("is not JSON: expected the name of a member, found %s", found(t))
		}
		if err := each(key); err != nil {
			return err
		}
	}
	_, err := p.token()
	return err
}

// open reads the start of an object or a list.
func (p *parser) open(d json.Delim, what string) error {
	t, err := p.token()
	if err == nil && t != d {
		err = p.failf("%s is %s, expected %s", what, found(t), found(d))
	}
	return err
}

// elements reads a list of objects; each reads one whose { was read.
func (p *parser) elements(list, what string, each func() error) error {
	if err := p.open('[', list); err != nil {
		return err
	}
	for i := 1; p.dec.More(); i++ {
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
	b, ok := t.(bool)
	if !ok {
		return false, p.failf("%s is %s, expected true or false", what, found(t))
	}
	return b, nil
}

// id reads an id and returns its number.
func (p *parser) id(what string) (int32, error) {
	t, err := p.token()
	if err != nil {
		return 0, err
	}
	var id ID
	switch t := t.(type) {
	case string:
		id = ID{String, t}
	case json.Number:
		if !isInfinite(t) {
			id = ID{Number, canonical(t)}
		}
	case json.Delim:
		if t == '[' {
			var b strings.Builder
			if err := p.tuple(&b, what); err != nil {
				return 0, err
			}
			id = ID{List, b.String()}
		}
	}
	if id.Kind == Null {
		return 0, p.failf("%s is %s, expected a string, a number or a list of these", what, found(t))
	}
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

// tuple writes a list whose [ was read as JSON.
func (p *parser) tuple(b *strings.Builder, what string) error {
	b.WriteByte('[')
	for i := 0; p.dec.More(); i++ {
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
		switch t := t.(type) {
		case string:
			quoted, err := json.Marshal(t)
			if err != nil {
				return err // which a string does not give
			}
			b.Write(quoted)
		case json.Number:
			if isInfinite(t) {
				return p.failf("%s has %s in a list, expected strings, finite numbers or lists of these", what, found(t))
			}
			b.WriteString(canonical(t))
		default:
			if t != json.Delim('[') {
				return p.failf("%s has %s in a list, expected strings, numbers or lists of these", what, found(t))
			}
			if err := p.tuple(b, what); err != nil {
				return err
			}
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
	known, ok := p.names[name]
	n := attributeBytes + len(v.Text) // numbers of a list are charged as they are read
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
	switch t := t.(type) {
	case bool:
		return Value{Kind: Bool, Text: fmt.Sprint(t)}, nil
	case json.Number:
		if isInfinite(t) {
			return v, p.failf("attribute %q is %s, expected a finite number, or null where it is missing", name, found(t))
		}
		return Value{Kind: Number, Text: t.String()}, nil
	case string:
		return Value{Kind: String, Text: t}, nil
	case json.Delim:
		if t == '{' {
			return Value{Kind: Nested}, p.skip()
		}
		return p.list(name)
	}
	return Value{}, nil
}

// list reads the value of a named attribute whose [ was read.
func (p *parser) list(name string) (Value, error) {
	v := Value{Kind: List}
	for p.dec.More() {
		t, err := p.token()
		if err != nil {
			return v, err
		}
		if err := p.charge(numberBytes, "numbers of lists"); err != nil {
			return v, err
		}
		x := math.NaN()
		switch t := t.(type) {
		case nil:
		case json.Number:
			if isInfinite(t) {
				return v, p.failf("attribute %q has %s, expected finite numbers, or null where one is missing", name, found(t))
			}
			if x, err = t.Float64(); err != nil {
				return v, p.failf("%s is too large a number", t)
			}
		default:
			v = Value{Kind: Nested}
			if _, opens := t.(json.Delim); opens {
				if err := p.skip(); err != nil {
					return v, err
				}
			}
		}
		if v.Kind == List {
			v.List = append(v.List, x)
		}
	}
	_, err := p.token()
	if v.Kind == List && v.List == nil {
		v = Value{} // an empty list says nothing
	}
	return v, err
}

// skip reads to the end of the object or list whose start was read.
func (p *parser) skip() error {
	for end := p.depth - 1; p.depth > end; {
		if _, err := p.token(); err != nil {
			return err
		}
	}
	return nil
}
