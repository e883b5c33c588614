package main

import (
	"strings"
	"testing"
)

// The program learns what it says: half of the answers would be right by chance.
func TestRun(t *testing.T) {
	var out strings.Builder
	accuracy, err := run(&out, 300, 20)
	if err != nil {
		t.Fatal(err)
	}
	if accuracy < 0.85 || !strings.Contains(out.String(), "epoch 20  loss 0.") || !strings.Contains(out.String(), "accuracy on 60 other graphs: ") {
		t.Errorf("accuracy %v\n%s", accuracy, out.String())
	}
	if _, err := run(&out, -1, 1); err == nil || !strings.Contains(err.Error(), "-1") {
		t.Errorf("minus one graph: %v", err)
	}
}
