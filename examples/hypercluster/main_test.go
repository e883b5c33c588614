package main

import (
	"strings"
	"testing"
)

// The commonest of the six types has about a quarter of the edges; the program
// tells most of them.
func TestRun(t *testing.T) {
	var out strings.Builder
	right, err := run(&out, 60, 120, 800)
	if err != nil {
		t.Fatal(err)
	}
	if right < 0.8 || !strings.Contains(out.String(), "epoch 800  loss 0.") || !strings.Contains(out.String(), "120 edges from 18 vectors: ") {
		t.Errorf("right %v\n%s", right, out.String())
	}
	if _, err := run(&out, 3, 99, 1); err == nil || !strings.Contains(err.Error(), "99 edges") {
		t.Errorf("99 edges between 3 nodes: %v", err)
	}
}
