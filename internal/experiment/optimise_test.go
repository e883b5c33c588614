package experiment

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/generate/benchmark"
	"github.com/ehgnn/ehgnn/internal/settings"
)

func TestOptimiseUsage(t *testing.T) {
	for _, c := range []struct {
		options map[string]any
		want    string
	}{
		{map[string]any{"preset": "tiny"}, `--preset is "tiny", expected quick, small or full`},
		{map[string]any{"task": []string{"cocaine"}}, `--task is "cocaine", expected one of ["mars" "gsk3" "jnk3" "albuterol"`},
		{map[string]any{"model": []string{"molgan"}}, `--model is "molgan", expected one of ["random" "graph-ga" "mars" "ga"]`},
		{map[string]any{"model": []string{}}, "--model 0, expected at least one"},
		{map[string]any{"proposal": "gnn"}, `--proposal is "gnn", expected one of ["uniform" "mlp" "ehgnn"]`},
		{map[string]any{"children": -1}, "--children is -1, expected at least 0"},
		{map[string]any{"calls": -1}, "--calls is -1"},
		{map[string]any{"preset": presetQuick}, "molecules need the chemistry build"},
	} {
		_, err := optimiseExperiment.Run(t.Context(), Env{Options: c.options})
		fails(t, err, c.want)
		if !settings.IsUsage(err) {
			t.Errorf("%v: %v is no error of usage", c.options, err)
		}
	}
}

// A row of the table is the mean over the seeds. Hits have a row of their own.
func TestOptimiseTable(t *testing.T) {
	run := func(seed uint64, auc, best float64) optimiseRun {
		r := optimiseRun{AUC: map[int]float64{200: auc}, Curve: [][3]float64{{0, 0, 0}, {best, best / 2, best / 4}}, Seconds: map[string]float64{"all": 4, "breed": 2, "model": 1, "score": 1},
			Hits: &benchmark.Hits{First: 150, Within: map[int]int{1000: 3}, Scaffolds: 2, Diversity: 0.5, Circles: 1}}
		r.Task, r.Row, r.Config.Seed = taskMARS, "ga", seed
		return r
	}
	table := optimiseTable{optimiseRequest{tasks: []string{taskMARS}, rows: []string{"ga"}, seeds: []uint64{3, 4}, calls: 200}, []optimiseRun{run(3, 0.25, 0.5), run(4, 0.75, 0.5)}}
	same(t, "cells", optimiseCells(table.of(0, 0), []int{200}), []string{"0.500 ± 0.354", "0.500 ± 0.000", "0.250 ± 0.000", "0.125 ± 0.000", "4 ± 0", "50 ± 0", "25 ± 0", "25 ± 0"})
	same(t, "hits", hitCells(table.runs[0]), []string{"150", "3", "0", "0", "2", "0.500", "1"})
	same(t, "none", hitCells(optimiseRun{Hits: &benchmark.Hits{}})[0], "none")
}
