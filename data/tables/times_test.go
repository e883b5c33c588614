package tables_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// timed returns a table of edges with loops, parallel edges, equal times and missing times. text
// writes a time.
func timed(t *testing.T, seed uint64, form data.Edges, text func(hours int) string) *tables.Set {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	b.WriteString("source,target,w,time,label\n")
	for range 40 {
		at := text(r.IntN(60))
		if text(0) != "0" && r.IntN(8) == 0 { // a split by time needs all times
			at = ""
		}
		fmt.Fprintf(&b, "%d,%d,%g,%s,%d\n", r.IntN(7), r.IntN(7), r.NormFloat64(), at, r.IntN(2))
	}
	return read(t, tables.Options{Form: form}, "edges.csv", b.String())
}

// asDate writes a time as a date, in hours after a Monday.
func asDate(hours int) string {
	return time.Date(2024, 1, 1, hours, 0, 0, 0, time.UTC).Format(time.RFC3339)
}

func timeInput(t *testing.T, s *tables.Set, e *tables.Encoder, split *data.Split, part string, o tables.InputOptions) *tables.Input {
	t.Helper()
	in, err := s.Input(e, split, part, o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// fitTimes splits a set and fits an encoder with columns of time.
func fitTimes(t *testing.T, s *tables.Set, by tables.SplitOptions, past bool) (*data.Split, *tables.Encoder) {
	t.Helper()
	split, err := s.Split(by)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FitTimes(e, split, past, false, tables.InputOptions{}); err != nil {
		t.Fatal(err)
	}
	return split, e
}

// Columns of time equal their definition, computed by looking at all edges that count.
func TestTimes(t *testing.T) {
	for _, form := range []data.Edges{data.Directed, data.Undirected} {
		for seed := range uint64(10) {
			s := timed(t, seed, form, asDate)
			split, e := fitTimes(t, s, tables.SplitOptions{Seed: seed}, false)
			for _, part := range []string{tables.Train, tables.Valid, tables.Test} {
				in := timeInput(t, s, e, split, part, tables.InputOptions{Threads: 3})
				trains := map[int32]bool{}
				for _, i := range split.Train {
					trains[int32(i)] = true
				}
				touched := map[int32]bool{}
				for i := range trains {
					touched[s.Ends[2*i]], touched[s.Ends[2*i+1]] = true, true
				}
				counts := func(f int32) bool { // edges that count, as for structure columns
					return trains[f] || !touched[s.Ends[2*f]] && !touched[s.Ends[2*f+1]]
				}
				at := func(edge, v int32) map[string]float64 {
					now := s.Time[edge]
					since, until := math.NaN(), math.NaN()
					for _, f := range in.Edges {
						if f == edge || !counts(f) || s.Ends[2*f] != v && s.Ends[2*f+1] != v {
							continue
						}
						if gap := now - s.Time[f]; gap >= 0 && !(gap >= since) {
							since = gap
						}
						if gap := s.Time[f] - now; gap >= 0 && !(gap >= until) {
							until = gap
						}
					}
					none := func(gap float64) float64 {
						if gap != gap {
							return 1
						}
						return 0
					}
					return map[string]float64{"since": math.Log1p(since), "first": none(since), "until": math.Log1p(until), "last": none(until)}
				}
				for i, edge := range in.Edges {
					u, v := at(edge, s.Ends[2*edge]), at(edge, s.Ends[2*edge+1])
					for k, f := range e.Times.Fields {
						name, end, _ := strings.Cut(f.Name, "_")
						want := map[string]float64{"source": u[name], "target": v[name], "mean": (u[name] + v[name]) / 2, "difference": math.Abs(u[name] - v[name])}[end]
						now := time.Unix(int64(s.Time[edge]), 0).UTC()
						day, week := 2*math.Pi*float64(now.Hour())/24, 2*math.Pi*(float64(now.Weekday())*24+float64(now.Hour()))/168
						if name == "hour" || name == "weekday" {
							week -= 2 * math.Pi * 4 / 7 // January 1, 1970 was a Thursday
							want = map[string]float64{"hour_sin": math.Sin(day), "hour_cos": math.Cos(day), "weekday_sin": math.Sin(week), "weekday_cos": math.Cos(week)}[f.Name]
							if s.Time[edge] != s.Time[edge] {
								want = math.NaN()
							}
						}
						if want = (want - f.Mean) / f.Scale; want != want {
							want = 0
						}
						got := float64(in.Graph.Edge.Dense[i*in.Graph.Edge.Dim+1+k])
						if math.Abs(got-min(max(want, -5), 5)) > 1e-4 {
							t.Fatalf("%v, seed %d, %s, edge %d: %s is %v, want %v", form, seed, part, edge, f.Name, got, want)
						}
					}
				}
			}
		}
	}
}

// After a split by time no column reads later edges: earlier edges are the same to the bit for any
// later edges, in every part.
func TestTimesLookBack(t *testing.T) {
	for seed := range uint64(10) {
		s := timed(t, seed, data.Directed, func(h int) string { return fmt.Sprint(h) })
		split, e := fitTimes(t, s, tables.SplitOptions{By: tables.ByTime}, true)
		for _, f := range e.Times.Fields {
			if strings.HasPrefix(f.Name, "until") || strings.HasPrefix(f.Name, "last") || strings.Contains(f.Name, "hour") {
				t.Errorf("a column %s", f.Name)
			}
		}
		for _, part := range []string{tables.Train, tables.Valid, tables.Test} {
			for _, o := range []tables.InputOptions{{}, {Transductive: true}} {
				before := timeInput(t, s, e, split, part, o)
				for _, edge := range before.Edges {
					other := *s
					other.Time = slices.Clone(s.Time)
					for f := range other.Time {
						if s.Time[f] > s.Time[edge] {
							other.Time[f] += float64(1 + f%3)
						}
					}
					after := timeInput(t, &other, e, split, part, o)
					for i, f := range before.Edges {
						d := before.Graph.Edge.Dim
						if s.Time[f] <= s.Time[edge] && !slices.Equal(before.Graph.Edge.Dense[i*d:][:d], after.Graph.Edge.Dense[i*d:][:d]) {
							t.Fatalf("seed %d, %s: edge %d, of %v, changes with edges after %v", seed, part, f, s.Time[f], s.Time[edge])
						}
					}
				}
			}
		}
	}
}

// The unit of times is known for dates and for seconds and milliseconds since 1970.
func TestTimeUnits(t *testing.T) {
	for _, test := range []struct {
		text func(h int) string
		want float64
	}{
		{asDate, 1},
		{func(h int) string { return fmt.Sprint(1.6e9 + 3600*float64(h)) }, 1},
		{func(h int) string { return fmt.Sprint(1.6e12 + 3.6e6*float64(h)) }, 1},
		{func(h int) string { return fmt.Sprint(h) }, 0},
	} {
		s := timed(t, 1, data.Directed, test.text)
		_, e := fitTimes(t, s, tables.SplitOptions{}, false)
		hours := slices.ContainsFunc(e.Times.Fields, func(f tables.Field) bool { return f.Name == "hour_sin" })
		if e.Times.Second != test.want || hours != (test.want > 0) {
			t.Errorf("%s: a second is %v, hours %v, want %v", test.text(5), e.Times.Second, hours, test.want)
		}
	}
	s := read(t, tables.Options{Form: data.Directed}, "edges.csv", "source,target,label\na,b,1\nb,c,0\n")
	e, err := s.Fit([]int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FitTimes(e, &data.Split{Train: []int{0, 1}}, false, false, tables.InputOptions{}); err == nil || !strings.Contains(err.Error(), "has no column of times; --time names one") {
		t.Errorf("error %v without times", err)
	}
	e.Times = &tables.Times{Fields: []tables.Field{{Name: "since", Scale: 1}}}
	if _, err := e.WithTimes(graph.Ones(1), 2, []int32{0, 1}, []float64{1}, nil, 1); err == nil || !strings.Contains(err.Error(), `no column of time "since", expected one of ["since_source"`) {
		t.Errorf("error %v for a column that there is not", err)
	}
	if _, err := s.Whole(e, tables.InputOptions{}); err == nil || !strings.Contains(err.Error(), "has no column of times, which training had") {
		t.Errorf("error %v without times", err)
	}
}

// A time format that fits no column is refused. The error lists the columns that were tried.
func TestTimeFormat(t *testing.T) {
	const day, number = "source,target,when,label\na,b,31.01.2024,1\nb,c,1.2.2024,0\n", "source,target,when,label\na,b,20240131,1\nb,c,20240201,0\n"
	for _, c := range []struct {
		text string
		o    tables.Options
		want string // the error, or empty for none
	}{
		{day, tables.Options{TimeFormat: "2.1.2006"}, ""},
		{day, tables.Options{TimeFormat: "2.1.2006", Time: "when"}, ""},
		{day, tables.Options{TimeFormat: "2006-1-2"}, `no column has times written as --time-format says; tried the columns "when" (as "31.01.2024")`},
		{number, tables.Options{TimeFormat: "2006-1-2"}, "no column has texts; --time names a column of numbers"},
		{number, tables.Options{TimeFormat: "unix", Time: "when"}, ""},
		{"source,target,time,label\na,b,45322.5,1\nb,c,45323,0\n", tables.Options{TimeFormat: "excel"}, ""},
	} {
		_, err := tables.Read(fstest.MapFS{"edges.csv": {Data: []byte(c.text)}}, "x", c.o)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: error %q, want %q", c.text, got, c.want)
		}
	}
}

// Remarks name times that may be day numbers of spreadsheets, or a number that may mean a missing time.
func TestTimeNotes(t *testing.T) {
	for _, c := range []struct{ times, format, want string }{
		{"45322.5 45323 45324", "", "has numbers that may be days as spreadsheets count them, 45322 for 2024-01-31: --time-format excel reads them so"},
		{"45322.5 45323 45324", "excel", ""},
		{"1 2 3", "", ""},
		{"0 1700000000 0 1700000009 0", "", "has 0 in 3 rows and otherwise seconds since 1970; if it stands for no value, leave these cells empty"},
	} {
		text := "source,target,time\n"
		for _, x := range strings.Fields(c.times) {
			text += "a,b," + x + "\n"
		}
		s := read(t, tables.Options{TimeFormat: c.format}, "edges.csv", text)
		if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, c.want) || c.want == "" && notes != "" {
			t.Errorf("%s, format %q: notes %q, want %q", c.times, c.format, notes, c.want)
		}
		if c.format != "" && s.Time[0] != 1706702400 {
			t.Errorf("%s: the first time is %v, want noon of 2024-01-31", c.times, s.Time[0])
		}
	}
}
