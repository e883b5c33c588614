package session

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Predictions for new edges with a stored context equal, to the bit, predictions for which the whole context is read
// and counted again, for any batch of edges: edges at known and at new nodes, loops, parallel edges, earlier edges, and
// edges of the context itself. For most of them the context is not counted again.
func TestKeptContext(t *testing.T) {
	fresh := []string{"3,5,1,20", "5,3,0,20", "2,new,1,21", "new,4,0,22", "far,away,1,23", "7,7,1,24", "lone,lone,0,25", "1,8,0,", "1,8,0,26", "4,6,1,5"}
	batches := [][]string{fresh[:4], fresh, {fresh[6], fresh[4]}}
	for _, row := range fresh {
		batches = append(batches, []string{row})
	}
	for name, test := range map[string]struct {
		task  string
		given settings.Values
		least int // smallest number of batches that are computed with the stored context only
		slow  bool
	}{
		"random":     {"edge-classification", settings.Values{}, 15, true},
		"time":       {"edge-classification", settings.Values{"split": settings.SplitTime}, 13, true},
		"pairs":      {"edge-classification", settings.Values{"pairs": true}, 15, false},
		"groups":     {"edge-classification", settings.Values{"split": settings.SplitGroup, "group": "group", "ignore": []string{"number", "part"}}, 12, false},
		"no labels":  {"edge-classification", settings.Values{"label-context": settings.ContextOff}, 15, true},
		"undirected": {"edge-classification", settings.Values{"edges": "undirected"}, 15, true},
		"numbers":    {"edge-regression", settings.Values{"label": "number", "ignore": []string{"class", "part", "group"}}, 15, true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.slow && testing.Short() {
				t.Skip("takes seconds")
			}
			t.Parallel()
			text := multigraphOf(3, 12)
			path := testsets.EdgeFolder(t, "edges.csv", text)
			dir, _ := trained(t, Request{Path: path, Seed: 1, Task: test.task, Given: settings.Values{"label": "class", "quality": "fast",
				"ignore": []string{"number", "part", "group"}}.Over(test.given)})
			run, err := LoadRun(dir)
			if err != nil {
				t.Fatal(err)
			}
			known := strings.Split(strings.Split(text, "\n")[3], ",")
			back := known[1] + "," + known[0] + ",1,30"
			header, beside := "source,target,weight,time", 0
			if test.given["group"] != nil {
				header += ",group"
			}
			for k, rows := range append(batches, []string{strings.Join(known[:4], ",")}, []string{fresh[0], strings.Join(known[:4], ",")}, []string{back}, []string{fresh[2], back, fresh[1]}) {
				if test.given["group"] != nil { // known groups, an empty group, and a new group
					rows = lists.Map(rows, func(row string) string { return row + "," + []string{known[4], "", "7", "new"}[k%4] })
				}
				beside += besideKept(t, run, rows, edgesFile, tableText(header, rows))
			}
			if beside < test.least {
				t.Errorf("%d of %d batches are described beside the context, want %d", beside, len(batches)+4, test.least)
			}
		})
	}
}

const edgesFile = "edges.csv"

// tableText returns a table as text.
func tableText(header string, rows []string) string {
	return header + "\n" + strings.Join(rows, "\n") + "\n"
}

// besideKept compares the predictions for some files of rows with the stored context of a run with predictions for
// which the whole context is read and counted again. It returns 1 if the stored context was used, and 0 if all edges
// were read together.
func besideKept(t *testing.T, run *Run, rows []string, files ...string) (beside int) {
	t.Helper()
	o := source.LoadOptions{Data: testsets.EdgeFolder(t, files...), Context: source.ContextTraining, Threads: 1}
	whole, err := Load(t.Context(), run.Dir, o)
	if err != nil {
		t.Fatal(err)
	}
	o.RowsAlone, o.Threads = true, 2
	kept, err := run.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := columnsOf(t, kept, source.PartAll), columnsOf(t, whole, source.PartAll); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("rows %q are %q beside the context that is kept, %q with all of it", rows, got, want)
	}
	if kept.Timeless() != whole.Timeless() || kept.Groupless() != whole.Groupless() || kept.Alone() {
		t.Errorf("rows %q: remarks on times, groups and context differ", rows)
	}
	if kept.Data.(*source.ColumnData).Beside != nil {
		return 1
	}
	return 0
}

// Networks that pass messages combine a stored context with new edges. The predictions equal, to the bit, those for all
// edges read together: for parallel, reverse and repeated edges, loops, paths of new edges, components of new edges
// only, and edges at nodes with more edges than are read. New edges whose nodes have other attributes are read together
// with the context. So are batches in which only some of the new edges are separate from all others.
func TestKeptContextMessages(t *testing.T) {
	var hub []string
	for k := range 40 {
		hub = append(hub, fmt.Sprintf("n5,hub%d,0.5", k), fmt.Sprintf("hub%d,n9,-1", k))
	}
	inside := [][]string{{"n3,n8,0.5"}, {"n7,n7,0.1"}, {"n3,n8,0.5", "n8,n3,0.5", "n3,n8,2"}, {"n5,n9,1", "n9,n6,-1"}}
	batches := append(slices.Clip(inside), []string{"n3,new,1"}, []string{"new,n3,1"}, []string{"new,other,1"},
		[]string{"n3,new,1", "n8,new,0"}, []string{"new,n3,1", "n4,new,1", "n4,n3,1"}, hub, []string{"n5,a,0.2"},
		[]string{"a,b,1", "b,c,0", "c,a,-1", "c,d,1", "d,c,1", "c,d,2", "e,f,1", "f,f,1"})
	apart := []string{"n3,new,1", "new,far,-2", "far,new,0"}
	for name, test := range map[string]struct {
		given settings.Values
		label func(v float64) string
		nodes bool
		slow  bool
	}{
		"directed":   {},
		"undirected": {given: settings.Values{"edges": "undirected"}, slow: true},
		"classes":    {label: func(v float64) string { return map[bool]string{true: "high", false: "low"}[v > 0] }, slow: true},
		"nodes":      {nodes: true, slow: true},
		"no labels":  {given: settings.Values{"label-context": settings.ContextOff}, slow: true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.slow && testing.Short() {
				t.Skip("takes seconds")
			}
			t.Parallel()
			ids := map[string]bool{}
			path := treeTable(t, func(_ int, fields []string) {
				ids[fields[0]], ids[fields[1]] = true, true
				if v, err := strconv.ParseFloat(fields[4], 64); err != nil {
					t.Error(err)
				} else if test.label != nil {
					fields[4] = test.label(v)
				}
			})
			nodes := func(x int) string { // a table of nodes
				return tableText("node,x", lists.Map(slices.Sorted(maps.Keys(ids)), func(id string) string {
					return fmt.Sprintf("%s,%d", id, int(id[len(id)-1])%x)
				}))
			}
			if test.nodes {
				if err := os.WriteFile(filepath.Join(path, "nodes.csv"), []byte(nodes(7)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			dir, _ := trained(t, fastAuto(path, test.given))
			run, err := LoadRun(dir)
			if err != nil {
				t.Fatal(err)
			}
			if !run.Settings.Model.Auto().ReadsNeighbours() {
				t.Fatal("no network that passes messages is kept")
			}
			known := strings.Split(strings.Split(testsets.Contents(t, path, edgesFile), "\n")[3], ",")
			repeated, back := strings.Join(known[:3], ","), known[1]+","+known[0]+",0.3"
			asked := append(slices.Clip(batches), []string{repeated}, []string{back}, []string{repeated, back, "n3,n8,1"}, batches[0])
			if test.nodes {
				asked = append(slices.Clip(inside), []string{repeated})
			}
			header := "source,target,weight"
			for _, rows := range asked {
				if besideKept(t, run, rows, edgesFile, tableText(header, rows)) == 0 {
					t.Errorf("rows %q are read together with the context", rows)
				}
			}
			files := []string{edgesFile, tableText(header, apart)}
			if test.nodes {
				files = []string{edgesFile, tableText(header, inside[0]), "nodes.csv", nodes(3)}
			}
			if besideKept(t, run, apart, files...) == 1 {
				t.Errorf("files %q are described beside the context alone", files)
			}
		})
	}
}

// A context is read again if its file has changed.
func TestKeptContextChanges(t *testing.T) {
	path := multigraph(t, 1)
	dir, _ := trained(t, Request{Path: path, Seed: 1, Given: settings.Values{"label": "class", "quality": "fast", "ignore": []string{"number", "part", "group"}}})
	run, err := LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := source.LoadOptions{Data: testsets.EdgeFolder(t, "edges.csv", "source,target,weight,time\n1,5,1,30\n"), Context: source.ContextTraining, Threads: 1, RowsAlone: true}
	predict := func(open func() (*Session, error)) string {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(columnsOf(t, s, source.PartAll))
	}
	kept := func() string { return predict(func() (*Session, error) { return run.Open(t.Context(), o) }) }
	before := kept()
	file := filepath.Join(path, "edges.csv")
	text := strings.NewReplacer(",x,", ",y,", ",y,", ",x,").Replace(testsets.Contents(t, path, "edges.csv"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	after, want := kept(), predict(func() (*Session, error) { return Load(t.Context(), dir, o) })
	if after != want || after == before {
		t.Errorf("%s after the labels of the context have changed, want %s; before it was %s", after, want, before)
	}
}
