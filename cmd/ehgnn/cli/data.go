package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/task"
)

func newData(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List, fetch, look at and convert data sets",
		Args:  verbsOnly,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(dataList(a), dataFetch(a), dataInfo(a), dataConvert(a))
	return cmd
}

func dataInfo(a *app) *cobra.Command {
	in := &dataFlags{}
	columns := &columnFlags{}
	named := columns.flags()
	var taskName string
	cmd := &cobra.Command{
		Use:   "info PATH",
		Short: "Summarise a data set: sizes, features, classes, splits, checksum",
		Long: `Summarise a data set: sizes, features, classes, splits, checksum. PATH is a folder,
a zip or a file of a set, or the name of a known one in the data folder. Tables of
nodes and edges (a folder or zip with edges.csv, or a CSV, TSV or Parquet file) are
described by their columns, as train reads them for a task on edges.`,
		Example: "  ehgnn data info MUTAG.zip\n  ehgnn data info planetoid --name cora\n  ehgnn data info payments --label fraud",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := a.known(args[0])
			if err != nil {
				return err
			}
			if in.format == "" && tables.Recognise(at.Path) {
				return in.describe(a, at.Path, columns, taskName)
			}
			named.VisitAll(func(f *pflag.Flag) {
				if f.Changed && err == nil {
					err = usage(fmt.Errorf("--%s is for tables of edges, and %s holds none", f.Name, args[0]))
				}
			})
			if err != nil {
				return err
			}
			parts, err := in.open(a, args[0])
			if err != nil {
				return err
			}
			infos := parts.Infos()
			if a.json && len(infos) == 1 {
				return a.emit(infos[0], nil)
			}
			return a.emit(infos, func(w io.Writer) error {
				for _, i := range infos {
					if err := printInfo(w, i); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	in.register(cmd)
	named.StringVar(&taskName, "task", task.EdgeClassification, "tables: what the label is read for, "+strings.Join(task.EdgeTasks, " or "))
	cmd.Flags().AddFlagSet(named)
	return cmd
}

// dataFlags are shared by the verbs that read any data set.
type dataFlags struct {
	format, edges, name string
}

func (f *dataFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "", "tu, dgcnn, ogb or planetoid (default: recognised)")
	cmd.Flags().StringVar(&f.edges, "edges", "auto", "auto, undirected or directed")
	cmd.Flags().StringVar(&f.name, "name", "", "the set to read where PATH holds several")
}

// open reads a path, or a known set by its name in the data folder.
func (f *dataFlags) open(a *app, path string) (*task.Parts, error) {
	if f.format != "" {
		if err := oneOf("format", f.format, data.FormatTU, data.FormatDGCNN, data.FormatOGB, planetoid.Format); err != nil {
			return nil, err
		}
	}
	edges, err := edgeForm(f.edges)
	if err != nil {
		return nil, err
	}
	at, err := a.known(path)
	if err != nil {
		return nil, err
	}
	path = at.Path
	name := cmp.Or(at.Set, f.name)
	var whole *data.Dataset
	switch {
	case f.format == planetoid.Format || f.format == "" && planetoid.Recognise(path):
		whole, err = planetoid.Open(path, planetoid.Options{Name: name, Edges: edges})
	case name != "":
		whole, err = data.Open(path, data.Options{Format: f.format, Name: name, Edges: edges})
	default:
		parts, err := task.OpenData(path, f.format, f.edges)
		if errors.Is(err, data.ErrUnknownFormat) {
			err = tablesHint(err, path, "these are tables of nodes and edges, which ehgnn train and ehgnn data info read")
		}
		return parts, usage(err)
	}
	if err != nil {
		return nil, usage(err)
	}
	return &task.Parts{Whole: whole}, nil
}

func printInfo(w io.Writer, p task.PartInfo) error {
	i := p.Info
	form := "undirected: one edge for both directions"
	if i.Directed {
		form = "directed: each direction an edge of its own"
	}
	name := i.Name
	if p.Part != "" {
		name += " (" + p.Part + ")"
	}
	lines := []string{
		fmt.Sprintf("%s, %s format", name, i.Format),
		fmt.Sprintf("  graphs         %d", i.NumGraphs),
		fmt.Sprintf("  nodes          %.2f mean, %d at most", i.MeanNodes, i.MaxNodes),
		fmt.Sprintf("  edges          %.2f mean, %d at most, undirected count", i.MeanEdges, i.MaxEdges),
		fmt.Sprintf("  form           %s", form),
		fmt.Sprintf("  node features  %d wide", i.NodeWidth),
		fmt.Sprintf("  edge features  %d wide", i.EdgeWidth),
	}
	if i.NumClasses > 0 {
		lines = append(lines, fmt.Sprintf("  classes        %d: %s", i.NumClasses, strings.Join(i.ClassNames, ", ")))
	}
	if i.NumNodeClasses > 0 {
		lines = append(lines, fmt.Sprintf("  node classes   %d", i.NumNodeClasses))
	}
	if i.NumTargets > 0 {
		lines = append(lines, fmt.Sprintf("  targets        %d%s, %.1f%% missing", i.NumTargets, targetNames(i),
			100*float64(i.MissingTargets)/(float64(i.NumTargets)*float64(i.NumGraphs))))
	}
	if i.HasFolds {
		lines = append(lines, "  folds          10, fixed")
	}
	for _, s := range []struct {
		of string
		*data.SplitInfo
	}{{"graphs", i.Split}, {"nodes", i.NodeSplit}} {
		if s.SplitInfo != nil {
			lines = append(lines, fmt.Sprintf("  split          %s: %d train, %d valid, %d test %s", s.Name, s.Train, s.Valid, s.Test, s.of))
		}
	}
	lines = append(lines, "  checksum       sha256 "+i.Checksum)
	for _, n := range i.Notes {
		lines = append(lines, "  note           "+n)
	}
	return writeLines(w, lines...)
}

// targetNames are the first few names of the targets, in brackets.
func targetNames(i data.Info) string {
	const most = 4
	names := i.TargetNames
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(names[:most], ", "), len(names)-most)
	}
	return fmt.Sprintf(" (%s)", strings.Join(names, ", "))
}
