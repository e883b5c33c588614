package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A date and a time of day in two columns give the same answer through every interface.
func TestDateAndTime(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("source,target,Date,Time,amount,label\n")
	for e := range 240 {
		fmt.Fprintf(&text, "a%d,b%d,2024-0%d-%02d,%02d:%02d,%d,%s\n", e%13, e%7, e%9+1, e%28+1, e%24, e%60, e*37%101, []string{"day", "night"}[(e%24)/12])
	}
	writeFiles(t, dir, "train.csv", text.String(),
		"new.csv", "source,target,Date,Time,amount\na1,b2,2024-05-05,03:30,7\na2,b3,NA,18:05,8\na3,b4,2024-06-06,,9\n",
		"whole.csv", "source,target,Time,amount\na1,b2,2024-05-05 03:30,7\na2,b3,,8\na3,b4,,9\n")
	x := &interfaces{t: t, dir: dir, run: filepath.Join(dir, "run")}
	succeed(t, "train", filepath.Join(dir, "train.csv"), "--model", "mlp-edge", "--time-features", "on", "--structure", "none", "--epochs", "2", "--hidden", "8", "--quiet", "--out", x.run)
	x.server = serverOf(t, x.run)
	predicted := func(file string) []string {
		return dayColumn(t, succeed(t, "predict", x.run, filepath.Join(dir, file)))
	}
	want := predicted("new.csv")
	const edges = `[{"source":0,"target":1,"Date":"2024-05-05","Time":"03:30","amount":7},{"source":2,"target":3,"Time":"18:05","Date":"NA","amount":8},{"source":4,"target":5,"Date":"2024-06-06","amount":9}]`
	const graph = `{"directed":true,"nodes":[{"id":0},{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}],"edges":` + edges + `}`
	body, kind := formOf(t, formFile{"edges", "edges.csv", "source,target,Date,Time,amount\na1,b2,2024-05-05,03:30,7\na2,b3,NA,18:05,8\na3,b4,2024-06-06,,9\n"})
	form := x.post(body, kind, "text/csv")
	served := x.post(`{"graphs":[`+graph+`]}`, "application/json", "text/csv")
	if form.Code != http.StatusOK || served.Code != http.StatusOK {
		t.Fatalf("a form has %d %s, JSON %d %s", form.Code, form.Body, served.Code, served.Body)
	}
	writeFiles(t, dir, "graph.json", graph)
	for name, got := range map[string][]string{"a time in one column": predicted("whole.csv"), "a form": dayColumn(t, form.Body.String()), "JSON to the server": dayColumn(t, served.Body.String())} {
		if !slices.Equal(got, want) {
			t.Errorf("%s gives %q, the table %q", name, got, want)
		}
	}
	var document struct {
		Edges []struct{ Probabilities []float64 }
	}
	if err := json.Unmarshal([]byte(succeed(t, "predict", x.run, filepath.Join(dir, "graph.json"))), &document); err != nil {
		t.Fatal(err)
	}
	for e, p := range document.Edges {
		if got := strconv.FormatFloat(p.Probabilities[0], 'g', -1, 32); got != want[e] {
			t.Errorf("edge %d of the document has probability %s, expected %s", e, got, want[e])
		}
	}
	if want[0] == want[1] {
		t.Errorf("the time of an edge does not matter: %q", want)
	}
}

// Attributes Date and Time of a document are one time, in training and through every interface.
func TestDateAndTimeOfDocuments(t *testing.T) {
	dir := t.TempDir()
	var edges []string
	for e := range 240 {
		edges = append(edges, fmt.Sprintf(`{"source":%d,"target":%d,"Date":"2024-0%d-%02d","Time":"%02d:%02d","label":%q}`,
			e%13, 13+e%7, e%9+1, e%28+1, e%24, e%60, []string{"day", "night"}[(e%9)/5]))
	}
	var nodes []string
	for v := range 20 {
		nodes = append(nodes, fmt.Sprintf(`{"id":%d}`, v))
	}
	whole := func(edges string) string {
		return `{"directed":true,"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + edges + `]}`
	}
	const asked = `{"source":0,"target":1,"Date":"2024-09-05","Time":"03:30"},{"source":2,"target":3,"time":"18:05","date":"2024-01-02"},{"source":4,"target":5,"Date":"2024-06-06"},{"source":4,"target":5,"Time":"11:10"}`
	writeFiles(t, dir, "train.json", whole(strings.Join(edges, ",")), "new.json", whole(asked),
		"whole.json", whole(`{"source":0,"target":1,"Time":"2024-09-05 03:30"},{"source":2,"target":3,"Time":"2024-01-02 18:05"},{"source":4,"target":5},{"source":4,"target":5}`))
	x := &interfaces{t: t, dir: dir, run: filepath.Join(dir, "run")}
	succeed(t, "train", filepath.Join(dir, "train.json"), "--model", "mlp-edge", "--structure", "none", "--epochs", "2", "--hidden", "8", "--quiet", "--out", x.run)
	x.server = serverOf(t, x.run)
	want := dayColumn(t, succeed(t, "predict", x.run, filepath.Join(dir, "new.json")))
	if want[0] == want[1] || want[2] != want[3] {
		t.Errorf("the dates of edges do not matter, or times without a date do: %q", want)
	}
	if got := dayColumn(t, succeed(t, "predict", x.run, filepath.Join(dir, "whole.json"))); !slices.Equal(got, want) {
		t.Errorf("a time in one attribute gives %q, two attributes %q", got, want)
	}
	served := x.post(`{"graphs":[`+whole(asked)+`]}`, "application/json", "text/csv")
	if got := dayColumn(t, served.Body.String()); !slices.Equal(got, want) {
		t.Errorf("the server gives %q, the file %q", got, want)
	}
	var answer struct {
		Edges []struct{ Probabilities []float64 }
	}
	document(t, runOnInput(t, whole(asked), "predict", x.run, "-").stdout, &answer)
	for e, p := range answer.Edges {
		if got := strconv.FormatFloat(p.Probabilities[0], 'g', -1, 32); got != want[e] {
			t.Errorf("edge %d of standard input has probability %s, expected %s", e, got, want[e])
		}
	}
	wrong := x.post(`{"graphs":[`+whole(`{"source":0,"target":1,"Date":"2024-09-05","Time":"noon"}`)+`]}`, "application/json", "text/csv")
	if wrong.Code != http.StatusUnprocessableEntity || !strings.Contains(wrong.Body.String(), "/edges/0/Time") {
		t.Errorf("a wrong time of day: %d %s", wrong.Code, wrong.Body)
	}
}

// dayColumn returns the probabilities of class day of a table of predictions.
func dayColumn(t *testing.T, table string) []string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "probability_day")
	var out []string
	for _, row := range rows[1:] {
		out = append(out, row[at])
	}
	return out
}
