package review

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/plainyaml"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/train"
)

// attack is a name in the data that must be shown as text.
const attack = `<script>alert("x")</script>`

// graphSet is a folder of rings of two classes: rings with mostly edges of kind 1, and others.
func graphSet(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "GRAPHS")
	if err := golden.WriteRings(dir, 60, 4, false); err != nil {
		t.Fatal(err)
	}
	return dir
}

// edgeTable is a table of edges with a class or a number for each edge.
func edgeTable(t *testing.T, number bool) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	text := "source,target,amount,kind,group,time,label\n"
	for range 400 {
		amount := random.Float64()
		label := "ok"
		if amount+0.3*random.NormFloat64() > 0.7 {
			label = `"<script>alert(""x"")</script>"`
		}
		if number {
			label = fmt.Sprint(3*amount + random.NormFloat64())
		}
		kind := []string{"card", "transfer", "rare"}[min(random.IntN(40)/16, 2)]
		text += fmt.Sprintf("a%d,a%d,%g,%s,team %d,2024-%02d-%02d,%s\n", random.IntN(40), random.IntN(40), amount, kind, random.IntN(3), 1+random.IntN(12), 1+random.IntN(28), label)
	}
	path := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// reviewed returns a short training and its review.
func reviewed(t *testing.T, path, of string, given settings.Values) *Review {
	t.Helper()
	s, err := session.Open(t.Context(), session.Request{Path: path, Task: of, Given: given, Seed: 5, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := s.Train(t.Context(), session.TrainOptions{Dir: dir, Command: "ehgnn train " + attack}); err != nil {
		t.Fatal(err)
	}
	r, err := Of(t.Context(), s, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The scores equal those of the run. The page needs no other file and shows names of the data as
// text. The card is a model card.
func TestReview(t *testing.T) {
	for name, tt := range map[string]struct {
		path  string
		task  string
		given settings.Values
		want  []string // on the page
	}{
		"classes of graphs": {graphSet(t), "", settings.Values{"epochs": 3, "hidden": 16, "constant-lr": true},
			[]string{"<h1>Class 1 among the graphs of GRAPHS</h1>", "average precision", "Calibration of class 1", "nodes of the graph", "Largest errors", `class="strong"><td class="left">model.hidden`, `id="threshold-slider"`}},
		"classes of edges": {edgeTable(t, false), "", settings.Values{"epochs": 3, "hidden": 16},
			[]string{"missed &lt;script&gt;", "edge by edge", "Precision and recall of", "fewest edges at an end", "F1 of &lt;script&gt;", ">kind</th>", ">transfer</td>", ">time</th>", ">2024-01-", ">team 2</td>"}},
		"numbers of edges": {edgeTable(t, true), "edge-regression", settings.Values{"epochs": 3, "hidden": 16},
			[]string{">MAE", "Predicted against true label", "The slope of predicted by true", "Errors", ">median<", "no model"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := reviewed(t, tt.path, tt.task, tt.given)
			checkScores(t, r)
			files, err := r.Write()
			if err != nil || len(files) != 2 {
				t.Fatal(files, err)
			}
			page := read(t, files[0])
			for _, want := range append(tt.want, "All scores", "Leaderboard", "Training", "Slices", "Reproduce", `class="verdict`, `<nav class="toc"`, "<span>train</span> <span>&lt;script&gt;", "Content-Security-Policy") {
				if !strings.Contains(page, want) {
					t.Errorf("the page has no %q", want)
				}
			}
			for _, bad := range []string{"<script>alert", "src=\"http", " href=\"http", "@import", "url(", ">NaN", " style=\"", "undefined<"} {
				if strings.Contains(page, bad) {
					t.Errorf("the page has %q", bad)
				}
			}
			if len(page) > 400_000 {
				t.Errorf("the page has %d bytes, expected at most 400 kB", len(page))
			}
			if strings.Count(page, "<script>") != 1 {
				t.Error("the page has another script than its own")
			}
			checkCard(t, read(t, files[1]))
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkScores compares the scores of the review with those recorded by the run.
func checkScores(t *testing.T, r *Review) {
	t.Helper()
	compared := 0
	scores, err := scorerOf(r.outcome, r.settings.Target.Binary)(r.rows())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		want, ok := r.environment.Result.Test.Get(s.Name)
		if !ok {
			continue
		}
		compared++
		if math.Abs(s.Value-want) > 1e-6 && !(math.IsNaN(s.Value) && math.IsNaN(want)) {
			t.Errorf("%s is %v here, %v in the run", s.Name, s.Value, want)
		}
	}
	if compared == 0 {
		t.Error("no score was compared")
	}
	for _, s := range r.scores {
		if !math.IsNaN(s.low) && !(s.low <= s.test && s.test <= s.high) {
			t.Errorf("%s is %v, outside of its interval %v to %v", s.name, s.test, s.low, s.high)
		}
		if s.name == "accuracy" && !(s.usual > 0 && s.usual < 1) {
			t.Errorf("the accuracy of the baseline is %v", s.usual)
		}
		if s.name == "roc_auc" && s.usual != 0.5 {
			t.Errorf("the ROC-AUC of the baseline is %v", s.usual)
		}
	}
}

func checkCard(t *testing.T, card string) {
	t.Helper()
	_, rest, _ := strings.Cut(card, "---\n")
	head, body, ok := strings.Cut(rest, "---\n")
	if !ok || !startsCard(card) {
		t.Fatalf("no head in\n%s", card)
	}
	var meta struct {
		Library string `json:"library_name"`
		Index   []struct {
			Results []struct {
				Metrics []struct {
					Type  string
					Value float64
				}
			}
		} `json:"model-index"`
	}
	if err := plainyaml.Unmarshal([]byte(head), &meta); err != nil {
		t.Fatal(err)
	}
	if meta.Library != "ehgnn" || len(meta.Index) != 1 || len(meta.Index[0].Results) != 1 || len(meta.Index[0].Results[0].Metrics) < 2 {
		t.Errorf("head %+v", meta)
	}
	if !strings.Contains(body, "## Purpose and limits\n\nNot stated.\n") || strings.Contains(body, "<script") {
		t.Errorf("card\n%s", body)
	}
}

// Text that someone wrote into README.md stays. The purpose that the author gives is in the card of
// the next report.
func TestCardStays(t *testing.T) {
	r := reviewed(t, edgeTable(t, true), "edge-regression", settings.Values{"epochs": 1, "hidden": 8})
	path := filepath.Join(r.dir, CardFile)
	r.Purpose = "For *tests* alone."
	if _, err := r.Write(); err != nil || !strings.Contains(read(t, path), "\n\nFor *tests* alone.\n") {
		t.Errorf("%v in\n%s", err, read(t, path))
	}
	if err := os.WriteFile(path, []byte("# Mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if files, err := r.Write(); err != nil || len(files) != 1 || read(t, path) != "# Mine\n" {
		t.Errorf("%v, %v, and README.md has %q", files, err, read(t, path))
	}
	if err := os.Remove(filepath.Join(r.dir, "environment.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := Of(t.Context(), r.session, r.dir, Options{}); err == nil || !strings.Contains(err.Error(), "has not finished") {
		t.Errorf("a run without environment.json: %v", err)
	}
}

// The interval of a share agrees with the normal approximation. It is wider if items come in groups
// of equal items, and it is the same each time.
func TestBootstrap(t *testing.T) {
	const n, p, group = 600, 0.8, 6
	right := make([]bool, n)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range right {
		if i%group == 0 {
			right[i] = random.Float64() < p
		} else {
			right[i] = right[i-1]
		}
	}
	share := func(rows []int32) (train.Scores, error) {
		k := 0.0
		for _, r := range rows {
			if right[r] {
				k++
			}
		}
		return train.Scores{{Name: "share", Value: k / float64(len(rows))}}, nil
	}
	all, groups, rows := make([][]int32, n), make([][]int32, n/group), make([]int32, n)
	for i := range n {
		rows[i], all[i] = int32(i), []int32{int32(i)}
		groups[i/group] = append(groups[i/group], int32(i))
	}
	for _, tt := range []struct {
		units [][]int32
		want  float64 // width of the interval
	}{{all, 2 * 1.96 * math.Sqrt(p*(1-p)/n)}, {groups, 2 * 1.96 * math.Sqrt(p*(1-p)/(n/group))}} {
		first, err := bootstrap(t.Context(), share, tt.units, rows, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := bootstrap(t.Context(), share, tt.units, rows, 1, 1)
		i := first["share"]
		if width := i[1] - i[0]; math.Abs(width/tt.want-1) > 0.2 || again["share"] != i {
			t.Errorf("%d units: %v, then %v; expected a width of about %.3f", len(tt.units), i, again["share"], tt.want)
		}
	}
}

func TestQuartiles(t *testing.T) {
	rows := make([]int32, 103)
	for i := range rows {
		rows[i] = int32(i)
	}
	for name, of := range map[string]func(i int32) int{
		"distinct": func(i int32) int { return int(i) },
		"tied":     func(i int32) int { return int(i*i) / 900 },
		"skewed":   func(i int32) int { return max(int(i)-90, 0) },
	} {
		seen := 0
		for _, s := range quartiles("size", rows, of) {
			seen += len(s.rows)
		}
		if seen != len(rows) {
			t.Errorf("%s: the slices hold %d rows, expected each of %d once", name, seen, len(rows))
		}
	}
	if got := quartiles("size", rows, func(int32) int { return 7 }); got != nil {
		t.Errorf("slices of equal sizes: %v", got)
	}
}

// A curve of many epochs keeps its extremes.
func TestFewer(t *testing.T) {
	y := make([]float64, 20_000)
	x := make([]float64, len(y))
	for i := range y {
		x[i], y[i] = float64(i), math.Sin(float64(i)/100)
	}
	y[7777], y[12345] = 9, -9
	s := fewer(report.Series{X: x, Y: y})
	if len(s.X) > mostEpochs || slices.Max(s.Y) != 9 || slices.Min(s.Y) != -9 || !slices.IsSorted(s.X) {
		t.Errorf("%d points from %v to %v", len(s.X), slices.Min(s.Y), slices.Max(s.Y))
	}
}

func TestLabelTable(t *testing.T) {
	nan := float32(math.NaN())
	l := labelTable([]task.TargetOutcome{{Name: "a", True: []float32{1, 0, nan, 1}, Predicted: []float32{0.9, 0.2, 0.5, 0.8}}, {Name: "b", True: []float32{nan, nan, nan, nan}, Predicted: make([]float32, 4)}})
	want := [][]string{{"a", "3", "66.7\u00a0%", "1.000", "1.000"}, {"b", "0", report.None, report.None, report.None}}
	for i := range want {
		for j, cell := range l.Rows[i].Cells {
			if cell.Text != want[i][j] {
				t.Errorf("row %d has %q, expected %q", i, cell.Text, want[i][j])
			}
		}
	}
}

// Scores of weighted items equal the metrics on repeated items.
func TestRanking(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 300
	score, target, times, rows := make([]float32, n), make([]float32, n), make([]int32, n), make([]int32, n)
	var repeatedScore, repeatedTarget []float32
	for i := range n {
		rows[i], score[i], target[i], times[i] = int32(i), float32(random.IntN(40))/40, float32(random.IntN(2)), int32(random.IntN(3))
		for range times[i] {
			repeatedScore, repeatedTarget = append(repeatedScore, score[i]), append(repeatedTarget, target[i])
		}
	}
	ap, auc := newRanking(score, func(i int32) bool { return target[i] == 1 }, rows).scores(times)
	wantAP, err := metric.AveragePrecision(repeatedScore, repeatedTarget)
	if err != nil {
		t.Fatal(err)
	}
	wantAUC, err := metric.ROCAUC(repeatedScore, repeatedTarget)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(ap-wantAP) > 1e-9 || math.Abs(auc-wantAUC) > 1e-9 {
		t.Errorf("average precision %v, ROC-AUC %v, want %v, %v", ap, auc, wantAP, wantAUC)
	}
}

// The verdict says level if the interval of the difference to the best baseline contains 0. It is red only if the model
// is worse. train gives the same warning.
func TestVerdictBesideBaseline(t *testing.T) {
	for name, tt := range map[string]struct {
		behind    float64
		interval  [2]float64
		tone      report.Tone
		answer    string
		elsewhere string
	}{
		"ahead":                          {-0.2, [2]float64{-0.3, -0.1}, "", "Ahead of every baseline", ""},
		"level":                          {-0.01, [2]float64{-0.05, 0.03}, report.Even, "Level with the baseline majority: average precision 0.500 against 0.490", ""},
		"behind":                         {0.2, [2]float64{0.1, 0.3}, report.Bad, "The model does not beat the baseline majority: average precision 0.500 against 0.700", "the model does not beat"},
		"by a hair, without an interval": {0.001, [2]float64{math.NaN(), math.NaN()}, report.Bad, "The model does not beat", "the model does not beat"},
		"the same, without an interval":  {0, [2]float64{math.NaN(), math.NaN()}, report.Even, "Level with", ""},
	} {
		t.Run(name, func(t *testing.T) {
			names := [2]string{"average_precision", "roc_auc"}
			of := func(v float64) train.Scores {
				return train.Scores{{Name: names[0], Value: v}, {Name: names[1], Value: v}}
			}
			r := &Review{settings: &settings.Settings{}, outcome: &task.Outcome{Classes: &task.ClassOutcome{Names: []string{"a", "b", "c"}}}}
			r.contest = &contest{names: names, of: []*contestant{{name: "network", chosen: true, scores: of(0.5)},
				{name: "majority", simple: true, scores: of(0.5 + tt.behind), behind: tt.behind, interval: tt.interval}}}
			parts, err := r.verdict()
			if err != nil {
				t.Fatal(err)
			}
			v := parts[0].(report.Verdict)
			if v.Tone != tt.tone || !strings.HasPrefix(v.Answer, tt.answer) {
				t.Errorf("%+v", v)
			}
			switch w := r.Warnings(); {
			case tt.elsewhere == "" && w != nil, tt.elsewhere != "" && (len(w) != 1 || !strings.HasPrefix(w[0], tt.elsewhere)):
				t.Errorf("warnings %q", w)
			}
		})
	}
}

// The verdict names a model that the chosen one does not beat, such as trees alone. It is red only if that model is better.
func TestVerdictBesideModel(t *testing.T) {
	names := [2]string{"average_precision", "roc_auc"}
	of := func(v float64) train.Scores {
		return train.Scores{{Name: names[0], Value: v}, {Name: names[1], Value: v}}
	}
	for name, tt := range map[string]struct {
		behind   float64
		interval [2]float64
		tone     report.Tone
		answer   string
		warns    bool
	}{
		"ahead":  {-0.1, [2]float64{-0.2, -0.05}, "", "Ahead of every baseline: average precision 0.800", false},
		"level":  {0.01, [2]float64{-0.02, 0.04}, report.Even, "Ahead of majority, level with trees alone", false},
		"behind": {0.05, [2]float64{0.01, 0.09}, report.Bad, "The model does not beat trees alone: average precision 0.800 against 0.850.", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Review{settings: &settings.Settings{}, outcome: &task.Outcome{Classes: &task.ClassOutcome{Names: []string{"a", "b", "c"}}}}
			r.contest = &contest{names: names, of: []*contestant{{name: "average", note: "of 2 learners, all networks", chosen: true, scores: of(0.8)},
				{name: "trees", scores: of(0.8 + tt.behind), behind: tt.behind, interval: tt.interval},
				{name: "majority", simple: true, scores: of(0.1), behind: -0.7, interval: [2]float64{-0.8, -0.6}}}}
			parts, err := r.verdict()
			if err != nil {
				t.Fatal(err)
			}
			if v := parts[0].(report.Verdict); v.Tone != tt.tone || !strings.HasPrefix(v.Answer, tt.answer) || !strings.Contains(v.Rest, "the average of 2 learners, all networks") {
				t.Errorf("%+v", v)
			}
			if w := r.Warnings(); (len(w) == 1) != tt.warns {
				t.Errorf("warnings %q", w)
			}
		})
	}
}

// All numbers in a column of the data have the same number of decimals.
func TestPlainNumbers(t *testing.T) {
	for name, tt := range map[string]struct{ in, want []string }{
		"money":         {[]string{"271908.45", "0.5", "12"}, []string{"271,908.45", "0.50", "12.00"}},
		"whole":         {[]string{"1000", "7"}, []string{"1,000", "7"}},
		"long":          {[]string{"1.23456", "2"}, []string{"1.23", "2.00"}},
		"small":         {[]string{"0.00123", "0.5"}, []string{"0.0012", "0.5000"}},
		"all too small": {[]string{"5.5e-17", "0"}, []string{"0", "0"}},
		"not a number":  {[]string{"x", "", "1.5"}, []string{"x", "", "1.5"}},
	} {
		if got := report.PlainNumbers(tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	for in, want := range map[string]string{"1": "class 1", "-1": "class -1", "y": "class y", "fraud": "fraud", "true": "true"} {
		if got := className(in, 24); got != want {
			t.Errorf("class %q is called %q, want %q", in, got, want)
		}
	}
}

// A model that has learned nothing is not said to be ahead, and it is not red if the test set is too small to decide.
func TestVerdictOfChance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := "source,target,x,label\n"
	for range 300 {
		text += fmt.Sprintf("a%d,b%d,%.3f,%d\n", random.IntN(100), random.IntN(100), random.Float64(), random.IntN(10)/9)
	}
	path := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := reviewed(t, path, "edge-classification", settings.Values{"epochs": 2, "hidden": 8})
	parts, err := r.verdict()
	if err != nil {
		t.Fatal(err)
	}
	v, ok := parts[0].(report.Verdict)
	if !ok || v.Tone != report.Even || !strings.Contains(v.Answer, "Level with the baseline majority") || !strings.Contains(v.Rest, "contains 0") {
		t.Errorf("%+v", parts[0])
	}
}

// Columns are said to matter more than neighbours if a model without messages is better than the network with messages alone.
func TestFindingOfNeighbours(t *testing.T) {
	of := func(v float64) train.Scores { return train.Scores{{Name: "mae", Value: v}, {Name: "r2", Value: 0.5}} }
	for _, c := range []struct {
		chosen bool    // passes messages
		trees  float64 // MAE; the chosen model has 1 and the dual network 2
		want   bool
	}{{false, 3, true}, {true, 3, false}, {true, 1.5, true}} {
		r := &Review{settings: &settings.Settings{}, outcome: &task.Outcome{Labels: true}}
		r.contest = &contest{names: [2]string{"mae", "r2"}, of: []*contestant{{name: "average", chosen: true, messages: c.chosen, scores: of(1)},
			{name: "dual network", messages: true, scores: of(2), behind: 1, interval: [2]float64{0.5, 1.5}},
			{name: "trees", scores: of(c.trees), behind: c.trees - 1, interval: [2]float64{0.4, 2.5}},
			{name: "median", simple: true, scores: of(5), behind: 4, interval: [2]float64{3, 5}}}}
		found := false
		parts := r.findings()
		for _, f := range parts[0].(report.Findings) {
			found = found || strings.Contains(f.Text, "carry more than the neighbours")
		}
		if found != c.want {
			t.Errorf("%+v: %v", c, parts[0])
		}
	}
}

// The leaderboard shows the best learner of each kind and the chosen model, by their predictions for the same items.
// The chosen model appears once, and differences are to it.
func TestContest(t *testing.T) {
	if testing.Short() {
		t.Skip("trains several learners")
	}
	r := reviewed(t, edgeTable(t, true), "edge-regression", settings.Values{})
	if r.environment.Result.Leaderboard == nil {
		t.Fatal("the run has no leaderboard")
	}
	var names []string
	for _, x := range r.contest.of {
		names = append(names, x.name)
		v := r.contest.main(x)
		i, ok := x.intervals["mae"]
		if !ok || !(i[0] <= v && v <= i[1]) {
			t.Errorf("%s: MAE %v, interval %v", x.name, v, i)
		}
		if x.chosen != (x.behind == 0) || !x.chosen && !(x.interval[0] <= x.behind && x.behind <= x.interval[1]) {
			t.Errorf("%s is %v behind, interval %v", x.name, x.behind, x.interval)
		}
	}
	if !slices.Contains(names, "linear") || names[len(names)-1] != "median" || len(names) < 3 {
		t.Errorf("contestants %q", names)
	}
	if got, want := r.contest.main(r.contest.of[0]), r.scores[slices.IndexFunc(r.scores, func(s score) bool { return s.name == "mae" })].test; math.Abs(got-want) > 1e-6 {
		t.Errorf("the MAE of the chosen model is %v here, %v in the run", got, want)
	}
}
