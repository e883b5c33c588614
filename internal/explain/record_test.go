package explain

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
)

// A record has the choices of the model's pools, with the edge numbers of each graph, for any
// batches. It has the same predictions as predict.
func TestRecord(t *testing.T) {
	path := testsets.WriteSet(t, t.TempDir(), "T", testsets.TUFiles(testsets.EdgeClass(t, 40)))
	for _, edges := range []string{"undirected", "directed"} {
		r := session.Request{Path: path, Model: "hyperdrop", Given: quick()}
		r.Given["edges"], r.Given["layers"], r.Given["ratio"] = edges, 3, 0.6
		s := mustOpen(t, r)
		records, err := Record(s, t.Context(), source.PartAll, "7", "0", "31")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := s.Part(source.PartAll)
		if err != nil {
			t.Fatal(err)
		}
		for k, g := range records {
			own := whole.Graphs[[]int{7, 0, 31}[k]]
			if g.Graph != []string{"7", "0", "31"}[k] || len(g.Nodes) != own.NumNodes || g.Nodes[2] != "2" || g.Directed != (edges == "directed") || len(g.Drops) != 2 || g.Clusters != nil || g.Molecule != nil {
				t.Fatalf("%+v", g)
			}
			for v, label := range g.Labels {
				if want := string('1' + rune(own.Node.Code[v])); label != want {
					t.Errorf("node %d has label %s, want %s", v, label, want)
				}
			}
			checkDrops(t, s, own, g)
		}
		sameAsEmbedded(t, s, records)
		first, err := Record(s, t.Context(), source.PartAll)
		if err != nil || len(first) != 1 || !reflect.DeepEqual(first[0], records[1]) {
			t.Errorf("%v, %v", first, err)
		}
	}
}

// checkDrops compares a record with the model's output for the graph alone.
func checkDrops(t *testing.T, s *session.Session, g *graph.Graph, record GraphRecord) {
	t.Helper()
	err := s.Each(t.Context(), &source.Part{Graphs: []*graph.Graph{g}}, func(out *model.Output, b *graph.Batch, _ int) error {
		for l, d := range out.Drops {
			r := record.Drops[l]
			entered := d.Entered
			if entered == nil {
				for e := range g.NumEdges() {
					entered = append(entered, int32(e))
				}
			}
			var kept []int32
			for i := range r.Kept {
				if r.Kept[i] {
					kept = append(kept, int32(i))
				}
			}
			if want := slices.Sorted(slices.Values(d.Kept)); r.Layer != l+1 || !slices.Equal(r.Edges, entered) || !slices.Equal(kept, want) || len(kept) == len(r.Edges) {
				t.Errorf("graph %s, layer %d: %v entered and %v were kept, want %v and %v", record.Graph, l+1, r.Edges, kept, entered, want)
			}
			for i, score := range r.Scores {
				if diff := score - d.Score.Data()[i]; diff > 1e-5 || diff < -1e-5 {
					t.Errorf("graph %s, layer %d: score %v, want %v", record.Graph, l+1, score, d.Score.Data()[i])
				}
			}
		}
		for e, ends := range record.Edges {
			if ends != [2]int32{g.Ends[2*e], g.Ends[2*e+1]} {
				t.Errorf("edge %d joins %v", e, ends)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sameAsEmbedded compares records with the columns dropped_at in the table of edge vectors.
func sameAsEmbedded(t *testing.T, s *session.Session, records []GraphRecord) {
	t.Helper()
	table, err := s.Embed(t.Context(), source.PartAll, settings.Edges)
	if err != nil {
		t.Fatal(err)
	}
	header := strings.Split(testsets.CSVHeader(t, table), ",")
	at := slices.Index(header, "dropped_at")
	dropped := map[string][]string{} // rows by graph
	for _, row := range testsets.CSVRows(t, table) {
		cells := strings.Split(row, ",")
		dropped[cells[0]] = append(dropped[cells[0]], cells[at])
	}
	for _, g := range records {
		have := make([]string, len(g.Edges))
		for _, d := range g.Drops {
			for i, e := range d.Edges {
				if !d.Kept[i] {
					have[e] = string('0' + rune(d.Layer))
				}
			}
		}
		if !slices.Equal(have, dropped[g.Graph]) {
			t.Errorf("graph %s: dropped at %q, predictions say %q", g.Graph, have, dropped[g.Graph])
		}
	}
}

// A record of HyperCluster has the cluster of each edge, also for graphs without edges. As JSON it
// has no null.
func TestRecordClusters(t *testing.T) {
	graphs := testsets.EdgeClass(t, 20)
	path := testsets.WriteSet(t, t.TempDir(), "T", testsets.TUFiles(graphs))
	s := mustOpen(t, session.Request{Path: path, Model: "hypercluster", Given: settings.Values{"clusters": 3, "epochs": 1, "hidden": 8}})
	whole, err := s.Part(source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	bare := *whole.Graphs[1]
	bare.Ends, bare.Edge.Code, bare.EdgeLabel, bare.EdgeTargets = []int32{}, []int32{}, nil, nil
	whole.Graphs[1] = &bare
	records, err := Record(s, t.Context(), source.PartAll, "0", "1", "2")
	if err != nil {
		t.Fatal(err)
	}
	for k, g := range records {
		c := g.Clusters
		if c == nil || c.Of != 3 || len(c.Cluster) != whole.Graphs[k].NumEdges() || len(c.Weight) != len(c.Cluster) || g.Drops != nil {
			t.Fatalf("%+v", g)
		}
		for e, cluster := range c.Cluster {
			if cluster < 0 || cluster > 2 || c.Weight[e] < 0.33 || c.Weight[e] > 1 {
				t.Errorf("edge %d: cluster %d, weight %v", e, cluster, c.Weight[e])
			}
		}
	}
	text, err := json.Marshal(records)
	if err != nil || strings.Contains(string(text), "null") || !strings.Contains(string(text), `"cluster":[]`) {
		t.Errorf("%v\n%.500s", err, text)
	}
}

// An unknown graph and a model without such pools are usage errors.
func TestRecordRefuses(t *testing.T) {
	path := testsets.WriteSet(t, t.TempDir(), "T", testsets.TUFiles(testsets.EdgeClass(t, 20)))
	for _, test := range []struct{ model, part, name, want string }{
		{"hyperdrop", source.PartAll, "20", `no graph "20", expected one of 20 from "0" to "19"`},
		{"hyperdrop", source.PartAll, "x", `no graph "x"`},
		{"hyperdrop", "some", "0", `no part "some"`},
		{"gcn", source.PartAll, "0", "model gcn neither drops nor clusters edges"},
	} {
		s := mustOpen(t, session.Request{Path: path, Model: test.model, Given: quick()})
		_, err := Record(s, t.Context(), test.part, test.name)
		if err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// The edges in a picture of a table have the same numbers and ends as in predictions, also in a part whose graph lacks
// edges of other parts.
func TestNumberEdges(t *testing.T) {
	given := quick()
	given["part"] = "part"
	s := mustOpen(t, session.Request{Path: columnTable(t, 2), Model: "ehgnn-roles", Given: given})
	table, err := s.Predict(t.Context(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]string{}
	for _, line := range testsets.CSVRows(t, table) {
		cells := strings.Split(line, ",")
		ends[cells[0]] = cells[1] + " " + cells[2]
	}
	records, err := Sketches(s, source.PartTest, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	g := records[0]
	if err := NumberEdges(s, source.PartTest, &g); err != nil || len(g.EdgeNames) != len(g.Edges) {
		t.Fatalf("%d names of %d edges, %v", len(g.EdgeNames), len(g.Edges), err)
	}
	found := 0
	for e, name := range g.EdgeNames {
		want, ok := ends[name]
		if !ok {
			continue
		}
		found++
		if got := g.Nodes[g.Edges[e][0]] + " " + g.Nodes[g.Edges[e][1]]; got != want {
			t.Errorf("edge %s joins %s, in predictions %s", name, got, want)
		}
	}
	if found != len(ends) {
		t.Errorf("%d of %d predicted edges are in the sketch", found, len(ends))
	}
}

// Graphs of known sets with atom labels, and graphs with SMILES, are molecules.
func TestRecordMolecules(t *testing.T) {
	files := map[string]string{"A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n6, 7\n7, 6\n", "graph_indicator": "1\n1\n1\n2\n2\n3\n3\n", "graph_labels": "0\n1\n0\n",
		"node_labels": "0\n2\n6\n1\n3\n4\n5\n", "edge_labels": "1\n1\n2\n2\n0\n0\n3\n3\n"}
	given := quick()
	given["split"], given["fractions"] = settings.SplitRandom, []float64{0.34, 0.33, 0.33}
	for name, want := range map[string]*chem.Structure{
		"MUTAG": {Atoms: elements(6, 8, 35), Bonds: []chem.Bond{{Begin: 0, End: 1, Type: chem.Single}, {Begin: 1, End: 2, Type: chem.Double}}},
		"OTHER": nil,
	} {
		s := mustOpen(t, session.Request{Path: testsets.WriteSet(t, t.TempDir(), name, files), Model: "hyperdrop", Given: given})
		records, err := Record(s, t.Context(), source.PartAll, "0")
		if err != nil || !reflect.DeepEqual(records[0].Molecule, want) || !slices.Equal(records[0].Labels, []string{"0", "2", "6"}) {
			t.Errorf("%s: %+v, %v, want %+v", name, records, err, want)
		}
	}
	path := testsets.MoleculeTable(t, 30, "smiles")
	r := session.Request{Path: path, Task: task.GraphRegression.Name, Model: "hyperdrop", Given: quick(), Toolkit: testsets.Chains{}}
	r.Given["label"] = "oxygens"
	s := mustOpen(t, r)
	records, err := Record(s, t.Context(), source.PartAll, "2", "11") // row numbers; row 10 is not a molecule
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range records {
		if g.Molecule == nil || len(g.Molecule.Atoms) != len(g.Nodes) || len(g.Molecule.Bonds) != len(g.Edges) {
			t.Errorf("%+v", g)
		}
	}
	if _, err := Record(s, t.Context(), source.PartAll, "10"); err == nil || !strings.Contains(err.Error(), `no graph "10"`) {
		t.Errorf("error %v", err)
	}
	s.Toolkit = nil
	if records, err = Record(s, t.Context(), source.PartAll, "2"); err != nil || records[0].Molecule != nil {
		t.Errorf("without a toolkit: %+v, %v", records, err)
	}
}

// A structure is used only if its elements are those of the graph, in the same order.
func TestSameElements(t *testing.T) {
	in, err := session.Read(t.Context(), session.Request{Path: testsets.WriteTable(t, "smiles,y\nCON,1\n"), Toolkit: testsets.Chains{}})
	if err != nil {
		t.Fatal(err)
	}
	g := in.Graphs()[0]
	for text, same := range map[string]bool{"CON": true, "NOC": false} {
		if s := parsed(text, g.NumNodes, g.Ends, testsets.Chains{}); s == nil || sameElements(s, g) != same {
			t.Errorf("%s: %v", text, s)
		}
	}
}
