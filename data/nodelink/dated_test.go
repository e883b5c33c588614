package nodelink_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/nodelink"
)

// Two attributes of edges that are a date and a time of day are one time.
func TestDates(t *testing.T) {
	for name, c := range map[string]struct {
		edges string // attributes of each edge
		o     nodelink.Options
		want  string // columns
		noted bool
	}{
		"a pair":             {`"Date":"2024-01-31","Time":"13:05"; "Time":"01:00","Date":"2024-02-01"`, nodelink.Options{}, "Time: 2024-01-31T13:05:00Z 2024-02-01T01:00:00Z", true},
		"names of two words": {`"order_time":"1:05 PM","order_date":"01/31/2024"`, nodelink.Options{}, "order_time: 2024-01-31T13:05:00Z", true},
		"missing values":     {`"Date":"2024-01-31","Time":"13:05"; "Date":null,"Time":"13:05"; "Date":"2024-01-31"; "Date":"NA","Time":"13:05"`, nodelink.Options{}, "Time: 2024-01-31T13:05:00Z - - -", true},
		"no times of day":    {`"Date":"2024-01-31","Time":7; "Date":"2024-01-31","Time":8`, nodelink.Options{}, "Date: 2024-01-31 2024-01-31; Time: 7 8", false},
		"a whole time":       {`"Date":"2024-01-31","Time":"2024-01-31 13:05"`, nodelink.Options{}, "Date: 2024-01-31; Time: 2024-01-31T13:05:00Z", false},
		"other names":        {`"Day":"2024-01-31","Time":"13:05"`, nodelink.Options{}, "Day: 2024-01-31; Time: 47100", false},
		"a date left out":    {`"Date":"2024-01-31","Time":"13:05"`, nodelink.Options{Ignore: []string{"Date"}}, "Time: 47100", false},
		"a category":         {`"Date":"2024-01-31","Time":"13:05"`, nodelink.Options{Categories: []string{"Time"}}, "Date: 2024-01-31; Time: 13:05", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := read(t, document(c.edges), c.o)
			var columns []string
			for _, x := range s.EdgeColumns {
				text := x.Name + ":"
				for row := range s.NumEdges() {
					text += " " + cmp.Or(x.String(row), "-")
				}
				columns = append(columns, text)
			}
			if got := strings.Join(columns, "; "); got != c.want {
				t.Errorf("columns %s, want %s", got, c.want)
			}
			note := slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "are read as one time") })
			if note != c.noted {
				t.Errorf("notes %q, noted %v", s.Notes, c.noted)
			}
		})
	}

	const want = `x.json:2: document 2, edge 1: attribute "Time" has its date in attribute "Date", which is a list of numbers that are not whole`
	text := document(`"Date":"2024-01-31","Time":"13:05"`) + "\n" + document(`"Date":[1.5],"Time":"13:05"`)
	if _, err := nodelink.Read(strings.NewReader(text), "x.json", nodelink.Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// document is a document with an edge for each list of attributes.
func document(edges string) string {
	var list []string
	for _, e := range strings.Split(edges, "; ") {
		list = append(list, `{"source":1,"target":2,`+e+"}")
	}
	return `{"nodes":[{"id":1},{"id":2}],"edges":[` + strings.Join(list, ",\n") + "]}"
}
