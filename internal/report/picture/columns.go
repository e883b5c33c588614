package picture

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
)

// ColumnDocument shows the contributions of columns to predictions: the largest ones of each prediction, and the rest in one row.
func ColumnDocument(records []explain.ColumnRecord, model string, most int) *report.Document {
	d := &report.Document{Title: "What predictions of " + model + " are made of, by the columns of the edges", Value: records,
		Remarks: []string{"The contributions of an edge sum to its value less the base, the value where no column is known."}}
	for _, r := range records {
		if r.Share < 1 {
			d.Remarks = append(d.Remarks, fmt.Sprintf("Edge %s: value and base are of the learners that read columns alone, %.0f %% of the mean; networks that pass messages cannot be divided among columns.", r.Edge, 100*r.Share))
		}
		l := &report.Listing{Columns: []report.ListingColumn{{Name: fmt.Sprintf("edge %s, %s", r.Edge, r.Target), Left: true}, {Name: "contribution"}}}
		row := func(name string, v float64, sign string) {
			l.Rows = append(l.Rows, []string{name, fmt.Sprintf("%"+sign+".4g", v)})
		}
		row("base", r.Base, "")
		rest, others := 0.0, 0
		for i, c := range r.Columns {
			if i < most {
				row(c.Column, c.Contribution, "+")
				continue
			}
			rest, others = rest+c.Contribution, others+1
		}
		if others > 0 {
			row(fmt.Sprintf("%s more", report.Counted(others, "column")), rest, "+")
		}
		row("value", r.Value, "")
		d.Parts = append(d.Parts, l)
	}
	return d
}
