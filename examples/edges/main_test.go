package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, filepath.Join(t.TempDir(), "payments"), 100, 800, 3); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "average_precision"); n != 3 {
		t.Errorf("output %q, want a line for each of three models", out.String())
	}
}
