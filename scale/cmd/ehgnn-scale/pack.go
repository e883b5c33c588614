package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/progress"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// packFlags are the flags of pack.
type packFlags struct {
	store.PackOptions
	out, run, form, task, parts string
	nodes                       []string
	fractions                   []float64
	memory                      memory.Size
}

func newPack(a *app) *cobra.Command {
	p := &packFlags{}
	cmd := &cobra.Command{
		Use:   "pack EDGES... --out STORE",
		Short: "Turn tables of edges and nodes into a store",
		Long: `Turn tables of edges, and of nodes, into a store: CSV (gzipped or not) or Parquet, read in the order
in which they are named, as one table. EDGES may be a folder with edges.csv or the like, and maybe
nodes.csv. Memory does not grow with the tables, disk does: files of the size of the store
are written below its name on the way, and removed.

With --run the features are encoded as those that the run was trained on, for predict and embed, and
the columns are those of the run. Without it an encoder is fitted on the training edges of --split
and the nodes at them, for train: then the edges are read twice, and by time three times.

Columns have the roles that ehgnn gives them. Two things differ, as the tables are never whole in
memory. Each row is an edge: a table that lists every undirected edge in both directions, which
ehgnn reads as one edge each, is refused with --edges undirected. And --split random gives each part
its share of the edges, not of each class; rows that agree in nodes and columns (label, group
and part left aside) stay together, as in ehgnn. The same tables and flags give the same bytes.`,
		Example: `  ehgnn-scale pack payments/edges.csv --nodes payments/nodes.csv --split time --out payments.store
  ehgnn-scale pack edges/*.parquet --nodes 'nodes/*.parquet' --run runs/payments --out june.store`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.execute(a, cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&p.out, "out", "", "the store, a folder that is not there yet")
	f.StringVar(&p.run, "run", "", "run folder whose encoder and columns are used")
	f.StringSliceVar(&p.nodes, "nodes", nil, "files of nodes, by commas or repeated, or patterns in quotes; - for none")
	f.IntVar(&p.BlockEdges, "block", 0, "edges of a block (default 262144)")
	f.StringVar(&p.parts, "parts", "auto", "number of parts that nodes are divided into; auto: so that the sums of one take less than 64 MiB at width 32")
	f.Var(&p.memory, "memory", "memory that packing may take, about, as 4GiB (default: 2GiB, at most half of what is free)")
	f.StringVar(&p.form, "edges", "", "directed, undirected or bipartite: ids of sources and of targets name different things (default: as in the run, else directed)")
	f.StringVar(&p.task, "task", "", "edge-classification, or edge-regression for labels that are numbers to estimate (default: as in the run, else edge-classification)")
	f.StringVar(&p.Split.By, "split", "", "how the edges are divided for training: random, time, or column (default: of the run none, else random)")
	f.Float64SliceVar(&p.fractions, "fractions", nil, "shares that train, validate and test, as `0.8,0.1,0.1` (default 0.6,0.2,0.2)")
	f.Lookup("fractions").DefValue = ""
	t := &p.Tables
	f.StringVar(&t.Part, "part", "", "column of the parts of a split, train, valid and test or 0, 1 and 2, for --split column, which it implies; where it is missing the edge is in none")
	f.StringVar(&t.NodeID, "node-id", "", "column of the nodes with their ids (default: id, node or node_id)")
	f.StringVar(&t.Source, "source", "", "column of an edge's source (default: source, src, from, sender, ...)")
	f.StringVar(&t.Target, "target", "", "column of an edge's target (default: target, dst, to, receiver, ...)")
	f.StringVar(&p.EdgeID, "edge-id", "", "column with names of edges, which predictions have beside the numbers of rows; it is no feature")
	f.StringVar(&t.Label, "label", "", "column to predict, - for none (default: label, class, y, or target where that is no end)")
	f.StringVar(&t.Time, "time", "", "column of times, - for none (default: time, timestamp, datetime or date)")
	f.StringVar(&t.Group, "group", "", "column of groups, which is no feature, - for none (default: group)")
	f.StringVar(&t.Graph, "graph", "", "- where a column called graph or graph_id is a feature")
	f.StringSliceVar(&t.Ignore, "ignore", nil, "columns not to read, by commas or repeated")
	f.StringSliceVar(&t.Categories, "categories", nil, "columns whose numbers are names, as codes are, by commas or repeated")
	return cmd
}

// ofRun are the flags that a run replaces.
var ofRun = []string{"task", "node-id", "source", "target", "label", "time", "group", "graph", "ignore", "categories"}

func (p *packFlags) execute(a *app, cmd *cobra.Command, args []string) error {
	if p.out == "" {
		return settings.Misuse("--out is missing, expected the name of the store")
	}
	if err := p.resolve(cmd, args); err != nil {
		return err
	}
	p.Threads, p.Split.Seed, p.Memory = a.threads, a.seed, int64(p.memory)
	if p.Memory > 0 {
		debug.SetMemoryLimit(p.Memory)
	}
	show := &steps{app: a}
	p.Progress = show.at
	p.Remark = func(text string) { a.remark("%s", text) }
	m, err := store.Pack(cmd.Context(), p.out, p.PackOptions)
	show.finish()
	if file := (*fs.PathError)(nil); err != nil && !errors.Is(err, context.Canceled) && !errors.As(err, &file) {
		return settings.Misuse("%w", err) // about tables and flags
	}
	if err != nil {
		return err
	}
	return a.emit(m, func(w io.Writer) error { return describe(w, p.out, m) })
}

// resolve sets options from the flags.
func (p *packFlags) resolve(cmd *cobra.Command, args []string) (err error) {
	if err := p.files(args); err != nil {
		return err
	}
	if p.parts != "auto" {
		if _, err := fmt.Sscanf(p.parts+"\n", "%d\n", &p.Parts); err != nil || p.Parts < 1 {
			return settings.Misuse("--parts is %q, expected auto or a number from 1 on", p.parts)
		}
	}
	if cmd.Flags().Changed("block") {
		if err := atLeast("block", p.BlockEdges, 1); err != nil {
			return err
		}
	}
	if p.Tables.Part != "" && p.Split.By == "" {
		p.Split.By = tables.ByColumn
	}
	if p.run == "" && p.Split.By == "" {
		p.Split.By = tables.ByRandom
	}
	if p.Split.By != "" {
		if err := oneOf("split", p.Split.By, tables.ByColumn, tables.ByRandom, tables.ByTime); err != nil {
			return err
		}
	}
	if p.Split.Fractions, err = shares(p.fractions); err != nil {
		return err
	}
	if p.run != "" {
		return p.ofRun(cmd)
	}
	p.Tables.Form = data.Directed
	switch p.form {
	case "", "directed":
	case "undirected":
		p.Tables.Form = data.Undirected
	case "bipartite":
		p.Tables.Bipartite = true
	default:
		return oneOf("edges", p.form, "directed", "undirected", "bipartite")
	}
	switch p.task {
	case "", "edge-classification":
	case "edge-regression":
		p.Tables.Number = true
	default:
		return oneOf("task", p.task, "edge-classification", "edge-regression")
	}
	return nil
}

// shares returns the values of --fractions.
func shares(list []float64) (out [3]float64, err error) {
	if list == nil {
		return [3]float64{0.6, 0.2, 0.2}, nil
	}
	if copy(out[:], list); len(list) != 3 {
		return out, settings.Misuse("--fractions has %d numbers, expected 3", len(list))
	}
	if err := tables.CheckFractions(out); err != nil {
		return out, settings.Misuse("--fractions: %w", err)
	}
	return out, nil
}

// ofRun uses the encoder of the run.
func (p *packFlags) ofRun(cmd *cobra.Command) error {
	for _, name := range ofRun {
		if cmd.Flags().Changed(name) {
			return settings.Misuse("--%s is decided by the run, leave it out with --run", name)
		}
	}
	t, err := visit.OpenRun(p.run)
	if err != nil {
		return err
	}
	p.Encoder = t.Run.Settings.Data.Tables.Encoder
	form := "undirected"
	if p.Encoder.Options.Form == data.Directed {
		form = "directed"
	}
	if p.form != "" && p.form != form {
		return settings.Misuse("--edges is %q, the run was trained on %s edges", p.form, form)
	}
	return nil
}

// files lists the tables.
func (p *packFlags) files(args []string) error {
	p.Edges = args
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
		if len(args) > 1 {
			return settings.Misuse("%s is a folder, expected it alone, or files", args[0])
		}
		edges, ok := tables.Find(args[0], "edges")
		if !ok {
			return settings.Misuse("%s is a folder without edges.csv, edges.parquet or the like; name the files of edges", args[0])
		}
		p.Edges = []string{edges}
		if nodes, ok := tables.Find(args[0], "nodes"); ok && p.nodes == nil {
			p.nodes = []string{nodes}
		}
	}
	for _, pattern := range p.nodes {
		if pattern == tables.None && len(p.nodes) == 1 {
			return nil
		}
		found, err := filepath.Glob(pattern)
		if err != nil {
			return settings.Misuse("--nodes %q is no pattern: %w", pattern, err)
		}
		if found == nil {
			return settings.Misuse("--nodes %q: there is no such file", pattern)
		}
		p.Nodes = append(p.Nodes, found...)
	}
	return nil
}

// describe prints a description of a store.
func describe(w io.Writer, name string, m *store.Manifest) error {
	form := "undirected"
	if m.Directed {
		form = "directed"
	}
	_, err := fmt.Fprintf(w, "%s: %s edges; edges %d, blocks %d, nodes %d, parts %d, %s\n", name, form, m.Edges, m.Blocks, m.Nodes, len(m.Parts), memory.Text(m.Bytes()))
	if err == nil && m.Split != nil {
		s := m.Split.Edges
		_, err = fmt.Fprintf(w, "split by %s: %d edges train, %d validate, %d test\n", m.Split.Kind, s[0], s[1], s[2])
	}
	return err
}

// steps shows the progress of the steps of a packing.
type steps struct {
	app  *app
	step string
	bar  *progress.Progress // nil while the total is unknown
	last time.Time
}

func (s *steps) at(step string, done, total int64) {
	if step != s.step {
		s.finish()
		s.step, s.last = step, time.Now()
		if total > 0 {
			s.bar = s.app.progress(int(total), strings.Fields(step)[0])
		}
	}
	switch {
	case s.bar != nil:
		s.bar.At(int(done), int(total), step)
	case time.Since(s.last) >= progress.Interval:
		s.last = time.Now()
		s.app.remark("%s: %d read", step, done)
	}
}

func (s *steps) finish() {
	if s.bar != nil {
		s.bar.Finish()
		s.bar = nil
	}
}
