package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// ListSeparator stands in Field.Separator for lists as JSON, Python, NumPy and PostgreSQL write them: ["a", "b"], {'a', 'b'}, ('a',),
// ['a' 'b'], [1, 2] and {a,b}.
const ListSeparator = "[]"

// separators are those by which cells may be divided, in the order in which they are tried. A comma is none: texts have commas.
var separators = []string{"|", ";", ListSeparator}

// A column is one of sets from such a share of its rows with several parts on, in so many different texts.
const (
	leastSetShare = 0.1
	leastSetTexts = 3
)

// IsSet reports whether a cell of the field holds several values. Each of them is a feature of its own, 1 where the cell has it.
func (f *Field) IsSet() bool { return f.Separator != "" }

// CodeWidths are the codes that the field adds to features, each with the number of its values: one code for a category, one for
// each part of a set, one that marks missing numbers where there are some.
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

// measure takes the categories or, where the texts are sets, their parts, from texts with their counts.
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

// setOf finds the separator by which texts are sets of parts, and the parts in rising order; none where the texts are
// categories. Sets are not rare, have fewer parts than there are texts, and most parts are in several texts. Lists of numbers are
// sets where their lengths differ; others are vectors.
func setOf(n Notation, texts []string, count []int) (separator string, values []string) {
	for _, by := range separators {
		rows, severalRows, different, several := 0, 0, 0, 0
		in := map[string]int{} // different texts with the part
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

// parts are the different parts of a text, compared as categories are. Empty ones are none.
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

// list is a list that is written as text.
type list struct {
	parts              []string // "" for one that is missing
	numbers, fractions bool     // it has numbers, and such that are not whole
	texts              bool
}

// parseList reads a list of texts in quotes and of numbers, some of which may be missing, as null and None; ok is false for
// other texts. In braces texts may stand without quotes.
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

// isNumber reports whether an item of a list is a number as programs write it, or one beyond all.
func isNumber(item string) bool {
	_, err := strconv.ParseFloat(item, 64)
	return (err == nil || errors.Is(err, strconv.ErrRange)) && !strings.ContainsAny(item, "xX_")
}

// NumberList are the items of a cell that is a list of numbers, some of which may be missing; ok is false for other cells. Numbers
// that all have a decimal point or an exponent may stand without brackets, as 52.1,4.3 and 0.1 -0.2 0.3.
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
		return TextCell(item) // missing, or a number beyond all, which the column refuses
	}), true
}

// VectorWidths are the columns of lists of numbers whose positions are fields, NAME_0, NAME_1 and so on, by FoldName, with how
// many positions these have.
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

// itemEnds stand behind the items of a list.
const itemEnds = ", \t\r\n"

// itemEnd is where the first item of a list ends; -1 where it does not.
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

// Joined is the text of a set of parts.
func Joined(parts []string, separator string) string {
	if separator != ListSeparator {
		return strings.Join(parts, separator)
	}
	return ListText(lists.Map(parts, func(p string) string { return ListItem(TextCell(p)) }))
}

// ListNames are the names of the fields that are sets of lists.
func ListNames(fields []Field) (names []string) {
	for _, f := range fields {
		if f.Separator == ListSeparator {
			names = append(names, f.Name)
		}
	}
	return names
}

// ListText is a list of items (ListItem) as text, as sets are read: ["a",1,null].
func ListText(items []string) string { return "[" + strings.Join(items, ",") + "]" }

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// ListItem is a cell in a list as text: texts and times in quotes, null where it is missing.
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

// Codes appends the codes of a cell to those of a row: -1 for what is missing or not in Field.Values. Unseen is the category, or
// the first part of a set, that is not there; empty for none.
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
