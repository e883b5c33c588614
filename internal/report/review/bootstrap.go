package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// Limits of the bootstrap. Its work is items times samples.
const (
	fewestSamples, mostSamples = 200, 1000
	bootstrapWork              = 20_000_000
	mostBootstrapped           = 200_000 // items; with more, intervals are too narrow to matter
)

// unitsOf returns the groups of rows that are drawn together: rows that the split keeps together, or
// the rows of one of many graphs, because they depend on each other. Otherwise each row is a group.
func unitsOf(o *task.Outcome, many bool, rows []int32) [][]int32 {
	var out [][]int32
	known := map[int]int{}
	for _, i := range rows {
		key := int(i)
		switch {
		case o.Unit != nil:
			key = int(o.Unit[i])
		case many:
			key = o.At[i].Graph
		}
		u, ok := known[key]
		if !ok {
			u = len(out)
			known[key], out = u, append(out, nil)
		}
		out[u] = append(out[u], i)
	}
	return out
}

// manyGraphs reports whether items other than graphs belong to many graphs.
func (r *Review) manyGraphs() bool {
	return r.outcome.Level != settings.Graphs && len(r.session.Graphs(source.PartTest)) > 1
}

// bootstrap repeatedly draws as many units as there are, with replacement, and returns the middle
// 95 % of each score. rows are the rows of all units in the order of scoring. A score that is
// undefined in most samples has no interval.
func bootstrap(ctx context.Context, score scorer, units [][]int32, rows []int32, seed uint64, threads int) (map[string][2]float64, error) {
	if len(rows) > mostBootstrapped || len(units) < 2 {
		return nil, nil
	}
	samples := samplesOf(len(rows))
	scores := make([]train.Scores, samples)
	err := draws(ctx, rng.Stream(seed, "review", "bootstrap"), samples, units, int(slices.Max(rows))+1, threads, func(sample int, times []int32) (err error) {
		drawn := make([]int32, 0, len(rows))
		for _, row := range rows {
			for range times[row] {
				drawn = append(drawn, row)
			}
		}
		scores[sample], err = score(drawn)
		return err
	})
	if err != nil {
		return nil, err
	}
	out, values := map[string][2]float64{}, map[string][]float64{}
	for _, of := range scores {
		for _, s := range of {
			values[s.Name] = append(values[s.Name], s.Value)
		}
	}
	for name, v := range values {
		if low, high, ok := middle(v, samples); ok {
			out[name] = [2]float64{low, high}
		}
	}
	return out, nil
}

// samplesOf is the number of bootstrap samples for so many items; 0 if there are so many that intervals would be
// too narrow to matter.
func samplesOf(items int) int {
	if items == 0 || items > mostBootstrapped {
		return 0
	}
	return min(max(bootstrapWork/items, fewestSamples), mostSamples)
}

// draws repeatedly draws as many units as there are, with replacement, and calls f. times says how often each of n rows
// was drawn. f is called concurrently and must not keep times.
func draws(ctx context.Context, random *rand.Rand, samples int, units [][]int32, n, threads int, f func(sample int, times []int32) error) error {
	rows, ends := slices.Concat(units...), make([]int, len(units)+1) // contiguous, because they are read in random order
	for u, of := range units {
		ends[u+1] = ends[u] + len(of)
	}
	var drawing sync.Mutex
	next, errs := 0, make([]error, samples)
	draw := func(times []int32) (sample int, ok bool) {
		drawing.Lock()
		defer drawing.Unlock()
		if next == samples || ctx.Err() != nil {
			return 0, false
		}
		clear(times)
		for range units {
			u := random.IntN(len(units))
			for _, row := range rows[ends[u]:ends[u+1]] {
				times[row]++
			}
		}
		next++
		return next - 1, true
	}
	pool := par.New(threads)
	pool.Do(slices.Repeat([]func(){func() {
		times := make([]int32, n)
		for sample, ok := draw(times); ok; sample, ok = draw(times) {
			if errs[sample] = f(sample, times); errs[sample] != nil {
				return
			}
		}
	}}, min(pool.Threads(), samples))...)
	return cmp.Or(ctx.Err(), errors.Join(errs...))
}

// middle returns the bounds of the middle 95 % of values; false if most samples do not define a value.
func middle(values []float64, samples int) (low, high float64, ok bool) {
	v := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if 2*len(v) <= samples {
		return 0, 0, false
	}
	slices.Sort(v)
	return quantile(v, 0.025), quantile(v, 0.975), true
}

// quantile interpolates linearly between sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// describeIntervals explains the intervals, or why there are none.
func describeIntervals(intervals map[string][2]float64, o *task.Outcome, units int) string {
	switch {
	case len(o.At) > mostBootstrapped:
		return fmt.Sprintf("Of more than %d items there are no intervals: they would be narrower than matters.", mostBootstrapped)
	case units < 2 || intervals == nil:
		return ""
	}
	what := fmt.Sprintf("%s by %s", o.Level, o.Level)
	switch {
	case units < len(o.At) && o.Unit != nil:
		what = fmt.Sprintf("those %ss at once that the split keeps together", o.Level)
	case units < len(o.At) && o.Level != settings.Graphs:
		what = "graph by graph"
	}
	return fmt.Sprintf("Brackets: 95 %% interval from a bootstrap of the test set, %s. It does not include variation between training seeds.", what)
}
