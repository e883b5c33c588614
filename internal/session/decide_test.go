package session

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/metric"
)

// The expected values are computed by hand. With T = 2 and class weights 4 and 1, the probabilities
// 0.2 and 0.8 become √0.2/4 and √0.8, which are as 1 to 8.
func TestDecide(t *testing.T) {
	target := settings.Target{Temperature: 2, ClassWeights: []float32{4, 1}}
	row := []float32{0.2, 0.8}
	if class := target.Decide(row); class != 1 || math.Abs(float64(row[0])-1./9) > 1e-7 || math.Abs(float64(row[1])-8./9) > 1e-7 {
		t.Errorf("class %d of %v, want 1 of 1/9 and 8/9", class, row)
	}
	// The decision follows the logits, although class 1 is more probable.
	if class := target.Decide([]float32{0.6, 0.4}); class != 0 {
		t.Errorf("class %d, want 0", class)
	}
	target.Binary = &settings.Binary{Positive: 0, Threshold: 0.1}
	if class := target.Decide([]float32{0.2, 0.8}); class != 0 {
		t.Errorf("class %d at a threshold below 1/9", class)
	}
	if target.Binary.Threshold = 0.12; target.Decide([]float32{0.2, 0.8}) != 1 {
		t.Error("class 0 at a threshold above 1/9")
	}
	row = []float32{0.25, 0.75}
	if (&settings.Target{ClassWeights: []float32{4, 1}}).Decide(row); row[0] != 0.25 || row[1] != 0.75 {
		t.Errorf("%v without a temperature", row)
	}
	// Probabilities that a high temperature rounds to the same number still give different decisions.
	target = settings.Target{Temperature: 1000, ClassWeights: []float32{8, 0.5}, Binary: &settings.Binary{}}
	pair := []float64{0.5755415, 1 - 0.5755415}
	settings.Calibrate(&target, pair)
	target.Binary.Threshold = pair[0]
	low, high := []float32{0.5755414, 0.4244586}, []float32{0.5755416, 0.4244584}
	if a, b := target.Decide(low), target.Decide(high); a != 1 || b != 0 || low[0] != high[0] {
		t.Errorf("classes %d and %d of probabilities %v and %v, want 1 and 0 of the same", a, b, low[0], high[0])
	}
	// A low temperature chooses the most probable class, even if powers of the probabilities are very small.
	row = []float32{0.3, 0.36, 0.34}
	if (&settings.Target{Temperature: 0.001}).Decide(row); row[1] != 1 || row[0] > 1e-6 || row[2] > 1e-6 {
		t.Errorf("%v at temperature 0.001", row)
	}
	// Probabilities of 0 stay 0, and rows sum to 1.
	r := rand.New(rand.NewPCG(1, 1))
	target = settings.Target{Temperature: 0.5, ClassWeights: []float32{1, 2, 3}}
	for range 100 {
		row := []float32{r.Float32(), r.Float32(), 0}
		row[0] /= row[0] + row[1]
		row[1] = 1 - row[0]
		target.Decide(row)
		if sum := row[0] + row[1] + row[2]; math.Abs(float64(sum)-1) > 1e-6 || row[2] != 0 {
			t.Errorf("calibrated to %v", row)
		}
	}
}

// rowsByName returns the predictions of a run for its test part, by column name.
func rowsByName(t *testing.T, dir string) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(testsets.Contents(t, dir, PredictionsFile))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for k, name := range lines[0] {
			row[name] = line[k]
		}
		out = append(out, row)
	}
	return out
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 32)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// suspects writes edges of which one in ten has class bad. A feature separates the classes for some
// of the edges.
func suspects(t *testing.T, m int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 9))
	var b strings.Builder
	b.WriteString("source,target,w,label\n")
	for range m {
		bad := r.IntN(10) == 0
		fmt.Fprintf(&b, "%d,%d,%.3f,%s\n", r.IntN(50), r.IntN(50), map[bool]float64{true: 1.5}[bad]+r.NormFloat64(), map[bool]string{true: "bad", false: "ok"}[bad])
	}
	return testsets.EdgeFolder(t, "edges.csv", b.String())
}

// Calibration changes only probabilities and the score ece. Scores are computed from the written
// predictions.
func TestCalibration(t *testing.T) {
	path := suspects(t, 4000)
	r := Request{Path: path, Model: "mlp-edge", Seed: 1, Given: settings.Values{"hidden": 8, "epochs": 40, "lr": 0.02, "unweighted": false, "structure": []string{settings.StructureNone}, "budget": []float64{0.02, 30}}}
	checkCalibration(t, r)
	// A model that has learned almost nothing.
	r.Given = r.Given.Over(settings.Values{"epochs": 1, "lr": 1e-6})
	checkCalibration(t, r)
}

func checkCalibration(t *testing.T, r Request) {
	t.Helper()
	s, res := trainEdges(t, r)
	r.Given = r.Given.Over(settings.Values{"calibrate": false})
	raw, without := trainEdges(t, r)
	target := s.Settings.Target
	if target.Temperature <= 0 || raw.Settings.Target.Temperature != 0 || target.Binary.Threshold == raw.Settings.Target.Binary.Threshold {
		t.Errorf("temperatures %v and %v, thresholds %v and %v", target.Temperature, raw.Settings.Target.Temperature, target.Binary.Threshold, raw.Settings.Target.Binary.Threshold)
	}
	for i, score := range without.Test {
		got := res.Test[i]
		switch {
		case score.Name != got.Name:
			t.Errorf("score %d is called %s and %s", i, got.Name, score.Name)
		case score.Name == "ece":
			// Class weights 1 and 9 give half of the edges a probability that fits one edge in ten.
			if !(got.Value < score.Value/4 && got.Value < 0.04) {
				t.Errorf("calibration error %v, %v without a temperature", got.Value, score.Value)
			}
		case score.Name == "loss":
			if got.Value >= score.Value {
				t.Errorf("log loss %v, %v without a temperature", got.Value, score.Value)
			}
		case got.Value != score.Value:
			t.Errorf("%s is %v, %v without a temperature", score.Name, got.Value, score.Value)
		}
	}
	again, err := Load(t.Context(), res.Run, source.LoadOptions{})
	if err != nil || !reflect.DeepEqual(again.Settings, s.Settings) {
		t.Errorf("settings %+v after loading (%v), want %+v", again.Settings.Target, err, s.Settings.Target)
	}
	rows := rowsByName(t, res.Run)
	var score, label, confidence, right []float32
	found := 0
	for i, row := range rows {
		p := number(t, row["probability_bad"])
		if (p >= float64(float32(target.Binary.Threshold))) != (row["prediction"] == "bad") {
			t.Errorf("row %d: %s at probability %v, threshold %v", i, row["prediction"], p, target.Binary.Threshold)
		}
		is := map[string]float32{"bad": 1, "ok": 0}[row["label"]]
		score, label = append(score, float32(p)), append(label, is)
		confidence = append(confidence, float32(max(p, number(t, row["probability_ok"]))))
		right = append(right, 0)
		if (p > 0.5) == (is == 1) {
			right[i] = 1
		}
		found += int(is)
	}
	check := func(name string, want float64, err error) {
		if got := scoreOf(t, res.Test, name); err != nil || math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %v, by the predictions %v (%v)", name, got, want, err)
		}
	}
	auc, err := metric.ROCAUC(score, label)
	check("roc_auc", auc, err)
	ece, err := metric.ExpectedCalibrationError(confidence, right, 15)
	check("ece", ece, err)
	best, err := metric.RecallAt(score, label, int(math.Round(0.02*float64(len(rows)))))
	check("recall@2%", best, err)
	if best, err = metric.RecallAt(score, label, 30); found == 0 {
		t.Error("no bad one in the test part")
	}
	check("recall@30", best, err)
}

// relations writes a multigraph with n nodes and m edges. The class of an edge, one of k, depends
// on a feature. Several edges may have the same ends.
func relations(t *testing.T, n, m, k int, seed uint64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	b.WriteString("source,target,w,label\n")
	for range m {
		y := r.IntN(k)
		fmt.Fprintf(&b, "%d,%d,%.3f,class%d\n", r.IntN(n), r.IntN(n), float64(y)+0.8*r.NormFloat64(), y)
	}
	return testsets.EdgeFolder(t, "edges.csv", b.String())
}

// MRR and Hit@k use the rank of the class without the other true classes for the same ends, in any
// part.
func TestFilteredHits(t *testing.T) {
	const k = 11
	path := relations(t, 8, 900, k, 1)
	s, res := trainEdges(t, Request{Path: path, Model: "mlp-edge", Seed: 1, Given: settings.Values{"epochs": 30, "hidden": 16, "unweighted": true}})
	lines := strings.Split(strings.TrimSpace(testsets.Contents(t, path, "edges.csv")), "\n")[1:]
	known := map[string]bool{}
	for _, line := range lines {
		f := strings.Split(line, ",")
		known[f[0]+" "+f[1]+" "+f[3]] = true
	}
	mrr, first, three, unfiltered, n := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, row := range rowsByName(t, res.Run) {
		own, rank, plain := number(t, row["probability_"+row["label"]]), 1, 1
		for _, class := range s.Settings.Target.Classes {
			if class == row["label"] || number(t, row["probability_"+class]) <= own {
				continue
			}
			if plain++; !known[row["source"]+" "+row["target"]+" "+class] {
				rank++
			}
		}
		n++
		mrr += 1 / float64(rank)
		unfiltered += 1 / float64(plain)
		if rank == 1 {
			first++
		}
		if rank <= 3 {
			three++
		}
	}
	for name, want := range map[string]float64{"mrr": mrr / n, "hit@1": first / n, "hit@3": three / n} {
		if got := scoreOf(t, res.Test, name); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, by the predictions %v", name, got, want)
		}
	}
	if mrr-unfiltered < 1 {
		t.Errorf("MRR %v, %v without a filter: the data try nothing", mrr/n, unfiltered/n)
	}
	if _, ok := res.Test.Get("hit@10"); !ok {
		t.Error("no hit@10 of 11 classes")
	}
	if scoreOf(t, res.Valid, "mrr") == 0 {
		t.Error("no MRR of the validation part")
	}
	text := scoresText(res.Test, "")
	if !strings.Contains(text, ", mrr 0.") || !strings.Contains(text, ", hit@1 0.") || strings.Contains(text, "hit@3") || strings.Contains(text, "ece") {
		t.Errorf("printed are %s", text)
	}
	// Each epoch records the scores that training needs.
	if line, _, _ := strings.Cut(testsets.Contents(t, res.Run, "metrics.jsonl"), "\n"); strings.Contains(line, "mrr") || strings.Contains(line, "ece") {
		t.Errorf("an epoch has %s", line)
	}
}

// Prediction sets and intervals cover the requested share of the test part, up to chance. The mean
// share over splits of exchangeable edges is that of the conformal theorem.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const coverage, seeds = 0.8, 6
	for _, c := range []struct {
		name string
		r    Request
	}{
		{"classes", Request{Path: relations(t, 40, 1200, 3, 2), Given: settings.Values{"epochs": 15}}},
		{"two classes", Request{Path: relations(t, 40, 1200, 2, 3), Given: settings.Values{"epochs": 15}}},
		{"numbers", Request{Path: relations(t, 40, 1200, 3, 4), Task: task.EdgeRegression.Name, Given: settings.Values{"label": "w", "epochs": 15}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.r.Model = "mlp-edge"
			c.r.Given = c.r.Given.Over(settings.Values{"hidden": 8, "lr": 0.02, "coverage": coverage, "fractions": []float64{0.2, 0.4, 0.4}})
			mean, n := 0.0, 0
			for c.r.Seed = range uint64(seeds) {
				s, res := trainEdges(t, c.r)
				rows := rowsByName(t, res.Run)
				n = len(rows)
				covered, size := 0.0, 0.0
				for _, row := range rows {
					if c.r.Task == task.EdgeRegression.Name {
						lower, upper, y := number(t, row["lower"]), number(t, row["upper"]), number(t, row["label"])
						if size += upper - lower; lower <= y && y <= upper {
							covered++
						}
						continue
					}
					set := strings.Split(row["set"], "|")
					if row["set"] == "" {
						set = nil
					}
					if size += float64(len(set)); slices.Contains(set, row["label"]) {
						covered++
					}
				}
				if got := scoreOf(t, res.Test, "coverage"); math.Abs(got-covered/float64(n)) > 1e-9 {
					t.Errorf("coverage %v, by the predictions %v", got, covered/float64(n))
				}
				name := map[bool]string{true: "interval_width", false: "set_size"}[c.r.Task == task.EdgeRegression.Name]
				if got := scoreOf(t, res.Test, name); math.Abs(got-size/float64(n)) > 1e-5*got {
					t.Errorf("%s %v, by the predictions %v", name, got, size/float64(n))
				}
				mean += covered / float64(n) / seeds
				again, err := Load(t.Context(), res.Run, source.LoadOptions{})
				if err != nil || !reflect.DeepEqual(again.Settings, s.Settings) || again.Settings.Target.Conformal == nil {
					t.Errorf("bounds %+v after loading (%v), want %+v", again.Settings.Target.Conformal, err, s.Settings.Target.Conformal)
				}
			}
			// The share of one split has two errors: one of the quantile, computed on as many edges as the
			// test part has, and one of the test part. Together they are √(2·c·(1-c)/n). The mean over seeds
			// has a smaller error, although splits share edges. The bound is four of these errors, divided
			// by 2.
			if bound := 4 * math.Sqrt(2*coverage*(1-coverage)/float64(n)) / 2; math.Abs(mean-coverage) > bound {
				t.Errorf("mean coverage %.3f over %d splits of %d edges, want %v within %.3f", mean, seeds, n, coverage, bound)
			}
		})
	}
}

// A class that is too rare in the validation part is in every prediction set. Sets still separate the other classes.
func TestSetsOfRareClasses(t *testing.T) {
	var b strings.Builder
	b.WriteString("source,target,w,part,label\n")
	for i := range 120 {
		class, part := []string{"a", "b"}[i%2], []string{"train", "valid", "test"}[i%3]
		if i%40 == 0 {
			class = "rare"
		}
		fmt.Fprintf(&b, "%d,%d,%d,%s,%s\n", i, i+1, 9*(i%2), part, class)
	}
	dir, _ := trained(t, Request{Path: testsets.EdgeFolder(t, "edges.csv", b.String()), Model: "mlp-edge", Seed: 1,
		Given: settings.Values{"part": "part", "epochs": 60, "hidden": 8, "coverage": 0.8, "lr": 0.02}})
	sizes := map[int]int{}
	for i, row := range rowsByName(t, dir) {
		set := strings.Split(row["set"], "|")
		if !slices.Contains(set, "rare") {
			t.Errorf("row %d: the set %q lacks a class of one edge to validate on", i, set)
		}
		sizes[len(set)]++
	}
	if sizes[2] == 0 {
		t.Errorf("sizes of sets %v, want some without a or b", sizes)
	}
}

// The column std is the standard deviation of the predictions of the members.
func TestStd(t *testing.T) {
	if got := task.Std([]float32{1, 3}); got != 1 {
		t.Errorf("the deviation of 1 and 3 is %v, want 1", got)
	}
	path := relations(t, 20, 200, 3, 5)
	for _, r := range []Request{{Given: settings.Values{"calibrate": false}}, {Task: task.EdgeRegression.Name, Given: settings.Values{"label": "w"}}} {
		r.Path, r.Model, r.Seed = path, "mlp-edge", 1
		r.Given = r.Given.Over(settings.Values{"epochs": 8, "hidden": 8, "members": 3})
		s := mustOpen(t, r)
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := s.Train(t.Context(), TrainOptions{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		whole := s.Model
		var members [][]map[string]string
		for _, m := range s.members() {
			s.Model = m
			table, err := s.Predict(t.Context(), source.PartTest)
			if err != nil {
				t.Fatal(err)
			}
			alone := t.TempDir()
			text := strings.Join(append([]string{testsets.CSVHeader(t, table)}, testsets.CSVRows(t, table)...), "\n")
			if err := os.WriteFile(filepath.Join(alone, PredictionsFile), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			members = append(members, rowsByName(t, alone))
		}
		s.Model = whole
		differ := false
		for i, row := range rowsByName(t, dir) {
			column := "prediction"
			if r.Task == "" {
				column = "probability_" + row["prediction"]
			}
			var of []float32
			for _, m := range members {
				of = append(of, float32(number(t, m[i][column])))
			}
			if got, want := number(t, row["std"]), float64(task.Std(of)); math.Abs(got-want) > 1e-6 {
				t.Errorf("row %d: std %v, of the members %v it is %v", i, got, of, want)
			}
			differ = differ || number(t, row["std"]) > 0.001
		}
		if !differ {
			t.Error("the members predict alike")
		}
	}
}

// For nodes and graphs, calibration and prediction sets add their scores, and the other scores stay
// the same.
func TestOtherItems(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{Path: tinyNodes, Given: settings.Values{"calibrate": true, "coverage": 0.5}}, "loss accuracy ece coverage set_size"},
		{Request{Path: foldSet(t, "SET", 40), Model: "gcn", Given: settings.Values{"calibrate": true}}, "loss accuracy ece"},
		{Request{Path: foldSet(t, "SET", 40), Model: "gcn", Given: settings.Values{"coverage": 0.5}}, "loss accuracy coverage set_size"},
		{Request{Path: foldSet(t, "SET", 40), Model: "gcn"}, "loss accuracy"},
		{Request{Path: writeFiles(t, "numbers", molecules(60, []string{"n", "m"}, func(i int, _ bool) []string { return []string{fmt.Sprint(i), fmt.Sprint(i % 7)} })),
			Task: task.GraphRegression.Name, Given: settings.Values{"coverage": 0.5}}, "loss mae rmse r2 coverage interval_width"},
	} {
		c.r.Given = quick().Over(c.r.Given)
		dir, res := trained(t, c.r)
		var names []string
		for _, score := range res.Test {
			names = append(names, score.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%v: scores %s, want %s", c.r.Given, got, c.want)
		}
		s, err := Load(t.Context(), dir, source.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := s.Evaluate(t.Context(), source.PartTest); err != nil || !reflect.DeepEqual(again.Scores, res.Test) {
			t.Errorf("%v: scores %v after loading (%v), want %v", c.r.Given, again, err, res.Test)
		}
		_, bounded := res.Test.Get("coverage")
		row := rowsByName(t, dir)[0]
		_, set := row["set"]
		_, lower := row["lower_n"]
		if bounded != (set || lower) {
			t.Errorf("%v: a row of predictions is %v", c.r.Given, row)
		}
	}
}
