package schema

import "strings"

// String describes the notation, for example "decimal comma, EUR" or "day-first", a value of
// --time-format; "" if there is nothing to say.
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
