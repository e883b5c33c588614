package local_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/visit"
	"github.com/ehgnn/ehgnn/task"
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

// table is Parquet read back: names of columns and rows of text; vectors are numbers with spaces between.
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
		f, err := os.Open(filepath.Join(dir, visit.OutputName(i)))
		if err != nil {
			t.Fatal(err)
		}
		r := parquet.NewReader(f)
		out.columns = nil
		for _, c := range r.Schema().Fields() {
			out.columns = append(out.columns, c.Name())
		}
		buf := make([]parquet.Row, 64)
		for {
			n, err := r.ReadRows(buf)
			for _, row := range buf[:n] {
				line := make([]string, len(out.columns))
				for _, v := range row {
					if line[v.Column()] != "" {
						line[v.Column()] += " "
					}
					line[v.Column()] += text(v)
				}
				out.rows = append(out.rows, line)
			}
			if err != nil {
				break
			}
		}
		f.Close()
	}
	return out
}

// text is a value as tables of the core write it.
func text(v parquet.Value) string {
	if v.Kind() == parquet.Float {
		return string(report.AppendFloat(nil, v.Float()))
	}
	return v.String()
}

// core is a table of the core.
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

// loaded is a run on other tables.
func loaded(t testing.TB, run, path string) *task.Session {
	t.Helper()
	s, err := task.Load(t.Context(), run, task.LoadOptions{Data: path, Threads: 1})
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
