package schema

import (
	"math"
	"regexp"
	"strings"
)

// A column identifies its rows if at least this share of its values, and at least this many, are different.
const (
	keyShare = 0.9
	keyRows  = 20
)

// numberRange has statistics of the numbers of a column.
type numberRange struct {
	n        int
	min, max float64
	fraction bool // some number is not whole
	distinct distinct
}

func (r *numberRange) add(v float64) { r.addTimes(v, 1) }

// addTimes adds a number that occurs several times.
func (r *numberRange) addTimes(v float64, rows int) {
	if r.n == 0 {
		r.min, r.max = v, v
	}
	r.n += rows
	r.min, r.max = min(r.min, v), max(r.max, v)
	r.fraction = r.fraction || v != math.Trunc(v)
	r.distinct.number(v)
}

// codeDigits and codeRows are the smallest number of digits and of rows of codes of equal length,
// such as account numbers.
const (
	codeDigits = 6
	codeRows   = 1000
)

// key reports whether the numbers identify their rows: they are whole, nearly all different, and
// either count up from 0 or 1, or have equal length like codes, or are in a column with the name of
// an id.
func (r *numberRange) key(name string) bool {
	switch {
	case r.fraction || r.n < keyRows || r.distinct.count() < keyShare*float64(r.n):
		return false
	case isKeyName(name):
		return true
	case r.max-r.min < 1.2*float64(r.n) && (r.min == 0 || r.min == 1): // they count up
		return true
	}
	return r.n >= codeRows && r.min >= math.Pow10(codeDigits-1) && math.Floor(math.Log10(r.min)) == math.Floor(math.Log10(r.max))
}

// keyName matches names of columns that identify rows.
var keyName = regexp.MustCompile(`(?i)^(id|key|index|idx|no|nr|num|number|row|rowid|rownum|uuid|guid|hash|ref|reference|unnamed: *\d+)$|(?i)[_ .-](id|key|index|idx|no|nr|num|number|uuid|guid|hash|ref)$|[a-z](Id|ID|Key|No|Nr|UUID|Hash|Ref)$`)

func isKeyName(name string) bool { return keyName.MatchString(name) }

// keyTexts has the texts of a column that identifies its rows, one after another.
type keyTexts struct {
	text strings.Builder
	end  []int
}

func (k *keyTexts) add(text string) {
	k.text.WriteString(text)
	k.end = append(k.end, k.text.Len())
}

// column is the column of the texts.
func (k *keyTexts) column(name string) *Column {
	c := &Column{Name: name, Key: true, Text: make([]string, len(k.end)), Code: make([]int32, len(k.end))}
	all, from := k.text.String(), 0
	for i, to := range k.end {
		c.Text[i], c.Code[i] = all[from:to], int32(i)
		if from == to {
			c.Code[i] = -1
		}
		from = to
	}
	return c
}
