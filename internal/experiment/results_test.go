package experiment

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
)

// notebooks are the pages behind docs/results.md, in the order of its table. The main numbers of
// each page are in docs/results/data.
var notebooks = []struct{ name, title string }{
	{"graph-classification", "graph classification"}, {"ablation", "ablation"}, {"edges", "edges of HyperDrop"}, {"tuned-model", "tuned model"},
	{"node-classification", "depth"}, {"dual-hypergraph", "dual hypergraph"}, {"reconstruction", "reconstruction"},
	{"molgan", "MolGAN"}, {"mars", "MARS"}, {"optimise", "molecule search"}, {"tables", "default model on tables"}, {"edge-tasks", "ehgnn-roles on labels of edges"}, {"speed", "speed"},
}

// resultColumns are the columns of the files in docs/results/data: the measured value with its
// deviation and number of runs, the number of the paper or of another program, and the verdict. If
// the verdict is empty, it is that of the paper's t-test.
var resultColumns = []string{"what", "unit", "ours", "deviation", "runs", "other", "other_deviation", "of", "verdict", "command", "commit"}

// resultRow is a row of a file, by column name.
type resultRow map[string]string

func readResults(path string) ([]resultRow, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 || strings.Join(records[0], ",") != strings.Join(resultColumns, ",") {
		return nil, fmt.Errorf("%s: expected rows under the columns %v", path, resultColumns)
	}
	var rows []resultRow
	for _, r := range records[1:] {
		row := resultRow{}
		for i, name := range resultColumns {
			row[name] = r[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// number returns a number of a row with its deviation, as written in the file.
func (r resultRow) number(of, deviation string) string {
	if r[deviation] == "" {
		return r[of]
	}
	return r[of] + " ± " + r[deviation]
}

// judged returns the verdict: that of the file, or that of the t-test against the paper's number.
// For one run it is whether the number is within three of the paper's deviations and within one
// point.
func (r resultRow) judged() (string, error) {
	if r["verdict"] != "" {
		return r["verdict"], nil
	}
	values := map[string]float64{}
	for _, name := range []string{"ours", "other", "other_deviation", "runs"} {
		v, err := strconv.ParseFloat(r[name], 64)
		if err != nil {
			return "", fmt.Errorf("%s: no verdict, and %s is %q, expected a number", r["what"], name, r[name])
		}
		values[name] = v
	}
	ours, paper, std := values["ours"], values["other"], values["other_deviation"]
	switch {
	case ours >= paper:
		return "reproduced, above", nil
	case values["runs"] == 1 && paper-ours <= 3*std+1:
		return "reproduced, one seed", nil
	case values["runs"] == 1:
		return "below, one seed", nil
	}
	own, err := strconv.ParseFloat(r["deviation"], 64)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r["what"], err)
	}
	test, err := report.StudentT(report.Sample{Mean: ours, Std: own, Runs: int(values["runs"])}, report.Sample{Mean: paper, Std: std, Runs: paperRuns})
	if err != nil {
		return "", fmt.Errorf("%s: %w", r["what"], err)
	}
	p := fmt.Sprintf("p = %.1g", test.P) // means and deviations are rounded, so that more digits have no meaning
	if test.P < 0.001 {
		p = "p < 0.001"
	}
	if test.P > report.Significance {
		return "reproduced (" + p + ")", nil
	}
	return "below (" + p + ")", nil
}

// line is the row in the table of docs/results.md.
func (r resultRow) line(first string) (string, error) {
	verdict, err := r.judged()
	if err != nil {
		return "", err
	}
	what := r["what"]
	if r["unit"] != "" {
		what += ", " + r["unit"]
	}
	ours, other := r.number("ours", "deviation"), r.number("other", "other_deviation")
	if n := r["runs"]; n == "1" {
		ours += " (one run)"
	} else if n != "" {
		ours += " (" + n + " runs)"
	}
	if other != "" {
		other += " (" + r["of"] + ")"
	}
	command := r["command"]
	if !strings.HasPrefix(command, "make ") && !strings.HasPrefix(command, "go ") {
		command = "ehgnn " + command
	}
	return "| " + strings.Join([]string{first, what, ours, other, verdict, "`" + command + "`", r["commit"]}, " | ") + " |\n", nil
}

const tableMark = "<!-- from docs/results/data, by make results -->\n"

// The table of docs/results.md follows from docs/results/data, and its numbers are those of the
// pages behind it.
func TestResults(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	var table strings.Builder
	table.WriteString(tableMark + "| experiment | what | ours | reference | verdict | command | commit |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, n := range notebooks {
		notebook, err := os.ReadFile(filepath.Join(docs, "results", n.name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readResults(filepath.Join(docs, "results", "data", n.name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		first := "[" + n.title + "](results/" + n.name + ".md)"
		for _, r := range rows {
			for _, number := range []string{r.number("ours", "deviation"), r["ours"]} {
				if !regexp.MustCompile(`(^|[^\d.])` + regexp.QuoteMeta(number) + `($|[^\d])`).Match(notebook) {
					t.Errorf("%s.csv, %s: %s is not in the notebook", n.name, r["what"], number)
				}
			}
			if words := strings.Fields(r["command"]); words[0] == "reproduce" {
				if !slices.ContainsFunc(Registry(), func(e Experiment) bool { return e.Name == words[1] }) {
					t.Errorf("%s.csv, %s: no experiment is called %q", n.name, r["what"], words[1])
				}
			}
			line, err := r.line(first)
			if err != nil {
				t.Fatal(err)
			}
			table.WriteString(line)
			first = ""
		}
	}
	if files, err := filepath.Glob(filepath.Join(docs, "results", "data", "*.csv")); err != nil || len(files) != len(notebooks) {
		t.Errorf("%d files of results for %d notebooks, %v", len(files), len(notebooks), err)
	}
	path := filepath.Join(docs, "results.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableMark)
	end := strings.Index(rest, "\n\n")
	if !ok || end < 0 {
		t.Fatalf("%s has no table after %q", path, tableMark)
	}
	want := before + table.String() + rest[end+1:]
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is not what docs/results/data has; make results writes it again", path)
	}
}

// The numbers under Results in the README are those of the result pages.
func TestReadmeResults(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Results\n")
	section, _, ok := strings.Cut(section, "\n## ")
	if !ok {
		t.Fatal("README.md has no section Results")
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "results", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var results strings.Builder
	for _, page := range append(pages, filepath.Join("..", "..", "docs", "results.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		results.Write(text)
	}
	numbers := regexp.MustCompile(`\d+\.\d+( ± \d+\.\d+)?`).FindAllString(section, -1)
	if len(numbers) < 10 {
		t.Errorf("only %d numbers under Results", len(numbers))
	}
	for _, number := range numbers {
		if !regexp.MustCompile(`(^|[^\d.])` + regexp.QuoteMeta(number) + `($|[^\d])`).MatchString(results.String()) {
			t.Errorf("README.md has %s, which no page of results has", number)
		}
	}
}

// The verdict of a row without one follows the rules in docs/results.md.
func TestJudged(t *testing.T) {
	row := func(ours, deviation, runs string) resultRow {
		return resultRow{"what": "x", "ours": ours, "deviation": deviation, "runs": runs, "other": "75.30", "other_deviation": "0.45"}
	}
	for _, test := range []struct {
		row  resultRow
		want string
	}{
		{row("74.32", "0.63", "3"), "below (p = 0.0"}, {row("75.20", "0.38", "3"), "reproduced (p = 0.7"}, {row("75.31", "0.38", "3"), "reproduced, above"},
		{row("73.00", "", "1"), "reproduced, one seed"}, {row("72.90", "", "1"), "below, one seed"},
	} {
		if got, err := test.row.judged(); err != nil || !strings.HasPrefix(got, test.want) {
			t.Errorf("%v: %q, %v; want %q", test.row, got, err, test.want)
		}
	}
	if _, err := row("74.3", "", "3").judged(); err == nil {
		t.Error("a mean of three runs without a deviation is judged")
	}
}
