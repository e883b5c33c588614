package task

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// epochLoss is the training loss of an epoch, from 0, of a run.
func epochLoss(t *testing.T, dir string, epoch int) float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var line struct {
		Loss float64 `json:"train_loss"`
	}
	if err := json.Unmarshal([]byte(strings.Split(string(text), "\n")[epoch]), &line); err != nil {
		t.Fatal(err)
	}
	return line.Loss
}
