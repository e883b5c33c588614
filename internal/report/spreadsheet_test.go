package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
)

// In a table that is safe for spreadsheets, no text begins a formula, and numbers stay.
func TestSpreadsheetSafe(t *testing.T) {
	table := &report.Table{Columns: []report.Column{report.Strings("=a", []string{"=1+1", "+1", "-1", "@x", "a=b", "", "\tx"}), report.Floats("n", []float32{-1, 1, 2, 3, 4, 5, 6})}}
	var b bytes.Buffer
	if err := report.WriteCSV(&b, table.SpreadsheetSafe()); err != nil {
		t.Fatal(err)
	}
	if want := "'=a,n\n'=1+1,-1\n'+1,1\n'-1,2\n'@x,3\na=b,4\n,5\n'\tx,6\n"; b.String() != want {
		t.Errorf("%q, want %q", &b, want)
	}
	b.Reset()
	if err := report.WriteCSV(&b, table); err != nil || !strings.Contains(b.String(), "\n=1+1,-1\n") {
		t.Errorf("%v: %q, want the texts as they are", err, &b)
	}
}

// A page contains no control characters, whatever the data contain.
func TestPageControls(t *testing.T) {
	d := &report.Document{Title: "a\x1b[31m", Parts: []report.Part{&report.Listing{Columns: []report.ListingColumn{{Name: "x\x07", Left: true}}, Rows: [][]string{{"y\x1b[2J"}}}}}
	var b bytes.Buffer
	if err := d.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	body, err := d.Body()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{b.String(), string(body)} {
		if strings.ContainsAny(text, "\x1b\x07") || !strings.Contains(text, `y\x1b[2J`) {
			t.Errorf("%.300q", text)
		}
	}
}
