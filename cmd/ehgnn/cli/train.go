package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/taskflags"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/report/review"
	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// trainFlags are the flags of train other than settings of the run.
type trainFlags struct {
	task, model, out string
	resume, helpAll  bool
	repeat           int
	memory           memory.Size
	links            linkFlags
}

func newTrain(a *app) *cobra.Command {
	t := &trainFlags{}
	cmd := &cobra.Command{
		Use:   "train [DATA]",
		Short: "Train a model on a data set",
		Long: `Train a model and write a run folder: the resolved settings, the best weights, a
checkpoint to resume from, metrics for every epoch, predictions for the test part,
report.html and README.md, the model card.

DATA is one of these, or the name of a known set in the data folder:
` + sourceHelp() + `
Without --task and --model, what the data have labels of is learned. With --task
link-prediction the edges are what is learned, without labels, by --model auto, ` + strings.Join(run.Models()[1:], ", ") + `,
and tables compare the model with simple baselines on several kinds of negatives. Settings that are
not given have defaults of the task and the model, the same for every data set; one that
the run would not read is refused. ehgnn models lists the models.

The config.yaml of a run as --config trains the same run again, DATA included; flags
win. --resume --out RUN goes on with all settings of RUN.`,
		Example: `  ehgnn train MUTAG.zip --model hyperdrop --out runs/mutag
  ehgnn train zinc12k --model hypercluster --epochs 30 --out runs/zinc
  ehgnn train ogbg-molbbbp --model hyperdrop --out runs/bbbp
  ehgnn train cora --task node-classification --model deep-hyperdrop --layers 16
  ehgnn train payments --task edge-classification --label label --split time --out runs/p
  ehgnn train roads.csv --task edge-regression --label minutes --ignore name --model ehgnn-joint-edge
  ehgnn train friends.csv --task link-prediction --edges undirected --out runs/friends
  ehgnn train ratings.csv --task link-prediction --positive 'rating>=4' --out runs/shop
  ehgnn train graphs.json --label toxic --out runs/toxic
  ehgnn train molecules.csv --split scaffold --out runs/molecules
  ehgnn train --config runs/mutag/config.yaml --seed 43 --out runs/mutag-43
  ehgnn train --resume --out runs/mutag`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.helpAll {
				return sanitize.Write(a.Stdout, func(w io.Writer) error { return helpAll(cmd, w) })
			}
			return t.run(a, cmd, args)
		},
	}
	setTrainHelp(cmd)
	f := cmd.Flags()
	f.StringVar(&t.out, "out", "", "run folder (default runs/DATA-MODEL)")
	f.IntVar(&t.repeat, "repeat", 1, "number of seeds to train with, from --seed on, with the same split: scores have a mean and a deviation; the first run is used for predictions")
	f.BoolVar(&t.helpAll, "help-all", false, "help with every flag")
	f.BoolVar(&t.resume, "resume", false, "continue the run in --out from its checkpoint")
	t.links.register(cmd)
	t.register(cmd, "model from the list of ehgnn models (default: the default of the task)")
	named := f.Lookup("task")
	named.Usage = strings.Replace(named.Usage, " (default", ", "+run.Task+" (default", 1)
	return cmd
}

// register adds the flags that say what is trained.
func (t *trainFlags) register(cmd *cobra.Command, model string) {
	f := cmd.Flags()
	f.StringVar(&t.task, "task", "", "task: "+strings.Join(task.Names(), ", ")+" (default: the task that suits the data and the model)")
	f.StringVar(&t.model, "model", "", model)
	maxMemory(cmd, &t.memory)
	taskflags.Add(f, settings.OfData, settings.OfSplit, settings.OfTask, settings.OfModel, settings.OfTrain)
	complete(cmd, "task", task.Names)
	complete(cmd, "model", modelNames)
	complete(cmd, "format", settings.Formats)
	complete(cmd, "conv", settings.Convs)
	complete(cmd, "readout", settings.Readouts)
	cmd.ValidArgsFunction = completeData
}

func (t *trainFlags) run(a *app, cmd *cobra.Command, args []string) error {
	if is, err := t.isLinks(); err != nil {
		return err
	} else if is {
		return t.trainLinks(a, cmd, args)
	}
	r, err := t.request(a, cmd, args)
	if err != nil {
		return err
	}
	in, err := session.Read(cmd.Context(), r)
	if requests, runs := session.PerLabel(r, err); requests != nil {
		return t.trainLabels(a, cmd, args, requests, runs)
	}
	if err != nil {
		return t.withSettings(a, err)
	}
	return t.train(a, cmd, args, r, in, func(res *session.TrainResult, text func(io.Writer) error) error { return a.emit(res, text) })
}

// withSettings adds the origin of the settings to an error of them or of the data.
func (t *trainFlags) withSettings(a *app, err error) error {
	err = failure(err)
	if a.repeat != nil {
		return fmt.Errorf("with the settings in %s: %w", a.config, err)
	} else if t.resume && t.out != "" {
		return fmt.Errorf("with the settings in config.yaml of %s: %w", t.out, err)
	}
	return err
}

// train trains a run on the data of a request, and passes the result and its text to emit.
func (t *trainFlags) train(a *app, cmd *cobra.Command, args []string, r session.Request, in *session.Input, emit func(*session.TrainResult, func(io.Writer) error) error) error {
	seeds, err := t.seeds(cmd, r.Seed)
	if err != nil {
		return err
	}
	s, err := session.OpenOn(cmd.Context(), r, in)
	if err != nil {
		return t.withSettings(a, err)
	}
	if err := a.showColumns(s.Data.Summary()); err != nil {
		return err
	}
	for _, n := range s.Data.Notes() {
		a.log.Info(n)
	}
	for _, part := range []string{source.PartValid, source.PartTest} {
		for _, u := range s.Unseen(part) {
			if u.Label {
				a.log.Warn(u.String(), "part", part)
			}
		}
	}
	if o := r.Given.OfNetwork(); o != "" && r.Model == "" && s.Settings.ModelName != model.AutoName && s.Task.Default == model.AutoName {
		a.log.Info(fmt.Sprintf("--%s is a setting of a network over the graph: %s is trained, and not %s, the default", o, s.Settings.ModelName, model.AutoName))
	}
	remark, err := s.CheckMemory("")
	if err != nil {
		return failure(err)
	}
	if remark != "" {
		a.log.Warn(remark)
	}
	t.out = cmp.Or(t.out, runFolder(cmp.Or(nameOf(r.Path), s.Settings.Data.Name), s.Settings.ModelName))
	cfg := s.Settings.Train
	if w := cfg.Schedule.WarmupEpochs; w >= cfg.Epochs {
		a.log.Warn("the run ends before the learning rate has risen to --lr; --constant-lr does without a warm-up", "warmup_epochs", w, "epochs", cfg.Epochs)
	}
	p := a.progress(cfg.Epochs, "epoch")
	var epoch atomic.Int64
	defer a.finishing(func() string {
		if n := epoch.Load(); n > 0 {
			return fmt.Sprintf("the step under way of epoch %d", n)
		}
		return "the step under way"
	})()
	res, err := s.TrainSeeds(cmd.Context(), in, session.TrainOptions{Dir: t.out, Resume: t.resume, Command: a.command(), OnEpoch: epochs(p, cfg.Epochs),
		Seeds:   seeds,
		OnEntry: func(e auto.Entry) { a.log.Info(e.String()) },
		OnStep:  func(i train.StepInfo) { epoch.Store(int64(i.Epoch)) }}, func(run session.SeedRun) {
		if len(seeds.Runs) > 1 {
			a.log.Info("training", "seed", run.Seed, "of", len(seeds.Runs))
		}
	})
	p.Finish()
	if err != nil {
		switch {
		case res != nil && res.Interrupted:
			a.tell("ehgnn: state saved in %s; ehgnn train --resume --out %s continues it", t.out, t.out)
		case res != nil && res.Stopped == train.StoppedDiverged && res.BestEpoch > 0:
			err = fmt.Errorf("%w; %s keeps the best weights before that, of epoch %d", err, t.out, res.BestEpoch)
		}
		return failure(err)
	}
	if advice := s.SuggestSplit(); advice != "" && !cmd.Flags().Changed("split") {
		a.log.Info(advice)
	}
	if remark := s.NearCopies(); remark != "" {
		a.log.Info(remark)
	}
	_, warnings, unwritten := writeReview(cmd.Context(), a, s, t.out, "")
	if unwritten == nil {
		unwritten = res.Warn(t.out, warnings)
	}
	err = emit(res, func(w io.Writer) error {
		if err := res.Text(w); err != nil {
			return err
		}
		if a.quiet {
			return nil
		}
		data := r.Path
		if len(args) > 0 {
			data = args[0]
		}
		return writeLines(w, nextLines(s, data, t.out, unwritten == nil)...)
	})
	if err != nil {
		return err
	}
	if unwritten != nil {
		return failure(fmt.Errorf("the run is complete, but its report is not, which ehgnn report %s writes: %w", t.out, unwritten))
	}
	return nil
}

// nextLines names the run folder and two commands that use it.
func nextLines(s *session.Session, data, run string, reported bool) []string {
	out := []string{"", "Run     " + run}
	if reported {
		out = append(out, "Report  "+filepath.Join(run, review.PageFile))
	}
	predict := fmt.Sprintf("ehgnn predict %s NEW-DATA", quoted(run))
	if data != "" {
		predict = fmt.Sprintf("ehgnn predict %s %s", quoted(run), quoted(data))
		if s.Parts[source.PartTest] != nil { // there are test scores already
			predict += " --split " + source.PartTest
		}
	}
	if _, err := session.RankColumn(&s.Settings, ""); err == nil {
		predict += " --top 50"
		if explain.HasColumns(s) {
			predict += " --why --spreadsheet-safe"
		}
	}
	out = append(out, "Next    "+predict+" --out predictions.csv")
	if explain.Explains(s) {
		out = append(out, fmt.Sprintf("        ehgnn explain %s --out why.svg", quoted(run)))
	} else {
		out = append(out, fmt.Sprintf("        ehgnn serve %s", quoted(run)))
	}
	return out
}

// seeds returns the seeds of the training; a resumed run may have them.
func (t *trainFlags) seeds(cmd *cobra.Command, first uint64) (*session.Seeds, error) {
	if err := atLeast("repeat", t.repeat, 1); err != nil {
		return nil, err
	}
	if t.resume && t.out != "" {
		begun, err := session.ReadSeeds(t.out)
		switch {
		case err != nil:
			return nil, usage(err)
		case begun != nil && cmd.Flags().Changed("repeat") && t.repeat < len(begun.Runs):
			return nil, usage(fmt.Errorf("--repeat is %d, and %s was begun with %d seeds", t.repeat, t.out, len(begun.Runs)))
		case begun != nil && begun.Runs[0].Seed != first:
			return nil, usage(fmt.Errorf("--seed is %d, and %s was begun with %d", first, t.out, begun.Runs[0].Seed))
		case begun != nil:
			return session.NewSeeds(first, max(t.repeat, len(begun.Runs))), nil
		}
	}
	return session.NewSeeds(first, t.repeat), nil
}

// request returns the request: the flags, based on the settings of the repeated or resumed run, if
// any.
func (t *trainFlags) request(a *app, cmd *cobra.Command, args []string) (r session.Request, err error) {
	switch {
	case a.repeat != nil:
		r = *a.repeat
	case t.resume && t.out == "" && len(args) == 0:
		return r, usage(fmt.Errorf("--resume without DATA needs --out, the run to continue"))
	case t.resume && session.HasLabelRuns(t.out):
		if len(args) == 0 && a.repeat == nil {
			return r, usage(fmt.Errorf("%s has a run for each label; give the command that began it, with --resume", t.out))
		}
	case t.resume && t.out != "":
		if r, err = session.ReadRun(t.out); err != nil {
			return r, usage(err)
		}
	case len(args) == 0:
		return r, usage(fmt.Errorf("wrong number of arguments (0); usage: %s", cmd.UseLine()))
	}
	return t.applyTo(a, cmd, args, r)
}

// applyTo applies the flags to a request; its settings become defaults.
func (t *trainFlags) applyTo(a *app, cmd *cobra.Command, args []string, r session.Request) (session.Request, error) {
	f := cmd.Flags()
	r.Defaults, r.Given = r.Given, taskflags.Given(f)
	if f.Changed("seed") || r.Path == "" {
		r.Seed = a.seed
	}
	r.Threads, r.MaxMemory, r.Toolkit = a.threads, int64(t.memory), a.toolkit()
	if f.Changed("task") || f.Changed("model") {
		r.Task, r.Model = t.task, t.model
	}
	if len(args) > 0 {
		at, err := a.locate(args[0])
		if err != nil {
			return r, err
		}
		r.Path = at.Path
		if at.Set != "" && r.Given["name"] == nil {
			r.Given["name"] = at.Set
		}
	}
	return r, nil
}

// nameOf is the name of a file or folder without its extension.
func nameOf(path string) string {
	whole, err := filepath.Abs(path) // so that "." gets the name of its folder
	if err != nil {
		return ""
	}
	base := strings.TrimSuffix(filepath.Base(whole), ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// runFolder is the default folder of a run, without --out.
func runFolder(name, modelName string) string {
	return filepath.Join("runs", strings.ToLower(name)+"-"+modelName)
}

// sourceHelp describes the data that each source reads.
func sourceHelp() string {
	var b strings.Builder
	for _, s := range source.Sources() {
		line := fmt.Sprintf("  %-10s", s.Name)
		for word := range strings.FieldsSeq(s.Expect) {
			if len(line)+len(word) > 82 {
				b.WriteString(line + "\n")
				line = strings.Repeat(" ", 12)
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func modelNames() []string {
	return lists.Map(model.Specs(), func(s model.Spec) string { return s.Name })
}

// writeLines prints lines until the first error. A name in them may contain line breaks.
func writeLines(w io.Writer, lines ...string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, sanitize.Text(l)); err != nil {
			return err
		}
	}
	return nil
}
