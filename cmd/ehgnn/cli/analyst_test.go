package cli_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// From a table of payments to the payments to check first, with reasons, in a spreadsheet. The test uses the real program.
func TestAnalyst(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	path, work := payments(t, 400, "nodes.csv", "edges.csv"), t.TempDir()
	run, out := filepath.Join(work, "run"), filepath.Join(work, "look.csv")
	text := exits0(t, "train", path, "--quality", "fast", "--out", run, "--threshold", "recall=0.8")
	for _, want := range []string{"threshold ", " for fraud (recall=0.8): on validation ", "\nReport  " + run, "\nNext    ehgnn predict " + run + " " + path + " --split test --top 50 --why --spreadsheet-safe --out predictions.csv\n", "\n        ehgnn explain " + run} {
		if !strings.Contains(text, want) {
			t.Errorf("train does not print %q:\n%s", want, text)
		}
	}
	own := table(t, read(t, path, "edges.csv"))
	// A spreadsheet would read this id as a formula.
	edges := strings.Replace(read(t, path, "edges.csv"), "\n"+own[0]["source"]+",", "\n=cmd,", 1)
	nodes := read(t, path, "nodes.csv") + strings.Replace(strings.SplitN(read(t, path, "nodes.csv"), "\n", 3)[1], "0,", "=cmd,", 1) + "\n"
	other := filepath.Join(work, "new")
	writeFiles(t, other, "nodes.csv", nodes, "edges.csv", edges)
	exits0(t, "predict", run, other, "--top", "20", "--why", "--spreadsheet-safe", "--out", out, "--quiet")
	rows := table(t, read(t, out))
	if len(rows) != 20 {
		t.Fatalf("%d rows", len(rows))
	}
	last := math.Inf(1)
	for _, row := range rows {
		p, err := strconv.ParseFloat(row["probability_fraud"], 64)
		if err != nil || p > last {
			t.Errorf("probability %v behind %v", row["probability_fraud"], last)
		}
		last = p
		e, _ := strconv.Atoi(row["edge"])
		for _, column := range []string{"target", "amount", "channel", "hour", "time"} {
			if row[column] != own[e][column] {
				t.Errorf("edge %d has %s %q, the table has %q", e, column, row[column], own[e][column])
			}
		}
		if n := strings.Count(row["why"], ";"); !strings.Contains(row["why"], "it by 0.") || n > 2 {
			t.Errorf("edge %d has the reason %q", e, row["why"])
		}
	}
	all := table(t, exits0(t, "predict", run, other, "--spreadsheet-safe"))
	if all[0]["source"] != "'=cmd" {
		t.Errorf("the first source is %q", all[0]["source"])
	}
	if sorted := table(t, exits0(t, "predict", run, other, "--sort=ok")); len(sorted) != 400 || sorted[0]["probability_ok"] < sorted[399]["probability_ok"] {
		t.Errorf("--sort=ok begins with %v", sorted[0])
	}
	for _, args := range [][]string{{run, other, "--sort", "ok"}, {run, "--sort", "ok", other}, {"--sort", "ok", run, other, "--top", "3"}, {run, other, "--top", "3", "--sort", "ok"}} {
		if sorted := table(t, exits0(t, append([]string{"predict"}, args...)...)); sorted[0]["probability_ok"] < sorted[2]["probability_ok"] || sorted[0]["prediction"] != "ok" {
			t.Errorf("%q begins with %v", args, sorted[0])
		}
	}
	for _, args := range [][]string{{run, other, "--sort"}, {run, "--sort", other}, {"--sort", run, other}} { // --sort without a name uses its default column
		if sorted := table(t, exits0(t, append([]string{"predict"}, args...)...)); sorted[0]["probability_fraud"] < sorted[399]["probability_fraud"] {
			t.Errorf("%q begins with %v", args, sorted[0])
		}
	}
	refused(t, "wrong number of arguments (3)", "predict", run, other, "ok", "--sort")
	if bare := table(t, exits0(t, "predict", run, other, "--keep-columns=false")); bare[0]["amount"] != "" || bare[0]["source"] != "=cmd" {
		t.Errorf("without columns the first row is %v", bare[0])
	}
	refused(t, "--top is -1", "predict", run, path, "--top", "-1")
	refused(t, `--sort=theft, expected one of the classes ["fraud" "ok"]`, "predict", run, path, "--sort=theft")
	refused(t, `--sort=theft, expected one of the classes ["fraud" "ok"]`, "predict", run, path, "--sort", "theft")

	// Vectors and their keys in one file.
	archive := filepath.Join(work, "vectors.npz")
	exits0(t, "embed", run, path, "--out", archive, "--quiet")
	if names := zipNames(t, archive); names != "edge.npy,source.npy,target.npy,vector.npy" {
		t.Errorf("the archive has %s", names)
	}
}

// Another threshold changes the decisions of predict and evaluate without a new training.
func TestThreshold(t *testing.T) {
	t.Parallel()
	path, run := payments(t, 400, "nodes.csv", "edges.csv"), filepath.Join(t.TempDir(), "run")
	text := exits0(t, "train", path, "--model", "ehgnn-roles", "--epochs", "8", "--hidden", "8", "--out", run, "--quiet")
	if !strings.Contains(text, "accuracy") || strings.Contains(text, run) {
		t.Errorf("train --quiet prints more than its scores:\n%s", text)
	}
	weights := read(t, run, "model.safetensors")
	frauds := func(args ...string) (n int) {
		for _, row := range table(t, exits0(t, append([]string{"predict", run, path, "--split", "valid"}, args...)...)) {
			if row["prediction"] == "fraud" {
				n++
			}
		}
		return n
	}
	if none, all := frauds("--threshold", "1"), frauds("--threshold", "0"); none != 0 || all != 80 {
		t.Errorf("threshold 1 has %d of fraud, 0 has %d", none, all)
	}
	if n := frauds("--threshold", "budget=10"); n != 10 {
		t.Errorf("a budget of 10 has %d", n)
	}
	if a, b := frauds(), frauds("--threshold", "macro_f1"); a != b {
		t.Errorf("the default has %d of fraud, macro_f1 has %d", a, b)
	}
	var strict, loose edgeEvaluation
	document(t, exits0(t, "evaluate", run, "--split", "valid", "--threshold", "recall=0.95", "--json"), &loose)
	document(t, exits0(t, "evaluate", run, "--split", "valid", "--threshold", "0.999", "--json"), &strict)
	if loose.Scores["recall"] < 0.95 || strict.Scores["recall"] >= loose.Scores["recall"] || strict.Scores["roc_auc"] != loose.Scores["roc_auc"] {
		t.Errorf("recall %v and %v", loose.Scores["recall"], strict.Scores["recall"])
	}
	if read(t, run, "model.safetensors") != weights {
		t.Error("the weights have changed")
	}
	refused(t, `--threshold is "best", expected a number from 0 to 1, macro_f1, f1, recall=0.9`, "predict", run, path, "--threshold", "best")
	refused(t, `--threshold is "cost=1", expected cost=FP:FN`, "serve", run, "--threshold", "cost=1")
	amounts := filepath.Join(t.TempDir(), "amounts")
	exits0(t, "train", path, "--label", "amount", "--ignore", "label", "--model", "mlp-edge", "--epochs", "1", "--hidden", "4", "--out", amounts, "--quiet")
	refused(t, "run "+amounts+": --threshold is for runs that predict one of two classes", "serve", run, amounts, "--threshold", "0.5")
	refused(t, `--threshold is "recall=2", expected`, "train", path, "--threshold", "recall=2", "--out", filepath.Join(t.TempDir(), "no"))
}

// train gives the warnings of the report, here about an accuracy below that of a constant answer.
func TestWorseThanMajority(t *testing.T) {
	t.Parallel()
	path, run := payments(t, 300, "nodes.csv", "edges.csv"), filepath.Join(t.TempDir(), "run")
	text := exits0(t, "train", path, "--model", "ehgnn-roles", "--epochs", "1", "--hidden", "4", "--threshold", "0.001", "--out", run, "--quiet")
	var e struct{ Result struct{ Warnings []string } }
	if err := json.Unmarshal([]byte(read(t, run, "environment.json")), &e); err != nil || len(e.Result.Warnings) == 0 {
		t.Fatalf("%v, warnings %q", err, e.Result.Warnings)
	}
	page, worse := html.UnescapeString(read(t, run, "report.html")), false
	for _, w := range e.Result.Warnings {
		worse = worse || strings.HasPrefix(w, "accuracy 0.") && strings.Contains(w, "that of always saying the most frequent class")
		answer, _, _ := strings.Cut(w[1:], ":")
		if !strings.Contains(text, "Warning: "+w) || !strings.Contains(page, answer) {
			t.Errorf("train prints %q, and the report does not:\n%s", w, text)
		}
	}
	if !worse {
		t.Errorf("no warning of the accuracy: %q", e.Result.Warnings)
	}
}

// seedsOf returns seeds.json of a run folder.
type seedsOf struct {
	Runs []struct {
		Seed   uint64
		Dir    string
		Result *struct {
			Test map[string]float64
		}
	}
	Scores []struct {
		Part, Name      string
		Mean, Deviation float64
	}
}

func readSeeds(t *testing.T, run string) (s seedsOf) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, run, "seeds.json")), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Several seeds in one folder: each run equals the run of its seed alone, and scores have a mean and a
// deviation. A training that was killed during the second run continues.
func TestTrainSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	path, work := payments(t, 200, "nodes.csv", "edges.csv"), t.TempDir()
	args := func(dir string, more ...string) []string {
		return append([]string{"train", path, "--model", "ehgnn-roles", "--hidden", "8", "--epochs", "20", "--out", dir, "--quiet"}, more...)
	}
	whole, dir := filepath.Join(work, "whole"), filepath.Join(work, "killed")
	text := exits0(t, args(whole, "--repeat", "3", "--seed", "5")...)
	if !strings.Contains(text, " ± ") || !strings.Contains(text, "over the seeds 5 to 7; the run of 5 is used to predict") {
		t.Errorf("train prints\n%s", text)
	}
	s := readSeeds(t, whole)
	if len(s.Runs) != 3 || s.Runs[2].Seed != 7 || s.Runs[2].Dir != filepath.Join("seeds", "7") || s.Runs[0].Dir != "." {
		t.Fatalf("seeds are %+v", s.Runs)
	}
	for _, score := range s.Scores {
		if score.Part != "test" || score.Name != "average_precision" {
			continue
		}
		mean := 0.0
		for _, r := range s.Runs {
			mean += r.Result.Test[score.Name] / 3
		}
		if math.Abs(mean-score.Mean) > 1e-12 || score.Deviation < 0 {
			t.Errorf("mean %v and deviation %v of %v", score.Mean, score.Deviation, mean)
		}
	}
	for _, r := range s.Runs {
		if n := epochs(filepath.Join(whole, r.Dir)); n != 20 {
			t.Errorf("seed %d has a curve of %d epochs", r.Seed, n)
		}
	}
	exits0(t, "predict", whole, path)

	killed := stop{Kill: true, File: filepath.Join(dir, "seeds", "6", "metrics.jsonl"), Lines: 5}
	if r := stopped(t, killed, args(dir, "--repeat", "3", "--seed", "5")...); r.code != -1 {
		t.Fatalf("it was not killed: %+v", r)
	}
	exits0(t, "train", "--resume", "--out", dir, "--quiet")
	for _, r := range s.Runs {
		if read(t, whole, r.Dir, "model.safetensors") != read(t, dir, r.Dir, "model.safetensors") {
			t.Errorf("seed %d has other weights after a kill", r.Seed)
		}
	}
	if got := readSeeds(t, dir); len(got.Scores) != len(s.Scores) || got.Scores[0] != s.Scores[0] {
		t.Errorf("scores are %v, want %v", got.Scores, s.Scores)
	}
	refused(t, "--repeat is 2, and", "train", "--resume", "--out", dir, "--repeat", "2")
	if r := run(t, "train", path, "--task", "link-prediction", "--repeat", "2"); r.code != cli.ExitUsage {
		t.Errorf("link prediction: %+v", r)
	}
}

// zipNames returns the names of the files in a zip.
func zipNames(t *testing.T, path string) string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	return strings.Join(names, ",")
}

// The order, the first rows, their cells and their reasons are the same, byte for byte, from a file, over HTTP, and for
// node-link JSON on standard input and in a file.
func TestRankEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	path, run := payments(t, 400, "nodes.csv", "edges.csv"), filepath.Join(t.TempDir(), "run")
	exits0(t, "train", path, "--model", "auto", "--out", run, "--quiet")
	var unlabelled strings.Builder
	for _, line := range strings.SplitAfterN(read(t, path, "edges.csv"), "\n", 151)[:150] {
		unlabelled.WriteString(line[:strings.LastIndex(line, ",")] + "\n")
	}
	nodes := read(t, path, "nodes.csv")
	path = filepath.Join(t.TempDir(), "new")
	writeFiles(t, path, "nodes.csv", nodes, "edges.csv", unlabelled.String())
	address := served(t, []string{"serve", "--addr", "127.0.0.1:0", "RUN"}, map[string]string{"RUN": run})
	for query, flags := range map[string][]string{
		"?top=7&why=true":   {"--top", "7", "--why"},
		"?sort=ok&top=3":    {"--sort=ok", "--top", "3"},
		"?sort=usual":       {"--sort"},
		"?why=true&sort=":   {"--why", "--sort"},
		"?why=true":         {"--why"},
		"?sort=fraud&why=1": {"--sort=fraud", "--why"},
		"?sort=fraud&why=0": {"--sort=fraud"},
		"?top=100000&why":   {"--top", "100000", "--why"},
		"?top=1&sort=fraud": {"--top", "1", "--sort=fraud"},
	} {
		file := exits0(t, append([]string{"predict", run, path}, flags...)...)
		status, answer := postTables(t, address+"/v1/models/run/predict"+query, "text/csv", path)
		if status != http.StatusOK || cellsShared(t, answer) != cellsShared(t, file) {
			t.Errorf("%s: %d\n%.600s\nwant\n%.600s", query, status, answer, file)
		}
	}
	for query, want := range map[string]string{"?top=0": "expected a number of rows, 1 or more", "?why=maybe": "expected true or false", "?sort=nobody": "expected one of the classes"} {
		if status, answer := postTables(t, address+"/v1/models/run/predict"+query, "text/csv", path); status != http.StatusUnprocessableEntity || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", query, status, answer)
		}
	}
	if status, answer := postTables(t, address+"/v1/models/run/predict?top=3", "application/json", path); status != http.StatusUnprocessableEntity || !strings.Contains(answer, "Accept: text/csv") {
		t.Errorf("JSON: %d %s", status, answer)
	}

	document := `{"directed": true, "nodes": [{"id": "a", "kind": "person", "days": 30}, {"id": "b", "kind": "shop", "days": 900}], "edges": [
		{"source": "a", "target": "b", "amount": 12.5, "channel": "card", "hour": 3, "time": 5, "group": "r1"},
		{"source": "b", "target": "a", "amount": 3900, "channel": "transfer", "hour": 2, "time": 6, "group": "r1"},
		{"source": "a", "target": "b", "amount": 1, "channel": "card", "hour": 12, "time": 7, "group": "r1"}]}`
	file := filepath.Join(t.TempDir(), "document.json")
	if err := os.WriteFile(file, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--top", "2", "--why"}
	cmd := command(t, append([]string{"predict", run, "-"}, flags...)...)
	cmd.Stdin = strings.NewReader(document)
	lines, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if from := exits0(t, append([]string{"predict", run, file}, flags...)...); from != string(lines) {
		t.Errorf("standard input\n%s\na file\n%s", lines, from)
	}
	var line struct {
		Edges []struct {
			Number        *int
			Why           string
			Probabilities []float64
		}
	}
	if err := json.Unmarshal(lines, &line); err != nil || len(line.Edges) != 2 || line.Edges[0].Number == nil || !strings.Contains(line.Edges[0].Why, " it by 0.") {
		t.Fatalf("%v in %s", err, lines)
	}
}

// cellsShared removes from a CSV the columns that only answers of servers or only files have: the graph, and empty
// labels of edges without labels.
func cellsShared(t *testing.T, text string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, row := range rows {
		for k, cell := range row {
			if name := rows[0][k]; name != "graph" && name != "label" {
				fmt.Fprintf(&out, "%q,", cell)
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}

// postTables sends the tables of a folder to a server.
func postTables(t *testing.T, url, accept, dir string) (int, string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range []string{"nodes", "edges"} {
		w, err := form.CreateFormFile(part, part+".csv")
		if err == nil {
			_, err = io.WriteString(w, read(t, dir, part+".csv"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	form.Close()
	r, err := http.NewRequest(http.MethodPost, url, &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Accept", accept)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
