package tables

import "github.com/ehgnn/ehgnn/graph/structure"

// timeTitles describes the time columns in words; those of an end without the end.
var timeTitles = map[string]string{
	"since": "time since the last edge", "first": "no earlier edge", "until": "time until the next edge", "last": "no later edge",
	"earlier": "number of earlier edges", "earlier_out": "number of earlier outgoing edges", "earlier_in": "number of earlier incoming edges",
	"age": "time since the first edge",

	"hour_sin": "hour of the day, sine", "hour_cos": "hour of the day, cosine",
	"weekday_sin": "day of the week, sine", "weekday_cos": "day of the week, cosine",
	"reverse_before": "has an earlier reverse edge", "since_reverse": "time since the last reverse edge",
	"parallel_before": "has an earlier parallel edge", "since_parallel": "time since the last parallel edge",
}

// TimeTitle describes a time column in words.
func TimeTitle(name string) string { return structure.TitleFrom(timeTitles, name) }
