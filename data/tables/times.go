package tables

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Times are time columns of an encoder: the time since the previous and until the next edge at each
// end, as logarithms, with a column that says that there is none; and, if the unit of times is
// known, the hour of the day and the day of the week (UTC) as points on a circle.
type Times struct {
	Fields []Field `json:"fields"`
	// Past leaves out what comes later, for example after a split by time. Then neighbours in time are
	// all edges that the model sees; otherwise they are the edges that structure columns count, so
	// that a training edge looks like a later one (Set.FitStructure).
	Past bool `json:"past,omitempty"`
	// Second is the length of a second in the unit of the times since 1970; 0 if it is not known.
	Second float64 `json:"second,omitempty"`
}

// Time columns about an end or, for undirected edges, about both ends: the mean and the difference
// of the two.
var (
	timeColumns = []string{"since", "first", "until", "last"}
	timeEnds    = []string{"source", "target"}
	timeBoth    = []string{"mean", "difference"}
	clockNames  = []string{"hour_sin", "hour_cos", "weekday_sin", "weekday_cos"}
)

const timeWidth = 4 // of an end

// Families of time columns.
const (
	TimeClock   = "clock"   // time of the day and of the week
	TimeSince   = "since"   // time since the previous and until the next edges
	TimeHistory = "history" // numbers and ages of earlier edges
)

// TimeFamily is the family of a time column.
func TimeFamily(name string) string {
	switch {
	case slices.Contains(clockNames, name):
		return TimeClock
	case slices.Contains(historyDirected, name), slices.Contains(historyUndirected, name):
		return TimeHistory
	}
	return TimeSince
}

// names lists all time columns.
func (t *Times) names(directed bool) []string {
	ends := timeBoth
	if directed {
		ends = timeEnds
	}
	var out []string
	for _, end := range ends {
		for _, c := range timeColumns {
			out = append(out, c+"_"+end)
		}
	}
	return slices.Concat(out, clockNames, historyNames(directed))
}

// FitTimes adds time columns to an encoder of edges, fitted to the training edges. Columns that are
// constant on them are left out. With earlier, history columns are included, which requires past.
func (s *Set) FitTimes(e *Encoder, split *data.Split, past, earlier bool, o InputOptions) error {
	if s.Time == nil {
		return fmt.Errorf("tables: %s has no column of times; --time names one", s.Name)
	}
	in, err := s.seen(split, Train, o)
	if err != nil {
		return err
	}
	t := &Times{Past: past, Second: s.second()}
	if past && earlier {
		for _, name := range historyNames(s.Directed) { // so that they are computed
			t.Fields = append(t.Fields, Field{Name: name})
		}
	}
	rows := t.rows(len(in.Nodes), in.ends(s), in.times(s), in.known, s.Directed, o.Threads)
	names := t.names(s.Directed)
	if t.Fields = nil; !past || !earlier {
		names = names[:len(names)-len(historyNames(s.Directed))]
	}
	width := len(t.names(s.Directed))
	value := make([]float64, len(in.Edges))
	for k, name := range names {
		for i := range value {
			value[i] = rows[i*width+k]
		}
		f := Field{Name: name}
		var n int
		f.Mean, f.Scale, n = schema.MeanScale(value, in.Scored)
		if n == 0 || !slices.ContainsFunc(in.Scored, func(i int32) bool { return value[i] == value[i] && value[i] != value[in.Scored[0]] }) {
			continue
		}
		t.Fields = append(t.Fields, f)
	}
	e.Times = nil
	if len(t.Fields) > 0 {
		e.Times = t
	}
	return nil
}

// second is the length of a second in the unit of the times, 0 if it is not known: 1 for dates, and
// for numbers that are seconds since 1970 between 2001 and 2033; a thousand for milliseconds of
// these years.
func (s *Set) second() float64 {
	if s.Dates {
		return 1
	}
	least, most := schema.Span(s.Time, math.NaN())
	for _, second := range []float64{1, 1000} {
		if least >= 1e9*second && most <= 2e9*second {
			return second
		}
	}
	return 0
}

// times are the times of the input's edges.
func (in *Input) times(s *Set) []float64 {
	return lists.Take(s.Time, in.Edges)
}

// WithTimes adds the encoder's time columns, standardised, to the features of the edges of a graph,
// after their numbers. They replace the constant feature of edges without features. times are the
// times of the edges, NaN if missing; known are the edges that structure columns count, nil for
// all.
func (e *Encoder) WithTimes(own graph.Features, nodes int, ends []int32, times []float64, known []int32, threads int) (graph.Features, error) {
	if e.Times == nil {
		return own, nil
	}
	directed := e.Options.Form == data.Directed
	return e.timeTable(own, e.Times.rows(nodes, ends, times, known, directed, threads), len(ends)/2)
}

// timeTable is own with the encoder's time columns, standardised; rows has all time columns of n edges.
func (e *Encoder) timeTable(own graph.Features, rows []float64, n int) (graph.Features, error) {
	names, k := e.Times.names(e.Options.Form == data.Directed), len(e.Times.Fields)
	column := make([]int, k)
	for i, f := range e.Times.Fields {
		if column[i] = slices.Index(names, f.Name); column[i] < 0 {
			return own, fmt.Errorf("tables: no column of time %q, expected one of %q", f.Name, names)
		}
	}
	out, room := widened(own, len(e.Edges)+len(e.Structure) == 0, n, k)
	for i := range n {
		to := room(i)
		for c, f := range e.Times.Fields {
			x := (rows[i*len(names)+column[c]] - f.Mean) / f.Scale
			if x != x { // missing
				x = 0
			}
			to[c] = float32(min(max(x, -maxStructure), maxStructure))
		}
	}
	return out, nil
}

// rows returns all columns of all edges, NaN if missing.
func (t *Times) rows(nodes int, ends []int32, times []float64, known []int32, directed bool, threads int) []float64 {
	if t.Past {
		known = nil
	}
	l := newTimeline(nodes, ends, times, known)
	width := len(t.names(directed))
	out := make([]float64, len(times)*width)
	par.New(threads).Rows(len(times), 64, func(lo, hi int) {
		for e := lo; e < hi; e++ {
			t.write(out[e*width:][:width], times[e], directed, func(end int) (since, until float64) { return l.gaps(ends[2*e+end], times[e], int32(e)) })
		}
	})
	if t.readsHistory(directed) {
		first := width - len(historyNames(directed))
		newPast(nodes).follow(ends, times, directed, func(e int) []float64 { return out[e*width+first : (e+1)*width] })
	}
	return out
}

// write writes the columns of an edge except history; around is the time since the previous and until the next edge
// at one of its ends.
func (t *Times) write(row []float64, time float64, directed bool, around func(end int) (since, until float64)) {
	var ends [2][timeWidth]float64
	for end := range ends {
		since, until := around(end)
		if t.Past {
			until = math.NaN()
		}
		for i, gap := range []float64{since, until} {
			ends[end][2*i], ends[end][2*i+1] = math.Log1p(gap), 0
			if gap != gap && !(i == 1 && t.Past) {
				ends[end][2*i+1] = 1
			}
		}
	}
	for i, a := range ends[0] {
		b := ends[1][i]
		if directed {
			row[i], row[timeWidth+i] = a, b
		} else {
			row[i], row[timeWidth+i] = (a+b)/2, math.Abs(a-b)
		}
	}
	t.clock(row[2*timeWidth:], time)
}

// clock writes the time of the day and of the week.
func (t *Times) clock(to []float64, time float64) {
	for i, period := range []float64{day, 7 * day} {
		to[2*i], to[2*i+1] = math.NaN(), math.NaN()
		if t.Second > 0 {
			to[2*i], to[2*i+1] = math.Sincos(2 * math.Pi * math.Mod(time/t.Second, period) / period)
		}
	}
}

// timeline lists the known edges at each node, earliest first.
type timeline struct {
	times []float64
	ptr   []int32
	edge  []int32
}

func newTimeline(nodes int, ends []int32, times []float64, known []int32) *timeline {
	if known == nil {
		known = lists.Range[int32](len(times))
	}
	order := byTime(known, times)
	l := &timeline{times: times, ptr: make([]int32, nodes+1)}
	at := func(e int32, f func(v int32)) {
		u, v := ends[2*e], ends[2*e+1]
		if f(u); u != v {
			f(v)
		}
	}
	for _, e := range order {
		at(e, func(v int32) { l.ptr[v+1]++ })
	}
	for v := range nodes {
		l.ptr[v+1] += l.ptr[v]
	}
	next := slices.Clone(l.ptr)
	l.edge = make([]int32, l.ptr[nodes])
	for _, e := range order {
		at(e, func(v int32) { l.edge[next[v]] = e; next[v]++ })
	}
	return l
}

// byTime returns the edges that have a time, earliest first.
func byTime(edges []int32, times []float64) []int32 {
	order := slices.DeleteFunc(slices.Clone(edges), func(e int32) bool { return times[e] != times[e] })
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case times[a] < times[b]:
			return -1
		case times[a] > times[b]:
			return 1
		}
		return int(a - b)
	})
	return order
}

// gaps returns the time since the previous known edge at a node, and until the next, for an edge at some
// time. The edge itself does not count; the result is 0 for another edge of the same time, and NaN for
// none.
func (l *timeline) gaps(v int32, t float64, e int32) (since, until float64) {
	if t != t {
		return t, t
	}
	list := l.edge[l.ptr[v]:l.ptr[v+1]]
	at, _ := slices.BinarySearchFunc(list, t, func(f int32, t float64) int {
		if l.times[f] < t {
			return -1
		}
		return 1 // at is the first edge that is not earlier
	})
	since, until = math.NaN(), math.NaN()
	if at > 0 {
		since = t - l.times[list[at-1]]
	}
	for _, f := range list[at:] {
		if f == e {
			continue
		}
		if until = l.times[f] - t; until == 0 {
			since = 0
		}
		break
	}
	return since, until
}
