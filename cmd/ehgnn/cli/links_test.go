package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	linkrun "github.com/ehgnn/ehgnn/internal/links/run"
)

// friends writes an edge list of two groups of friends.
func friends(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("source,target\n")
	for u := range 30 {
		for v := range u {
			if u%2 == v%2 && (u*7+v*5)%3 == 0 || (u*v)%41 == 1 {
				fmt.Fprintf(&b, "p%d,p%d\n", v, u)
			}
		}
	}
	dir := t.TempDir()
	writeFiles(t, dir, "edges.csv", b.String(), "pairs.csv", "source,target\np2,p4\np1,p4\np2,p4\n", "ids.txt", "p3\n\np4\n", "loop.csv", "source,target\np2,p2\n",
		"features.csv", "source,target,amount\np2,p4,1\n")
	return dir
}

// An edge list without labels, from training to suggestions.
func TestLinks(t *testing.T) {
	dir := friends(t)
	edges, out := filepath.Join(dir, "edges.csv"), filepath.Join(dir, "run")
	text := succeed(t, "train", edges, "--task", "link-prediction", "--edges", "undirected", "--epochs", "4", "--hidden", "8", "--layers", "2", "--out", out)
	for _, want := range []string{"common-neighbours", "ppr", "uniform", "hard500", "the best baseline"} {
		if !strings.Contains(text, want) {
			t.Errorf("the output of train lacks %q:\n%s", want, text)
		}
	}
	rows := table(t, succeed(t, "recommend", out, "--for", "p1", "--for-file", filepath.Join(dir, "ids.txt"), "--top", "3", "--why"))
	if len(rows) != 9 || rows[0]["source"] != "p1" || rows[0]["rank"] != "1" || rows[0]["known"] != "false" {
		t.Errorf("%d recommendations: %v", len(rows), rows)
	}
	rows = table(t, succeed(t, "predict", out, "--candidates", filepath.Join(dir, "pairs.csv")))
	if len(rows) != 2 || rows[0]["target"] != "p4" || rows[0]["source_seen"] != "true" || rows[0]["probability"] != "" {
		t.Errorf("predictions: %v", rows)
	}
	rows = table(t, succeed(t, "predict", out, "--candidates", filepath.Join(dir, "pairs.csv"), "--prior", "0.2"))
	if p, err := strconv.ParseFloat(rows[0]["probability"], 64); err != nil || p <= 0 || p >= 1 {
		t.Errorf("predictions with a prior: %v", rows)
	}
	refused(t, "--prior is 0, expected", "predict", out, "--candidates", filepath.Join(dir, "pairs.csv"), "--prior", "0")
	writeFiles(t, dir, "more.csv", "source,target\nnew,p2\nnew,p8\n", "candidates.csv", "source,target\nnew,p4\n")
	rows = table(t, succeed(t, "recommend", out, "--context", filepath.Join(dir, "more.csv"), "--for", "new", "--top", "2"))
	if len(rows) != 2 || rows[0]["cold"] != "true" || rows[0]["popular"] != "false" {
		t.Errorf("recommendations of a new node: %v", rows)
	}
	rows = table(t, succeed(t, "predict", out, "--context", filepath.Join(dir, "more.csv"), "--candidates", filepath.Join(dir, "candidates.csv")))
	if len(rows) != 1 || rows[0]["cold"] != "true" || rows[0]["source_seen"] != "true" {
		t.Errorf("predictions of a new node: %v", rows)
	}
	refused(t, `loop.csv:2: the edge of "p2" and "p2" is a loop`, "recommend", out, "--context", filepath.Join(dir, "loop.csv"), "--for", "p1")
	refused(t, `pairs.csv has 2 columns, expected three`, "evaluate", out, "--negatives-from", filepath.Join(dir, "pairs.csv"))
	refused(t, "--negatives-from, the table that lists them", "evaluate", out, "--negatives", "file")
	refused(t, "--model gae is for --task link-prediction, and --task is edge-classification", "train", edges, "--model", "gae", "--task", "edge-classification")
	refused(t, "--top does not apply to link prediction", "predict", out, "--candidates", filepath.Join(dir, "pairs.csv"), "--top", "1")
	refused(t, "--threshold does not apply to link prediction", "evaluate", out, "--threshold", "0.5")
	refused(t, "--threshold does not apply to link prediction, which the run in "+out, "serve", out, "--threshold", "0.5")
	if rows = table(t, succeed(t, "recommend", out, "--top-links", "5")); len(rows) != 5 {
		t.Errorf("%d missing links, want 5", len(rows))
	}
	var result struct {
		Tables []struct{ Form string }
	}
	if err := json.Unmarshal([]byte(succeed(t, "evaluate", out, "--negatives", "all", "--json")), &result); err != nil || len(result.Tables) != 1 || result.Tables[0].Form != "all" {
		t.Errorf("evaluate: %v, %+v", err, result)
	}
	if text := succeed(t, "data", "split", edges, "--edges", "undirected", "--check"); !strings.Contains(text, "proved: no pair, nor its reverse, is in two parts") {
		t.Errorf("data split prints %q", text)
	}
	var timed strings.Builder
	timed.WriteString("source,target,time\n")
	for i := range 120 { // the reverse of a pair follows 40 rows later
		u, v := i%20, (i+1+i/20%2)%20
		if i/40%2 == 1 {
			u, v = v, u
		}
		fmt.Fprintf(&timed, "p%d,p%d,%d\n", u, v, i)
	}
	writeFiles(t, dir, "timed.csv", timed.String())
	if text := succeed(t, "data", "split", filepath.Join(dir, "timed.csv"), "--task", "link-prediction", "--split", "time", "--fractions", "0.2,0.3,0.5", "--check"); !strings.Contains(text, "its reverse may be in an earlier one") {
		t.Errorf("data split by time prints %q", text)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"holds a run already", []string{"train", edges, "--task", "link-prediction", "--quiet", "--out", out}},
		{"is not read by link prediction", []string{"train", edges, "--task", "link-prediction", "--heads", "2"}},
		{"--epochs does not apply to --model trees", []string{"train", edges, "--task", "link-prediction", "--model", "trees", "--epochs", "2"}},
		{"--dropout does not apply to --model lightgcn", []string{"train", edges, "--task", "link-prediction", "--model", "lightgcn", "--dropout", "0"}},
		{"did you mean", []string{"train", edges, "--task", "link-prediction", "--model", "gea"}},
		{"--split is", []string{"train", edges, "--task", "link-prediction", "--split", "fold"}},
		{`"q1" is no node of the tables and none is similar; they have 30 nodes, such as "p0"`, []string{"recommend", out, "--for", "q1"}},
		{`"p77" is no node of the tables; similar ids are "p17", "p27", "p7"`, []string{"recommend", out, "--for", "p77"}},
		{"by --for or --for-file", []string{"recommend", out}},
		{"by --for or --for-file, or --for-all", []string{"recommend", out, "--for-all", "--for", "p1"}},
		{"--resume goes on with the file of --for-all --out", []string{"recommend", out, "--for", "p1", "--resume"}},
		{"expected a name ending in .csv", []string{"recommend", out, "--for-all", "--out", filepath.Join(dir, "lists.parquet")}},
		{"no such file", []string{"recommend", out, "--for-all", "--resume", "--out", filepath.Join(dir, "lists.csv")}},
		{"--top-links is 0, expected at least 1", []string{"recommend", out, "--top-links", "0"}},
		{"--side does not apply to --top-links", []string{"recommend", out, "--top-links", "5", "--side", "source"}},
		{"holds no run of link prediction", []string{"recommend", dir, "--for", "p1"}},
		{`loop.csv:2: "p2" and "p2" are one node, and a loop is no candidate`, []string{"predict", out, "--candidates", filepath.Join(dir, "loop.csv")}},
		{`candidates.csv:2: "new" is no node`, []string{"predict", out, "--candidates", filepath.Join(dir, "candidates.csv")}},
		{"--candidates: none.csv: cannot be opened", []string{"predict", out, "--candidates", "none.csv"}},
		{"--context: none.csv: cannot be opened", []string{"recommend", out, "--for", "p1", "--context", "none.csv"}},
		{"--negatives-from: none.csv: cannot be opened", []string{"evaluate", out, "--negatives-from", "none.csv"}},
		{"the graph has the pairs of the training already", []string{"recommend", out, "--for", "p1", "--context", "training"}},
		{"--skip-unknown goes on without", []string{"recommend", out, "--for", "q1"}},
		{"features of edges", []string{"predict", out, "--candidates", filepath.Join(dir, "features.csv")}},
		{"--candidates", []string{"predict", out}},
		{"expected one of", []string{"evaluate", out, "--negatives", "easy"}},
	} {
		refused(t, c.want, c.args...)
	}
}

// A file of all lists that was truncated anywhere is continued, with the same result.
func TestRecommendAll(t *testing.T) {
	dir := friends(t)
	out, file := filepath.Join(dir, "run"), filepath.Join(dir, "lists.csv")
	succeed(t, "train", filepath.Join(dir, "edges.csv"), "--model", "trees", "--baselines", "none", "--out", out)
	for _, side := range []string{"target", "source"} {
		os.Remove(file)
		all := []string{"recommend", out, "--for-all", "--top", "3", "--why", "--side", side, "--out", file}
		succeed(t, all...)
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if rows := table(t, string(want)); len(rows) != 90 || rows[0]["source"] != "p0" || rows[89]["source"] != "p9" {
			t.Errorf("%d rows", len(rows))
		}
		if have := succeed(t, all[:len(all)-2]...); have != string(want) {
			t.Error("standard output has other lists than the file")
		}
		refused(t, "is there already: --resume goes on with it", all...)
		for _, n := range []int{0, 5, 40, 60, 300, len(want) / 2, len(want) - 20, len(want) - 1, len(want)} {
			if err := os.WriteFile(file, want[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			succeed(t, append(all, "--resume")...)
			if have, err := os.ReadFile(file); err != nil || string(have) != string(want) {
				t.Errorf("cut off after %d bytes of %d: the file has %d, %v", n, len(want), len(have), err)
			}
		}
		refused(t, "has other lists than this command makes", "recommend", out, "--for-all", "--top", "2", "--why", "--side", side, "--resume", "--out", file)
	}
	writeFiles(t, dir, "lists.csv", "source,rank\nq,1\n")
	refused(t, `has lists of "q", which was not requested`, "recommend", out, "--for-all", "--resume", "--out", file)
}

// LightGCN has the given size, number of steps and learning rate.
func TestLightGCNSettings(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("user,item\n")
	for u := range 24 {
		for i := range 30 {
			if (u+i)%3 == 0 {
				fmt.Fprintf(&b, "u%d,i%d\n", u, i)
			}
		}
	}
	writeFiles(t, dir, "ratings.csv", b.String())
	out := filepath.Join(dir, "run")
	succeed(t, "train", filepath.Join(dir, "ratings.csv"), "--model", "lightgcn", // only link prediction has this model
		"--hidden", "8", "--layers", "1", "--epochs", "3", "--lr", "0.02",
		"--baselines", "none", "--out", out)
	s, err := linkrun.ReadSettings(out)
	if err != nil || s.LightGCN.Width != 8 || s.LightGCN.Layers != 1 || s.LightGCN.Epochs != 3 || s.LightGCN.Rate != 0.02 {
		t.Fatalf("settings %+v, error %v", s.LightGCN, err)
	}
	if rows := table(t, succeed(t, "recommend", out, "--for", "u3", "--top", "4")); len(rows) != 4 {
		t.Errorf("%d recommendations, want 4", len(rows))
	}
}
