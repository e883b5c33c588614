package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/taskflags"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/didyoumean"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// linkFlags are the flags of link prediction in addition to those of tables.
type linkFlags struct {
	positive, by, testSees, baselines string
	negativesFrom                     string
	negatives                         []string
	bipartite                         bool
	observed                          float64
}

// register adds the flags.
func (l *linkFlags) register(cmd *cobra.Command) {
	f, help := cmd.Flags(), func(name string) string { return run.Task + ": " + run.Help(name) }
	f.StringVar(&l.positive, "positive", "", help("positive"))
	f.BoolVar(&l.bipartite, "bipartite", false, help("bipartite"))
	f.Float64Var(&l.observed, "observed", 0.5, help("observed"))
	f.StringVar(&l.testSees, "test-sees", "", help("test-sees"))
	f.StringVar(&l.by, "select", "", help("select"))
	f.StringVar(&l.baselines, "baselines", "", help("baselines"))
	f.StringSliceVar(&l.negatives, "negatives", nil, help("negatives"))
	f.StringVar(&l.negativesFrom, "negatives-from", "", help("negatives-from"))
}

// settings returns the settings that the flags give.
func (l *linkFlags) settings(a *app, cmd *cobra.Command, path, model string) (*run.Settings, error) {
	given := taskflags.Given(cmd.Flags())
	for o := range given.Each() {
		if !slices.Contains(run.SettingNames(), o.Name) {
			return nil, usage(fmt.Errorf("--%s is not read by link prediction, which reads: --%s", o.Name, strings.Join(run.SettingNames(), ", --")))
		}
		if !run.Reads(model, o.Name) {
			return nil, usage(fmt.Errorf("--%s does not apply to --model %s of link prediction", o.Name, model))
		}
	}
	s := &run.Settings{Version: 1, Data: path, Positive: l.positive, Observed: l.observed, Seed: a.seed, TestSeesValid: l.testSees == "valid",
		Split: run.ByRandom, Fractions: [3]float64{0.7, 0.1, 0.2}, Model: cmp.Or(model, run.Auto), GAE: learn.NewGAEConfig(), Select: score.All}
	if l.testSees != "" && l.testSees != "valid" {
		return nil, oneOf("test-sees", l.testSees, "valid")
	}
	if l.baselines != "" && l.baselines != "none" {
		return nil, oneOf("baselines", l.baselines, "none")
	}
	if err := checkNegatives(l.negatives); err != nil {
		return nil, err
	}
	var err error
	if s.Tables, err = linkTables(given, path); err != nil {
		return nil, usage(err)
	}
	if l.bipartite {
		s.Kind = links.Bipartite
	}
	if err := linkSplit(given, s); err != nil {
		return nil, err
	}
	linkModel(given, s)
	s.Select = cmp.Or(l.by, score.All) // filled in when the graph is known
	return s, usage(s.Check())
}

// checkNegatives checks names of forms of negatives.
func checkNegatives(names []string) error {
	for _, n := range names {
		if err := oneOf("negatives", n, score.Uniform, score.Degree, score.Hard, score.All, score.Lists, run.NextForm, score.File); err != nil {
			return err
		}
	}
	return nil
}

// linkTables returns the given options of tables.
func linkTables(given settings.Values, path string) (tables.Options, error) {
	text := func(name string) string { v, _ := given[name].(string); return v }
	list := func(name string) []string { v, _ := given[name].([]string); return v }
	if err := given.Validate(); err != nil && given["split"] == nil {
		return tables.Options{}, err
	}
	decimal, err := schema.DecimalOf(text("decimal"))
	if err != nil {
		return tables.Options{}, fmt.Errorf("--decimal is %q, expected %w", text("decimal"), err)
	}
	format, err := schema.TimeFormatOf(text("time-format"))
	if err != nil {
		return tables.Options{}, fmt.Errorf("--time-format is %q, expected %w", text("time-format"), err)
	}
	nodes, err := source.Besides(path, list("nodes"))
	if err != nil {
		return tables.Options{}, err
	}
	form := settings.DataSettings{Edges: text("edges")}
	return tables.Options{Nodes: nodes, NodeID: text("node-id"), Source: text("source"), Target: text("target"), Label: text("label"), Time: text("time"), Part: text("part"),
		Graph: text("graph"), Ignore: list("ignore"), Categories: list("categories"), Features: list("feature"), Missing: list("missing"), Decimal: decimal,
		TimeFormat: format, Sheet: text("sheet"), Format: text("format"), Form: form.Form(), Bipartite: form.Bipartite()}, nil
}

// linkSplit sets how pairs are divided.
func linkSplit(given settings.Values, s *run.Settings) error {
	if v, ok := given["part"].(string); ok && v != "" {
		s.Split = run.ByColumn
	}
	if v, ok := given["split"].(string); ok {
		s.Split = v
	}
	switch s.Split {
	case run.ByTime:
		s.Fractions = [3]float64{0.7, 0.15, 0.15}
	case run.ByNodes:
		s.Fractions = [3]float64{0.8, 0.1, 0.1}
	}
	if v, ok := given["fractions"].([]float64); ok {
		if len(v) != 3 {
			return usage(fmt.Errorf("--fractions has %d numbers, expected three: the shares of training, validation and test", len(v)))
		}
		copy(s.Fractions[:], v)
	}
	return nil
}

// linkModel sets the given model options.
func linkModel(given settings.Values, s *run.Settings) {
	c, l := &s.GAE, learn.NewLightGCNConfig()
	for name, places := range map[string][]*int{"hidden": {&c.Width, &l.Width}, "layers": {&c.Layers, &l.Layers}, "epochs": {&c.Epochs, &l.Epochs}, "batch-size": {&c.Batch, &l.Batch}} {
		if v, ok := given[name].(int); ok {
			for _, at := range places {
				*at = max(1, v)
			}
		}
	}
	for name, places := range map[string][]*float64{"dropout": {&c.Dropout}, "lr": {&c.Rate, &l.Rate}} {
		if v, ok := given[name].(float64); ok {
			for _, at := range places {
				*at = v
			}
		}
	}
	if v, ok := given["structure"].([]string); ok {
		c.Structure = !slices.Equal(v, []string{settings.StructureNone})
	}
	if s.Model == run.LightGCN {
		s.LightGCN = l
	}
}

// isLinks reports whether the command trains a run of link prediction: the task or a model of link
// prediction is named, or such a run is resumed.
func (t *trainFlags) isLinks() (bool, error) {
	all := slices.Concat(modelNames(), lists.Filter(run.Models(), func(m string) bool { return m != run.Auto }))
	if t.model != "" && t.task == "" && !slices.Contains(all, t.model) {
		return false, usage(didyoumean.Unknown("model", t.model, all))
	}
	own := slices.Contains(run.Models(), t.model) && !slices.Contains(modelNames(), t.model)
	if own && t.task != "" && t.task != run.Task {
		return false, usage(fmt.Errorf("--model %s is for --task %s, and --task is %s", t.model, run.Task, t.task))
	}
	return t.task == run.Task || t.task == "" && (own || t.resume && t.out != "" && run.IsRun(t.out)), nil
}

// trainLinks trains a run of link prediction.
func (t *trainFlags) trainLinks(a *app, cmd *cobra.Command, args []string) error {
	if t.repeat != 1 {
		return usage(fmt.Errorf("--repeat does not apply to link prediction, whose tables have intervals over nodes; train once for each --seed"))
	}
	s, err := t.linkSettings(a, cmd, args)
	if err != nil {
		return err
	}
	defer run.Alone()()
	d, err := run.Read(cmd.Context(), s, int64(t.memory))
	if err != nil {
		return failure(err)
	}
	if s.Kind == links.Bipartite && t.links.by == "" {
		s.Select = score.Lists
	}
	for _, n := range d.Notes {
		a.log.Info(n)
	}
	t.out = cmp.Or(t.out, runFolder(cmp.Or(nameOf(s.Data), d.Name), "links"))
	p := a.progress(s.GAE.Epochs, "epoch")
	res, err := run.Train(cmd.Context(), s, d, run.Options{Dir: t.out, Resume: t.resume, Command: a.command(), Threads: a.threads, Forms: t.links.negatives, NegativesFrom: t.links.negativesFrom, MaxMemory: int64(t.memory),
		NoBaselines: t.links.baselines == "none", OnEpoch: p.At, Tell: func(text string) { a.log.Info(text) }})
	p.Finish()
	if err != nil {
		if cmd.Context().Err() != nil && run.IsRun(t.out) {
			a.tell("ehgnn: ehgnn train --resume --out %s continues", t.out)
		}
		return failure(err)
	}
	return a.emit(res, res.Text)
}

// linkSettings returns the settings of the flags, or of the resumed run.
func (t *trainFlags) linkSettings(a *app, cmd *cobra.Command, args []string) (*run.Settings, error) {
	if t.resume && t.out != "" && run.IsRun(t.out) {
		if len(args) > 0 || len(taskflags.Given(cmd.Flags())) > 0 {
			return nil, usage(fmt.Errorf("--resume --out %s goes on with the settings of the run; DATA and settings cannot be given", t.out))
		}
		s, err := run.ReadSettings(t.out)
		return s, usage(err)
	}
	if len(args) == 0 {
		return nil, usage(fmt.Errorf("wrong number of arguments (0); usage: %s", cmd.UseLine()))
	}
	at, err := a.locate(args[0])
	if err != nil {
		return nil, err
	}
	return t.links.settings(a, cmd, at.Path, t.model)
}
