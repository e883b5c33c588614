package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// leastPairs is the smallest number of pairs for training and test.
const leastPairs = 20

// Data has the pairs of a run and their split.
type Data struct {
	*links.Data
	Name     string
	Features *links.Features // features of nodes; nil if there are none
	Dates    bool            // times are seconds since 1970
	Kinds    tables.Kinds    // of the ids
	// ReadTime reads a time in the format of the tables. It returns NaN for a missing time. It is
	// nil if the tables have no times.
	ReadTime func(schema.Cell) (float64, error)
	Split    *links.Split
	Known    *links.Known
	// Negatives are the shared negatives of validation and test.
	Negatives [links.Parts][][2]int32
	Counts    links.Counts
	Notes     []string
}

// The heap of a program that only runs link prediction grows by heapRoom bytes or by heapGrowth
// percent before a garbage collection: it allocates large arrays one after another, and a
// collection has little to scan.
const (
	heapRoom   = 64 << 20
	heapGrowth = 25
)

// Alone reduces the memory of a program that only runs link prediction, until end is called.
func Alone() (end func()) { return memory.Room(heapRoom, heapGrowth) }

// Read reads the tables of the settings, fills in settings that depend on the data, and splits the
// pairs.
func Read(ctx context.Context, s *Settings, maxMemory int64) (*Data, error) {
	o := s.Tables
	o.MaxMemory = maxMemory
	set, err := tables.Open(s.Data, o)
	if err != nil {
		if names := onlyColumns(s, maxMemory); len(names) == 2 {
			o.Source, o.Target = names[0], names[1]
			if two, again := tables.Open(s.Data, o); again == nil {
				set, err = two, nil
				set.Notes = append(set.Notes, fmt.Sprintf("the columns %q and %q are the ends of the edges, as there are no others; if the first line is an edge, --format edge-list reads it so", names[0], names[1]))
			}
		}
	}
	if err != nil {
		return nil, settings.Usage(err)
	}
	return FromSet(ctx, set, s)
}

// onlyColumns returns the names of the columns of a table of edges if the settings do not name the
// columns of its ends. It returns nil if they do, or if the data are not a table.
func onlyColumns(s *Settings, maxMemory int64) []string {
	if s.Tables.Source != "" || s.Tables.Target != "" {
		return nil
	}
	rows, err := tables.OpenRows(s.Data, data.NewBudget(maxMemory))
	if err != nil {
		return nil
	}
	defer rows.Close()
	return rows.Columns()
}

// FromSet is Read for tables that are already read.
func FromSet(ctx context.Context, set *tables.Set, s *Settings) (*Data, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if set.NumGraphs() > 1 {
		return nil, settings.Misuse("the tables hold %d graphs, expected one for link prediction; --graph - reads them as one", set.NumGraphs())
	}
	s.Sets = s.Sets || s.Checksum == "" // in a new training
	s.Tables, s.Checksum = set.Options, set.Checksum
	d := &Data{Name: set.Name, Notes: slices.Clone(set.Notes), Dates: set.Dates, Kinds: set.Options.Kinds}
	if set.Time != nil {
		d.ReadTime = schema.NewFieldReader(&schema.Field{Kind: schema.KindNumber, Notation: set.TimeNotation}).Number
	}
	table, err := d.table(set, s)
	if err != nil {
		return nil, err
	}
	if d.Data, err = links.NewData(table); err != nil {
		return nil, settings.Misuse("%s: %v", set.Name, err)
	}
	if s.Split == ByTime && set.Time == nil {
		names := lists.Map(set.EdgeColumns, func(k *tables.Column) string { return k.Name })
		return nil, settings.Misuse("%s: no column of times, which --split time needs: --time names it; other columns than the ends are: %s", set.Name, cmp.Or(strings.Join(names, ", "), "none"))
	}
	d.remarks(set, s)
	if len(d.Pairs) < leastPairs {
		if len(d.Pairs) == 0 && d.Loops > 0 {
			return nil, settings.Misuse("%s: all %d rows are loops, expected pairs of different nodes", set.Name, d.Loops)
		}
		return nil, settings.Misuse("%s: %d pairs of nodes, expected at least %d", set.Name, len(d.Pairs), leastPairs)
	}
	if d.Features, err = features(set, d, s.Sets); err != nil {
		return nil, err
	}
	return d, d.divide(s)
}

// table returns the rows that are positives as a table, and sets the kind of the graph.
func (d *Data) table(set *tables.Set, s *Settings) (links.Table, error) {
	t := links.Table{IDs: set.NodeIDs, Ends: set.Ends, Time: set.Time, Part: set.Part}
	if s.Split != ByColumn {
		t.Part = nil
	}
	if s.Kind == "" {
		switch {
		case !set.Directed:
			s.Kind = links.Undirected
		case links.IsBipartite(len(set.NodeIDs), set.Ends):
			s.Kind = links.Bipartite
		default:
			s.Kind = links.Directed
		}
	}
	t.Kind = s.Kind
	if t.Kind == links.Bipartite { // also targets that have no positive row
		t.Target = make([]bool, len(set.NodeIDs))
		for r := 1; r < len(set.Ends); r += 2 {
			t.Target[set.Ends[r]] = true
		}
	}
	if s.Positive == "" {
		return t, nil
	}
	kept, err := positives(set, s.Positive)
	if err != nil {
		return t, err
	}
	t.Ends, t.Time, t.Part = nil, nil, nil
	for _, r := range kept {
		t.Ends = append(t.Ends, set.Ends[2*r], set.Ends[2*r+1])
		if set.Time != nil {
			t.Time = append(t.Time, set.Time[r])
		}
		if set.Part != nil && s.Split == ByColumn {
			t.Part = append(t.Part, set.Part[r])
		}
	}
	d.Notes = append(d.Notes, fmt.Sprintf("--positive %s keeps %d of %d rows; the others are neither positives nor known pairs", s.Positive, len(kept), len(set.Ends)/2))
	return t, nil
}

// positives returns the rows that satisfy a condition.
func positives(set *tables.Set, text string) ([]int, error) {
	c, err := parseCondition(text)
	if err != nil {
		return nil, err
	}
	columns := set.EdgeColumns
	if set.Label != nil {
		columns = append(slices.Clone(columns), set.Label)
	}
	at := slices.IndexFunc(columns, func(k *tables.Column) bool { return strings.EqualFold(k.Name, c.column) })
	if at < 0 {
		names := lists.Map(columns, func(k *tables.Column) string { return k.Name })
		return nil, settings.Misuse("--positive names the column %q, which the edges do not have; there are: %s", c.column, cmp.Or(strings.Join(names, ", "), "none"))
	}
	column, rows := columns[at], len(set.Ends)/2
	var kept []int
	for r := range rows {
		if holds(c, column, r) {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 || len(kept) == rows {
		which := "no row"
		if len(kept) > 0 {
			which = "every row"
		}
		return nil, settings.Misuse("--positive %s keeps %s of %d, expected some and not all", text, which, rows)
	}
	return kept, nil
}

// holds reports whether a row of a column satisfies a condition. Labels are compared as texts.
func holds(c condition, column *tables.Column, r int) bool {
	if column.Numeric() {
		return !math.IsNaN(column.Value[r]) && c.holds(column.Value[r])
	}
	return c.holdsText(column.String(r))
}

// holdsText reports whether a cell satisfies the condition.
func (c condition) holdsText(text string) bool {
	if text == "" {
		return false
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return c.holds(v)
	}
	return c.op == "=" && text == c.text || c.op == "!=" && text != c.text
}

// remarks adds remarks on properties of the data that a user might not expect.
func (d *Data) remarks(set *tables.Set, s *Settings) {
	switch s.Kind {
	case links.Directed:
		d.Notes = append(d.Notes, "the graph is directed: (a,b) and (b,a) are different pairs; --edges undirected takes them as one")
		if note := d.nearlyBipartite(); note != "" {
			d.Notes = append(d.Notes, note)
		}
	case links.Bipartite:
		d.Notes = append(d.Notes, "the graph is bipartite: no id is both a source and a target")
	default:
		d.Notes = append(d.Notes, "the graph is undirected")
	}
	if d.Loops > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d rows are loops, which are neither candidates nor in the graph", d.Loops))
	}
	if n := len(d.Row) - d.Loops - len(d.Pairs); n > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d rows repeat a pair; all rows of a pair are in one part", n))
	}
	if set.Label != nil && s.Positive == "" {
		d.Notes = append(d.Notes, fmt.Sprintf("the column %s is no feature of link prediction; to learn it use --task edge-classification or edge-regression", set.Label.Name))
	}
	if set.Time != nil && s.Split != ByTime {
		d.Notes = append(d.Notes, "the edges have times, which this split does not read: --split time asks which edges come next")
	}
	if len(set.EdgeColumns) > 0 {
		d.Notes = append(d.Notes, "columns of edges are not read: a candidate has none")
	}
	for _, k := range set.NodeKeys {
		d.Notes = append(d.Notes, fmt.Sprintf("the column %s of the nodes is no feature, as it identifies its rows", k.Name))
	}
}

// fewOnBothSides is the largest share of nodes on both sides that looks like a mistake.
const fewOnBothSides = 0.05

// nearlyBipartite names the nodes that are both sources and targets, if there are few of them.
// Otherwise it returns an empty text.
func (d *Data) nearlyBipartite() string {
	side := make([]uint8, d.Nodes())
	for _, p := range d.Pairs {
		side[p[0]] |= 1
		side[p[1]] |= 2
	}
	var names []string
	for v, s := range side {
		if s == 3 {
			names = append(names, fmt.Sprintf("%q", d.IDs[v]))
		}
	}
	if n := len(names); n == 0 || float64(n) > fewOnBothSides*float64(d.Nodes()) {
		return ""
	}
	return fmt.Sprintf("but for %d of %d nodes none is both a source and a target: %s; if sources and targets are different things, give them different names, and --bipartite checks it",
		len(names), d.Nodes(), strings.Join(names[:min(5, len(names))], ", "))
}

// divide splits the pairs and checks the split.
func (d *Data) divide(s *Settings) (err error) {
	switch s.Split {
	case ByTime:
		d.Data.Time, err = d.times()
		if err == nil {
			d.Split, err = links.SplitTime(d.Data, s.Fractions)
		}
	case ByColumn:
		d.Split, err = links.SplitColumn(d.Data)
	case ByNodes:
		d.Split = links.SplitNodes(d.Data, s.Fractions[1], s.Fractions[2], s.Observed, s.Seed)
	default:
		d.Split = links.SplitRandom(d.Data, s.Fractions, s.Seed)
	}
	if err != nil {
		return settings.Misuse("%s: %v", d.Name, err)
	}
	d.Known = links.NewKnown(d.Data)
	plan := links.NewPlan(d.Data, d.Known, d.Split, s.Seed, s.TestSeesValid || s.Split == ByTime)
	if d.Counts, err = plan.Check(); err != nil {
		return settings.Misuse("%s: %v", d.Name, err)
	}
	d.Negatives = plan.Negatives
	for part, n := range d.Counts.Parts {
		if n == 0 {
			needed := "other --fractions or more data are needed"
			if s.Split == ByTime {
				needed = fmt.Sprintf("the rows have %d different times, and all rows of a time are in one part", d.moments())
			}
			return settings.Misuse("%s: no pair is in the part %s of the split (training %d, validation %d, test %d); %s",
				d.Name, links.PartNames[part], d.Counts.Parts[0], d.Counts.Parts[1], d.Counts.Parts[2], needed)
		}
	}
	if len(d.Negatives[links.Test]) == 0 || len(d.Negatives[links.Valid]) == 0 {
		of, hint := fmt.Sprintf("%d nodes", d.Nodes()), ""
		if d.Kind == links.Bipartite {
			sources, targets := d.Ends()
			of, hint = fmt.Sprintf("%d sources and %d targets", len(sources), len(targets)), "; if these are one kind of nodes, use --edges undirected"
		}
		return settings.Misuse("%s: every pair of %s, or nearly, is an edge, so that too few are left to compare with%s", d.Name, of, hint)
	}
	return nil
}

// times returns the times of the rows. A missing time is an error.
func (d *Data) times() ([]float64, error) {
	for r, t := range d.Data.Time {
		if math.IsNaN(t) {
			return nil, fmt.Errorf("row %d has no time, which --split time needs", r+1)
		}
	}
	return d.Data.Time, nil
}

// places finds the nodes of ids.
type places struct {
	node  map[string]int32
	kinds tables.Kinds
}

func (d *Data) places() places {
	out := places{make(map[string]int32, len(d.IDs)), d.Kinds}
	for v, id := range d.IDs {
		out.node[id] = int32(v)
	}
	return out
}

// find returns the node of an id at an end of edges: 0 for sources, 1 for targets.
func (p places) find(id string, end int) (v int32, ok bool) {
	v, ok = p.node[p.name(id, end)]
	return v, ok
}

// name returns the id with its kind. The given id may already have it.
func (p places) name(id string, end int) string {
	if _, ok := p.node[id]; ok || p.kinds[end] == "" {
		return id
	}
	return p.kinds.NodeID(end, id)
}

// moments returns the number of distinct times.
func (d *Data) moments() int {
	times := slices.Clone(d.Data.Time)
	slices.Sort(times)
	return len(slices.Compact(times))
}

// last returns the latest time of a row.
func (d *Data) last() float64 { return slices.Max(d.Data.Time) }
