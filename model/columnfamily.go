package model

import (
	"fmt"
	"slices"
)

// Families of the columns that Auto reads of an edge.
const (
	FamilyOwn       = "own"       // features of the edge itself
	FamilyEnds      = "ends"      // features of its source and its target
	FamilyStructure = "structure" // the graph around the edge (package structure)
	FamilyClock     = "clock"     // time of the day and of the week
	FamilySince     = "since"     // time since the last edge at either end
	FamilyHistory   = "history"   // numbers and ages of earlier edges
	FamilyLabels    = "labels"    // known labels of other edges at the ends
	FamilyLowRank   = "low-rank"  // low-rank scores of the known labels
	FamilyTwoStep   = "two-step"  // paths of two known labels between the ends
)

// labelFamilies are the families made of known labels, in the order of their columns.
var labelFamilies = []string{FamilyLabels, FamilyLowRank, FamilyTwoStep}

// families are all families.
var families = append([]string{FamilyOwn, FamilyEnds, FamilyStructure, FamilyClock, FamilySince, FamilyHistory}, labelFamilies...)

// FamilySpan says that Width consecutive columns of the features of an edge belong to a family.
type FamilySpan struct {
	Family string `json:"family"`
	Width  int    `json:"width"`
}

// FamilySpans joins consecutive columns of the same family. of[i] is the family of column i.
func FamilySpans(of []string) []FamilySpan {
	var out []FamilySpan
	for _, f := range of {
		if n := len(out); n > 0 && out[n-1].Family == f {
			out[n-1].Width++
			continue
		}
		out = append(out, FamilySpan{f, 1})
	}
	return out
}

// checkSpans returns an error if spans do not add up to the width of the features of an edge.
func checkSpans(spans []FamilySpan, width int) error {
	sum := 0
	for _, s := range spans {
		if s.Width < 1 || s.Width > width-sum || !slices.Contains(families, s.Family) || slices.Contains(labelFamilies, s.Family) {
			return fmt.Errorf("model: auto: column_families has %d columns of family %q, expected %d in all, of families of features", s.Width, s.Family, width)
		}
		sum += s.Width
	}
	if spans != nil && sum != width {
		return fmt.Errorf("model: auto: column_families has %d columns, expected edge_dim, %d", sum, width)
	}
	return nil
}
