package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// The command writes the tables and prints a line for each model; without epochs it only writes the tables.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, filepath.Join(t.TempDir(), "payments"), 100, 800, 3, false); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "average_precision"); n != 4 {
		t.Errorf("output %q, want a line for each of four models", out.String())
	}
	out.Reset()
	if err := run(&out, filepath.Join(t.TempDir(), "payments"), 100, 800, 0, true); err != nil || out.Len() > 0 {
		t.Errorf("without epochs: %v, output %q", err, out.String())
	}
}
