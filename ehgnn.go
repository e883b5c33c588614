// Package ehgnn is the library: it opens a trained run, predicts for graphs that are given as
// slices, and returns the learned vectors of graphs, nodes and edges.
//
//	m, err := ehgnn.Open(ctx, "runs/mutag", ehgnn.Options{})
//	g := &ehgnn.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2},
//		Node: ehgnn.Columns{"label": ehgnn.Numbers{0, 0, 1}},
//		Edge: ehgnn.Columns{"label": ehgnn.Numbers{0, 1}}}
//	ps, err := m.Predict(ctx, g)
//
// The run folder says how attributes become features, what the classes are called and which unit
// the numbers have (see Schema). So the training data are not needed. A graph must have the
// attributes that the run was trained on and no others.
//
// Any number of goroutines may use a Model at the same time. A pass only reads the weights. Each
// graph is computed in an arena from a pool of bounded size, and waits while all arenas are in use.
// The result for a graph has the same bits whether the graph is alone or one of many, and in every
// goroutine.
//
// Train trains a model on data in memory or in files. Package data and the packages below it read
// files.
package ehgnn

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
)

// Options say how a model is run. The zero value suits many small graphs.
type Options struct {
	// Threads is the number of threads for each graph. 0 means 1, which is best for graphs of up to
	// a few thousand edges. Results do not depend on it.
	Threads int
	// Parallel is the number of graphs that are processed at the same time, over all calls. 0 means
	// the number of processors.
	Parallel int
	// Threshold sets the probability from which an item counts as the rarer of two classes: a
	// number from 0 to 1, f1, recall=0.9, precision=0.8, budget=50 or cost=1:20, chosen on the
	// validation set of the training. Empty: the threshold of the run. It is an error for a run
	// without two classes.
	Threshold string
}

// Level says whether vectors or predictions belong to graphs, nodes or edges.
type Level = settings.Level

// The levels.
const (
	Graphs = settings.Graphs
	Nodes  = settings.Nodes
	Edges  = settings.Edges
)

// Model is a trained run.
type Model struct {
	dir                string
	files              map[string][]byte // the run folder, if the model was trained without one
	result             *TrainResult      // set by Train
	settings           settings.Settings
	schema             Schema
	readers            map[fieldOf]*schema.FieldReader // of attributes
	columns            TableColumns                    // see Tables
	task               *task.Task
	form               source.Form
	load               func(model.GraphSize) model.Load // peak memory of the model for a graph
	nodeCost, edgeCost float64                          // floats per node and per edge; see Cost
	model              model.Model
	run                *session.Run
	draws              atomic.Bool        // the model has drawn random numbers in a prediction
	threads            int                // for each graph
	arenas             chan *tensor.Arena // arenas that are not in use
}

// Open opens a run folder that ehgnn train, Train or Model.Save wrote.
func Open(ctx context.Context, dir string, o Options) (*Model, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Threads < 0 || o.Parallel < 0 {
		return nil, fmt.Errorf("ehgnn: %d threads and %d in parallel, expected 0 or more", o.Threads, o.Parallel)
	}
	r, err := session.LoadRun(dir)
	if err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	if o.Threshold != "" {
		if err := r.Settings.Target.SetThreshold(o.Threshold); err != nil {
			return nil, fmt.Errorf("ehgnn: run %s: %w", dir, err)
		}
	}
	m := &Model{dir: dir, settings: r.Settings, model: r.Model, run: r, threads: max(o.Threads, 1)}
	attributes := m.settings.Schema()
	m.schema, m.readers, m.columns = attributes, readersOf(attributes), m.tableColumns()
	if m.task, err = task.FindTask(m.settings.Task); err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	spec, err := model.Find(m.settings.ModelName)
	if err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	m.load, m.form = spec.Loads(r.Settings.Model, false), spec.Form
	m.setCosts(spec)
	if o.Parallel == 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	m.arenas = make(chan *tensor.Arena, o.Parallel)
	for range o.Parallel {
		m.arenas <- tensor.NewArena(m.threads)
	}
	return m, nil
}

// Schema says which attributes the nodes and edges of a graph must have.
type Schema = settings.Schema

// Field is an attribute in a Schema.
type Field = settings.Field

// Schema returns the schema of the data that the run was trained on.
func (m *Model) Schema() Schema { return m.schema }

// Digest identifies the weights: the first 8 bytes of the SHA-256 of their file, in hexadecimal.
func (m *Model) Digest() string { return m.run.Digest }

// Task returns the name of the run's task, such as "graph-classification".
func (m *Model) Task() string { return m.settings.Task }

// Level says whether predictions are for graphs, nodes or edges.
func (m *Model) Level() Level { return m.task.Level }

// Classes returns the names of the classes, in the order of Item.Probabilities. It is nil if the
// run predicts numbers, several labels, or the features of both nodes and edges.
func (m *Model) Classes() []string {
	if m.settings.Target.Names != nil || m.task.Number || m.task.Reconstructs && m.task.Level == settings.Graphs {
		return nil
	}
	out := make([]string, m.settings.Model.Out)
	for k := range out {
		out[k] = m.className(k)
	}
	return out
}

// Targets returns the names of the labels or numbers, in the order of Item.Probabilities or
// Item.Values. It is nil if the run predicts one class, or one number of an edge.
func (m *Model) Targets() []string { return m.settings.Target.Names }

// Numbers reports whether the run predicts numbers (Item.Values) and not classes or labels.
func (m *Model) Numbers() bool { return m.task.Number }

// TableColumns names the columns in tables of nodes and edges that are not attributes.
type TableColumns struct {
	NodeID, Source, Target string
	// Label, Group and Time are the columns of Graph.Labels, Graph.Groups and Graph.Time. A name is
	// empty if the run does not read the column.
	Label, Group, Time string
	// Date is the column with the dates of the times of day in the column Time. It is empty if there is none.
	Date string
	// LabelReader, GroupReader and TimeReader read the cells of these columns, GroupReader by its
	// Key. A reader is nil if the run does not read the column.
	LabelReader, GroupReader, TimeReader *schema.FieldReader
	// Keys are columns that identify edges or nodes. Others are the remaining columns that are not
	// attributes: labels, times, groups and parts that the run does not read, and columns that
	// training left out.
	Keys, Others []string
	// WholeIDs says that ids of nodes are whole numbers, so that 27.0 is the same id as 27.
	WholeIDs bool
	// Kinds are the two columns of ends, if their ids name things of two kinds. It is empty if
	// equal ids in both columns are the same node.
	Kinds tables.Kinds
	// NodesOf is the column of Kinds whose nodes the table of nodes lists. It is empty if the table
	// lists all nodes.
	NodesOf string
	// NodesOfBoth says that there are two tables of nodes, one for each column of Kinds.
	NodesOfBoth bool
}

// NodesEnd returns which end of the edges a table of nodes belongs to, and the table's column of
// ids. end is 0 for the source, 1 for the target and -1 for both. It depends on the name of the
// file and on the names of its columns.
func (c TableColumns) NodesEnd(file string, columns []string) (end int, id string, err error) {
	o := tables.Options{NodeID: c.NodeID, Kinds: c.Kinds, NodesOf: c.NodesOf, NodesOfBoth: c.NodesOfBoth}
	return o.NodesEnd(file, columns)
}

// Tables returns the columns of the tables that the run was trained on. ok is false for a run on
// other data.
func (m *Model) Tables() (columns TableColumns, ok bool) {
	return m.columns, m.settings.Data.Tables != nil
}

// tableColumns returns the columns of the run's tables. They are empty for a run on other data.
func (m *Model) tableColumns() (columns TableColumns) {
	t := m.settings.Data.Tables
	if t == nil {
		return columns
	}
	columns = TableColumns{NodeID: t.NodeID, Source: t.From, Target: t.To, WholeIDs: t.Encoder.Options.WholeIDs, Kinds: t.Encoder.Options.Kinds, NodesOf: t.Encoder.Options.NodesOf, NodesOfBoth: t.Encoder.Options.NodesOfBoth,
		Keys: t.Encoder.Options.Keys, Others: slices.Concat([]string{t.Label, t.Time, t.Encoder.Options.Date, t.Group, t.Part}, t.Encoder.Unused, t.Ignore)}
	if m.settings.Model.Context != nil {
		columns.Label, columns.LabelReader = t.Label, schema.NewFieldReader(t.Encoder.LabelField(t.Label))
	}
	if m.readsGroups() {
		columns.Group, columns.GroupReader = t.Group, t.Encoder.Options.GroupReader()
	}
	if t.Encoder.Times != nil || m.settings.Model.Context != nil && t.Encoder.TimeNotation != nil {
		columns.Date = t.Encoder.Options.Date
		columns.Time, columns.TimeReader = t.Time, schema.NewFieldReader(&Field{Kind: schema.KindNumber, Notation: t.Encoder.TimeNotation})
	}
	return columns
}

// borrow takes an arena from the pool and waits for one if all are in use.
func (m *Model) borrow(ctx context.Context) (*tensor.Arena, error) {
	select {
	case a := <-m.arenas:
		return a, nil
	default:
	}
	select {
	case a := <-m.arenas:
		return a, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
