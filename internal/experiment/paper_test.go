package experiment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/model"
)

// Every number equals that of table 3 in the tests of bold type, which was typed a second time, and
// every model exists.
func TestPaper(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "report", "testdata", "paper_table3.json"))
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Columns []string
		Rows    []struct {
			Model string
			Cells []*struct{ Mean, Std float64 }
		}
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != tableModels || len(table.Columns) != len(paperSets) {
		t.Fatalf("%d models on %d sets, want %d on %d", len(table.Rows), len(table.Columns), tableModels, len(paperSets))
	}
	for i, r := range table.Rows {
		if title := paperTable[i].title; title != r.Model {
			t.Errorf("row %d is %s, want %s", i, title, r.Model)
		}
		for j, want := range r.Cells {
			have, ok := paperOf(paperTable[i].model, paperSets[j].Name)
			if ok != (want != nil) || want != nil && (have.Mean != want.Mean || have.Std != want.Std) {
				t.Errorf("%s on %s: %v %v, want %v", r.Model, table.Columns[j], have, ok, want)
			}
			if paperSets[j].Title != table.Columns[j] {
				t.Errorf("column %d is %s, want %s", j, paperSets[j].Title, table.Columns[j])
			}
		}
	}
	for _, r := range paperTable {
		if _, err := model.Find(r.model); err != nil {
			t.Error(err)
		}
	}
}

// The table of the ablation, and names as users and files write them.
func TestPaperNames(t *testing.T) {
	tests := []struct {
		model, set string
		want       paperScore
	}{
		{"hypercluster-graph", "MUTAG", paperScore{84.50, 1.50}}, {"hypercluster-graph", "PROTEINS", paperScore{72.76, 1.12}},
		{"hypercluster-graph", "ogbg_moltox21", paperScore{76.68, 0.56}},
		{"randdrop", "MUTAG", paperScore{83.06, 1.15}}, {"randdrop", "PROTEINS", paperScore{74.92, 0.51}}, {"randdrop", "ogbg-moltox21", paperScore{76.39, 0.47}},
		{"ehgnn", "MUTAG", paperScore{83.06, 1.20}}, {"ehgnn", "PROTEINS", paperScore{75.08, 0.37}}, {"ehgnn", "ogbg_moltox21", paperScore{76.60, 0.45}},
		{"randdrop", "DD", paperScore{}}, {"hyperdrop", "ENZYMES", paperScore{}}, {"mlp", "MUTAG", paperScore{}}, {"edgepool", "COLLAB", paperScore{}},
		{"gcn", "imdb_binary", paperScore{73.26, 0.46}},
	}
	for _, test := range tests {
		if have, ok := paperOf(test.model, test.set); have != test.want || ok != (test.want != paperScore{}) {
			t.Errorf("%s on %s: %v %v, want %v", test.model, test.set, have, ok, test.want)
		}
	}
}
