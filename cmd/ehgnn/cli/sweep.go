package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/sweep"
)

// sweepFlags are the flags of sweep other than settings of the trials.
type sweepFlags struct {
	trainFlags
	space            []string
	trials, parallel int
	sampler, pruner  string
}

func newSweep(a *app) *cobra.Command {
	s := &sweepFlags{}
	cmd := &cobra.Command{
		Use:   "sweep [DATA]",
		Short: "Search settings by training with many of them",
		Long: `Search settings of a run by training with many of them, and score the test part once,
for the trial with the best validation score, the score by which train selects epochs.

--space names a setting and its values; it may be repeated:
  lr=log:1e-4..1e-2     a range on a logarithmic scale
  dropout=0..0.6        a range on a linear scale; for whole numbers, such as layers=2..5
  hidden=32..256:32     a range in steps
  conv=gcn,gin          choices
All trials share the other settings, which are those of train.

Each trial is a run folder in --out. study.journal has all trials, in the format of Optuna's
JournalFileBackend: optuna-dashboard shows it. A sweep that was interrupted or killed continues
with --resume --out DIR.`,
		Example: `  ehgnn sweep MUTAG --model hyperdrop --space lr=log:1e-4..1e-2 --space conv=gcn,gin --trials 50
  ehgnn sweep payments --label label --split time --space hidden=32..256:32 --space dropout=0..0.5 --parallel 4
  ehgnn sweep --resume --out runs/mutag-hyperdrop-sweep`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(a, cmd, args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&s.space, "space", nil, "setting to search, with its values; may be repeated")
	f.IntVar(&s.trials, "trials", 50, "number of trials")
	f.StringVar(&s.sampler, "sampler", sweep.Samplers()[0], "how settings are chosen: tpe (by the scores so far) or random")
	f.StringVar(&s.pruner, "pruner", sweep.Pruners()[0], "how trials are ended early: asha, median or none")
	f.IntVar(&s.parallel, "parallel", 1, "concurrent trials, which share --threads")
	f.StringVar(&s.out, "out", "", "folder of the sweep (default runs/DATA-MODEL-sweep)")
	f.BoolVar(&s.resume, "resume", false, "continue the sweep in --out")
	s.register(cmd, "model from the list of ehgnn models (default: the default of the task)")
	complete(cmd, "sampler", sweep.Samplers)
	complete(cmd, "pruner", sweep.Pruners)
	return cmd
}

func (s *sweepFlags) run(a *app, cmd *cobra.Command, args []string) error {
	c, err := s.config(a, cmd, args)
	if err != nil {
		return err
	}
	p := a.progress(c.Trials, "trial")
	var busy atomic.Int64
	defer a.finishing(func() string {
		if busy.Load() > 0 {
			return "the step under way of each trial that runs"
		}
		return ""
	})()
	study, err := sweep.Run(cmd.Context(), c, sweep.Options{Dir: s.out, Resume: s.resume, Parallel: s.parallel, Command: a.command(), OnEvent: func(e sweep.Event) {
		busy.Store(1)
		p.At(e.Done, e.Trials, trialText(e))
	}})
	p.Finish()
	if err != nil {
		if errors.Is(err, context.Canceled) && busy.Load() > 0 {
			a.tell("ehgnn: state saved in %s; ehgnn sweep --resume --out %s continues it", s.out, s.out)
		}
		return failure(err)
	}
	return s.emit(a, cmd.Context(), study)
}

// config returns the requested sweep, based on the resumed sweep, if any.
func (s *sweepFlags) config(a *app, cmd *cobra.Command, args []string) (c sweep.Config, err error) {
	f := cmd.Flags()
	switch {
	case s.resume && s.out == "":
		return c, usage(fmt.Errorf("--resume needs --out, the sweep to continue"))
	case s.resume:
		if c, err = sweep.Read(s.out); err != nil {
			return c, failure(err)
		}
	case len(args) == 0:
		return c, usage(fmt.Errorf("wrong number of arguments (0); usage: %s", cmd.UseLine()))
	}
	before := c.Request
	if c.Request, err = s.applyTo(a, cmd, args, c.Request); err != nil {
		return c, err
	}
	c.Request.Given, c.Request.Defaults = before.Given.Over(c.Request.Given), nil
	if f.Changed("space") || !s.resume {
		if c.Space, err = sweep.ParseSpace(s.space); err != nil {
			return c, failure(err)
		}
	}
	for flag, at := range map[string]*string{"sampler": &c.Sampler, "pruner": &c.Pruner} {
		if f.Changed(flag) || !s.resume {
			*at = f.Lookup(flag).Value.String()
		}
	}
	if f.Changed("trials") || !s.resume {
		c.Trials = s.trials
	}
	s.out = cmp.Or(s.out, runFolder(nameOf(c.Request.Path), strings.TrimPrefix(c.Request.Model+"-sweep", "-")))
	return c, nil
}

// trialText describes the state of a sweep in a few words.
func trialText(e sweep.Event) string {
	text := fmt.Sprintf("trial %d epoch %d", e.Trial.Number, len(e.Trial.Scores))
	if e.Trial.State != sweep.Running {
		text = fmt.Sprintf("trial %d %v", e.Trial.Number, e.Trial.State)
	}
	if e.Best != nil {
		text += fmt.Sprintf(", best %.4f of trial %d", e.Best.Value, e.Best.Number)
	}
	return text
}

// emit writes the files of a finished sweep and prints it.
func (s *sweepFlags) emit(a *app, ctx context.Context, study *sweep.Study) error {
	page, err := study.Document(false)
	if err != nil {
		return failure(err)
	}
	if err := page.WriteFiles(s.out); err != nil {
		return failure(err)
	}
	if _, _, err := writeReview(ctx, a, study.Winner.Session, study.Winner.Result.Run, ""); err != nil {
		return failure(err)
	}
	brief, err := study.Document(true)
	if err != nil {
		return failure(err)
	}
	return a.emit(page.Value, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%sWritten to %s as %s.\n", brief.Text(), s.out, strings.Join(page.FileNames(), ", "))
		return err
	})
}
