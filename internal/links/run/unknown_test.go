package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/links"
)

// The message names at most five ids that are a few edits away, and otherwise the number of ids.
func TestUnknown(t *testing.T) {
	var customers []string
	for i := range 60 {
		customers = append(customers, fmt.Sprintf("customer-%d", i))
	}
	for _, c := range []struct {
		name, id string
		ids      []string
		want     string
	}{
		{"a letter too many", "grace", []string{"ada", "gracee", "linus"}, `"grace" is no node of the tables; similar ids are "gracee"`},
		{"two letters changed about", "lniusx", []string{"ada", "linusx"}, `similar ids are "linusx"`},
		{"case alone", "ADA", []string{"ada", "bob"}, `similar ids are "ada"`},
		{"the nearest first, at most five", "customer-7x", customers, `similar ids are "customer-7", "customer-`},
		{"nothing like it", "zzz", customers, `"zzz" is no node of the tables and none is similar; they have 60 nodes, such as "customer-0"`},
		{"a short id, of which an edit is half", "q1", []string{"p1", "p2"}, "none is similar; they have 2 nodes"},
		{"empty", "", []string{"a", "b"}, `"" is no node of the tables and none is similar`},
		{"far longer", strings.Repeat("ada", 40), []string{"ada"}, "none is similar"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &Data{Data: &links.Data{Kind: links.Undirected, IDs: c.ids}}
			got := d.Unknown(c.id)
			if !strings.Contains(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
			if n := strings.Count(got, `"customer-`); n > 6 {
				t.Errorf("%d ids are named: %s", n-1, got)
			}
		})
	}
	d := &Data{Data: &links.Data{Kind: links.Bipartite, IDs: []string{"c1", "i1"}, Target: []bool{false, true}}}
	if got, want := d.Unknown("someone"), `such as the source "c1" and the target "i1"`; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
