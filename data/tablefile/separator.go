package tablefile

import (
	"bufio"
	"bytes"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// separators are the separators of tables, starting with the least likely inside a value; \x01 is that of Hive.
var separators = []byte{'\t', ';', ',', '|', doubleColon, 0x01, '^', '~'}

// doubleColon represents the separator :: of MovieLens; it is not a byte of UTF-8. Values between these separators have no quotation marks.
const doubleColon = 0xff

// blanks represents one or more blanks, the separator of a text without any other.
const blanks = ' '

// leastAgreement is the share of the records with as many values as the first record from which a text counts as a
// table, if it lacks a table extension or is separated by blanks.
const leastAgreement = 0.95

// sampleRecords is how many records are examined to find the separator.
const sampleRecords = 100

// findSeparator finds the separator of the text that starts with head (whole says that head is all of it). It is the
// separator with which most records have as many values as the first; among equals, the one that gives the most values.
// Blanks are the separator only if nothing else is, and if byBlanks allows it. For a text with one column it returns a
// comma.
func findSeparator(head []byte, whole, byBlanks bool) byte {
	best, most, share := byte(','), 1, 0.0
	for _, c := range separators {
		counts := valueCounts(head, whole, c)
		if len(counts) == 0 || counts[0] < 2 {
			continue
		}
		s := agreement(counts)
		if s > share || s == share && counts[0] > most {
			best, most, share = c, counts[0], s
		}
	}
	if most == 1 && byBlanks {
		if counts := valueCounts(head, whole, blanks); len(counts) > 1 && counts[0] > 1 && agreement(counts) >= leastAgreement {
			return blanks
		}
	}
	return best
}

// hasNames reports whether a text starts with names of columns, followed by records with the same separator.
func hasNames(head []byte, whole bool) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	records := sample(head, whole, findSeparator(head, whole, true), sampleRecords)
	return len(records) > 1 && areNames(records[0]) && agreement(lists.Map(records, func(r []string) int { return len(r) })) >= leastAgreement
}

// areNames reports whether values can be names of columns: at least two, none of them a number or empty.
func areNames(values []string) bool {
	return len(values) > 1 && !slices.ContainsFunc(values, func(v string) bool { return strings.TrimSpace(v) == "" || numeric(v) })
}

// agreement is the share of the records that have as many values as the first, or all one more (row
// names, or a separator at the end).
func agreement(counts []int) float64 {
	if len(counts) == 1 {
		return 1
	}
	same, more := 0, 0
	for _, n := range counts[1:] {
		switch n {
		case counts[0]:
			same++
		case counts[0] + 1:
			more++
		}
	}
	return float64(max(same, more)) / float64(len(counts)-1)
}

// valueCounts returns the numbers of values of the first records for a separator.
func valueCounts(head []byte, whole bool, comma byte) []int {
	return lists.Map(sample(head, whole, comma, sampleRecords), func(r []string) int { return len(r) })
}

// sample returns the first records of a text. The last one is left out if it may be incomplete.
func sample(head []byte, whole bool, comma byte, most int) [][]string {
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 && !whole {
		head = head[:i+1]
	}
	s := splitter{buf: bufio.NewReader(bytes.NewReader(head)), comma: comma}
	var records [][]string
	for len(records) < most && s.next() == nil {
		records = append(records, append([]string(nil), s.values...))
	}
	return records
}
