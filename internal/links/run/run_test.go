package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// write writes a table of edges and returns its path.
func write(t *testing.T, rows []string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(file, []byte(strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// blocks returns the edges of a stochastic block model with two blocks.
func blocks(nodes int, inside, across float64) []string {
	r := rand.New(rand.NewPCG(1, 2))
	rows := []string{"source,target"}
	for u := range nodes {
		for v := range u {
			p := across
			if u%2 == v%2 {
				p = inside
			}
			if r.Float64() < p {
				rows = append(rows, fmt.Sprintf("n%d,n%d", v, u))
			}
		}
	}
	return rows
}

// shop returns the rows of customers who buy within their group of items.
func shop(customers, items int) []string {
	r := rand.New(rand.NewPCG(3, 4))
	rows := []string{"customer,item,rating"}
	for c := range customers {
		for _, i := range r.Perm(items / 2)[:items/4] {
			rows = append(rows, fmt.Sprintf("c%d,i%d,%d", c, 2*i+c%2, 3+r.IntN(3)))
		}
	}
	return rows
}

// newSettings returns settings for a small training.
func newSettings(file, model string) *Settings {
	s := &Settings{Version: 1, Data: file, Split: ByRandom, Fractions: [3]float64{0.7, 0.1, 0.2}, Model: model, Seed: 1, Select: score.All, GAE: learn.NewGAEConfig(), Observed: 0.5}
	s.GAE.Width, s.GAE.Epochs, s.GAE.Every, s.GAE.Layers = 16, 12, 4, 2
	s.Tables.Form = data.Undirected
	return s
}

// train trains a run in a new folder.
func train(t *testing.T, s *Settings, o Options) (*Result, string) {
	t.Helper()
	d, err := Read(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "run")
	}
	r, err := Train(t.Context(), s, d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, o.Dir
}

func mean(t *testing.T, r *Result, form, name, of string) float64 {
	t.Helper()
	for _, table := range r.Tables {
		for _, row := range table.Rows {
			if strings.HasPrefix(table.Form, form) && row.Name == name {
				return row.Scores[of].Mean
			}
		}
	}
	t.Fatalf("no %s of %s in form %s", of, name, form)
	return 0
}

// Models of a graph with blocks are ahead of baselines that count common neighbours, and a loaded
// run gives the same results.
func TestModelsOfBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	file := write(t, blocks(60, 0.5, 0.02))
	for _, model := range []string{GAE, GAECN, EHGNN, Trees, Auto} {
		t.Run(model, func(t *testing.T) {
			s := newSettings(file, model)
			r, dir := train(t, s, Options{})
			if got, base := mean(t, r, "uniform", r.Model, "roc_auc"), mean(t, r, "uniform", "preferential-attachment", "roc_auc"); got < 0.75 || got <= base {
				t.Errorf("ROC-AUC is %.3f, that of preferential attachment %.3f", got, base)
			}
			if model == Auto && r.Model != Average {
				t.Errorf("auto takes %s, want the average, which no model is ahead of", r.Model)
			}
			if model == Auto && (membersText(r.Average) != "gae, gae-2, trees" || r.Valid[GAE] == r.Valid[secondGAE]) {
				t.Errorf("the average is of %s with scores %v, want two different autoencoders and trees", membersText(r.Average), r.Valid)
			}
			run, err := Load(t.Context(), dir, LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			again, err := run.Evaluate(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := fmt.Sprint(r.Tables[3].Rows), fmt.Sprint(again.Tables[3].Rows); mean(t, r, "all", r.Model, "mrr") != mean(t, again, "all", r.Model, "mrr") {
				t.Errorf("evaluation of the loaded run differs:\n%s\n%s", a, b)
			}
			recommendIsSortedPredict(t, run)
		})
	}
}

// The average of models is chosen unless a model is ahead of it.
func TestTaken(t *testing.T) {
	row := func(name, verdict string, mrr float64) score.Row {
		return score.Row{Name: name, Verdict: verdict, Scores: map[string]rank.Interval{"mrr": {Mean: mrr}}}
	}
	for _, c := range []struct {
		rows []score.Row
		want string
	}{
		{[]score.Row{row(Trees, "", 0.2)}, Trees},
		{[]score.Row{row(GAE, "level with", 0.3), row(Trees, "behind", 0.1), row(Average, "", 0.2)}, Average},
		{[]score.Row{row(GAE, rank.Ahead, 0.3), row(Trees, rank.Ahead, 0.4), row(Average, "", 0.2)}, Trees},
	} {
		table := &score.Table{Main: "mrr", Rows: c.rows}
		if got := c.rows[chosenRow(table)].Name; got != c.want {
			t.Errorf("%v: %s is taken, want %s", c.rows, got, c.want)
		}
	}
}

// recommendIsSortedPredict compares the lists of a node with the scores of all pairs, to the bit.
func recommendIsSortedPredict(t *testing.T, r *Run) {
	t.Helper()
	const id = "n3"
	list, err := r.Recommend(t.Context(), Query{For: []string{id}, Top: 5, Why: true})
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]string
	for _, other := range r.Data.IDs {
		if other != id {
			pairs = append(pairs, [2]string{id, other})
		}
	}
	scored, err := r.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	scored = slices.DeleteFunc(scored, func(s Scored) bool { return s.Known })
	slices.SortStableFunc(scored, func(a, b Scored) int {
		if a.Score > b.Score {
			return -1
		} else if a.Score < b.Score {
			return 1
		}
		return 0
	})
	for i, x := range list {
		if x.Known || x.Target != scored[i].Target || x.Score != scored[i].Score || x.Rank != i+1 {
			t.Errorf("rank %d is %+v, want %+v", i+1, x, scored[i])
		}
	}
	slices.Reverse(pairs)
	few, err := r.Score(t.Context(), pairs[:7])
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(few, all[:7]) {
		t.Error("scores depend on which other candidates are scored")
	}
}

func TestShop(t *testing.T) {
	s := newSettings(write(t, shop(60, 24)), Auto)
	s.Select, s.Positive, s.Tables = score.Lists, "rating>=4", tables.Options{Source: "customer", Target: "item"}
	r, dir := train(t, s, Options{})
	if r.Kind != links.Bipartite || r.Model != Average {
		t.Fatalf("kind %s, model %s", r.Kind, r.Model)
	}
	if got, popular := mean(t, r, "lists", Average, "ndcg@10"), mean(t, r, "lists", "popularity", "ndcg@10"); got <= popular {
		t.Errorf("NDCG@10 is %.3f, that of popularity %.3f", got, popular)
	}
	if got, popular := mean(t, r, "lists", "ease", "ndcg@10"), mean(t, r, "lists", "popularity", "ndcg@10"); got <= popular {
		t.Errorf("NDCG@10 of ease is %.3f, that of popularity %.3f", got, popular)
	}
	run, err := Load(t.Context(), dir, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := run.Recommend(t.Context(), Query{For: []string{"c0", "c1"}, Top: 3, Why: true})
	if err != nil || len(list) != 6 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, x := range list {
		if x.Target[0] != 'i' || x.Known {
			t.Errorf("%+v is no item that is new to the customer", x)
		}
	}
	if _, err := run.Recommend(t.Context(), Query{For: []string{"i1"}, Top: 3}); err == nil || !strings.Contains(err.Error(), "--side source") {
		t.Errorf("error %v, want one that names --side source", err)
	}
	if _, err := run.Recommend(t.Context(), Query{For: []string{"c00"}, Top: 3}); err == nil || !strings.Contains(err.Error(), `"c0"`) {
		t.Errorf("error %v, want one that names the nearest id", err)
	}
}

// LightGCN learns what customers buy. Its lists equal the sorted scores of all pairs, to the bit.
func TestLightGCN(t *testing.T) {
	s := newSettings(write(t, shop(60, 24)), LightGCN)
	s.Select, s.Tables = score.Lists, tables.Options{Source: "customer", Target: "item"}
	r, dir := train(t, s, Options{})
	if got, popular := mean(t, r, "lists", LightGCN, "ndcg@10"), mean(t, r, "lists", "popularity", "ndcg@10"); got <= popular {
		t.Errorf("NDCG@10 is %.3f, that of popularity %.3f", got, popular)
	}
	run, err := Load(t.Context(), dir, LoadOptions{Tell: func(text string) { t.Errorf("products of vectors have no second step, and it says %q", text) }})
	if err != nil {
		t.Fatal(err)
	}
	run.exact = 0
	list, err := run.Recommend(t.Context(), Query{For: []string{"c0", "c1", "c2"}, Top: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		scored, err := run.Score(t.Context(), [][2]string{{x.Source, x.Target}})
		if err != nil || scored[0].Score != x.Score {
			t.Errorf("%+v is listed, the pair alone has %v, %v", x, scored, err)
		}
	}
	blocks := newSettings(write(t, blocks(40, 0.5, 0.05)), LightGCN)
	d, err := Read(t.Context(), blocks, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Train(t.Context(), blocks, d, Options{Dir: filepath.Join(t.TempDir(), "run")}); err == nil || !strings.Contains(err.Error(), "bipartite") {
		t.Errorf("error %v of a graph that is not bipartite", err)
	}
}

// An interrupted and resumed training ends with the weights of an uninterrupted training, for any
// number of threads.
func TestResume(t *testing.T) {
	file := write(t, blocks(40, 0.5, 0.05))
	_, whole := train(t, newSettings(file, GAE), Options{Threads: 1, Forms: []string{score.Uniform}})
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	s := newSettings(file, GAE)
	d, err := Read(ctx, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Train(ctx, s, d, Options{Dir: dir, OnEpoch: func(epoch, _ int, _ string) {
		if epoch == 9 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
	if _, err := Load(t.Context(), dir, LoadOptions{}); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("error %v of a run without weights, want one that names --resume", err)
	}
	if s, err = ReadSettings(dir); err != nil {
		t.Fatal(err)
	}
	train(t, s, Options{Dir: dir, Resume: true, Threads: 2, Forms: []string{score.Uniform}})
	a, errA := os.ReadFile(filepath.Join(whole, modelFile))
	b, errB := os.ReadFile(filepath.Join(dir, modelFile))
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Error("the resumed training has other weights")
	}
	if _, err := Train(t.Context(), s, d, Options{Dir: dir}); !settings.IsUsage(err) {
		t.Errorf("error %v of a second training in the folder", err)
	}
}

// Pairs drawn at random cannot be predicted: no model is ahead of chance.
func TestNothingToLearn(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	rows := []string{"source,target"}
	for range 300 {
		rows = append(rows, fmt.Sprintf("n%d,n%d", r.IntN(80), r.IntN(80)))
	}
	file := write(t, rows)
	for _, model := range []string{GAE, Trees} {
		res, _ := train(t, newSettings(file, model), Options{Forms: []string{score.All}})
		for _, row := range res.Tables[0].Rows {
			if m := row.Scores["mean_rank_share"]; m.High < 0.4 {
				t.Errorf("%s ranks random pairs at %.2f [%.2f, %.2f], which is better than chance", row.Name, m.Mean, m.Low, m.High)
			}
		}
	}
}

func TestSplits(t *testing.T) {
	rows := []string{"source,target,time"}
	r := rand.New(rand.NewPCG(2, 2))
	for k := range 400 {
		rows = append(rows, fmt.Sprintf("n%d,n%d,%d", r.IntN(20), r.IntN(20), k/2))
	}
	for _, split := range []string{ByTime, ByNodes} {
		s := newSettings(write(t, rows), Trees)
		s.Split, s.Tables.Form = split, data.Directed
		res, _ := train(t, s, Options{})
		if res.Kind != links.Directed || len(res.Tables) == 0 {
			t.Errorf("%s: kind %s, %d tables", split, res.Kind, len(res.Tables))
		}
	}
}

func TestBadInput(t *testing.T) {
	complete := []string{"source,target"}
	for u := range 8 {
		for v := range u {
			complete = append(complete, fmt.Sprintf("n%d,n%d", u, v))
		}
	}
	many := blocks(40, 0.5, 0.1)
	loops := []string{"source,target"}
	for v := range 30 {
		loops = append(loops, fmt.Sprintf("n%d,n%d", v, v))
	}
	star := []string{"source,target"}
	for v := range 60 {
		star = append(star, fmt.Sprintf("hub,n%d", v))
	}
	with := func(rows []string, column func(i int) string) []string {
		out := []string{rows[0] + ",x"}
		for i, row := range rows[1:] {
			out = append(out, row+","+column(i))
		}
		return out
	}
	for _, c := range []struct {
		name, want string
		rows       []string
		change     func(*Settings)
	}{
		{"few pairs", "expected at least 20", many[:10], func(*Settings) {}},
		{"only loops", "are loops", loops, func(*Settings) {}},
		{"complete graph", "every pair of 8 nodes, or nearly, is an edge", complete, func(*Settings) {}},
		{"a star", "every pair of 1 sources and 60 targets, or nearly, is an edge, so that too few are left to compare with; if these are one kind of nodes, use --edges undirected",
			star, func(s *Settings) { s.Tables.Form = 0 }},
		{"two times", "(training 120, validation 0, test 0); the rows have 2 different times, and all rows of a time are in one part",
			with(many[:121], func(i int) string { return fmt.Sprint(i / 60) }), func(s *Settings) { s.Split, s.Tables.Time = ByTime, "x" }},
		{"an empty part", "no pair is in the part valid", many, func(s *Settings) { s.Fractions = [3]float64{0.8, 0, 0.2} }},
		{"no positives", "keeps no row", with(many, func(i int) string { return "1" }), func(s *Settings) { s.Positive = "x>=2" }},
		{"all positives", "keeps every row", with(many, func(i int) string { return "1" }), func(s *Settings) { s.Positive = "x>=1" }},
		{"unknown column", "which the edges do not have", many, func(s *Settings) { s.Positive = "y>=1" }},
		{"no condition", "expected a column, a comparison and a number", many, func(s *Settings) { s.Positive = "rating" }},
		{"other times", "columns than the ends are: x", with(many, func(i int) string { return fmt.Sprint(i % 7) }), func(s *Settings) { s.Split = ByTime }},
		{"no times", "--time names it", many, func(s *Settings) { s.Split = ByTime }},
		{"equal times", "all times are equal", with(many, func(i int) string { return "5" }), func(s *Settings) { s.Split, s.Tables.Time = ByTime, "x" }},
		{"both sides", "distinct names", many, func(s *Settings) { s.Kind = links.Bipartite }},
		{"no parts", "--part names it", many, func(s *Settings) { s.Split = ByColumn }},
	} {
		s := newSettings(write(t, c.rows), GAE)
		c.change(s)
		_, err := Read(t.Context(), s, 0)
		if c.name == "both sides" && err != nil && strings.Contains(err.Error(), "different names") {
			continue
		}
		if err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one of usage that contains %q", c.name, err, c.want)
		}
	}
}

// The two columns of a table are the ends, whatever their names. In a table of three columns the
// names must say which are.
func TestTwoColumns(t *testing.T) {
	rows := blocks(40, 0.5, 0.05)
	rows[0] = "Person,Freundin"
	s := newSettings(write(t, rows), Trees)
	d, err := Read(t.Context(), s, 0)
	if err != nil || len(d.Pairs) != len(rows)-1 || s.Tables.Source != "Person" || s.Tables.Target != "Freundin" ||
		!strings.Contains(strings.Join(d.Notes, "\n"), `the columns "Person" and "Freundin" are the ends of the edges`) {
		t.Errorf("%v, source %q, target %q", err, s.Tables.Source, s.Tables.Target)
	}
	for i := range rows {
		rows[i] += ",1"
	}
	if _, err := Read(t.Context(), newSettings(write(t, rows), Trees), 0); !settings.IsUsage(err) || !strings.Contains(err.Error(), `--source "Person" --target "Freundin"`) {
		t.Errorf("error %v", err)
	}
}

// If training returns an error, it leaves no folder that the next training would find.
func TestRefusedTrainingLeavesNoFolder(t *testing.T) {
	s := newSettings(write(t, blocks(40, 0.5, 0.05)), IALS)
	d, err := Read(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Train(t.Context(), s, d, Options{Dir: dir}); !settings.IsUsage(err) || !strings.Contains(err.Error(), "for bipartite graphs") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is a folder")
	}
}

// If few nodes of a directed table are on both sides, the remark names them.
func TestNearlyBipartite(t *testing.T) {
	rows := shop(60, 24)
	s := newSettings(write(t, append(rows, "i3,i4,5")), Trees)
	s.Tables = tables.Options{Source: "customer", Target: "item"}
	d, err := Read(t.Context(), s, 0)
	if err != nil || d.Kind != links.Directed || !strings.Contains(strings.Join(d.Notes, "\n"), `but for 1 of 84 nodes none is both a source and a target: "i3"`) {
		t.Errorf("%v, %q", err, d.Notes)
	}
	s = newSettings(write(t, blocks(40, 0.5, 0.05)), Trees)
	s.Tables.Form = data.Directed
	if d, err = Read(t.Context(), s, 0); err != nil || strings.Contains(strings.Join(d.Notes, "\n"), "but for") {
		t.Errorf("%v, %q", err, d.Notes)
	}
}

func FuzzPositive(f *testing.F) {
	for _, text := range []string{"rating>=4", "a=b", "x<1", ">=", "x!=", "a==3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCondition(text)
		if err == nil && (c.column == "" || !strings.Contains(text, c.op)) {
			t.Errorf("%q became %+v", text, c)
		}
	})
}

// Probabilities are those of the validation part, with odds changed to the given share of links.
// Without a share there are no probabilities.
func TestProbability(t *testing.T) {
	s := newSettings(write(t, blocks(60, 0.5, 0.02)), Trees)
	_, dir := train(t, s, Options{Forms: []string{score.Uniform}})
	pairs := [][2]string{{"n1", "n8"}, {"n1", "n3"}, {"n4", "n40"}, {"n7", "n50"}, {"n2", "n44"}}
	of := func(prior float64) []Scored {
		run, err := Load(t.Context(), dir, LoadOptions{Prior: prior, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		scored, err := run.Score(t.Context(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		if prior != 0 { // the validation part has the given share of links
			part := run.t.setting(links.Valid)
			sc, err := run.model.On(run.t.columns(links.Valid), s.Chosen, 1)
			if err != nil {
				t.Fatal(err)
			}
			positives, negatives, err := part.Shared(t.Context(), sc)
			if err != nil {
				t.Fatal(err)
			}
			right, wrong := 0.0, 0.0
			for _, x := range positives[0] {
				right += run.probability.of(x) / float64(len(positives[0]))
			}
			for _, x := range negatives[0] {
				wrong += run.probability.of(x) / float64(len(negatives[0]))
			}
			if share := prior*right + (1-prior)*wrong; prior == 0.5 && (share < 0.48 || share > 0.52 || right < wrong+0.2) {
				t.Errorf("mean probability %.3f, of links %.3f and of others %.3f, want about 0.5", share, right, wrong)
			}
		}
		return scored
	}
	none, half, few := of(0), of(0.5), of(0.1)
	odds := func(p float64) float64 { return p / (1 - p) }
	for i := range pairs {
		if none[i].Probability != nil {
			t.Errorf("%v has a probability without a prior", none[i])
		}
		if got, want := odds(*few[i].Probability), odds(*half[i].Probability)/9; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%v: odds %v for a share of 0.1, want %v", pairs[i], got, want)
		}
		for k := range pairs {
			if half[i].Score > half[k].Score && *half[i].Probability <= *half[k].Probability {
				t.Errorf("probabilities do not rise with scores: %+v, %+v", half[i], half[k])
			}
		}
	}
	for _, bad := range []float64{-1, 1, 7, math.NaN()} {
		if _, err := Load(t.Context(), dir, LoadOptions{Prior: bad}); !settings.IsUsage(err) || !strings.Contains(err.Error(), "--prior") {
			t.Errorf("prior %v: error %v", bad, err)
		}
	}
}

// The blocks of lists of all nodes equal the lists of one query, wherever they begin.
func TestRecommendEach(t *testing.T) {
	_, dir := train(t, newSettings(write(t, blocks(40, 0.4, 0.05)), Trees), Options{Forms: []string{score.Uniform}, NoBaselines: true})
	run, err := Load(t.Context(), dir, LoadOptions{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func(n int) { sourcesAtOnce = n }(sourcesAtOnce)
	q := Query{For: run.Askable(false), Top: 3}
	all, err := run.Recommend(t.Context(), q)
	if err != nil || len(q.For) != 40 || len(all) != 120 {
		t.Fatalf("%d nodes, %d recommendations, %v", len(q.For), len(all), err)
	}
	sourcesAtOnce = 7
	for _, first := range []int{0, 1, 33, 40} {
		var pieces []Recommendation
		var done []int
		err := run.RecommendEach(t.Context(), q, first, func(n int, list []Recommendation) error {
			pieces, done = append(pieces, list...), append(done, n)
			return nil
		})
		if err != nil || fmt.Sprint(pieces) != fmt.Sprint(all[3*first:]) || first < 40 && (done[0] != min(first+7, 40) || done[len(done)-1] != 40) {
			t.Errorf("from %d: %d recommendations, done %v, %v", first, len(pieces), done, err)
		}
	}
}

// In a split by time, reasons say when two nodes were in contact in the other direction.
func TestLastContact(t *testing.T) {
	rows := []string{"from,to,when"}
	for i := range 200 {
		rows = append(rows, fmt.Sprintf("n%d,n%d,2024-03-%02dT%02d:00:00Z", i%20, (i*7+i/20+1)%20, 1+i/24, i%24))
	}
	rows = append(rows, "a,b,2024-03-04T10:00:00Z", "b,a,2024-03-03T10:00:00Z", "a,c,2024-03-08T12:00:00Z", "a,n1,2024-03-09T10:00:00Z")
	s := newSettings(write(t, rows), Trees)
	s.Split, s.Fractions = ByTime, [3]float64{0.6, 0.2, 0.2}
	s.Tables = tables.Options{Source: "from", Target: "to", Time: "when", Form: data.Directed}
	_, dir := train(t, s, Options{Forms: []string{score.Uniform}, NoBaselines: true})
	run, err := Load(t.Context(), dir, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	why := func(r *Run, u, v string) string { return whyText(r.why(r.node.node[u], r.node.node[v])) }
	for _, c := range []struct{ u, v, want string }{{"b", "a", "last contact 5 days ago, from a"}, {"a", "b", "last contact 5 days ago, from a"}, {"c", "a", "last contact 22h0m0s ago, from a"}} {
		if got := why(run, c.u, c.v); got != c.want && !strings.HasPrefix(got, c.want+"; via ") {
			t.Errorf("(%s, %s): %q, want %q", c.u, c.v, got, c.want)
		}
	}
	if got := why(run, "b", "c"); strings.Contains(got, "contact") {
		t.Errorf("two that never met: %q", got)
	}
	later, err := run.With(t.Context(), [][2]string{{"c", "b"}}, []float64{float64(time.Date(2024, 3, 10, 10, 0, 0, 0, time.UTC).Unix())})
	if err != nil {
		t.Fatal(err)
	}
	if got := why(later, "b", "c"); !strings.HasPrefix(got, "last contact 0s ago, from c") {
		t.Errorf("with a later edge: %q", got)
	}
}

// Each proportion of members is tried once.
func TestMixes(t *testing.T) {
	for members, want := range map[int]string{
		2: "[[1 1] [0 1] [1 0] [1 2] [2 1]]",
		3: "[[1 1 1] [0 0 1] [0 1 0] [0 1 1] [0 1 2] [0 2 1] [1 0 0] [1 0 1] [1 0 2] [1 1 0] [1 2 0] [2 0 1] [2 1 0]]",
	} {
		if got := fmt.Sprint(mixes(members)); got != want {
			t.Errorf("%d members: %s, want %s", members, got, want)
		}
	}
}

// In a split by time, trees and the best baselines on the validation part are mixed as is best
// there, and the loaded run has both.
func TestHeuristicMember(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	rows := []string{"from,to,when"}
	for i := range 900 { // new pairs close triangles, which trees learn badly from few pairs
		u := r.IntN(40)
		rows = append(rows, fmt.Sprintf("n%d,n%d,%d", u, (u/8*8+r.IntN(8)+8*r.IntN(2))%40, i))
	}
	s := newSettings(write(t, rows), Auto)
	s.Split, s.Fractions = ByTime, [3]float64{0.5, 0.25, 0.25}
	s.Tables = tables.Options{Source: "from", Target: "to", Time: "when", Form: data.Directed}
	result, dir := train(t, s, Options{Forms: []string{score.All}})
	best := 0.0
	for name, v := range result.Valid {
		if best = max(best, v); name == "" {
			t.Error("a model without a name")
		}
	}
	if len(result.Valid) != 4 || result.Valid[result.Model] < best {
		t.Errorf("%s is taken, the validation part says %v", result.Model, result.Valid)
	}
	if result.Model != Average || !slices.ContainsFunc(result.Average, func(m Member) bool { return m.Scale > 0 }) {
		t.Fatalf("%s of %v is taken, want an average with a baseline", result.Model, result.Average)
	}
	run, err := Load(t.Context(), dir, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := run.Evaluate(t.Context(), []string{score.All})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range again.Tables[0].Rows {
		if was := result.Tables[0].Rows[i]; row.Name != was.Name || !maps.Equal(row.Scores, was.Scores) {
			t.Errorf("the loaded run has %s %v, the training had %s %v", row.Name, row.Scores, was.Name, was.Scores)
		}
	}
}

// Members are mixed by all forms: if lists count as well as hard negatives, the mix is better in
// lists and worse for hard negatives.
func TestMixByForms(t *testing.T) {
	s := newSettings(write(t, shop(60, 24)), Auto)
	s.Select, s.Tables = score.Lists, tables.Options{Source: "customer", Target: "item"}
	d, err := Read(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	of := newTraining(s, d, Options{Threads: 2})
	if err := of.tuneKNN(t.Context()); err != nil {
		t.Fatal(err)
	}
	valid, columns := of.setting(links.Valid), of.columns(links.Valid)
	members := []fitted{&ofPairs{of, itemKNN}, &heuristic{"ppr", 0.01}, &heuristic{"popularity", 1}}
	names := []string{itemKNN, "ppr", "popularity"}
	var values []float64 // of the mix from each choice, in both forms
	for _, forms := range [][]string{{score.Hard}, {score.Hard, score.Lists}} {
		a := &average{lists.Map(names, func(name string) Member { return Member{Model: name, Weight: 1} }), slices.Clone(members)}
		var bound score.Joined
		for i, m := range members {
			sc, err := m.On(columns, names[i], 2)
			if err != nil {
				t.Fatal(err)
			}
			bound = append(bound, sc)
		}
		if err := a.mix(t.Context(), valid, bound, forms); err != nil {
			t.Fatal(err)
		}
		sc, err := a.On(columns, Average, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{score.Lists, score.Hard} {
			v, err := valid.Tune(t.Context(), sc, form)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v.Value)
		}
	}
	if values[2] <= values[0] || values[3] >= values[1] {
		t.Errorf("by hard negatives alone NDCG@20 is %v and the MRR of hard negatives %v, by both %v and %v", values[0], values[1], values[2], values[3])
	}
}
