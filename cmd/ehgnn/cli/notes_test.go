package cli_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notedRows are the rows of a table of calls with a column that identifies them.
func notedRows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,%d,%d.5,%s,call-%d,%s\n", i%9, (i*7+1)%9, i*13%50, []string{"home", "work"}[i%2], i, []string{"short", "long"}[i*13%50/25])
	}
	return b.String()
}

// Decisions made while reading new data are reported once on standard error and do not change predictions.
func TestPredictNotes(t *testing.T) {
	dir := t.TempDir()
	rows := notedRows(80)
	writeFiles(t, dir, "calls.csv", "source,target,minutes,place,call_id,label\n"+rows)
	run := filepath.Join(dir, "run")
	succeed(t, "train", filepath.Join(dir, "calls.csv"), "--epochs", "1", "--hidden", "8", "--quiet", "--out", run)
	want := runOnInput(t, "", "predict", run, filepath.Join(dir, "calls.csv"), "--split", "all", "--json").stdout
	for name, test := range map[string]struct {
		header, rows string
		notes        []string
		same         bool
	}{
		"as in training":          {"source,target,minutes,place,call_id,label", rows, nil, true},
		"another case":            {"Source,target,Minutes,PLACE,call_id,label", rows, []string{`column \"Minutes\" is read as \"minutes\" of the training`, `column \"PLACE\" is read as \"place\" of the training`}, true},
		"a column too many":       {"source,target,minutes,place,call_id,label,extra", strings.ReplaceAll(rows, "\n", ",1\n"), []string{`the model does not read the columns \"extra\"`}, true},
		"an unknown category":     {"source,target,minutes,place,call_id,label", strings.Replace(rows, "home", "train", 2), []string{`column \"place\" of 2 edges has a category that training has not seen, which is taken for none; the first is \"train\"`}, false},
		"a column without values": {"source,target,minutes,place,call_id,label", regexp.MustCompile("home|work").ReplaceAllString(rows, ""), []string{`column \"place\" has no value in any of 80 rows, and had values in training`}, false},
		"a row without values":    {"source,target,minutes,place,call_id,label", rows + ",,,,,\n", []string{"no value"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "new.csv")
			writeFiles(t, dir, "new.csv", test.header+"\n"+test.rows)
			r := runOnInput(t, "", "predict", run, file, "--json")
			if r.code != 0 || test.same != (probabilities(t, r.stdout) == probabilities(t, want)) {
				t.Errorf("exit code %d, predictions %.200s, want %.200s: %s", r.code, r.stdout, want, r.stderr)
			}
			for _, n := range test.notes {
				if strings.Count(r.stderr, n) != 1 {
					t.Errorf("standard error %q, want %q once", r.stderr, n)
				}
			}
			if len(test.notes) == 0 && strings.Contains(r.stderr, "level=WARN") {
				t.Errorf("standard error %q", r.stderr)
			}
		})
	}
}

// Documents of a stream get the remarks that tables get, each once.
func TestStreamNotes(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, "calls.csv", "source,target,minutes,place,call_id,label\n"+notedRows(80))
	run := filepath.Join(dir, "run")
	succeed(t, "train", filepath.Join(dir, "calls.csv"), "--epochs", "1", "--hidden", "8", "--quiet", "--out", run)
	text := func(minutes, place string) string {
		return `{"directed":true,"nodes":[{"id":0},{"id":1}],"edges":[{"source":0,"target":1,"` + minutes + `":7.5,"place":"` + place + `"}]}` + "\n"
	}
	want := runOnInput(t, text("minutes", "home"), "predict", run, "-")
	if want.code != 0 || want.stderr != "" {
		t.Fatalf("%+v", want)
	}
	r := runOnInput(t, text("Minutes", "home")+text("Minutes", "train")+text("Minutes", "bus"), "predict", run, "-")
	lines := strings.Split(r.stdout, "\n")
	if got := lines[0]; r.code != 0 || !strings.HasPrefix(got, strings.TrimSuffix(want.stdout, "}\n")+`,"remarks":[`) {
		t.Errorf("%+v, want %s", r, want.stdout)
	}
	for _, n := range []string{`column \"Minutes\" is read as \"minutes\" of the training`, `column \"place\" of 2 edges has a category that training has not seen, which is taken for none; the first is \"train\"`} {
		if strings.Count(r.stderr, n) != 1 {
			t.Errorf("standard error %q, want %q once", r.stderr, n)
		}
	}
	both := runOnInput(t, strings.Replace(text("minutes", "home"), `"minutes"`, `"MINUTES":1,"minutes"`, 1), "predict", run, "-")
	if both.stderr != "" && !strings.Contains(both.stderr, "MINUTES") || !strings.HasPrefix(both.stdout, strings.TrimSuffix(want.stdout, "}\n")) {
		t.Errorf("an attribute in two cases: %+v, want %+v", both, want)
	}
}

// probabilities returns the probabilities in the rows of predictions.
func probabilities(t *testing.T, text string) string {
	t.Helper()
	var rows []map[string]any
	document(t, text, &rows)
	out := ""
	for _, r := range rows {
		out += fmt.Sprint(r["probability_long"], " ")
	}
	return out
}
