package experiment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// edgeSet is a table of edges with labels: how to read it, and published results.
type edgeSet struct {
	name    string // name of its folder
	path    string
	task    string          // empty for the task that suits the data
	reading settings.Values // columns, split, direction
	scores  []edgeScore     // scores of the table; nil for those that suit the labels
	// apart says that the parts share no nodes, so that both protocols are the same.
	apart bool
	// generate writes the set's table of edges; nil for real data.
	generate  func(w io.Writer) error
	published []publishedEdges
}

// edgeScore is a score of the tables.
type edgeScore struct{ name, title string }

// Scores of a set without scores of its own.
var (
	twoClassScores  = []edgeScore{{"roc_auc", "ROC-AUC"}, {"average_precision", "AP"}, {"macro_f1", "macro F1"}}
	manyClassScores = []edgeScore{{"hit@1", "Hit@1"}, {"mrr", "MRR"}}
	numberScores    = []edgeScore{{"mae", "MAE"}, {"rmse", "RMSE"}}
)

// publishedEdges is a published result.
type publishedEdges struct {
	Set    string `json:"dataset"`
	Model  string `json:"model"`
	Score  string `json:"score"`
	Value  string `json:"value"`
	Split  string `json:"split"` // whether the split is the same
	Source string `json:"source"`
}

const (
	sameFold = "the same fold, one run"
	official = "the same, official split"
)

// edgeSets are the data sets of the experiment.
var edgeSets = []edgeSet{
	{
		name: "bitcoin_alpha", task: "edge-classification",
		// The rating has the label's sign. The published methods do not see times, which are informative.
		reading: settings.Values{"part": "part", "ignore": []string{"rating", "time"}},
		scores:  []edgeScore{{"roc_auc", "ROC-AUC"}, {"macro_f1", "macro F1"}},
		published: []publishedEdges{
			{"bitcoin_alpha", "SiGAT", "ROC-AUC / macro F1", "0.889 / 0.677", sameFold, "huangjunjie-cs/SiGAT, readme_sigat.md"},
			{"bitcoin_alpha", "SDGNN", "ROC-AUC / macro F1", "0.881 / 0.731", sameFold, "huangjunjie-cs/SiGAT, readme_sdgnn.md"},
			{"bitcoin_alpha", "SGCN", "ROC-AUC / macro F1", "0.874 / 0.689", "other random splits", "akarinmoe/Si-GNN, README"},
			{"bitcoin_alpha", "SNEA", "ROC-AUC / macro F1", "0.905 / 0.727", "other random splits", "akarinmoe/Si-GNN, README"},
			{"bitcoin_alpha", "SDGNN", "ROC-AUC / macro F1", "0.892 / 0.726", "other random splits", "akarinmoe/Si-GNN, README"},
		},
	},
	{
		name: "wn18rr", task: "edge-classification",
		reading: settings.Values{"part": "part"},
		scores:  manyClassScores,
		published: []publishedEdges{
			{"wn18rr", "TransE", "Hit@1", "0.669", official, "hwwang55/PathCon, README (KDD 2021)"},
			{"wn18rr", "RotatE", "Hit@1", "0.735", official, "hwwang55/PathCon, README (KDD 2021)"},
			{"wn18rr", "QuatE", "Hit@1", "0.767", official, "hwwang55/PathCon, README (KDD 2021)"},
			{"wn18rr", "DRUM", "Hit@1", "0.778", official, "hwwang55/PathCon, README (KDD 2021)"},
			{"wn18rr", "PathCon", "Hit@1", "0.954 ± 0.002", official, "hwwang55/PathCon, README (KDD 2021)"},
		},
	},
	{
		name: "alfabet_bde", task: "edge-regression",
		reading: settings.Values{"part": "part", "edges": "undirected"},
		scores:  []edgeScore{{"mae", "MAE"}},
		apart:   true, // each molecule is in one part
		published: []publishedEdges{
			{"alfabet_bde", "ALFABET", "MAE", "0.598", "no: these bonds are its test, with 50 times as many to train on", "NREL/alfabet, run_test_predictions.ipynb (Nat. Commun. 11, 2328)"},
		},
	},
	{
		name: "ratings", task: "edge-regression",
		reading:  settings.Values{"label": "rating"},
		scores:   []edgeScore{{"rmse", "RMSE"}, {"mae", "MAE"}},
		generate: writeRatings,
	},
	{
		name: "relations", task: "edge-classification",
		reading:  settings.Values{"label": "relation"},
		scores:   manyClassScores,
		generate: writeRelations,
	},
}

// writeRatings writes ratings; users and items have effects and factors.
func writeRatings(w io.Writer) error {
	const users, items, ratings, seed = 200, 100, 10000, 42
	r, err := synth.NewRatings(users, items, ratings, seed)
	if err != nil {
		return err
	}
	return r.WriteEdges(w)
}

// writeRelations writes facts with more relations than can have columns of their own in the label
// context.
func writeRelations(w io.Writer) error {
	const things, relations, facts, seed = 2000, 200, 20000, 42
	r, err := synth.NewRelations(things, relations, facts, seed)
	if err != nil {
		return err
	}
	return r.WriteEdges(w)
}

// generated returns the path of a generated set in a folder, and writes it if it is missing.
func (s *edgeSet) generated(dir string) (string, error) {
	path := filepath.Join(dir, s.name+".csv")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("experiment: %w", err)
	}
	if err := atomicfile.Write(path, s.generate); err != nil {
		return "", fmt.Errorf("experiment: %s: %w", s.name, err)
	}
	return path, nil
}

func edgeSetNames() []string { return lists.Map(edgeSets, func(s edgeSet) string { return s.name }) }

func findEdgeSet(name string) (edgeSet, bool) {
	at := slices.IndexFunc(edgeSets, func(s edgeSet) bool { return s.name == name })
	if at < 0 {
		return edgeSet{}, false
	}
	return edgeSets[at], true
}
