package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// linkSet is a data set of link prediction and its split.
type linkSet struct {
	name, file string
	models     []string
	forms      []string
	seeds      int // splits that come with the data; 0 for one split
	apply      func(s *run.Settings, seed int)
}

// linkSets are the sets in the folder links of the data folder.
var linkSets = []linkSet{
	{"cora", "edges.csv", []string{run.GAE, run.Trees}, []string{score.Uniform, score.Degree, score.Hard, score.All}, 5, citations},
	{"citeseer", "edges.csv", []string{run.GAE, run.Trees}, []string{score.Uniform, score.Degree, score.Hard, score.All}, 5, citations},
	{"collegemsg", "edges.csv", []string{run.Trees}, []string{score.All, run.NextForm}, 0, func(s *run.Settings, _ int) {
		s.Split, s.Fractions = run.ByTime, [3]float64{0.7, 0.15, 0.15}
	}},
	{"lastfm", "edges.csv.gz", []string{run.IALS, run.LightGCN}, []string{score.Lists}, 0, func(s *run.Settings, _ int) {
		s.Split, s.Tables.Part, s.Select = run.ByColumn, "part", score.Lists
	}},
}

// citations reads an undirected graph and one of its five splits.
func citations(s *run.Settings, seed int) {
	s.Split, s.Tables.Form, s.Tables.Part = run.ByColumn, data.Undirected, fmt.Sprintf("part%d", seed)
	for k := range 5 {
		if k != seed {
			s.Tables.Ignore = append(s.Tables.Ignore, fmt.Sprintf("part%d", k))
		}
	}
}

// publishedLinks are published scores of link prediction with their protocol.
var publishedLinks = [][]string{
	{"Refined-GAE", "cora", "Hits@100", "88.2 ± 0.9", "uniform negatives, 70/10/20, other random splits"},
	{"NCN", "cora", "Hits@100", "89.1 ± 1.0", "the same"},
	{"BUDDY", "cora", "Hits@100", "88.0 ± 0.4", "the same"},
	{"Refined-GAE", "citeseer", "Hits@100", "92.4 ± 1.2", "the same"},
	{"NCN", "citeseer", "Hits@100", "91.6 ± 1.4", "the same"},
	{"BUDDY", "citeseer", "Hits@100", "92.9 ± 0.3", "the same"},
}

// linkExperiment compares models and baselines of link prediction.
var linkExperiment = Experiment{
	Name: "links", Title: "Link prediction: models and baselines on several kinds of negatives",
	Help: `Trains models of link prediction on sets of the folder links of the data folder, and
compares them with the baselines, by set and kind of negatives, and with published
numbers. Each training is kept in a folder of --out; those that are complete are not
trained again.
`,
	Example: "  ehgnn reproduce links --dataset cora --seeds 5 --out runs/links",
	Unit:    "training",
	Options: []Option{
		{Name: "dataset", Help: "sets to train on: cora, citeseer, collegemsg, lastfm (default: all)", Default: []string(nil)},
		{Name: "model", Help: "models to train (default: those that suit each set)", Default: []string(nil)},
		{Name: "seeds", Help: "splits of each set that has several, from 0", Default: 5, Least: 1},
		{Name: "epochs", Help: "epochs of autoencoders; 0 for their default", Default: 0},
		{Name: "out", Help: "folder of the trainings and of table.md, table.csv, table.json and report.html (default runs/links)", Default: ""},
	},
	run: reproduceLinks,
}

// linkTraining is a training of the experiment.
type linkTraining struct {
	set   linkSet
	model string
	seed  int
}

func reproduceLinks(ctx context.Context, c *call) (*report.Document, error) {
	trainings, err := c.linkTrainings()
	if err != nil {
		return nil, err
	}
	dir := c.outOr("links")
	var results []*run.Result
	for i, t := range trainings {
		name := fmt.Sprintf("%s-%s-%d", t.set.name, t.model, t.seed)
		if c.OnStage != nil {
			c.OnStage("trainings", i, len(trainings), name)
		}
		r, err := c.trainLinks(ctx, t, filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		results = append(results, r)
	}
	d := linkDocument(results)
	return d, d.WriteFiles(dir)
}

// linkTrainings returns the requested trainings.
func (c *call) linkTrainings() ([]linkTraining, error) {
	names, models := value[[]string](c, "dataset"), value[[]string](c, "model")
	for _, name := range names {
		if !slices.ContainsFunc(linkSets, func(s linkSet) bool { return s.name == name }) {
			return nil, settings.Misuse("--dataset is %q, expected cora, citeseer, collegemsg or lastfm", name)
		}
	}
	var out []linkTraining
	for _, s := range linkSets {
		if names != nil && !slices.Contains(names, s.name) {
			continue
		}
		of := s.models
		if models != nil {
			of = models
		}
		for _, m := range of {
			for seed := range max(1, min(s.seeds, value[int](c, "seeds"))) {
				out = append(out, linkTraining{s, m, seed})
			}
		}
	}
	return out, nil
}

// trainLinks trains, or reads a finished training.
func (c *call) trainLinks(ctx context.Context, t linkTraining, dir string) (*run.Result, error) {
	if text, err := os.ReadFile(filepath.Join(dir, run.MetricsFile)); err == nil {
		r := &run.Result{}
		return r, json.Unmarshal(text, r)
	}
	s := &run.Settings{Version: 1, Data: filepath.Join(c.DataDir, "links", t.set.name, t.set.file), Split: run.ByRandom, Fractions: [3]float64{0.7, 0.1, 0.2},
		Model: t.model, Seed: uint64(t.seed), Select: score.All, GAE: learn.NewGAEConfig(), Tables: tables.Options{}}
	if n := value[int](c, "epochs"); n > 0 {
		s.GAE.Epochs = n
	}
	t.set.apply(s, t.seed)
	if err := s.Check(); err != nil {
		return nil, err
	}
	d, err := run.Read(ctx, s, 0)
	if err != nil {
		return nil, err
	}
	return run.Train(ctx, s, d, run.Options{Dir: dir, Resume: true, Threads: c.Threads, Forms: t.set.forms})
}

// linkDocument has a table for each set and form: scorers by scores, with means and deviations over seeds.
func linkDocument(results []*run.Result) *report.Document {
	d := &report.Document{Title: "Link prediction", Value: results, Remarks: []string{
		"Scores of the test part in percent: the mean over splits, with the deviation between them.",
		"Epochs and settings are chosen on the validation part by all (lastfm: lists). Published numbers are of other random splits."}}
	var keys []string
	values := map[string]map[string]map[string][]float64{} // by table, row, score
	order, seen := map[string][]string{}, map[string]bool{}
	for _, r := range results {
		for _, t := range r.Tables {
			key := r.Data + ", " + t.Form
			if values[key] == nil {
				keys, values[key] = append(keys, key), map[string]map[string][]float64{}
			}
			for _, row := range t.Rows {
				if values[key][row.Name] == nil {
					values[key][row.Name], order[key] = map[string][]float64{}, append(order[key], row.Name)
				}
				id := fmt.Sprint(key, row.Name, r.Seed)
				if seen[id] { // the same baseline was compared with another model
					continue
				}
				seen[id] = true
				for name, v := range row.Scores {
					values[key][row.Name][name] = append(values[key][row.Name][name], 100*v.Mean)
				}
			}
		}
	}
	for _, key := range keys {
		names := linkScores(values[key][order[key][0]])
		l := listing(1, append([]string{"scorer"}, names...)...)
		for _, row := range order[key] {
			cells := []string{row}
			for _, n := range names {
				cells = append(cells, meanText("%.1f", values[key][row][n]))
			}
			l.Rows = append(l.Rows, cells)
		}
		d.Parts = append(d.Parts, report.Heading{Title: key}, l)
		d.Sheets = append(d.Sheets, l.Sheet(strings.NewReplacer(", ", "-").Replace(key)))
	}
	published := listing(5, "published", "set", "score", "value", "protocol")
	published.Rows = publishedLinks
	d.Parts = append(d.Parts, report.Heading{Title: "Published"}, published)
	return d
}

// linkScores are the scores of a table that are shown.
func linkScores(has map[string][]float64) []string {
	var out []string
	for _, n := range []string{"ndcg@20", "recall@20", "coverage", "mrr", "hits@10", "hits@20", "hits@100", "average_precision"} {
		if has[n] != nil && !(has["ndcg@20"] != nil && strings.HasPrefix(n, "hits")) {
			out = append(out, n)
		}
	}
	return out
}
