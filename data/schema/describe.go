package schema

import "strings"

// String says how cells are written, as "decimal comma, EUR" or "day-first", a value of
// --time-format; "" where nothing is to be said.
func (n *Notation) String() string {
	if n == nil {
		return ""
	}
	var words []string
	if n.Decimal != "" {
		words = append(words, "decimal "+decimalNames[n.Decimal])
	}
	if n.Percent {
		words = append(words, "percent")
	}
	if n.Duration {
		words = append(words, "in seconds")
	}
	if n.Currency != "" {
		words = append(words, n.Currency)
	}
	switch n.Time {
	case "":
	case plainTime:
		words = append(words, "unit unknown")
	default:
		words = append(words, n.Time)
	}
	return strings.Join(words, ", ")
}
