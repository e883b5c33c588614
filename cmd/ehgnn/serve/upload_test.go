package serve

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// trips returns a table with a column that identifies its rows, and a run on it.
func trips(t *testing.T, rows int) (text, dir string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("source,target,trip,km,kind,label\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,%d,T%04d,%g,%s,%s\n", i%9, (3*i+1)%9, i, float64(i*17%40)/4, []string{"bus", "tram"}[i%2], []string{"late", "early"}[i*17%40/20])
	}
	path := filepath.Join(t.TempDir(), "trips.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return b.String(), trained(t, session.Request{Path: path})
}

// Predictions for tables name each edge by its ends and its key, also if only some edges are predicted,
// and have the other columns of the table.
func TestUploadKeys(t *testing.T) {
	text, dir := trips(t, 60)
	s := started(t, loadRuns(t, ordinary, dir), nil)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for name, test := range map[string]struct {
		lines []string
		want  []string // first columns of the first row
	}{
		"all":  {lines, []string{"0", "0", "0", "1", "T0000", "0", "bus", "late"}},
		"some": {[]string{lines[0] + ",score", lines[1] + ",", lines[2] + ",true"}, []string{"0", "1", "1", "4", "T0001", "4.25", "tram", "late"}},
	} {
		q := tablesOf(t, "/v1/models/run/predict", "edges", strings.Join(test.lines, "\n"))
		q.header["Accept"] = "text/csv"
		r := ask(t, s, q)
		rows, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s: %v %+v", name, err, r)
		}
		if !slices.Equal(rows[0][:9], []string{"graph", "edge", "source", "target", "trip", "km", "kind", "label", "prediction"}) || !slices.Equal(rows[1][:8], test.want) {
			t.Errorf("%s: %q, want %q", name, rows[:2], test.want)
		}
	}
}

// A reply to a table without rows has the columns of other replies.
func TestUploadWithoutRows(t *testing.T) {
	text, _ := trips(t, 60)
	path := filepath.Join(t.TempDir(), "trips.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]session.Request{
		"classes":           {},
		"sets of classes":   {Given: settings.Values{"coverage": 0.9}},
		"several members":   {Model: "mlp-edge", Given: settings.Values{"members": 2}},
		"numbers":           {Given: settings.Values{"label": "km"}},
		"numbers, interval": {Model: "mlp-edge", Given: settings.Values{"label": "km", "members": 2, "coverage": 0.9}},
	} {
		t.Run(name, func(t *testing.T) {
			r.Path = path
			s := started(t, loadRuns(t, ordinary, trained(t, r)), nil)
			header := func(text string) string {
				q := tablesOf(t, "/v1/models/run/predict", "edges", text)
				q.header["Accept"] = "text/csv"
				header, _, _ := strings.Cut(ask(t, s, q).body, "\n")
				return header
			}
			empty, _, _ := strings.Cut(text, "\n")
			if got, want := header(empty+"\n"), header(text); got != want {
				t.Errorf("columns %s without rows, %s with them", got, want)
			}
		})
	}
}

// A reply to tables has the remarks of ehgnn predict.
func TestUploadWarnings(t *testing.T) {
	text, dir := trips(t, 60)
	s := started(t, loadRuns(t, ordinary, dir), nil)
	for name, test := range map[string]struct{ text, want string }{
		"as in training":      {text, ""},
		"another case":        {strings.Replace(text, "km,", "KM,", 1), `column \"KM\" is read as \"km\" of the training`},
		"an unknown category": {strings.Replace(text, "bus", "ferry", 1), `column \"kind\" of 1 edges has a category that training has not seen, which is taken for none; the first is \"ferry\"`},
		"another column":      {strings.Replace(strings.ReplaceAll(text, "\n", ",1\n"), "label,1", "label,extra", 1), `the model does not read the columns \"extra\"`},
		"no categories":       {strings.NewReplacer("bus", "", "tram", "").Replace(text), `column \"kind\" has no value in any of 60 rows, and had values in training`},
		"no numbers":          {regexp.MustCompile(`,[0-9.]+,(bus|tram)`).ReplaceAllString(text, ",,$1"), `column \"km\" has no value in any of 60 rows, and had values in training`},
		"no value of one row": {strings.Join(strings.SplitAfter(strings.Replace(text, "bus", "", 1), "\n")[:2], ""), ""},
		"a rounded id":        {strings.Replace(text, "0,1,T0000", "1.23E+18,1,T0000", 1), "expected an id that was not rounded"},
		"an empty id":         {strings.Replace(text, "0,1,T0000", ",1,T0000", 1), "found nothing, expected an id"},
	} {
		r := ask(t, s, tablesOf(t, "/v1/models/run/predict", "edges", test.text))
		if strings.Count(r.body, test.want) != 1 && test.want != "" || strings.Contains(r.body, "warnings") && test.want == "" {
			t.Errorf("%s: %.300s ... %s, want %q", name, r.body, r.body[max(len(r.body)-300, 0):], test.want)
		}
	}
}

// In a run split by group, known labels in an edge's own group do not change its answer, in tables and in
// both JSON forms.
func TestUploadGroups(t *testing.T) {
	var past, now strings.Builder
	const header = "source,target,km,group,label\n"
	past.WriteString(header)
	for i := range 140 {
		fmt.Fprintf(&past, "%d,%d,%g,g%d,%s\n", i*5%7, i*3%5, float64(i*17%40)/4, i%10, []string{"x", "y"}[i%10/2%2])
	}
	path := filepath.Join(t.TempDir(), "groups.csv")
	if err := os.WriteFile(path, []byte(past.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := trained(t, session.Request{Path: path, Given: settings.Values{"split": "group", "label-context": "on"}})
	s := started(t, loadRuns(t, ordinary, dir), nil)
	now.WriteString(strings.TrimSpace(header) + ",score\n")
	for i, line := range strings.Split(strings.TrimSpace(past.String()), "\n")[1:60] {
		now.WriteString(line + "," + map[bool]string{true: "true"}[i == 4] + "\n")
	}
	flip := func(group string) string {
		return regexp.MustCompile(`,`+group+`,(.)`).ReplaceAllStringFunc(now.String(), func(m string) string {
			return m[:len(m)-1] + map[string]string{"x": "y", "y": "x"}[m[len(m)-1:]]
		})
	}
	linked := func(table string) string {
		rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var nodes, edges []string
		for i := range 7 {
			nodes = append(nodes, fmt.Sprintf(`{"id":%d}`, i))
		}
		for _, r := range rows[1:] {
			edges = append(edges, fmt.Sprintf(`{"source":%s,"target":%s,"km":%s,"group":%q,"label":%q,"score":%v}`, r[0], r[1], r[2], r[3], r[4], r[5] != ""))
		}
		return graphs(`{"directed":true,"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`)
	}
	for name, ask := range map[string]func(table string) string{
		"tables": func(table string) string {
			return ask(t, s, tablesOf(t, "/v1/models/run/predict", "edges", table)).body
		},
		"JSON": func(table string) string {
			return ask(t, s, asked{path: "/v1/models/run/predict", body: linked(table)}).body
		},
	} {
		want := ask(now.String())
		if !strings.Contains(want, `"edge":4`) || strings.Contains(want, "no group") {
			t.Fatalf("%s: %s", name, want)
		}
		if got := ask(flip("g4")); got != want {
			t.Errorf("%s: the labels of its own group change %s to %s", name, want, got)
		}
		if got := ask(flip("g3")); got == want {
			t.Errorf("%s: the labels of other groups change nothing", name)
		}
	}
}

// Numbers in tensors are read as in other requests.
func TestInferNumbers(t *testing.T) {
	_, dir := trips(t, 60)
	s := started(t, loadRuns(t, ordinary, dir), nil)
	body := func(km string) string {
		return `{"inputs":[{"name":"num_nodes","shape":[1],"datatype":"INT64","data":[2]},{"name":"num_edges","shape":[1],"datatype":"INT64","data":[1]},
			{"name":"edge_index","shape":[2,1],"datatype":"INT64","data":[0,1]},{"name":"e","shape":[1,2],"datatype":"FP32","data":[` + km + `,1]}]}`
	}
	if r := ask(t, s, asked{path: "/v2/models/run/infer", body: body("2.5")}); r.status != 200 {
		t.Fatalf("%+v", r)
	}
	if p := problemOf(t, ask(t, s, asked{path: "/v2/models/run/infer", body: body("1e39")})); p.Status != 422 || p.Pointer != "/e/0/0" {
		t.Errorf("%+v", p)
	}
}
