package model

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// ColumnList is a list of column numbers. In JSON it is a text of ranges, such as "0-3,7"; a list
// of numbers is accepted too.
type ColumnList []int32

// ColumnRange returns n column numbers, starting with first.
func ColumnRange(first, n int) ColumnList {
	out := make(ColumnList, n)
	for i := range out {
		out[i] = int32(first + i)
	}
	return out
}

// mostListed is the largest number of columns in a list that is read.
const mostListed = 1 << 22

// MarshalJSON writes ranges.
func (l ColumnList) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	for i := 0; i < len(l); {
		k := i
		for k+1 < len(l) && l[k+1] == l[k]+1 {
			k++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, l[i])
		if k > i {
			fmt.Fprintf(&b, "-%d", l[k])
		}
		i = k + 1
	}
	return json.Marshal(b.String())
}

// UnmarshalJSON reads ranges or a list of numbers.
func (l *ColumnList) UnmarshalJSON(text []byte) error {
	var ranges string
	if json.Unmarshal(text, &ranges) != nil {
		return json.Unmarshal(text, (*[]int32)(l))
	}
	*l = nil
	if ranges == "" {
		return nil
	}
	for part := range strings.SplitSeq(ranges, ",") {
		first, last, found := strings.Cut(part, "-")
		if !found {
			last = first
		}
		lo, err := strconv.ParseInt(first, 10, 32)
		hi, err2 := strconv.ParseInt(last, 10, 32)
		if err != nil || err2 != nil || lo < 0 || hi < lo || hi-lo >= int64(mostListed-len(*l)) {
			return fmt.Errorf("columns %q have %q, expected numbers or ranges, as 0-3,7", ranges, part)
		}
		for c := lo; c <= hi; c++ {
			*l = append(*l, int32(c))
		}
	}
	return nil
}
