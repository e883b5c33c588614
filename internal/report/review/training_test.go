package review

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// For several seeds a curve is the mean of the runs that reached an epoch, at least two. A band shows the lowest and
// the highest run, and the axis contains it. For one run there is no such curve.
func TestMeanCurve(t *testing.T) {
	run := func(losses ...float64) (out []train.EpochInfo) {
		for i, v := range losses {
			out = append(out, train.EpochInfo{Epoch: i + 1, TrainLoss: v})
		}
		return out
	}
	loss := func(e train.EpochInfo) float64 { return e.TrainLoss }
	for name, tt := range map[string]struct {
		runs            [][]train.EpochInfo
		x, y, low, high []float64
	}{
		"same length":          {[][]train.EpochInfo{run(4, 2), run(2, 1)}, []float64{1, 2}, []float64{3, 1.5}, []float64{2, 1}, []float64{4, 2}},
		"the longest is alone": {[][]train.EpochInfo{run(4, 2, 1), run(2, 1), run(3, 3)}, []float64{1, 2}, []float64{3, 2}, []float64{2, 1}, []float64{4, 3}},
		"one run":              {[][]train.EpochInfo{run(4, 2)}, nil, nil, nil, nil},
		"one epoch":            {[][]train.EpochInfo{run(4), run(2)}, nil, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := meanCurve(tt.runs, "training", loss)
			if tt.x == nil {
				if got != nil {
					t.Fatalf("%+v", got)
				}
				return
			}
			if len(got) != 2 || got[0].Kind != report.Band || got[1].Kind != report.Line {
				t.Fatalf("expected a band below a line, got %+v", got)
			}
			for what, pair := range map[string][2][]float64{"epochs": {got[1].X, tt.x}, "means": {got[1].Y, tt.y}, "lowest": {got[0].Low, tt.low}, "highest": {got[0].High, tt.high}} {
				if !slices.Equal(pair[0], pair[1]) {
					t.Errorf("%s %v, want %v", what, pair[0], pair[1])
				}
			}
			if _, y := CurveAxes("loss", false, got); y.Low > slices.Min(tt.low) || y.High < slices.Max(tt.high) {
				t.Errorf("the axis is from %v to %v, the band from %v to %v", y.Low, y.High, tt.low, tt.high)
			}
		})
	}
}

// The size of a report hardly depends on the test set: with 100 times as many edges a page has at most 100 kB more. So
// a page for a million edges stays far below 3 MB.
func TestReportSize(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains on 100,000 edges")
	}
	size := func(n int) int {
		random := rand.New(rand.NewPCG(7, 8))
		var b strings.Builder
		b.WriteString("id,source,target,amount,kind,time,label\n")
		for e := range n {
			amount := random.Float64()
			fmt.Fprintf(&b, "T%d,a%d,a%d,%.4f,%s,2024-%02d-%02d,%t\n", e, random.IntN(n/4), random.IntN(n/4), amount, []string{"card", "cash"}[random.IntN(2)], 1+random.IntN(12), 1+random.IntN(28), amount+random.NormFloat64() > 1)
		}
		path := filepath.Join(t.TempDir(), "edges.csv")
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		r := reviewed(t, path, "", settings.Values{"epochs": 1, "hidden": 4, "layers": 1, "label-context": settings.ContextOff, "structure": []string{"none"}, "time-features": settings.ContextOff})
		files, err := r.Write()
		if err != nil {
			t.Fatal(err)
		}
		return len(read(t, files[0]))
	}
	if few, many := size(1000), size(100_000); many > few+100_000 {
		t.Errorf("a page of 1,000 edges has %d bytes, one of 100,000 edges %d", few, many)
	}
}

// With several learners, the training curve names its learner, and says if this learner has no weight in the predictions.
func TestCurveOf(t *testing.T) {
	trees, network, dual := model.Learner{Kind: model.LearnerTrees, Weight: 1}, model.Learner{Kind: model.LearnerNetwork}, model.Learner{Kind: model.LearnerDual, Weight: 0.5}
	kept := network
	kept.Weight = 0.5
	for _, c := range []struct {
		learners []model.Learner
		of       string
		note     bool
	}{
		{[]model.Learner{trees}, "", false},
		{[]model.Learner{trees, network}, " of the network", true},
		{[]model.Learner{trees, kept}, " of the network", false},
		{[]model.Learner{network, dual}, " of the dual network", false},
	} {
		r := &Review{session: &session.Session{}}
		r.session.Model = &model.Auto{Config: model.AutoConfig{Learners: c.learners}}
		if of, note := r.curveOf(); of != c.of || (note != "") != c.note {
			t.Errorf("%d learners: %q, %q; expected %q and a note: %v", len(c.learners), of, note, c.of, c.note)
		}
	}
}
