package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// A column that training ignores does not change how a run is used: its data are split as in
// training, and new data need not have the column.
func TestIgnoredColumns(t *testing.T) {
	var text strings.Builder
	text.WriteString("source,target,remark,w,label\n")
	for e := range 200 {
		fmt.Fprintf(&text, "%d,%d,%s,%d,%d\n", e%8, e%5, []string{"a", "b", "c"}[e%3], e%2, e*e%7)
	}
	path := testsets.EdgeFolder(t, "edges.csv", text.String())
	documents := func(nodes, edges int) string {
		var es, vs []string
		for v := range nodes {
			vs = append(vs, fmt.Sprintf(`{"id": %d}`, v))
		}
		for e := range edges {
			es = append(es, fmt.Sprintf(`{"source": %d, "target": %d, "remark": %q, "w": %d, "label": %d}`, e%8, e%5, []string{"a", "b", "c"}[e%3], e%2, e*e%7))
		}
		return jsonFile(t, fmt.Sprintf(`{"directed": true, "multigraph": true, "graph": {}, "nodes": [%s], "edges": [%s]}`, strings.Join(vs, ","), strings.Join(es, ",")))
	}
	linked := documents(8, 200)
	dir, res := trained(t, Request{Path: linked, Task: task.EdgeRegression.Name, Seed: 1, Given: settings.Values{"ignore": []string{"remark"}, "epochs": 2, "hidden": 8}})
	if s, err := Load(t.Context(), dir, source.LoadOptions{}); err != nil || !slices.Equal(mustEvaluate(t, s, source.PartTest), res.Test) {
		t.Errorf("node-link: %v, or other scores than those of the training %v", err, res.Test)
	}
	if _, err := Load(t.Context(), dir, source.LoadOptions{Data: jsonFile(t, `{"directed": true, "nodes": [{"id": 1}], "edges": [{"source": 1, "target": 1, "w": 1}]}`)}); err != nil {
		t.Errorf("node-link without the attribute: %v", err)
	}
	for _, task := range []*task.Task{task.EdgeClassification, task.EdgeRegression} {
		dir, res := trained(t, Request{Path: path, Task: task.Name, Seed: 1, Given: settings.Values{"ignore": []string{"remark"}, "epochs": 2, "hidden": 8}})
		for name, o := range map[string]source.LoadOptions{"own": {}, "by name": {Data: path}} {
			s, err := Load(t.Context(), dir, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := mustEvaluate(t, s, source.PartTest); !slices.Equal(got, res.Test) {
				t.Errorf("%s, %s: scores %v, those of the training %v", task.Name, name, got, res.Test)
			}
		}
		without := testsets.EdgeFolder(t, "edges.csv", "source,target,w\n1,2,1\n")
		if _, err := Load(t.Context(), dir, source.LoadOptions{Data: without}); err != nil {
			t.Errorf("without the column: %v", err)
		}
	}
}
