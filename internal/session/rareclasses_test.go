package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// A class with one item is used for training, and a remark says so, at each level and for any seed.
func TestRareClasses(t *testing.T) {
	edges := func(t *testing.T) string {
		text := strings.Builder{}
		text.WriteString("source,target,amount,group,label\n")
		for e := range 60 {
			fmt.Fprintf(&text, "%d,%d,%d,%d,%s\n", e%9, e%11, e, e%20, label(e))
		}
		return testsets.EdgeFolder(t, "edges.csv", text.String())
	}
	nodes := func(t *testing.T) string {
		var vs, es []string
		for v := range 60 {
			vs = append(vs, fmt.Sprintf(`{"id": %d, "label": %q}`, v, label(v)))
			es = append(es, fmt.Sprintf(`{"source": %d, "target": %d}`, v, (v+1)%60))
		}
		return jsonFile(t, fmt.Sprintf(`{"directed": false, "multigraph": false, "graph": {}, "nodes": [%s], "edges": [%s]}`, strings.Join(vs, ","), strings.Join(es, ",")))
	}
	graphs := func(t *testing.T) string {
		var text strings.Builder
		for k := range 60 {
			fmt.Fprintf(&text, `{"directed": false, "multigraph": false, "graph": {"label": %q}, "nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1}]}`+"\n", label(k))
		}
		return jsonFile(t, text.String())
	}
	for name, test := range map[string]struct {
		write func(t *testing.T) string
		given settings.Values
		of    string
	}{
		"edges":           {edges, nil, "edge"},
		"folds of edges":  {edges, settings.Values{"split": settings.SplitFolds, "folds": 3}, "edge"},
		"groups of edges": {edges, settings.Values{"split": settings.SplitGroup}, "edge"},
		"nodes":           {nodes, settings.Values{"layers": 2}, "node"},
		"graphs":          {graphs, nil, "graph"},
		"folds of graphs": {graphs, settings.Values{"split": settings.SplitFolds, "folds": 3}, "graph"},
	} {
		t.Run(name, func(t *testing.T) {
			path := test.write(t)
			for seed := range uint64(4) {
				s := mustOpen(t, Request{Path: path, Seed: seed, Given: test.given})
				if train := itemsOf(s, source.PartTrain); !slices.Contains(train, 7) || !slices.Contains(train, 37) {
					t.Errorf("seed %d trains on %v, want 7 and 37 among them", seed, train)
				}
				for _, rare := range []string{"only 7", "only 37"} {
					if want := fmt.Sprintf("class %q has 1 %s, which is in the training part: it is neither validated nor tested", rare, test.of); !slices.Contains(s.Data.Notes(), want) {
						t.Errorf("remarks %q, want %q", s.Data.Notes(), want)
					}
				}
				if n := len(slices.DeleteFunc(s.Data.Notes(), func(n string) bool { return !strings.HasPrefix(n, "class ") })); n != 2 {
					t.Errorf("%d remarks on classes, want 2: %q", n, s.Data.Notes())
				}
			}
		})
	}
}

// label returns a class. Two of the classes have one item each.
func label(i int) string {
	if i%30 == 7 {
		return fmt.Sprint("only ", i)
	}
	return []string{"ok", "ok", "fraud"}[i%3]
}
