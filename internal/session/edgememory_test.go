package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
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

// A training that needs too much memory is refused before the tables are read. If the structure of
// the tables decides, it is refused after that. The message has about the memory estimated for a
// session that fits.
func TestLargeEdges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := Request{Path: randomEdges(t, 40_000), Given: settings.Values{"hidden": 64}}
	for limit, want := range map[int64]string{
		100 << 20: "edges.csv has about ",
		210 << 20: "training ehgnn-roles on the 40000 edges of",
	} {
		r.MaxMemory = limit
		_, err := Open(context.Background(), r)
		if err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("%d MiB are free; ", limit>>20)) ||
			!strings.Contains(err.Error(), "ehgnn-scale") {
			t.Errorf("error %v, expected %q and what is free", err, want)
		}
	}
	for _, given := range []settings.Values{{"hidden": 64}, {"hidden": 32, "structure": []string{settings.StructureNone}, "label-context": settings.ContextOff},
		{"hidden": 16, "members": 3}} {
		r.MaxMemory, r.Given = 0, given
		s := mustOpen(t, r)
		got, ok := s.rolesMemory()
		z, err := s.Data.(*source.ColumnData).RolesSize(&s.Settings, given)
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		if early := z.Bytes(); early < 0.95*got || early > 1.2*got {
			t.Errorf("%v: %.0f bytes before the data are divided, %.0f after", given, early, got)
		}
		if whole, _ := s.Estimate(); float64(whole) < got {
			t.Errorf("%v: the estimate of a job, %d bytes, is below %.0f", given, whole, got)
		}
	}
}

// The estimated memory grows with members, classes and columns of time.
func TestRolesSize(t *testing.T) {
	z := source.RolesSize{Nodes: 1000, Edges: [3]int{6000, 8000, 10_000}, Columns: 50, Context: 20, Width: 32, Layers: 3, Members: 1}
	alone := z.Bytes() - source.LeastBytes
	three := z
	three.Members = 3
	if got := three.Bytes() - source.LeastBytes; got < 2*alone || got > 3*alone {
		t.Errorf("%.0f bytes for three members, %.0f for one", got, alone)
	}
	classes := z
	classes.Outputs = 100
	if got := classes.Bytes() - z.Bytes(); got < 4*9*100*6000 {
		t.Errorf("100 classes take %.0f bytes", got)
	}
	s := mustOpen(t, Request{Path: bursts(t, 200)})
	c := s.Data.(*source.ColumnData)
	columns := func(mode string) int {
		s.Settings.Data.Tables.TimeFeatures = mode
		z, err := c.RolesSize(&s.Settings, settings.Values{})
		if err != nil {
			t.Fatal(err)
		}
		return z.Columns
	}
	if more := columns(settings.ContextOn) - columns(settings.ContextOff); more != source.MostTimeColumns {
		t.Errorf("%d columns of time", more)
	}
}

// Predictions for tables that need too much memory are refused before the tables are read.
func TestLargePrediction(t *testing.T) {
	dir, _ := trained(t, Request{Path: randomEdges(t, 300), Given: settings.Values{"epochs": 1, "structure": []string{settings.StructureNone}}})
	_, err := Load(context.Background(), dir, source.LoadOptions{Data: randomEdges(t, 40_000), MaxMemory: 80 << 20})
	if err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), "edges: reading them and predicting takes about") {
		t.Errorf("error %v, expected that the prediction does not fit", err)
	}
}
