package graphfile

import (
	"regexp"
	"slices"
	"strings"
)

var (
	ntLine   = regexp.MustCompile(`^(<[^>]+>|_:\S+)[ \t]+<[^>]+>[ \t]+(<[^>]+>|_:\S+|".*)[ \t]*\.$`)
	dateText = regexp.MustCompile(`^\d{4}-\d\d(-\d\d)?([ T].*)?$`)
)

// findTriples returns the form of sample lines with triples. It returns false if they have none.
// sure says that there is other evidence, such as names of files, that they are triples without a
// header.
func findTriples(rows []string, sure bool) (tripleForm, bool) {
	if len(rows) == 0 {
		return tripleForm{}, false
	}
	if isNT(rows) {
		return tripleForm{nt: true}, true
	}
	f := tripleForm{fields: strings.Count(rows[0], "\t") + 1}
	if f.fields != 3 && f.fields != 4 {
		return f, false
	}
	var columns [3]map[string]int
	for i := range columns {
		columns[i] = map[string]int{}
	}
	numbers := [3]bool{true, true, true} // for each column: it has numbers only
	for _, line := range rows {
		fields := strings.Split(line, "\t")
		if len(fields) != f.fields || f.fields == 4 && !dateText.MatchString(fields[3]) {
			return f, false
		}
		for i, c := range columns {
			if fields[i] == "" {
				return f, false
			}
			c[fields[i]]++
			numbers[i] = numbers[i] && isDecimal(fields[i])
		}
	}
	if f.relation = relationOf(columns, numbers); f.relation == 0 {
		return f, false
	}
	first := strings.Split(rows[0], "\t")
	if isEnd(first[0]) && isEnd(first[3-f.relation]) {
		return f, false
	}
	return f, sure || !numbers[f.relation] && (isDecimal(first[0]) || comesAgain(first, columns, f.relation))
}

func isNT(rows []string) bool {
	return !slices.ContainsFunc(rows[:min(len(rows), 20)], func(line string) bool { return !ntLine.MatchString(line) })
}

// relationOf returns the column with relations, 0 if there is none. Heads and tails share values,
// and relations share none with them. If entities and relations are numbers, the column of
// relations has at most half as many values as the others. Two numbers before a text are an edge
// list with a column of text.
func relationOf(columns [3]map[string]int, numbers [3]bool) int {
	few := func(i, j, k int) bool { return 2*len(columns[i]) <= min(len(columns[j]), len(columns[k])) }
	if numbers[0] && numbers[1] && numbers[2] {
		switch {
		case few(1, 0, 2):
			return 1
		case few(2, 0, 1):
			return 2
		}
		return 0
	}
	outer, left, right := common(columns[0], columns[2]), common(columns[0], columns[1]), common(columns[1], columns[2])
	switch {
	case numbers[0] && numbers[1]:
		return 0
	case numbers[0] && numbers[2], outer > max(left, right), few(1, 0, 2):
		return 1
	case left > max(outer, right):
		return 2
	}
	return 0
}

// common counts the values that two columns share.
func common(a, b map[string]int) int {
	n := 0
	for text := range a {
		if _, ok := b[text]; ok {
			n++
		}
	}
	return n
}

// comesAgain reports whether a value of the first line occurs again as a node or as a relation. A
// column name does not.
func comesAgain(first []string, columns [3]map[string]int, relation int) bool {
	tail := 3 - relation
	return columns[relation][first[relation]] > 1 ||
		columns[0][first[0]]+columns[tail][first[0]] > 1 ||
		columns[0][first[tail]]+columns[tail][first[tail]] > 1
}
