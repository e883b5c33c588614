package items_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
)

// classes are predictions of payments: the first is right, the second wrong with a high
// probability, the third wrong, the fourth has no label, and the fifth is right.
const classes = `edge,source,target,label,prediction,probability_0,probability_1
7,a,b,0,0,0.9,0.1
8,b,c,1,0,0.875,0.125
9,c,"d, e",0,1,0.25,0.75
10,d,a,,1,0.5,0.5
11,a,c,1,1,0.1,0.9
`

// numbers are predictions of two numbers, one of which is about a hundred times as large as the other.
const numbers = `graph,target_a,prediction_a,target_b,prediction_b
0,1,1.5,100,100
1,3,3,300,320
2,,2,200,200
`

// stored returns a run folder with predictions.
func stored(t *testing.T, predictions, positive string) *items.Set {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("predictions.csv", predictions)
	if positive != "" {
		write("environment.json", fmt.Sprintf(`{"result":{"positive_class":%q}}`, positive))
	}
	s, err := items.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rows returns the values of a column for all items that a query selects.
func rows(t *testing.T, s *items.Set, column string, q items.Query) (out []string) {
	t.Helper()
	p, err := s.Select(q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	for _, r := range p.Rows {
		out = append(out, r.Text(column))
	}
	return out
}

func TestSelect(t *testing.T) {
	payments, fraud, regression := stored(t, classes, ""), stored(t, classes, "1"), stored(t, numbers, "")
	for _, c := range []struct {
		set    *items.Set
		column string
		q      items.Query
		want   string
	}{
		{payments, "edge", items.Query{}, "8 9 7 11 10"}, // the largest error first, items without a label last
		{payments, "error", items.Query{}, "0.875 0.75 0 0 "},
		{fraud, "edge", items.Query{}, "11 9 10 8 7"}, // the most probable first
		{payments, "edge", items.Query{Sort: "row"}, "7 8 9 10 11"},
		{payments, "edge", items.Query{Sort: "edge"}, "7 8 9 10 11"}, // sorted as numbers
		{payments, "edge", items.Query{Sort: "-source"}, "10 9 8 7 11"},
		{payments, "edge", items.Query{Filter: "error>0"}, "8 9"},
		{payments, "edge", items.Query{Filter: "error>=0.875 label=1"}, "8"},
		{payments, "edge", items.Query{Filter: `target="d, e"`}, "9"},
		{payments, "edge", items.Query{Filter: "target~D"}, "9"},
		{payments, "edge", items.Query{Filter: `"D, "`}, "9"},
		{payments, "edge", items.Query{Filter: "label= prediction!=0"}, "10"},
		{payments, "edge", items.Query{Filter: "part=test edge<8"}, "7"},
		{payments, "edge", items.Query{Filter: "nothing"}, ""},
		{payments, "edge", items.Query{Part: "test", After: "3"}, "11 10"},
		{payments, "edge", items.Query{After: "100"}, ""},
		{regression, "graph", items.Query{}, "0 1 2"}, // an error of half a deviation before one of a fifth
	} {
		if got := strings.Join(rows(t, c.set, c.column, c.q), " "); got != c.want {
			t.Errorf("%+v: %s\nwant %s", c.q, got, c.want)
		}
	}
}

func TestQueryErrors(t *testing.T) {
	s := stored(t, classes, "")
	for want, q := range map[string]items.Query{
		"sort: no column":                  {Sort: "size"},
		`part: no items of part "train"`:   {Part: "train"},
		`filter: "size>3", expected`:       {Filter: "size>3"},
		`filter: edge>x: "x" is no number`: {Filter: "edge>x"},
		`after: "x"`:                       {After: "x"},
		`after: "-1"`:                      {After: "-1"},
	} {
		_, err := s.Select(q)
		var wrong *items.QueryError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", q, err, want)
		}
	}
	if _, err := items.Open(t.TempDir()); !errors.Is(err, items.ErrNone) {
		t.Errorf("an empty folder: %v", err)
	}
}

// Paging through the items visits each once, and the CSV file has them in the same order.
func TestPages(t *testing.T) {
	var b strings.Builder
	b.WriteString("graph,label,prediction\n")
	const n = 2*items.PageSize + 17
	for i := range n {
		fmt.Fprintf(&b, "%d,%d,%d\n", i, i%7, i%5)
	}
	s := stored(t, b.String(), "")
	q := items.Query{Filter: "graph>3"}
	var visited []string
	for pages := 0; ; pages++ {
		p, err := s.Select(q)
		if err != nil || pages > 3 {
			t.Fatalf("page %d: %v", pages, err)
		}
		if p.Total != n-4 || p.Begin != len(visited) || len(p.Rows) > items.PageSize {
			t.Errorf("page %d: %d of %d from %d on", pages, len(p.Rows), p.Total, p.Begin)
		}
		for _, r := range p.Rows {
			visited = append(visited, r.Text("graph"))
		}
		if q.After = p.Next; q.After == "" {
			break
		}
	}
	var csv bytes.Buffer
	if err := s.WriteCSV(&csv, items.Query{Filter: "graph>3"}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(csv.String()), "\n")
	if lines[0] != "graph,label,prediction,part,error" || len(lines) != n-3 {
		t.Fatalf("%d lines after %s", len(lines)-1, lines[0])
	}
	for i, line := range lines[1:] {
		if graph, _, _ := strings.Cut(line, ","); graph != visited[i] {
			t.Fatalf("line %d is on graph %s, the pages have %s there", i+1, graph, visited[i])
		}
	}
	slices.Sort(visited)
	if len(slices.Compact(visited)) != n-4 {
		t.Error("a page repeats an item")
	}
}

// Class names that look like numbers stay texts, and missing values are null.
func TestValues(t *testing.T) {
	p, err := stored(t, classes, "").Select(items.Query{Filter: "edge=10"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(p.Rows[0].Values())
	if want := `{"edge":10,"error":null,"label":"","part":"test","prediction":"1","probability_0":0.5,"probability_1":0.5,"row":3,"source":"d","target":"a"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}

// Predictions are read again only when their file has changed.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	k := &items.Kept{Dir: dir}
	if _, err := k.Set(); !errors.Is(err, items.ErrNone) {
		t.Errorf("an empty folder: %v", err)
	}
	write := func(text string) *items.Set {
		if err := os.WriteFile(filepath.Join(dir, "predictions.csv"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := k.Set()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := write("graph,label,prediction\n0,1,1\n")
	if again, err := k.Set(); err != nil || again != first {
		t.Errorf("read again, %v", err)
	}
	if write("graph,label,prediction\n0,1,1\n1,0,1\n") == first {
		t.Error("the predictions have changed, and were not read again")
	}
}

// Names of nodes are texts in JSON, also above 2^53.
func TestValuesNames(t *testing.T) {
	const table = "edge,source,target,transaction,label,prediction\n0,9007199254740993,2,17,1.5,2\n"
	p, err := stored(t, table, "").Select(items.Query{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(p.Rows[0].Values())
	for _, want := range []string{`"source":"9007199254740993"`, `"target":"2"`, `"transaction":"17"`, `"edge":0`, `"label":1.5`} {
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

// The CSV of the page contains no formulas from the data.
func TestCSVFormulas(t *testing.T) {
	var b strings.Builder
	if err := stored(t, "edge,source,target,label,prediction\n0,=1+1,@b,-1.5,2\n", "").WriteCSV(&b, items.Query{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\n0,'=1+1,'@b,-1.5,2,") {
		t.Errorf("%q", &b)
	}
}
