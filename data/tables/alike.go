package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// mostAlike is how many nodes are compared, at most.
const mostAlike = 1 << 18

// noNames are ids that often mean an unknown node, in addition to those of schema.IsMissing.
var noNames = []string{"-1", "-", "?", "unknown", "Unknown", "UNKNOWN"}

// totals are ids of rows with totals, in lower case.
var totals = []string{"total", "totals", "grand total", "subtotal", "sum", "gesamt", "summe"}

// noteAlike notes that ids of different nodes, or classes, differ only in what alikeBut lists, as if two
// programs had written them.
func (l *loader) noteAlike() {
	s := l.set
	if c := s.Label; c != nil && s.Options.known == nil {
		if alike, a, b := alikeTexts(c.Text); alike > 0 {
			l.note("the label has classes that differ only in %s, such as %q and %q: if these are one class, write it in one way", alikeBut, a, b)
		}
		if k := slices.IndexFunc(c.Text, func(text string) bool { return text != "-1" && slices.Contains(noNames, text) }); k >= 0 {
			l.note("the label has the class %q, a word for missing values: if it is one, %s reads rows with it as not labelled", c.Text[k], schema.Flag("missing", c.Text[k]))
		}
		if remark := classRemark(c); remark != "" {
			l.note("the label %s", remark)
		}
		if n, a, b := otherForms(c.Text); n > 0 {
			l.note("the label has classes that look the same, such as %+q and %+q, which Unicode or a wrong encoding writes in different ways: if these are one class, write it in one way", a, b)
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
			l.note("a node has the id %q, a word for missing values: if it is one, leave out the rows that have it", id)
		} else if slices.Contains(totals, strings.ToLower(id)) {
			l.note("a node has the id %q, like rows of totals: if it is not a node, leave out the rows that have it", id)
		}
	}
	if s.Options.WholeIDs || len(s.NodeIDs) > mostAlike {
		return
	}
	if of := lists.Filter(s.NodeIDs, hasFraction); 2*len(of) > len(s.NodeIDs) {
		l.note("%d of %d nodes have a number with a fraction as id, such as %s: if the ends of edges are other columns, --source and --target name them", len(of), len(s.NodeIDs), of[0])
	}
	if alike, a, b := alikeTexts(s.NodeIDs); alike > 0 {
		l.note("%d of %d nodes have an id that differs from another id only in %s, such as %q and %q: if these are one node, write its id in one way", alike, len(s.NodeIDs), alikeBut, a, b)
	}
	if n, a := listsOf(s.NodeIDs); n > 0 {
		l.note("%d of %d nodes have an id that lists several, such as %q, and are one node each: if the members are nodes, write a row for each of them (pandas: DataFrame.explode)", n, len(s.NodeIDs), a)
	}
}

// classRemark is the remark on classes one of which may mean a missing value, such as -1 or 999 among 0 and 1, or
// classes that are lists of several values.
func classRemark(c *Column) string {
	if c.Numeric() {
		return ""
	}
	if separator, _, _ := c.Set(c.AllCounts()); separator != "" {
		return fmt.Sprintf("has several values in a cell, in the form of %q: each combination is a class of its own", separator)
	}
	has := func(class string) bool { return slices.Contains(c.Text, class) }
	if has("-1") && has("0") && has("1") && !has("-2") {
		return "has the class -1 in addition to 0 and 1: if it is a missing value, --missing -1 reads rows with it as not labelled"
	}
	numbers, _, err := c.Again(schema.BuilderOptions{Want: schema.NumberOnly})
	if err != nil || numbers == nil {
		return ""
	}
	return numbers.Remark()
}

// listsOf counts ids that are lists, such as the recipients of messages: most of their members are other ids or, for
// separators other than commas (which names may have), members of other lists. a is the first such id.
func listsOf(ids []string) (n int, a string) {
	for _, separator := range []string{";", "|", ","} {
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(id, separator) }) {
			continue
		}
		times, whole := map[string]int{}, map[string]bool{}
		var of [][]string
		for _, id := range ids {
			members := strings.Split(id, separator)
			for i, m := range members {
				members[i] = strings.TrimSpace(m)
				times[members[i]]++
			}
			if len(members) == 1 {
				whole[id] = true
				continue
			}
			of = append(of, members)
		}
		for _, members := range of {
			known := lists.Filter(members, func(m string) bool { return m != "" && (whole[m] || separator != "," && times[m] > 1) })
			if 2*len(known) <= len(members) {
				continue
			}
			if n++; n == 1 {
				a = strings.Join(members, separator+" ")
			}
		}
		if n > 0 {
			return n, a
		}
	}
	return 0, ""
}

// hasFraction reports whether a text is a number that is not whole.
func hasFraction(text string) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsNaN(v) && v != math.Trunc(v)
}

// alikeBut describes the differences that alikeTexts ignores.
const alikeBut = "capital letters, leading zeros, blanks or an apostrophe in front"

// alikeTexts counts the texts that differ from an earlier text only in what alikeBut lists; a and b are the first such pair.
func alikeTexts(texts []string) (alike int, a, b string) {
	first := make(map[string]int, len(texts))
	for v, text := range texts {
		key := alikeKey(text)
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

// alikeKey is a text without what alikeBut lists.
func alikeKey(text string) string {
	key := strings.TrimPrefix(strings.ToLower(text), "'")
	if strings.Contains(key, "  ") {
		key = strings.Join(strings.Fields(key), " ")
	}
	if digits := strings.TrimLeft(key, "0"); schema.IsWhole(digits) {
		return digits
	}
	return key
}

// noteForms notes that ids of different nodes look the same: Unicode and wrong encodings write one text in several ways.
func (s *Set) noteForms() {
	if n, a, b := otherForms(s.NodeIDs); n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d of %d nodes have an id that looks like another id, such as %+q and %+q, which Unicode or a wrong encoding writes in different ways: if these are one node, write its id in one way", n, len(s.NodeIDs), a, b))
	}
}

// otherForms counts the texts that look like another text, written in another form of Unicode or in a wrong encoding; a
// and b are the first such pair.
func otherForms(texts []string) (n int, a, b string) {
	of := map[string]string{} // a text that is not ASCII, by its plain form
	alike := func(form, text string) bool {
		first, ok := of[form]
		if ok {
			if n++; n == 1 {
				a, b = first, text
			}
		}
		return ok
	}
	for _, text := range texts {
		if isASCII(text) {
			continue
		}
		if form := plainForm(text); !alike(form, text) {
			of[form] = text
		}
	}
	for _, text := range texts {
		if len(of) > 0 && isASCII(text) {
			alike(text, text)
		}
	}
	return n, a, b
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// decoded reverses a wrong conversion of UTF-8 from Windows-1252: é for Ã©.
func decoded(text string) string {
	if bytes, err := charmap.Windows1252.NewEncoder().String(text); err == nil && utf8.ValidString(bytes) {
		return bytes
	}
	return text
}

// plainForm is a text in its correct encoding, with composed accents, with digits and letters of normal width, with
// blanks for other spaces, and without invisible characters.
func plainForm(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, norm.NFKC.String(decoded(text))))
}
