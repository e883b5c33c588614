package tablefile

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ehgnn/ehgnn/data/schema"
)

const daySeconds = 24 * 60 * 60

// timeFill converts times (to seconds since 1970), times of day and durations (to seconds); nil for
// other types.
func timeFill(a arrow.Array) fill {
	switch a := a.(type) {
	case *array.Timestamp:
		per := perSecond(a.DataType().(*arrow.TimestampType).Unit)
		return each(a, func(v arrow.Timestamp) schema.Cell { return schema.TimeCell(seconds(int64(v), per)) })
	case *array.Date32:
		return each(a, func(v arrow.Date32) schema.Cell { return schema.TimeCell(float64(v) * daySeconds) })
	case *array.Date64:
		return each(a, func(v arrow.Date64) schema.Cell { return schema.TimeCell(seconds(int64(v), 1e3)) })
	case *array.Time32:
		per := perSecond(a.DataType().(*arrow.Time32Type).Unit)
		return each(a, func(v arrow.Time32) schema.Cell { return schema.NumberCell(seconds(int64(v), per)) })
	case *array.Time64:
		per := perSecond(a.DataType().(*arrow.Time64Type).Unit)
		return each(a, func(v arrow.Time64) schema.Cell { return schema.NumberCell(seconds(int64(v), per)) })
	case *array.Duration:
		per := perSecond(a.DataType().(*arrow.DurationType).Unit)
		return each(a, func(v arrow.Duration) schema.Cell { return schema.NumberCell(seconds(int64(v), per)) })
	}
	return nil
}

func perSecond(u arrow.TimeUnit) int64 {
	switch u {
	case arrow.Second:
		return 1
	case arrow.Millisecond:
		return 1e3
	case arrow.Microsecond:
		return 1e6
	}
	return 1e9
}

// seconds converts a number of units to whole seconds plus a non-negative fraction, the same value
// as that of the time's text.
func seconds(v, perSecond int64) float64 {
	whole, rest := v/perSecond, v%perSecond
	if rest < 0 {
		whole, rest = whole-1, rest+perSecond
	}
	return float64(whole) + float64(rest*(1e9/perSecond))/1e9
}

// asDuration converts an array of whole numbers to one of durations, if the column is a duration.
func asDuration(a arrow.Array, kind arrow.DataType) arrow.Array {
	if kind.ID() != arrow.DURATION || a.DataType().ID() != arrow.INT64 {
		return a
	}
	return array.MakeFromData(array.NewData(kind, a.Len(), a.Data().Buffers(), nil, a.NullN(), a.Data().Offset()))
}
