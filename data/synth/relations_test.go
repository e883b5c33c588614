package synth_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
)

func TestRelations(t *testing.T) {
	const things, relations, facts = 600, 150, 9000
	a, err := synth.NewRelations(things, relations, facts, 1)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := synth.NewRelations(things, relations, facts, 1); err != nil || !reflect.DeepEqual(a, again) {
		t.Errorf("other facts the second time: %v", err)
	}
	count := make([]int, relations)
	for _, f := range a.List {
		if f.Source < 0 || f.Source >= things || f.Target < 0 || f.Target >= things || f.Relation < 0 || f.Relation >= relations {
			t.Fatalf("%+v", f)
		}
		count[f.Relation]++
	}
	if len(a.List) != facts || count[0] < 2*count[20] || count[20] == 0 {
		t.Errorf("%d facts, the first relation %d times, the 21st %d", len(a.List), count[0], count[20])
	}
	if a.Known < 0.4 || a.Known > 0.95 {
		t.Errorf("who knows kinds is right in %.2f", a.Known)
	}
	var edges strings.Builder
	if err := a.WriteEdges(&edges); err != nil {
		t.Fatal(err)
	}
	if text := edges.String(); strings.Count(text, "\n") != facts+1 || !strings.HasPrefix(text, "source,target,relation\nt") {
		t.Errorf("edges %.60q", text)
	}
	for _, n := range [][3]int{{11, 1, 1}, {12, 0, 1}, {12, 1, -1}} {
		if _, err := synth.NewRelations(n[0], n[1], n[2], 1); err == nil {
			t.Errorf("no error for %v", n)
		}
	}
}
