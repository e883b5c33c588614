package session

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/train"
)

// shuffled shuffles the labels, which are the last column of a table of edges.
func shuffled(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var labels []string
	for i, l := range lines {
		at := strings.LastIndexByte(l, ',')
		if lines[i] = l[:at]; i > 0 {
			labels = append(labels, l[at:])
		}
	}
	rand.New(rand.NewPCG(5, 5)).Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	lines[0] += ",label"
	for i, l := range labels {
		lines[i+1] += l
	}
	return strings.Join(lines, "\n") + "\n"
}

// parted adds a column of parts to a table of edges. Of five edges in a row three train, one
// validates and one is tested.
func parted(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines[0] = "part," + lines[0]
	for i := range lines[1:] {
		lines[i+1] = []string{"train", "0", "Train", "val", "2"}[i%5] + "," + lines[i+1]
	}
	return strings.Join(lines, "\n") + "\n"
}

func trainEdges(t *testing.T, r Request) (*Session, *TrainResult) {
	t.Helper()
	s := mustOpen(t, r)
	res, err := s.Train(context.Background(), TrainOptions{Dir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	return s, res
}

func scoreOf(t *testing.T, s train.Scores, name string) float64 {
	t.Helper()
	v, ok := s.Get(name)
	if !ok {
		t.Fatalf("no score %q", name)
	}
	return v
}

// TestEdgeClassification: whether a payment is fraud depends on it and on adjacent payments. A dual
// model finds frauds, a model that sees each payment alone does not, and no model finds them in
// shuffled labels.
func TestEdgeClassification(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four models")
	}
	small := settings.Values{"hidden": 24, "epochs": 120, "lr": 0.01, "patience": 40}
	path := testsets.Transactions(t, 200, 3000, nil)
	for _, by := range []string{settings.SplitRandom, settings.SplitTime} {
		t.Run(by, func(t *testing.T) {
			r := Request{Path: path, Seed: 1, Given: small.Over(settings.Values{"split": by})}
			s, res := trainEdges(t, r)
			_, alone := trainEdges(t, func() Request { r := r; r.Model = "mlp-edge"; return r }())
			got, base := scoreOf(t, res.Test, "average_precision"), scoreOf(t, alone.Test, "average_precision")
			t.Logf("test: %s %s", s.Settings.ModelName, scoresText(res.Test, "fraud"))
			t.Logf("test: mlp-edge %s", scoresText(alone.Test, "fraud"))
			// The test part has about 15 frauds, so that one training says little.
			const seeds = 3
			for r.Seed = 2; r.Seed <= seeds; r.Seed++ {
				_, again := trainEdges(t, r)
				got += scoreOf(t, again.Test, "average_precision")
			}
			got /= seeds
			if got < 0.55 || got < base+0.2 {
				t.Errorf("average precision %.3f, want at least 0.55 and well above the %.3f without structure", got, base)
			}
			checkEdgeRun(t, s, res, path)
		})
	}
	t.Run("shuffled labels", func(t *testing.T) {
		r := Request{Path: testsets.Transactions(t, 200, 3000, shuffled), Given: small}
		for _, r.Model = range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
			// With about 20 positive edges among 600, the area has a standard deviation of 0.065 around
			// chance, and the mean of four has half of it.
			const splits = 4
			mean := 0.0
			for r.Seed = range uint64(splits) {
				_, res := trainEdges(t, r)
				mean += scoreOf(t, res.Test, "roc_auc") / splits
			}
			if t.Logf("%s: mean ROC-AUC %.3f", r.Model, mean); math.Abs(mean-0.5) > 0.1 {
				t.Errorf("%s: mean ROC-AUC %.3f on shuffled labels, want chance", r.Model, mean)
			}
		}
	})
}

// checkEdgeRun checks that the folder of a run has everything needed to use it again.
func checkEdgeRun(t *testing.T, s *Session, res *TrainResult, path string) {
	t.Helper()
	ctx := context.Background()
	again, err := Load(ctx, res.Run, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Settings, s.Settings) {
		t.Errorf("settings\n%+v\nloaded\n%+v", s.Settings, again.Settings)
	}
	scores, err := again.Evaluate(ctx, source.PartTest)
	if err != nil || !reflect.DeepEqual(scores.Scores, res.Test) {
		t.Errorf("scores of the loaded run %+v (%v), want %v", scores, err, res.Test)
	}
	var text, loaded bytes.Buffer
	for _, x := range []struct {
		s  *Session
		to *bytes.Buffer
	}{{s, &text}, {again, &loaded}} {
		table, err := x.s.Predict(ctx, source.PartTest)
		if err != nil {
			t.Fatal(err)
		}
		if err := report.WriteCSV(x.to, table); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(filepath.Join(res.Run, PredictionsFile)); err != nil || !bytes.Equal(written, text.Bytes()) || !bytes.Equal(written, loaded.Bytes()) {
		t.Errorf("predictions of the run, the session and the loaded one differ: %v", err)
	}
	if !strings.HasPrefix(text.String(), "edge,source,target,label,prediction,probability_fraud,probability_ok\n") {
		t.Errorf("predictions start with %.80q", text.String())
	}
	// All edges of the training data are a part, too. The test part has the same context as all data.
	edges := again.Data.(*source.ColumnData).Set.NumEdges()
	whole, err := again.Predict(ctx, source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := again.Embed(ctx, source.PartAll, "edge")
	if err != nil || vectors.Rows() != whole.Rows() || whole.Rows() != edges {
		t.Errorf("%d vectors (%v) and %d predictions, want %d", vectors.Rows(), err, whole.Rows(), edges)
	}
	if _, err := again.Evaluate(ctx, "rest"); err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), `expected one of ["all" "test" "train" "valid"]`) {
		t.Errorf("error %v for a part that there is not", err)
	}
	checkParts(t, again)
	// New payments without labels are one part.
	rows, err := os.ReadFile(filepath.Join(path, "edges.csv"))
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := os.ReadFile(filepath.Join(path, "nodes.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var fresh strings.Builder
	for line := range strings.Lines(string(rows)) {
		fresh.WriteString(line[:strings.LastIndexByte(line, ',')] + "\n")
	}
	other, err := Load(ctx, res.Run, source.LoadOptions{Data: testsets.EdgeFolder(t, "nodes.csv", string(nodes), "edges.csv", fresh.String()), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	table, err := other.Predict(ctx, source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	if err := report.WriteCSV(&all, table); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(all.String(), "\n"), strings.Count(string(rows), "\n"); got != want {
		t.Errorf("%d lines of predictions for %d of edges", got, want)
	}
	if _, err := other.Predict(ctx, source.PartTest); err == nil || !settings.IsUsage(err) {
		t.Errorf("error %v for a part that new data have not", err)
	}
	if _, err := s.Train(ctx, TrainOptions{Dir: res.Run}); err == nil || !strings.Contains(err.Error(), "holds a run already") {
		t.Errorf("error %v of a second run in one folder", err)
	}
}

// TestEdgeResume: a run that was stopped and resumed ends with the same result, with any number of
// threads.
func TestEdgeResume(t *testing.T) {
	path := testsets.Transactions(t, 60, 300, nil)
	r := Request{Path: path, Seed: 2, Threads: 1, Given: settings.Values{"hidden": 8, "epochs": 12, "patience": 0}}
	_, want := trainEdges(t, r)
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Open(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Train(ctx, TrainOptions{Dir: dir, OnEpoch: func(e train.EpochInfo) {
		if e.Epoch == 5 {
			cancel()
		}
	}})
	if err == nil || res == nil || !res.Interrupted {
		t.Fatalf("result %+v, error %v of a run that was stopped", res, err)
	}
	r.Threads = 3
	if s, err = Open(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	res, err = s.Train(context.Background(), TrainOptions{Dir: dir, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(res.Test, want.Test) || res.BestEpoch != want.BestEpoch {
		t.Errorf("test %v of epoch %d after a stop, want %v of epoch %d", res.Test, res.BestEpoch, want.Test, want.BestEpoch)
	}
}

// TestEdgeRegression: the number of an edge is its feature times a value of its first end, plus a
// constant.
func TestEdgeRegression(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	nodes, edges := "id,size\n", "source,target,w,y\n"
	size := make([]float64, 30)
	for v := range size {
		size[v] = r.NormFloat64()
		nodes += fmt.Sprintf("%d,%g\n", v, size[v])
	}
	for range 600 {
		u, v, w := r.IntN(30), r.IntN(30), r.NormFloat64()
		edges += fmt.Sprintf("%d,%d,%g,%g\n", u, v, w, 100+10*(w+size[u]-0.5*size[v]))
	}
	path := testsets.EdgeFolder(t, "nodes.csv", nodes, "edges.csv", edges+"0,1,0.5,\n") // one edge without a number
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
		s, res := trainEdges(t, Request{Path: path, Task: task.EdgeRegression.Name, Model: model, Seed: 1,
			Given: settings.Values{"hidden": 16, "layers": 1, "epochs": 200, "lr": 0.01, "dropout": 0.0}})
		t.Logf("%s: test %s", model, scoresText(res.Test, ""))
		if r2 := scoreOf(t, res.Test, "r2"); r2 < 0.9 {
			t.Errorf("%s: R2 %.3f, want at least 0.9", model, r2)
		}
		if mae, rmse := scoreOf(t, res.Test, "mae"), scoreOf(t, res.Test, "rmse"); mae > rmse || rmse > 6 {
			t.Errorf("%s: MAE %.3f and RMSE %.3f in the unit of the data, whose deviation is 15", model, mae, rmse)
		}
		if _, err := s.Predict(context.Background(), source.PartTest); err != nil {
			t.Error(err)
		}
	}
}

func TestEdgeSettings(t *testing.T) {
	path := testsets.EdgeFolder(t, "edges.csv", "source,target,label\n"+strings.Repeat("a,b,x\nb,c,y\nc,d,y\nd,e,y\n", 1)+
		"e,f,x\nf,g,y\ng,h,y\nh,i,y\ni,j,x\nj,k,y\nk,l,y\nl,m,y\n")
	target := mustOpen(t, Request{Path: path, Model: source.RolesModel, Given: settings.Values{"fractions": []float64{1, 0, 0}}}).Settings.Target
	// Class x has 3 of 12 edges, so the weights are 12/(2·3) = 2 and 12/(2·9).
	if want := []float32{2, float32(12.0 / 18)}; !slices.Equal(target.ClassWeights, want) || target.Binary.Positive != 0 {
		t.Errorf("class weights %v, positive %d, want %v and 0", target.ClassWeights, target.Binary.Positive, want)
	}
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{Path: path, Task: "edge-colouring"}, `unknown task "edge-colouring"`},
		{Request{Path: path, Task: task.EdgeClassification.Name, Model: "gcn"}, "model gcn has no predictions for edge-classification"},
		{Request{Path: path, Model: "gcn"}, "model gcn is for graph-classification, these data are for edge-classification"},
		{Request{Path: path, Task: task.EdgeRegression.Name}, `column "label" is "x", expected a number`},
		{Request{Path: path, Given: settings.Values{"label": tables.None}}, "no labels to learn from"},
		{Request{Path: path, Given: settings.Values{"split": settings.SplitTime}}, "no column of times"},
		{Request{Path: testsets.EdgeFolder(t, "edges.csv", "source,target,label\na,b,x\nb,c,x\nc,d,x\nd,e,x\n"),
			Given: settings.Values{"fractions": []float64{0.5, 0, 0.5}}}, "at least 2 classes"},
	} {
		if _, err := Open(context.Background(), c.r); err == nil || !strings.Contains(err.Error(), c.want) || !settings.IsUsage(err) {
			t.Errorf("error %v, want a wrong use with %q", err, c.want)
		}
	}
}
