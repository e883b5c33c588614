package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// ListSeparator is the Field.Separator of lists in the form of JSON, Python, NumPy and PostgreSQL: ["a", "b"], {'a',
// 'b'}, ('a',), ['a' 'b'], [1, 2] and {a,b}.
const ListSeparator = "[]"

// separators may separate the members in a cell; they are tried in this order. A comma is not one of them, because texts have commas.
var separators = []string{"|", ";", ListSeparator}

// A column has sets if at least this share of its rows, with this many different texts, have several members.
const (
	leastSetShare = 0.1
	leastSetTexts = 3
)

// IsSet reports whether a cell of the field holds several values. Each value is a separate feature, 1 if the cell has it.
func (f *Field) IsSet() bool { return f.Separator != "" }

// CodeWidths lists the codes that the field adds to features, with their numbers of values: one code for a category,
// one for each member of a set, and one that marks missing numbers if there are some.
func (f *Field) CodeWidths() []int {
	switch {
	case f.Numeric() && !f.Gaps:
		return nil
	case f.Numeric():
		return []int{1}
	case f.IsSet():
		return slices.Repeat([]int{1}, len(f.Values))
	}
	return []int{max(len(f.Values), 1)}
}

// measure sets the categories or, if the texts are sets, their members, from texts with their counts.
func (f *Field) measure(texts []string, count []int, single bool) {
	if !single {
		f.Separator, f.Values = setOf(f.notation(), texts, count)
	}
	if !f.IsSet() {
		f.Values = frequent(texts, count)
	}
	f.Width = len(f.Values)
}

func (f *Field) notation() (n Notation) {
	if f.Notation != nil {
		n = *f.Notation
	}
	return n
}

// setOf finds the separator of sets and their members in ascending order; none if the texts are categories. Sets are
// not rare, there are fewer members than texts, and most members are in several texts. Lists of numbers are sets if
// their lengths differ; others are vectors.
func setOf(n Notation, texts []string, count []int) (separator string, values []string) {
	for _, by := range separators {
		rows, severalRows, different, several := 0, 0, 0, 0
		in := map[string]int{} // different texts with the member
		fits, length, differ, numbers := true, -1, false, false
		for k, text := range texts {
			if count[k] == 0 {
				continue
			}
			parts := n.parts(text, by)
			rows, different = rows+count[k], different+1
			if len(parts) > 1 {
				severalRows, several = severalRows+count[k], several+1
			}
			for _, p := range parts {
				in[p]++
			}
			if by == ListSeparator {
				l, ok := parseList(text)
				if !ok && strings.IndexAny(text, "[({") != 0 { // one member without brackets
					l, ok = list{parts: parts}, true
				}
				if fits = ok && !l.fractions; !fits {
					break
				}
				differ = differ || length != len(l.parts) && length >= 0
				length, numbers = len(l.parts), numbers || l.numbers
			}
		}
		fits = fits && (differ || !numbers)
		repeated := 0
		for _, k := range in {
			if k > 1 {
				repeated++
			}
		}
		if fits && several >= leastSetTexts && float64(severalRows) >= leastSetShare*float64(rows) &&
			len(in) < different && len(in) < MaxValues && 2*repeated > len(in) {
			for p := range in {
				values = append(values, p)
			}
			slices.Sort(values)
			return by, values
		}
	}
	return "", nil
}

// parts returns the different members of a text, in the form in which categories are compared. Empty members are left out.
func (n Notation) parts(text, separator string) (out []string) {
	texts := []string{text}
	if separator != ListSeparator {
		texts = strings.Split(text, separator)
	} else if l, ok := parseList(text); ok {
		texts = l.parts
	}
	for _, p := range texts {
		if p = n.keyOf(TextCell(Trim(p))); p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// list is a list written as text.
type list struct {
	parts              []string // "" for a missing item
	numbers, fractions bool     // it has numbers, and numbers that are not whole
	texts              bool
}

// parseList parses a list of quoted texts and of numbers, some of which may be missing (null, None); ok is false for
// other texts. In braces, texts need no quotes.
func parseList(text string) (l list, ok bool) {
	if len(text) < 2 || !strings.Contains("[] () {}", text[:1]+text[len(text)-1:]) {
		return l, false
	}
	for rest := strings.TrimSpace(text[1 : len(text)-1]); rest != ""; {
		end := itemEnd(rest)
		if end < 0 {
			return l, false
		}
		item := rest[:end]
		switch {
		case item == "":
			return l, false
		case item[0] == '"' || item[0] == '\'':
			item, l.texts = unescaped(item[1:end-1], item[0]), true
		case IsWhole(WholeOf(item)):
			l.numbers = true
		case IsMissing(item):
			item = ""
		case isNumber(item):
			l.numbers, l.fractions = true, true
		case text[0] == '{' && !strings.ContainsAny(item, `:="'{}[]()`):
			l.texts = true
		default:
			return l, false
		}
		l.parts = append(l.parts, item)
		if end < len(rest) && strings.IndexByte(itemEnds, rest[end]) < 0 {
			return l, false
		}
		rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest[end:]), ","))
	}
	return l, true
}

// isNumber reports whether an item of a list is a number in the form of programs, or infinite.
func isNumber(item string) bool {
	_, err := strconv.ParseFloat(item, 64)
	return (err == nil || errors.Is(err, strconv.ErrRange)) && !strings.ContainsAny(item, "xX_")
}

// NumberList returns the items of a cell that is a list of numbers, some of which may be missing; ok is false for other
// cells. Numbers that all have a decimal point or an exponent need no brackets: 52.1,4.3 and 0.1 -0.2 0.3.
func NumberList(c Cell) (items []Cell, ok bool) {
	if c.Kind != Text {
		return nil, false
	}
	text := Trim(c.Text)
	l, ok := parseList(text)
	if !ok && text != "" && text[len(text)-1] <= '9' {
		l.parts = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;|", r) })
		ok = len(l.parts) > 1 && !slices.ContainsFunc(l.parts, func(p string) bool { return !isNumber(p) || !strings.ContainsAny(p, ".eE") })
	}
	if !ok || l.texts {
		return nil, false
	}
	return lists.Map(l.parts, func(item string) Cell {
		if number, err := ParseNumber(item); err == nil {
			return number
		}
		return TextCell(item) // missing, or infinite, which the column rejects
	}), true
}

// VectorWidths returns the columns of lists of numbers whose positions are the fields NAME_0, NAME_1 and so on, by
// FoldName, with their numbers of positions.
func VectorWidths(fields []Field) map[string]int {
	names, widths := map[string]bool{}, map[string]int{}
	for _, f := range fields {
		names[FoldName(f.Name)] = f.Numeric()
	}
	for name := range names {
		list, first := strings.CutSuffix(name, "_0")
		for _, is := names[list]; first && !is && names[list+"_"+strconv.Itoa(widths[list])]; {
			widths[list]++
		}
	}
	return widths
}

// itemEnds are the characters after an item of a list.
const itemEnds = ", \t\r\n"

// itemEnd is the end of the first item of a list; -1 if it has none.
func itemEnd(rest string) int {
	quote := rest[0]
	if quote != '"' && quote != '\'' {
		if end := strings.IndexAny(rest, itemEnds); end >= 0 {
			return end
		}
		return len(rest)
	}
	for end := 1; end < len(rest); end++ {
		switch rest[end] {
		case '\\':
			end++
		case quote:
			return end + 1
		}
	}
	return -1
}

// unescaped is the text between quotes.
func unescaped(text string, quote byte) string {
	var out []byte
	for text != "" {
		if strings.HasPrefix(text, `\/`) { // JSON has this escape, Go does not
			text = text[1:]
		}
		if text[0] != '\\' {
			out, text = append(out, text[0]), text[1:]
			continue
		}
		c, _, rest, err := strconv.UnquoteChar(text, quote)
		if err != nil {
			return string(out) + text
		}
		out, text = append(out, string(c)...), rest
	}
	return string(out)
}

// Joined is the text of a set of members.
func Joined(parts []string, separator string) string {
	if separator != ListSeparator {
		return strings.Join(parts, separator)
	}
	return ListText(lists.Map(parts, func(p string) string { return ListItem(TextCell(p)) }))
}

// ListNames returns the names of the fields that are sets of lists.
func ListNames(fields []Field) (names []string) {
	for _, f := range fields {
		if f.Separator == ListSeparator {
			names = append(names, f.Name)
		}
	}
	return names
}

// ListText is a list of items (ListItem) as the text of a set: ["a",1,null].
func ListText(items []string) string { return "[" + strings.Join(items, ",") + "]" }

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// ListItem is a cell in a list as text: texts and times in quotes, null if it is missing.
func ListItem(c Cell) string {
	switch c.Kind {
	case Missing:
		return "null"
	case Number:
		return strconv.FormatFloat(c.Number, 'g', -1, 64)
	case Text, Time:
		return `"` + escaped.Replace(c.String()) + `"`
	}
	return c.String()
}

// Codes appends the codes of a cell to those of a row: -1 for missing values and values not in Field.Values. unseen is
// the category, or the first member of a set, that is not there; empty for none.
func (r *FieldReader) Codes(to []int32, c Cell) (out []int32, unseen string, err error) {
	if r.separator == "" {
		k, err := r.Code(c)
		if k == Unseen {
			k, unseen = -1, r.Key(c)
		}
		return append(to, k), unseen, err
	}
	at := len(to)
	for range r.values {
		to = append(to, -1)
	}
	c = trimmed(c)
	if r.Missing(c) {
		return to, "", nil
	}
	for _, p := range r.n.parts(c.String(), r.separator) {
		if k, ok := r.code[p]; ok {
			to[at+int(k)] = 0
		} else if unseen == "" {
			unseen = strings.Clone(p)
		}
	}
	return to, unseen, checkWord(c)
}
