package source

import (
	"math"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// MostTimeColumns is the largest number of time columns.
const MostTimeColumns = 12

// FitTimes resolves and fits the time columns of edges.
func (c *ColumnData) FitTimes(s *settings.Settings, e *tables.Encoder, split *data.Split) error {
	t := s.Data.Tables
	if t.TimeFeatures == settings.ContextAuto {
		t.TimeFeatures = settings.ContextOff
		if s.ModelName == model.AutoName && c.Set.Time != nil { // the validation loss decides
			t.TimeFeatures = settings.ContextOn
		}
	}
	if t.TimeFeatures != settings.ContextOn {
		return nil
	}
	return c.Set.FitTimes(e, split, c.Past, s.ModelName == model.AutoName, tables.InputOptions{Transductive: t.Transductive, Threads: c.Threads})
}

// inOrder reports whether no validation or test edge is earlier than a training edge, for example
// after a given split by time.
func (c *ColumnData) inOrder(split *data.Split) bool {
	if c.Set.Time == nil {
		return false
	}
	latest, earliest := math.Inf(-1), math.Inf(1)
	for _, e := range split.Train {
		latest = max(latest, c.Set.Time[e])
	}
	for _, part := range [][]int{split.Valid, split.Test} {
		for _, e := range part {
			earliest = min(earliest, c.Set.Time[e])
		}
	}
	return earliest >= latest // false if a time is missing
}
