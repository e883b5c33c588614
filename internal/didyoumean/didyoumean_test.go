package didyoumean

import "testing"

func TestName(t *testing.T) {
	sets := []string{"MUTAG", "PROTEINS", "cora"}
	for _, c := range []struct {
		name string
		most int
		want string
	}{
		{"PROTIENS", 2, "PROTEINS"}, {"PROTIENS", 0, ""}, {"PRTOIENS", 1, ""}, {"mutag", 0, "MUTAG"}, {"Cora", 0, "cora"},
		{"cro", 2, "cora"}, {"", 3, ""}, {"", 4, "cora"}, {"MUTAG", -1, ""},
	} {
		if got := Name(c.name, sets, c.most); got != c.want {
			t.Errorf("nearest to %q within %d edits is %q, want %q", c.name, c.most, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"same", "same", 0}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"ab", "ba", 1}, {"gea", "gae", 1}, {"ca", "abc", 3}, {"abcd", "badc", 2}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("distance of %q and %q is %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("distance of %q and %q is %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
