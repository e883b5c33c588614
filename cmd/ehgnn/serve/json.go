package serve

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// deepest is the largest nesting depth of values.
const deepest = 32

// scanner reads JSON (RFC 8259) value by value, without allocating memory for the values.
type scanner struct {
	text  []byte
	at    int
	depth int
	spare []byte // for strings with escapes
	steps uint   // number of items and members read
	ctx   context.Context
}

// timedOut is the problem of a request that has timed out; nil before. It checks the time only now and then.
func (s *scanner) timedOut() *Problem {
	const each = 1 << 12
	if s.steps++; s.steps%each == 0 && s.ctx != nil && s.ctx.Err() != nil {
		return late(s.ctx)
	}
	return nil
}

// kindOf names the value that starts with c.
func kindOf(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a truth value"
	case 'n':
		return "null"
	case 0:
		return "the end of the text"
	}
	return "a number"
}

// syntax is the problem of invalid JSON.
func (s *scanner) syntax(expected string) *Problem {
	found := "the end of the text"
	if s.at < len(s.text) {
		found = strconv.QuoteRune(rune(s.text[s.at]))
		if r, n := utf8.DecodeRune(s.text[s.at:]); n > 1 {
			found = strconv.QuoteRune(r)
		}
	}
	p := problemf(http.StatusBadRequest, "not JSON: found %s at byte %d, expected %s", found, s.at, expected)
	p.Found, p.Expected = found, expected
	return p
}

// nan is how Python writes a missing number; it is read as null.
const nan = "NaN"

// peek is the next byte that is not blank; for NaN it is that of null; 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		case nan[0]:
			if bytes.HasPrefix(s.text[s.at:], []byte(nan)) {
				return 'n'
			}
			return c
		default:
			return c
		}
	}
	return 0
}

// take reads c if it comes next.
func (s *scanner) take(c byte) bool {
	if s.peek() == c {
		s.at++
		return true
	}
	return false
}

// object reads an object and calls member for each of its members; member must read the value. The
// name is valid until the next string is read. The name is added to the pointer of a problem.
func (s *scanner) object(member func(name []byte) *Problem) *Problem {
	if c := s.peek(); c != '{' {
		return s.wrongKind(c, "an object")
	}
	return s.within('}', func(int) *Problem {
		if s.peek() != '"' {
			return s.syntax("the name of a member")
		}
		from := s.at
		name, p := s.str()
		if p != nil {
			return p
		}
		if !s.take(':') {
			return s.syntax("':'")
		}
		if p = member(name); p != nil {
			s.at = from
			name, _ = s.str() // it was read before
			p.in(string(name))
		}
		return p
	})
}

// list reads a list and calls item for each of its items; item must read it. The index is added to
// the pointer of a problem.
func (s *scanner) list(item func(i int) *Problem) *Problem {
	if c := s.peek(); c != '[' {
		return s.wrongKind(c, "a list")
	}
	return s.within(']', func(i int) *Problem {
		p := item(i)
		if p != nil {
			p.at(i)
		}
		return p
	})
}

// within reads the content of an object or a list, from its first byte to its end.
func (s *scanner) within(end byte, each func(i int) *Problem) *Problem {
	s.at++
	if s.depth++; s.depth > deepest {
		return wrong("more levels", "at most "+strconv.Itoa(deepest)+" levels of lists and objects")
	}
	defer func() { s.depth-- }()
	if s.take(end) {
		return nil
	}
	for i := 0; ; i++ {
		if p := s.timedOut(); p != nil {
			return p
		}
		if p := each(i); p != nil {
			return p
		}
		switch {
		case s.take(','):
		case s.take(end):
			return nil
		default:
			return s.syntax("',' or '" + string(end) + "'")
		}
	}
}

// wrongKind is the problem of a value of the wrong kind, or of invalid JSON.
func (s *scanner) wrongKind(c byte, expected string) *Problem {
	start := s.at
	if p := s.skip(); p != nil {
		return p
	}
	found := kindOf(c)
	if text := s.text[start:s.at]; len(text) <= 40 && c != '{' && c != '[' {
		found = string(text)
	}
	return wrong(found, expected)
}

// skip reads a value of any kind.
func (s *scanner) skip() *Problem {
	switch s.peek() {
	case '{':
		return s.object(func([]byte) *Problem { return s.skip() })
	case '[':
		return s.list(func(int) *Problem { return s.skip() })
	case '"':
		_, p := s.str()
		return p
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	_, p := s.number()
	return p
}

func (s *scanner) word(w string) *Problem {
	if w == "null" && s.at < len(s.text) && s.text[s.at] == nan[0] {
		w = nan
	}
	for i := range len(w) {
		if s.at >= len(s.text) || s.text[s.at] != w[i] {
			return s.syntax(w)
		}
		s.at++
	}
	return nil
}

// number reads a number and returns its text.
func (s *scanner) number() ([]byte, *Problem) {
	c := s.peek()
	start := s.at
	for _, w := range []string{"Infinity", "-Infinity"} { // as Python writes them
		if len(s.text)-s.at >= len(w) && string(s.text[s.at:s.at+len(w)]) == w {
			return nil, wrong(w, "a finite number, or null if it is missing")
		}
	}
	if c == '-' {
		s.at++
	}
	zero := s.at < len(s.text) && s.text[s.at] == '0'
	n := s.digits()
	if n == 0 || zero && n > 1 {
		return nil, s.syntax("a value")
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return nil, s.syntax("a digit")
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		s.at++
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return nil, s.syntax("a digit")
		}
	}
	return s.text[start:s.at], nil
}

func (s *scanner) digits() int {
	start := s.at
	for s.at < len(s.text) && s.text[s.at]-'0' < 10 {
		s.at++
	}
	return s.at - start
}

// str reads a string that starts here. It is valid until the next call.
func (s *scanner) str() ([]byte, *Problem) {
	s.at++
	start, ascii := s.at, true
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			raw := s.text[start:s.at]
			if !ascii && !utf8.Valid(raw) {
				return nil, problemf(http.StatusBadRequest, "not JSON: a string at byte %d is not UTF-8", start)
			}
			s.at++
			return raw, nil
		case c == '\\':
			return s.escaped(start)
		case c < ' ':
			return nil, s.syntax("an escape of a control character")
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, s.syntax("the end of a string")
}

// escaped reads a string that starts at start and has its first escape here.
func (s *scanner) escaped(start int) ([]byte, *Problem) {
	out := append(s.spare[:0], s.text[start:s.at]...)
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '"':
			s.at++
			s.spare = out
			if !utf8.Valid(out) {
				return nil, problemf(http.StatusBadRequest, "not JSON: a string at byte %d is not UTF-8", start)
			}
			return out, nil
		case c < ' ':
			return nil, s.syntax("an escape of a control character")
		case c != '\\':
			out = append(out, c)
			s.at++
			continue
		}
		s.at++
		if s.at >= len(s.text) {
			break
		}
		switch c := s.text[s.at]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := s.hex(s.at + 1)
			if r < 0 {
				return nil, s.syntax("four hexadecimal digits")
			}
			s.at += 4
			if utf16.IsSurrogate(r) {
				r2 := rune(-1)
				if s.at+2 < len(s.text) && s.text[s.at+1] == '\\' && s.text[s.at+2] == 'u' {
					r2 = s.hex(s.at + 3)
				}
				if r = utf16.DecodeRune(r, r2); r != utf8.RuneError {
					s.at += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			return nil, s.syntax("an escape")
		}
		s.at++
	}
	return nil, s.syntax("the end of a string")
}

// hex is the value of four hexadecimal digits; -1 if there are none.
func (s *scanner) hex(at int) rune {
	if at+4 > len(s.text) {
		return -1
	}
	v, err := strconv.ParseUint(string(s.text[at:at+4]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(v)
}
