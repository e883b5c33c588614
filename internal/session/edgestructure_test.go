package session

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// trusts is a table of edges without features. The label says whether the reverse edge exists.
func trusts(t *testing.T, edges int, columns ...string) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 9))
	var text strings.Builder
	text.WriteString("source,target,label")
	for _, c := range columns {
		text.WriteString("," + c)
	}
	text.WriteString("\n")
	row := func(u, v int, label string) {
		fmt.Fprintf(&text, "%d,%d,%s", u, v, label)
		for range columns {
			fmt.Fprintf(&text, ",%d", r.IntN(50))
		}
		text.WriteString("\n")
	}
	for n := 0; n < edges; n++ {
		u, v := r.IntN(edges/6), edges+r.IntN(edges/6)
		if r.IntN(2) == 0 {
			row(u, v, "single")
			continue
		}
		row(u, v, "mutual")
		row(v, u, "mutual")
		n++
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// Structure columns are added to tables without columns, to tables with few columns and enough
// edges to learn which columns matter, and on request.
func TestStructureSetting(t *testing.T) {
	large := func(columns ...string) string { return trusts(t, 2000, columns...) } // three in five of the edges train
	for _, test := range []struct {
		name, path string
		given      settings.Values
		want       []string
	}{
		{"no columns", trusts(t, 60), nil, structure.Groups()},
		{"no columns, undirected", trusts(t, 60), settings.Values{"edges": settings.EdgesUndirected}, structure.GroupsOf(false)},
		{"few columns, few edges", trusts(t, 60, "a"), nil, []string{settings.StructureNone}},
		{"few columns", large("a", "b", "c"), nil, structure.Groups()},
		{"some columns", large("a", "b", "c", "d"), nil, []string{settings.StructureNone}},
		{"those that are ignored", large("a", "b", "c", "d"), settings.Values{"ignore": []string{"d"}}, structure.Groups()},
		{"auto", trusts(t, 60, "a"), settings.Values{"structure": []string{settings.StructureAuto}}, []string{settings.StructureNone}},
		{"none", trusts(t, 60), settings.Values{"structure": []string{settings.StructureNone}}, []string{settings.StructureNone}},
		{"all", trusts(t, 60, "a"), settings.Values{"structure": []string{settings.StructureAll}}, structure.Groups()},
		{"a list", trusts(t, 60), settings.Values{"structure": []string{structure.Pair, structure.Degree}}, []string{structure.Pair, structure.Degree}},
	} {
		s := mustOpen(t, Request{Path: test.path, Model: source.RolesModel, Given: test.given})
		set := s.Settings.Data.Tables
		if !slices.Equal(set.Structure, test.want) {
			t.Errorf("%s: structure %q, expected %q", test.name, set.Structure, test.want)
		}
		if on := len(set.Encoder.Structure) > 0; on == slices.Equal(test.want, []string{settings.StructureNone}) {
			t.Errorf("%s: columns %v", test.name, set.Encoder.Structure)
		}
		chosen := test.given["structure"] == nil && len(set.Encoder.Structure) > 0
		if told := strings.Contains(strings.Join(s.Data.Notes(), "\n"), "--structure none leaves them out"); told != chosen {
			t.Errorf("%s: notes %q", test.name, s.Data.Notes())
		}
	}
	for _, test := range []struct {
		r    Request
		want string
	}{
		{Request{Path: trusts(t, 60), Given: settings.Values{"structure": []string{"degrees"}}}, `--structure is [degrees], expected auto, none, all, or some of ["degree"`},
		{Request{Path: trusts(t, 60), Given: settings.Values{"structure": []string{settings.StructureNone, structure.Degree}}}, "--structure is [none degree], expected"},
		{Request{Path: trusts(t, 60), Given: settings.Values{"structure": []string{structure.Reciprocity}, "edges": settings.EdgesUndirected}}, `no group "reciprocity" of columns for undirected graphs`},
		{Request{Path: testsets.NodeLinkFile(t, settings.Nodes), Given: settings.Values{"label": "kind", "structure": []string{settings.StructureAll}}}, "--structure does not apply to node-classification of node-link"},
		{Request{Path: tinyNodes, Given: settings.Values{"structure": []string{settings.StructureAll}}}, "--structure does not apply to node-classification"},
	} {
		_, err := Open(t.Context(), test.r)
		if testsets.Fails(t, err, test.want); !settings.IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
	}
}

// ofColumns trains a model that sees other edges only through its columns. It returns the run folder and
// ROC-AUC on the test part. The loaded run gives the same predictions.
func ofColumns(t *testing.T, path string, given settings.Values) (s *Session, dir string, auc float64) {
	t.Helper()
	s = mustOpen(t, Request{Path: path, Model: "mlp-edge", Seed: 1, Given: given})
	dir = filepath.Join(t.TempDir(), "run")
	res, err := s.Train(t.Context(), TrainOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := columnsOf(t, s, source.PartTest), columnsOf(t, again, source.PartTest); !slices.EqualFunc(a, b, slices.Equal) {
		t.Errorf("%v: other predictions once loaded", given)
	}
	return s, dir, scoreOf(t, res.Test, "roc_auc")
}

// With structure columns, a label that depends on the graph around an edge is learned from edges
// without features, and the loaded run predicts the same. Without structure columns it is not
// learned.
func TestStructureTraining(t *testing.T) {
	path := trusts(t, 600)
	for _, with := range []bool{true, false} {
		given := settings.Values{"epochs": 40, "hidden": 16, "lr": 0.01, "pairs": true, "label-context": settings.ContextOff}
		if !with {
			given["structure"] = []string{settings.StructureNone}
		}
		if _, _, auc := ofColumns(t, path, given); with != (auc > 0.95) || with == (auc < 0.6) {
			t.Errorf("structure %v: ROC-AUC %.3f", with, auc)
		}
	}
}

// A run from a version without structure columns has none when it is trained again.
func TestStructureOfOldRuns(t *testing.T) {
	s := mustOpen(t, Request{Path: trusts(t, 60), Given: settings.Values{"structure": []string{settings.StructureNone}}}).Settings
	s.Data.Tables.Structure = nil
	if got := s.Given()["structure"]; !slices.Equal(got.([]string), []string{settings.StructureNone}) {
		t.Errorf("trained again with structure %q", got)
	}
}

// Sessions on one input divide its edges by their own seeds. Opening another session does not
// change the predictions of the first for all data.
func TestSessionsApart(t *testing.T) {
	path := trusts(t, 300)
	in, err := Read(t.Context(), Request{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	open := func(seed uint64) *Session {
		s, err := OpenOn(t.Context(), Request{Path: path, Model: "ehgnn-roles", Seed: seed, Given: settings.Values{"hidden": 4, "label-context": settings.ContextOn}}, in)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	all := func(s *Session) string {
		table, err := s.Predict(t.Context(), source.PartAll)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(testsets.CSVRows(t, table), "\n")
	}
	alone, beside := open(1), open(1)
	want := all(alone)
	other := open(2)
	if got := all(beside); got != want {
		t.Error("predictions changed when another session was opened")
	}
	if all(other) == want {
		t.Error("another seed gives the same predictions")
	}
}

// pieces is a table of paths of six edges with four feature columns. With joined, all paths start
// at one node.
func pieces(t *testing.T, n int, joined bool) string {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 9))
	var text strings.Builder
	text.WriteString("source,target,group,a,b,c,d,label\n")
	for k := range n {
		for i := range 6 {
			from := fmt.Sprintf("%d-%d", k, i)
			if joined && i == 0 {
				from = "hub"
			}
			fmt.Fprintf(&text, "%s,%d-%d,%d,%d,%d,%d,%d,%d\n", from, k, i+1, k, r.IntN(50), r.IntN(50), r.IntN(50), r.IntN(50), r.IntN(2))
		}
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// A disconnected graph has other defaults: batches of components, and structure columns also beside
// many other columns. Given options still win.
func TestFallsApart(t *testing.T) {
	const n = 300 // 180 of them train
	for _, test := range []struct {
		name   string
		pieces int
		joined bool
		given  settings.Values
		apart  bool
	}{
		{"many", n, false, nil, true},
		{"in one piece", n, true, nil, false},
		{"too few", 150, false, nil, false},
		{"with other values", n, false, settings.Values{"epochs": 7, "lr": 0.02, "layers": 2, "structure": []string{settings.StructureNone}}, true},
	} {
		set := mustOpen(t, Request{Path: pieces(t, test.pieces, test.joined), Model: source.RolesModel, Given: settings.Values{"split": settings.SplitGroup}.Over(test.given)}).Settings
		batch, epochs, lr, layers, decay, columns := 0, 200, 0.01, 3, 0.1, []string{settings.StructureNone}
		if test.apart {
			batch, epochs, lr, layers, decay, columns = 8, 300, 0.003, 4, 0.3, structure.Groups() // 180 components in 25 steps
		}
		if test.given != nil {
			epochs, lr, layers, columns = 7, 0.02, 2, []string{settings.StructureNone}
		}
		if c := set.Train; c.BatchSize != batch || c.Epochs != epochs || c.LR != lr || c.Optimizer.WeightDecay != decay || set.Model.Largest("layers") != layers {
			t.Errorf("%s: %d layers and training %+v", test.name, set.Model.Largest("layers"), c)
		}
		if got := set.Data.Tables.Structure; !slices.Equal(got, columns) {
			t.Errorf("%s: structure %q, want %q", test.name, got, columns)
		}
	}

	// The defaults apply from 100 components on, if none has more than a twentieth of the edges.
	stars := func(components, largest int) (int, bool) {
		var ends []int32
		next := int32(0)
		for k := range components {
			edges := 1
			if k == 0 {
				edges = largest
			}
			center := next
			for range edges {
				next++
				ends = append(ends, center, next)
			}
			next++
		}
		return source.ManySmallComponents(int(next)+3, ends) // nodes without edges do not count as components
	}
	for _, test := range []struct {
		components, largest int
		want                bool
	}{{99, 1, false}, {100, 1, true}, {115, 6, true}, {115, 7, false}} {
		if n, apart := stars(test.components, test.largest); n != test.components || apart != test.want {
			t.Errorf("%d components, the largest of %d edges: %d, apart %v", test.components, test.largest, n, apart)
		}
	}
}
