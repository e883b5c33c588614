package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// tableSource reads one graph with labelled edges or nodes from a table of nodes and a table of
// edges, or from a graph file.
var tableSource = &Source{
	Name:      "tables",
	Expect:    "tables of nodes and edges: a folder or zip with edges.csv and maybe nodes.csv, or the table of edges itself, as CSV, TSV or Parquet; or a graph file: an edge list (SNAP), triples, GraphML, GEXF or Matrix Market",
	Formats:   tables.Formats(),
	Recognise: tables.Recognise,
	InitSettings: func(d *settings.DataSettings) {
		d.Tables = &settings.TableSettings{LabelContext: settings.ContextAuto, TimeFeatures: settings.ContextAuto}
	},
	CheckMemory: func(d *settings.DataSettings, t *settings.Kind, model string, given settings.Values) error {
		if t != nil && t.Level != settings.Edges || d.Memory != nil {
			return nil // its memory is unknown
		}
		return largeTables(tableOptions(d, nil).Outline(d.Path), d.Form(), "training", trainingSize(model, given), partsSeen, d.MaxMemory)
	},
	Read: func(_ context.Context, d *settings.DataSettings, t *settings.Kind) (Data, error) {
		c := d.Tables
		nodes, err := Besides(d.Path, c.NodesFiles)
		if err != nil {
			return nil, err
		}
		c.NodesFiles = nodes
		open := func(o tables.Options) (*tables.Set, error) { return tables.Open(d.Path, o) }
		if d.Memory != nil {
			open = d.Memory.Tables
		}
		set, err := open(tableOptions(d, t))
		if err != nil {
			return nil, tooLarge(err)
		}
		o := set.Options
		c.NodeID, c.From, c.To, c.Label, c.Time, c.Group, c.Part, c.Graph = o.NodeID, o.Source, o.Target, o.Label, o.Time, o.Group, o.Part, o.Graph
		if o.Nodes.None() {
			c.NodesFiles = o.Nodes
		}
		return newColumnData(set, d), nil
	},
	ReadForInference: func(ctx context.Context, s *settings.Settings, o LoadOptions, own bool) (Data, error) {
		c := s.Data.Tables
		e := *c.Encoder
		e.Options.MaxMemory, e.Options.KeepColumns = o.MaxMemory, o.KeepColumns
		if e.Options.Format = o.Format; o.Format == "" {
			e.Options.Format = tables.FormatOf(o.Data, s.Data.Format)
		}
		e.Options.Ignore = c.Ignore // a split would otherwise distinguish edges by it
		if o.Context != "" {
			e.Options.MaxMemory = shareOf(o.MaxMemory, 2)
		}
		if !e.Options.Nodes.None() {
			nodes := o.Nodes
			if nodes == nil {
				nodes = c.NodesFiles
			}
			nodes, err := Besides(o.Data, nodes)
			if err != nil {
				return nil, err
			}
			if e.Options.Nodes = nodes; o.Context != "" && o.Nodes == nil && !tables.HasNodes(o.Data, nodes) {
				e.Options.Nodes, e.Options.NodesElsewhere = tables.NoFiles, true // the context has the nodes
			}
		} else if o.Nodes != nil {
			return nil, fmt.Errorf("--nodes names a table of nodes, and the run was trained without one")
		}
		if info, err := os.Stat(o.Data); own || err == nil && info.IsDir() {
			e.Options.Edges = c.EdgesFile
		}
		if o.Context != "" && e.Level == tables.OfNodes {
			return nil, settings.Misuse("--context is for runs on edges, and this one is on nodes: DATA has all edges that the model sees")
		}
		if err := largeTables(e.Outline(o.Data), e.Options.Form, "predicting", predictingSize(s), [3]float64{2: 1}, o.MaxMemory); err != nil {
			return nil, err
		}
		set, err := e.Open(o.Data)
		if err != nil {
			return nil, tooLarge(err)
		}
		d := &ColumnData{Set: set, Threads: o.Threads}
		if o.Context == "" {
			return d, nil
		}
		elsewhere := e.Options.NodesElsewhere
		e.Options.Nodes, e.Options.Edges, e.Options.KeepColumns, e.Options.NodesElsewhere = nil, "", false, false
		if c.NodesFiles.None() || c.NodesFiles != nil && tables.HasNodes(o.Context, c.NodesFiles) {
			e.Options.Nodes = c.NodesFiles
		}
		read := func() (*tables.Set, error) {
			e.Options.Format = tables.FormatOf(o.Context, s.Data.Format)
			return e.Open(o.Context)
		}
		var before *tables.Set
		if o.Kept != nil {
			before, err = o.Kept.read(contextKey(o.Context, &e.Options), o.MaxMemory, read)
		} else {
			before, err = read()
		}
		if err != nil {
			return nil, fmt.Errorf("--context: %w", err)
		}
		if beside, err := besideContext(ctx, s, o, before, set, elsewhere); beside != nil || err != nil {
			return beside, err
		}
		if d.Set, d.Context, err = tables.Join(before, set); err != nil {
			return nil, fmt.Errorf("--context: %w", err)
		}
		if elsewhere {
			err = noNode(set, d.Set.NodeIDs[len(before.NodeIDs):]...)
		}
		return d, err
	},
	InferenceOptions: []string{"nodes", "context", "format"},
}

// contextKey identifies a context by its files and how they are read; empty if this is unknown.
func contextKey(path string, o *tables.Options) string {
	stamp := stampOf(path)
	if stamp == "" {
		return ""
	}
	return fmt.Sprint(stamp, o.Nodes, o.MaxMemory)
}

// tableOptions are the options to read tables for a task, or nil.
func tableOptions(d *settings.DataSettings, t *settings.Kind) tables.Options {
	c := d.Tables
	decimal, format := notation(c)
	var level tables.Level // level of the label
	if t != nil && t.Level != settings.Graphs {
		level = tables.Level(t.Level)
	}
	return tables.Options{Level: level, Format: graphFormat(d), Nodes: c.NodesFiles, Edges: c.EdgesFile, NodeID: c.NodeID, Source: c.From, Target: c.To, Label: c.Label,
		Time: c.Time, Group: c.Group, Part: c.Part, Graph: c.Graph, Ignore: c.Ignore, Categories: c.Categories, Features: c.Features,
		Missing: c.Missing, Decimal: decimal, TimeFormat: format, Sheet: c.Sheet,
		Number: t != nil && t.Number, Class: t != nil && !t.Number, Form: d.Form(), Bipartite: d.Bipartite(), MaxMemory: d.MaxMemory}
}

// graphFormat is the given format; empty if it belongs to another source, as in a run on other data.
func graphFormat(d *settings.DataSettings) string {
	if !slices.Contains(tables.Formats(), d.Format) {
		return ""
	}
	return d.Format
}

// notation returns the given decimal mark and time format; empty to derive them from the data.
func notation(c *settings.TableSettings) (decimal, timeFormat string) {
	decimal, _ = schema.DecimalOf(c.Decimal) // the options were checked before
	timeFormat, _ = schema.TimeFormatOf(c.TimeFormat)
	return decimal, timeFormat
}

// noNode is the error of an edge at a node that the context lacks, although its node table lists the node.
func noNode(s *tables.Set, ids ...string) error {
	k := slices.IndexFunc(ids, s.Options.Lists)
	if k < 0 {
		return nil
	}
	v := int32(slices.Index(s.NodeIDs, ids[k]))
	return settings.Misuse("%s: edge %d is at node %q, which is not a node of the context", s.Name, slices.Index(s.Ends, v)/2, ids[k])
}

// Besides returns the names of files in the folder of the tables at path. Files may be given by these names or by paths.
func Besides(path string, files tables.Files) (tables.Files, error) {
	var out tables.Files
	for _, file := range files {
		name, err := beside(path, file)
		if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, nil
}

// beside is Besides for one file.
func beside(path, file string) (string, error) {
	if filepath.Base(file) == file || file == "" {
		return file, nil
	}
	dir := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
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
		return "", fmt.Errorf("--nodes is %q, expected a file in the folder of the edges, %s", file, dir)
	}
	return filepath.ToSlash(rel), nil
}
