package items_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

var nan = float32(math.NaN())

// Rows of two files belong to the same item if the columns before the label are equal. Equal rows
// are matched in their order.
func TestShared(t *testing.T) {
	const head = "graph,source,target,label,prediction,probability_x,probability_y\n"
	a := stored(t, head+"0,1,2,x,x,0.9,0.1\n0,1,2,y,x,0.8,0.2\n1,1,2,x,y,0.3,0.7\n", "")
	b := stored(t, head+"1,1,2,x,x,0.6,0.4\n0,1,2,x,y,0.1,0.9\n0,1,2,y,y,0.2,0.8\n5,5,5,,y,0.2,0.8\n", "")
	rowsA, rowsB := items.Shared(a, b)
	if diff := cmp.Diff([][]int32{{0, 1, 2}, {1, 2, 0}}, [][]int32{rowsA, rowsB}); diff != "" {
		t.Error(diff)
	}
	keyed := stored(t, "graph,source,target,call,label,prediction,probability_x,probability_y\n0,1,2,c9,x,x,0.9,0.1\n1,1,2,c8,x,y,0.3,0.7\n", "")
	if rowsA, rowsB := items.Shared(keyed, b); !cmp.Equal([][]int32{{0, 1}, {1, 0}}, [][]int32{rowsA, rowsB}) {
		t.Errorf("rows %v and %v, one with a key, are shared", rowsA, rowsB)
	}
	nodes := stored(t, "graph,node,label,prediction,probability_x,probability_y\n0,1,x,x,0.9,0.1\n", "")
	if rows, _ := items.Shared(nodes, b); rows != nil {
		t.Errorf("rows %v of nodes and edges are shared", rows)
	}
	want := &task.Outcome{Level: settings.Edges, At: []source.Place{{Graph: 0, Item: 1}, {Graph: 0, Item: 2}, {Graph: 1, Item: 0}},
		Classes: &task.ClassOutcome{Names: []string{"x", "y"}, True: []int32{0, 1, 0}, Predicted: []int32{1, 1, 0}, Probability: [][]float32{{0.1, 0.2, 0.6}, {0.9, 0.8, 0.4}}}}
	if diff := cmp.Diff(want, b.Outcome(rowsB)); diff != "" {
		t.Error(diff)
	}
	if rows, _ := items.Shared(a, stored(t, numbers, "")); rows != nil {
		t.Errorf("rows %v of other items are shared", rows)
	}
	got := stored(t, numbers, "").Outcome([]int32{2, 0})
	if diff := cmp.Diff([]task.TargetOutcome{{Name: "a", True: []float32{nan, 1}, Predicted: []float32{2, 1.5}}, {Name: "b", True: []float32{200, 100}, Predicted: []float32{200, 100}}},
		got.Targets, cmpopts.EquateNaNs()); diff != "" || got.Labels {
		t.Error(diff)
	}
}
