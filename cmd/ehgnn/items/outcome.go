package items

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Names are the columns that identify the item of a row: those before the first true or predicted
// column.
func (s *Set) Names() []string {
	names := s.Columns()
	if end := slices.IndexFunc(names, isOutcome); end >= 0 {
		names = names[:end]
	}
	return names
}

func isOutcome(column string) bool {
	return slices.Contains([]string{"label", "prediction", PartColumn, ErrorColumn}, column) ||
		slices.ContainsFunc([]string{"label_", "target_", "prediction_", "probability"}, func(p string) bool { return strings.HasPrefix(column, p) })
}

// keys are unique names of the items: some columns of Names, and a count for items with equal
// values there.
func (s *Set) keys(names []string) []string {
	seen := map[string]int{}
	out := make([]string, s.rows)
	for i := range out {
		var b strings.Builder
		for _, name := range names {
			b.WriteString(strconv.Quote(s.find(name).text[i]))
		}
		key := b.String()
		out[i] = key + strconv.Itoa(seen[key])
		seen[key]++
	}
	return out
}

// Shared returns the rows of two sets with the same items: row a[i] of one is row b[i] of the
// other. Items are identified by the columns of Names that both sets have: a column that identifies
// edges may be a feature in another run.
func Shared(one, other *Set) (a, b []int32) {
	names := slices.DeleteFunc(one.Names(), func(n string) bool { return !slices.Contains(other.Names(), n) })
	if len(names) == 0 || names[0] != one.Names()[0] || names[0] != other.Names()[0] || one.items() != other.items() {
		return nil, nil
	}
	at := lists.Places[int32](other.keys(names))
	for i, key := range one.keys(names) {
		if k, ok := at[key]; ok {
			a, b = append(a, int32(i)), append(b, k)
		}
	}
	return a, b
}

// Row returns the item of a row.
func (s *Set) Row(i int32) Row { return Row{s, int(i)} }

// Outcome returns the predictions and true values of some rows; nil if no truth is stored.
func (s *Set) Outcome(rows []int32) *task.Outcome {
	o := &task.Outcome{Level: s.items(), At: s.places(rows)}
	if s.classes {
		o.Classes = s.classOutcome(rows)
		if o.Classes.Probability == nil {
			return nil
		}
		return o
	}
	pairs := s.pairs()
	if pairs == nil {
		return nil
	}
	for _, p := range pairs {
		o.Labels = o.Labels || p.label
		o.Targets = append(o.Targets, task.TargetOutcome{Name: p.name, True: p.truth.numbersAt(rows), Predicted: p.predicted.numbersAt(rows)})
	}
	return o
}

// items returns the level of the rows: graphs, unless a column names nodes or edges.
func (s *Set) items() settings.Level {
	switch names := s.Names(); {
	case slices.ContainsFunc(names, func(n string) bool { return n == "edge" || n == "source" || n == "bond" }):
		return settings.Edges
	case slices.ContainsFunc(names, func(n string) bool { return n == "node" || n == "atom" }):
		return settings.Nodes
	}
	return settings.Graphs
}

// places numbers the graphs of rows, which the first column of Names gives for a collection.
func (s *Set) places(rows []int32) []source.Place {
	out := make([]source.Place, len(rows))
	names := s.Names()
	if len(names) == 0 || !slices.Contains([]string{"graph", "row"}, names[0]) {
		for i, r := range rows {
			out[i].Item = int(r)
		}
		return out
	}
	graphs := map[string]int{}
	for i, r := range rows {
		name := s.find(names[0]).text[r]
		if _, ok := graphs[name]; !ok {
			graphs[name] = len(graphs)
		}
		out[i] = source.Place{Graph: graphs[name], Item: int(r)}
	}
	return out
}

// classOutcome has the classes in the order of their columns of probabilities.
func (s *Set) classOutcome(rows []int32) *task.ClassOutcome {
	c := &task.ClassOutcome{}
	number := map[string]int32{}
	for _, column := range s.columns {
		if name, ok := strings.CutPrefix(column.name, "probability_"); ok && column.numbers != nil {
			number[name] = int32(len(c.Names))
			c.Names = append(c.Names, name)
			c.Probability = append(c.Probability, column.numbersAt(rows))
		}
	}
	class := func(of *column) []int32 {
		out := make([]int32, len(rows))
		for i, r := range rows {
			k, ok := number[of.text[r]]
			if !ok {
				k = graph.NoLabel
			}
			out[i] = k
		}
		return out
	}
	c.True, c.Predicted = class(s.find("label")), class(s.find("prediction"))
	return c
}

// numbersAt returns the numbers of some rows.
func (c *column) numbersAt(rows []int32) []float32 {
	out := make([]float32, len(rows))
	for i, r := range rows {
		out[i] = float32(math.NaN())
		if c.numbers != nil {
			out[i] = float32(c.numbers[r])
		}
	}
	return out
}
