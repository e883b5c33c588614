package experiment

import (
	"fmt"
	"math"
	"time"
)

// runsOption is how often each timing is repeated.
var runsOption = Option{Name: "runs", Help: "runs; the least time of all counts", Default: 100, Least: 1}

// seconds formats a time for the tables of timings.
func seconds(v float64) string { return fmt.Sprintf("%.3g", v) }

// sink prevents the compiler from removing work whose result is not used.
//
//lint:ignore U1000 it is there to be written
var sink any

func keep(v any) { sink = v }

// fastest is the shortest time of a call in seconds, over the given number of measurements; short
// calls are repeated so that the clock can resolve them. The minimum is least affected by other
// work on the machine.
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
