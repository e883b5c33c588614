package session

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// importanceOf returns the group with a name.
func importanceOf(t *testing.T, m *Importance, name string) GroupImportance {
	t.Helper()
	k := slices.IndexFunc(m.Groups, func(g GroupImportance) bool { return g.Name == name })
	if k < 0 {
		t.Fatalf("importance %+v, expected one of %q", m.Groups, name)
	}
	return m.Groups[k]
}

// checkImportance compares the importance of a run on autoTable with the columns on which its labels depend, and with
// the importance computed by one thread.
func checkImportance(t *testing.T, s *Session, number bool) {
	t.Helper()
	m, err := s.Importance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m.Edges != 180 || !(m.Loss > 0 && m.Loss < 1.5) {
		t.Errorf("loss %v of %d edges", m.Loss, m.Edges)
	}
	reasons := []string{familyNames["labels"], "amount"}
	if number {
		reasons = reasons[:1] // the amount has a small effect on the number
	}
	for _, name := range reasons {
		if g := importanceOf(t, m, name); !(g.Increase > 2*g.Error && g.Error > 0) {
			t.Errorf("%+v, expected an increase of two standard errors", g)
		}
	}
	if name := m.Groups[0].Name; !strings.HasPrefix(name, "known labels") { // known labels at the ends, or low-rank scores
		t.Errorf("%s is most important, expected known labels", name)
	}
	for _, g := range m.Groups {
		if (g.Name == "day" || g.Name == familyNames["clock"]) && g.Increase > m.Groups[0].Increase/3 {
			t.Errorf("%+v, of which labels do not depend", g)
		}
	}
	threads := s.Threads
	s.Threads = 1
	if one, err := s.Importance(t.Context()); err != nil || !reflect.DeepEqual(one, m) {
		t.Errorf("importance %+v, with one thread %+v, error %v", m, one, err)
	}
	s.Threads = threads
}
