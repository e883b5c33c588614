package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/internal/session"
)

// severalLabels writes a table of edges with two labels, a class and a number, and returns its path.
func severalLabels(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("from,to,amount,fraud,delay,part\n")
	for i := range 240 {
		fraud, part := "no", "train"
		if i%7 == 0 {
			fraud = "yes"
		}
		if i%6 > 3 {
			part = []string{"valid", "test"}[i%6-4]
		}
		fmt.Fprintf(&b, "a%d,b%d,%d.5,%s,%d.%d,%s\n", i%31, i%17, 10+i%7, fraud, 3*(i%7), i%10, part)
	}
	dir := t.TempDir()
	writeFiles(t, dir, "payments.csv", b.String())
	return filepath.Join(dir, "payments.csv")
}

// Each of several labels of a table has a run, which does not read the other labels.
func TestSeveralLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	table, dir := severalLabels(t), filepath.Join(t.TempDir(), "both")
	train := []string{"train", table, "--label", "fraud, delay", "--part", "part", "--quality", "fast", "--out", dir}
	text := succeed(t, train...)
	for _, want := range []string{"Label fraud\n", "Label delay\n", "ROC-AUC", "MAE", "ehgnn predict " + dir + " DATA predicts all 2 labels\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the output lacks %q:\n%s", want, text)
		}
	}
	for label, other := range map[string]string{"fraud": "delay", "delay": "fraud"} {
		if schema := read(t, filepath.Join(dir, label), "schema.json"); strings.Contains(schema, `"`+other+`"`) {
			t.Errorf("the run of %s reads %s:\n%s", label, other, schema)
		}
	}

	rows := strings.Split(succeed(t, "predict", dir, table, "--split", "test"), "\n")
	if got, want := rows[0], "edge,source,target,amount,label_fraud,prediction_fraud,probability_no_fraud,probability_yes_fraud,label_delay,prediction_delay"; got != want {
		t.Errorf("columns\n%s\nwant\n%s", got, want)
	}
	if len(rows) != 240/6+2 {
		t.Errorf("%d lines, want %d", len(rows), 240/6+2)
	}
	one := strings.Split(succeed(t, "predict", filepath.Join(dir, "delay"), table, "--split", "test"), "\n")
	for i := 1; i <= 40; i++ {
		alone, all := strings.Split(one[i], ","), strings.Split(rows[i], ",")
		if alone[len(alone)-1] != all[len(all)-1] {
			t.Errorf("row %d: delay %s in the table of both labels, %s alone", i, all[len(all)-1], alone[len(alone)-1])
		}
	}
	if r := runOnInput(t, read(t, filepath.Dir(table), filepath.Base(table)), "predict", dir, "-"); r.code != cli.ExitOK || strings.Count(r.stdout, "\n") != 241 {
		t.Errorf("of standard input: exit code %d, %d lines\n%s", r.code, strings.Count(r.stdout, "\n"), r.stderr)
	}

	text = succeed(t, "evaluate", dir)
	if !strings.Contains(text, "Label fraud\npayments, test, 40 edges: ") || !strings.Contains(text, "Label delay\npayments, test, 40 edges: ") {
		t.Errorf("evaluate says\n%s", text)
	}

	refused(t, "has a run for each label; name one of them: "+filepath.Join(dir, "fraud")+", "+filepath.Join(dir, "delay"), "explain", dir)
	refused(t, "--top is for the run of one label", "predict", dir, table, "--top", "3")
	refused(t, "holds runs already", train...)
	refused(t, `was begun with ["fraud" "delay"]`, "train", table, "--label", "delay,fraud", "--part", "part", "--out", dir, "--resume")
	refused(t, "give the command that began it, with --resume", "train", "--out", dir, "--resume")
	refused(t, `there is no column "dely"`, "train", table, "--label", "fraud,dely", "--out", filepath.Join(dir, "other"))
	writeFiles(t, filepath.Dir(table), "short.csv", "source,target,price,days\na,b,1\n")
	refused(t, "ehgnn: label price: "+filepath.Base(filepath.Dir(table))+": short.csv:2: number of values is 3, expected 4",
		"train", filepath.Join(filepath.Dir(table), "short.csv"), "--label", "price,days", "--out", filepath.Join(dir, "other"))
	refused(t, "a model predicts one of the columns fraud, delay: several labels", "sweep", table, "--space", "lr=log:1e-4..1e-2", "--label", "fraud,delay", "--out", filepath.Join(dir, "other"))

	writeFiles(t, filepath.Dir(table), "graph.json", `{"nodes":[{"id":1,"a":0.5,"b":1},{"id":2,"a":0.1,"b":2}],"links":[{"source":1,"target":2}]}`)
	for _, labels := range []string{"a,b", "a, b"} {
		refused(t, "expected one label of each node: several labels", "data", "info", filepath.Join(filepath.Dir(table), "graph.json"), "--label", labels)
	}

	before := digestOf(t, filepath.Join(dir, "fraud"))
	if err := os.RemoveAll(filepath.Join(dir, "delay")); err != nil {
		t.Fatal(err)
	}
	succeed(t, append(train, "--resume")...)
	if digestOf(t, filepath.Join(dir, "fraud")) != before {
		t.Error("the finished run is not the same after --resume")
	}
	if runs, err := session.ReadLabelRuns(dir); err != nil || len(runs) != 2 {
		t.Errorf("runs %v, error %v", runs, err)
	}
}
