package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run that was moved away from its training data is used on other data: it predicts, embeds,
// explains, and reads its own example.
func TestWithoutTrainingData(t *testing.T) {
	golden := filepath.Join("..", "..", "..", "testdata")
	for items, test := range map[string]struct {
		data, level, name string
	}{
		"graph": {filepath.Join(golden, "sets", "RINGS"), "edge", "2"},
		"node":  {filepath.Join(golden, "planetoid"), "node", "3"},
		"edge":  {filepath.Join(golden, "sets", "payments"), "edge", "7"},
	} {
		t.Run(items, func(t *testing.T) {
			from := filepath.Join(t.TempDir(), filepath.Base(test.data))
			if err := os.CopyFS(from, os.DirFS(test.data)); err != nil {
				t.Fatal(err)
			}
			before := filepath.Join(t.TempDir(), "before")
			succeed(t, "train", from, "--out", before, "--epochs", "2", "--hidden", "8", "--layers", "2", "--quiet")
			want := succeed(t, "predict", before, test.data)
			if err := os.RemoveAll(from); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "moved")
			if err := os.Rename(before, dir); err != nil {
				t.Fatal(err)
			}

			refused(t, "cannot be read again; name them as DATA", "explain", dir)
			if got := succeed(t, "predict", dir, test.data); got != want {
				t.Errorf("predictions are\n%.300s\nand were\n%.300s", got, want)
			}
			if rows := strings.Count(succeed(t, "embed", dir, test.data, "--level", test.level), "\n"); rows < 10 {
				t.Errorf("%d rows of vectors", rows)
			}
			for _, method := range []string{"occlusion", "gradient", "random"} {
				var records []struct {
					Edges       [][2]int
					Explanation struct{ Scores []float64 }
				}
				document(t, succeed(t, "explain", dir, test.data, "--"+items, test.name, "--method", method, "--json"), &records)
				if len(records) != 1 || len(records[0].Edges) == 0 || len(records[0].Explanation.Scores) != len(records[0].Edges) {
					t.Errorf("%s: %+v", method, records)
				}
			}
			cmd := command(t, "predict", dir, "-")
			cmd.Stdin = strings.NewReader(read(t, dir, "input_example.json"))
			out, err := cmd.Output()
			if err != nil || !json.Valid(out) {
				t.Errorf("the example: %s (%v)", out, err)
			}
		})
	}
}
