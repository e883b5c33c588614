package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// wards returns tables of n hospital wards, each with a kind, a size and a part, and of transfers
// between them. The kind of a ward depends on its size. Every eighth ward has no kind.
func wards(t *testing.T, n int) string {
	t.Helper()
	var nodes, edges strings.Builder
	nodes.WriteString("id;beds;kind;part\n")
	edges.WriteString("from;to;patients\n")
	for i := range n {
		kind := []string{"surgery", "medicine"}[i%2]
		if i%8 == 7 {
			kind = ""
		}
		fmt.Fprintf(&nodes, "w%d;%d,5;%s;%s\n", i, 10+20*(i%2)+i%3, kind, []string{"train", "train", "valid", "test"}[i/2%4])
		fmt.Fprintf(&edges, "w%d;w%d;%d\n", i, (i+2)%n, 1+i%5)
		fmt.Fprintf(&edges, "w%d;w%d;%d\n", i, (i*3+2)%n, 2+i%4)
	}
	dir := filepath.Join(t.TempDir(), "Wards")
	writeFiles(t, dir, "nodes.csv", nodes.String(), "edges.csv", edges.String())
	return dir
}

// The real program learns classes of nodes from tables, and lists the classes of nodes that have none.
func TestNodeLabels(t *testing.T) {
	t.Parallel()
	path := wards(t, 80)
	if text := exits0(t, "data", "info", path, "--label", "kind", "--part", "part"); !containsAll(text, []string{"  nodes     80\n", "node-classification\n", "  beds    feature  decimal comma  10.5 to 32.5 ",
		"  kind    label    category       2: surgery (40), medicine (", "  part    part     category       3: train (40), test (20), v"}) {
		t.Errorf("info prints\n%s", text)
	}
	for _, args := range [][]string{nil, {"--part", "part"}} {
		run := filepath.Join(t.TempDir(), "run")
		args = append([]string{"train", path, "--task", "node-classification", "--label", "kind", "--out", run, "--epochs", "40", "--constant-lr", "--quiet"}, args...)
		text := exits0(t, args...)
		if !strings.Contains(text, "deep-hyperdrop on Wards: ") || !strings.Contains(text, "accuracy") {
			t.Errorf("train prints %q", text)
		}
		if page := read(t, run, "report.html"); !strings.Contains(page, "majority") {
			t.Error("the report has no baseline")
		}
		rows := table(t, exits0(t, "predict", run, path))
		right := 0
		for i, row := range rows {
			if row["node"] != fmt.Sprintf("w%d", i) || row["probability_surgery"] == "" || (row["label"] == "") != (i%8 == 7) {
				t.Fatalf("row %d is %v", i, row)
			}
			if row["prediction"] == []string{"surgery", "medicine"}[i%2] {
				right++
			}
		}
		if len(rows) != 80 || right < 60 {
			t.Errorf("%d of %d predictions are right", right, len(rows))
		}
		if got := exits0(t, "predict", run, path, "--split", "test", "--keep-columns=false"); got != read(t, run, "predictions.csv") {
			t.Error("the predictions of the test part are not those of the run")
		}
		if !strings.HasPrefix(exits0(t, "evaluate", run), "Wards, test, ") {
			t.Error("the run is not evaluated")
		}
	}
	refused(t, "there is no table of nodes with their labels: expected nodes.csv beside the edges, or a file that --nodes names", "train", path, "--nodes", "-", "--task", "node-classification", "--out", filepath.Join(path, "run"))
	refused(t, `nodes.csv:1: there is no column "sort", found id, beds, kind, part`, "train", path, "--task", "node-classification", "--label", "sort", "--out", filepath.Join(path, "run"))
}
