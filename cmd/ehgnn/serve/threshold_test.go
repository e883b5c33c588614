package serve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A served run can have another threshold than in training.
func TestThreshold(t *testing.T) {
	dir := ringsDir(t)
	example, err := os.ReadFile(filepath.Join(dir, "input_example.json"))
	if err != nil {
		t.Fatal(err)
	}
	class := func(threshold string) string {
		runs, err := Load(t.Context(), []string{dir}, LoadOptions{Workers: 1, Limits: Limits{Body: 1 << 20, Nodes: 1000, Edges: 1000, Memory: 1 << 30}, Threshold: threshold})
		if err != nil {
			t.Fatal(err)
		}
		r := ask(t, started(t, runs, nil), asked{path: "/v1/models/rings/predict", body: `{"graphs":[` + string(example) + `]}`})
		var reply struct{ Predictions []struct{ Class string } }
		if err := json.Unmarshal([]byte(r.body), &reply); err != nil || len(reply.Predictions) != 1 {
			t.Fatalf("%v: %s", err, r.body)
		}
		return reply.Predictions[0].Class
	}
	if strict, loose := class("1"), class("0"); strict == loose || strict == "" || loose == "" {
		t.Errorf("threshold 1 gives class %q, 0 gives %q", strict, loose)
	}
	if _, err := Load(t.Context(), []string{dir}, LoadOptions{Workers: 1, Threshold: "precision"}); err == nil || !strings.Contains(err.Error(), "--threshold is \"precision\", expected") {
		t.Errorf("a wrong rule: %v", err)
	}
}
