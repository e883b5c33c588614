package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// heldOut has, for each kind (nodes, edges or graphs), the items whose features the test changes, or
// nil for none.
type heldOut map[string]map[int]bool

// fitLeakCase writes data twice, the second time with other features of held-out items.
type fitLeakCase struct {
	r Request
	// write writes the data into a new folder and returns their path. Features of changed items use
	// other random numbers outside the range of the others.
	write func(t *testing.T, changed heldOut) string
	// out lists the items that may be changed.
	out func(s *Session) heldOut
	// in lists the items that training sees. Each of them must have an effect.
	in func(s *Session) heldOut
	// inputs says that training sees nothing of held-out items.
	inputs bool
}

// feature draws a number and a category of an item. For changed items the number is larger, the
// category is another one, or the value is missing.
func feature(kind string, item int, changed heldOut) (number, category string) {
	r := rand.New(rand.NewPCG(uint64(item), uint64(len(kind))))
	if !changed[kind][item] {
		return fmt.Sprintf("%.3f", r.NormFloat64()), []string{"red", "blue", "green"}[r.IntN(3)]
	}
	if r.IntN(3) == 0 {
		return "", ""
	}
	return fmt.Sprintf("%.1f", 1e4+100*r.NormFloat64()), fmt.Sprint("other ", r.IntN(4))
}

// fitEdges writes tables of edges, each with a part, and of nodes. The last nodes are only at the
// ends of edges to validate and to test.
func fitEdges(label string, ends bool) func(t *testing.T, changed heldOut) string {
	const nodes, more, edges = 30, 10, 300
	return func(t *testing.T, changed heldOut) string {
		r := rand.New(rand.NewPCG(3, 8))
		var n, e strings.Builder
		n.WriteString("id,size,kind\n")
		for v := range nodes + more {
			number, category := feature("nodes", v, changed)
			fmt.Fprintf(&n, "%d,%s,%s\n", v, number, category)
		}
		e.WriteString("source,target,amount,channel,time,group,part,label\n")
		for i := range edges {
			part, among := []string{"train", "train", "valid", "test"}[r.IntN(4)], nodes
			if part != "train" {
				among += more
			}
			u, v := r.IntN(among), r.IntN(among)
			time, number, class := r.IntN(1000), r.NormFloat64(), r.IntN(2)
			if changed["edges"][i] && ends {
				u, v, time, number, class = (u+7)%among, (v+3)%among, (time+391)%1000, number+1e3, 1-class
			}
			amount, channel := feature("edges", i, changed)
			fmt.Fprintf(&e, "%d,%d,%s,%s,%d,%d,%s,", u, v, amount, channel, time, i%25, part)
			if label == "number" {
				fmt.Fprintf(&e, "%g\n", number)
			} else {
				fmt.Fprintf(&e, "%s\n", []string{"x", "y"}[class])
			}
		}
		return testsets.EdgeFolder(t, "nodes.csv", n.String(), "edges.csv", e.String())
	}
}

// edgesOut returns the held-out edges, and the nodes without a training edge.
func edgesOut(s *Session) heldOut {
	set := s.Data.(*source.ColumnData).Set
	out := heldOut{"edges": {}, "nodes": {}}
	for v := range set.NodeIDs {
		out["nodes"][v] = true
	}
	for e, train := range trainingEdges(s) {
		if !train {
			out["edges"][e] = true
			continue
		}
		out["nodes"][int(set.Ends[2*e])], out["nodes"][int(set.Ends[2*e+1])] = false, false
	}
	return out
}

func trainingEdges(s *Session) []bool {
	out := make([]bool, s.Data.(*source.ColumnData).Set.NumEdges())
	for i, e := range itemsOf(s, source.PartTrain) {
		out[e] = i >= 0
	}
	return out
}

// edgesIn returns the training edges.
func edgesIn(s *Session) heldOut {
	out := heldOut{"edges": {}}
	for _, e := range itemsOf(s, source.PartTrain) {
		out["edges"][e] = true
	}
	return out
}

// itemsOf returns the items of a part, by their numbers in the data.
func itemsOf(s *Session, part string) []int {
	var out []int
	p := s.Parts[part]
	for k, g := range p.Graphs {
		switch s.Task.Level {
		case settings.Graphs:
			out = append(out, p.ID(source.Place{Graph: k}))
		case settings.Nodes:
			for v, c := range g.NodeLabel {
				if c != graph.NoLabel {
					out = append(out, p.ID(source.Place{Graph: k, Item: v}))
				}
			}
		default:
			for _, e := range p.Items {
				out = append(out, p.ID(source.Place{Graph: k, Item: int(e)}))
			}
		}
	}
	return out
}

// itemsOut returns the held-out items of a kind.
func itemsOut(kind string) func(s *Session) heldOut {
	return func(s *Session) heldOut {
		out := heldOut{kind: {}}
		for _, part := range []string{source.PartValid, source.PartTest} {
			for _, i := range itemsOf(s, part) {
				out[kind][i] = true
			}
		}
		return out
	}
}

// itemsIn returns the training items of a kind.
func itemsIn(kind string) func(s *Session) heldOut {
	return func(s *Session) heldOut {
		out := heldOut{kind: {}}
		for _, i := range itemsOf(s, source.PartTrain) {
			out[kind][i] = true
		}
		return out
	}
}

// fitNodes writes a document with classes of nodes. Nodes and the edges at them have features.
func fitNodes(t *testing.T, changed heldOut) string {
	const nodes = 60
	var vs, es []string
	attributes := func(kind string, item int) string {
		number, category := feature(kind, item, changed)
		text := ""
		if number != "" {
			text = fmt.Sprintf(`, "size": %s, "colour": %q`, number, category)
		}
		return text
	}
	for v := range nodes {
		vs = append(vs, fmt.Sprintf(`{"id": %d, "label": %q%s}`, v, []string{"x", "y"}[v%2], attributes("nodes", v)))
		for _, step := range []int{1, 7} {
			u := (v + step) % nodes
			number, category := feature("edge", 2*v+step, nil)
			if changed["nodes"][u] && changed["nodes"][v] {
				number, category = "1e5", "other"
			}
			es = append(es, fmt.Sprintf(`{"source": %d, "target": %d, "weight": %s, "kind": %q}`, v, u, number, category))
		}
	}
	return jsonFile(t, fmt.Sprintf(`{"directed": false, "multigraph": true, "graph": {}, "nodes": [%s], "edges": [%s]}`, strings.Join(vs, ", "), strings.Join(es, ", ")))
}

func jsonFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fitGraphs writes documents with a class, or a number, for each graph.
func fitGraphs(number bool) func(t *testing.T, changed heldOut) string {
	return func(t *testing.T, changed heldOut) string {
		var documents []string
		for k := range 40 {
			var vs, es []string
			for v := range 5 {
				size, colour := feature("graphs", k, changed)
				if size == "" {
					size, colour = "-9000.", "none"
				}
				vs = append(vs, fmt.Sprintf(`{"id": %d, "size": %s%d, "colour": %q}`, v, size, v, colour))
				es = append(es, fmt.Sprintf(`{"source": %d, "target": %d, "weight": %s%d, "kind": %q}`, v, (v+1)%5, size, v, colour))
			}
			label := fmt.Sprintf("%q", []string{"x", "y"}[k%2])
			if number {
				if label = fmt.Sprint(k); changed["graphs"][k] {
					label = fmt.Sprint(1000 * k)
				}
			}
			documents = append(documents, fmt.Sprintf(`{"directed": false, "multigraph": true, "graph": {"label": %s}, "nodes": [%s], "edges": [%s]}`, label, strings.Join(vs, ", "), strings.Join(es, ", ")))
		}
		return jsonFile(t, strings.Join(documents, "\n"))
	}
}

// fitTU writes a set in TU layout with node and edge attributes.
func fitTU(t *testing.T, changed heldOut) string {
	files := testsets.TUFiles(testsets.EdgeClass(t, 40))
	number := func(k, i int) string {
		n, _ := feature("graphs", k, changed)
		if n == "" {
			n = "1e4"
		}
		return fmt.Sprintf("%s, %d\n", n, i%5)
	}
	graphOf := strings.Fields(files["graph_indicator"])
	var nodes, edges strings.Builder
	at := func(v int) (k int) {
		fmt.Sscan(graphOf[v], &k) //nolint:errcheck // written by TUFiles
		return k - 1
	}
	for v := range graphOf {
		nodes.WriteString(number(at(v), v))
	}
	i := 0
	for line := range strings.Lines(files["A"]) {
		var u, v int
		fmt.Sscanf(line, "%d, %d", &u, &v) //nolint:errcheck // written by TUFiles
		edges.WriteString(number(at(u-1), i/2))
		i++
	}
	files["node_attributes"], files["edge_attributes"] = nodes.String(), edges.String()
	return testsets.WriteSet(t, t.TempDir(), "SET", files)
}

// fitLeakCases are data and splits for each level.
func fitLeakCases() map[string]fitLeakCase {
	all := settings.Values{"structure": []string{settings.StructureAll}, "time-features": settings.ContextOn, "label-context": settings.ContextOn, "hidden": 8, "layers": 2}
	edges := func(label string, given settings.Values, ends, inputs bool) fitLeakCase {
		return fitLeakCase{r: Request{Task: map[string]string{"number": task.EdgeRegression.Name}[label], Given: all.Over(given)}, write: fitEdges(label, ends), out: edgesOut, in: edgesIn, inputs: inputs}
	}
	graphs := func(r Request, write func(t *testing.T, changed heldOut) string) fitLeakCase {
		r.Given = quick().Over(r.Given)
		return fitLeakCase{r: r, write: write, out: itemsOut("graphs"), in: itemsIn("graphs"), inputs: true}
	}
	return map[string]fitLeakCase{
		"edges by part":       edges("class", settings.Values{"part": "part"}, true, true),
		"numbers by part":     edges("number", settings.Values{"part": "part"}, true, true),
		"edges by random":     edges("class", settings.Values{"pairs": true, "ignore": []string{"part"}}, false, true),
		"edges by time":       edges("class", settings.Values{"split": settings.SplitTime, "ignore": []string{"part"}}, false, true),
		"numbers by group":    edges("number", settings.Values{"split": settings.SplitGroup, "ignore": []string{"part"}}, false, true),
		"folds of edges":      edges("class", settings.Values{"split": settings.SplitFolds, "folds": 4, "pairs": true, "ignore": []string{"part"}}, false, true),
		"transductive edges":  edges("class", settings.Values{"part": "part", "transductive": true}, false, false),
		"nodes":               {r: Request{Given: settings.Values{"layers": 2}}, write: fitNodes, out: itemsOut("nodes"), in: itemsIn("nodes")},
		"graphs":              graphs(Request{}, fitGraphs(false)),
		"folds of graphs":     graphs(Request{Given: settings.Values{"split": settings.SplitFolds, "folds": 4}}, fitGraphs(false)),
		"numbers of graphs":   graphs(Request{Task: task.GraphRegression.Name}, fitGraphs(true)),
		"collection":          graphs(Request{Model: "hyperdrop"}, fitTU),
		"folds of collection": graphs(Request{Model: "hyperdrop", Given: settings.Values{"split": settings.SplitFolds, "folds": 4}}, fitTU),
	}
}

// Training does not depend on the features of held-out items: scales, vocabularies, columns of
// structure and time, class weights and model inputs stay the same.
func TestFitLeak(t *testing.T) {
	for name, c := range fitLeakCases() {
		t.Run(name, func(t *testing.T) {
			open := func(changed heldOut) (*Session, string) {
				r := c.r
				r.Path, r.Seed, r.Threads = c.write(t, changed), 1, 1
				s := mustOpen(t, r)
				return s, fittedSettings(t, s)
			}
			s, before := open(nil)
			other, after := open(c.out(s))
			if !slices.Equal(itemsOf(s, source.PartTrain), itemsOf(other, source.PartTrain)) {
				t.Fatal("other features of what is held out change the split: the test cannot tell")
			}
			if before != after {
				t.Errorf("features of what is held out change the settings of the training\nfrom %s\nto   %s", before, after)
			}
			if c.inputs && !bytes.Equal(inputsOf(t, s), inputsOf(t, other)) {
				t.Error("features of what is held out change what is trained on")
			}
			for of, items := range c.in(s) { // otherwise nothing is fitted
				if _, after := open(heldOut{of: items}); before == after {
					t.Errorf("features of the %s of training do not change the settings: the test is blind", of)
				}
			}
		})
	}
}

// fittedSettings returns the settings without the names of the data.
func fittedSettings(t *testing.T, s *Session) string {
	t.Helper()
	set := s.Settings
	set.Data.Path, set.Data.FromRun, set.Data.Name, set.Data.Checksum = "", "", "", ""
	text, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// inputsOf returns the graphs of the training part.
func inputsOf(t *testing.T, s *Session) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, g := range s.Graphs(source.PartTrain) {
		fmt.Fprintln(&out, g.NumNodes, g.Ends, g.Node, g.Edge, g.NodeLabel, g.EdgeLabel, g.EdgeTargets, g.Label, g.Targets)
		if g.Observed != nil {
			fmt.Fprintln(&out, *g.Observed)
		}
	}
	return out.Bytes()
}
