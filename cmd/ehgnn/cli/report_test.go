package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// train writes a report and a card. report writes both again with the author's text, also if the
// data have moved.
func TestReport(t *testing.T) {
	path, dir := small(t).zip(t), filepath.Join(t.TempDir(), "run")
	succeed(t, "train", path, "--out", dir, "--epochs", "2", "--hidden", "16", "--constant-lr", "--fold", "2", "--quiet")
	page := read(t, dir, "report.html")
	words := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, "") // commands have elements of their own
	for text, wants := range map[string][]string{words: {"Leaderboard", "ehgnn train ", "--epochs 2"}, page: {`class="strong"><td class="left">model.hidden</td>`}} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("the report has no %q", want)
			}
		}
	}
	if card := read(t, dir, "README.md"); !strings.HasPrefix(card, "---\n") || !strings.Contains(card, "Not stated.") {
		t.Errorf("card\n%s", card)
	}

	moved := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	purpose := filepath.Join(t.TempDir(), "purpose.md")
	if err := os.WriteFile(purpose, []byte("For tests."), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, "name them as DATA", "report", dir)
	refused(t, "--card: ", "report", dir, moved, "--card", purpose+"x")
	refused(t, "is not what run "+dir+" was trained on", "report", dir, newSet("OTHER", smallList(t)[:20]).zip(t))
	if again := read(t, dir, "report.html"); again != page {
		t.Error("a refused report has changed that of the run")
	}
	var done struct {
		Run   string
		Files []string
	}
	document(t, succeed(t, "report", dir, moved, "--card", purpose, "--json"), &done)
	if done.Run != dir || len(done.Files) != 2 {
		t.Errorf("it prints %+v", done)
	}
	if again := read(t, dir, "report.html"); again != page {
		t.Error("the report of the same run differs")
	}
	if card := read(t, dir, "README.md"); !strings.Contains(card, "\n\nFor tests.\n") {
		t.Errorf("card\n%s", card)
	}
	if err := os.Remove(filepath.Join(dir, "environment.json")); err != nil {
		t.Fatal(err)
	}
	refused(t, "it has not finished; ehgnn train --resume --out "+dir, "report", dir, moved)
}

// A run without a test part has a report, too.
func TestReportWithoutTest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	succeed(t, "train", payments(t, 200, "nodes.csv", "edges.csv"), "--label", "amount", "--task", "edge-regression", "--quality", "fast", "--split", "random", "--fractions", "0.8,0.2,0", "--out", dir, "--quiet")
	page := read(t, dir, "report.html")
	if !strings.Contains(page, "Not tested: validation MAE") || strings.Contains(page, "the test set was read once") {
		t.Error("the report does not begin with the validation score")
	}
	succeed(t, "report", dir)
	if read(t, dir, "report.html") != page {
		t.Error("the report of the same run differs")
	}
	if !strings.Contains(page, "How it was trained") {
		t.Errorf("the report does not say how the model was trained:\n%s", page)
	}
}
