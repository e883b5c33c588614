package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/version"
)

// Numbers of negatives of a positive: in the test part, and in the validation part, which is used
// for choices.
const (
	testNegatives  = 500
	validNegatives = 100
	mostPositives  = 100_000 // chosen by seed
	mostOfLarge    = 10_000  // in a graph with more than largePairs pairs, whose columns take longer
	largePairs     = 1_000_000
	mostScores     = 8_000_000 // largest number of scores of the form all in the test part
	tuneScores     = 400_000   // and in the validation part, for the choice of epochs
	choiceScores   = 2_000_000 // and for the choice of models
	leastRankings  = 200       // smallest number of rankings of the form all in the test part
	tuneRankings   = 20        // and in the validation part
)

// Options say where a run is written and how progress is reported.
type Options struct {
	Dir     string
	Resume  bool
	Command string
	Threads int
	Forms   []string // of the test part; nil for the forms that suit the graph
	// NegativesFrom is a table of negatives for the test part, which adds a form. It may be empty.
	NegativesFrom string
	MaxMemory     int64
	// NoBaselines leaves the baselines out.
	NoBaselines bool
	OnEpoch     func(epoch, of int, text string)
	Tell        func(text string)
}

// Point is a validation during training.
type Point struct {
	Model string  `json:"model"`
	Epoch int     `json:"epoch"`
	Loss  float64 `json:"loss"`
	Valid float64 `json:"valid"`
}

// Result is the result of a training.
type Result struct {
	Run       string             `json:"run,omitempty"`
	Task      string             `json:"task"`
	Data      string             `json:"data"`
	Kind      links.Kind         `json:"kind"`
	Model     string             `json:"model"`
	Asked     string             `json:"model_asked_for"`
	Split     string             `json:"split"`
	Seed      uint64             `json:"seed"`
	Select    string             `json:"select"`
	Valid     map[string]float64 `json:"valid"`        // validation score of each model that was tried, by Select
	By        string             `json:"by,omitempty"` // the measure of Valid and its negatives, such as MRR (all)
	Counts    links.Counts       `json:"counts"`
	Average   []Member           `json:"average,omitempty"` // the models of the average, if there is one
	Curve     []Point            `json:"curve,omitempty"`
	Tables    []*score.Table     `json:"tables"`
	Finds     []Recommendation   `json:"finds,omitempty"` // the pairs without a link that have the highest scores
	Notes     []string           `json:"notes,omitempty"`
	Seconds   float64            `json:"seconds"`
	Command   string             `json:"command,omitempty"`
	Version   string             `json:"version"`
	Processor int                `json:"processors"`
}

// training is a training in progress.
type training struct {
	s       *Settings
	d       *Data
	o       Options
	threads int
	inFolds *learn.Folds
	cols    map[string]*links.Columns
	counted map[pairGraph]pairCounts
	curve   []Point
	own     []score.Own // negatives from a file
}

func newTraining(s *Settings, d *Data, o Options) *training {
	t := &training{s: s, d: d, o: o, threads: o.Threads, cols: map[string]*links.Columns{}, counted: map[pairGraph]pairCounts{}}
	if t.threads == 0 {
		t.threads = runtime.NumCPU()
	}
	return t
}

func (t *training) tell(format string, args ...any) {
	if t.o.Tell != nil {
		t.o.Tell(fmt.Sprintf(format, args...))
	}
}

// Train trains the models of the settings, chooses on the validation part, scores the test part,
// and writes the run folder.
func Train(ctx context.Context, s *Settings, d *Data, o Options) (*Result, error) {
	began := time.Now()
	t := newTraining(s, d, o)
	_, unknown := formsAsked(o.Forms, nil, o.NegativesFrom)
	if err := cmp.Or(unknown, checkModel(s.Model, d), t.readNegatives()); err != nil { // before the folder is made
		return nil, err
	}
	release, err := lock(o)
	if err != nil {
		return nil, err
	}
	defer release()
	s.FromRun = settings.Relative(o.Dir, s.Data)
	if err := s.write(o.Dir); err != nil {
		return nil, err
	}
	r := &Result{Run: o.Dir, Task: Task, Data: d.Name, Kind: d.Kind, Asked: s.Model, Split: s.Split, Seed: s.Seed, Select: s.Select, Valid: map[string]float64{},
		Counts: d.Counts, Notes: d.Notes, Command: o.Command, Version: version.Release(), Processor: runtime.NumCPU()}
	if err := cmp.Or(t.tuneKNN(ctx), t.tuneEASE(ctx)); err != nil {
		return nil, err
	}
	model, err := t.choose(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := saveModel(o.Dir, model); err != nil {
		return nil, err
	}
	if err := s.write(o.Dir); err != nil {
		return nil, err
	}
	if r.Tables, err = t.evaluate(ctx, model, o.Forms); err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, t.hubs()...)
	r.Model, r.Curve, r.Seconds = s.Chosen, t.curve, time.Since(began).Seconds()
	if err := atomicfile.WriteJSON(filepath.Join(o.Dir, MetricsFile), r); err != nil {
		return nil, err
	}
	if r.Finds, err = finds(ctx, o); err != nil {
		return nil, err
	}
	if r.Finds != nil {
		if err := atomicfile.WriteJSON(filepath.Join(o.Dir, MetricsFile), r); err != nil {
			return nil, err
		}
	}
	for _, k := range kinds() {
		_ = os.Remove(filepath.Join(o.Dir, k.name+checkpointFile)) // not needed: the run is complete
	}
	return r, writeReport(o.Dir, r)
}

// Bounds of the search for finds: the length of the list, and the largest number of pairs, for
// models with vectors and for other models, whose columns take longer.
const (
	mostFinds       = 8
	mostFindVectors = 50_000_000
	mostFindColumns = 1_000_000
)

// finds returns the pairs without a link that the complete run scores highest, or nil if scoring
// all pairs would take too long.
func finds(ctx context.Context, o Options) ([]Recommendation, error) {
	r, err := Load(ctx, o.Dir, LoadOptions{Threads: o.Threads})
	if err != nil {
		return nil, err
	}
	sources, targets := r.Data.Ends()
	most := mostFindColumns
	if r.products != nil {
		most = mostFindVectors
	}
	if len(sources)*len(targets) > most {
		return nil, nil
	}
	return r.TopLinks(ctx, Query{Top: mostFinds, Why: true})
}

// MetricsFile is the file with all tables in a run folder.
const MetricsFile = "metrics.json"

// lock makes and locks the folder of a run. It returns an error if the folder already has a run,
// unless the run is resumed.
func lock(o Options) (release func(), err error) {
	if IsRun(o.Dir) && !o.Resume {
		return nil, misuse("%s holds a run already; choose another folder, remove it, or continue it with --resume", o.Dir)
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, settings.Usage(err)
	}
	if release, err = atomicfile.Lock(o.Dir); err != nil {
		return nil, settings.Usage(err)
	}
	return release, nil
}

// choose trains the models of the settings and chooses on the validation part. Of several models it
// takes their average, or the best model that is ahead of the average.
func (t *training) choose(ctx context.Context, r *Result) (fitted, error) {
	names := candidates(t.s.Model, t.s, t.d)
	var models []fitted
	var all score.Joined
	for _, name := range names {
		m, err := t.trainModel(ctx, name)
		if err != nil {
			return nil, err
		}
		sc, err := m.On(t.columns(links.Valid), name, t.threads)
		if err != nil {
			return nil, err
		}
		models, all = append(models, m), append(all, sc)
	}
	valid, alone := t.setting(links.Valid), ""
	valid.Most = choiceScores
	scales := make([]float64, len(names))
	mixed, forms := t.d.Kind == links.Bipartite, []string{t.s.Select}
	if t.s.Model == Auto && (t.s.Split == ByTime && len(names) == 1 || mixed && len(names) > 1) {
		if t.s.Select == score.Lists {
			forms = append(forms, score.Hard)
		}
		of, err := t.bestHeuristics(ctx, valid, forms)
		if err != nil {
			return nil, err
		}
		for _, h := range of {
			sc, err := h.On(t.columns(links.Valid), h.name, t.threads)
			if err != nil {
				return nil, err
			}
			names, models, all = append(names, h.name), append(models, h), append(all, sc)
			mixed, scales = true, append(scales, h.scale)
		}
	}
	if len(names) > 1 {
		a := &average{lists.Map(names, func(name string) Member { return Member{Model: name, Weight: 1} }), slices.Clone(models)}
		for k, scale := range scales {
			a.members[k].Scale = scale
		}
		of := all
		if mixed {
			if err := a.mix(ctx, valid, all, forms); err != nil {
				return nil, err
			}
			of = lists.Map(a.members, func(m Member) score.Scorer { return all[slices.Index(names, m.Model)] })
		}
		if len(a.members) == 1 && !isBaseline(a.members[0].Model) {
			alone = a.members[0].Model
		}
		t.s.Average = a.members
		models, all = append(models, a), append(all, a.over(of, Average))
	}
	tables, err := valid.Evaluate(ctx, all, []string{t.s.Select}, slices.DeleteFunc(slices.Clone(names), isBaseline))
	if err != nil {
		return nil, err
	}
	table := tables[0]
	r.By = measure(table.Tuned(0))
	for i, row := range table.Rows {
		r.Valid[row.Name] = table.Tuned(i).Value
		t.tell("%s: %s of the validation part %.4f", row.Name, r.By, r.Valid[row.Name])
	}
	best := len(table.Rows) - 1
	if !mixed { // a mix was chosen among all proportions, which include each model alone
		best = chosenRow(table)
	}
	if alone != "" {
		best, t.s.Average = slices.Index(names, alone), nil
	}
	if r.Average = t.s.Average; r.Average != nil {
		t.tell("the average is of %s", membersText(r.Average))
	}
	t.s.Chosen = table.Rows[best].Name
	return models[best], nil
}

// chosenRow returns the row of the chosen model: the last row, which is the average of the others, or
// the best row that is ahead of it.
func chosenRow(t *score.Table) int {
	last := len(t.Rows) - 1
	best := last
	for i, row := range t.Rows {
		if row.Verdict == rank.Ahead && (best == last || t.Tuned(i).Value > t.Tuned(best).Value) {
			best = i
		}
	}
	return best
}

// columns returns the columns of the graph that is known when a part is scored.
func (t *training) columns(part int8) *links.Columns {
	byTime := t.s.Split == ByTime
	cut := math.Inf(1)
	if byTime {
		cut = t.d.Split.Cut[max(0, part-links.Valid)]
	}
	graph := part // the first part with the same graph
	for graph > links.Train && t.d.Split.SameGraph(graph-1, graph, t.s.TestSeesValid || byTime) {
		graph--
	}
	return t.graphColumns(links.PartNames[graph], cut, func() []int32 { return t.d.Split.Visible(graph, t.s.TestSeesValid || byTime) })
}

// graphColumns returns the columns of a graph, which it makes once. In a split by time they include
// columns of the events up to a moment.
func (t *training) graphColumns(name string, cut float64, pairs func() []int32) *links.Columns {
	c := t.cols[name]
	if c == nil {
		c = links.NewColumns(links.NewGraph(t.d.Data, pairs()), t.d.Features)
		if t.s.Split == ByTime {
			learn.AddTimes(c, t.d.Data, min(cut, t.d.last()), t.d.Dates)
		}
		t.cols[name] = c
	}
	return c
}

// setting returns what the forms of a part share.
func (t *training) setting(part int8) *score.Setting {
	d := t.d
	s := &score.Setting{Data: d.Data, Known: d.Known, Columns: t.columns(links.Train), Negatives: d.Negatives[part],
		Seed: t.s.Seed, Threads: t.threads, K: testNegatives, Most: mostScores, Least: leastRankings}
	if part == links.Valid {
		s.K, s.Most, s.Least = validNegatives, tuneScores, tuneRankings
	}
	for _, i := range d.Split.Of(part) {
		s.Positives = append(s.Positives, d.Pairs[i])
	}
	most := mostPositives
	if len(d.Pairs) > largePairs {
		most = mostOfLarge
	}
	if len(s.Positives) > most {
		r := rng.Stream(t.s.Seed, "links", "positives", int(part))
		r.Shuffle(len(s.Positives), func(i, k int) { s.Positives[i], s.Positives[k] = s.Positives[k], s.Positives[i] })
		s.Positives = s.Positives[:most]
	}
	s.Negatives = s.Negatives[:min(most, len(s.Negatives))]
	var listed []int32 // the pairs of the earlier parts, whose partners lists leave out
	for i, p := range d.Split.Part {
		if p >= 0 && p < part || d.Split.Shown != nil && d.Split.Shown[i] {
			listed = append(listed, int32(i))
		}
	}
	if s.Unseen = d.Split.Unseen; s.Unseen != nil {
		g := t.columns(part).Graph
		for v, unseen := range s.Unseen {
			s.Cold = append(s.Cold, unseen && g.Both.Degree(int32(v)) == 0)
		}
	}
	s.Listed = links.KnownIn(links.NewGraph(d.Data, listed))
	if t.s.Split == ByTime {
		s.TargetsOnly = true
		t.onlySeen(s, part)
	}
	return s
}

// onlySeen removes nodes that are new in a part from its candidates and positives, in a split by
// time.
func (t *training) onlySeen(s *score.Setting, part int8) {
	g := t.columns(part).Graph
	known := *s.Known
	known.Allowed = make([]bool, g.Nodes)
	for v := range known.Allowed {
		known.Allowed[v] = g.Both.Degree(int32(v)) > 0
	}
	s.Known = &known
	out := func(p [2]int32) bool { return !known.Allowed[p[0]] || !known.Allowed[p[1]] }
	s.Positives = slices.DeleteFunc(s.Positives, out)
	s.Negatives = slices.DeleteFunc(slices.Clone(s.Negatives), out)
}

// FormsOf returns the forms for a kind of graph.
func FormsOf(kind links.Kind) []string {
	if kind == links.Bipartite {
		return []string{score.Lists, score.Uniform, score.Hard}
	}
	return []string{score.Uniform, score.Degree, score.Hard, score.All}
}

// evaluate scores the test part in the given forms.
func (t *training) evaluate(ctx context.Context, m fitted, forms []string) ([]*score.Table, error) {
	usual := FormsOf(t.d.Kind)
	if t.s.Split == ByTime {
		usual = append(usual, NextForm)
	}
	forms, err := formsAsked(forms, usual, t.o.NegativesFrom)
	if err != nil {
		return nil, err
	}
	if err := t.readNegatives(); err != nil {
		return nil, err
	}
	sc, err := m.On(t.columns(links.Test), t.s.Chosen, t.threads)
	if err != nil {
		return nil, err
	}
	all := score.Joined{sc}
	if !t.o.NoBaselines {
		baselines, err := t.baselines(ctx, links.Test)
		if err != nil {
			return nil, err
		}
		all = append(score.Joined{baselines}, all...)
	}
	models := []string{t.s.Chosen}
	together := slices.DeleteFunc(slices.Clone(forms), func(form string) bool { return form == NextForm || form == score.File })
	var tables, out []*score.Table
	if len(together) > 0 {
		t.tell("test part: %s", strings.Join(together, ", "))
		if tables, err = t.setting(links.Test).Evaluate(ctx, all, together, models); err != nil {
			return nil, err
		}
	}
	for _, form := range forms {
		var table *score.Table
		switch form {
		case NextForm:
			t.tell("test part: %s", form)
			table, err = t.next(ctx)
		case score.File:
			table, err = t.setting(links.Test).RankOwn(ctx, all, t.own, models)
		default:
			table, tables = tables[0], tables[1:]
		}
		if err != nil {
			return nil, err
		}
		out = append(out, table)
	}
	return out, nil
}

// hubs returns a remark on nodes of which walks follow only some edges.
func (t *training) hubs() []string {
	n := t.columns(links.Test).Hubs
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d nodes have more than %d neighbours: common neighbours and paths are counted over so many of them, drawn by a hash of the ids", n, links.MostNeighbours)}
}

// readNegatives reads the file of negatives once, if there is one.
func (t *training) readNegatives() (err error) {
	if t.o.NegativesFrom != "" && t.own == nil {
		t.own, err = fileNegatives(t.o.NegativesFrom, t.d, t.o.MaxMemory)
	}
	return err
}

// NextForm is the form that ranks the destination of each event of the test part by strictly
// earlier events.
const NextForm = "next"

// next scores the form of next destinations.
func (t *training) next(ctx context.Context) (*score.Table, error) {
	if t.s.Split != ByTime {
		return nil, misuse("negatives %q are for runs with --split time", NextForm)
	}
	r, err := learn.NewNext(t.d.Data, t.d.Split, t.d.Dates, t.s.Seed).Evaluate(ctx, t.threads)
	if err != nil {
		return nil, err
	}
	setting := t.setting(links.Test)
	table := setting.OfRanks(NextForm, r.Names, r.Ranks, r.Pairs, r.Candidates, []string{learn.NextTrees})
	repeated := lists.Map(r.New, func(is bool) bool { return !is })
	table.SliceBy(setting, "new pairs", r.New)
	table.SliceBy(setting, "repeated pairs", repeated)
	return table, nil
}

func misuse(format string, args ...any) error { return settings.Misuse(format, args...) }
