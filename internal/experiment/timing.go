package experiment

import (
	"fmt"
	"math"
	"time"
)

// runsOption is how often the timings repeat what they measure.
var runsOption = Option{Name: "runs", Help: "runs; the least time of all counts", Default: 100, Least: 1}

// seconds writes a time as the tables of timings do.
func seconds(v float64) string { return fmt.Sprintf("%.3g", v) }

// sink keeps the compiler from dropping work whose result is unused.
//
//lint:ignore U1000 it is there to be written
var sink any

func keep(v any) { sink = v }

// fastest is the least time of one call in seconds, over the given number of
// calls; short ones are repeated so that the clock can resolve them. The least
// is what the work takes when nothing disturbs it.
func fastest(runs int, f func()) float64 {
	f()
	repeat := 1
	best := math.Inf(1)
	for range runs {
		start := time.Now()
		for range repeat {
			f()
		}
		took := time.Since(start)
		best = min(best, took.Seconds()/float64(repeat))
		if took < 20*time.Microsecond {
			repeat *= 8
		}
	}
	return best
}
