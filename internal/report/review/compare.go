package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// Difference has a score of two runs on the same items.
type Difference struct {
	Name   string
	A, B   float64 // NaN if the score is undefined for the items
	Of     float64 // B minus A
	Low    float64 // ends of the 95 % interval of Of; NaN for none
	High   float64
	Paired bool // there is an interval
}

// Compare scores two runs on the same items: row i of both outcomes is the same item with the same true class or
// numbers. Intervals of the differences come from a paired bootstrap over the units of a, or over graphs if there
// are many. binary names the positive one of two classes; nil for the second.
func Compare(ctx context.Context, a, b *task.Outcome, binary *settings.Binary) ([]Difference, error) {
	if !alike(a, b) {
		return nil, settings.Misuse("review: the runs predict different things; expected the same classes, numbers or labels of the same items")
	}
	of, with := scorerOf(a, binary), scorerOf(b, binary)
	differences := func(rows []int32) (train.Scores, error) {
		mine, err := of(rows)
		if err != nil {
			return nil, err
		}
		theirs, err := with(rows)
		if err != nil {
			return nil, err
		}
		var out train.Scores
		for _, s := range mine {
			if v, ok := theirs.Get(s.Name); ok {
				out = append(out, train.Score{Name: s.Name, Value: v - s.Value})
			}
		}
		return out, nil
	}
	rows := knownRows(a)
	if len(rows) == 0 {
		return nil, nil
	}
	mine, err := of(rows)
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	whole, err := differences(rows)
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	intervals, err := bootstrap(ctx, differences, unitsOf(a, a.Level != settings.Graphs && severalGraphs(a), rows), ranked(a, binary, rows), 0, 0)
	if err != nil {
		return nil, err
	}
	var out []Difference
	for _, s := range whole {
		first, _ := mine.Get(s.Name)
		d := Difference{Name: s.Name, A: first, B: first + s.Value, Of: s.Value}
		if i, ok := intervals[s.Name]; ok {
			d.Low, d.High, d.Paired = i[0], i[1], true
		}
		out = append(out, d)
	}
	return out, nil
}

// alike reports whether two outcomes have the same kind of predictions and the same number of items.
func alike(a, b *task.Outcome) bool {
	if len(a.At) != len(b.At) || (a.Classes == nil) != (b.Classes == nil) || a.Labels != b.Labels {
		return false
	}
	if a.Classes != nil {
		return slices.Equal(a.Classes.Names, b.Classes.Names)
	}
	return slices.EqualFunc(a.Targets, b.Targets, func(x, y task.TargetOutcome) bool { return x.Name == y.Name })
}

func severalGraphs(o *task.Outcome) bool {
	for _, at := range o.At {
		if at.Graph != o.At[0].Graph {
			return true
		}
	}
	return false
}
