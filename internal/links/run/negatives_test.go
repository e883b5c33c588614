package run

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Test pairs are ranked among the candidates of a file by the same scores as predict gives them.
// The order of the file's rows does not matter.
func TestFileNegatives(t *testing.T) {
	s := newSettings(write(t, blocks(40, 0.5, 0.05)), Trees)
	d, err := Read(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	var three, four []string
	var pairs [][2]string
	var sizes []int
	for k, i := range d.Split.Of(links.Test) {
		p := d.Pairs[i]
		if k%3 == 0 {
			continue // not in the file
		}
		candidates := d.Known.Candidates(d.Data, p[0], false)[:5+k%4]
		pairs, sizes = append(pairs, [2]string{d.IDs[p[0]], d.IDs[p[1]]}), append(sizes, len(candidates))
		for _, c := range candidates {
			three = append(three, fmt.Sprintf("%s,%s,%s", d.IDs[p[0]], d.IDs[p[1]], d.IDs[c]))
			four = append(four, fmt.Sprintf("%s,%s,%s,%s", d.IDs[p[1]], d.IDs[p[0]], d.IDs[c], d.IDs[p[0]]))
			pairs = append(pairs, [2]string{d.IDs[p[0]], d.IDs[c]})
		}
	}
	slices.Reverse(four)
	file := func(head string, rows []string) string { return write(t, append([]string{head}, rows...)) }
	r, dir := train(t, s, Options{Forms: []string{score.Uniform}, NegativesFrom: file("source,target,candidate", three)})
	table := r.Tables[1]
	if table.Form != score.File || table.Rankings != len(sizes) || table.Left != len(d.Split.Of(links.Test))-len(sizes) {
		t.Fatalf("form %s of %d rankings, %d left out", table.Form, table.Rankings, table.Left)
	}
	run, err := Load(t.Context(), dir, LoadOptions{Training: true, NegativesFrom: file("a,b,c,d", four)})
	if err != nil {
		t.Fatal(err)
	}
	again, err := run.Evaluate(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(again.Tables[0].Rows), fmt.Sprint(table.Rows); len(again.Tables) != 1 || len(got) < 100 || mean(t, again, score.File, Trees, "mrr") != mean(t, r, score.File, Trees, "mrr") {
		t.Errorf("four columns in another order give\n%s\nwant\n%s", got, want)
	}
	own, err := fileNegatives(write(t, four), d, 0) // without a header
	if named, _ := fileNegatives(file("a,b,c,d", four), d, 0); err != nil || fmt.Sprint(own) != fmt.Sprint(named) {
		t.Errorf("without names of columns the negatives are %v, %v, want %v", own, err, named)
	}
	scored, err := run.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, n := range sizes {
		place := 1.0
		for _, c := range scored[1 : n+1] {
			if c.Score > scored[0].Score {
				place++
			} else if c.Score == scored[0].Score {
				place += 0.5
			}
		}
		want += 1 / place / float64(len(sizes))
		scored = scored[n+1:]
	}
	if got := mean(t, r, score.File, Trees, "mrr"); math.Abs(got-want) > 1e-12 {
		t.Errorf("MRR %v, want %v", got, want)
	}
	if _, err := run.Evaluate(t.Context(), []string{score.Uniform}); err != nil {
		t.Error(err)
	}
}

// Rows without a valid negative of a test pair are an error that names the line.
func TestBadFileNegatives(t *testing.T) {
	s := newSettings(write(t, blocks(40, 0.5, 0.05)), Trees)
	d, err := Read(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	of := func(part int8) (u, v string) {
		p := d.Pairs[d.Split.Of(part)[0]]
		return d.IDs[p[0]], d.IDs[p[1]]
	}
	u, v := of(links.Test)
	a, b := of(links.Train)
	node, _ := d.places().find(u, 0)
	free := d.Known.Candidates(d.Data, node, false)
	c := d.IDs[free[0]]
	known := d.IDs[d.Known.Of(node, false)[0]]
	good := u + "," + v + "," + c
	for _, bad := range []struct{ name, want, text string }{
		{"no row", "has no row", "source,target,candidate"},
		{"two columns", "expected three", "source,target\n" + u + "," + v},
		{"five columns", "expected three", "a,b,c,d,e\n1,2,3,4,5"},
		{"unknown node", `:3: column "candidate" has an unknown id: "n400" is no node of the tables and none is similar; they have 40 nodes, such as "n0"`, "source,target,candidate\n" + good + "\n" + u + "," + v + ",n400"},
		{"empty cell", `:2: column "target" is empty`, "source,target,candidate\n" + u + ",," + c},
		{"training pair", `:2: column "target" makes the positive ("` + a + `", "` + b + `"), which is in the part train`, "source,target,candidate\n" + a + "," + b + "," + c},
		{"no pair", "which is no pair of the tables", "source,target,candidate\n" + u + "," + c + "," + v},
		{"known candidate", `:2: column "candidate" makes the candidate ("` + u + `", "` + known + `"), which is a pair`, "source,target,candidate\n" + u + "," + v + "," + known},
		{"loop", "a loop", "source,target,candidate\n" + u + "," + v + "," + u},
		{"twice", ":3: column", "source,target,candidate\n" + good + "\n" + good},
		{"reversed twice", `:3: column "d" repeats`, "a,b,c,d\n" + u + "," + v + "," + u + "," + c + "\n" + v + "," + u + "," + c + "," + u},
	} {
		file := write(t, strings.Split(bad.text, "\n"))
		_, err := fileNegatives(file, d, 0)
		if err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: error %v, want one of usage that contains %q", bad.name, err, bad.want)
		}
		if _, err := Train(t.Context(), s, d, Options{Dir: filepath.Join(t.TempDir(), "run"), NegativesFrom: file}); !settings.IsUsage(err) {
			t.Errorf("%s: train ends with %v", bad.name, err)
		}
	}
	if _, err := Train(t.Context(), s, d, Options{Dir: filepath.Join(t.TempDir(), "run"), Forms: []string{score.File}}); !settings.IsUsage(err) || !strings.Contains(err.Error(), "--negatives-from") {
		t.Errorf("file without a file: %v", err)
	}
	if _, err := fileNegatives(filepath.Join(t.TempDir(), "none.csv"), d, 0); !settings.IsUsage(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
