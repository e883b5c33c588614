package local_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/task"
)

// multigraph says what a random graph is like.
type multigraph struct {
	seed     uint64
	nodes    int
	edges    int
	directed bool
	features bool // of nodes and edges; else none
	number   bool // labels are numbers
}

// write makes tables of a graph with two hubs, leaves, parallel edges and self-loops. Edges have
// a number with gaps and a category, nodes likewise.
func (g multigraph) write(t testing.TB, dir string) {
	t.Helper()
	r := rand.New(rand.NewPCG(g.seed, 1))
	end := func() int {
		if r.IntN(5) == 0 {
			return r.IntN(2)
		}
		return r.IntN(g.nodes)
	}
	var edges, nodes strings.Builder
	edges.WriteString("source,target,")
	if g.features {
		edges.WriteString("amount,channel,rate,")
	}
	edges.WriteString("label\n")
	u, v := 0, 1
	for range g.edges {
		switch k := r.IntN(10); {
		case k == 0: // parallel to the last one
		case k == 1:
			u = end()
			v = u
		default:
			u, v = end(), end()
		}
		fmt.Fprintf(&edges, "n%d,n%d,", u, v)
		if g.features {
			amount := strconv.FormatFloat(r.NormFloat64()*10, 'f', 3, 64)
			if r.IntN(6) == 0 {
				amount = ""
			}
			fmt.Fprintf(&edges, "%s,%s,%.3f,", amount, []string{"card", "cash", "wire", ""}[r.IntN(4)], r.Float64())
		}
		if g.number {
			fmt.Fprintf(&edges, "%.3f\n", r.NormFloat64()+float64(u%3))
		} else {
			fmt.Fprintf(&edges, "%s\n", []string{"fair", "odd"}[min(r.IntN(3), 1)*(u%2)])
		}
	}
	file(t, filepath.Join(dir, "edges.csv"), edges.String())
	if !g.features {
		return
	}
	nodes.WriteString("id,age,kind\n")
	for i := range g.nodes {
		fmt.Fprintf(&nodes, "n%d,%.2f,%s\n", i, r.Float64()*50, []string{"shop", "person", "bank"}[r.IntN(3)])
	}
	file(t, filepath.Join(dir, "nodes.csv"), nodes.String())
}

func file(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// trained is a run on tables that was trained for a few epochs; more are further settings, and number
// says that labels are numbers.
func trained(t testing.TB, path, model string, directed bool, more task.Values) string {
	t.Helper()
	given := task.Values{"edges": "undirected", "structure": []string{"none"}, "label-context": "off", "time-features": "off", "node-embedding": 0,
		"hidden": 8, "epochs": 4}
	if directed {
		given["edges"] = "directed"
	}
	if model != "mlp-edge" {
		given["layers"] = 3
	}
	for k, v := range more {
		if given[k] = v; v == nil {
			delete(given, k)
		}
	}
	of := "edge-classification"
	if given["number"] == true {
		delete(given, "number")
		of = "edge-regression"
	}
	s, err := task.Open(t.Context(), task.Request{Path: path, Task: of, Model: model, Given: given, Seed: 5, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := s.Train(t.Context(), task.TrainOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// packed is a store of tables with a run's encoder.
func packed(t testing.TB, path, run string, o store.Options) string {
	t.Helper()
	r, err := task.LoadRun(run)
	if err != nil {
		t.Fatal(err)
	}
	e := r.Settings.Data.Tables.Encoder
	set, err := e.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return cut(t, set, e, o)
}

func cut(t testing.TB, set *tables.Set, e *tables.Encoder, o store.Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if err := store.Cut(dir, set, e, nil, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

// wrote runs a job that must succeed and returns its folder.
func wrote(t testing.TB, j local.Job) (string, *local.Manifest) {
	t.Helper()
	if j.Out == "" {
		j.Out = filepath.Join(t.TempDir(), "out")
	}
	if j.Writes == "" {
		j.Writes = local.Predictions
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
		f, err := os.Open(filepath.Join(dir, local.OutputName(i)))
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
					line[v.Column()] += v.String()
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
