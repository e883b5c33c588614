package experiment

import (
	"testing"

	"github.com/ehgnn/ehgnn/task"
)

func TestMARSUsage(t *testing.T) {
	for _, c := range []struct {
		options map[string]any
		want    string
	}{
		{map[string]any{"preset": "tiny"}, `--preset is "tiny", expected quick, small, reference or paper`},
		{map[string]any{"model": []string{"molgan"}}, `--model has "molgan", expected mars, mars-ehgnn or uniform`},
		{map[string]any{"chains": -1}, "--chains is -1, expected at least 0"},
		{map[string]any{"seeds": -1}, "--seeds is -1, expected at least 0"},
		{map[string]any{"vocabulary": []string{}}, "--vocabulary 0 lists"},
		{map[string]any{"preset": presetQuick}, "molecules need the chemistry build"},
	} {
		_, err := marsExperiment.Run(t.Context(), Env{Options: c.options})
		fails(t, err, c.want)
		if !task.IsUsage(err) {
			t.Errorf("%v: %v is no error of usage", c.options, err)
		}
	}
}

// EHGNN has the paper's rates on the fragments of ZINC, and those of the other parameters on
// others.
func TestMARSRates(t *testing.T) {
	r := marsRequest{}
	r.base.EdgeRate = 3e-4
	for _, c := range []struct {
		vocabulary, row string
		rate            float64
		cosine          bool
	}{{"zinc", "mars", 3e-4, false}, {"zinc", "mars-ehgnn", 5e-3, true}, {"chembl", "mars-ehgnn", 3e-4, false}} {
		if got := r.config(c.vocabulary, marsRow{name: c.row}, 1); got.EdgeRate != c.rate || got.Cosine != c.cosine {
			t.Errorf("%s on %s: %v, %v", c.row, c.vocabulary, got.EdgeRate, got.Cosine)
		}
	}
}

// The paper's rows are in the table for each list, set of thresholds and model.
func TestMARSPaper(t *testing.T) {
	rows := 0
	for _, list := range []string{"zinc", "chembl"} {
		for _, th := range marsThresholds {
			for _, row := range marsRows[:2] {
				line := marsPaperLine(list, th.Name, row)
				if len(line) != 4+len(marsColumns) {
					t.Fatalf("%s, %s, %s: %q", list, th.Name, row.name, line)
				}
				rows++
			}
		}
	}
	if rows != len(marsPaper) || marsPaperLine("zinc", "strict", marsRow{name: marsUniform}) != nil {
		t.Errorf("%d rows of %d", rows, len(marsPaper))
	}
	same(t, "success", marsPaperLine("zinc", "strict", marsRows[1])[4], "64.30 ± 1.54")
}
