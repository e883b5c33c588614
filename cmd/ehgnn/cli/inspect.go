package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// useFlags are the flags of commands that use a trained run.
type useFlags struct {
	format, name, context, smiles, invalid, split, out, level, threshold string
	nodes                                                                []string
	memory                                                               memory.Size
	budget                                                               []float64
	safe                                                                 bool
	rowsAlone                                                            bool // see source.LoadOptions.RowsAlone
	untested                                                             bool // a run without a test part is allowed

	rank rankFlags // of predict
}

func newEvaluate(a *app) *cobra.Command {
	u := &useFlags{}
	var negatives []string
	var negativesFrom string
	cmd := &cobra.Command{
		Use:   "evaluate RUN [DATA]",
		Short: "Score a trained run on a part of its data or on other data",
		Long: `Score a trained run on a part of its data or on other data. The command prints a short list;
--json has all scores, for classes of edges including the expected calibration error
(ece), Hit@k and the recall at each --budget. The loss is that of the predictions of ehgnn
predict: the log loss of class probabilities, the squared error of numbers.`,
		Example: "  ehgnn evaluate runs/mutag\n  ehgnn evaluate runs/mutag --split valid\n  ehgnn evaluate runs/mutag OTHER.zip\n  ehgnn evaluate runs/payments new-payments",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if run.IsRun(args[0]) {
				if err := notForLinks(cmd, args[0], "threshold"); err != nil {
					return err
				}
				return (&linkUse{memory: u.memory, negatives: negativesFrom}).evaluateLinks(a, cmd, args, negatives)
			}
			if negativesFrom != "" {
				return usage(fmt.Errorf("--negatives-from is for runs of link prediction, which %s is not", args[0]))
			}
			if runs, err := session.ReadLabelRuns(args[0]); err != nil {
				return failure(err)
			} else if runs != nil {
				return u.evaluateLabels(a, cmd, args, runs)
			}
			res, err := u.evaluate(a, cmd, args)
			if err != nil {
				return err
			}
			return a.emit(res, res.Text)
		},
	}
	u.register(cmd)
	u.registerThreshold(cmd)
	cmd.Flags().Lookup("split").Usage = "train, valid, test or all (default: test without DATA; all with DATA, even if it is the training data)"
	o, _ := settings.FindOption("budget")
	cmd.Flags().Float64SliceVar(&u.budget, "budget", nil, o.Help)
	cmd.Flags().Lookup("budget").DefValue = ""
	cmd.Flags().StringSliceVar(&negatives, "negatives", nil, "runs of link prediction: uniform, degree, hard, all, lists, file (default: the forms that suit the graph)")
	cmd.Flags().StringVar(&negativesFrom, "negatives-from", "", "runs of link prediction: "+run.Help("negatives-from"))
	return cmd
}

// evaluate scores a run.
func (u *useFlags) evaluate(a *app, cmd *cobra.Command, args []string) (*session.Evaluation, error) {
	s, err := u.open(a, cmd, args)
	if err != nil {
		return nil, err
	}
	if cmd.Flags().Changed("budget") {
		if err := s.SetBudget(u.budget); err != nil {
			return nil, usage(err)
		}
	}
	res, err := s.Evaluate(cmd.Context(), u.split)
	if err != nil {
		return nil, failure(err)
	}
	u.remark(a, s)
	res.Run = args[0]
	return res, nil
}

func newPredict(a *app) *cobra.Command {
	u := &useFlags{}
	var candidates, graph string
	var prior float64
	cmd := &cobra.Command{
		Use:   "predict RUN DATA",
		Short: "Predict with a trained run: a row for each graph, node or edge",
		Long: `Predict with a trained run: a row for each graph, node or edge of DATA, or of a part of it
(--split). If DATA is the training data, a column part has the part of each row. Runs trained
with --coverage have a column set with classes, or columns lower and upper, which contain the
true value that often. Ensembles (--members) have a column std, the standard deviation across
members. For edges, HyperDrop adds the last score of the edge and the layer that dropped it,
and HyperCluster adds its cluster.

A row has the columns of DATA, then the prediction; --keep-columns=false leaves out the columns
of DATA. --sort sorts rows by the probability of the rarer of two classes or by the number,
largest first; --sort NAME selects another class, label or number. It keeps all rows in memory.
With --top N only the first N rows are written and kept. --why says in words which columns
contribute most to the prediction of each written row.

Edges of tables are scored with only the edges of DATA around them. --context adds edges of
other tables, for example the history of the accounts of new payments; --context training adds
the training tables.

With DATA - the command reads node-link JSON from standard input and writes a JSON line for each
document. With a run on molecules it also reads SMILES, one in each line. JSON records and, with
a run on a table, CSV are read to their end and treated like a file. A run on other data treats
a file of node-link JSON like standard input. For documents, --sort and --top apply to the
documents if the run predicts for graphs, and otherwise to the nodes or edges of each document,
whose member number is their index. An invalid document gets a line with the member error, which
is also printed on standard error; the next documents are read, and the exit code is 1.

A table of molecules, a file of SMILES or an SD file is read and predicted in pieces. Rows that
are not molecules have the reason in column error; if atoms or bonds are predicted, such rows are
listed. Atoms and bonds are numbered from 0 in the order of the SMILES or of the SD file.`,
		Example: `  ehgnn predict runs/mutag MUTAG.zip --out predictions.csv
  ehgnn predict runs/payments new-payments.csv --nodes accounts.csv --out predictions.parquet
  ehgnn predict runs/payments new-payments.csv --context training --top 50 --why --spreadsheet-safe --out look-at.csv
  ehgnn predict runs/payments new-payments.csv --sort ok --out calmest-first.csv
  ehgnn predict runs/toxic - < graphs.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			return cobra.RangeArgs(1, 2)(cmd, u.rank.sort.removeValue(args, 2))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			args = u.rank.sort.removeValue(args, 2)
			if run.IsRun(args[0]) {
				if err := notForLinks(cmd, args[0], append(rankNames, "threshold")...); err != nil {
					return err
				}
				if candidates == "" || len(args) > 1 {
					return usage(fmt.Errorf("a run of link prediction scores the pairs of --candidates: ehgnn predict %s --candidates pairs.csv", args[0]))
				}
				if cmd.Flags().Changed("prior") {
					if err := run.CheckPrior(prior); err != nil {
						return failure(err)
					}
				}
				return (&linkUse{memory: u.memory, out: u.out, graph: graph, prior: prior, context: u.context}).predictLinks(a, cmd, args[0], candidates)
			}
			if candidates != "" || graph != "" || cmd.Flags().Changed("prior") {
				return usage(fmt.Errorf("--candidates, --graph and --prior are for runs of link prediction, which %s is not", args[0]))
			}
			if len(args) < 2 {
				return usage(fmt.Errorf("wrong number of arguments (%d); usage: %s", len(args), cmd.UseLine()))
			}
			runs, err := session.ReadLabelRuns(args[0])
			if err != nil {
				return failure(err)
			}
			first := args[0]
			if runs != nil {
				first = runs[0].Dir
			}
			if args[1] == "-" {
				in := bufio.NewReaderSize(a.stdin(), mostRecord)
				name, err := a.tableName(first, in)
				if err != nil {
					return err
				}
				if name == "" {
					return u.stream(a, cmd, args[0], in)
				}
				path, remove, err := u.keepTable(cmd, in, name)
				if err != nil {
					return err
				}
				defer remove()
				args[1] = path
			}
			if is, err := u.isDocuments(a, first, args[1]); err != nil {
				return err
			} else if is {
				return u.streamFile(a, cmd, args[0], args[1])
			}
			if runs != nil {
				return u.predictLabels(a, cmd, args, runs)
			}
			return u.table(a, cmd, args, use{
				whole:  func(s *session.Session) (*report.Table, error) { return u.rank.predictions(cmd.Context(), s, u.split) },
				pieces: func(s *session.Stream) iter.Seq2[*report.Table, error] { return s.Predict(cmd.Context()) },
			})
		},
	}
	u.register(cmd)
	u.registerThreshold(cmd)
	u.registerOut(cmd)
	u.rank.register(cmd)
	cmd.Flags().StringVar(&candidates, "candidates", "", "runs of link prediction: table of the pairs to score, with columns source and target")
	cmd.Flags().StringVar(&graph, "graph", "", "runs of link prediction: known pairs from which candidates are scored: all, or training (default all)")
	cmd.Flags().Float64Var(&prior, "prior", 0, "runs of link prediction: share of the candidates that are links, which is needed for a column probability")
	cmd.Flags().Lookup("prior").DefValue = ""
	return cmd
}

func newEmbed(a *app) *cobra.Command {
	u := &useFlags{}
	levels := []string{string(settings.Edges), string(settings.Nodes), string(settings.Graphs)}
	cmd := &cobra.Command{
		Use:     "embed RUN DATA",
		Short:   "Write the learned embeddings of edges, nodes or graphs",
		Example: "  ehgnn embed runs/mutag MUTAG.zip --level edge --out edges.parquet",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("level", u.level, levels...); err != nil {
				return err
			}
			level := settings.Level(u.level)
			return u.table(a, cmd, args, use{
				whole:  func(s *session.Session) (*report.Table, error) { return s.Embed(cmd.Context(), u.split, level) },
				pieces: func(s *session.Stream) iter.Seq2[*report.Table, error] { return s.Embed(cmd.Context(), level) },
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
var splits = []string{source.PartTrain, source.PartValid, source.PartTest, source.PartAll}

func (u *useFlags) register(cmd *cobra.Command) {
	u.registerData(cmd)
	cmd.Flags().StringVar(&u.split, "split", "", "rows of DATA to use: all, or for the training data also train, valid or test (default all)")
	complete(cmd, "split", func() []string { return splits })
}

// registerData registers the flags that say which data are read, and how.
func (u *useFlags) registerData(cmd *cobra.Command) {
	f := cmd.Flags()
	o, _ := settings.FindOption("format")
	f.StringVar(&u.format, "format", "", o.Help)
	f.StringVar(&u.name, "name", "", "set to read, if DATA holds several")
	f.StringSliceVar(&u.nodes, "nodes", nil, "tables: file of the nodes, in the folder of the edges, or two files if training had two, separated by commas or repeated (default: as in training)")
	f.StringVar(&u.context, "context", "", "tables whose edges the model sees in addition to those of DATA, or training for the training tables")
	f.StringVar(&u.smiles, "smiles", "", "column of the SMILES in a table of molecules (default: as in training, else by convention)")
	f.StringVar(&u.invalid, "on-invalid", "", "rows of a table of molecules with an invalid SMILES, or with a list of labels of the wrong length, are kept without predictions but with the reason (mark), left out (skip) or an error (fail) (default: as in training)")
	maxMemory(cmd, &u.memory)
	cmd.ValidArgsFunction = completeRunThenData
}

func (u *useFlags) registerOut(cmd *cobra.Command) {
	cmd.Flags().StringVar(&u.out, "out", "", "file to write, by extension .csv, .parquet, .arrow, .npy, .npz or .jsonl (default: CSV on standard output)")
	cmd.Flags().BoolVar(&u.safe, "spreadsheet-safe", false, "put an apostrophe before CSV texts that spreadsheets would treat as formulas (=, +, - or @)")
}

// options checks the flags and returns the data to use: the training data or the named data.
func (u *useFlags) options(a *app, args []string) (o source.LoadOptions, err error) {
	if u.out != "" {
		if err := report.CheckTablePath(u.out); err != nil {
			return o, usage(err)
		}
	}
	if name := strings.TrimSuffix(strings.ToLower(u.out), ".gz"); u.safe && (a.json && u.out == "" || u.out != "" && !strings.HasSuffix(name, ".csv")) {
		return o, usage(errors.New("--spreadsheet-safe is for CSV"))
	}
	if u.split != "" {
		if err := oneOf("split", u.split, splits...); err != nil {
			return o, err
		}
	}
	if u.invalid != "" {
		if err := oneOf("on-invalid", u.invalid, smiles.Mark, smiles.Skip, smiles.Fail); err != nil {
			return o, err
		}
	}
	o = source.LoadOptions{Set: u.name, Format: u.format, Nodes: u.nodes, Context: u.context, SMILES: u.smiles, OnInvalid: u.invalid,
		KeepColumns: u.rank.keep, RowsAlone: u.rowsAlone, Toolkit: a.toolkit(), Threads: a.threads, MaxMemory: int64(u.memory)}
	if err := u.rank.check(); err != nil {
		return o, err
	}
	if len(args) > 1 {
		at, err := a.locate(args[1])
		if err != nil {
			return o, err
		}
		o.Data, o.Set = at.Path, cmp.Or(u.name, at.Set)
	}
	if c := u.context; c != "" && c != source.ContextTraining {
		at, err := a.locate(c)
		if err != nil {
			return o, err
		}
		o.Context = at.Path
	}
	if u.split == "" {
		if u.split = source.PartTest; o.Data != "" {
			u.split = source.PartAll
		}
	}
	return o, nil
}

// open loads the run with its data.
func (u *useFlags) open(a *app, cmd *cobra.Command, args []string) (*session.Session, error) {
	o, err := u.options(a, args)
	if err != nil {
		return nil, err
	}
	r, err := u.load(a, args[0])
	if err != nil {
		return nil, err
	}
	s, err := r.Open(cmd.Context(), o)
	if err != nil {
		return nil, usage(err)
	}
	remark := ""
	if !u.untested || s.Parts[u.split] != nil {
		if remark, err = s.CheckMemory(u.split); err != nil {
			return nil, failure(err)
		}
	}
	if remark != "" {
		a.log.Warn(remark)
	}
	for _, n := range s.Data.Notes() {
		a.log.Warn(n)
	}
	return s, nil
}

// remark logs reasons why predictions on these data may be worse than necessary.
func (u *useFlags) remark(a *app, s *session.Session) {
	switch alone := s.Alone() && u.split == source.PartAll; {
	case alone && s.ReadsLabels():
		a.log.Warn("the run reads labels of other edges, and none is known here: predictions are poor; --context training adds the labels of the training, and other tables add theirs", "data", s.Data.Name())
	case alone:
		a.log.Info("edges are scored with only the edges of DATA around them; --context training adds the edges of the training, and --context TABLES adds others", "data", s.Data.Name())
	}
	if n := s.Timeless(); n > 0 {
		a.log.Warn("edges have no time: their labels count as earlier than all edges, and they themselves as later than all labels", "edges", n)
	}
	if n := s.Groupless(); n > 0 {
		a.log.Warn("edges have no group: they read the labels of all edges of the context, though the run was tested on groups whose labels it did not read", "edges", n)
	}
	for _, n := range s.Unseen(u.split) {
		a.log.Warn(n.String())
	}
}

// failure marks errors caused by the input as usage errors.
func failure(err error) error {
	if settings.IsUsage(err) || os.IsNotExist(err) {
		return usage(err)
	}
	return err
}
