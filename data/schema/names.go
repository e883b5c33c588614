package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FoldName is the form of a column name in which names are compared, ignoring case: names are equal
// if strings.EqualFold says so.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && r != 'k' && r != 's' && r != 'K' && r != 'S' {
			return unicode.ToLower(r)
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// appendFold appends FoldName of a name. It allocates only for names that are not ASCII.
func appendFold(to, name []byte) []byte {
	for _, c := range name {
		if c >= utf8.RuneSelf {
			return append(to, FoldName(string(name))...)
		}
	}
	for _, c := range name {
		switch {
		case c == 'k' || c == 's':
			c -= 'a' - 'A'
		case 'A' <= c && c <= 'Z' && c != 'K' && c != 'S':
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

// Names finds training columns by their names in new data: the same name, or else a name that
// differs only in case.
type Names struct{ equal, folded map[string]int }

// NewNames numbers names in order. Of names that differ only in case the first is found.
func NewNames(names []string) *Names {
	n := &Names{equal: make(map[string]int, len(names)), folded: make(map[string]int, len(names))}
	for i, name := range names {
		fold := FoldName(name)
		if _, ok := n.folded[fold]; !ok {
			n.folded[fold] = i
		}
		n.equal[name] = i
	}
	return n
}

// Find returns the number of a name, or -1, and whether it is exactly equal.
func (n *Names) Find(name []byte) (at int, equal bool) {
	if k, ok := n.equal[string(name)]; ok {
		return k, true
	}
	var room [64]byte
	if k, ok := n.folded[string(appendFold(room[:0], name))]; ok {
		return k, false
	}
	return -1, false
}

// ReadAs is the remark on a column of new data whose name differs from a training column only in case.
func ReadAs(name, trained string) string {
	return fmt.Sprintf("column %q is read as %q of the training", name, trained)
}

// Flag is a command line flag with the name of a column, quoted for a shell.
func Flag(flag, column string) string {
	if strings.ContainsFunc(column, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:'\"$`\\&|<>()*?!#", r) }) {
		column = strconv.Quote(column)
	}
	return "--" + flag + " " + column
}
