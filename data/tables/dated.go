package tables

import (
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// dateWords are words for the date in names of columns, by the word for the time of day.
var dateWords = map[string][]string{"time": {"date"}, "uhrzeit": {"datum"}, "zeit": {"datum"}, "heure": {"date"}, "hora": {"fecha", "data"}, "ora": {"data"}, "tijd": {"datum"}}

// withDate gives a column the role momentDate if its name says that it has the dates of the column of times, and the times of the first
// rows are times of day: Date and Time, transaction_date and transaction_time. If no column, or the one of dates, has a usual name of
// times, the first such pair gives both. The returned reader reads all rows.
func (o Options) withDate(r tablefile.Reader, h *header) tablefile.Reader {
	before := h.at[moment]
	if o.Time == "" && o.Level != OfNodes {
		may := func(c int, _ string) bool { return h.roles[c] == feature || c == before }
		date, clock := DateAndTime(lists.Take(h.names, lists.Where[int](h.names, may)))
		if clock != "" && (before < 0 || h.find(date) == before) {
			h.setMoment(h.find(clock))
		}
	}
	date := h.dateColumn()
	if date < 0 {
		h.setMoment(before)
		return r
	}
	h.absent = schema.MissingAmong(o.Missing)
	dated := false
	r = tablefile.Peek(r, func(row schema.Row) bool {
		clock := row[h.at[moment]]
		if h.absent(clock) || clock.Kind != schema.Text && h.absent(row[date]) { // a number without a date may be anything
			return true
		}
		dated = schema.WithDate(row[date], clock, h.absent) != clock
		return dated && clock.Kind != schema.Text // numbers are times of day only if all of them are less than a day
	})
	if dated {
		h.setRole(date, momentDate)
	} else {
		h.setMoment(before)
	}
	return r
}

// setMoment makes a column that of times in place of another; -1 for none.
func (h *header) setMoment(column int) {
	if c := h.at[moment]; c >= 0 {
		h.roles[c] = feature
	}
	if h.at[moment] = column; column >= 0 {
		h.roles[column] = moment
	}
}

// DateAndTime returns the first names that are a pair, one of dates and one of times of day: Date and Time. They are empty if there is none.
func DateAndTime(names []string) (date, clock string) {
	of := map[string]string{}
	for _, name := range slices.Backward(names) { // the first of equal names
		of[strings.Join(wordsOf(name), " ")] = name
	}
	for _, clock := range names {
		for _, words := range dateNames(clock) {
			if date, ok := of[words]; ok {
				return date, clock
			}
		}
	}
	return "", ""
}

// dateNames returns the names, as their words, that a column of dates may have beside a column of times with some name.
func dateNames(of string) (names []string) {
	words := wordsOf(of)
	for at, word := range slices.Backward(words) {
		for _, date := range dateWords[word] {
			words[at] = date
			names = append(names, strings.Join(words, " "))
		}
		words[at] = word
	}
	return names
}

// dateColumn returns the column whose name is that of the column of times with a date in place of the time of day, or -1.
func (h *header) dateColumn() int {
	if h.at[moment] < 0 {
		return -1
	}
	for _, name := range dateNames(h.name(moment)) {
		if c := h.conventional(name); c >= 0 {
			return c
		}
	}
	return -1
}

// cell returns the cell of a row with a role. A time of day gets its date.
func (h *header) cell(row schema.Row, r role) schema.Cell {
	c := row[h.at[r]]
	if r == moment && h.at[momentDate] >= 0 {
		return schema.WithDate(row[h.at[momentDate]], c, h.absent)
	}
	return c
}
