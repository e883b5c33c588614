package tables

import "github.com/ehgnn/ehgnn/data/schema"

// A column may tell the label by chance where there are fewer rows of a class, or of a text on average.
const leastTelling = 5

// noteTelling notes columns each of which alone tells the class of every row, as what is known only with the label does.
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
			l.note("column %q alone tells the class of every row: if it is known only with the label, %s leaves it out", c.Name, schema.Flag("ignore", c.Name))
		}
	}
}

// tellsByText reports whether rows with one text, or with none, have one class.
func tellsByText(c *Column, label []int32) bool {
	class := make([]int32, len(c.Text)+1) // of each text, 0 before it is met, else the class and 1; the last is that of missing texts
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

// tellsByNumber reports whether the numbers of each class are between those of the others, or are missing in all rows of a class
// and in no others.
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
