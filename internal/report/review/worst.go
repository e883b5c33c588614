package review

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/picture"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// mostWorst is how many errors are listed.
const mostWorst = 12

// mostDrawnNodes is the size of a graph above which it is not drawn.
const mostDrawnNodes = 120

// worst lists the items that the model was wrong about and most sure of, or whose numbers it
// missed by most; where the items are graphs, they are drawn.
func (r *Review) worst() ([]report.Part, error) {
	wrong := r.wrong()
	if len(wrong) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(wrong, func(a, b mistake) int { return cmp.Compare(b.size, a.size) })
	wrong = wrong[:min(len(wrong), mostWorst)]
	l := &report.Listing{}
	names := make([][]string, len(r.outcome.Names))
	for k, c := range r.outcome.Names {
		l.Columns = append(l.Columns, report.ListingColumn{Name: c.Name, Left: true})
		names[k] = c.Texts()
	}
	l.Columns = append(l.Columns, report.ListingColumn{Name: "true", Left: true}, report.ListingColumn{Name: "predicted", Left: true}, report.ListingColumn{Name: "how sure"})
	if r.outcome.Classes == nil && !r.outcome.Labels {
		l.Columns[len(l.Columns)-1].Name = "error"
	}
	for _, m := range wrong {
		var row []string
		for _, of := range names {
			row = append(row, shortened(of[m.row], 40))
		}
		l.Rows = append(l.Rows, append(row, m.truth, m.predicted, m.by))
	}
	out := []report.Part{report.Heading{Title: "Worst errors", Lines: []string{"Errors often point at wrong labels, or at kinds of items that the training had few of."}}, l}
	if r.outcome.Level != settings.Graphs {
		return out, nil
	}
	picture, err := r.drawn(wrong)
	if err != nil || picture == nil {
		return out, err
	}
	return append(out, picture), nil
}

// mistake is an item that was predicted wrongly.
type mistake struct {
	row                  int32
	size                 float64 // what mistakes are sorted by
	truth, predicted, by string
}

// wrong are all mistakes; of numbers all items with one.
func (r *Review) wrong() (out []mistake) {
	for _, i := range r.rows() {
		var m mistake
		if c := r.outcome.Classes; c != nil {
			if c.True[i] == c.Predicted[i] {
				continue
			}
			p := c.Probability[c.Predicted[i]][i]
			m = mistake{size: float64(p), truth: shortened(c.Names[c.True[i]], 40), predicted: shortened(c.Names[c.Predicted[i]], 40), by: number(float64(p))}
		}
		for k, t := range r.outcome.Targets {
			truth, p := float64(t.True[i]), float64(t.Predicted[i])
			if math.IsNaN(truth) {
				continue
			}
			one := mistake{size: math.Abs(p - truth), truth: nameIn(t, len(r.outcome.Targets)) + number(truth), predicted: number(p), by: number(p - truth)}
			if r.outcome.Labels {
				one.truth, one.by = nameIn(t, len(r.outcome.Targets))+fmt.Sprint(truth), number(math.Abs(p-truth))
			} else {
				one.size /= r.settings.Target.Units[k].Scale
			}
			if one.size > m.size {
				m = one
			}
		}
		if m.size > 0 {
			m.row = i
			out = append(out, m)
		}
	}
	return out
}

// nameIn is the name of one of several numbers before its value.
func nameIn(t task.TargetOutcome, of int) string {
	if of == 1 {
		return ""
	}
	return nameOf(t) + " "
}

// drawn is a picture of the graphs of mistakes, but for large ones; nil where all are.
func (r *Review) drawn(wrong []mistake) (report.Part, error) {
	graphs := r.session.Graphs(source.PartTest)
	var at []int
	for _, m := range wrong {
		if g := r.outcome.At[m.row].Graph; graphs[g].NumNodes <= mostDrawnNodes {
			at = append(at, g)
		}
	}
	if len(at) == 0 {
		return nil, nil
	}
	records, err := explain.Sketches(r.session, source.PartTest, at)
	if err != nil {
		return nil, err
	}
	f, err := picture.Figure(records, picture.Options{Toolkit: r.Toolkit})
	if err != nil {
		return nil, err
	}
	return report.Drawn("", fmt.Sprintf("The graphs of these errors, but for those of more than %d nodes", mostDrawnNodes), f)
}
