package serve

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
)

// trips is a table with a column that identifies its rows, and a run on it.
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

// Predictions for tables name each edge by its ends and its key, also those of some edges.
func TestUploadKeys(t *testing.T) {
	text, dir := trips(t, 60)
	s := started(t, loadRuns(t, ordinary, dir), nil)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for name, test := range map[string]struct {
		lines []string
		want  []string // the first columns of the first row
	}{
		"all":  {lines, []string{"0", "0", "0", "1", "T0000"}},
		"some": {[]string{lines[0] + ",score", lines[1] + ",", lines[2] + ",true"}, []string{"0", "1", "1", "4", "T0001"}},
	} {
		q := tablesOf(t, "/v1/models/run/predict", "edges", strings.Join(test.lines, "\n"))
		q.header["Accept"] = "text/csv"
		r := ask(t, s, q)
		rows, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s: %v %+v", name, err, r)
		}
		if !slices.Equal(rows[0][:5], []string{"graph", "edge", "source", "target", "trip"}) || !slices.Equal(rows[1][:5], test.want) {
			t.Errorf("%s: %q, want %q", name, rows[:2], test.want)
		}
	}
}

// A reply to tables has the remarks that ehgnn predict makes.
func TestUploadWarnings(t *testing.T) {
	text, dir := trips(t, 60)
	s := started(t, loadRuns(t, ordinary, dir), nil)
	for name, test := range map[string]struct{ text, want string }{
		"as in training":      {text, ""},
		"another case":        {strings.Replace(text, "km,", "KM,", 1), `column \"KM\" is read as \"km\" of the training`},
		"an unknown category": {strings.Replace(text, "bus", "ferry", 1), `column \"kind\" of 1 edges has a category that training has not seen, which is taken for none; the first is \"ferry\"`},
		"another column":      {strings.Replace(strings.ReplaceAll(text, "\n", ",1\n"), "label,1", "label,extra", 1), `the model does not read the columns \"extra\"`},
		"an empty id":         {strings.Replace(text, "0,1,T0000", ",1,T0000", 1), "found nothing, expected an id"},
	} {
		r := ask(t, s, tablesOf(t, "/v1/models/run/predict", "edges", test.text))
		if strings.Count(r.body, test.want) != 1 && test.want != "" || strings.Contains(r.body, "warnings") && test.want == "" {
			t.Errorf("%s: %.300s ... %s, want %q", name, r.body, r.body[max(len(r.body)-300, 0):], test.want)
		}
	}
}
