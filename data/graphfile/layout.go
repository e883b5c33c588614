package graphfile

import "strings"

// Fields of a line of an edge list.
const (
	leastFields = 2
	mostFields  = 6
)

// layout says how the lines of an edge list are divided into fields.
type layout struct {
	// separator is "\t", "::", "," or ";". Empty means runs of blanks and tabs.
	separator string
	fields    int
	// braces says that each line ends with {}, the empty attributes of networkx.
	braces bool
}

// findLayout returns the layout of some lines. It returns false if the lines have different numbers
// of fields.
func findLayout(lines []string) (layout, bool) {
	for _, separator := range []string{"\t", "::", ",", ";", ""} {
		l := layout{separator: separator, braces: allEnd(lines, " {}")}
		if l.fits(lines) {
			return l, true
		}
	}
	return layout{}, false
}

func allEnd(lines []string, ending string) bool {
	for _, line := range lines {
		if !strings.HasSuffix(line, ending) {
			return false
		}
	}
	return len(lines) > 0
}

// fits reports whether all lines have the same number of fields. It sets that number.
func (l *layout) fits(lines []string) bool {
	var fields []string
	for i, line := range lines {
		fields = l.split(fields[:0], line)
		if i == 0 {
			l.fields = len(fields)
		}
		if len(fields) != l.fields || len(fields) < leastFields || len(fields) > mostFields {
			return false
		}
		for _, f := range fields {
			if f == "" || l.separator != "" && isNumbers(f) {
				return false
			}
		}
	}
	return len(lines) > 0
}

// isNumbers reports whether a text is several numbers separated by blanks: KONECT has blanks and
// tabs on one line.
func isNumbers(text string) bool {
	if !strings.ContainsAny(text, " \t") {
		return false
	}
	for f := range strings.FieldsSeq(text) {
		if !isDecimal(f) {
			return false
		}
	}
	return true
}

// split appends the fields of a line to dst.
func (l layout) split(dst []string, line string) []string {
	if l.braces {
		line = strings.TrimSuffix(line, " {}")
	}
	if l.separator == "" {
		for f := range strings.FieldsSeq(line) {
			dst = append(dst, f)
		}
		return dst
	}
	for f := range strings.SplitSeq(line, l.separator) {
		dst = append(dst, strings.TrimSpace(f))
	}
	return dst
}
