package structure

import "strings"

// titles describe the columns in words. The title of a column of one end leaves out the end.
var titles = map[string]string{
	"out_degree": "out-degree", "in_degree": "in-degree", "degree": "degree",
	"out_edges": "number of outgoing edges", "in_edges": "number of incoming edges", "edges": "number of edges",
	"reciprocity":                "reciprocity",
	"out_neighbours_out_degree":  "mean out-degree of the out-neighbours",
	"out_neighbours_in_degree":   "mean in-degree of the out-neighbours",
	"out_neighbours_reciprocity": "mean reciprocity of the out-neighbours",
	"in_neighbours_out_degree":   "mean out-degree of the in-neighbours",
	"in_neighbours_in_degree":    "mean in-degree of the in-neighbours",
	"in_neighbours_reciprocity":  "mean reciprocity of the in-neighbours",
	"neighbours_degree":          "mean degree of the neighbours",
	"return_2":                   "2-step return probability",
	"return_3":                   "3-step return probability",
	"return_4":                   "4-step return probability",
	"return_5":                   "5-step return probability",
	"return_6":                   "6-step return probability",
	"core":                       "core number",

	"reverse": "has a reverse edge", "parallel": "number of parallel edges", "loop": "is a loop",
	"common_out_in":  "common neighbours, source → node → target",
	"common_out_out": "common neighbours, source → node ← target",
	"common_in_in":   "common neighbours, source ← node → target",
	"common_in_out":  "common neighbours, source ← node ← target",
	"common":         "common neighbours of both ends",
	"adamic_adar":    "Adamic-Adar index of both ends",
	"jaccard":        "Jaccard index of both ends",
}

// ofEnds are the parts of a name that say which end a column belongs to, in words.
var ofEnds = []struct {
	before, after, words string
}{
	{"source_", "", " of the source"},
	{"target_", "", " of the target"},
	{"", "_source", " of the source"},
	{"", "_target", " of the target"},
	{"", "_mean", ", mean of both ends"},
	{"", "_difference", ", difference of both ends"},
}

// Title describes a column of Names in words.
func Title(name string) string { return TitleFrom(titles, name) }

// TitleFrom describes a column in words. titles has words for names without the part that gives the
// end.
func TitleFrom(titles map[string]string, name string) string {
	if title, ok := titles[name]; ok {
		return title
	}
	for _, end := range ofEnds {
		if title := titles[strings.TrimSuffix(strings.TrimPrefix(name, end.before), end.after)]; title != "" {
			return title + end.words
		}
	}
	return strings.ReplaceAll(name, "_", " ")
}
