package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/task"
)

// useFlags are the flags of the verbs that use a trained run.
type useFlags struct {
	format, name, nodes, context, smiles, invalid, split, out, level string
	memory                                                           byteSize
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
			res, err := s.Evaluate(cmd.Context(), u.split)
			if err != nil {
				return failure(err)
			}
			u.remark(a, s)
			res.Run = args[0]
			return a.emit(res, res.Text)
		},
	}
	u.register(cmd)
	return cmd
}

func newPredict(a *app) *cobra.Command {
	u := &useFlags{}
	cmd := &cobra.Command{
		Use:   "predict RUN DATA",
		Short: "Predict with a trained run: a row per graph, node or edge",
		Long: `Predict with a trained run: a row per graph, node or edge. For all of the data of the
training, a column says in which part a row was. Rows of edges have, of HyperDrop, the
last score of the edge and the layer that dropped it, and of HyperCluster its cluster.

The edges of tables are scored with those of DATA around them and no others; --context
adds edges of other tables, as the history of the accounts in new payments. With
--context training these are the tables that the run was trained on.

DATA - reads node-link JSON from standard input, a document a line, and writes a line of
JSON for each.`,
		Example: `  ehgnn predict runs/mutag MUTAG.zip --out predictions.csv
  ehgnn predict runs/payments new-payments.csv --nodes accounts.csv --out predictions.parquet
  ehgnn predict runs/payments new-payments.csv --context training
  ehgnn predict runs/toxic - < graphs.jsonl`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] == "-" {
				return u.stream(a, cmd, args[0])
			}
			return u.table(a, cmd, args, func(s *task.Session) (*report.Table, error) {
				return s.Predict(cmd.Context(), u.split)
			})
		},
	}
	u.register(cmd)
	u.registerOut(cmd)
	return cmd
}

func newEmbed(a *app) *cobra.Command {
	u := &useFlags{}
	levels := []string{string(task.Edges), string(task.Nodes), string(task.Graphs)}
	cmd := &cobra.Command{
		Use:     "embed RUN DATA",
		Short:   "Write the learned vectors of edges, nodes or graphs",
		Example: "  ehgnn embed runs/mutag MUTAG.zip --level edge --out edges.parquet",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("level", u.level, levels...); err != nil {
				return err
			}
			return u.table(a, cmd, args, func(s *task.Session) (*report.Table, error) {
				return s.Embed(cmd.Context(), u.split, task.Items(u.level))
			})
		},
	}
	u.register(cmd)
	u.registerOut(cmd)
	cmd.Flags().StringVar(&u.level, "level", "edge", "edge, node or graph")
	complete(cmd, "level", func() []string { return levels })
	return cmd
}

// splits are the values of --split.
var splits = []string{task.PartTrain, task.PartValid, task.PartTest, task.PartAll}

func (u *useFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	o, _ := task.FindOption("format")
	f.StringVar(&u.format, "format", "", o.Help)
	f.StringVar(&u.name, "name", "", "the set to read where DATA holds several")
	f.StringVar(&u.nodes, "nodes", "", "file of the nodes, in the folder of the edges, for a run on tables (default: as in training)")
	f.StringVar(&u.context, "context", "", "tables whose edges the model sees beside those of DATA, or training for those of the training")
	f.StringVar(&u.smiles, "smiles", "", "column of the SMILES in a table of molecules (default: as in training, else by convention)")
	f.StringVar(&u.invalid, "on-invalid", "", "rows of a table of molecules whose SMILES is none are kept, empty, with the reason (mark), left out (skip) or an error (fail) (default: as in training)")
	f.StringVar(&u.split, "split", "", "train, valid, test or all (default: test of the run's own data, all of other data)")
	u.memory.register(cmd)
	complete(cmd, "split", func() []string { return splits })
	cmd.ValidArgsFunction = completeRunThenData
}

func (u *useFlags) registerOut(cmd *cobra.Command) {
	cmd.Flags().StringVar(&u.out, "out", "", "file to write, by extension .csv, .parquet, .npy or .jsonl (default: CSV on standard output)")
}

// open loads the run with the data of its training or others that are named. Flags are
// checked first.
func (u *useFlags) open(a *app, cmd *cobra.Command, args []string) (*task.Session, error) {
	if u.out != "" {
		if err := report.CheckTablePath(u.out); err != nil {
			return nil, usage(err)
		}
	}
	if u.split != "" {
		if err := oneOf("split", u.split, splits...); err != nil {
			return nil, err
		}
	}
	o := task.LoadOptions{Set: u.name, Format: u.format, Nodes: u.nodes, Context: u.context, SMILES: u.smiles, OnInvalid: u.invalid,
		Toolkit: a.toolkit(), Threads: a.threads, MaxMemory: int64(u.memory)}
	if len(args) > 1 {
		at, err := a.known(args[1])
		if err != nil {
			return nil, err
		}
		o.Data, o.Set = at.Path, cmp.Or(u.name, at.Set)
	}
	if c := u.context; c != "" && c != task.ContextTraining {
		at, err := a.known(c)
		if err != nil {
			return nil, err
		}
		o.Context = at.Path
	}
	if u.split == "" {
		if u.split = task.PartTest; o.Data != "" {
			u.split = task.PartAll
		}
	}
	s, err := task.Load(cmd.Context(), args[0], o)
	if err != nil {
		return nil, usage(err)
	}
	remark, err := s.Foresee(u.split)
	if err != nil {
		return nil, failure(err)
	}
	if remark != "" {
		a.log.Warn(remark)
	}
	return s, nil
}

// table writes what make gives for the run and its data.
func (u *useFlags) table(a *app, cmd *cobra.Command, args []string, make func(*task.Session) (*report.Table, error)) error {
	s, err := u.open(a, cmd, args)
	if err != nil {
		return err
	}
	t, err := make(s)
	if err != nil {
		return failure(err)
	}
	u.remark(a, s)
	return u.write(a, t)
}

// remark logs what may make predictions on these data worse than they could be.
func (u *useFlags) remark(a *app, s *task.Session) {
	if s.Alone() && u.split == task.PartAll {
		a.log.Info("edges are scored with those of DATA around them alone; --context training adds those of the training, or other tables", "data", s.Data.Name())
	}
	for _, n := range s.Unseen(u.split) {
		a.log.Warn("categories that training has not seen are taken for none", "column", n.Column, "rows", n.Rows, "first", n.Example)
	}
}

// write puts a table into --out or, without it, on standard output as CSV or, with --json,
// as JSON.
func (u *useFlags) write(a *app, t *report.Table) error {
	if u.out != "" {
		if err := report.WriteTable(u.out, t); err != nil {
			return usage(err)
		}
		return a.emit(map[string]any{"out": u.out, "rows": t.Rows()}, func(w io.Writer) error {
			return writeLines(w, fmt.Sprintf("%d rows written to %s", t.Rows(), u.out))
		})
	}
	if a.json {
		return a.emit(t, nil)
	}
	return report.WriteCSV(a.Stdout, t)
}

// failure marks errors that are due to the input as errors of usage.
func failure(err error) error {
	if task.IsUsage(err) || os.IsNotExist(err) {
		return usage(err)
	}
	return err
}
