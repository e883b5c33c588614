package cli_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// runOnInput is run with a standard input.
func runOnInput(t *testing.T, input string, args ...string) result {
	t.Helper()
	var out, errs strings.Builder
	code := cli.Main(t.Context(), cli.State{Args: args, Stdin: strings.NewReader(input), Stdout: &out, Stderr: &errs})
	return result{code, out.String(), errs.String()}
}

// An error in a document is reported, and the documents after it are predicted.
func TestPredictGoesOn(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	for i := range 20 {
		text.WriteString(`{"graph":{"label":"` + []string{"x", "y"}[i%2] + `","id":"g` + itoa(i) + `"},"nodes":[{"id":0,"size":` + itoa(i) + `},{"id":1,"size":2}],"edges":[{"source":0,"target":1}]}` + "\n")
	}
	writeFiles(t, dir, "graphs.jsonl", text.String())
	run := filepath.Join(dir, "run")
	succeed(t, "train", filepath.Join(dir, "graphs.jsonl"), "--out", run, "--epochs", "1", "--hidden", "8", "--quiet")
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	good := runOnInput(t, lines[0]+"\n"+lines[1]+"\n", "predict", run, "-")
	if good.code != 0 || strings.Count(good.stdout, "\n") != 2 || good.stderr != "" {
		t.Fatalf("%+v", good)
	}
	wrong := []string{
		`{"nodes":[{"id":0,"size":"big"}],"edges":[]}`,
		`{"nodes":[{"id":0}],"edges":[{"source":0,"target":7}]}`,
		`{"directed":true,"nodes":[{"id":0}],"edges":[]}`,
		`{"nodes":[{"id":0`,
	}
	r := runOnInput(t, lines[0]+"\n"+strings.Join(wrong, "\n")+"\n"+lines[1]+"\n", "predict", run, "-")
	if r.code != cli.ExitFailed {
		t.Errorf("exit code %d, want %d", r.code, cli.ExitFailed)
	}
	got, want := strings.Split(r.stdout, "\n"), strings.Split(good.stdout, "\n")
	if len(got) != 7 || got[0] != want[0] || got[5] != strings.Replace(want[1], `"document":2`, `"document":6`, 1) {
		t.Fatalf("lines %q, want the first and the last of %q", got, want)
	}
	errs := strings.Split(r.stderr, "\n")
	if len(errs) != 6 || errs[4] != "ehgnn: 4 of 6 documents of standard input cannot be predicted for" {
		t.Fatalf("standard error %q", errs)
	}
	for i, part := range []string{`attribute "size" of node 0 is `, "which is not a node", "directed is true", "the text ends within a document"} {
		var line struct {
			Document int
			Error    string
			Class    string
		}
		document(t, got[i+1], &line)
		if line.Document != i+2 || !strings.Contains(line.Error, part) || line.Class != "" || errs[i] != "ehgnn: "+line.Error || !strings.Contains(line.Error, "standard input:"+itoa(i+2)+": document "+itoa(i+2)) {
			t.Errorf("line %q and error %q, want %q", got[i+1], errs[i], part)
		}
	}
	if r := runOnInput(t, "\n", "predict", run, "-"); r.code != cli.ExitUsage || !strings.Contains(r.stderr, "has no document") {
		t.Errorf("no document: %+v", r)
	}
}

// A run on tables reads node-link JSON from a file as from standard input.
func TestPredictFileOfDocuments(t *testing.T) {
	dir := t.TempDir()
	tables := payments(t, 60, "nodes.csv", "edges.csv")
	run := filepath.Join(dir, "run")
	succeed(t, "train", tables, "--out", run, "--epochs", "1", "--hidden", "8", "--quiet")
	text := read(t, run, "input_example.json")
	file := filepath.Join(dir, "new.json")
	writeFiles(t, dir, "new.json", text, "bad.json", strings.Replace(text, `"nodes"`, `"knots"`, 1))
	want := runOnInput(t, text, "predict", run, "-")
	if want.code != 0 {
		t.Fatalf("%+v", want)
	}
	for _, args := range [][]string{{"predict", run, file}, {"predict", run, file, "--format", "node-link"}} {
		if r := runOnInput(t, "", args...); r != want {
			t.Errorf("%q: %+v, want %+v", args, r, want)
		}
	}
	if r := runOnInput(t, "", "predict", run, filepath.Join(dir, "bad.json"), "--format", "node-link"); r.code != cli.ExitFailed || !strings.Contains(r.stderr, ": document 1: expected the lists") {
		t.Errorf("a document without nodes: %+v", r)
	}
	refused(t, "--context does not apply to predict of node-link JSON with a run on other data", "predict", run, file, "--context", "training")
}

// Values separated by blanks are read from standard input as from a file, if the training had such a file: an edge list, or a table of R.
func TestPredictBlanks(t *testing.T) {
	var list, frame strings.Builder
	frame.WriteString("\"from\" \"to\" \"amount\" \"label\"\n")
	for i := range 60 {
		fmt.Fprintf(&list, "n%d n%d %d %s\n", i%7, i%5, i, []string{"x", "y"}[i%2])
		fmt.Fprintf(&frame, "\"%d\" \"n%d\" \"n%d\" %d %s\n", i+1, i%7, i%5, i, []string{"TRUE", "FALSE"}[i%2])
	}
	for name, c := range map[string]struct{ label, text, asked string }{
		"list.edges": {"column_4", list.String(), "n1 n2 5 x\nn3 n4 8 y\n"},
		"frame.txt":  {"label", frame.String(), "\"from\" \"to\" \"amount\"\n\"1\" \"n1\" \"n2\" 5\n\"2\" \"n3\" \"n4\" 8\n"},
	} {
		dir := t.TempDir()
		writeFiles(t, dir, name, c.text)
		writeFiles(t, filepath.Join(dir, "new"), name, c.asked)
		run := filepath.Join(dir, "run")
		succeed(t, "train", filepath.Join(dir, name), "--label", c.label, "--model", "mlp-edge", "--structure", "none", "--epochs", "1", "--hidden", "8", "--out", run)
		want := succeed(t, "predict", run, filepath.Join(dir, "new", name))
		if r := runOnInput(t, c.asked, "predict", run, "-"); r.code != 0 || r.stdout != want {
			t.Errorf("%s: %+v, want %q", name, r, want)
		}
	}
}

// JSON records on standard input, one in each line or in a list, get the same predictions as in a file.
func TestPredictRecords(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	var lines []string
	for i := range 60 {
		lines = append(lines, `{"source": "n`+itoa(i%7)+`", "target": "n`+itoa(i%5)+`", "amount": `+itoa(i)+`, "label": "`+[]string{"x", "y"}[i%2]+`"}`)
	}
	writeFiles(t, dir, "edges.jsonl", strings.Join(lines, "\n"), "new.jsonl", strings.Join(lines[:20], "\n"))
	file := filepath.Join(dir, "edges.jsonl")
	succeed(t, "train", file, "--out", run, "--model", "ehgnn-roles", "--structure", "none", "--epochs", "1", "--hidden", "8", "--quiet")
	want := succeed(t, "predict", run, filepath.Join(dir, "new.jsonl"))
	lines = lines[:20]
	for name, text := range map[string]string{"lines": strings.Join(lines, "\n"), "a list": "[\n  " + strings.Join(lines, ",\n  ") + "\n]"} {
		if r := runOnInput(t, text, "predict", run, "-"); r.code != 0 || r.stdout != want {
			t.Errorf("%s: %+v, want %q", name, r, want)
		}
	}
	text := "source;target;amount\nn1;n2;3\nn3;n4;5\n"
	writeFiles(t, dir, "new.csv", text)
	want = succeed(t, "predict", run, filepath.Join(dir, "new.csv"))
	wide := "\xff\xfe"
	for _, c := range text {
		wide += string([]byte{byte(c), 0})
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(text))
	z.Close()
	for name, text := range map[string]string{"CSV": text, "UTF-16": wide, "gzip": packed.String()} {
		if r := runOnInput(t, text, "predict", run, "-"); r.code != 0 || r.stdout != want {
			t.Errorf("%s: %+v, want %q", name, r, want)
		}
	}
	if r := runOnInput(t, lines[0], "predict", run, "-", "--nodes", "nodes.csv"); r.code != cli.ExitUsage || !strings.Contains(r.stderr, "--nodes does not apply to a table on standard input") {
		t.Errorf("with nodes: %+v", r)
	}
}
