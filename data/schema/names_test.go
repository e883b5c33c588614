package schema

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A name is first compared exactly, and then without case as in strings.EqualFold.
func TestNames(t *testing.T) {
	n := NewNames([]string{"amount", "Amount", "ſtate", "Größe"})
	for name, want := range map[string]int{"amount": 0, "Amount": 1, "AMOUNT": 0, "STATE": 2, "größe": 3, "GRÖSSE": -1, "": -1, "amounts": -1} {
		at, equal := n.Find([]byte(name))
		if at != want || equal != (name == "amount" || name == "Amount") {
			t.Errorf("%q is found at %d, equal %v, want %d", name, at, equal, want)
		}
	}
}

// FuzzFoldName: two names are equal exactly if strings.EqualFold says so, in both ways of folding.
func FuzzFoldName(f *testing.F) {
	f.Add("Sink", "ſinK")
	f.Add("Ä1", "ä1")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		if got := FoldName(a) == FoldName(b); got != strings.EqualFold(a, b) {
			t.Errorf("%q and %q: equal is %v", a, b, got)
		}
		if got := string(appendFold(nil, []byte(a))); got != FoldName(a) {
			t.Errorf("%q is folded to %q, want %q", a, got, FoldName(a))
		}
	})
}
