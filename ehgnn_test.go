package ehgnn_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// sets are small data, one set of each kind.
var sets = filepath.Join("testdata", "sets")

// The small heaps of tests are collected seldom: collecting takes a fifth of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// trained trains a run for an epoch and returns its folder.
func trained(t testing.TB, r session.Request) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r.Seed, r.Threads = 1, 2
	r.Given = settings.Values{"epochs": 1, "hidden": 8, "constant-lr": true}.Over(r.Given)
	s, err := session.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Train(t.Context(), session.TrainOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string, o ehgnn.Options) *ehgnn.Model {
	t.Helper()
	m, err := ehgnn.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// collection reads a set as graphs with attributes as a caller has them.
func collection(t testing.TB, m *ehgnn.Model, path string) []*ehgnn.Graph {
	t.Helper()
	d, err := data.Open(path, data.Options{Edges: map[bool]data.Edges{true: data.Directed, false: data.Undirected}[m.Schema().Directed]})
	if err != nil {
		t.Fatal(err)
	}
	columns := func(fields []ehgnn.Field, f graph.Features, rows int) ehgnn.Columns {
		out := ehgnn.Columns{}
		number, code := 0, 0
		for _, field := range fields {
			values := make(ehgnn.Numbers, rows)
			switch field.Kind {
			case settings.KindNumber:
				for i := range values {
					values[i] = float64(f.Dense[i*f.Dim+number])
				}
				number++
			case settings.KindCode:
				for i := range values {
					values[i] = float64(int(f.Code[i*len(f.Codes)+code]) + field.Offset)
				}
				code++
			default:
				continue
			}
			out[field.Name] = values
		}
		return out
	}
	out := make([]*ehgnn.Graph, len(d.Graphs))
	for i, g := range d.Graphs {
		out[i] = &ehgnn.Graph{NumNodes: g.NumNodes, Ends: g.Ends,
			Node: columns(m.Schema().Nodes, g.Node, g.NumNodes), Edge: columns(m.Schema().Edges, g.Edge, g.NumEdges())}
	}
	return out
}

// rowsOf are the predictions of the program for all of some data.
func rowsOf(t *testing.T, dir, path string) []map[string]string {
	t.Helper()
	s, err := session.Load(t.Context(), dir, source.LoadOptions{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report.WriteCSV(&b, table); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for k, name := range lines[0] {
			row[name] = line[k]
		}
		out = append(out, row)
	}
	return out
}

// same compares a number with its text in a table, to the bit.
func same(t *testing.T, what string, got float64, want string) {
	t.Helper()
	v, err := strconv.ParseFloat(want, 32)
	if err != nil || float32(v) != float32(got) {
		t.Errorf("%s: %v, the program has %s", what, got, want)
	}
}

// Every registered classifier of graphs predicts through the library what the program
// predicts in batches, to the bit, but where it draws at random; and the same bits in batches.
func TestPredictGraphs(t *testing.T) {
	path := filepath.Join(sets, "RINGS")
	for _, spec := range model.Specs() {
		if !slices.Contains(spec.Tasks, "graph-classification") {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			dir := trained(t, session.Request{Path: path, Model: spec.Name})
			m := open(t, dir, ehgnn.Options{Parallel: 3})
			if m.Task() != "graph-classification" || m.Level() != ehgnn.Graphs {
				t.Errorf("the run is of %s and predicts for each %s", m.Task(), m.Level())
			}
			graphs := collection(t, m, path)
			checkBatches(t, m, graphs)
			if spec.Name == "randdrop" {
				return // it draws other edges in the program
			}
			ps, err := m.Predict(t.Context(), graphs...)
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range rowsOf(t, dir, path) {
				if ps[i].Class != row["prediction"] {
					t.Errorf("graph %d: class %q, the program has %q", i, ps[i].Class, row["prediction"])
				}
				for k, name := range m.Classes() {
					same(t, fmt.Sprintf("graph %d, class %s", i, name), ps[i].Probabilities[k], row["probability_"+name])
				}
			}
		})
	}
}

// Data without node features have degrees in their place: the edges at a node, or, where
// edges have a direction, those that leave it.
func TestDegrees(t *testing.T) {
	path := filepath.Join(t.TempDir(), "RINGS")
	if err := os.CopyFS(path, os.DirFS(filepath.Join(sets, "RINGS"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(path, "RINGS_node_labels.txt")); err != nil {
		t.Fatal(err)
	}
	for _, edges := range []string{"undirected", "directed"} {
		dir := trained(t, session.Request{Path: path, Model: "hyperdrop", Given: settings.Values{"edges": edges}})
		m := open(t, dir, ehgnn.Options{})
		if nodes := m.Schema().Nodes; len(nodes) != 1 || nodes[0].Kind != settings.KindDegree {
			t.Fatalf("%s: the attributes of nodes are %v", edges, nodes)
		}
		ps, err := m.Predict(t.Context(), collection(t, m, path)...)
		if err != nil {
			t.Errorf("%s: %v", edges, err)
			continue
		}
		for i, row := range rowsOf(t, dir, path) {
			for k, name := range m.Classes() {
				same(t, fmt.Sprintf("%s, graph %d, class %s", edges, i, name), ps[i].Probabilities[k], row["probability_"+name])
			}
		}
	}
}

// The other tasks: numbers, several labels, nodes, edges of tables, types of edges.
func TestPredictTasks(t *testing.T) {
	t.Run("numbers", func(t *testing.T) {
		path := filepath.Join(sets, "NUMBERS")
		dir := trained(t, session.Request{Path: path})
		m := open(t, dir, ehgnn.Options{})
		ps, err := m.Predict(t.Context(), collection(t, m, path)...)
		if err != nil || m.Task() != "graph-regression" || m.Classes() != nil {
			t.Fatal(err, m.Task(), m.Classes())
		}
		if _, err := m.Molecule(nil, "CCO"); m.TakesSMILES() || err == nil || !strings.Contains(err.Error(), "was trained on graphs and not on SMILES") {
			t.Errorf("a molecule for a run on graphs: %v", err)
		}
		for i, row := range rowsOf(t, dir, path) {
			for k, name := range m.Targets() {
				same(t, "graph "+row["graph"], ps[i].Values[k], row["prediction_"+name])
			}
		}
	})
	t.Run("labels", func(t *testing.T) {
		path := filepath.Join(sets, "ogbg_molmine")
		dir := trained(t, session.Request{Path: path, Given: settings.Values{"members": 2}})
		m := open(t, dir, ehgnn.Options{})
		ps, err := m.Predict(t.Context(), collection(t, m, path)...)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rowsOf(t, dir, path) {
			for k, name := range m.Targets() {
				same(t, "graph "+row["graph"], ps[i].Probabilities[k], row["probability_"+name])
				same(t, "graph "+row["graph"], ps[i].Std[k], row["std_"+name])
			}
		}
	})
	t.Run("calibrated graphs", func(t *testing.T) {
		path := filepath.Join(sets, "RINGS")
		dir := trained(t, session.Request{Path: path, Model: "gcn", Given: settings.Values{"calibrate": true, "coverage": 0.5, "members": 2}})
		m := open(t, dir, ehgnn.Options{})
		ps, err := m.Predict(t.Context(), collection(t, m, path)...)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rowsOf(t, dir, path) {
			for k, name := range m.Classes() {
				same(t, "graph "+row["graph"], ps[i].Probabilities[k], row["probability_"+name])
			}
			if same(t, "graph "+row["graph"], ps[i].Std[0], row["std"]); strings.Join(ps[i].Set, "|") != row["set"] || ps[i].Class != row["prediction"] {
				t.Errorf("graph %d: %+v, the program has %v", i, ps[i], row)
			}
		}
	})
	for name, of := range map[string]func(ehgnn.Prediction) []ehgnn.Item{
		"hypercluster": func(p ehgnn.Prediction) []ehgnn.Item { return p.Edges },
		"gmpool-nodes": func(p ehgnn.Prediction) []ehgnn.Item { return p.Nodes },
	} {
		t.Run("types by "+name, func(t *testing.T) {
			path := filepath.Join(sets, "RINGS")
			dir := trained(t, session.Request{Path: path, Model: name})
			m := open(t, dir, ehgnn.Options{})
			ps, err := m.Predict(t.Context(), collection(t, m, path)...)
			if err != nil {
				t.Fatal(err)
			}
			var items []ehgnn.Item
			for _, p := range ps {
				items = append(items, of(p)...)
			}
			rows := rowsOf(t, dir, path)
			if len(rows) != len(items) {
				t.Fatalf("%d items, the program has %d", len(items), len(rows))
			}
			for i, row := range rows {
				if items[i].Class != row["prediction"] {
					t.Errorf("item %d: %q, the program has %q", i, items[i].Class, row["prediction"])
				}
			}
			if classes := m.Classes(); len(classes) != len(items[0].Probabilities) || !slices.Contains(classes, items[0].Class) {
				t.Errorf("classes %q, one of them %q", classes, items[0].Class)
			}
		})
	}
	t.Run("types of nodes and edges", func(t *testing.T) {
		path := filepath.Join(sets, "RINGS")
		dir := trained(t, session.Request{Path: path, Model: "gmpool-both"})
		m := open(t, dir, ehgnn.Options{})
		graphs := collection(t, m, path)
		ps, err := m.Predict(t.Context(), graphs...)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rowsOf(t, dir, path) {
			nodes, edges := strconv.Itoa(len(ps[i].Nodes)), strconv.Itoa(len(ps[i].Edges))
			if nodes != row["nodes"] || edges != row["edges"] || ps[i].Class != "" || ps[i].Nodes[0].Class == "" || len(ps[i].Edges[0].Probabilities) == 0 {
				t.Errorf("graph %d: %s nodes and %s edges, the program has %s and %s: %+v", i, nodes, edges, row["nodes"], row["edges"], ps[i])
			}
		}
	})
	for name, given := range map[string]settings.Values{
		"classes":         {},
		"numbers":         {"label": "amount", "ignore": []string{"label"}},
		"structure, too":  {"structure": []string{"all"}},
		"structure alone": {"ignore": []string{"kind", "days", "amount", "channel", "hour"}},
	} {
		t.Run("edges of tables, "+name, func(t *testing.T) {
			path := filepath.Join(sets, "payments")
			r := session.Request{Path: path, Task: "edge-classification", Given: given}
			number := name == "numbers"
			if number {
				r.Task = "edge-regression"
			}
			r.Given["members"], r.Given["coverage"] = 2, 0.8
			dir := trained(t, r)
			path = copied(t, path) // of its own data the program knows the training edges
			m := open(t, dir, ehgnn.Options{})
			ps, err := m.Predict(t.Context(), table(t, m, path))
			if err != nil {
				t.Fatal(err)
			}
			rows := rowsOf(t, dir, path)
			if len(rows) != len(ps[0].Edges) {
				t.Fatalf("%d edges, the program has %d", len(ps[0].Edges), len(rows))
			}
			for i, row := range rows {
				e := ps[0].Edges[i]
				same(t, "edge "+row["edge"], e.Std[0], row["std"])
				if number {
					same(t, "edge "+row["edge"], e.Values[0], row["prediction"])
					same(t, "edge "+row["edge"], e.Lower[0], row["lower"])
					same(t, "edge "+row["edge"], e.Upper[0], row["upper"])
					continue
				}
				if set := strings.Join(e.Set, "|"); set != row["set"] {
					t.Errorf("edge %d: set %q, the program has %q", i, set, row["set"])
				}
				if e.Class != row["prediction"] {
					t.Errorf("edge %d: %q, the program has %q", i, e.Class, row["prediction"])
				}
				for k, name := range m.Classes() {
					same(t, "edge "+row["edge"], e.Probabilities[k], row["probability_"+name])
				}
			}
		})
	}
}

// table reads the payments as a caller has them.
func table(t *testing.T, m *ehgnn.Model, path string) *ehgnn.Graph {
	t.Helper()
	s, err := tables.Open(path, tables.Options{Categories: []string{"kind", "channel"}})
	if err != nil {
		t.Fatal(err)
	}
	columns := func(fields []ehgnn.Field, from []*tables.Column) ehgnn.Columns {
		out := ehgnn.Columns{}
		for _, f := range fields {
			if f.Kind == settings.KindConstant || f.Kind == settings.KindStructure { // which are no attributes
				continue
			}
			i := slices.IndexFunc(from, func(c *tables.Column) bool { return c.Name == f.Name })
			c := from[i]
			if c.Numeric() {
				out[f.Name] = ehgnn.Numbers(c.Value)
				continue
			}
			texts := make(ehgnn.Strings, len(c.Code))
			for k, code := range c.Code {
				if code >= 0 {
					texts[k] = c.Text[code]
				}
			}
			out[f.Name] = texts
		}
		return out
	}
	return &ehgnn.Graph{NumNodes: len(s.NodeIDs), Ends: s.Ends, Node: columns(m.Schema().Nodes, s.NodeColumns), Edge: columns(m.Schema().Edges, s.EdgeColumns)}
}

func TestEmbed(t *testing.T) {
	path := filepath.Join(sets, "RINGS")
	m := open(t, trained(t, session.Request{Path: path, Model: "hyperdrop"}), ehgnn.Options{})
	graphs := collection(t, m, path)
	for level, rows := range map[ehgnn.Level]int{ehgnn.Graphs: 1, ehgnn.Nodes: graphs[0].NumNodes, ehgnn.Edges: len(graphs[0].Ends) / 2} {
		es, err := m.Embed(t.Context(), level, graphs[:2]...)
		if err != nil || len(es) != 2 || es[0].Width == 0 || len(es[0].Rows) != rows*es[0].Width {
			t.Errorf("level %s: %+v, %v", level, es, err)
		}
	}
	mlp := open(t, trained(t, session.Request{Path: path, Model: "mlp"}), ehgnn.Options{})
	if _, err := mlp.Embed(t.Context(), ehgnn.Edges, graphs[0]); err == nil || !strings.Contains(err.Error(), "model mlp learns no vectors of edges") {
		t.Errorf("vectors of edges of mlp: %v", err)
	}
}

// What does not fit the schema is refused with where and what was expected.
func TestRefused(t *testing.T) {
	m := open(t, trained(t, session.Request{Path: filepath.Join(sets, "RINGS"), Model: "gine"}), ehgnn.Options{})
	good := func() *ehgnn.Graph {
		return &ehgnn.Graph{NumNodes: 2, Ends: []int32{0, 1}, Node: ehgnn.Columns{"label": ehgnn.Numbers{5, 6}}, Edge: ehgnn.Columns{"label": ehgnn.Numbers{1}}}
	}
	if _, err := m.Predict(t.Context(), good()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		want   string
		change func(g *ehgnn.Graph)
	}{
		{"edge 0 ends in node 2, expected 0 to 1", func(g *ehgnn.Graph) { g.Ends[1] = 2 }},
		{"two ends an edge", func(g *ehgnn.Graph) { g.Ends = g.Ends[:1] }},
		{`node attribute "label" is missing; expected "label" (Numbers from 5 to 6)`, func(g *ehgnn.Graph) { g.Node = nil }},
		{`node attribute "label" has 1 values for 2 nodes`, func(g *ehgnn.Graph) { g.Node["label"] = ehgnn.Numbers{5} }},
		{`node attribute "label" is 7 for node 1, expected a whole number from 5 to 6`, func(g *ehgnn.Graph) { g.Node["label"] = ehgnn.Numbers{5, 7} }},
		{`edge attribute "label" is 1.5 for edge 0`, func(g *ehgnn.Graph) { g.Edge["label"] = ehgnn.Numbers{1.5} }},
		{`edge attribute "label" is missing for edge 0`, func(g *ehgnn.Graph) { g.Edge["label"] = ehgnn.Numbers{math.NaN()} }},
		{`edge attribute "label" holds ehgnn.Strings`, func(g *ehgnn.Graph) { g.Edge["label"] = ehgnn.Strings{"a"} }},
		{`edge attribute "colour" is unknown; expected "label"`, func(g *ehgnn.Graph) { g.Edge["colour"] = ehgnn.Numbers{1} }},
	} {
		g := good()
		test.change(g)
		_, err := m.Predict(t.Context(), good(), g)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "graph 1: ") {
			t.Errorf("%v, want graph 1 and %q", err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Predict(ctx, good()); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if _, err := ehgnn.Open(t.Context(), t.TempDir(), ehgnn.Options{}); err == nil || !strings.Contains(err.Error(), "is no run folder") {
		t.Errorf("an empty folder: %v", err)
	}
}

// Categories that training has not seen are counted.
func TestUnseen(t *testing.T) {
	path := filepath.Join(sets, "payments")
	m := open(t, trained(t, session.Request{Path: path}), ehgnn.Options{})
	g := table(t, m, path)
	kinds := slices.Clone(g.Node["kind"].(ehgnn.Strings))
	kinds[0], kinds[3], kinds[4] = "ghost", "ghost", ""
	g.Node["kind"] = kinds
	ps, err := m.Predict(t.Context(), g)
	want := []ehgnn.Unseen{{Of: "node", Column: "kind", Rows: 2, Example: "ghost"}}
	if err != nil || !slices.Equal(ps[0].Unseen, want) {
		t.Errorf("unseen %+v, %v, want %+v", ps[0].Unseen, err, want)
	}
}

// A star whose line graph no memory holds is refused before its graph is computed.
func TestGraphTooLarge(t *testing.T) {
	if memory.Free() == 0 {
		t.Skip("the system does not tell how much memory is free")
	}
	m := open(t, trained(t, session.Request{Path: filepath.Join(sets, "RINGS"), Model: "hyperdrop", Given: settings.Values{"edge-conv": "line:gcn"}}), ehgnn.Options{})
	const n = 1_000_000
	g := &ehgnn.Graph{NumNodes: n, Node: ehgnn.Columns{"label": make(ehgnn.Numbers, n)}, Edge: ehgnn.Columns{"label": make(ehgnn.Numbers, n-1)}}
	for _, f := range []struct {
		field  ehgnn.Field
		values ehgnn.Values
	}{{m.Schema().Nodes[0], g.Node["label"]}, {m.Schema().Edges[0], g.Edge["label"]}} {
		for i := range f.values.(ehgnn.Numbers) {
			f.values.(ehgnn.Numbers)[i] = float64(f.field.Offset)
		}
	}
	for v := range int32(n - 1) {
		g.Ends = append(g.Ends, 0, v+1)
	}
	_, err := m.Predict(t.Context(), g)
	if want := "graph 0: model hyperdrop needs 18.2 TiB or more for a graph of 1000000 nodes and 999999 edges"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// copied is a copy of a folder whose tables differ by an empty line.
func copied(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	files, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(path, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
