package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // tests have small heaps, and collecting them often would take a fifth of the time
	os.Exit(m.Run())
}

// foldSet writes a set of n graphs with ten folds that test n/10 graphs each.
func foldSet(t *testing.T, name string, n int) string {
	t.Helper()
	files := testsets.TUFiles(testsets.EdgeClass(t, n))
	for k := range 10 {
		var test, train strings.Builder
		for i := range n {
			if i/(n/10) == k {
				fmt.Fprintln(&test, i)
			} else {
				fmt.Fprintln(&train, i)
			}
		}
		files[fmt.Sprintf("test_idx-%d", k+1)] = test.String()
		files[fmt.Sprintf("train_idx-%d", k+1)] = train.String()
	}
	return testsets.WriteSet(t, t.TempDir(), name, files)
}

// quick returns settings with which a run takes almost no time.
func quick() settings.Values {
	return settings.Values{"epochs": 2, "hidden": 16, "constant-lr": true}
}

// setting returns a setting of a model, or zero if the model has no setting of that name.
func setting[T any](c model.Config, name string) T {
	for _, at := range c.At(name) {
		return *at.(*T)
	}
	return *new(T)
}

// mustOpen is Open for a request that must succeed.
func mustOpen(t *testing.T, r Request) *Session {
	t.Helper()
	s, err := Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// trained returns a finished run.
func trained(t *testing.T, r Request) (dir string, res *TrainResult) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	res, err := mustOpen(t, r).Train(t.Context(), TrainOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return dir, res
}

// checkParts checks that the rows of all data whose column "part" names a part equal the rows of that part.
func checkParts(t *testing.T, s *Session) {
	t.Helper()
	rows := func(part string) (header []string, rows [][]string) {
		table, err := s.Predict(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range testsets.CSVRows(t, table) {
			rows = append(rows, strings.Split(row, ","))
		}
		return strings.Split(testsets.CSVHeader(t, table), ","), rows
	}
	header, all := rows(source.PartAll)
	n := slices.Index(header, "part") // the columns before it name the item
	if n < 1 {
		t.Fatalf("columns %q, want one called part", header)
	}
	of := map[string][]string{}
	for _, row := range all {
		of[row[n]] = append(of[row[n]], strings.Join(row[:n], ","))
	}
	for _, part := range source.Parts() {
		var want []string
		_, own := rows(part)
		for _, row := range own {
			want = append(want, strings.Join(row[:n], ","))
		}
		slices.Sort(want)
		slices.Sort(of[part])
		if len(want) == 0 || !slices.Equal(of[part], want) {
			t.Errorf("rows of all with part %s are %q, those of the part %q", part, of[part], want)
		}
	}
}

// openStream calls Run.Stream on a run folder.
func openStream(dir string, o source.LoadOptions) (*Stream, error) {
	r, err := LoadRun(dir)
	if err != nil {
		return nil, err
	}
	return r.Stream(o)
}
