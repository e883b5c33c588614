package structure_test

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph/structure"
)

// Every column has a title in words of its own, without the name that run folders have.
func TestTitle(t *testing.T) {
	for name, want := range map[string]string{
		"source_core":                     "core number of the source",
		"target_out_neighbours_in_degree": "mean in-degree of the out-neighbours of the target",
		"common":                          "common neighbours of both ends",
		"degree_mean":                     "degree, mean of both ends",
		"return_3_difference":             "3-step return probability, difference of both ends",
		"neighbours_degree_mean":          "mean degree of the neighbours, mean of both ends",
	} {
		if got := structure.Title(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, directed := range []bool{true, false} {
		names, err := structure.Names(directed, structure.GroupsOf(directed)...)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]string{}
		for _, name := range names {
			title := structure.Title(name)
			if title == strings.ReplaceAll(name, "_", " ") || strings.Contains(title, "_") {
				t.Errorf("%s has no title: %q", name, title)
			}
			if of[title] != "" {
				t.Errorf("%s and %s are both %q", of[title], name, title)
			}
			of[title] = name
		}
	}
}
