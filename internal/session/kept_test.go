package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Edges beside a context that is kept are predicted to the bit as with all of it read and counted again, whatever edges
// are asked for together: at known nodes and at new ones, loops, parallel ones, earlier ones, and edges of the context
// itself. Most of them are predicted without the context being counted again.
func TestKeptContext(t *testing.T) {
	fresh := []string{"3,5,1,20", "5,3,0,20", "2,new,1,21", "new,4,0,22", "far,away,1,23", "7,7,1,24", "lone,lone,0,25", "1,8,0,", "1,8,0,26", "4,6,1,5"}
	batches := [][]string{fresh[:4], fresh, {fresh[6], fresh[4]}}
	for _, row := range fresh {
		batches = append(batches, []string{row})
	}
	for name, test := range map[string]struct {
		task  string
		given settings.Values
		least int // batches that are described beside the context alone
	}{
		"random":     {"edge-classification", settings.Values{}, 15},
		"time":       {"edge-classification", settings.Values{"split": settings.SplitTime}, 13},
		"pairs":      {"edge-classification", settings.Values{"pairs": true}, 15},
		"groups":     {"edge-classification", settings.Values{"split": settings.SplitGroup, "group": "group", "ignore": []string{"number", "part"}}, 12},
		"no labels":  {"edge-classification", settings.Values{"label-context": settings.ContextOff}, 15},
		"undirected": {"edge-classification", settings.Values{"edges": "undirected"}, 15},
		"numbers":    {"edge-regression", settings.Values{"label": "number", "ignore": []string{"class", "part", "group"}}, 15},
	} {
		t.Run(name, func(t *testing.T) {
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
				if test.given["group"] != nil { // known groups, none, and a new one
					rows = lists.Map(rows, func(row string) string { return row + "," + []string{known[4], "", "7", "new"}[k%4] })
				}
				o := source.LoadOptions{Data: testsets.EdgeFolder(t, "edges.csv", header+"\n"+strings.Join(rows, "\n")+"\n"), Context: source.ContextTraining, Threads: 1}
				whole, err := Load(t.Context(), dir, o)
				if err != nil {
					t.Fatal(err)
				}
				o.RowsAlone, o.Threads = true, 2
				kept, err := run.Open(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if kept.Data.(*source.ColumnData).Beside != nil {
					beside++
				}
				if got, want := columnsOf(t, kept, source.PartAll), columnsOf(t, whole, source.PartAll); !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("rows %q are %q beside the context that is kept, %q with all of it", rows, got, want)
				}
				if kept.Timeless() != whole.Timeless() || kept.Groupless() != whole.Groupless() || kept.Alone() {
					t.Errorf("rows %q: remarks on times, groups and context differ", rows)
				}
			}
			if beside < test.least {
				t.Errorf("%d of %d batches are described beside the context, want %d", beside, len(batches)+4, test.least)
			}
		})
	}
}

// A context whose file has changed is read again.
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
