package task

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// randomEdges writes a table of labelled edges without features.
func randomEdges(t *testing.T, edges int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 9))
	var b strings.Builder
	b.WriteString("source,target,label\n")
	for range edges {
		fmt.Fprintf(&b, "%d,%d,%d\n", r.IntN(edges/10), r.IntN(edges/10), r.IntN(2))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "edges.csv"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A training that does not fit into memory is refused once the tables are read, with about the
// memory that is estimated for a session that fits.
func TestLargeEdges(t *testing.T) {
	r := Request{Path: randomEdges(t, 40_000), MaxMemory: 65 << 20, Given: Values{"hidden": 64}}
	_, err := Open(context.Background(), r)
	if err == nil || !IsUsage(err) || !strings.Contains(err.Error(), "training ehgnn-roles on the 40000 edges of") || !strings.Contains(err.Error(), "at width 64; 65 MiB are free") {
		t.Fatalf("error %v, expected that the training does not fit", err)
	}
	for _, given := range []Values{{"hidden": 64}, {"hidden": 32, "structure": []string{structureNone}, "label-context": contextOff}} {
		r.MaxMemory, r.Given = 0, given
		s := mustOpen(t, r)
		got, ok := s.rolesMemory()
		z, err := s.Data.(*columnData).rolesSize(&s.Settings, given)
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		if early := z.bytes(); early < 0.95*got || early > 1.2*got {
			t.Errorf("%v: %.0f bytes before the data are divided, %.0f after", given, early, got)
		}
		if whole, _ := s.Estimate(); float64(whole) < got {
			t.Errorf("%v: the estimate of a job, %d bytes, is below %.0f", given, whole, got)
		}
	}
}
