package main

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/pipeline"
	"github.com/ehgnn/ehgnn/scale/store"
)

// localRunner is the runner that is no engine of Beam.
const localRunner = "local"

// runnerHelp is the help about engines.
const runnerHelp = `Runner local works from files on this machine. The others are engines of Apache Beam: prism in this
process, in memory; portable, flink and spark at the address of a job service; dataflow. Their own flags
follow --. RUN is read here alone; STORE and DIR have to be where all workers see them, as gs://bucket/name.`

// runnerFlags choose where a verb runs a job.
type runnerFlags struct {
	runner   string
	attempts int
	own      []string // the runner's own flags, after --
}

func (r *runnerFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.runner, "runner", localRunner, "where to work: local, prism, portable, flink, spark or dataflow")
	f.IntVar(&r.attempts, "attempts", 3, "runners but local: how often a turn is tried that fails")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if n := cmd.ArgsLenAtDash(); n >= 0 {
			args, r.own = args[:n], args[n:]
		}
		return cobra.ExactArgs(2)(cmd, args)
	}
}

// check returns an error for flags that cannot be combined.
func (r *runnerFlags) check(cmd *cobra.Command) error {
	if err := oneOf("runner", r.runner, append([]string{localRunner}, pipeline.Runners()...)...); err != nil {
		return err
	}
	if err := atLeast("attempts", r.attempts, 1); err != nil {
		return err
	}
	local := r.runner == localRunner
	switch {
	case local && len(r.own) > 0:
		return settings.Misuse("runner %s has no flags of its own: %q", localRunner, r.own)
	case local && cmd.Flags().Changed("attempts"):
		return settings.Misuse("--attempts is for other runners than %s", localRunner)
	case !local && cmd.Flags().Changed("memory"):
		return settings.Misuse("--memory is for runner %s; engines have settings of their own", localRunner)
	}
	return nil
}

// onEngine runs a job on an engine of Beam.
func (u *useFlags) onEngine(a *app, cmd *cobra.Command, args []string, writes string) (manifest any, files map[string]store.File, err error) {
	c := pipeline.Config{Run: args[0], Store: args[1], Out: u.out, Writes: writes, Runner: u.runner.runner, Flags: u.runner.own, Attempts: u.runner.attempts, Resume: u.resume,
		Progress: func(turn, turns int, d pipeline.Done) {
			a.remark("turn %d of %d: %s, %s shuffled", turn, turns-1, time.Duration(d.Seconds*float64(time.Second)).Round(time.Millisecond), memory.Text(d.Shuffled))
		},
		Failed: func(turn int, err error) { a.remark("turn %d failed and is tried again: %v", turn, err) },
	}
	if !a.quiet && !slices.Contains([]string{pipeline.Prism, "portable"}, c.Runner) {
		c.Log = a.stderr // an engine prints where to watch the job
	}
	m, err := pipeline.Run(cmd.Context(), c)
	if err != nil {
		return nil, nil, err
	}
	return m, m.Files, nil
}
