package task

import (
	"math"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// mostTimeColumns is how many columns of time there are at most.
const mostTimeColumns = 12

// fitTimes resolves whether edges get columns of time, and fits them.
func (c *columnData) fitTimes(s *Settings, e *tables.Encoder, split *data.Split) error {
	t := s.Data.Tables
	if t.TimeFeatures == contextAuto {
		t.TimeFeatures = contextOff
	}
	if t.TimeFeatures != contextOn {
		return nil
	}
	past := s.Split.Kind == SplitTime || c.inOrder(split)
	return c.set.FitTimes(e, split, past, tables.InputOptions{Transductive: t.Transductive, Threads: c.threads})
}

// inOrder reports whether no edge that is held out is earlier than one of training, as after a
// split by time that comes with the data.
func (c *columnData) inOrder(split *data.Split) bool {
	if c.set.Time == nil {
		return false
	}
	latest, earliest := math.Inf(-1), math.Inf(1)
	for _, e := range split.Train {
		latest = max(latest, c.set.Time[e])
	}
	for _, part := range [][]int{split.Valid, split.Test} {
		for _, e := range part {
			earliest = min(earliest, c.set.Time[e])
		}
	}
	return earliest >= latest // false where a time is missing
}
