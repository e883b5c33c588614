package ehgnn_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn"
)

// Graphs of two classes have no threshold unless one is asked for, when training or when opening.
func TestThreshold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	set := rings(60)
	if _, err := ehgnn.Train(t.Context(), set, ehgnn.TrainOptions{Model: "gcn", Settings: map[string]any{"epochs": 2, "hidden": 4}, Seed: 1, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	count := func(threshold string) (rich int) {
		m, err := ehgnn.Open(t.Context(), dir, ehgnn.Options{Threshold: threshold})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range set {
			p, err := m.Predict(t.Context(), g.Graph)
			if err != nil {
				t.Fatal(err)
			}
			if p[0].Class == "rich" {
				rich++
			}
		}
		return rich
	}
	if none, all := count("1"), count("0"); none != 0 && none != 60 || none+all != 60 {
		t.Errorf("threshold 1 has %d rich, 0 has %d", none, all)
	}
	if n := count("recall=1"); n == 0 && count("0") == 60 {
		t.Errorf("recall=1 has %d rich", n)
	}
	if _, err := ehgnn.Open(t.Context(), dir, ehgnn.Options{Threshold: "best"}); err == nil || !strings.Contains(err.Error(), `--threshold is "best", expected a number from 0 to 1`) {
		t.Errorf("a wrong rule: %v", err)
	}
	// A threshold that is trained with has scores of the positive class.
	m, err := ehgnn.Train(t.Context(), set, ehgnn.TrainOptions{Model: "gcn", Settings: map[string]any{"epochs": 2, "hidden": 4, "threshold": "recall=1"}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := m.Result()
	if recall, ok := r.Valid.Get("recall"); !ok || recall != 1 || r.Threshold == nil || r.Threshold.Recall != 1 || r.PositiveClass == "" {
		t.Errorf("recall %v, %+v of %q", recall, r.Threshold, r.PositiveClass)
	}
}
