package run

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/report"
)

// The page begins with the form of negatives that the choice of the model used, whichever form was
// scored first. It has all forms in one table, and slices by kind with names in words.
func TestPage(t *testing.T) {
	table := func(form, main string, model, other float64) *score.Table {
		at := func(v float64) map[string]rank.Interval {
			return map[string]rank.Interval{main: {Mean: v, Low: v - 0.01, High: v + 0.01}, "hits@1": {Mean: v / 2}, "hits@10": {Mean: v}}
		}
		return &score.Table{Form: form, Main: main, Positives: 1055, Rankings: 2110, Negatives: 2700, Rows: []score.Row{{Name: "ppr", Scores: at(other)},
			{Name: "trees", Model: true, Scores: at(model), Verdict: "ahead of", Baseline: "ppr", Margin: &rank.Interval{Mean: model - other, Low: 0.01, High: 0.2}}}}
	}
	all := table(score.All, "mrr", 0.2, 0.13)
	all.Misses = []score.Miss{{Source: "<b>a", Target: "b", Rank: 1893, Distance: "distance none", Degrees: [2]int{0, 1200}}}
	all.Slices = []score.Slice{{Of: "degree 4-15", Values: 230, Scores: map[string]float64{"trees": 0.3, "ppr": 0.2}, Intervals: map[string]rank.Interval{"trees": {Mean: 0.3, Low: 0.25, High: 0.35}}, Margin: &rank.Interval{Mean: 0.1, Low: 0.04, High: 0.16}}, {Of: "distance none", Values: 4, Scores: map[string]float64{"trees": 0.1, "ppr": 0}}}
	r := &Result{Run: "runs/cora", Data: "cora", Model: "trees", Select: score.All, Finds: []Recommendation{{Source: "c", Target: "d", Score: 0.991, Why: []Why{{Kind: "common-neighbour", Node: "e", Weight: 0.5}}}}, Tables: []*score.Table{table(score.Uniform, "hits@100", 0.8, 0.7), table("hard500", "mrr", 0.14, 0.09), all}}
	d := r.page()
	v := d.Parts[0].(report.Verdict)
	if !strings.Contains(v.Answer, "Ahead of every baseline: MRR 20.0 [19.0, 21.0]") || !strings.Contains(v.Rest, "among all nodes") || !strings.Contains(v.Rest, "the best baseline, ppr, has 13.0") {
		t.Errorf("%+v", v)
	}
	if f := d.Parts[1].(report.Findings); len(f) != 2 || !strings.HasPrefix(f[0].Text, "Negatives 500 hard: ahead of ppr, MRR 14.0") || !strings.Contains(f[0].Text, "against 9.0") {
		t.Errorf("%+v", f)
	}
	var b strings.Builder
	if err := d.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"MRR, all nodes", "MRR, 500 hard", "Hits@100, uniform", "4 to 15", "no path", "degree of the rarer end", "Links found by length of the list", "1,055 positives, 2,110 rankings", "chosen", "[&#43;4.0, &#43;16.0]", "&lt;b&gt;a → b", "1,893", "no path without the link; degrees 0 and 1,200", "c → d", "via e (0.50)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, bad := range []string{"roc_auc", "hits@100 ", ">mrr<", "hard500 negatives"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if name, text, between, value := r.Headline(); name != "MRR [%], all nodes" || text != "20.0" || between != "[19.0, 21.0]" || value != 0.2 {
		t.Errorf("%q %q %q %v", name, text, between, value)
	}
}
