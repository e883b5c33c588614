package experiment

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/generate/mars"
	"github.com/ehgnn/ehgnn/internal/settings"
)

func TestMARSUsage(t *testing.T) {
	for _, c := range []struct {
		options map[string]any
		want    string
	}{
		{map[string]any{"preset": "tiny"}, `--preset is "tiny", expected quick, small, reference or paper`},
		{map[string]any{"model": []string{"molgan"}}, `--model is "molgan", expected one of ["mars" "mars-ehgnn" "uniform"]`},
		{map[string]any{"chains": -1}, "--chains is -1, expected at least 0"},
		{map[string]any{"seeds": -1}, "--seeds is -1, expected at least 0"},
		{map[string]any{"vocabulary": []string{}}, "--vocabulary 0 lists"},
		{map[string]any{"preset": presetQuick}, "molecules need the chemistry build"},
	} {
		_, err := marsExperiment.Run(t.Context(), Env{Options: c.options})
		fails(t, err, c.want)
		if !settings.IsUsage(err) {
			t.Errorf("%v: %v is no error of usage", c.options, err)
		}
	}
}

// The presets of published size have the published settings.
func TestMARSPresets(t *testing.T) {
	for _, want := range []struct {
		name                                          string
		chains, steps, fragments, batches, seeds, cut int
	}{
		{presetSmall, 128, 150, 500, 25, 3, 0},
		{presetReference, 1000, 1000, 1000, 25, 10, 0},
		{presetPaper, 5000, 550, 1000, 25, 3, 0},
	} {
		at := slices.IndexFunc(marsPresets, func(p marsPreset) bool { return p.name == want.name })
		p := marsPresets[at]
		same(t, want.name, []int{p.chains, p.steps, p.fragments, p.batches, p.seeds, p.molecules}, []int{want.chains, want.steps, want.fragments, want.batches, want.seeds, want.cut})
		same(t, want.name+": lists", p.vocabularies, []string{"zinc", "chembl"})
	}
	c := mars.NewConfig()
	same(t, "rates", []float64{c.Rate, c.EdgeRate, c.Clip}, []float64{3e-4, 3e-4, 5})
	same(t, "sizes", []int{c.Buffer, c.BatchAtoms, c.EvaluateEvery, c.Patience}, []int{50000, 128 * 20, 1, 100})
}

// Measures of successes are undefined in a run without successes.
func TestMARSWithoutSuccess(t *testing.T) {
	diversity := 0.5
	history := func(e mars.Evaluation) marsRun {
		return marsRun{Result: mars.Result{History: []mars.Progress{{Sets: []mars.Evaluation{e}}}}}
	}
	some := history(mars.Evaluation{Success: 0.25, Each: map[string]float64{"qed": 0.5}, Unique: 0.75, Novelty: 1, Diversity: &diversity, PM: 0.125})
	none := history(mars.Evaluation{Each: map[string]float64{"qed": 0.25}})
	last := marsMoments[len(marsMoments)-1]
	for _, c := range []struct {
		runs []marsRun
		want []string
	}{
		{[]marsRun{some}, []string{"25.00", "50.00", "0.00", "0.00", "0.00", "75.00", "100.00", "50.00", "12.50"}},
		{[]marsRun{none}, []string{"0.00", "25.00", "0.00", "0.00", "0.00", "n/a", "n/a", "n/a", "0.00"}},
		{[]marsRun{some, none}, []string{"12.50 ± 17.68", "37.50 ± 17.68", "0.00 ± 0.00", "0.00 ± 0.00", "0.00 ± 0.00", "n/a", "n/a", "n/a", "6.25 ± 8.84"}},
	} {
		same(t, "line", marsTable{}.line("zinc", "strict", marsRows[0], last, 0, c.runs)[4:], c.want)
	}
}

// On the fragments of ZINC, the row mars-ehgnn has the paper's rates. Other rows, and all rows on
// other fragments, have the rate of the settings.
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

// The table has the paper's rows for each list, set of thresholds and model.
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
