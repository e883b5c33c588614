package experiment

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// tableOf is a table of one of the generators of the edge tests, without the column that reveals the label.
func tableOf(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "edges.csv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(line, ",")
		out.WriteString(strings.Join(slices.Delete(fields, 2, 3), ","))
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func runTablesOn(ctx context.Context, options map[string]any, onStage func(string, int, int, string)) (*report.Document, error) {
	return tablesExperiment.Run(ctx, Env{Seed: 1, Threads: 2, Options: options, OnStage: onStage, DataDir: "none", Find: func(name string) (DatasetColumn, error) {
		if _, err := os.Stat(name); err != nil {
			return DatasetColumn{}, settings.Misuse("no data set %q", name)
		}
		return DatasetColumn{Path: name}, nil
	}})
}

// The experiment trains, scores each learner, reads results of other programs, writes columns and files, and keeps
// finished results.
func TestTables(t *testing.T) {
	dir, friends, prices := t.TempDir(), tableOf(t, friends(t)), tableOf(t, prices(t))
	others := filepath.Join(t.TempDir(), "lightgbm.jsonl")
	line := `{"dataset":"%s","model":"lightgbm","seed":1,"test":{"%s":%s},"seconds":2,"peak_bytes":1048576}` + "\n"
	if err := os.WriteFile(others, fmt.Appendf(nil, line+"\n"+line+line, "friends", "roc_auc", "0.7", "prices", "mae", "1000", "elsewhere", "mae", "1"), 0o644); err != nil {
		t.Fatal(err)
	}
	options := map[string]any{"dataset": []string{friends, prices}, "quality": "fast", "seeds": 1, "out": dir, "columns": true, "others": []string{others}}
	d, err := runTablesOn(t.Context(), options, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"table.md", "table.csv", "table.json", "report.html", "seconds.svg", seriesFile, "columns/friends/train.npy", "columns/friends/test_label.npy", "columns/prices/columns.json"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	v := d.Value.(tablesValue)
	score := map[string]float64{}
	for _, r := range v.Results {
		for name, x := range r.Test {
			score[r.Set+" "+r.Row+" "+name] = x
		}
		if r.Set == "elsewhere" || r.Row == "auto" && (r.PeakBytes == 0 || r.KnownLabels == nil) || r.Row == "trees" && r.Columns == "" {
			t.Errorf("%+v", r)
		}
	}
	for _, name := range []string{"trivial", "linear", "trees", "network", "auto"} {
		if _, ok := score["friends "+name+" roc_auc"]; !ok {
			t.Errorf("no score of %s in %v", name, score)
		}
	}
	// Labels at the target determine the label except for one edge in seven. The numbers are the sum of a value of each end.
	if s := score["friends auto roc_auc"]; s < 0.75 || score["friends trivial roc_auc"] != 0.5 {
		t.Errorf("scores %v", score)
	}
	if score["prices auto mae"] > score["prices trivial mae"]/3 {
		t.Errorf("scores %v", score)
	}
	if n := len(v.Ranks); n != 6 || v.Ranks[0].Rank < v.Ranks[4].Rank {
		t.Errorf("ranks %v, expected those of five rows and another program, the trivial one behind", v.Ranks)
	}
	text := d.Text()
	for _, want := range []string{"lightgbm", "mean rank", "friends    ROC-AUC", "prices     MAE", "auto, memory", "seconds.svg", "quality fast"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	delete(options, "columns")
	again, err := runTablesOn(t.Context(), options, func(string, int, int, string) { t.Error("it trains again") })
	if err != nil {
		t.Fatal(err)
	}
	same(t, "result", again.Value, d.Value)
}

// The table of messages has the sets with a dual network, those with the fewest known labels first, and the share of
// the error that the dual network removes.
func TestTablesMessages(t *testing.T) {
	result := func(set, row, score string, v, known float64) tableResult {
		return tableResult{Set: set, Row: row, Test: map[string]float64{score: v}, KnownLabels: &known}
	}
	r := tablesRequest{sets: []tableSet{{name: "dense", scores: accuracyScores}, {name: "sparse", scores: absoluteScores}, {name: "untried", scores: absoluteScores}}}
	parts, err := r.messages([]tableResult{
		result("dense", "network", "accuracy", 0.6, 20), result("dense", "dual", "accuracy", 0.5, 20),
		result("sparse", "network", "mae", 210, 2), result("sparse", "network", "mae", 190, 2), result("sparse", "dual", "mae", 150, 2),
		result("untried", "network", "mae", 1, 5),
	})
	want := [][]string{{"sparse", "2", "MAE", "200.0 ± 14.1", "150.0", "25 %"}, {"dense", "20", "accuracy", "0.6000", "0.5000", "-25 %"}}
	if err != nil || len(parts) != 2 {
		t.Fatal(parts, err)
	}
	same(t, "rows", parts[0].(*report.Listing).Rows, want)
	if parts, err := r.messages(nil); parts != nil || err != nil {
		t.Error(parts, err)
	}
}

func TestTablesRefused(t *testing.T) {
	set := tableOf(t, friends(t))
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{\"dataset\":\"a\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, options := range map[string]map[string]any{
		`--preset is "slow", expected quick or full`:                 {"preset": "slow"},
		`--model is "gcn", expected one of`:                          {"model": []string{"gcn"}},
		"--model has auto twice":                                     {"model": []string{"auto", "auto"}},
		`--quality is "perfect"`:                                     {"quality": "perfect"},
		"--dataset has friends twice":                                {"dataset": []string{set, set}},
		`no data set "nothing"`:                                      {"dataset": []string{"nothing"}},
		"bad.jsonl:1: expected an object with dataset, model and te": {"others": []string{bad}},
		"--seeds is 0":                                               {"seeds": 0},
	} {
		of := map[string]any{"dataset": []string{set}, "out": t.TempDir()}
		maps.Copy(of, options)
		_, err := runTablesOn(t.Context(), of, nil)
		fails(t, err, want)
	}
	_, err := tablesExperiment.Run(t.Context(), Env{DataDir: "none", Find: func(name string) (DatasetColumn, error) { return DatasetColumn{}, fmt.Errorf("no %s", name) }})
	fails(t, err, "none of the data sets bitcoin_alpha, wiki_elec")
}

// Each data set of the experiment uses existing settings and has scores.
func TestTableSets(t *testing.T) {
	for _, s := range tableSets {
		if err := s.reading.Validate(); err != nil || len(s.scores) != 2 || findTableSet(s.name).name != s.name {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, p := range tablesPresets {
		for _, name := range p.sets {
			if !slices.Contains(tableSetNames(), name) {
				t.Errorf("preset %s has set %s", p.name, name)
			}
		}
	}
}
