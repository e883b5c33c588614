//go:build rdkit && unix

package cli_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// A program, a table of active molecules and QED are optimised together. The folder has the files,
// and the command continues there.
func TestOptimiseMolecules(t *testing.T) {
	work := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(work, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var list strings.Builder
	list.WriteString("smiles,active\n")
	for i := range 12 {
		chain := strings.Repeat("C", i+1)
		list.WriteString(chain + "O,0\n" + chain + "N,1\n")
	}
	actives := write("amines.csv", list.String())
	fragments := write("fragments.smi", "CCO\nCCN\nCCCN\nCc1ccccc1F\nCC(=O)NC\nCCCl\n")
	start := write("start.smi", "CCC first\nCCCC\nC(\n")
	dir := filepath.Join(work, "out")
	args := []string{"optimise", "--search", "mars", "--score", "qed", "--score", "amine=" + actives, "--score", "length=while read m; do echo ${#m}; done", "--range", "length=0:20", "--threshold", "amine=0.5", "--clip", "qed=0",
		"--start", start, "--fragments", fragments, "--out", dir, "--cache", filepath.Join(work, "cache"), "--chains", "8", "--seed", "3"}
	text := succeed(t, append(args, "--steps", "6")...)
	if !strings.Contains(text, "After 6 steps the mean target is") || !strings.Contains(text, "length: ") || !strings.Contains(text, "% of the chains reach all thresholds") {
		t.Errorf("prints\n%s", text)
	}
	for _, name := range []string{"molecules.csv", "population.csv", "best.svg", "best.png", "scores.jsonl", "progress.jsonl", "summary.json", "fragments.csv", "settings.json", "checkpoint.safetensors"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var doc struct {
		Steps  int
		Scores []string
		Best   []struct {
			SMILES string
			Values []float64
			Target float64
		}
		Calls []struct {
			Name      string
			Molecules int
		}
	}
	document(t, succeed(t, append(args, "--steps", "9", "--json", "--quiet")...), &doc)
	if doc.Steps != 9 || len(doc.Scores) != 3 || len(doc.Best) == 0 || len(doc.Calls) != 3 {
		t.Fatalf("%+v", doc)
	}
	best := doc.Best[0]
	length := min(float64(len(best.SMILES))/20, 1)
	if best.Values[2] != length || best.Target < (best.Values[0]+best.Values[1]+length)/3-1e-9 {
		t.Errorf("%+v, expected a length of %v", best, length)
	}
	scores, _ := os.ReadFile(filepath.Join(dir, "scores.jsonl"))
	if n := strings.Count(string(scores), "\n"); n != doc.Calls[0].Molecules {
		t.Errorf("%d molecules are on file, %d were scored", n, doc.Calls[0].Molecules)
	}
	progress, _ := os.ReadFile(filepath.Join(dir, "progress.jsonl"))
	if n := strings.Count(string(progress), "\n"); n != 9 {
		t.Errorf("%d evaluations are on file, expected 9", n)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{append(args, "--steps", "9", "--weight", "qed=2"), "has a run of other settings"},
		{append(args, "--steps", "9", "--seed", "4"), "has a run of other settings"},
		{append(args, "--steps", "8"), "has a run of other settings"},
		{append(args, "--start", actives+"x"), "--start: smiles: no list of molecules"},
		{append(args, "--score", "other=no-such-program", "--out", filepath.Join(work, "b"), "--steps", "1"), "without an answer"},
	} {
		if r := run(t, c.args...); r.code == cli.ExitOK || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%v exits with %d and says %q, expected %q", c.args[len(args):], r.code, r.stderr, c.want)
		}
	}
	// A list with other content is another setting, even with the same path.
	write("amines.csv", list.String()+"CCOCC,0\n")
	if r := run(t, append(args, "--steps", "9")...); r.code != cli.ExitUsage || !strings.Contains(r.stderr, "has a run of other settings") {
		t.Errorf("with another list it exits with %d and says %q", r.code, r.stderr)
	}
}

// A trained run is a score. If it predicts several numbers, the name of the score says which one.
func TestOptimiseRunMolecules(t *testing.T) {
	work := t.TempDir()
	var rows strings.Builder
	rows.WriteString("smiles,atoms,oxygens\n")
	for i := range 40 {
		c, o := 1+i%8, i%3
		fmt.Fprintf(&rows, "%s%s,%d,%d\n", strings.Repeat("C", c), strings.Repeat("O", o), c+o, o)
	}
	data, dir := filepath.Join(work, "atoms.csv"), filepath.Join(work, "run")
	if err := os.WriteFile(data, []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	train := func(more ...string) {
		succeed(t, append([]string{"train", data, "--task", "graph-regression", "--model", "gcn", "--hidden", "8", "--epochs", "3", "--out", dir, "--quiet"}, more...)...)
	}
	train()
	args := []string{"optimise", "--search", "mars", "--fragments", data, "--cache", work, "--range", "atoms=0:20", "--chains", "4", "--steps", "3", "--quiet"}
	var doc struct {
		Best []struct{ Values []float64 }
	}
	document(t, succeed(t, append(args, "--score", "atoms="+dir, "--out", filepath.Join(work, "a"), "--json")...), &doc)
	if len(doc.Best) == 0 || len(doc.Best[0].Values) != 1 || doc.Best[0].Values[0] <= 0 || doc.Best[0].Values[0] > 1 {
		t.Errorf("%+v", doc)
	}
	// Another training in the same folder, and another reference in the same file, are other settings.
	reference := filepath.Join(work, "known.smi")
	known := func(text string) {
		if err := os.WriteFile(reference, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	again := append(args, "--score", "atoms="+dir, "--reference", reference, "--out", filepath.Join(work, "d"))
	known("CCO\n")
	succeed(t, again...)
	known("CCN\n")
	refused(t, "has a run of other settings", again...)
	known("CCO\n")
	succeed(t, again...)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	train("--seed", "7")
	refused(t, "has a run of other settings", again...)
	refused(t, "predicts atoms, oxygens; name the score as one of them, not \"size\"", "optimise", "--search", "mars", "--fragments", data, "--score", "size="+dir, "--out", filepath.Join(work, "b"))
	refused(t, "--fragments", "optimise", "--search", "mars", "--fragments", filepath.Join(work, "none"), "--score", "qed", "--out", filepath.Join(work, "c"))
}

// A program that prints several numbers in a line gives several scores, and --combine makes the target from them.
func TestOptimiseColumnsMolecules(t *testing.T) {
	work := t.TempDir()
	start := filepath.Join(work, "start.smi")
	if err := os.WriteFile(start, []byte("Cc1ccc(CNC(C)=O)cc1\nCCCCc1ccccc1\nOCCc1ccccc1Cl\nNCC1CCCCC1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"optimise", "--start", start, "--score", "size,rest=while read m; do echo ${#m} $((${#m} % 4)); done", "--range", "size=0:80", "--range", "rest=0:4", "--combine", "geometric-mean", "--calls", "30", "--out", filepath.Join(work, "out")}
	succeed(t, args...)
	text, err := os.ReadFile(filepath.Join(work, "out", "molecules.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 31 || strings.Join(rows[0][:4], ",") != "smiles,target,size,rest" {
		t.Fatalf("%v, %d rows under %v", err, len(rows), rows[0])
	}
	for _, r := range rows[1:] {
		n := len(r[0])
		size, rest := min(float64(n)/80, 1), float64(n%4)/4
		if target, err := strconv.ParseFloat(r[1], 64); err != nil || math.Abs(target-math.Sqrt(size*rest)) > 1e-4 {
			t.Errorf("%v: target of %g and %g, expected %g", r[:4], size, rest, math.Sqrt(size*rest))
		}
	}
	table := filepath.Join(work, "table.csv")
	if err := os.WriteFile(table, []byte("smiles,active\nC,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused(t, "only a program has several", "optimise", "--start", start, "--score", "a,b="+table, "--out", filepath.Join(work, "table"))
}

// ga scores as many molecules as --calls says. After an interruption, and with any number of threads,
// it ends with the same table. It respects the patterns.
func TestOptimiseSearchMolecules(t *testing.T) {
	work := t.TempDir()
	start := filepath.Join(work, "start.smi")
	if err := os.WriteFile(start, []byte("Cc1ccc(CNC(C)=O)cc1 first\nCCCCc1ccccc1\nC(\nOCCc1ccccc1Cl\nCC(=O)[O-]\nNCC1CCCCC1\nCC(C)Cc1ccc(C(C)C(=O)O)cc1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"optimise", "--start", start, "--score", "qed", "--score", "size=while read m; do echo ${#m}; done", "--range", "size=0:40", "--threshold", "size=0.6", "--clip", "qed=0", "--seed", "2", "--keep", "c1ccccc1", "--calls", "60"}
	table := func(name string, more ...string) string {
		t.Helper()
		dir := filepath.Join(work, name)
		succeed(t, append(append(args, "--out", dir), more...)...)
		text, err := os.ReadFile(filepath.Join(dir, "molecules.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	whole := table("whole", "--threads", "1")
	lines := strings.Split(strings.TrimSpace(whole), "\n")
	if lines[0] != "smiles,target,qed,size,sa,call,nearest_start,similarity,scaffold,success" || len(lines) != 61 {
		t.Fatalf("%d lines under %s", len(lines), lines[0])
	}
	for _, name := range []string{"report.html", "best.svg", "best.png", "summary.json", "scores.jsonl", "settings.json"} {
		if info, err := os.Stat(filepath.Join(work, "whole", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, l := range lines[1:] {
		if !strings.Contains(l, "c1ccc") || strings.Contains(l, "+]") || strings.Contains(l, "-]") {
			t.Errorf("%s has no benzene ring, or a charge", l)
		}
	}
	if again := table("threads", "--threads", "3"); again != whole {
		t.Error("three threads find another table than one")
	}
	// A folder in which a killed process has left some rounds, with more scores.
	part := filepath.Join(work, "part")
	if err := os.Mkdir(part, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, keep := range map[string]int{"settings.json": -1, "rounds.jsonl": 2, "scores.jsonl": 30} {
		text, err := os.ReadFile(filepath.Join(work, "whole", name))
		if err != nil {
			t.Fatal(err)
		}
		if keep > 0 {
			text = []byte(strings.Join(strings.SplitAfter(string(text), "\n")[:keep], "") + `{"torn`)
		}
		if err := os.WriteFile(filepath.Join(part, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if again := table("part"); again != whole {
		t.Error("after a kill it finds another table")
	}
	var doc struct {
		Calls   int
		Success struct{ Molecules int }
		Best    []struct {
			SMILES  string
			QED, SA float64
		}
	}
	document(t, succeed(t, append(args, "--out", filepath.Join(work, "whole"), "--json", "--quiet")...), &doc)
	if doc.Calls != 60 || len(doc.Best) == 0 || doc.Best[0].QED <= 0 || doc.Best[0].SA <= 0 {
		t.Errorf("%+v", doc)
	}
	if r := run(t, append(args, "--out", filepath.Join(work, "whole"), "--seed", "3")...); r.code != cli.ExitUsage || !strings.Contains(r.stderr, "has a run of other settings") {
		t.Errorf("with another seed it exits with %d and says %q", r.code, r.stderr)
	}
	// A core that only the last of many molecules has is found.
	many := filepath.Join(work, "many.smi")
	if err := os.WriteFile(many, []byte(strings.Repeat("CCCCCCO\n", 3000)+"Cc1ccc2[nH]ccc2c1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(work, "many")
	succeed(t, "optimise", "--start", many, "--score", "qed", "--keep", "c1ccc2[nH]ccc2c1", "--calls", "5", "--out", dir)
	text, err := os.ReadFile(filepath.Join(dir, "molecules.csv"))
	if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); err != nil || len(lines) != 6 {
		t.Errorf("%v, %d lines of a search that begins with the last molecule", err, len(lines))
	}
	refused(t, "--keep: chem: syntax: the SMARTS", "optimise", "--start", start, "--score", "qed", "--keep", "c1(", "--out", work)
	refused(t, "none of 7 molecules can be used", "optimise", "--start", start, "--score", "qed", "--keep", "[Si]", "--out", filepath.Join(work, "none"))
}
