package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
)

// A grid is a table of the paper: rows are models, columns are data sets, and a cell is trained for
// every seed and every fold by the protocol of its data. Each of these trainings is a job with its own
// thread: there are many independent jobs, and results do not depend on how many run at a time. A
// finished job is stored in a file at once, identified by a digest of its settings and data. So a
// killed run continues, and a larger run reuses finished jobs.
//
//	gridRequest -> plan (read data, resolve settings, check) -> run (jobs) -> Grid (cells, tables, files)

// Grid is a table of the paper, as far as it is trained.
type Grid struct {
	Name    string
	Title   string
	Seeds   []uint64
	Notes   []string
	Seconds float64 // of this call

	request gridRequest
	rows    []modelRow
	columns []*column
	cells   [][]*cell // by row and column
	threads int
}

// cell is a cell of a grid: its jobs differ only in seed and fold.
type cell struct {
	row      modelRow
	column   *column
	settings settings.Settings
	key      string
	folds    []int
	memory   int64   // of a job
	work     float64 // of a job, in arbitrary units

	results  []JobResult
	failures []JobFailure
	kept     int // number of results from earlier runs
}

// column is a data set in use.
type column struct {
	DatasetColumn
	protocol protocol
	data     *session.Input // nil when no job needs it any more
	memory   int64          // of data
	left     int            // remaining jobs
}

// alike groups the cells of a column that have the same key, for example if a ratio equals a row's
// default. The jobs of the first cell serve all.
func (g *Grid) alike(c *cell) []*cell {
	var out []*cell
	for _, row := range g.cells {
		out = append(out, lists.Filter(row, func(o *cell) bool { return o.column == c.column && o.key == c.key })...)
	}
	return out
}

// follows reports whether a cell gets its results from another cell's jobs.
func (g *Grid) follows(c *cell) bool { return g.alike(c)[0] != c }

func (c *cell) total(seeds []uint64) int { return len(seeds) * len(c.folds) }

// pending lists the jobs without a result.
func (c *cell) pending(seeds []uint64) []Job {
	var jobs []Job
	for _, seed := range seeds {
		for _, fold := range c.folds {
			if !slices.ContainsFunc(c.results, func(r JobResult) bool { return r.Seed == seed && r.Fold == fold }) {
				jobs = append(jobs, Job{Row: c.row.Name, Dataset: c.column.Name, Seed: seed, Fold: fold})
			}
		}
	}
	return jobs
}

// runGrid trains every job of a grid that has no result yet. Mistakes in the request, and an
// unreadable folder, are found before anything is trained; then no Grid is returned.
//
// A failed job does not stop the others: its cell says so, and runGrid returns a *GridError with
// the Grid. If the context ends, the Grid has the finished jobs. With Dir, the tables are written
// in every case (see Grid.writeFiles).
func runGrid(ctx context.Context, r gridRequest) (*Grid, error) {
	g, err := plan(ctx, r)
	if err != nil {
		return nil, err
	}
	return g, g.run(ctx)
}

// plan reads all data, resolves the settings of every cell and checks them.
func plan(ctx context.Context, r gridRequest) (*Grid, error) {
	if len(r.Rows) == 0 || len(r.Columns) == 0 || len(r.Seeds) == 0 {
		return nil, settings.Misuse("experiment: nothing to do: %d models, %d data sets, %d seeds", len(r.Rows), len(r.Columns), len(r.Seeds))
	}
	if twice, ok := duplicate(r.Seeds, func(s uint64) string { return fmt.Sprint(s) }); ok {
		return nil, settings.Misuse("experiment: seed %s is there twice", twice)
	}
	g := &Grid{Name: r.Name, Title: r.Title, Seeds: r.Seeds, Notes: r.Notes, request: r, threads: max(r.Threads, 1)}
	for _, row := range r.Rows {
		row.Model = cmp.Or(row.Model, row.Name)
		row.Title = cmp.Or(row.Title, titleOf(row.Name), row.Name)
		g.rows = append(g.rows, row)
	}
	if twice, ok := duplicate(g.rows, func(r modelRow) string { return r.Name }); ok {
		return nil, settings.Misuse("experiment: model %s is there twice", twice)
	}
	if err := g.checkChoose(); err != nil {
		return nil, err
	}
	if err := g.checkOptions(); err != nil {
		return nil, err
	}
	g.cells = make([][]*cell, len(g.rows))
	for _, c := range r.Columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := g.addColumn(ctx, c); err != nil {
			return nil, settings.Misuse("%w", err)
		}
	}
	if twice, ok := duplicate(g.columns, func(c *column) string { return c.Name }); ok {
		return nil, settings.Misuse("experiment: data set %s is there twice", twice)
	}
	return g, nil
}

// checkOptions returns an error for options that change no cell: settings of a row or a column
// override them, or no model reads them.
func (g *Grid) checkOptions() error {
	given := g.request.Overrides
	for _, r := range g.rows {
		if err := r.Overrides.Validate(); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	for _, c := range g.request.Columns {
		if err := c.Overrides.Validate(); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	if err := given.Validate(); err != nil {
		return err
	}
	for _, option := range slices.Sorted(maps.Keys(given)) {
		has := func(v settings.Values) bool { _, ok := v[option]; return ok }
		free := lists.Filter(g.rows, func(r modelRow) bool { return !has(r.Overrides) })
		if len(free) == 0 {
			return settings.Misuse("experiment: --%s does not apply to row %s, which sets it itself", option, g.rows[0].Name)
		}
		if err := checkRead(option, given, free); err != nil {
			return err
		}
		if !slices.ContainsFunc(g.request.Columns, func(c DatasetColumn) bool { return !has(c.Overrides) }) {
			return settings.Misuse("experiment: --%s does not apply here, where columns differ in it", option)
		}
	}
	return nil
}

// checkRead returns an error for a model option that no row reads. addColumn reports unknown
// models.
func checkRead(option string, given settings.Values, rows []modelRow) error {
	if o, _ := settings.FindOption(option); o.Of != settings.OfModel {
		return nil
	}
	var known []model.Spec
	for _, row := range rows {
		for _, name := range []string{row.Model, row.Molecules} {
			spec, err := model.Find(name)
			if err != nil {
				continue
			}
			if settings.Reads(spec, option, given.Over(row.Overrides)) {
				return nil
			}
			known = append(known, spec)
		}
	}
	switch len(known) {
	case 0:
		return nil
	case 1:
		return settings.Unread(known[0], option)
	}
	return settings.Misuse("experiment: --%s applies to none of the models asked for", option)
}

// addColumn reads a data set and opens a session for each of its cells, so that mistakes are found
// before the jobs.
func (g *Grid) addColumn(ctx context.Context, c DatasetColumn) error {
	in, err := g.read(ctx, c)
	if err != nil {
		return err
	}
	protocol, err := protocolOf(in, g.request.FoldSeed)
	if err != nil {
		return err
	}
	c.Name = cmp.Or(c.Name, in.Name())
	if i := paperColumn(c.Name); i >= 0 {
		c.Title = cmp.Or(c.Title, paperSets[i].Title)
	}
	c.Title = cmp.Or(c.Title, c.Name)
	if protocol.Lower {
		c.Title += ", " + task.ScoreTitle(protocol.Score)
	}
	if c.Variant != "" {
		c.Name, c.Title = c.Name+", "+c.Variant, c.Title+", "+c.Variant
	}
	if c.Folds == nil {
		c.Folds = g.request.Folds
	}
	folds, err := protocol.folds(c.Folds)
	if err != nil {
		return err
	}
	col := &column{DatasetColumn: c, protocol: protocol, data: in, memory: in.Memory()}
	g.columns = append(g.columns, col)
	for i, row := range g.rows {
		if protocol.molecules && row.Molecules != "" {
			row.Model = row.Molecules
		}
		cell := &cell{row: row, column: col, folds: folds}
		s, err := g.open(ctx, cell, Job{Seed: g.Seeds[0], Fold: folds[0]})
		if err != nil {
			return fmt.Errorf("%s on %s: %w", row.Name, c.Name, err)
		}
		cell.settings, cell.key = s.Settings, g.key(col, s.Settings)
		cell.memory, cell.work = s.Estimate()
		g.cells[i] = append(g.cells[i], cell)
	}
	return nil
}

// read opens the data of a column; an earlier column may have the same data.
func (g *Grid) read(ctx context.Context, c DatasetColumn) (*session.Input, error) {
	for _, o := range g.columns {
		if o.Path == c.Path && o.Set == c.Set && o.Format == c.Format {
			return o.data, nil
		}
	}
	return session.Read(ctx, session.Request{Path: c.Path, Given: g.reading(c)})
}

// reading says how the data of a column are read.
func (g *Grid) reading(c DatasetColumn) settings.Values {
	out := settings.Values{}
	for name, value := range map[string]string{"name": c.Set, "format": c.Format, "edges": g.request.Edges} {
		if value != "" {
			out[name] = value
		}
	}
	return out
}

// key identifies everything that determines the results of a cell except seed and fold: settings,
// how folds were made, and adjustments.
func (g *Grid) key(c *column, s settings.Settings) string {
	var more []string
	if c.protocol.makesFolds {
		more = append(more, c.protocol.made)
	}
	for _, a := range g.request.Adjust {
		more = append(more, a.Name)
	}
	if more == nil {
		return s.Key()
	}
	sum := sha256.Sum256([]byte(strings.Join(append(more, s.Key()), "\n")))
	return hex.EncodeToString(sum[:8])
}

// open makes the session of a job.
func (g *Grid) open(ctx context.Context, c *cell, j Job) (*session.Session, error) {
	p := c.column.protocol
	spec, err := model.Find(c.row.Model)
	if err != nil {
		return nil, err
	}
	values := Recipe(c.column.data.Name(), spec).Over(g.request.Overrides).Over(c.column.Overrides).Over(c.row.Overrides)
	split := g.reading(c.column.DatasetColumn).Over(settings.Values{"split": p.Split})
	if j.Fold > 0 {
		split["fold"] = j.Fold
	}
	var splitSeed *uint64
	if p.makesFolds {
		splitSeed = &p.foldSeed
	}
	// Settings that the model of this row does not read are ignored: checkOptions has reported
	// settings that no row reads.
	s, err := session.OpenOn(ctx, session.Request{Path: c.column.Path, Task: p.Task, Model: c.row.Model, Defaults: values, Given: split,
		Seed: j.Seed, SplitSeed: splitSeed, Threads: 1}, c.column.data)
	if err != nil {
		return nil, err
	}
	for _, a := range g.request.Adjust {
		if err := a.Apply(s); err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	return s, nil
}

// dataMemory is the memory of the data in use.
func (g *Grid) dataMemory() int64 {
	return lists.SumOf(g.columns, func(c *column) int64 { return c.memory })
}

// duplicate finds a name that occurs twice.
func duplicate[T any](list []T, name func(T) string) (string, bool) {
	seen := map[string]bool{}
	for _, v := range list {
		if seen[name(v)] {
			return name(v), true
		}
		seen[name(v)] = true
	}
	return "", false
}

// GridError lists the failed jobs of a grid.
type GridError struct{ Failures []JobFailure }

func (e *GridError) Error() string {
	first := e.Failures[0]
	text := fmt.Sprintf("experiment: %s: %s", first.Job, first.Error)
	if n := len(e.Failures) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more that failed)", n)
	}
	return text
}
