package tablefile

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// entities are the entities that every XML file has.
var entities = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// plainText replaces entities and line ends in the text from an index on, in place: no replacement
// is longer. It reports whether the text is valid in XML.
func plainText(text []byte, from int) ([]byte, bool) {
	rest, plain := text[from:], true
	for _, c := range rest {
		if c < ' ' && c != '\t' && c != '\n' || c == '&' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return text, true
	}
	to := text[:from]
	for {
		i := bytes.IndexAny(rest, "&\r")
		if i < 0 {
			break
		}
		to = append(to, rest[:i]...)
		if rest[i] == '\r' {
			to, rest = append(to, '\n'), bytes.TrimPrefix(rest[i+1:], []byte("\n"))
			continue
		}
		name, after, ok := bytes.Cut(rest[i+1:], []byte(";"))
		r := entity(string(name))
		if !ok || r == 0 {
			return to, false
		}
		to, rest = utf8.AppendRune(to, r), after
	}
	to = append(to, rest...)
	return to, utf8.Valid(to[from:]) && !bytes.ContainsFunc(to[from:], illegal)
}

// illegal reports whether a character is invalid in XML.
func illegal(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}

// entity is the character of an entity, 0 for none.
func entity(name string) rune {
	if r, ok := entities[name]; ok {
		return r
	}
	if len(name) < 2 || name[0] != '#' {
		return 0
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return 0
	}
	return rune(n)
}
