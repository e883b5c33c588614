package experiment

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// A baseline that two models of one split share counts once, and means are over splits.
func TestLinkDocument(t *testing.T) {
	result := func(model string, seed uint64, ppr, mrr float64) *run.Result {
		row := func(name string, v float64) score.Row {
			return score.Row{Name: name, Model: name == model, Scores: map[string]rank.Interval{"mrr": {Mean: v}}}
		}
		return &run.Result{Data: "cora", Model: model, Seed: seed, Tables: []*score.Table{{Form: "all", Main: "mrr", Rows: []score.Row{row("ppr", ppr), row(model, mrr)}}}}
	}
	text := linkDocument([]*run.Result{result("gae", 0, 0.1, 0.2), result("trees", 0, 0.1, 0.15), result("gae", 1, 0.3, 0.4)}).Text()
	for _, want := range []string{"20.0 ± 14.1", "30.0 ± 14.1", "15.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("the document lacks %q:\n%s", want, text)
		}
	}
}

func TestLinkTrainings(t *testing.T) {
	of := func(options map[string]any) ([]linkTraining, error) {
		for _, o := range linkExperiment.Options {
			if options[o.Name] == nil {
				options[o.Name] = o.Default
			}
		}
		return (&call{Env: Env{Options: options}}).linkTrainings()
	}
	all, err := of(map[string]any{"dataset": []string{"cora", "lastfm"}, "seeds": 2})
	if err != nil || len(all) != 6 {
		t.Errorf("%d trainings, %v, want two models of two splits and two of lastfm", len(all), err)
	}
	if _, err := of(map[string]any{"dataset": []string{"coral"}}); !settings.IsUsage(err) {
		t.Errorf("error %v of a set that there is not", err)
	}
}
