package schema

import (
	"slices"
	"strconv"
	"strings"
)

// ListSeparator stands in Field.Separator for lists of texts as JSON and Python write them: ["a", "b"] and ['a', 'b'].
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
// categories. Sets are not rare, have fewer parts than there are texts, and most parts are in several texts.
func setOf(n Notation, texts []string, count []int) (separator string, values []string) {
	for _, by := range separators {
		rows, severalRows, different, several := 0, 0, 0, 0
		in := map[string]int{} // different texts with the part
		fits := true
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
				_, fits = listParts(text)
			}
			if !fits {
				break
			}
		}
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
	list, ok := []string(nil), false
	if separator == ListSeparator {
		if list, ok = listParts(text); !ok {
			list = []string{text}
		}
	} else {
		list = strings.Split(text, separator)
	}
	for _, p := range list {
		if p = n.keyOf(TextCell(Trim(p))); p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// listParts reads a list of texts as JSON or Python writes it; ok is false for other texts.
func listParts(text string) (out []string, ok bool) {
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return nil, false
	}
	rest := strings.TrimSpace(text[1 : len(text)-1])
	for rest != "" {
		quote, end := rest[0], 1
		if quote != '"' && quote != '\'' {
			return nil, false
		}
		for end < len(rest) && rest[end] != quote {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(rest) {
			return nil, false
		}
		out = append(out, unescaped(rest[1:end], quote))
		if rest = strings.TrimSpace(rest[end+1:]); rest == "" {
			break
		}
		if rest[0] != ',' {
			return nil, false
		}
		rest = strings.TrimSpace(rest[1:])
	}
	return out, true
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
	var quoted []string
	for _, p := range parts {
		quoted = append(quoted, strconv.Quote(p))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
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
