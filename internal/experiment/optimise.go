package experiment

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/generate/benchmark"
	"github.com/ehgnn/ehgnn/internal/generate/genetic"
	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

// optimisePreset is the amount of work.
type optimisePreset struct {
	name  string
	tasks []string
	rows  []string
	seeds int
	calls int
}

var optimisePresets = []optimisePreset{
	{presetQuick, []string{"celecoxib", "perindopril"}, []string{genetic.Random, genetic.GraphGA, genetic.GA}, 1, 1000},
	{presetSmall, []string{taskMARS, "celecoxib", "perindopril", "osimertinib", "zaleplon", "median2"}, []string{genetic.GraphGA, genetic.GA}, 3, 3000},
	{presetFull, []string{taskMARS, taskGSK3, taskJNK3, "celecoxib", "troglitazone", "perindopril", "osimertinib", "fexofenadine", "zaleplon", "sitagliptin", "isomers", "median2"},
		[]string{genetic.Random, genetic.GraphGA, rowMARS, genetic.GA}, 5, 10000},
}

// Tasks in addition to those of package benchmark, and the row of MARS.
const (
	taskMARS = "mars"
	taskGSK3 = "gsk3"
	taskJNK3 = "jnk3"
	rowMARS  = "mars"
)

var optimiseRows = []string{genetic.Random, genetic.GraphGA, rowMARS, genetic.GA}

// optimiseExperiment compares searches for molecules at an equal number of calls.
var optimiseExperiment = Experiment{
	Name: "optimise", Title: "Searches for molecules at equal calls of the scores",
	Help: `Compare the searches of ehgnn optimise: the molecules of ZINC in a random order, Jensen's graph
GA, MARS with EHGNN, and the genetic algorithm with a surrogate, on the tasks of GuacaMol that need
no other program and on the scores of MARS. All searches of a seed begin with the same 120
molecules of the list zinc, and a call is a score of a molecule that was not scored before. Needs the
chemistry build.

What is measured is the area under the mean of the ten best over the calls (PMO), the best 1, 10 and
100, and for the scores of MARS the molecules that reach its strict thresholds.

Finished searches are kept in --out at once, and one that was interrupted goes on where it was; MARS
begins anew.
`,
	Example: `  ehgnn reproduce optimise --preset quick
  ehgnn reproduce optimise --task mars,celecoxib --model graph-ga,ga --calls 10000 --seeds 5 --seed 3`,
	Unit: "call",
	Options: []Option{
		{Name: "preset", Help: "quick (two tasks, 1,000 calls, one seed), small (six tasks, 3,000 calls, three seeds) or full (twelve tasks, 10,000 calls, five seeds)", Default: presetFull},
		{Name: "task", Help: "tasks, by commas or repeated (default: the preset's)", Default: []string(nil)},
		{Name: "model", Help: "searches, by commas or repeated: random, graph-ga, mars, ga (default: the preset's)", Default: []string(nil)},
		{Name: "seeds", Help: "searches of each row, with seeds from --seed upwards (default: the preset's)", Default: 0},
		{Name: "calls", Help: "budget of a search (default: the preset's)", Default: 0},
		{Name: "proposal", Help: "how ga chooses the bond that it cuts or changes: uniform, mlp or ehgnn (networks that learn what such changes gained)", Default: genetic.Uniform},
		{Name: "children", Help: "children that ga makes for each molecule that is scored (default: 5, and at least 400 in a round)", Default: 0},
		{Name: "reject", Help: "whether molecules with unstable groups are left out; MARS, whose edits are its own, has them", Default: true},
		{Name: "out", Help: "folder that keeps finished searches and gets the tables and figures (default runs/optimise)", Default: ""},
	},
	run: seriesRun("optimise", newOptimiseRequest, runOptimise),
}

// optimiseSettings determine the result of one search.
type optimiseSettings struct {
	Task    string         `json:"task"`
	Row     string         `json:"search"`
	Config  genetic.Config `json:"config"`
	Reject  bool           `json:"reject"`
	Oracles []string       `json:"oracles,omitempty"`
	Start   string         `json:"start"` // checksum of the list
	Toolkit string         `json:"toolkit"`
}

// optimiseRun is the result of one search.
type optimiseRun struct {
	optimiseSettings
	Calls int `json:"calls"`
	// Curve has a row for every 100 calls: the best score, and the means of the best 10 and 100.
	Curve    [][3]float64       `json:"curve"`
	AUC      map[int]float64    `json:"auc"` // mean of the ten best, by budget
	Hits     *benchmark.Hits    `json:"hits,omitempty"`
	Best     []genetic.Scored   `json:"best"`
	Children int                `json:"children"`
	Seconds  map[string]float64 `json:"seconds"`
}

// optimiseRequest is what the options ask for.
type optimiseRequest struct {
	preset optimisePreset
	tasks  []string
	rows   []string
	seeds  []uint64
	calls  int
	reject bool
	// proposal and children are fields of genetic.Config.
	proposal string
	children int
	toolkit  chem.Toolkit
}

func newOptimiseRequest(_ context.Context, c *call) (r optimiseRequest, err error) {
	if r.preset, err = presetOf(c, optimisePresets, func(p optimisePreset) string { return p.name }); err != nil {
		return r, err
	}
	same := func(s string) string { return s }
	tasks := append([]string{taskMARS, taskGSK3, taskJNK3}, benchmark.Names()...)
	if r.tasks, err = named("task", orPreset(c, "task", r.preset.tasks), tasks, same); err != nil {
		return r, err
	}
	if r.rows, err = named("model", orPreset(c, "model", r.preset.rows), optimiseRows, same); err != nil {
		return r, err
	}
	if r.proposal = value[string](c, "proposal"); !slices.Contains(genetic.Proposals(), r.proposal) {
		return r, settings.Misuse("--proposal is %q, expected one of %q", r.proposal, genetic.Proposals())
	}
	seeds := cmp.Or(value[int](c, "seeds"), r.preset.seeds)
	r.children = value[int](c, "children")
	r.calls, r.reject = cmp.Or(value[int](c, "calls"), r.preset.calls), value[bool](c, "reject")
	if seeds < 1 || r.calls < 1 || len(r.tasks) == 0 || len(r.rows) == 0 {
		return r, settings.Misuse("--seeds is %d, --calls %d, --task has %d and --model %d, expected at least one of each", seeds, r.calls, len(r.tasks), len(r.rows))
	}
	r.seeds = c.someSeeds(seeds)
	if r.toolkit, err = c.chemistry(); err == nil && r.toolkit == nil {
		err = settings.Misuse("%w", chem.ErrNoToolkit)
	}
	return r, err
}

// optimiseBench is what all searches share.
type optimiseBench struct {
	optimiseRequest
	start     []string
	checksum  string
	kinases   *kinases
	fragments *marsList // nil if no row needs it
}

func runOptimise(ctx context.Context, c *call, r optimiseRequest, s *series[optimiseRun]) (*report.Document, error) {
	b := &optimiseBench{optimiseRequest: r}
	path, err := smiles.Locate(c.DataDir, "zinc")
	if err != nil {
		return nil, settings.Misuse("%w", err)
	}
	if b.start, _, err = smiles.Texts(path, ""); err != nil {
		return nil, err
	}
	b.checksum = checksumOf(b.start)
	if slices.ContainsFunc(r.tasks, forest) {
		if b.kinases, err = openKinases(ctx, c, r.toolkit, s.dir); err != nil {
			return nil, err
		}
	}
	if slices.Contains(r.rows, rowMARS) {
		fragments := marsRequest{toolkit: r.toolkit, fragments: marsFragments}
		if b.fragments, err = fragments.openList(ctx, c, s.dir, "zinc"); err != nil {
			return nil, err
		}
		defer b.fragments.editor.Close()
	}
	var list []training[optimiseRun]
	for _, task := range r.tasks {
		for _, row := range r.rows {
			for _, seed := range r.seeds {
				of := b.settings(task, row, seed)
				list = append(list, training[optimiseRun]{what: of, name: fmt.Sprintf("%s, %s, seed %d", task, row, seed), epochs: r.calls,
					do: func(ctx context.Context, w work) (optimiseRun, error) { return b.run(ctx, of, w) }})
			}
		}
	}
	runs, err := s.run(ctx, "searches", list)
	if err != nil {
		return nil, err
	}
	return optimiseTable{r, runs}.document()
}

// marsFragments is how many arms MARS joins, as in its paper.
const marsFragments = 1000

// forest reports whether a task uses a random forest.
func forest(task string) bool { return task == taskMARS || task == taskGSK3 || task == taskJNK3 }

func (b *optimiseBench) settings(task, row string, seed uint64) optimiseSettings {
	of := optimiseSettings{Task: task, Row: row, Config: genetic.NewConfig(), Reject: b.reject, Start: b.checksum, Toolkit: b.toolkit.Version()}
	of.Config.Search, of.Config.Calls, of.Config.Seed = row, b.calls, seed
	if row == genetic.GA {
		of.Config.PerCall = b.children
		if b.proposal != genetic.Uniform {
			of.Config.Proposal = b.proposal
		}
	}
	if forest(task) {
		of.Oracles = b.kinases.checksums()
	}
	return of
}

// objective returns the objective of a task.
func (b *optimiseBench) objective(task string, threads int) (genetic.Objective, error) {
	term := func(name string, p score.Property) (genetic.Objective, error) {
		return score.NewSet(b.toolkit, threads, score.Term{Name: name, Property: p, Weight: 1})
	}
	switch task {
	case taskMARS:
		return b.kinases.scores(b.toolkit, threads)
	case taskGSK3:
		return term("gsk3b", b.kinases.gsk3b.Property)
	case taskJNK3:
		return term("jnk3", b.kinases.jnk3.Property)
	}
	return benchmark.New(b.toolkit, threads, task)
}

// run does one search.
func (b *optimiseBench) run(ctx context.Context, of optimiseSettings, w work) (optimiseRun, error) {
	objective, err := b.objective(of.Task, w.threads)
	if err != nil {
		return optimiseRun{}, err
	}
	start := slices.Clone(b.start)
	r := rng.Stream(of.Config.Seed, "start")
	r.Shuffle(len(start), func(i, j int) { start[i], start[j] = start[j], start[i] })
	began := time.Now()
	var result *genetic.Result
	if of.Row == rowMARS {
		result, err = b.chains(ctx, of, objective, start, w)
	} else {
		result, err = b.breed(ctx, of, objective, start, w)
	}
	if err != nil {
		return optimiseRun{}, err
	}
	return b.measure(of, result, time.Since(began))
}

func (b *optimiseBench) breed(ctx context.Context, of optimiseSettings, objective genetic.Objective, start []string, w work) (*genetic.Result, error) {
	t := genetic.Task{Maker: &operator.Maker{Toolkit: b.toolkit}, Objective: objective, Start: start, OnRound: func(p genetic.Progress) {
		w.onEpoch(train.EpochInfo{Epoch: p.Calls, TrainLoss: 1 - p.Mean10})
	}}
	if of.Reject {
		var err error
		if t.Maker.Reject, err = b.toolkit.Patterns(operator.Unstable()...); err != nil {
			return nil, err
		}
	}
	if w.checkpoint != nil {
		if err := os.MkdirAll(w.checkpoint.Dir, 0o777); err != nil {
			return nil, err
		}
		t.Journal = filepath.Join(w.checkpoint.Dir, "rounds.jsonl")
	}
	c := of.Config
	c.Threads = w.threads
	return genetic.Run(ctx, t, c)
}

// strict are the thresholds of the scores of MARS, in the order of marsScores.
func strict(values []float64) bool {
	for k, s := range marsScores {
		if values[k] < marsThresholds[0].Least[s.name] {
			return false
		}
	}
	return true
}

// measure computes the measures of a search.
func (b *optimiseBench) measure(of optimiseSettings, r *genetic.Result, took time.Duration) (optimiseRun, error) {
	run := optimiseRun{optimiseSettings: of, Calls: len(r.All), AUC: map[int]float64{}, Children: r.Children, Seconds: map[string]float64{
		"all": took.Seconds(), "breed": r.Breed.Seconds(), "model": r.Model.Seconds(), "score": r.Objective.Seconds()}}
	values := lists.Map(r.All, func(m genetic.Scored) float64 { return m.Total })
	for _, n := range optimiseBudgets(of.Config.Calls) {
		run.AUC[n] = benchmark.AUC(values, n, 10)
	}
	for n := 100; n <= len(values); n += 100 {
		run.Curve = append(run.Curve, [3]float64{benchmark.MeanBest(values, n, 1), benchmark.MeanBest(values, n, 10), benchmark.MeanBest(values, n, 100)})
	}
	best := slices.Clone(r.All)
	slices.SortStableFunc(best, func(x, y genetic.Scored) int { return cmp.Compare(y.Total, x.Total) })
	run.Best = best[:min(10, len(best))]
	if of.Task != taskMARS {
		return run, nil
	}
	var hits []string
	var calls []int
	for _, m := range r.All {
		if strict(m.Values) {
			hits, calls = append(hits, m.SMILES), append(calls, m.Call)
		}
	}
	h, err := benchmark.Describe(b.toolkit, hits, calls, 1000, 3000, 10000)
	run.Hits = &h
	return run, err
}

// optimiseBudgets are the budgets at which the area under the curve is measured.
func optimiseBudgets(calls int) []int {
	return append(lists.Filter([]int{1000, 3000}, func(n int) bool { return n < calls }), calls)
}
