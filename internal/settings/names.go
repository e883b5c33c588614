package settings

import (
	"fmt"
	"strconv"
)

// ClassName is the name of a class, or its number where it has none; empty for no class.
func ClassName(classes []string, c int32) string {
	switch {
	case c < 0:
		return ""
	case int(c) < len(classes):
		return classes[c]
	}
	return fmt.Sprint(c)
}

// DefaultBudget are the shares of edges at which recall is scored where none are given.
func DefaultBudget() []float64 { return []float64{0.01, 0.05} }

// RecallScore names the recall at a budget: a share of the items, or a number of them.
func RecallScore(budget float64) string {
	if budget >= 1 {
		return fmt.Sprintf("recall@%.0f", budget)
	}
	return "recall@" + strconv.FormatFloat(100*budget, 'g', 6, 64) + "%"
}
