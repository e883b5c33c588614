package tables_test

import (
	"reflect"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

func TestInfo(t *testing.T) {
	i := read(t, tables.Options{}, "nodes.csv", nodesCSV, "edges.csv", edgesCSV).Info()
	if i.NumNodes != 3 || i.NumEdges != 5 || !i.Directed || i.Source != "source" || i.Target != "target" || i.Group != nil || len(i.Notes) != 0 {
		t.Errorf("%+v", i)
	}
	if want := []tables.ColumnInfo{{Name: "kind", Values: 2}, {Name: "age", Numeric: true, Missing: 1, Min: 4, Max: 30, Mean: 17}}; !reflect.DeepEqual(i.NodeFeatures, want) {
		t.Errorf("node features %+v, want %+v", i.NodeFeatures, want)
	}
	if want := []tables.ColumnInfo{{Name: "amount", Numeric: true, Missing: 1, Min: 5, Max: 20, Mean: 11.25}, {Name: "channel", Values: 3}}; !reflect.DeepEqual(i.EdgeFeatures, want) {
		t.Errorf("edge features %+v, want %+v", i.EdgeFeatures, want)
	}
	if want := (tables.ColumnInfo{Name: "label", Missing: 1, Values: 2}); i.Label == nil || *i.Label != want {
		t.Errorf("label %+v, want %+v", i.Label, want)
	}
	if want := []tables.ClassInfo{{Name: "ok", Edges: 3}, {Name: "fraud", Edges: 1}}; !reflect.DeepEqual(i.Classes, want) {
		t.Errorf("classes %+v, want %+v", i.Classes, want)
	}
	if i.Time == nil || i.Time.Name != "time" || i.Time.Max-i.Time.Min != 4*24*3600 {
		t.Errorf("time %+v, want four days", i.Time)
	}
	i = read(t, tables.Options{Label: "y", Number: true}, "edges.csv", "u,v,y,group\na,b,2,g\nb,c,4,\n").Info()
	if want := (tables.ColumnInfo{Name: "y", Numeric: true, Min: 2, Max: 4, Mean: 3}); i.Label == nil || *i.Label != want || i.Classes != nil {
		t.Errorf("label %+v with classes %v, want %+v and none", i.Label, i.Classes, want)
	}
	if want := (tables.ColumnInfo{Name: "group", Missing: 1, Values: 1}); i.Group == nil || *i.Group != want || i.Time != nil {
		t.Errorf("group %+v, time %+v", i.Group, i.Time)
	}
}
