package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, filepath.Join(t.TempDir(), "payments"), 100, 800, 3); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "average_precision"); n != 4 {
		t.Errorf("output %q, want a line for each of four models", out.String())
	}
}

// The table of docs/edges.md is what the command prints, for these instructions.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four models for 150 epochs")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "edges.md"))
	if err != nil {
		t.Fatal(err)
	}
	level := kernel.Level()
	var want []string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, "|"); len(fields) > 8 && strings.TrimSpace(fields[2]) == level {
			for _, f := range fields[3:8] {
				want = append(want, strings.TrimSpace(f))
			}
		}
	}
	if want == nil {
		t.Skipf("docs/edges.md has no numbers for instructions %s", level)
	}
	var out strings.Builder
	if err := run(&out, filepath.Join(t.TempDir(), "payments"), 400, 6000, 150); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range regexp.MustCompile(`(?:average_precision|roc_auc|f1|precision|recall) (\d\.\d+)`).FindAllStringSubmatch(out.String(), -1) {
		got = append(got, f[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("the command prints\n%s\nwhich is %v, docs/edges.md has %v", &out, got, want)
	}
}
