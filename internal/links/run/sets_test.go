package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Each member of a set is a feature of the nodes that have it.
func TestSetFeatures(t *testing.T) {
	tags := []string{"a", "b|c", "", "c|a", "a|b|c", "b"}
	edges, nodes := "source,target\n", "id,kind,tags\n"
	for i := range 60 {
		edges += fmt.Sprintf("n%d,n%d\n", i%12, (i+1+i/12)%12)
	}
	for v := range 12 {
		nodes += fmt.Sprintf("n%d,%s,%s\n", v, []string{"x", "y"}[v%2], tags[v%6])
	}
	set, err := tables.Open(testsets.EdgeFolder(t, "edges.csv", edges, "nodes.csv", nodes), tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := FromSet(t.Context(), set, &Settings{Split: ByRandom, Fractions: [3]float64{0.6, 0.2, 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	if d.Features.Columns != 2+3 {
		t.Fatalf("%d columns, expected 2 kinds and 3 parts", d.Features.Columns)
	}
	if old, err := FromSet(t.Context(), set, &Settings{Split: ByRandom, Fractions: [3]float64{0.6, 0.2, 0.2}, Checksum: set.Checksum}); err != nil || old.Features.Columns != 2+5 {
		t.Errorf("a run of an earlier version has %d columns, %v, expected 2 kinds and 5 texts", old.Features.Columns, err)
	}
	for v, id := range set.NodeIDs {
		var text string
		columns, _ := d.Features.Row(int32(d.Place[v]))
		for _, k := range columns {
			if k >= 2 {
				text += string(rune('a' + k - 2))
			}
		}
		var k int
		fmt.Sscanf(id, "n%d", &k)
		if want := tags[k%6]; len(text) != len(strings.ReplaceAll(want, "|", "")) || strings.Trim(want, text+"|") != "" {
			t.Errorf("node %s has the parts %q of %q", id, text, want)
		}
	}
}
