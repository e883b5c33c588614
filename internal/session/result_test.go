package session

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

func TestScoresText(t *testing.T) {
	s := train.Scores{{Name: "loss", Value: 0.12345}, {Name: "f1", Value: 0.5}, {Name: "roc_auc", Value: math.NaN()}, {Name: task.CountedScore, Value: 12}, {Name: "ece", Value: 0.1}}
	want := "loss 0.1235, f1 of fraud 0.5000, roc auc undefined, labels counted 12"
	if got := scoresText(s, "fraud"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
