package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// Groups of rows that selectRows knows.
const (
	rowsPaper = "paper" // the experiment's rows
	rowsAll   = "all"   // also this project's rows
)

// selectRows returns rows by name: rows of the experiment, of this project, any other model of the
// registry, and the groups paper and all.
func (e gridExperiment) selectRows(names []string) ([]modelRow, error) {
	var out []modelRow
	add := func(rows ...modelRow) {
		for _, r := range rows {
			if !slices.ContainsFunc(out, func(o modelRow) bool { return o.Name == r.Name }) {
				out = append(out, r)
			}
		}
	}
	known := slices.Concat(e.Rows, e.Extra)
	for _, name := range names {
		at := slices.IndexFunc(known, func(r modelRow) bool { return r.Name == name })
		switch {
		case name == rowsPaper:
			add(e.Rows...)
		case name == rowsAll:
			add(known...)
		case at >= 0:
			add(known[at])
		default:
			spec, err := model.Find(name)
			if err != nil {
				return nil, settings.Misuse("%w; or a group of rows: %s, %s", err, rowsPaper, rowsAll)
			}
			add(modelRow{Name: spec.Name})
		}
	}
	return out, nil
}

// withRatios adds to each row whose model has a ratio one row for each of ratios, as searched in
// the paper ("hyperdrop-ratio-0.5"). The ratio is the share that pools keep, or the number of
// clusters as a share.
func withRatios(rows []modelRow, ratios []float64) ([]modelRow, error) {
	var out []modelRow
	for _, row := range rows {
		out = append(out, row)
		spec, err := model.Find(cmp.Or(row.Model, row.Name))
		if err != nil || !slices.Contains(spec.Options(), "ratio") {
			continue
		}
		for _, ratio := range ratios {
			r := row
			r.Name = fmt.Sprintf("%s-ratio-%v", row.Name, ratio)
			r.Title = fmt.Sprintf("%s, ratio %v", cmp.Or(row.Title, titleOf(row.Name), row.Name), ratio)
			r.Model = spec.Name
			r.Overrides = row.Overrides.Over(settings.Values{"ratio": ratio})
			out = append(out, r)
		}
	}
	if len(out) == len(rows) && len(ratios) > 0 {
		return nil, settings.Misuse("experiment: none of the models asked for has a ratio")
	}
	return out, nil
}

// spread is a data set as columns: one, or one for each depth.
func (e gridExperiment) spread(c DatasetColumn, depths []int) []DatasetColumn {
	if e.Depths == nil {
		return []DatasetColumn{c}
	}
	var out []DatasetColumn
	for _, n := range depths {
		d := c
		d.Variant = fmt.Sprintf("%d layers", n)
		d.Overrides = c.Overrides.Over(settings.Values{"layers": n})
		out = append(out, d)
	}
	return out
}

// rowHelp lists the rows for a help text, indented.
func (e gridExperiment) rowHelp() string {
	var b strings.Builder
	list := func(head string, rows []modelRow) {
		line := "  " + head
		for i, r := range rows {
			word := " " + r.Name
			if i < len(rows)-1 {
				word += ","
			}
			if len(line)+len(word) > 80 {
				b.WriteString(line + "\n")
				line = "   "
			}
			line += word
		}
		b.WriteString(line + "\n")
	}
	list(rowsPaper+":", e.Rows)
	if len(e.Extra) > 0 {
		list(rowsAll+": these and", e.Extra)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
