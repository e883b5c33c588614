package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// tempers is a table of edges whose label is what both their ends are, drawn once for each node,
// so that only who knows the nodes can tell.
func tempers(t *testing.T, edges int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 3))
	var text strings.Builder
	text.WriteString("source,target,label\n")
	for range edges {
		u, v := r.IntN(40), r.IntN(40)
		fmt.Fprintf(&text, "u%d,i%d,%v\n", u, v, (u*7%5 < 2) == (v*11%7 < 3))
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// Vectors of nodes learn what nodes are, and the run knows nodes of other tables by their names.
func TestNodeEmbedding(t *testing.T) {
	path := tempers(t, 1200)
	given := settings.Values{"hidden": 16, "layers": 1, "epochs": 80, "structure": []string{settings.StructureNone}, "label-context": settings.ContextOff}
	train := func(width int) (string, *TrainResult) {
		s := mustOpen(t, Request{Path: path, Seed: 1, Given: given.Over(settings.Values{"node-embedding": width})})
		dir := filepath.Join(t.TempDir(), "run")
		res, err := s.Train(t.Context(), TrainOptions{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return dir, res
	}
	_, without := train(0)
	dir, with := train(6)
	a, b := scoreOf(t, with.Test, "roc_auc"), scoreOf(t, without.Test, "roc_auc")
	if t.Logf("ROC-AUC %.3f with vectors, %.3f without", a, b); a < 0.9 || a < b+0.2 {
		t.Errorf("ROC-AUC %.3f with vectors, %.3f without", a, b)
	}
	rows := func(o source.LoadOptions) [][]string {
		s, err := Load(t.Context(), dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return columnsOf(t, s, source.PartAll)
	}
	// The same rows in another order are other tables: nodes are numbered anew.
	lines := slices.Collect(strings.Lines(testsets.Contents(t, path, "edges.csv")))
	slices.Reverse(lines[1:])
	reversed := testsets.EdgeFolder(t, "edges.csv", strings.Join(lines, ""))
	own, other := rows(source.LoadOptions{}), rows(source.LoadOptions{Data: reversed})
	differ := 0
	for i := range own {
		x, y := own[i], other[len(own)-1-i]
		if x[1] != y[0] && x[1] != y[1] {
			t.Fatalf("rows %q and %q", x, y)
		}
		if x[len(x)-3] != y[len(y)-3] {
			differ++
		}
	}
	// A label is decided by another sum in another order of edges.
	if differ > len(own)/50 {
		t.Errorf("%d of %d predictions differ once nodes come in another order", differ, len(own))
	}
	renamed := testsets.EdgeFolder(t, "edges.csv", strings.ReplaceAll(strings.Join(lines, ""), "\nu", "\nx"))
	if fresh := rows(source.LoadOptions{Data: renamed}); slices.EqualFunc(fresh, other, func(a, b []string) bool { return a[len(a)-1] == b[len(b)-1] }) {
		t.Error("nodes that training lacks are predicted as those it has")
	}

	file := filepath.Join(dir, nodesFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]string{
		"has 1 names of nodes, expected":        `["u1"]`,
		"is of another run: its names have":     strings.Replace(string(text), `"u1"`, `"z1"`, 1),
		"the file is a map of keys, expected a": `{}`,
	} {
		if err := os.WriteFile(file, []byte(change), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Load(t.Context(), dir, source.LoadOptions{})
		testsets.Fails(t, err, want)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_, err = Load(t.Context(), dir, source.LoadOptions{})
	testsets.Fails(t, err, "has vectors of nodes, and there is no nodes.json in it")
}

// An ensemble learns vectors in each of its members, and has them when it is loaded.
func TestNodeEmbeddingOfMembers(t *testing.T) {
	dir, res := trained(t, Request{Path: tempers(t, 300), Seed: 1, Given: settings.Values{"hidden": 8, "layers": 1, "epochs": 5, "members": 2, "node-embedding": 6}})
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Evaluate(t.Context(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := res.Test.Get("loss")
	if after, _ := again.Scores.Get("loss"); after != before {
		t.Errorf("loss %v after loading, %v before", after, before)
	}
	probabilities := func() []string {
		var out []string
		for _, row := range columnsOf(t, s, source.PartTest) {
			out = append(out, strings.Join(row[len(row)-3:], " "))
		}
		return out
	}
	// The vectors of either member count.
	last, tables := probabilities(), 0
	for _, p := range s.Model.Params() {
		if !strings.HasSuffix(p.Name, "node_vectors.table") {
			continue
		}
		clear(p.Value.Data())
		next := probabilities()
		if tables++; slices.Equal(next, last) {
			t.Errorf("%s changes nothing", p.Name)
		}
		last = next
	}
	if tables != 2 {
		t.Errorf("%d tables of vectors, want 2", tables)
	}
}

// Vectors are refused where nodes are not the same in all parts, or nothing reads them, and
// their memory is foreseen.
func TestNodeEmbeddingRefused(t *testing.T) {
	apart := "source,target,part,label\n"
	for i := range 30 {
		apart += fmt.Sprintf("a%d,b%d,%s,%d\n", i, i, []string{"train", "valid", "test"}[i%3], i/3%2)
	}
	wide := settings.Values{"node-embedding": 8}
	for _, test := range []struct {
		r    Request
		want string
	}{
		{Request{Path: testsets.EdgeFolder(t, "edges.csv", apart), Given: wide.Over(settings.Values{"part": "part"})}, "--node-embedding learns nothing for"},
		{Request{Path: tinyNodes, Given: wide}, "--node-embedding does not apply to node-classification"},
		{Request{Path: foldSet(t, "SET", 20), Given: wide}, "--node-embedding does not apply to graph-classification"},
		{Request{Path: tempers(t, 60), Given: settings.Values{"node-embedding": -1}}, "--node-embedding is -1, expected at least 0"},
		{Request{Path: tempers(t, 60), Given: settings.Values{"node-embedding": 1 << 30}}, "reading them and training takes about"},
		{Request{Path: tempers(t, 60), Model: "mlp-edge", Given: settings.Values{"node-embedding": 1 << 30}}, "node_vectors.width 1073741824 would take about"},
	} {
		_, err := Open(t.Context(), test.r)
		if testsets.Fails(t, err, test.want); !settings.IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
	}
	set := mustOpen(t, Request{Path: tempers(t, 60), Given: wide}).Settings
	set.Data.Tables.NodeEmbedding = 4
	testsets.Fails(t, set.Check(), "model.node_vectors has width 8, which is not data.tables.node_embedding")
	least, _ := mustOpen(t, Request{Path: tempers(t, 600)}).Estimate()
	most, _ := mustOpen(t, Request{Path: tempers(t, 600), Given: settings.Values{"node-embedding": 4096}}).Estimate()
	if most < least+5*4*4096*60 {
		t.Errorf("an estimate of %d bytes with vectors, %d without", most, least)
	}
}
