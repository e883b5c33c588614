package experiment

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// tableSet is a data set of the experiment tables: how to read it, and the scores of the table; the first score counts.
type tableSet struct {
	name    string // name of its folder
	path    string
	task    string // empty for the task that suits the data
	reading settings.Values
	scores  []edgeScore // nil for the scores that suit the labels
}

const numberTask = "edge-regression"

// Scores of the tables.
var (
	rankScores     = []edgeScore{{"roc_auc", "ROC-AUC"}, {"average_precision", "AP"}}
	accuracyScores = []edgeScore{{"accuracy", "accuracy"}, {"macro_f1", "macro F1"}}
	absoluteScores = []edgeScore{{"mae", "MAE"}, {"r2", "R²"}}
	squaredScores  = []edgeScore{{"rmse", "RMSE"}, {"mae", "MAE"}}
)

// tableSets lists the data sets, each with the settings required to read it.
var tableSets = []tableSet{
	{name: "bitcoin_alpha", reading: settings.Values{"ignore": []string{"rating", "time"}}, scores: []edgeScore{{"roc_auc", "ROC-AUC"}, {"macro_f1", "macro F1"}}},
	{name: "wiki_elec", scores: rankScores},
	{name: "paysim", reading: settings.Values{"time": "step"}, scores: rankScores},
	{name: "flights_2001", scores: rankScores},
	{name: "marvel", reading: settings.Values{"edges": settings.EdgesUndirected}, scores: rankScores},
	{name: "kinships", scores: accuracyScores},
	{name: "umls", scores: manyClassScores},
	{name: "ddi", scores: accuracyScores},
	{name: "advogato", scores: accuracyScores},
	{name: "lawfirm", scores: accuracyScores},
	{name: "filmtrust", task: numberTask, reading: settings.Values{"metric": "rmse"}, scores: squaredScores},
	{name: "lastfm", task: numberTask, reading: settings.Values{"metric": "rmse"}, scores: squaredScores},
	{name: "bike_sf", task: numberTask, scores: absoluteScores},
	{name: "us_air", task: numberTask, scores: absoluteScores},
	{name: "road_winnipeg", task: numberTask, scores: absoluteScores},
	{name: "korea_migration", task: numberTask, reading: settings.Values{"time": "year"}, scores: absoluteScores},
	{name: "wn18rr", scores: manyClassScores},
	{name: "alfabet_bde", task: numberTask, reading: settings.Values{"edges": settings.EdgesUndirected}, scores: absoluteScores},
}

func tableSetNames() []string { return lists.Map(tableSets, func(s tableSet) string { return s.name }) }

// findTableSet finds a data set by name; an unknown one is read with only its column part set.
func findTableSet(name string) tableSet {
	if at := slices.IndexFunc(tableSets, func(s tableSet) bool { return s.name == name }); at >= 0 {
		return tableSets[at]
	}
	return tableSet{name: name}
}

// metric is the score by which validation selects.
func (s tableSet) metric() string { m, _ := s.reading["metric"].(string); return m }

// smaller reports whether a smaller value of a score is better.
func smaller(score string) bool { return slices.Contains([]string{"mae", "rmse", "loss"}, score) }

// tableRow is a row of the tables.
type tableRow struct {
	name, title string
	job         string // the job that trains it
	learner     string // learner of the leaderboard; empty for the final predictor
	named       bool   // it is a row only if --model names it
}

// Names of rows other than learners.
const (
	tablesTrivial = "trivial"
	tablesDual    = "dual"
	tablesNetwork = source.RolesModel
)

var tablesRows = []tableRow{
	{name: tablesTrivial, title: "the most frequent class, the median or the mean", job: tablesTrivial},
	{name: model.LearnerLinear, title: "linear model on all columns", job: model.AutoName, learner: model.LearnerLinear},
	{name: model.LearnerTrees, title: "boosted trees on the columns that validation prefers", job: model.AutoName, learner: model.LearnerTrees},
	{name: model.LearnerNetwork, title: "neural network on the columns that validation prefers", job: model.AutoName, learner: model.LearnerNetwork},
	{name: tablesDual, title: "network with messages between edges, where it is tried", job: model.AutoName, learner: model.LearnerDual, named: true},
	{name: model.AutoName, title: "the default model", job: model.AutoName},
	{name: tablesNetwork, title: "network over the dual hypergraph, the default before", job: tablesNetwork, named: true},
}

func tablesRowHelp() string {
	return rowHelp(14, tablesRows, func(r tableRow) (name, title string) { return r.name, r.title })
}

// findTableRows returns the rows of some names; without names, the rows that need not be named.
func findTableRows(names []string) ([]tableRow, error) {
	if len(names) == 0 {
		return lists.Filter(tablesRows, func(r tableRow) bool { return !r.named }), nil
	}
	return named("model", names, tablesRows, func(r tableRow) string { return r.name })
}
