package tables

import (
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// mostAlike is how many nodes are compared at most.
const mostAlike = 1 << 18

// noteAlike says where ids of different nodes, or classes, differ in nothing but capital letters or leading zeros, as they do
// where two programs wrote them.
func (l *loader) noteAlike() {
	s := l.set
	if c := s.Label; c != nil && s.Options.known == nil {
		if alike, a, b := alikeTexts(c.Text); alike > 0 {
			l.note("the label has classes that differ in capital letters or leading zeros alone, as %q and %q: if these are one class, write it in one way", a, b)
		}
	}
	if s.Options.known != nil || s.Options.WholeIDs || len(s.NodeIDs) > mostAlike {
		return
	}
	for _, id := range s.NodeIDs {
		if schema.IsMissing(id) {
			l.note("a node is called %q, as missing values are: if it stands for one, leave out the rows that have it", id)
		}
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
