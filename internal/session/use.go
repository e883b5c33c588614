package session

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/train"
)

// Evaluation is the result of Evaluate.
type Evaluation struct {
	Run    string `json:"run,omitempty"`
	Data   string `json:"data"`
	Part   string `json:"part"`
	Graphs int    `json:"graphs,omitempty"`
	Nodes  int    `json:"nodes,omitempty"` // if nodes are the items: number of nodes, or of labelled nodes of many graphs
	Edges  int    `json:"edges,omitempty"` // if edges are the items: number of labelled edges
	// PositiveClass is the class whose f1, precision and recall are scored, if there is one.
	PositiveClass string `json:"positive_class,omitempty"`
	// Numbers is how many numbers are predicted for an item, if there are several; errors are means over them.
	Numbers int          `json:"numbers,omitempty"`
	Scores  train.Scores `json:"scores"`
	// OnlyClass is the class of all labelled items, if the run predicts two classes and the data have one of them.
	OnlyClass string `json:"only_class,omitempty"`
}

// Text prints the evaluation for people.
func (e *Evaluation) Text(w io.Writer) error {
	items := fmt.Sprintf("%d graphs", e.Graphs)
	switch {
	case e.Nodes > 0:
		items = fmt.Sprintf("%d nodes", e.Nodes)
	case e.Edges > 0:
		items = fmt.Sprintf("%d edges", e.Edges)
	}
	scores := e.Scores
	if e.Numbers > 1 { // a mean over different units has no meaning
		scores = lists.Filter(scores, func(s train.Score) bool { return !slices.Contains(inUnits, s.Name) })
	}
	lines := []string{fmt.Sprintf("%s, %s, %s: %s", e.Data, e.Part, items, scoresText(scores, e.PositiveClass))}
	if e.OnlyClass != "" {
		lines = append(lines, fmt.Sprintf("the data have one class, %q; ROC-AUC needs both", e.OnlyClass))
	}
	return source.WriteLines(w, lines...)
}

// SetBudget scores recall at budgets other than those of the training (Target.Budget).
func (s *Session) SetBudget(budget []float64) error {
	v := settings.Values{"budget": budget}
	if err := v.Validate(); err != nil {
		return err
	}
	return v.Apply(&s.Settings, false, settings.OfTask)
}

// Evaluate scores the model on the labelled items of a part. A part without labels is a usage
// error.
func (s *Session) Evaluate(ctx context.Context, part string) (*Evaluation, error) {
	p, err := s.Part(part)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{Data: s.Data.Name(), Part: part, PositiveClass: task.PositiveClass(&s.Settings.Target)}
	if n := len(s.Settings.Target.Units); n > 1 {
		e.Numbers = n
	}
	if _, err := s.CheckPartMemory(p, false); err != nil {
		return nil, err
	}
	n := s.labelled(p)
	if n == 0 {
		for _, u := range p.Unseen {
			if u.Label {
				return nil, settings.Misuse("%s, part %s: %s", e.Data, part, u)
			}
		}
		return nil, settings.Misuse("%s, part %s: no %s has a label to score predictions by", e.Data, part, s.Task.Level)
	}
	many := s.Settings.Collection()
	if many || s.Task.Level == settings.Nodes {
		e.Graphs = len(p.Graphs)
	}
	switch {
	case s.Task.Collection:
	case s.Task.Level == settings.Edges:
		e.Edges = n
	case many:
		e.Nodes = n
	case p.Items != nil:
		e.Nodes = len(p.Items)
	default:
		e.Nodes = p.Graphs[0].NumNodes
	}
	if s.Settings.Target.Binary != nil {
		e.OnlyClass, _, _ = s.onlyClass(p)
	}
	e.Scores, err = s.Scores(ctx, p)
	return e, err
}

// Scores returns all scores on a part; NaN if it has no labels.
func (s *Session) Scores(ctx context.Context, p *source.Part) (train.Scores, error) {
	problem := s.problem()
	if score := s.Task.Problem(s.modelOf(p), &s.Settings).Score; score != nil {
		problem.Score = func() train.Scorer {
			c := score()
			if t, ok := c.(task.FullScorer); ok {
				t.EnableFull(p)
			}
			if f, ok := c.(task.Final); ok {
				f.Settle()
			}
			return c
		}
	}
	return train.Evaluate(ctx, problem, p.Graphs, s.Config())
}

// Each runs the model over a part, batch by batch.
func (s *Session) Each(ctx context.Context, p *source.Part, f func(out *model.Output, b *graph.Batch, first int) error) error {
	m := s.modelOf(p)
	return train.ForEachBatch(ctx, p.Graphs, s.Config(), func(pass *nn.Pass, first int, b *graph.Batch) error {
		return f(m.Forward(pass, b), b, first)
	})
}

// modelOf returns the model that predicts for a part. The graph of a part may have edges of other parts, for which
// model.Auto does not predict.
func (s *Session) modelOf(p *source.Part) model.Model {
	if m, ok := s.Model.(*model.Auto); ok && p.Items != nil {
		return &partModel{m, p.Items}
	}
	return s.Model
}

// partModel is model.Auto for some edges of a graph.
type partModel struct {
	*model.Auto
	edges []int32
}

// Forward predicts for the edges.
func (m *partModel) Forward(p *nn.Pass, b *graph.Batch) *model.Output {
	return m.ForwardEdges(p, b, m.edges)
}

// Predict returns the predictions for a part of the data, with a row for each graph, node or edge.
// For all training data, a column has the part of each row.
func (s *Session) Predict(ctx context.Context, part string) (*report.Table, error) {
	p, err := s.Predictions(ctx, part)
	if err != nil {
		return nil, err
	}
	return p.Table, nil
}

// CollectPart is collect for a part by name, after checking that it fits into memory.
func (s *Session) CollectPart(ctx context.Context, part string) (*source.Part, collected, error) {
	p, err := s.Part(part)
	if err != nil {
		return nil, collected{}, err
	}
	if _, err := s.CheckPartMemory(p, false); err != nil {
		return nil, collected{}, err
	}
	got, err := s.collect(ctx, p)
	return p, got, err
}

// table has a row for each item of a part.
func (s *Session) table(p *source.Part, part string, got collected) *report.Table {
	columns := p.Name(s.Task.Level, got.At)
	keys := len(columns)
	if part == source.PartAll && s.own {
		columns = append(columns, s.partColumn(p, got.At))
	}
	columns = slices.Concat(columns, got.Predictions, got.records)
	return &report.Table{Columns: slices.Insert(columns, keys, p.KeyColumns(s.Task.Level, got.At, columns)...)}
}

// collected has the outputs of a model for the items of a part.
type collected struct {
	At          []source.Place
	predictor   task.Predictor
	Predictions []report.Column
	records     []report.Column // records of pools about edges, if edges are the items
}

// collect runs the model over a part.
func (s *Session) collect(ctx context.Context, p *source.Part) (collected, error) {
	rows := s.Task.Predict(&s.Settings)
	var records task.EdgeRecords
	var at []source.Place
	err := s.Each(ctx, p, func(out *model.Output, b *graph.Batch, first int) error {
		r, places := p.Rows(s.Task.Level, b, first)
		rows.Add(out, b, r)
		at = append(at, places...)
		if s.Task.Level == settings.Edges {
			records.Add(out, b, r)
		}
		return nil
	})
	if err != nil {
		return collected{}, err
	}
	return collected{at, rows, rows.Columns(), records.Columns()}, nil
}

// learned lists the levels at which a model learns embeddings.
func learned(out *model.Output, b *graph.Batch) string {
	var have []string
	for _, level := range []settings.Level{settings.Edges, settings.Nodes, settings.Graphs} {
		if rows, _ := out.Vectors(string(level), b.H.NumEdges()); rows != nil {
			have = append(have, string(level)+"s")
		}
	}
	return strings.Join(have, " and ")
}

// partColumn returns a column with the part of each row in the training split; empty for none.
func (s *Session) partColumn(whole *source.Part, at []source.Place) report.Column {
	of := map[int]string{}
	for _, name := range source.Parts() {
		p := s.Parts[name]
		if p == nil {
			continue
		}
		if s.Settings.Collection() {
			for g := range p.Graphs {
				of[p.ID(source.Place{Graph: g})] = name
			}
		}
		for _, i := range p.Items {
			of[p.ID(source.Place{Item: int(i)})] = name
		}
	}
	out := lists.Map(at, func(place source.Place) string { return of[whole.ID(place)] })
	return report.Strings("part", out)
}

// Unseen counts the feature categories in a part that do not occur in the training data.
func (s *Session) Unseen(part string) []tables.Unseen {
	p, err := s.Part(part)
	if err != nil {
		return nil
	}
	return p.Unseen
}

// Embed returns the learned embeddings of a part of the data at a level. At the level of the task,
// rows are the items of the part, otherwise all nodes, edges or graphs in the part's input. An edge
// that a pool dropped has its last embedding before that; columns have its score and the layer that
// dropped it, or its cluster.
func (s *Session) Embed(ctx context.Context, part string, level settings.Level) (*report.Table, error) {
	p, err := s.Part(part)
	if err != nil {
		return nil, err
	}
	if _, err := s.CheckPartMemory(p, false); err != nil {
		return nil, err
	}
	vectors, columns, err := s.embed(ctx, p, level)
	if err != nil {
		return nil, err
	}
	return &report.Table{Columns: append(columns, vectors)}, nil
}

// embed is Embed for a part: it returns the embeddings and the columns that name the rows.
func (s *Session) embed(ctx context.Context, p *source.Part, level settings.Level) (vectors report.Column, columns []report.Column, err error) {
	if level != s.Task.Level {
		all := *p
		all.Items = nil
		p = &all
	}
	var rows []float32
	var records task.EdgeRecords
	var at []source.Place
	width := 1
	err = s.Each(ctx, p, func(out *model.Output, b *graph.Batch, first int) error {
		all, w := out.Vectors(string(level), b.H.NumEdges())
		if all == nil {
			return settings.Misuse("model %s learns no vectors of %ss; it learns those of %s", s.Settings.ModelName, level, learned(out, b))
		}
		which, places := p.Rows(level, b, first)
		rows = append(rows, lists.TakeRows(all, w, which)...)
		at = append(at, places...)
		if width = w; level == settings.Edges {
			records.Add(out, b, which)
		}
		return nil
	})
	vectors = report.Vectors("vector", rows, width)
	columns, named := p.Name(level, at), records.Columns()
	columns = slices.Concat(columns, p.KeyColumns(level, at, slices.Concat(columns, named, []report.Column{vectors})), named)
	return vectors, columns, err
}

// Unformed is a graph of a part in the form of the data, if the model reads another form.
func (s *Session) Unformed(p *source.Part, at int) (*source.Part, int, error) {
	if s.Spec.Form == nil {
		return p, at, nil
	}
	whole, err := s.Data.All(&s.Settings, &s.Task.Kind, nil)
	if err != nil {
		return nil, 0, settings.Usage(err)
	}
	if s.Settings.Collection() {
		at = p.ID(source.Place{Graph: at})
	}
	return whole, at, nil
}
