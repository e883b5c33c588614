package source

import (
	"math"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// MostTimeColumns is how many columns of time there are at most.
const MostTimeColumns = 12

// FitTimes resolves whether edges get columns of time, and fits them.
func (c *ColumnData) FitTimes(s *settings.Settings, e *tables.Encoder, split *data.Split) error {
	t := s.Data.Tables
	if t.TimeFeatures == settings.ContextAuto {
		t.TimeFeatures = settings.ContextOff
		if s.ModelName == model.AutoName && c.Set.Time != nil { // validation decides
			t.TimeFeatures = settings.ContextOn
		}
	}
	if t.TimeFeatures != settings.ContextOn {
		return nil
	}
	return c.Set.FitTimes(e, split, c.Past, s.ModelName == model.AutoName, tables.InputOptions{Transductive: t.Transductive, Threads: c.Threads})
}

// inOrder reports whether no edge that is held out is earlier than one of training, as after a
// split by time that comes with the data.
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
	return earliest >= latest // false where a time is missing
}
