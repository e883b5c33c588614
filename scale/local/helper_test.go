package local_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/parquettest"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// wrote runs a job that must succeed and returns its folder.
func wrote(t testing.TB, j local.Job) (string, *local.Manifest) {
	t.Helper()
	if j.Out == "" {
		j.Out = filepath.Join(t.TempDir(), "out")
	}
	if j.Writes == "" {
		j.Writes = visit.Predictions
	}
	m, err := local.Write(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return j.Out, m
}

// table is a Parquet table as text: names of columns, and rows. Vectors are numbers with spaces
// between them.
type table struct {
	columns []string
	rows    [][]string
}

func (t *table) column(name string) []string {
	for c, n := range t.columns {
		if n == name {
			out := make([]string, len(t.rows))
			for i, r := range t.rows {
				out[i] = r[c]
			}
			return out
		}
	}
	return nil
}

// outputs reads all files of a job in order.
func outputs(t testing.TB, dir string, m *local.Manifest) *table {
	t.Helper()
	out := &table{}
	for i := range len(m.Files) {
		b, err := os.ReadFile(filepath.Join(dir, visit.OutputName(i)))
		if err != nil {
			t.Fatal(err)
		}
		columns, rows := parquettest.Rows(t, b)
		out.columns, out.rows = columns, append(out.rows, rows...)
	}
	for _, row := range out.rows {
		for c, text := range row {
			if list, ok := strings.CutPrefix(text, "["); ok {
				row[c] = vector(t, strings.Split(strings.TrimSuffix(list, "]"), ","))
			}
		}
	}
	return out
}

// vector returns a vector as ehgnn's tables write it.
func vector(t testing.TB, numbers []string) string {
	t.Helper()
	for i, n := range numbers {
		numbers[i] = string(report.AppendFloat(nil, float32(number(t, n))))
	}
	return strings.Join(numbers, " ")
}

// core returns a table of ehgnn.
func core(t testing.TB, is *report.Table) *table {
	t.Helper()
	var text strings.Builder
	if err := report.WriteCSV(&text, is); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return &table{columns: all[0], rows: all[1:]}
}

// loaded returns a run loaded with other tables.
func loaded(t testing.TB, run, path string) *session.Session {
	t.Helper()
	s, err := session.Load(t.Context(), run, source.LoadOptions{Data: path, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
