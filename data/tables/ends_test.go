package tables

import (
	"fmt"
	"strings"
	"testing"
)

// The ends of edges are found among very many columns with any names. Comparing each column with all others would take
// many minutes.
func TestEndsOfManyColumns(t *testing.T) {
	const n = 40_000
	numbered := func(format string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf(format, i)
		}
		return out
	}
	alike := make([]string, n) // names of the same words
	for i := range alike {
		alike[i] = []string{"source", "target"}[i%2] + strings.Repeat("_", i%300) + strings.Repeat("-", i/300)
	}
	for name, c := range map[string]struct {
		columns []string
		ends    string // "" for none
	}{
		"no ends":             {numbered("c%d"), ""},
		"an end without peer": {numbered("source %d"), ""},
		"ends at the end":     {append(numbered("c%d"), "from", "to"), "from to"},
		"the same words":      {alike, "source target_"},
		"words without end":   {[]string{strings.Repeat("source ", n), strings.Repeat("target ", n), "x"}, ""},
	} {
		h := newHeader("edges", c.columns)
		pairs, guesses := h.pairs(Options{})
		found := ""
		if len(pairs) > 0 {
			found = c.columns[pairs[0].from] + " " + c.columns[pairs[0].to]
		}
		if found != c.ends || found == "" && len(guesses) < mostGuesses {
			t.Errorf("%s: the ends are %.60q with %d guesses, want %q", name, found, len(guesses), c.ends)
		}
	}
}
