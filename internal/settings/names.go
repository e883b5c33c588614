package settings

import (
	"fmt"
	"strconv"
)

// ClassName is the name of a class, or its number if it has no name; empty for no class.
func ClassName(classes []string, c int32) string {
	switch {
	case c < 0:
		return ""
	case int(c) < len(classes):
		return classes[c]
	}
	return fmt.Sprint(c)
}

// DefaultBudget has the default shares of edges at which recall is scored.
func DefaultBudget() []float64 { return []float64{0.01, 0.05} }

// RecallScore is the name of the recall at a budget, which is a share or a number of the items.
func RecallScore(budget float64) string {
	if budget >= 1 {
		return fmt.Sprintf("recall@%.0f", budget)
	}
	return "recall@" + strconv.FormatFloat(100*budget, 'g', 6, 64) + "%"
}
