package run

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// features returns the features of the nodes: categories one-hot, numbers standardised, and columns
// of zeros and ones unchanged. If sets is true, a column of sets gives a column of zeros and ones
// for each member. It returns nil if the nodes have no features.
func features(set *tables.Set, d *Data, sets bool) (*links.Features, error) {
	nodes := len(set.NodeIDs)
	cols, vals := make([][]int32, nodes), make([][]float64, nodes)
	width := 0
	add := func(v int, k int, x float64) {
		if x != 0 {
			at := d.Place[v]
			cols[at], vals[at] = append(cols[at], int32(k)), append(vals[at], x)
		}
	}
	all := lists.Range[int32](nodes)
	budget := data.NewBudget(set.Options.MaxMemory)
	for _, c := range set.NodeColumns {
		if f, ok := schema.Fit(c, all); ok && sets && f.IsSet() {
			if err := eachPart(c, &f, func(v, part int) { add(v, width+part, 1) }); err != nil {
				return nil, err
			}
			width += len(f.Values)
			continue
		}
		if !c.Numeric() {
			for v, code := range c.Code {
				if code >= 0 && int(code) < schema.MaxValues {
					add(v, width+int(code), 1)
				}
			}
			width += min(len(c.Text), schema.MaxValues)
			continue
		}
		mean, scale := 0.0, 1.0
		if !flags(c.Value) {
			if err := budget.Charge(int64(nodes)*24, "features of nodes"); err != nil {
				return nil, err
			}
			mean, scale, _ = schema.MeanScale(c.Value, all)
		}
		for v, x := range c.Value {
			if !math.IsNaN(x) {
				add(v, width, (x-mean)/scale)
			}
		}
		width++
	}
	if width == 0 {
		return nil, nil
	}
	return links.NewFeatures(nodes, width, func(v int32) ([]int32, []float64) { return cols[v], vals[v] }), nil
}

// eachPart calls do for each member of each set in a column of sets.
func eachPart(c *schema.Column, f *schema.Field, do func(row, part int)) error {
	reader, codes := schema.NewFieldReader(f), []int32{}
	for row := range c.Code {
		var err error
		if codes, _, err = reader.Codes(codes[:0], schema.TextCell(c.String(row))); err != nil {
			return err
		}
		for part, code := range codes {
			if code >= 0 {
				do(row, part)
			}
		}
	}
	return nil
}

// flags reports whether all values are 0, 1 or missing.
func flags(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return x != 0 && x != 1 && !math.IsNaN(x) })
}
