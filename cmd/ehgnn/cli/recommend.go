package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/source"
)

// linkUse are the flags of commands that use a run of link prediction.
type linkUse struct {
	graph, out string
	memory     memory.Size
	prior      float64 // of predict; 0 for none
	negatives  string  // file of evaluate
	context    string  // file of further edges, for predict and recommend
}

// open loads a run with its training data.
func (u *linkUse) open(a *app, cmd *cobra.Command, args []string) (*run.Run, error) {
	if u.out != "" {
		if err := report.CheckTablePath(u.out); err != nil {
			return nil, usage(err)
		}
	}
	if u.context == source.ContextTraining {
		return nil, usage(fmt.Errorf("--context %s: the graph has the pairs of the training already, expected a table of further edges", u.context))
	}
	if u.graph != "" {
		if err := oneOf("graph", u.graph, "all", "training"); err != nil {
			return nil, err
		}
	}
	if !run.IsRun(args[0]) {
		return nil, usage(fmt.Errorf("%s holds no run of link prediction; ehgnn train DATA --task %s --out %s makes one", args[0], run.Task, args[0]))
	}
	o := run.LoadOptions{Threads: a.threads, MaxMemory: int64(u.memory), Training: u.graph == "training", Prior: u.prior, NegativesFrom: u.negatives, Tell: func(text string) { a.log.Info(text) }}
	if len(args) > 1 {
		o.Data = args[1]
	}
	r, err := run.Load(cmd.Context(), args[0], o)
	if err == nil && u.context != "" {
		r, err = r.WithFile(cmd.Context(), u.context, int64(u.memory))
	}
	if err != nil {
		return nil, failure(err)
	}
	return r, nil
}

func newRecommend(a *app) *cobra.Command {
	u := &linkUse{}
	var q run.Query
	var file, among, side string
	var topLinks int
	var all, resume bool
	cmd := &cobra.Command{
		Use:   "recommend RUN",
		Short: "Rank partners for nodes with a run of link prediction",
		Long: `Rank partners for nodes with a run of link prediction: a row for each node and partner, best first.
Every possible partner is scored, except if a model that does not multiply vectors would need more
than 200 million scores: then, also with --top-links, only likely partners are scored, unless --exact
is given. Known partners are left out unless --include-known is given. A node without pairs and
without features gets the most popular partners, which column popular marks. --context adds edges to
the graph, also of new nodes, which column cold marks; nothing is trained again.

--for-all lists partners of all nodes in the order of their ids. It writes the file gradually, and the
same command with --resume continues after an interruption.

Scores order the partners of one node; they are not probabilities. --why adds the reasons for a
partner: the common neighbours with the highest weights or, in a bipartite graph, the most similar
targets of the node; with times also the time of their last contact.`,
		Example: `  ehgnn recommend runs/friends --for 17,23 --top 10 --why
  ehgnn recommend runs/shop --for-file customers.txt --out top.csv
  ehgnn recommend runs/shop --for i5 --side source
  ehgnn recommend runs/shop --context new-orders.csv --for new-customer
  ehgnn recommend runs/shop --for-all --out all.csv
  ehgnn recommend runs/friends --top-links 1000 --out missing.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := atLeast("top", q.Top, 1); err != nil {
				return err
			}
			if err := oneOf("side", side, "target", "source"); err != nil {
				return err
			}
			q.Sources = side == "source"
			var err error
			if q.For, err = readIDs(q.For, file, "for-file"); err != nil {
				return usage(err)
			}
			if among != "" {
				if q.Among, err = readIDs(nil, among, "among"); err != nil {
					return usage(err)
				}
			}
			missing := cmd.Flags().Changed("top-links")
			if chosen := lists.Filter([]bool{len(q.For) > 0, missing, all}, func(is bool) bool { return is }); len(chosen) != 1 {
				return usage(fmt.Errorf("expected the nodes to recommend for, by --for or --for-file, or --for-all, or --top-links"))
			}
			if resume && (!all || u.out == "") {
				return usage(fmt.Errorf("--resume goes on with the file of --for-all --out"))
			}
			if missing {
				if err := atLeast("top-links", topLinks, 1); err != nil {
					return err
				}
				for _, name := range []string{"top", "side", "include-known", "skip-unknown", "among"} {
					if cmd.Flags().Changed(name) {
						return usage(fmt.Errorf("--%s does not apply to --top-links, which lists missing pairs of the whole graph", name))
					}
				}
				q.Top = topLinks
			}
			defer run.Alone()()
			r, err := u.open(a, cmd, args)
			if err != nil {
				return err
			}
			if all {
				return u.recommendAll(a, cmd, r, q, resume)
			}
			var list []run.Recommendation
			if missing {
				list, err = r.TopLinks(cmd.Context(), q)
			} else {
				list, err = r.Recommend(cmd.Context(), q)
			}
			if err != nil {
				return failure(err)
			}
			u.remark(a, q, list)
			return u.write(a, recommendations(list, q.Why))
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&q.For, "for", nil, "ids of the nodes, separated by commas or repeated; put an id with a comma in quotes or in --for-file")
	f.StringVar(&file, "for-file", "", "file with an id on each line")
	f.BoolVar(&all, "for-all", false, "all nodes that can have partners, in the order of their ids; --out is written gradually")
	f.BoolVar(&resume, "resume", false, "continue the file of an interrupted --for-all of the same command")
	f.IntVar(&q.Top, "top", 10, "partners of each node")
	f.IntVar(&topLinks, "top-links", 0, "instead of --for: so many missing pairs of the whole graph with the highest scores")
	f.StringVar(&side, "side", "target", "side of the partners in a directed or bipartite graph: target or source")
	f.BoolVar(&q.Known, "include-known", false, "also rank known partners, for example for reorders")
	f.BoolVar(&q.SkipUnknown, "skip-unknown", false, "ignore ids that the tables do not have")
	f.StringVar(&among, "among", "", "file with the ids of the partners to choose from (default: all)")
	f.BoolVar(&q.Exact, "exact", false, "score every candidate, even if this takes more than 2·10⁸ scores of a model that does not multiply vectors")
	f.BoolVar(&q.Why, "why", false, "add the reasons for each partner")
	u.register(cmd)
	f.StringVar(&u.out, "out", "", "file to write, by extension .csv, .parquet or .jsonl (default: CSV on standard output)")
	return cmd
}

// register adds the flags of reading.
func (u *linkUse) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&u.graph, "graph", "", "known pairs from which candidates are scored: all, or training (default all)")
	cmd.Flags().StringVar(&u.context, "context", "", "table of further edges of the graph, with times if the run has --split time; it may have new nodes")
	maxMemory(cmd, &u.memory)
}

// remark says what the list leaves out.
func (u *linkUse) remark(a *app, q run.Query, list []run.Recommendation) {
	if !q.Known && len(q.For) > 0 {
		a.log.Info("known partners are left out; --include-known ranks them as well")
	}
	rows, popular := map[string]int{}, 0
	for _, r := range list {
		rows[r.Source]++
		if r.Popular && r.Rank == 1 {
			popular++
		}
	}
	short := 0
	for _, id := range q.For {
		if rows[id] < q.Top {
			short++
			rows[id] = q.Top // an id that occurs twice counts once
		}
	}
	if short > 0 {
		a.log.Info("nodes with fewer candidates than asked for", "nodes", short, "top", q.Top)
	}
	if popular > 0 {
		a.log.Warn("nodes without a pair get the most popular partners", "nodes", popular)
	}
}

// write writes a table to --out or standard output.
func (u *linkUse) write(a *app, t *report.Table) error {
	w := &useFlags{out: u.out}
	return w.write(a, t)
}

// recommendations returns the rows of recommendations.
func recommendations(list []run.Recommendation, why bool) *report.Table {
	var source, target, reason, known, popular, cold []string
	var rank []int32
	var scores []float32
	for _, r := range list {
		source, target, rank, scores = append(source, r.Source), append(target, r.Target), append(rank, int32(r.Rank)), append(scores, float32(r.Score))
		known, popular, reason = append(known, fmt.Sprint(r.Known)), append(popular, fmt.Sprint(r.Popular)), append(reason, r.Text)
		cold = append(cold, fmt.Sprint(r.Cold))
	}
	t := &report.Table{Columns: []report.Column{report.Strings("source", source), report.Ints("rank", rank), report.Strings("target", target),
		report.Floats("score", scores), report.Strings("known", known), report.Strings("popular", popular), report.Strings("cold", cold)}}
	if why {
		t.Columns = append(t.Columns, report.Strings("why", reason))
	}
	return t
}

// readIDs adds the lines of a file to ids.
func readIDs(ids []string, file, flag string) ([]string, error) {
	if file == "" {
		return ids, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	for line := range strings.Lines(string(text)) {
		if id := strings.TrimSpace(line); id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("--%s: %s has no id, expected one on each line", flag, file)
	}
	return ids, nil
}

// predictLinks scores the pairs of a table.
func (u *linkUse) predictLinks(a *app, cmd *cobra.Command, dir, file string) error {
	r, err := u.open(a, cmd, []string{dir})
	if err != nil {
		return err
	}
	pairs, lines, err := r.ReadPairs(file, int64(u.memory))
	if err != nil {
		return usage(fmt.Errorf("--candidates: %s", sanitize.WithoutPackage(err.Error())))
	}
	seen := map[[2]string]bool{}
	var once [][2]string
	var at []int // line numbers of once
	for i, p := range pairs {
		if !seen[p] {
			seen[p] = true
			once, at = append(once, p), append(at, lines[i])
		}
	}
	if n := len(pairs) - len(once); n > 0 {
		a.log.Info("candidates that are there twice are scored once", "repeated", n)
	}
	scored, err := r.Score(cmd.Context(), once)
	if bad := (*run.EdgeError)(nil); errors.As(err, &bad) {
		return usage(fmt.Errorf("--candidates: %w", &data.ParseError{File: file, Line: at[bad.Edge], Msg: bad.Error()}))
	}
	if err != nil {
		return failure(err)
	}
	var source, target, known, first, second, cold []string
	var scores, probability []float32
	for _, s := range scored {
		if s.Probability != nil {
			probability = append(probability, float32(*s.Probability))
		}
		source, target, scores = append(source, s.Source), append(target, s.Target), append(scores, float32(s.Score))
		known, first, second = append(known, fmt.Sprint(s.Known)), append(first, fmt.Sprint(s.SourceSeen)), append(second, fmt.Sprint(s.TargetSeen))
		cold = append(cold, fmt.Sprint(s.Cold))
	}
	columns := []report.Column{report.Strings("source", source), report.Strings("target", target), report.Floats("score", scores)}
	if probability != nil {
		columns = append(columns, report.Floats("probability", probability))
	}
	return u.write(a, &report.Table{Columns: append(columns, report.Strings("known", known), report.Strings("source_seen", first), report.Strings("target_seen", second), report.Strings("cold", cold))})
}

// evaluateLinks scores the test part of a run with some negatives.
func (u *linkUse) evaluateLinks(a *app, cmd *cobra.Command, args []string, negatives []string) error {
	if err := checkNegatives(negatives); err != nil {
		return err
	}
	r, err := u.open(a, cmd, args)
	if err != nil {
		return err
	}
	res, err := r.Evaluate(cmd.Context(), negatives)
	if err != nil {
		return failure(err)
	}
	return a.emit(res, res.Text)
}
