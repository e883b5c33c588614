package schema

import (
	"math"
	"regexp"
	"strings"
)

// A column identifies its rows where so many of its values are different, of at least so many.
const (
	keyShare = 0.9
	keyRows  = 20
)

// numberRange is what is seen of the numbers of a column.
type numberRange struct {
	n        int
	min, max float64
	fraction bool // some number is not whole
	distinct distinct
}

func (r *numberRange) add(v float64) { r.addTimes(v, 1) }

// addTimes takes a number that some rows have.
func (r *numberRange) addTimes(v float64, rows int) {
	if r.n == 0 {
		r.min, r.max = v, v
	}
	r.n += rows
	r.min, r.max = min(r.min, v), max(r.max, v)
	r.fraction = r.fraction || v != math.Trunc(v)
	r.distinct.number(v)
}

// codeDigits and codeRows are the least digits and rows of codes of one length, as numbers of
// accounts.
const (
	codeDigits = 6
	codeRows   = 1000
)

// key reports whether the numbers identify their rows: whole, nearly all different, and counted
// through from 0 or 1, of one length as codes are, or in a column that is called as one.
func (r *numberRange) key(name string) bool {
	switch {
	case r.fraction || r.n < keyRows || r.distinct.count() < keyShare*float64(r.n):
		return false
	case isKeyName(name):
		return true
	case r.max-r.min < 1.2*float64(r.n) && (r.min == 0 || r.min == 1): // counted through
		return true
	}
	return r.n >= codeRows && r.min >= math.Pow10(codeDigits-1) && math.Floor(math.Log10(r.min)) == math.Floor(math.Log10(r.max))
}

// keyName matches names of columns that identify rows.
var keyName = regexp.MustCompile(`(?i)^(id|key|index|idx|no|nr|num|number|row|rowid|rownum|uuid|guid|hash|ref|reference|unnamed: *\d+)$|(?i)[_ .-](id|key|index|idx|no|nr|num|number|uuid|guid|hash|ref)$|[a-z](Id|ID|Key|No|Nr|UUID|Hash|Ref)$`)

func isKeyName(name string) bool { return keyName.MatchString(name) }

// keyTexts are the texts of a column that identifies its rows, one after the other.
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
