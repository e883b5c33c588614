package experiment

import (
	"slices"
	"strings"
)

// paperScore is a number of the paper: mean and standard deviation over ten runs, in percent;
// accuracy on TU sets, ROC-AUC on OGB sets.
type paperScore struct{ Mean, Std float64 }

// paperSet is a data set of the paper's table 3.
type paperSet struct {
	Name  string // our name of the data set: "IMDB-BINARY", "ogbg_molhiv"
	Title string // title of the paper's column: "IMDB-B", "HIV"
}

// paperSets are the columns of table 3, in its order.
var paperSets = []paperSet{
	{"DD", "D&D"}, {"PROTEINS", "PROTEINS"}, {"MUTAG", "MUTAG"}, {"IMDB-BINARY", "IMDB-B"}, {"IMDB-MULTI", "IMDB-M"}, {"COLLAB", "COLLAB"},
	{"ogbg_molhiv", "HIV"}, {"ogbg_moltox21", "Tox21"}, {"ogbg_moltoxcast", "ToxCast"}, {"ogbg_molbbbp", "BBBP"},
}

// paperRow is a model of the paper's tables with its scores in the order of paperSets; a mean of 0
// stands for a dash.
type paperRow struct {
	model  string // in the registry
	title  string
	scores [10]paperScore
}

// paperTable is table 3 (graph classification; its baselines are GMT's numbers), followed by the
// rows that the ablation table adds. These numbers are only here.
var paperTable = []paperRow{
	{"deepset", "DeepSet", [10]paperScore{{77.39, 0.67}, {68.95, 0.92}, {72.56, 1.09}, {72.42, 0.36}, {50.24, 0.32}, {75.27, 0.21}, {71.20, 1.26}, {72.25, 0.23}, {59.44, 0.39}, {63.64, 0.62}}},
	{"gcn", "GCN", [10]paperScore{{72.05, 0.55}, {73.24, 0.73}, {69.50, 1.78}, {73.26, 0.46}, {50.39, 0.41}, {80.59, 0.27}, {76.81, 1.01}, {75.04, 0.80}, {60.63, 0.51}, {65.47, 1.73}}},
	{"gin", "GIN", [10]paperScore{{70.79, 1.17}, {71.46, 1.66}, {81.39, 1.53}, {72.78, 0.86}, {48.13, 1.36}, {78.19, 0.63}, {75.95, 1.35}, {73.27, 0.84}, {60.83, 0.46}, {67.65, 3.00}}},
	{"sortpool", "SortPool", [10]paperScore{{75.58, 0.72}, {73.17, 0.88}, {71.94, 3.55}, {72.12, 1.12}, {48.18, 0.83}, {77.87, 0.47}, {71.82, 1.63}, {69.54, 0.75}, {58.69, 1.71}, {65.98, 1.70}}},
	{"gmt", "GMT", [10]paperScore{{78.72, 0.59}, {75.09, 0.59}, {83.44, 1.33}, {73.48, 0.76}, {50.66, 0.82}, {80.74, 0.54}, {77.56, 1.25}, {77.30, 0.59}, {65.44, 0.58}, {68.31, 1.62}}},
	{"diffpool", "DiffPool", [10]paperScore{{77.56, 0.41}, {73.03, 1.00}, {79.22, 1.02}, {73.14, 0.70}, {51.31, 0.72}, {78.68, 0.43}, {75.64, 1.86}, {74.88, 0.81}, {62.28, 0.56}, {68.25, 0.96}}},
	{"sagpool", "SAGPool", [10]paperScore{{74.72, 0.82}, {71.56, 1.49}, {73.67, 4.28}, {72.55, 1.28}, {50.23, 0.44}, {78.03, 0.31}, {71.44, 1.67}, {69.81, 1.75}, {58.91, 0.80}, {63.94, 2.59}}},
	{"topkpool", "TopKPool", [10]paperScore{{73.63, 0.55}, {70.48, 1.01}, {67.61, 3.36}, {71.58, 0.95}, {48.59, 0.72}, {77.58, 0.85}, {72.27, 0.91}, {69.39, 2.02}, {58.42, 0.91}, {65.19, 2.30}}},
	{"mincutpool", "MinCutPool", [10]paperScore{{78.22, 0.54}, {74.72, 0.48}, {79.17, 1.64}, {72.65, 0.75}, {51.04, 0.70}, {80.87, 0.34}, {75.37, 2.05}, {75.11, 0.69}, {62.48, 1.33}, {65.97, 1.13}}},
	{"asap", "ASAP", [10]paperScore{{76.58, 1.04}, {73.92, 0.63}, {77.83, 1.49}, {72.81, 0.50}, {50.78, 0.75}, {78.64, 0.50}, {72.86, 1.40}, {72.24, 1.66}, {58.09, 1.62}, {63.50, 2.47}}},
	{"edgepool", "EdgePool", [10]paperScore{{75.85, 0.58}, {75.12, 0.76}, {74.17, 1.82}, {72.46, 0.74}, {50.79, 0.59}, {}, {72.66, 1.70}, {73.77, 0.68}, {60.70, 0.92}, {67.18, 1.97}}},
	{"haarpool", "HaarPool", [10]paperScore{{}, {}, {66.11, 1.50}, {73.29, 0.34}, {49.98, 0.57}, {}, {}, {}, {}, {66.11, 0.82}}},
	{"hyperdrop", "HyperDrop", [10]paperScore{{78.74, 0.68}, {75.30, 0.45}, {84.00, 0.69}, {73.96, 0.41}, {51.68, 0.41}, {81.29, 0.25}, {76.79, 0.86}, {76.95, 0.32}, {64.21, 0.70}, {69.04, 0.86}}},
	{"hyperdrop-gmt", "HyperDrop + GMT", [10]paperScore{{78.39, 0.33}, {75.39, 0.26}, {85.72, 0.61}, {74.45, 0.61}, {51.45, 0.28}, {80.59, 0.33}, {77.84, 0.37}, {77.58, 0.43}, {65.15, 0.65}, {69.16, 1.04}}},

	{"hypercluster-graph", "HyperCluster", [10]paperScore{1: {72.76, 1.12}, 2: {84.50, 1.50}, 7: {76.68, 0.56}}},
	{"randdrop", "w/ RandDrop", [10]paperScore{1: {74.92, 0.51}, 2: {83.06, 1.15}, 7: {76.39, 0.47}}},
	{"ehgnn", "w/o HyperDrop", [10]paperScore{1: {75.08, 0.37}, 2: {83.06, 1.20}, 7: {76.60, 0.45}}},
}

// tableModels is the number of models of table 3, the first rows of paperTable.
const tableModels = 14

// paperRuns is the number of runs behind each of the paper's numbers.
const paperRuns = 10

// The name of the set may also be written as in file names: "ogbg-molhiv".
func paperOf(modelName, dataset string) (paperScore, bool) {
	column := paperColumn(dataset)
	for _, r := range paperTable {
		if r.model == modelName && column >= 0 && r.scores[column].Mean > 0 {
			return r.scores[column], true
		}
	}
	return paperScore{}, false
}

// paperColumn is the index of a data set in paperSets, -1 for none.
func paperColumn(dataset string) int {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }
	return slices.IndexFunc(paperSets, func(s paperSet) bool { return plain(s.Name) == plain(dataset) })
}

// titleOf is the name of a model in the paper's tables; empty if they lack it.
func titleOf(modelName string) string {
	for _, r := range paperTable {
		if r.model == modelName {
			return r.title
		}
	}
	return ""
}
