package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// partNamed is the part that a word names, as in PartOf; -1 for none.
func partNamed(word string) int8 {
	return int8(slices.Index([]string{Train, Valid, Test}, tablefile.PartNamed(word)))
}

// PartOf is the part that a value of a part column names: 0 Train, 1 Valid, 2 Test, -1 if it is
// missing. The error describes the problem with the value, without file, line and column.
func PartOf(text string) (int8, error) {
	text = strings.TrimSpace(text)
	if schema.IsMissing(text) {
		return -1, nil
	}
	if p := partNamed(text); p >= 0 {
		return p, nil
	}
	// A program that writes missing values may write 0 as 0.0.
	if v, err := strconv.ParseFloat(text, 64); err == nil && (v == 0 || v == 1 || v == 2) {
		return int8(v), nil
	}
	return -1, fmt.Errorf("is %s, expected %s, %s (or validation, val, dev) or %s, or 0, 1 or 2", strconv.Quote(text), Train, Valid, Test)
}

// noteParts notes a feature of edges that names parts of a split.
func (l *loader) noteParts() {
	s := l.set
	if s.Part != nil {
		return
	}
	for _, c := range s.EdgeColumns {
		has := map[int8]bool{}
		others := slices.ContainsFunc(c.Text, func(text string) bool {
			p := partNamed(text)
			has[p] = true
			return p < 0
		})
		if !others && has[0] && len(has) > 1 {
			l.note("column %q names parts of a split and is a feature like others; %s trains, validates and tests on these parts", c.Name, schema.Flag("part", c.Name))
		}
	}
}

// byColumn puts each edge into the part that its row names. Parts other than training may be empty.
func (s *Set) byColumn() (parts [3][]int, err error) {
	for e, p := range s.Part {
		if p < 0 {
			return parts, fmt.Errorf("tables: %s: %s has no part in column %q, which split %s needs", s.Name, s.rowName(int32(e)), s.Options.Part, ByColumn)
		}
		parts[p] = append(parts[p], e)
	}
	if len(parts[0]) == 0 {
		return parts, fmt.Errorf("tables: %s: no edge has part %s in column %q", s.Name, Train, s.Options.Part)
	}
	return parts, nil
}
