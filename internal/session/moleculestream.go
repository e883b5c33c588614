package session

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Stream applies a run to a table of molecules, a few thousand rows at a time, so that memory does
// not grow with the table.
type Stream struct {
	// Rows counts the rows read so far. Invalid counts those that are not molecules or whose label
	// lists have the wrong length. Notes describe the first of these.
	Rows, Invalid int
	Notes         []string

	dir     string // of the run
	options source.LoadOptions
	parts   map[int]string // parts of the rows if the table is the training table; else nil
	session *Session       // without data
	reader  *smiles.Reader
	name    string
}

// shownInvalid is how many invalid rows are listed.
const shownInvalid = 10

// Stream opens a table of molecules, which need not be the training table. It returns nil for a run on other kinds of
// data. Errors are usage errors.
func (r *Run) Stream(o source.LoadOptions) (*Stream, error) {
	dir, set := r.Dir, &r.Settings
	if set.Data.Molecules == nil {
		return nil, nil
	}
	if _, err := complete(&o, dir, set, source.MoleculeSource); err != nil {
		return nil, err
	}
	reader, err := smiles.NewReader(o.Data, source.MoleculeOptions(set, o))
	if err != nil {
		return nil, settings.Usage(err)
	}
	t, err := task.FindTask(set.Task)
	if err != nil {
		return nil, err
	}
	return &Stream{dir: dir, options: o, reader: reader, name: o.Data,
		session: &Session{Settings: *set, Model: r.Model, Threads: o.Threads, Task: t, Spec: set.Spec(), maxMemory: o.MaxMemory}}, nil
}

// Extended counts the molecules read so far that had an extension (CXSMILES) after their SMILES.
func (st *Stream) Extended() int { return st.reader.Extended() }

// Close closes the table.
func (st *Stream) Close() error {
	_, err := st.reader.Close()
	return err
}

// chunk has some rows of the table, and the molecules among them as a part.
type chunk struct {
	rows  []smiles.Molecule
	valid []int // rows that are molecules
	part  *source.Part
}

// chunks iterates over the table.
func (st *Stream) chunks(ctx context.Context) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		for {
			rows, err := st.reader.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				if ctx.Err() == nil {
					err = settings.Usage(err)
				}
				yield(nil, err)
				return
			}
			c, err := st.chunk(rows)
			if err != nil {
				yield(nil, err)
				return
			}
			if _, err := st.session.CheckPartMemory(c.part, false); err != nil {
				yield(nil, err)
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

func (st *Stream) chunk(rows []smiles.Molecule) (*chunk, error) {
	c := &chunk{rows: rows}
	set := &smiles.Set{Dataset: data.Dataset{Info: data.Info{Name: st.name}}}
	for i, m := range rows {
		st.Rows++
		if m.Graph == nil {
			if st.Invalid++; st.Invalid <= shownInvalid {
				st.Notes = append(st.Notes, m.Fault())
			}
			continue
		}
		c.valid = append(c.valid, i)
		set.Graphs, set.SMILES, set.Rows = append(set.Graphs, m.Graph), append(set.SMILES, m.SMILES), append(set.Rows, m.Row)
	}
	d := source.NewMoleculeData(set, smiles.Options{})
	c.part = source.AllOf(d.Whole)
	st.session.Data = d
	form := st.session.Spec.Form
	if err := c.part.Take(form, map[*graph.Graph]*graph.Graph{}); err != nil {
		return nil, err
	}
	d.NameRows(c.part, form)
	return c, nil
}

// molecules returns the columns of a table with a row for each row of the chunk: the row number,
// its SMILES and its part in the training (if any), then the given columns, which have a row for
// each molecule, then the error of a row that is not a molecule.
func (st *Stream) molecules(c *chunk, columns []report.Column) (*report.Table, error) {
	rows, text, why := make([]int, len(c.rows)), make([]string, len(c.rows)), make([]string, len(c.rows))
	for i, m := range c.rows {
		rows[i], text[i], why[i] = m.Row, source.ValidText(m.SMILES), m.Reason
	}
	out := []report.Column{report.Ints("row", rows), report.Strings("smiles", text)}
	own := st.ownColumns(c, slices.Concat(out, columns))
	out = append(append(out, own...), st.partColumn(rows)...)
	for _, from := range columns {
		to, err := from.Spread(c.valid, len(c.rows))
		if err != nil {
			return nil, err
		}
		out = append(out, to)
	}
	return &report.Table{Columns: append(out, report.Strings("error", why))}, nil
}

// ownColumns returns the other columns of the rows of a chunk as texts, if they are kept, with names that
// differ from the names of others.
func (st *Stream) ownColumns(c *chunk, others []report.Column) []report.Column {
	taken := lists.Map(others, func(o report.Column) string { return o.Name })
	var out []report.Column
	for k, name := range st.reader.OwnColumns() {
		texts := lists.Map(c.rows, func(m smiles.Molecule) string { return source.ValidText(m.Own[k]) })
		name = source.FreeName(name, taken)
		taken = append(taken, name)
		out = append(out, report.Optional(name, texts))
	}
	return out
}

// Predict yields the predictions in pieces. Predictions for molecules have a row for each row of
// the table; a row that is not a molecule has only the reason, in column error. Predictions for
// atoms or bonds have a row for each atom or bond of the molecules. For the training table, a
// column has the part of each row.
func (st *Stream) Predict(ctx context.Context) iter.Seq2[*report.Table, error] {
	return func(yield func(*report.Table, error) bool) {
		if err := st.findParts(ctx); err != nil {
			yield(nil, err)
			return
		}
		st.tables(ctx, yield, func(c *chunk) (*report.Table, error) { return st.predicted(ctx, c) })
	}
}

// tables yields the table of each chunk that has one, up to the first error.
func (st *Stream) tables(ctx context.Context, yield func(*report.Table, error) bool, of func(*chunk) (*report.Table, error)) {
	for c, err := range st.chunks(ctx) {
		var t *report.Table
		if err == nil {
			t, err = of(c)
		}
		if t == nil && err == nil {
			continue
		}
		if !yield(t, err) || err != nil {
			return
		}
	}
}

// predicted returns the predictions for a chunk; nil for a chunk without rows.
func (st *Stream) predicted(ctx context.Context, c *chunk) (*report.Table, error) {
	items := st.session.Task.Level
	if items != settings.Graphs && len(c.valid) == 0 {
		return nil, nil
	}
	got, err := st.session.collect(ctx, c.part)
	if err != nil {
		return nil, err
	}
	if items != settings.Graphs {
		columns := c.part.Name(items, got.At)
		rows := lists.Map(got.At, func(at source.Place) int { return c.rows[c.valid[at.Graph]].Row })
		columns = append(columns, st.partColumn(rows)...)
		columns = append(columns, got.Predictions...)
		return &report.Table{Columns: append(columns, got.records...)}, nil
	}
	return st.molecules(c, got.Predictions)
}

// Embed yields the embeddings of a level in pieces. At the level of graphs there is a row for each
// row of the table, otherwise a row for each atom or bond of the molecules.
func (st *Stream) Embed(ctx context.Context, level settings.Level) iter.Seq2[*report.Table, error] {
	return func(yield func(*report.Table, error) bool) {
		width := 0
		st.tables(ctx, yield, func(c *chunk) (t *report.Table, err error) {
			t, width, err = st.embedded(ctx, c, level, width)
			return t, err
		})
	}
}

// embedded returns the embeddings of a chunk and their width, which is given from the second chunk
// on; nil for a chunk without rows.
func (st *Stream) embedded(ctx context.Context, c *chunk, level settings.Level, width int) (*report.Table, int, error) {
	if len(c.valid) == 0 {
		if level != settings.Graphs {
			return nil, width, nil
		}
		if width == 0 {
			var err error
			if width, err = st.width(ctx, level); err != nil {
				return nil, 0, err
			}
		}
		t, err := st.molecules(c, []report.Column{report.Vectors("vector", nil, width)})
		return t, width, err
	}
	vectors, columns, err := st.session.embed(ctx, c.part, level)
	if err != nil {
		return nil, 0, err
	}
	if level == settings.Graphs {
		t, err := st.molecules(c, []report.Column{vectors})
		return t, vectors.Width(), err
	}
	return &report.Table{Columns: append(columns, vectors)}, vectors.Width(), nil
}

// width is the width of the embeddings of a level, found with a small molecule.
func (st *Stream) width(ctx context.Context, level settings.Level) (int, error) {
	g, err := st.reader.Sample()
	if err != nil {
		return 0, err
	}
	vectors, _, err := st.session.embed(ctx, source.GraphPart([]*graph.Graph{g}, []int{0}), level)
	return vectors.Width(), err
}
