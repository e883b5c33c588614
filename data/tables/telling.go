package tables

import "github.com/ehgnn/ehgnn/data/schema"

// With fewer rows for a class, or for a text on average, a column may determine the label by chance.
const leastTelling = 5

// noteTelling notes columns each of which determines the class of every row, as if it was known only with the label.
func (l *loader) noteTelling() {
	s := l.set
	columns := s.EdgeColumns
	if s.Level == OfNodes {
		columns = s.NodeColumns
	}
	if s.Label == nil || s.Label.Numeric() || s.Options.known != nil {
		return
	}
	count := s.Label.AllCounts()
	classes := 0
	for _, n := range count {
		if n > 0 && n < leastTelling {
			return
		}
		classes += min(n, 1)
	}
	if classes < 2 {
		return
	}
	for _, c := range columns {
		if c.Numeric() && tellsByNumber(c.Value, s.Label.Code, len(count)) || !c.Numeric() && tellsByText(c, s.Label.Code) {
			l.note("column %q determines the class of every row: if it is known only with the label, %s leaves it out", c.Name, schema.Flag("ignore", c.Name))
		}
	}
}

// tellsByText reports whether all rows with the same text, or with a missing text, have the same class.
func tellsByText(c *Column, label []int32) bool {
	class := make([]int32, len(c.Text)+1) // for each text: its class + 1, or 0; the last is for missing texts
	texts, rows := 0, 0
	for row, k := range label {
		if k < 0 {
			continue
		}
		text := c.Code[row]
		if text < 0 {
			text = int32(len(c.Text))
		}
		if rows++; class[text] == 0 {
			class[text] = k + 1
			texts++
		} else if class[text] != k+1 {
			return false
		}
	}
	return leastTelling*texts <= rows
}

// tellsByNumber reports whether the numbers of each class are in a range without other classes, or are missing in all
// rows of one class and in no others.
func tellsByNumber(values []float64, label []int32, classes int) bool {
	low, high := make([]float64, classes), make([]float64, classes)
	missing, present := make([]bool, classes), make([]bool, classes)
	for row, k := range label {
		if k < 0 {
			continue
		}
		v := values[row]
		switch {
		case v != v:
			missing[k] = true
		case !present[k]:
			low[k], high[k], present[k] = v, v, true
		default:
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
		if missing[k] && present[k] {
			return false
		}
	}
	without := 0
	for a := range classes {
		if missing[a] {
			without++
		}
		for b := range a {
			if present[a] && present[b] && low[a] <= high[b] && low[b] <= high[a] {
				return false
			}
		}
	}
	return without < 2
}
