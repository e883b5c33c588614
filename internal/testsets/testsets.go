// Package testsets makes small data sets and compares small results for tests.
package testsets

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// TUFiles returns graphs in TU layout: a map from the ending of the file name to the text. Labels
// are codes plus 1, classes are unchanged.
func TUFiles(graphs []*graph.Graph) map[string]string {
	text := map[string]*strings.Builder{}
	add := func(ending, format string, args ...any) {
		if text[ending] == nil {
			text[ending] = &strings.Builder{}
		}
		fmt.Fprintf(text[ending], format, args...)
	}
	base := int32(1)
	add("A", "")
	add("edge_labels", "")
	for i, g := range graphs {
		for e := range g.NumEdges() {
			u, v := base+g.Ends[2*e], base+g.Ends[2*e+1]
			add("A", "%d, %d\n%d, %d\n", u, v, v, u)
			add("edge_labels", "%d\n%d\n", g.Edge.Code[e]+1, g.Edge.Code[e]+1)
		}
		for _, c := range g.Node.Code {
			add("graph_indicator", "%d\n", i+1)
			add("node_labels", "%d\n", c+1)
		}
		add("graph_labels", "%d\n", g.Label)
		base += int32(g.NumNodes)
	}
	out := map[string]string{}
	for ending, b := range text {
		out[ending] = b.String()
	}
	return out
}

// WriteSet writes a set into a folder with its name in dir and returns the path of the folder.
func WriteSet(t *testing.T, dir, name string, files map[string]string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	for ending, text := range files {
		file := filepath.Join(path, name+"_"+ending+".txt")
		if strings.Contains(ending, "idx") {
			file = filepath.Join(path, "10fold_idx", ending+".txt")
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// EdgeClass returns graphs of classes 0 and 1 of the demonstration data.
func EdgeClass(t *testing.T, n int) []*graph.Graph {
	t.Helper()
	graphs, err := synth.EdgeClass(n, 3)
	if err != nil {
		t.Fatal(err)
	}
	return graphs
}

// Fails checks that there is an error and that its text contains want.
func Fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// CSVRows returns the rows of a table as lines of CSV, without the header.
func CSVRows(t *testing.T, table *report.Table) []string {
	t.Helper()
	var b strings.Builder
	if err := report.WriteCSV(&b, table); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")[1:]
}

// CSVHeader returns the first line of the CSV of a table.
func CSVHeader(t *testing.T, table *report.Table) string {
	t.Helper()
	var b strings.Builder
	if err := report.WriteCSV(&b, table); err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(b.String(), "\n")
	return header
}

// Transactions writes generated payments as tables. change may change the text of the edges.
func Transactions(t *testing.T, accounts, payments int, change func(string) string) string {
	t.Helper()
	x, err := synth.NewTransactions(accounts, payments, 3)
	if err != nil {
		t.Fatal(err)
	}
	var nodes, edges strings.Builder
	if err := x.WriteNodes(&nodes); err != nil {
		t.Fatal(err)
	}
	if err := x.WriteEdges(&edges); err != nil {
		t.Fatal(err)
	}
	text := edges.String()
	if change != nil {
		text = change(text)
	}
	return EdgeFolder(t, "nodes.csv", nodes.String(), "edges.csv", text)
}

func EdgeFolder(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// NodeLinkFile writes node-link JSON in which graphs, nodes or edges have a class.
func NodeLinkFile(t *testing.T, level settings.Level) string {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 3))
	kind := []string{"red", "blue"}
	document := func(k, nodes int) string {
		var vs, es []string
		for v := range nodes {
			text := fmt.Sprintf(`{"id": "n%d.%d", "size": %.3f`, k, v, r.NormFloat64())
			if level == settings.Nodes {
				text += fmt.Sprintf(`, "kind": %q`, kind[v%2])
			}
			vs = append(vs, text+"}")
		}
		for v := range nodes {
			text := fmt.Sprintf(`{"source": "n%d.%d", "target": "n%d.%d", "w": %.3f`, k, v, k, (v+1+r.IntN(nodes-1))%nodes, r.NormFloat64())
			if level == settings.Edges {
				text += fmt.Sprintf(`, "kind": %q`, kind[v%2])
			}
			es = append(es, text+"}")
		}
		graph := fmt.Sprintf(`{"name": "g%d"`, k)
		if level == settings.Graphs {
			graph += fmt.Sprintf(`, "label": %q`, kind[k%2])
		}
		return fmt.Sprintf(`{"directed": false, "multigraph": true, "graph": %s}, "nodes": [%s], "edges": [%s]}`, graph, strings.Join(vs, ", "), strings.Join(es, ", "))
	}
	var text []string
	if level == settings.Graphs {
		for k := range 30 {
			text = append(text, document(k, 4+k%3))
		}
	} else {
		text = append(text, document(0, 60))
	}
	path := filepath.Join(t.TempDir(), "graphs.json")
	if err := os.WriteFile(path, []byte(strings.Join(text, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func WriteTable(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chains.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func Contents(t *testing.T, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Chains is a toolkit for molecules that are a chain of C, N and O. The scaffold is the first atom.
type Chains struct{ chem.Toolkit }

type chain struct {
	chem.Molecule
	text string
}

func (Chains) Parse(text string) (chem.Molecule, error) {
	if text == "" || strings.Trim(text, "CNO") != "" {
		return nil, &chem.Error{Class: chem.Syntax, Text: "no chain", SMILES: text}
	}
	return chain{text: text}, nil
}

func (Chains) Version() string { return "chains 1" }

func (c chain) Structure() (*chem.Structure, error) {
	s := &chem.Structure{}
	for i, a := range c.text {
		s.Atoms = append(s.Atoms, chem.Atom{Number: map[rune]uint8{'C': 6, 'N': 7, 'O': 8}[a], Degree: 2, Hybridization: chem.SP3})
		if i > 0 {
			s.Bonds = append(s.Bonds, chem.Bond{Begin: int32(i - 1), End: int32(i), Type: chem.Single})
		}
	}
	return s, nil
}

func (c chain) NumAtoms() int { return len(c.text) }

// SMILES returns the chain from the end that gives the alphabetically first text.
func (c chain) SMILES() (string, error) {
	back := []byte(c.text)
	slices.Reverse(back)
	return min(c.text, string(back)), nil
}

func (c chain) KekuleStructure() (*chem.Structure, error) { return c.Structure() }

func (c chain) WithHydrogens() (chem.Molecule, error) { return c, nil }

func (c chain) Scaffold(bool) (string, error) { return c.text[:1], nil }

func (chain) Close() {}

// MoleculeTable returns a CSV of n chains with their number of oxygens, which every fifth row
// lacks, and whether it is odd. Every tenth row is no molecule.
func MoleculeTable(t *testing.T, n int, column string) string {
	t.Helper()
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "oxygens,%s,odd,mol_id\n", column)
	for i := range n {
		text := fmt.Sprintf("%c%s", "CNO"[i%3], strings.Repeat("CO", 1+i%4))
		oxygens, odd := fmt.Sprint(strings.Count(text, "O")), strings.Count(text, "O")%2
		if i%10 == 9 {
			text = "C(C"
		}
		if i%5 == 1 {
			oxygens = ""
		}
		fmt.Fprintf(b, "%s,%s,%d,m%d\n", oxygens, text, odd, i)
	}
	path := filepath.Join(t.TempDir(), "molecules.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// PartsFolder writes a set in three parts. No part has every label: the training graphs lack the
// smallest edge type and the largest class, the validation graphs lack the largest kind of node.
func PartsFolder(t *testing.T) (dir string, graphs []*graph.Graph) {
	t.Helper()
	graphs = EdgeClass(t, 16)
	dir = t.TempDir()
	part := func(ending string, graphs []*graph.Graph, change func(g *graph.Graph, i int)) {
		for i, g := range graphs {
			g.Node.Code, g.Edge.Code = slices.Clone(g.Node.Code), slices.Clone(g.Edge.Code)
			change(g, i)
		}
		WriteSet(t, dir, "SET"+ending, TUFiles(graphs))
	}
	part("_train", graphs[:10], func(g *graph.Graph, i int) {
		for e, c := range g.Edge.Code {
			g.Edge.Code[e] = max(c, 1)
		}
	})
	part("_val", graphs[10:13], func(g *graph.Graph, i int) {
		g.Label = int32(i) // 0, 1 and 2
		for v, c := range g.Node.Code {
			g.Node.Code[v] = min(c, 1)
		}
	})
	part("_test", graphs[13:], func(g *graph.Graph, i int) { g.Label = 2 })
	return dir, graphs
}
