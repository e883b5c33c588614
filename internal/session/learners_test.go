package session

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// The columns exported for other programs are those of a prediction. For training they include draws and snapshots.
func TestEdgeColumns(t *testing.T) {
	c := newAutoCase(t, "number", 2, settings.Values{"split": settings.SplitTime})
	x, err := c.s.EdgeColumns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{source.PartValid, source.PartTest} {
		want, rows := c.columns(part), x.Rows[part]
		at := 0
		for _, e := range map[string][]int{source.PartValid: c.split.Valid, source.PartTest: c.split.Test}[part] {
			if !bitsEqual(rows.Data[at*rows.Width:][:rows.Width], want[int32(e)]) {
				t.Fatalf("part %s: row %d is not that of edge %d", part, at, e)
			}
			at++
		}
		if at != rows.Rows || len(x.Labels[part]) != at || len(x.Families) != rows.Width {
			t.Errorf("part %s: %d rows of %d columns with %d labels for %d edges", part, rows.Rows, rows.Width, len(x.Labels[part]), at)
		}
	}
	if rows := x.Rows[source.PartTrain]; rows.Rows == 0 || rows.Rows%len(c.split.Train) != 0 || len(x.Labels[source.PartTrain]) != rows.Rows {
		t.Errorf("%d rows of %d training edges", rows.Rows, len(c.split.Train))
	}
	s := mustOpen(t, Request{Path: testsets.EdgeFolder(t, "edges.csv", multigraphOf(1, 9)), Model: source.RolesModel, Given: settings.Values{"label": "class"}})
	_, err = s.EdgeColumns(t.Context())
	testsets.Fails(t, err, "has no columns of edges")
}

// A single learner has the validation loss shown in the leaderboard.
func TestWithLearner(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := fastAuto(autoTable(t, true, nil), nil)
	s, dir := mustOpen(t, r), filepath.Join(t.TempDir(), "fit")
	if _, err := s.Fit(t.Context(), FitOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	scored := 0
	for _, e := range s.Leaderboard() {
		alone := mustOpen(t, r)
		ok, err := alone.WithLearner(dir, e)
		if simple := slices.Contains([]string{"constant", "average"}, e.Learner); err != nil || ok == simple {
			t.Fatalf("%s, %s: found %t, error %v", e.Learner, e.Columns, ok, err)
		}
		if !ok {
			continue
		}
		scored++
		got, err := alone.Evaluate(t.Context(), source.PartValid)
		if err != nil {
			t.Fatal(err)
		}
		scale := alone.Settings.Target.Units[0].Scale
		if mae := scoreOf(t, got.Scores, "mae") / scale; mae < e.Loss*0.999 || mae > e.Loss*1.001 {
			t.Errorf("%s, %s: mean absolute error %v, the leaderboard has %v", e.Learner, e.Columns, mae, e.Loss)
		}
	}
	if scored < 3 {
		t.Errorf("%d learners, expected a linear model, trees and a network", scored)
	}
	if ok, err := mustOpen(t, r).WithLearner(t.TempDir(), auto.Entry{Learner: "trees", Columns: "all"}); ok || err != nil {
		t.Errorf("in another folder: found %t, error %v", ok, err)
	}
}
