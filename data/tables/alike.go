package tables

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ehgnn/ehgnn/data/schema"
)

// mostAlike is how many nodes are compared at most.
const mostAlike = 1 << 18

// noNames are ids that often stand for a node that is not known, beside those of schema.IsMissing.
var noNames = []string{"-1", "-", "?", "unknown", "Unknown", "UNKNOWN"}

// noteAlike says where ids of different nodes, or classes, differ in nothing but capital letters or leading zeros, as they do
// where two programs wrote them.
func (l *loader) noteAlike() {
	s := l.set
	if c := s.Label; c != nil && s.Options.known == nil {
		if alike, a, b := alikeTexts(c.Text); alike > 0 {
			l.note("the label has classes that differ in capital letters or leading zeros alone, as %q and %q: if these are one class, write it in one way", a, b)
		}
	}
	if l.graphs == nil {
		s.noteForms()
	}
	if s.Options.known != nil {
		return
	}
	for _, id := range s.NodeIDs {
		if schema.IsMissing(id) || slices.Contains(noNames, id) {
			l.note("a node is called %q, as missing values are: if it stands for one, leave out the rows that have it", id)
		}
	}
	if s.Options.WholeIDs || len(s.NodeIDs) > mostAlike {
		return
	}
	if alike, a, b := alikeTexts(s.NodeIDs); alike > 0 {
		l.note("%d of %d nodes have an id that is another one's but for capital letters or leading zeros, as %q and %q: if these are one node, write its id in one way", alike, len(s.NodeIDs), a, b)
	}
}

// alikeTexts counts the texts that differ from an earlier one in capital letters or leading zeros alone; a and b are the first such two.
func alikeTexts(texts []string) (alike int, a, b string) {
	first := make(map[string]int, len(texts))
	for v, text := range texts {
		key := strings.ToLower(text)
		if digits := strings.TrimLeft(text, "0"); schema.IsWhole(digits) {
			key = digits
		}
		k, ok := first[key]
		if !ok {
			first[key] = v
			continue
		}
		if alike++; alike == 1 {
			a, b = texts[k], text
		}
	}
	return alike, a, b
}

// noteForms says where ids of different nodes look alike, as Unicode writes one text in several ways.
func (s *Set) noteForms() {
	of := map[string]string{} // an id that is no ASCII, by its plain form
	n, a, b := 0, "", ""
	alike := func(form, id string) bool {
		first, ok := of[form]
		if ok {
			if n++; n == 1 {
				a, b = first, id
			}
		}
		return ok
	}
	for _, id := range s.NodeIDs {
		if form := id; !isASCII(id) {
			if form = plainForm(id); !alike(form, id) {
				of[form] = id
			}
		}
	}
	for _, id := range s.NodeIDs {
		if len(of) == 0 {
			return
		}
		if isASCII(id) {
			alike(id, id)
		}
	}
	if n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d of %d nodes have an id that looks as another one's, as %+q and %+q, which Unicode writes in different ways: if these are one node, write its id in one way", n, len(s.NodeIDs), a, b))
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plainForm is a text with letters and their accents as one character, digits and letters of one width, with blanks for other spaces and without characters that are not seen.
func plainForm(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, norm.NFKC.String(text)))
}
