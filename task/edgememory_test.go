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

// A training that does not fit into memory is refused before the tables are read or, where their
// structure decides, after, with about the memory that is estimated for a session that fits.
func TestLargeEdges(t *testing.T) {
	r := Request{Path: randomEdges(t, 40_000), Given: Values{"hidden": 64}}
	for limit, want := range map[int64]string{
		100 << 20: "edges.csv has about ",
		210 << 20: "training ehgnn-roles on the 40000 edges of",
	} {
		r.MaxMemory = limit
		_, err := Open(context.Background(), r)
		if err == nil || !IsUsage(err) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("%d MiB are free; ", limit>>20)) ||
			!strings.Contains(err.Error(), "ehgnn-scale") {
			t.Errorf("error %v, expected %q and what is free", err, want)
		}
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

// Predicting for tables that do not fit is refused before they are read.
func TestLargePrediction(t *testing.T) {
	dir, _ := trained(t, Request{Path: randomEdges(t, 300), Given: Values{"epochs": 1, "structure": []string{structureNone}}})
	_, err := Load(context.Background(), dir, LoadOptions{Data: randomEdges(t, 40_000), MaxMemory: 80 << 20})
	if err == nil || !IsUsage(err) || !strings.Contains(err.Error(), "edges: reading them and predicting takes about") {
		t.Errorf("error %v, expected that the prediction does not fit", err)
	}
}
