package train_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/train"
)

func TestEpochInfoJSON(t *testing.T) {
	for _, e := range []train.EpochInfo{
		{Epoch: 3, Step: 12, LR: 5e-4, TrainLoss: 0.1 + 0.2, GradNorm: 1.0 / 3, Improved: true, Seconds: 1.5,
			Valid: train.Scores{{Name: "loss", Value: 1e-300}, {Name: "accuracy", Value: 0.5}, {Name: "a \"b\"", Value: -0.25}}},
		{Epoch: 1, TrainLoss: math.NaN(), GradNorm: math.NaN(), Valid: train.Scores{{Name: "loss", Value: math.NaN()}}},
		{Epoch: 1, Counter: 2},
	} {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back train.EpochInfo
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprintf("%+v", back), fmt.Sprintf("%+v", e); got != want {
			t.Errorf("%s\nread as %s\nwant    %s", text, got, want)
		}
	}
	var e train.EpochInfo
	for _, text := range []string{`{"valid":[1]}`, `{"valid":{"loss":"x"}}`, `{"valid":3}`, `{"train_loss":"NaN"}`, `[]`} {
		if err := json.Unmarshal([]byte(text), &e); err == nil {
			t.Errorf("%s was accepted as %+v", text, e)
		}
	}
}

func TestRecorder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	cfg := basic()
	cfg.Epochs = 3
	o := fit(t, newClassifier(1, 4), cfg, train.Options{Recorder: &train.Recorder{Dir: dir, TensorBoard: true}})
	lines := bytes.Split(bytes.TrimSpace(read(t, dir, "metrics.jsonl")), []byte("\n"))
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		var e train.EpochInfo
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		e.Seconds = 0
		if got, want := fmt.Sprintf("%+v", e), fmt.Sprintf("%+v", o.history[i]); got != want {
			t.Errorf("line %d is %s, want %s", i+1, got, want)
		}
	}
	if !bytes.HasPrefix(lines[0], []byte(`{"epoch":1,"step":4,"lr":0.02,"train_loss":`)) || !bytes.Contains(lines[0], []byte(`"valid":{"loss":`)) {
		t.Errorf("first line %s", lines[0])
	}
	events, _ := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	if len(events) != 1 {
		t.Fatalf("event files %v", events)
	}
	text := read(t, events[0])
	for _, tag := range []string{"loss/train", "loss/valid", "accuracy/valid", "optimizer/lr", "optimizer/grad_norm"} {
		if n := bytes.Count(text, []byte(tag)); n != 3 {
			t.Errorf("%s is %d times in the event file, want 3", tag, n)
		}
	}
}
