package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/task"
)

// columnFlags say which files and columns of tables are what.
type columnFlags struct {
	nodes, nodeID, source, target, label, time, group, graph string
	ignore, categories                                       []string
}

// flags are those of the columns, for a command to add.
func (c *columnFlags) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("columns", pflag.ContinueOnError)
	f.StringVar(&c.nodes, "nodes", "", "tables: file of the nodes, in the folder of the edges; - for none (default: nodes.csv or the like, if there)")
	f.StringVar(&c.nodeID, "node-id", "", "tables: column of the nodes with their ids (default: id, node or node_id)")
	f.StringVar(&c.source, "source", "", "tables: column of an edge's source (default: source, src, from, sender, ...)")
	f.StringVar(&c.target, "target", "", "tables: column of an edge's target (default: target, dst, to, receiver, ...)")
	f.StringVar(&c.label, "label", "", "tables: column to predict (default: label, class, y, or target where that is no end)")
	f.StringVar(&c.time, "time", "", "tables: column of times, - for none (default: time, timestamp, datetime or date)")
	f.StringVar(&c.group, "group", "", "tables: column of groups, - for none (default: group)")
	f.StringVar(&c.graph, "graph", "", "tables: column of the graph within which ids count, - for none (default: graph or graph_id)")
	f.StringSliceVar(&c.ignore, "ignore", nil, "tables: columns not to read, by commas or repeated")
	f.StringSliceVar(&c.categories, "categories", nil, "tables: columns whose numbers are names, as codes are, by commas or repeated")
	return f
}

// options are those for the tables at path; number says that the label is one.
func (c *columnFlags) options(path, edges string, number bool) (tables.Options, error) {
	form, err := edgeForm(edges)
	if err != nil {
		return tables.Options{}, err
	}
	nodes, err := besides(path, c.nodes)
	return tables.Options{Nodes: nodes, NodeID: c.nodeID, Source: c.source, Target: c.target, Label: c.label, Time: c.time, Group: c.group, Graph: c.graph,
		Ignore: c.ignore, Categories: c.categories, Number: number, Form: form}, err
}

// besides is the name of a file in the folder of the tables at path: as it is given,
// or where that leads to from here.
func besides(path, file string) (string, error) {
	if filepath.Base(file) == file || file == "" {
		return file, nil
	}
	dir := path
	if !isDir(path) {
		if strings.EqualFold(filepath.Ext(path), ".zip") {
			return file, nil
		}
		dir = filepath.Dir(path)
	}
	if _, err := os.Stat(filepath.Join(dir, file)); err == nil && filepath.IsLocal(file) {
		return filepath.ToSlash(file), nil
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(rel) {
		return "", usage(fmt.Errorf("--nodes is %q, expected a file in the folder of the edges, %s", file, dir))
	}
	return filepath.ToSlash(rel), nil
}

// edgeFlags are the settings of training on edges that other tasks have not.
type edgeFlags struct {
	columnFlags
	fractions                       []float64
	pairs, transductive, unweighted bool
	all                             *pflag.FlagSet // these and those of the columns
}

func (e *edgeFlags) register(cmd *cobra.Command) {
	f := e.flags()
	f.Float64SliceVar(&e.fractions, "fractions", nil, "tables: shares of the edges that train, validate and test, as `0.8,0.1,0.1` (default 0.6,0.2,0.2)")
	f.Lookup("fractions").DefValue = ""
	f.BoolVar(&e.pairs, "pairs", false, "tables: keep all edges between two nodes in one part, for --split random and group")
	f.BoolVar(&e.transductive, "transductive", false, "tables: training sees the features (never the labels) of all edges, not only of its own")
	f.BoolVar(&e.unweighted, "unweighted", false, "edge-classification: every edge counts alike, however rare its class")
	e.all = f
	cmd.Flags().AddFlagSet(f)
}

// sharedFlags of train mean something for tasks on edges and for others. All other
// flags are of one of them.
var sharedFlags = []string{"out", "resume", "task", "model", "edges", "split",
	"epochs", "hidden", "edge-hidden", "layers", "patience", "lr", "weight-decay", "dropout", "constant-lr"}

// onEdges reports whether a task on edges is asked for: by its name, by a model of
// edges, or by tables when nothing says otherwise.
func (t *trainFlags) onEdges(cmd *cobra.Command, path string) bool {
	if t.task != "" {
		return slices.Contains(task.EdgeTasks, t.task)
	}
	if cmd.Flags().Changed("model") {
		if _, err := task.FindEdgeModel(t.model); err == nil {
			return true
		}
		if _, err := model.Find(t.model); err == nil {
			return false
		}
	}
	return !cmd.Flags().Changed("format") && tables.Recognise(path)
}

// checkFlags refuses flags that mean nothing for the task, which would pass for
// settings otherwise.
func (t *trainFlags) checkFlags(cmd *cobra.Command, taskName string) (err error) {
	onEdges := slices.Contains(task.EdgeTasks, taskName)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		of := t.edge.all.Lookup(f.Name) != nil
		switch {
		case err != nil || cmd.InheritedFlags().Lookup(f.Name) != nil:
		case of && !onEdges:
			err = fmt.Errorf("--%s does not apply to %s; it is for %s", f.Name, taskName, strings.Join(task.EdgeTasks, " and "))
		case onEdges && !of && !slices.Contains(sharedFlags, f.Name):
			err = fmt.Errorf("--%s does not apply to %s", f.Name, taskName)
		}
	})
	if given := cmd.Flags().Changed; err == nil && onEdges {
		switch {
		case given("unweighted") && taskName == task.EdgeRegression:
			err = fmt.Errorf("--unweighted does not apply to %s, which has no classes", taskName)
		case given("fractions") && len(t.edge.fractions) != 3:
			err = fmt.Errorf("--fractions has %d numbers, expected 3: of training, validation and test", len(t.edge.fractions))
		}
	}
	return usage(err)
}

// openEdges reads tables and builds a model of their edges.
func (t *trainFlags) openEdges(a *app, cmd *cobra.Command, path string) (*task.EdgeSession, error) {
	t.task = cmp.Or(t.task, task.EdgeClassification)
	if !cmd.Flags().Changed("model") {
		t.model = task.DefaultEdgeModel
	}
	if _, err := task.FindEdgeModel(t.model); err != nil {
		return nil, usage(err)
	}
	if err := t.checkFlags(cmd, t.task); err != nil {
		return nil, err
	}
	if t.split != "" {
		if err := oneOf("split", t.split, tables.ByRandom, tables.ByTime, tables.ByGroup); err != nil {
			return nil, err
		}
	}
	columns, err := t.edge.options(path, t.edges, t.task == task.EdgeRegression)
	if err != nil {
		return nil, err
	}
	r := task.EdgeRequest{Path: path, Task: t.task, Model: t.model, Tables: columns,
		Split: tables.SplitOptions{By: t.split, Pairs: t.edge.pairs}, Input: tables.InputOptions{Transductive: t.edge.transductive},
		Unweighted: t.edge.unweighted, Seed: a.seed, Threads: a.threads, Overrides: t.request(a, cmd, path).Overrides}
	copy(r.Split.Fractions[:], t.edge.fractions)
	s, err := task.OpenEdges(cmd.Context(), r)
	if err != nil {
		return nil, usage(err)
	}
	for _, n := range s.Set.Notes {
		a.log.Info(n)
	}
	if o := s.Set.Options; t.split == "" && o.Time != tables.None {
		t.advice = fmt.Sprintf("edges were split at random; where later ones are to be predicted, --split time tests the latest by column %s", o.Time)
	}
	return s, nil
}

// graphTask is the task that flags ask for which are not of edges; empty where the
// model is unknown, which the session says.
func (t *trainFlags) graphTask() (string, error) {
	_, err := task.FindEdgeModel(t.model)
	switch known := append(task.Names(), task.EdgeTasks...); {
	case t.task != "" && !slices.Contains(known, t.task):
		return "", usage(fmt.Errorf("unknown task %q, expected one of: %s", t.task, strings.Join(known, ", ")))
	case t.task != "" && err == nil:
		return "", usage(fmt.Errorf("model %s is for %s, not for %s", t.model, strings.Join(task.EdgeTasks, " and "), t.task))
	case t.task != "":
		return t.task, nil
	}
	spec, err := model.Find(t.model)
	if err != nil {
		return "", nil
	}
	return spec.Tasks[0], nil
}

// tablesHint says to an error of reading other data that the path holds tables.
func tablesHint(err error, path, hint string) error {
	if err == nil || !tables.Recognise(path) {
		return err
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// edgeModels lists the models of edges by name.
func edgeModels() string {
	names := make([]string, len(task.EdgeModels()))
	for i, s := range task.EdgeModels() {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// edgeForm reads --edges.
func edgeForm(edges string) (data.Edges, error) {
	form, ok := map[string]data.Edges{"auto": data.Auto, "undirected": data.Undirected, "directed": data.Directed}[edges]
	if !ok {
		return 0, usage(fmt.Errorf("edges %q, expected auto, undirected or directed", edges))
	}
	return form, nil
}

// edgeRun is a loaded run on edges.
type edgeRun struct {
	*task.EdgeSession
	dir string
}

func (r edgeRun) evaluate(ctx context.Context, part string) (evaluation, error) {
	e, err := r.Evaluate(ctx, part)
	if err != nil {
		return nil, err
	}
	e.Run = r.dir
	return e, nil
}

// openEdges loads a run on edges, with other tables when a path is given.
func (u *useFlags) openEdges(a *app, cmd *cobra.Command, dir, path string) (trained, error) {
	for _, name := range []string{"format", "name"} {
		if cmd.Flags().Changed(name) {
			return nil, usage(fmt.Errorf("--%s does not apply to %s, which is a run on the edges of tables", name, dir))
		}
	}
	if u.nodes != "" && path == "" {
		return nil, usage(fmt.Errorf("--nodes is given without DATA, the tables that it belongs to"))
	}
	nodes, err := besides(path, u.nodes)
	if err != nil {
		return nil, err
	}
	s, err := task.LoadEdges(cmd.Context(), dir, task.EdgeLoadOptions{Data: path, Nodes: nodes, Threads: a.threads})
	if err != nil {
		return nil, usage(err)
	}
	return edgeRun{s, dir}, nil
}
