package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/task"
)

// useFlags are shared by the verbs that use a trained run.
type useFlags struct {
	format, name, nodes, split, out, level string
}

// trained is a loaded run of any task.
type trained interface {
	evaluate(ctx context.Context, part string) (evaluation, error)
	Predict(ctx context.Context, part string) (*report.Table, error)
	Embed(ctx context.Context, part, level string) (*report.Table, error)
}

// evaluation is what evaluate prints.
type evaluation interface{ Text(w io.Writer) error }

// graphRun is a loaded run of a task that is not on the edges of tables.
type graphRun struct {
	*task.Session
	dir string
}

func (r graphRun) evaluate(ctx context.Context, part string) (evaluation, error) {
	e, err := r.Evaluate(ctx, part)
	if err != nil {
		return nil, err
	}
	e.Run = r.dir
	return e, nil
}

func newEvaluate(a *app) *cobra.Command {
	u := &useFlags{}
	cmd := &cobra.Command{
		Use:     "evaluate RUN [DATA]",
		Short:   "Score a trained run on a part of its data or on other data",
		Example: "  ehgnn evaluate runs/mutag\n  ehgnn evaluate runs/mutag --split valid\n  ehgnn evaluate runs/mutag OTHER.zip\n  ehgnn evaluate runs/payments new-payments",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := u.open(a, cmd, args)
			if err != nil {
				return err
			}
			res, err := s.evaluate(cmd.Context(), u.split)
			if err != nil {
				return failure(err)
			}
			return a.emit(res, res.Text)
		},
	}
	u.register(cmd)
	return cmd
}

func newPredict(a *app) *cobra.Command {
	u := &useFlags{}
	cmd := &cobra.Command{
		Use:     "predict RUN DATA",
		Short:   "Predict with a trained run: a row per graph, node or edge",
		Example: "  ehgnn predict runs/mutag MUTAG.zip --out predictions.csv\n  ehgnn predict runs/payments new-payments.csv --nodes accounts.csv --out predictions.parquet",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := u.open(a, cmd, args)
			if err != nil {
				return err
			}
			table, err := s.Predict(cmd.Context(), u.split)
			if err != nil {
				return failure(err)
			}
			return u.write(a, table)
		},
	}
	u.register(cmd)
	u.registerOut(cmd)
	return cmd
}

func newEmbed(a *app) *cobra.Command {
	u := &useFlags{}
	cmd := &cobra.Command{
		Use:     "embed RUN DATA",
		Short:   "Write the learned vectors of edges, nodes or graphs",
		Example: "  ehgnn embed runs/mutag MUTAG.zip --level edge --out edges.parquet",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("level", u.level, "edge", "node", "graph"); err != nil {
				return err
			}
			s, err := u.open(a, cmd, args)
			if err != nil {
				return err
			}
			table, err := s.Embed(cmd.Context(), u.split, u.level)
			if err != nil {
				return failure(err)
			}
			return u.write(a, table)
		},
	}
	u.register(cmd)
	u.registerOut(cmd)
	cmd.Flags().StringVar(&u.level, "level", "edge", "edge, node or graph")
	return cmd
}

func (u *useFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&u.format, "format", "", "format of DATA: tu, dgcnn, ogb or planetoid (default: recognised)")
	f.StringVar(&u.name, "name", "", "the set to read where DATA holds several")
	f.StringVar(&u.nodes, "nodes", "", "file of the nodes, in the folder of the edges, for a run on edges (default: as in training)")
	f.StringVar(&u.split, "split", "", "train, valid, test or all (default: test of the run's own data, all of other data)")
}

func (u *useFlags) registerOut(cmd *cobra.Command) {
	cmd.Flags().StringVar(&u.out, "out", "", "file to write, by extension .csv, .parquet, .npy or .jsonl (default: CSV on standard output)")
}

// open loads the run and the data: those of its training unless others are
// named. Flags are checked first.
func (u *useFlags) open(a *app, cmd *cobra.Command, args []string) (trained, error) {
	if u.out != "" {
		if err := report.CheckTablePath(u.out); err != nil {
			return nil, usage(err)
		}
	}
	if u.split != "" {
		if err := oneOf("split", u.split, "train", "valid", "test", "all"); err != nil {
			return nil, err
		}
	}
	path := ""
	if len(args) > 1 {
		path = args[1]
		if u.split == "" {
			u.split = "all"
		}
	} else if u.split == "" {
		u.split = "test"
	}
	set := ""
	if path != "" {
		at, err := a.known(path)
		if err != nil {
			return nil, err
		}
		path, set = at.Path, at.Set
	}
	if task.IsEdgeRun(args[0]) {
		return u.openEdges(a, cmd, args[0], path)
	}
	if u.nodes != "" {
		return nil, usage(fmt.Errorf("--nodes does not apply to %s, which is no run on the edges of tables", args[0]))
	}
	s, err := task.Load(cmd.Context(), args[0], task.LoadOptions{Data: path, Set: cmp.Or(u.name, set), Format: u.format, Threads: a.threads})
	if err != nil {
		return nil, usage(err)
	}
	return graphRun{s, args[0]}, nil
}

// write puts a table into --out, or as CSV (with --json as JSON) on standard
// output.
func (u *useFlags) write(a *app, t *report.Table) error {
	if u.out != "" {
		if err := report.WriteTable(u.out, t); err != nil {
			return usage(err)
		}
		return a.emit(map[string]any{"out": u.out, "rows": t.Rows()}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%d rows written to %s\n", t.Rows(), u.out)
			return err
		})
	}
	return a.emit(t, func(w io.Writer) error { return report.WriteCSV(w, t) })
}

// failure keeps errors of input apart from failures of the work.
func failure(err error) error {
	if task.IsUsage(err) || os.IsNotExist(err) {
		return usage(err)
	}
	return err
}
