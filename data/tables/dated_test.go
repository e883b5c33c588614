package tables_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

// Dates and times of day in two columns are one time, if the names of the columns say so.
func TestDateAndTime(t *testing.T) {
	const january = 1706659200 // 2024-01-31
	for name, c := range map[string]struct {
		names, rows string
		time        string // option
		want        []float64
		features    []string
	}{
		"two columns":          {"Date,Time", "2024-01-31,13:05\n2024-01-31,00:00\n2024-02-01,01:00:10", "", []float64{january + 47_100, january, january + 90_010}, nil},
		"names of two words":   {"order_time,order_date", "1:05 PM,01/31/2024\n12:00 AM,01/31/2024\n2:00 AM,02/01/2024", "order_time", []float64{january + 47_100, january, january + 93_600}, nil},
		"German":               {"Datum,Uhrzeit", "31.01.2024,13:05\n31.01.2024,00:00\n01.02.2024,01:00", "", []float64{january + 47_100, january, january + 90_000}, nil},
		"two pairs":            {"end_date,end_time,start_date,start_time", "2024-01-31,13:05,2024-01-31,13:00\n2024-01-31,00:00,2024-01-30,23:00\n2024-02-01,01:00,2024-02-01,00:00", "", []float64{january + 47_100, january, january + 90_000}, []string{"start_date", "start_time"}},
		"French":               {"date,heure", "31/01/2024,13:05\n31/01/2024,00:00\n01/02/2024,01:00", "", []float64{january + 47_100, january, january + 90_000}, nil},
		"a date and hours":     {"date,heure", "31/01/2024,13\n31/01/2024,0\n01/02/2024,1", "", []float64{january, january, january + 86_400}, []string{"heure"}},
		"no times by option":   {"Datum,Uhrzeit", "31.01.2024,13:05\n31.01.2024,00:00\n01.02.2024,01:00", "-", nil, []string{"Datum", "Uhrzeit"}},
		"no times of day":      {"Datum,Uhrzeit", "31.01.2024,7\n31.01.2024,8\n01.02.2024,9", "", nil, []string{"Datum", "Uhrzeit"}},
		"German beside a list": {"emb,Datum,Uhrzeit", "\"[1.5, 2]\",31.01.2024,13:05\n\"[3, 4]\",31.01.2024,00:00\n\"[5, 6]\",31.01.2024,01:00", "", []float64{january + 47_100, january, january + 3600}, []string{"emb_0", "emb_1"}},
		"missing values":       {"Date,Time", ",13:05\n2024-01-31,NA\n2024-01-31,13:05", "", []float64{math.NaN(), math.NaN(), january + 47_100}, nil},
		"beside a list":        {"emb,Date,Time", "\"[1.5, 2]\",2024-01-31,13:05\n\"[3, 4]\",2024-01-31,00:00\n\"[5, 6]\",2024-01-31,01:00", "", []float64{january + 47_100, january, january + 3600}, []string{"emb_0", "emb_1"}},
		"a whole time":         {"Date,Time", "2024-01-31,2024-01-31 13:05\n2024-01-31,2024-01-31 00:00\n2024-02-01,2024-02-01 01:00", "", []float64{january + 47_100, january, january + 90_000}, []string{"Date"}},
		"a number":             {"Date,Time", "2024-01-31,7\n2024-01-31,8\n2024-02-01,9", "", []float64{7, 8, 9}, []string{"Date"}},
		"the date is the time": {"Date,Time", "2024-01-31,13:05\n2024-01-31,00:00\n2024-02-01,01:00", "Date", []float64{january, january, january + 86_400}, []string{"Time"}},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("source,target," + c.names + ",label\n")
			for i, row := range strings.Split(c.rows, "\n") {
				text.WriteString([]string{"a,b,", "b,c,", "c,a,"}[i] + row + ",0.5\n")
			}
			s := read(t, tables.Options{Time: c.time, KeepColumns: true}, "edges.csv", text.String())
			same := func(a, b float64) bool { return a == b || a != a && b != b }
			if !slices.EqualFunc(s.Time, c.want, same) {
				t.Errorf("times %v, expected %v", s.Time, c.want)
			}
			var features []string
			for _, f := range s.EdgeColumns {
				features = append(features, f.Name)
			}
			if !slices.Equal(features, c.features) {
				t.Errorf("features %q, expected %q", features, c.features)
			}
			joined := strings.Contains(strings.Join(s.Notes, "\n"), "are read as one time")
			if want := c.want != nil && len(c.features) != 1; joined != want {
				t.Errorf("notes %q, a note of one time: %t, expected %t", s.Notes, joined, want)
			}
		})
	}
}

// A wrong time of day is named, not a right one before it.
func TestWrongTimeOfDay(t *testing.T) {
	_, err := tables.Read(folderOf("edges.csv", "source,target,Date,Time,label\na,b,2024-01-31,13:05,0.5\nb,c,2024-02-01,25:99,1.5\nc,a,2024-02-02,14:00,2.5\n"), "toy", tables.Options{})
	if want := `edges.csv:3: column "Time" is "25:99", expected a time as `; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, expected %q in it", err, want)
	}
}
