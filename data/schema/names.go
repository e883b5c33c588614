package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FoldName is the name of a column as names are compared, without case: equal for those that
// strings.EqualFold takes for equal.
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
