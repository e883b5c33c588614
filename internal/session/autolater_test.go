package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// In a trained model, the prediction for an edge does not change by a bit with later edges, also if they are in the same part.
func TestAutoLaterEdges(t *testing.T) {
	const first = 870 // number of the first edge that is changed
	predict := func(change func(row int, fields []string)) []string {
		r := fastAuto(autoTable(t, false, change), settings.Values{"time": "day", "split": settings.SplitTime, "ignore": []string{"part"}})
		delete(r.Given, "part")
		s := mustOpen(t, r)
		if _, err := s.Fit(t.Context(), FitOptions{Dir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		return strings.Split(predictedRows(t, s, source.PartTest), "\n")
	}
	before := predict(nil)
	after := predict(func(row int, fields []string) {
		if row >= first {
			fields[0], fields[1], fields[2], fields[5] = fields[1], "n1", "7", "yes"
		}
	})
	earlier := len(before) - (900 - first)
	if len(before) != 180 || !slices.Equal(before[:earlier], after[:earlier]) {
		t.Error("predictions of earlier edges depend on later edges of the test part")
	}
	if slices.Equal(before[earlier:], after[earlier:]) {
		t.Error("predictions of the changed edges stay: the test is blind")
	}
}

// The structure columns of an edge in a snapshot count the edges before its time only, for any batch of edges.
func TestSnapshotStructure(t *testing.T) {
	for _, edges := range []string{settings.EdgesDirected, settings.EdgesUndirected} {
		c := newAutoCase(t, "class", 2, settings.Values{"split": settings.SplitTime, "edges": edges})
		g, e := c.s.Parts[source.PartTrain].Graphs[0], c.s.Settings.Data.Tables.Encoder
		var known, rows []int32
		for i := range int32(g.NumEdges()) {
			if i%3 > 0 {
				known = append(known, i)
			} else {
				rows = append(rows, i)
			}
		}
		all, err := structureAt(e, g, known, rows, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			alone, err := structureAt(e, g, known, []int32{row}, 1)
			if err != nil {
				t.Fatal(err)
			}
			if !bitsEqual(alone.Data, all.Data[i*all.Width:][:all.Width]) {
				t.Fatalf("%s: the structure of edge %d depends on edges that are described with it", edges, row)
			}
		}
		fewer, err := structureAt(e, g, known[1:], rows, 1)
		if err != nil {
			t.Fatal(err)
		}
		if bitsEqual(fewer.Data, all.Data) {
			t.Errorf("%s: an edge less changes nothing: the test is blind", edges)
		}
	}
}
