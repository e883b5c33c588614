package ehgnn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/data/nodelink"
	_ "github.com/ehgnn/ehgnn/data/parquet" // read and written
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

// Data is the input of Train: a Path, a *Table or a GraphSet.
type Data interface {
	// request stores the data in a request.
	request(r *session.Request) error
}

// Path is the path of data in files, in any format that ehgnn train reads.
type Path string

// Table is a table of edges in memory, with or without tables of nodes. The name of a column gives
// its role as in files: source, target, label, time, group. TrainOptions.Settings (source, target,
// label, time, group) name other columns for these roles.
type Table struct {
	Name         string // of the data, for messages; empty for "table"
	Edges, Nodes []Column
	// MoreNodes is a second table of nodes. Use it if each table lists the nodes of one end of the
	// edges, such as users and movies for ratings. Each table then has a column of ids with the
	// name of that end.
	MoreNodes []Column
}

// Column is a column of a Table. Values are []string, []float64, []int, []int64, []bool or
// []time.Time. An empty string, NaN and the zero time are missing.
type Column struct {
	Name   string
	Values any
}

// GraphSet is a list of graphs in memory. Each graph has a label, or the setting label names an
// attribute of nodes or edges that holds their labels.
type GraphSet []LabelledGraph

// LabelledGraph is a graph to train on. Attributes are Numbers or Strings. Some graphs may lack an
// attribute.
type LabelledGraph struct {
	*Graph
	// Label is the class of the graph as a string, its number as a float64, or nil.
	Label    any
	Directed bool
}

// TrainOptions say how Train learns. The zero value does what ehgnn train does without flags.
type TrainOptions struct {
	// Task and Model are names that ehgnn train --task and --model accept. If empty, the data
	// decide.
	Task, Model string
	// Settings are values by the names of flags of ehgnn train, such as {"epochs": 50, "split":
	// "time"}. A setting that the training does not read is an error.
	Settings map[string]any
	Seed     uint64
	Threads  int // 0 means all processors; results do not depend on it
	// Dir is the run folder to write, which Open and ehgnn read. If empty, none is written.
	Dir string
	// OnEpoch is called after each epoch.
	OnEpoch func(EpochInfo)
}

// EpochInfo is the record of one epoch.
type EpochInfo = train.EpochInfo

// TrainResult is the result of a training, with the scores of the validation and test sets.
type TrainResult = session.TrainResult

// Train trains a model on data, evaluates it on the validation and test sets, and opens it. When
// ctx is cancelled, it returns the error of ctx; a run with Dir can then be continued by ehgnn
// train --resume.
func Train(ctx context.Context, d Data, o TrainOptions) (*Model, error) {
	given, err := valuesOf(o.Settings)
	if err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	r := session.Request{Task: o.Task, Model: o.Model, Given: given, Seed: o.Seed, Threads: o.Threads}
	if err := d.request(&r); err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	s, err := session.Open(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	dir := o.Dir
	if dir == "" {
		work, err := os.MkdirTemp("", "ehgnn-train-")
		if err != nil {
			return nil, fmt.Errorf("ehgnn: %w", err)
		}
		defer os.RemoveAll(work)
		dir = filepath.Join(work, "run")
	}
	result, err := s.Train(ctx, session.TrainOptions{Dir: dir, OnEpoch: o.OnEpoch})
	if err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	m, err := Open(ctx, dir, Options{})
	if err != nil {
		return nil, err
	}
	m.result = result
	if o.Dir == "" {
		result.Run = ""
		if m.files, err = filesOf(dir); err != nil {
			return nil, fmt.Errorf("ehgnn: %w", err)
		}
	}
	return m, nil
}

// Result returns the result of the training of a model of Train. It is nil for a model of Open.
func (m *Model) Result() *TrainResult { return m.result }

// Save writes the run folder of the model to dir, which must not exist.
func (m *Model) Save(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("ehgnn: %w", err)
	}
	if m.files == nil {
		if err := os.CopyFS(dir, os.DirFS(m.dir)); err != nil {
			return fmt.Errorf("ehgnn: %w", err)
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m.files)) {
		if err := os.WriteFile(filepath.Join(dir, name), m.files[name], 0o644); err != nil {
			return fmt.Errorf("ehgnn: %w", err)
		}
	}
	return nil
}

// filesOf returns the files of a folder by their names.
func filesOf(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// valuesOf converts settings to the types of their options.
func valuesOf(given map[string]any) (settings.Values, error) {
	out := settings.Values{}
	for name, v := range given {
		o, ok := settings.FindOption(name)
		if !ok {
			return nil, fmt.Errorf("unknown setting %q", name)
		}
		if _, number := o.Kind.(float64); number {
			if n, ok := v.(int); ok {
				v = float64(n)
			}
		}
		if text, ok := v.(string); ok {
			if _, list := o.Kind.([]string); list {
				v = []string{text}
			}
		}
		out[o.Name] = v
	}
	return out, nil
}

func (p Path) request(r *session.Request) error {
	r.Path = string(p)
	return nil
}

func (t *Table) request(r *session.Request) error {
	edges, err := tableReader("edges", t.Edges)
	if err != nil {
		return err
	}
	var nodes []func() tablefile.Reader
	for _, columns := range [][]Column{t.Nodes, t.MoreNodes} {
		if columns == nil {
			continue
		}
		read, err := tableReader("nodes", columns)
		if err != nil {
			return err
		}
		nodes = append(nodes, read)
	}
	name := t.Name
	if name == "" {
		name = "table"
	}
	r.Memory = &settings.Memory{Tables: func(o tables.Options) (*tables.Set, error) {
		var of []tablefile.Reader
		for _, read := range nodes {
			if !o.Nodes.None() {
				of = append(of, read())
			}
		}
		return tables.ReadFrom(name, edges(), of, o)
	}}
	return nil
}

// tableReader returns a function that makes a reader of columns.
func tableReader(of string, columns []Column) (func() tablefile.Reader, error) {
	names := make([]string, len(columns))
	cells := make([]func(row int) schema.Cell, len(columns))
	rows := -1
	for c, column := range columns {
		cell, n := cellsOf(column.Values)
		if cell == nil {
			return nil, fmt.Errorf("column %q of %s is %T, expected []string, []float64, []int, []int64, []bool or []time.Time", column.Name, of, column.Values)
		}
		if rows >= 0 && n != rows {
			return nil, fmt.Errorf("column %q of %s has %d values, column %q has %d", column.Name, of, n, columns[0].Name, rows)
		}
		same := func(o string) bool { return strings.EqualFold(o, column.Name) }
		if column.Name == "" || slices.ContainsFunc(names[:c], same) {
			return nil, fmt.Errorf("column %d of %s is called %q, expected a name of its own", c+1, of, column.Name)
		}
		names[c], cells[c], rows = column.Name, cell, n
	}
	if rows < 0 {
		return nil, fmt.Errorf("there are no columns of %s", of)
	}
	return func() tablefile.Reader {
		return tablefile.FromMemory(names, rows, func(row, column int) schema.Cell { return cells[column](row) })
	}, nil
}

// cellsOf returns the cells of a column's values and their number. cell is nil for values of
// another type.
func cellsOf(values any) (cell func(row int) schema.Cell, rows int) {
	switch v := values.(type) {
	case []string:
		return func(row int) schema.Cell { return schema.TextCell(v[row]) }, len(v)
	case []float64:
		return func(row int) schema.Cell {
			if math.IsNaN(v[row]) {
				return schema.Cell{}
			}
			return schema.NumberCell(v[row])
		}, len(v)
	case []int:
		return func(row int) schema.Cell { return schema.IntegerCell(int64(v[row])) }, len(v)
	case []int64:
		return func(row int) schema.Cell { return schema.IntegerCell(v[row]) }, len(v)
	case []bool:
		return func(row int) schema.Cell { return schema.BooleanCell(v[row]) }, len(v)
	case []time.Time:
		return func(row int) schema.Cell {
			if v[row].IsZero() {
				return schema.Cell{}
			}
			return schema.TimeCell(float64(v[row].UnixNano()) / 1e9)
		}, len(v)
	}
	return nil, 0
}

func (gs GraphSet) request(r *session.Request) error {
	documents := make([]*nodelink.Document, len(gs))
	for i, g := range gs {
		d, err := g.document(i + 1)
		if err != nil {
			return fmt.Errorf("graph %d: %w", i, err)
		}
		documents[i] = d
	}
	text, err := json.Marshal(documents)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	checksum := hex.EncodeToString(sum[:])
	r.Memory = &settings.Memory{Documents: func(o nodelink.Options) (*tables.Set, error) {
		set, err := nodelink.Join("graphs", documents, o)
		if err == nil {
			set.Checksum = checksum
		}
		return set, err
	}}
	return nil
}

// document converts the graph to a node-link document.
func (g LabelledGraph) document(number int) (*nodelink.Document, error) {
	d := &nodelink.Document{Number: number, Directed: g.Directed, Multigraph: true, Nodes: make([]nodelink.Node, g.NumNodes), Edges: make([]nodelink.Edge, len(g.Ends)/2)}
	switch label := g.Label.(type) {
	case nil:
	case string:
		d.Graph = []nodelink.Attribute{{Name: "label", Value: textValue(label)}}
	case float64:
		d.Graph = []nodelink.Attribute{{Name: "label", Value: numberValue(label)}}
	default:
		return nil, fmt.Errorf("its label is %T, expected a string, a float64 or nil", label)
	}
	for v := range d.Nodes {
		d.Nodes[v].ID = nodelink.ID{Kind: nodelink.Number, Text: strconv.Itoa(v)}
	}
	for e := range d.Edges {
		d.Edges[e].Source, d.Edges[e].Target = g.Ends[2*e], g.Ends[2*e+1]
		for _, v := range g.Ends[2*e:][:2] {
			if v < 0 || int(v) >= g.NumNodes {
				return nil, fmt.Errorf("edge %d ends in node %d, expected 0 to %d", e, v, g.NumNodes-1)
			}
		}
	}
	err := attributes("node", g.Node, len(d.Nodes), func(i int) *[]nodelink.Attribute { return &d.Nodes[i].Attributes })
	if err == nil {
		err = attributes("edge", g.Edge, len(d.Edges), func(i int) *[]nodelink.Attribute { return &d.Edges[i].Attributes })
	}
	return d, err
}

// attributes adds columns to the nodes or edges of a document, in the order of their names.
func attributes(of string, columns Columns, n int, to func(i int) *[]nodelink.Attribute) error {
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		values := columns[name]
		if values.rows() != n {
			return fmt.Errorf("%s attribute %q has %d values, expected %d", of, name, values.rows(), n)
		}
		for i := range n {
			var x nodelink.Value
			switch v := values.(type) {
			case Numbers:
				x = numberValue(v[i])
			case Strings:
				x = textValue(v[i])
			default:
				return fmt.Errorf("%s attribute %q is %T, expected Numbers or Strings", of, name, values)
			}
			list := to(i)
			*list = append(*list, nodelink.Attribute{Name: name, Value: x})
		}
	}
	return nil
}

// numberValue returns a number of a document, null for NaN.
func numberValue(v float64) nodelink.Value {
	if math.IsNaN(v) {
		return nodelink.Value{}
	}
	return nodelink.Value{Kind: nodelink.Number, Text: strconv.FormatFloat(v, 'g', -1, 64)}
}

// textValue returns a text of a document, null for an empty text.
func textValue(v string) nodelink.Value {
	if v == "" {
		return nodelink.Value{}
	}
	return nodelink.Value{Kind: nodelink.String, Text: v}
}
