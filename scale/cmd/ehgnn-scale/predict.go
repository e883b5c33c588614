package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// useFlags are the flags of the verbs that use a run on a store.
type useFlags struct {
	out    string
	memory memory.Size
	resume bool
	runner runnerFlags
}

func newPredict(a *app) *cobra.Command {
	u := &useFlags{}
	cmd := &cobra.Command{
		Use:   "predict RUN STORE --out DIR [--runner NAME] [-- RUNNER FLAGS]",
		Short: "Predict for every edge of a store with a trained run",
		Long: `Predict for every edge of a store with a trained run of ehgnn or ehgnn-scale, exactly as
ehgnn predict does: each edge is scored with all others around it. DIR gets a Parquet file for
each block of the store, part-000000.parquet and so on, with the number of each edge, its ends
and the columns of ehgnn predict.

The same run, store and kind of processor give the same bytes, however many threads there are
and however often the job was stopped, on every runner. A job that was stopped goes on with
--resume.

` + runnerHelp,
		Example: `  ehgnn-scale pack payments/*.parquet --run runs/payments --out store
  ehgnn-scale predict runs/payments store --out scores
  ehgnn-scale predict runs/payments store --out scores --resume`,
		RunE: func(cmd *cobra.Command, args []string) error { return u.run(a, cmd, args, visit.Predictions) },
	}
	u.register(cmd)
	return cmd
}

func (u *useFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&u.out, "out", "", "folder to write to")
	f.Var(&u.memory, "memory", "memory that the program may take, as 4GiB; the result does not depend on it (default: half of what is free)")
	f.BoolVar(&u.resume, "resume", false, "go on with the job in DIR that was stopped")
	u.runner.register(cmd)
}

// run writes predictions or vectors.
func (u *useFlags) run(a *app, cmd *cobra.Command, args []string, writes string) error {
	if u.out == "" {
		return settings.Misuse("--out is missing, expected a folder to write to")
	}
	if err := u.runner.check(cmd); err != nil {
		return err
	}
	work := u.runLocal
	if u.runner.runner != localRunner {
		work = u.onEngine
	}
	m, files, err := work(a, cmd, args, writes)
	if err != nil {
		return err
	}
	return a.emit(m, func(w io.Writer) error {
		bytes := int64(0)
		for _, f := range files {
			bytes += f.Bytes
		}
		_, err := fmt.Fprintf(w, "%s: %s in %s, %s\n", u.out, writes, report.Counted(len(files), "file"), memory.Text(bytes))
		return err
	})
}

// runLocal runs a job on this machine.
func (u *useFlags) runLocal(a *app, cmd *cobra.Command, args []string, writes string) (manifest any, files map[string]store.File, err error) {
	if u.memory > 0 {
		debug.SetMemoryLimit(int64(u.memory))
	}
	step, show := "", a.progress(0, "blocks")
	m, err := local.Write(cmd.Context(), local.Job{Run: args[0], Store: args[1], Out: u.out, Writes: writes, Resume: u.resume,
		Threads: a.threads, Memory: int64(u.memory), Progress: func(now string, done, of int) {
			if now != step {
				show.Finish()
				step, show = now, a.progress(of, "blocks")
			}
			show.At(done, of, now)
		}})
	show.Finish()
	if err != nil {
		return nil, nil, err
	}
	return m, m.Files, nil
}
