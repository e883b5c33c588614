package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// Shapley divides a prediction for an edge of a table among the edge's own columns and neighbouring edges.
const Shapley = "shapley"

// EdgeExplanation is a prediction for an edge as a sum: Base plus all contributions (of Columns, Edges and Rest) is
// Value. Contributions are Shapley values. For a model that reads columns and no messages, contributions of columns are
// exact (trees) or integrated gradients (networks), averaged over with and without the other edges (Owen values).
// Contributions of edges are exact for few edges, and otherwise come from permutations with a standard error. For other
// models, columns and edges are permuted together. To predict without an edge, all columns made from other edges are
// computed again.
type EdgeExplanation struct {
	Edge   string `json:"edge"` // name in predictions
	ID     string `json:"id"`   // id in the table, or else Edge
	Source string `json:"source"`
	Target string `json:"target_node"`
	// Class is the explained class, label or number, called target in all explanations.
	Class    string `json:"target"`
	Directed bool   `json:"directed"`
	// Unit is the unit of Base, Value and contributions: LogOdds, or Number for the unit of the label.
	Unit  string  `json:"unit"`
	Base  float64 `json:"base"`
	Value float64 `json:"value"`
	// Score is the predicted probability or number.
	Score float64 `json:"score"`
	// StandardError is the largest standard error of a contribution; 0 if contributions are exact.
	StandardError float64 `json:"standard_error"`
	// Shown names the columns of the data whose values are in Labels, of this edge and the others.
	Shown  []string `json:"shown"`
	Labels []string `json:"labels"`
	// Columns are the columns of the edge, Edges the neighbouring edges, the largest contribution first.
	Columns []ColumnPart `json:"columns"`
	Edges   []EdgePart   `json:"edges"`
	Rest    []RestPart   `json:"rest,omitempty"`
	// Fidelity says whether Edges explain the prediction; nil if there are none.
	Fidelity *EdgeFidelity `json:"fidelity,omitempty"`
}

// Units of an EdgeExplanation.
const (
	LogOdds = "log-odds"
	Number  = "number"
)

// Side is the end of the explained edge at which another edge is.
type Side string

// The sides of an edge.
const (
	AtSource Side = "source"
	AtTarget Side = "target"
	AtBoth   Side = "both"
)

// EdgePart is the contribution of an edge near the explained one.
type EdgePart struct {
	Edge         string   `json:"edge"`
	ID           string   `json:"id"`
	Source       string   `json:"source"`
	Target       string   `json:"target"`
	Side         Side     `json:"side"`
	Steps        int      `json:"steps"` // 1 for an edge at the end itself
	Labels       []string `json:"labels,omitempty"`
	Contribution float64  `json:"contribution"`
	Error        float64  `json:"standard_error,omitempty"`
}

// RestPart is the contribution of the edges of a side that are not listed.
type RestPart struct {
	Side         Side    `json:"side"`
	Steps        int     `json:"steps"`
	Edges        int     `json:"edges"`
	Contribution float64 `json:"contribution"`
}

// EdgeOptions say what to explain about edges of a table.
type EdgeOptions struct {
	Part   string // source.PartAll and so on
	Target string // class, label or number; empty for the positive or the predicted class
	Graph  string // name in predictions; empty for the first
	// Top is how many edges are listed, if there are so many. 0 lists at most 15, and fewer if they have 95 % of all
	// contributions, or if the others contribute less than 0.5 % of the largest contribution.
	Top   int
	Show  []string // columns whose values label the edges; nil for the first number and the time
	Edges []string // names in predictions; empty for the first
}

// ExplainsEdges reports whether Edges explains predictions of a run: predictions for edges of one table.
func ExplainsEdges(s *session.Session) bool {
	return s.Task.Level == settings.Edges && Explains(s) && s.Settings.Data.Tables != nil && !s.Settings.Collection() && s.Settings.Data.Tables.Encoder != nil
}

// usualTop is how many edges are listed by default, at most.
const usualTop = 15

// Edges explains predictions for edges of a table.
func Edges(s *session.Session, ctx context.Context, o EdgeOptions) ([]EdgeExplanation, error) {
	if !ExplainsEdges(s) {
		return nil, settings.Misuse("--method %s explains predictions for the edges of a table, this run has the task %s; --method %s works for it", Shapley, s.Task.Name, Occlusion)
	}
	whole, at, items, err := itemsOf(s, o.Part, o.Graph, o.Edges)
	if err != nil {
		return nil, err
	}
	if whole.Edges == nil {
		return nil, settings.Misuse("--method %s needs the table of the edges; --method %s works without", Shapley, Occlusion)
	}
	if o.Show, err = shownColumns(whole.Edges, o.Show); err != nil {
		return nil, err
	}
	out := make([]EdgeExplanation, len(items))
	for k, item := range items {
		if out[k], err = explainEdge(s, ctx, whole, at, item, o); err != nil {
			return nil, fmt.Errorf("edge %s: %w", item.name, err)
		}
	}
	return out, nil
}

// shownColumns returns the columns that label edges: the given ones, or the first number and the time.
func shownColumns(t *source.EdgeTable, asked []string) (out []string, err error) {
	have := lists.Map(t.Columns(nil), func(c report.Column) string { return c.Name })
	for _, name := range asked {
		if !slices.Contains(have, name) {
			return nil, settings.Misuse("--show %s: no such column, expected some of %q", name, have)
		}
	}
	switch numbers := t.Numeric(); {
	case asked != nil:
		return asked, nil
	case len(numbers) > 0:
		out = append(out, numbers[0])
	}
	if t.TimeName() != "" {
		out = append(out, t.TimeName())
	}
	return out, nil
}

func explainEdge(s *session.Session, ctx context.Context, p *source.Part, at int, item namedItem, o EdgeOptions) (out EdgeExplanation, err error) {
	g, err := newEdgeGame(s, ctx, p, at, item, o)
	if err != nil {
		return out, err
	}
	out, err = g.divide(ctx, o)
	if err != nil {
		return out, err
	}
	out.Fidelity, err = g.fidelity(ctx, &out)
	return out, err
}

// divide computes the values of sets of players and lists the contributions.
func (g *edgeGame) divide(ctx context.Context, o EdgeOptions) (out EdgeExplanation, err error) {
	if err := g.choose(ctx, max(o.Top, usualTop)); err != nil {
		return out, err
	}
	play := game{len(g.fields) + len(g.players), g.value}
	random := rng.Stream(g.session.Settings.Train.Seed, "explain", Shapley, g.of[g.item])
	values, errs, err := play.shapley(ctx, g.budget, random)
	if err != nil {
		return out, err
	}
	out = g.describe(o)
	parts := slices.Clone(values[:len(g.fields)])
	if out.Value, parts, err = g.ownParts(ctx, parts); err != nil {
		return out, err
	}
	for i, name := range g.names {
		if parts[i] != 0 {
			out.Columns = append(out.Columns, ColumnPart{Column: name, Value: g.cells[name], Contribution: parts[i]})
		}
	}
	slices.SortStableFunc(out.Columns, func(a, b ColumnPart) int {
		return cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution))
	})
	out.Score = g.scoreOf(out.Value)
	edges := values[len(g.fields):]
	out.Base = out.Value
	for _, v := range append(slices.Clone(parts), edges...) {
		out.Base -= v
	}
	for _, e := range errs {
		out.StandardError = max(out.StandardError, e)
	}
	if errs != nil {
		errs = errs[len(g.fields):]
	}
	g.list(&out, edges, errs, o)
	return out, nil
}

// Edges are listed up to a share of all contributions, and if they have at least a share of the largest one.
const (
	enoughListed = 0.95
	leastListed  = 0.005
)

// list divides the players into listed edges and the rest of each side.
func (g *edgeGame) list(out *EdgeExplanation, values, errs []float64, o EdgeOptions) {
	top, enough, least := o.Top, math.Inf(1), 0.0
	if top == 0 {
		top, enough, least = usualTop, enoughListed, leastListed
	}
	order := lists.Range[int32](len(values))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(math.Abs(values[b]), math.Abs(values[a])) })
	all, most := 0.0, 0.0
	for _, v := range values {
		all, most = all+math.Abs(v), max(most, math.Abs(v))
	}
	for _, c := range out.Columns {
		most = max(most, math.Abs(c.Contribution))
	}
	rest, listed := map[RestPart]*RestPart{}, 0.0
	for _, k := range order {
		p, v := g.players[k], values[k]
		wanted := len(out.Edges) == 0 || len(out.Edges) < top && !(listed >= enough*all) && math.Abs(v) >= least*most
		if len(p.edges) == 1 && wanted {
			part := g.edgePart(p, o.Show)
			part.Contribution = v
			if errs != nil {
				part.Error = errs[k]
			}
			out.Edges = append(out.Edges, part)
			g.listed = append(g.listed, p.edges[0])
			listed += math.Abs(v)
			continue
		}
		key := RestPart{Side: p.side, Steps: p.steps}
		if rest[key] == nil {
			rest[key] = &RestPart{Side: p.side, Steps: p.steps}
		}
		rest[key].Edges += len(p.edges)
		rest[key].Contribution += v
	}
	for _, steps := range []int{1, 2} {
		for _, side := range []Side{AtSource, AtBoth, AtTarget} {
			if r := rest[RestPart{Side: side, Steps: steps}]; r != nil {
				out.Rest = append(out.Rest, *r)
			}
		}
	}
}

// ownParts returns the contributions of the own columns, given the Shapley values of fields that were players.
func (g *edgeGame) ownParts(ctx context.Context, fields []float64) (value float64, parts []float64, err error) {
	all := slices.Repeat([]bool{true}, len(g.fields)+len(g.players))
	full, own, err := g.evaluate(ctx, all)
	if err != nil || g.auto == nil {
		return full, fields, err
	}
	_, alone, err := g.evaluate(ctx, make([]bool, len(all)))
	for i := range own {
		own[i] = (own[i] + alone[i]) / 2
	}
	return full, own, err
}

// scoreOf converts a value to the predicted score.
func (g *edgeGame) scoreOf(value float64) float64 {
	if g.unit() == LogOdds {
		return 1 / (1 + math.Exp(-value))
	}
	return value
}

func (g *edgeGame) unit() string {
	if g.session.Settings.Target.Units != nil {
		return Number
	}
	return LogOdds
}

// interest is the class that is explained by default: the positive one of two classes, otherwise the predicted one.
func interest(s *session.Session, predicted int) int {
	if b := s.Settings.Target.Binary; b != nil {
		return int(b.Positive)
	}
	return predicted
}

// reads returns the model of a run if all of its learners divide their outputs among columns; otherwise nil.
func reads(s *session.Session) *model.Auto {
	m, ok := s.Model.(*model.Auto)
	if !ok || !m.DividesAll() {
		return nil
	}
	return m
}
