package page

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report/picture"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// explainEdge divides the prediction for the named edge among columns and other edges.
func (d *drawn) explainEdge(ctx context.Context, g *graphs, ask graphQuery) error {
	for _, kept := range g.records {
		if kept.of == ask {
			d.edge = kept.edge
		}
	}
	if d.edge == nil {
		o := explain.EdgeOptions{Part: ask.part, Target: ask.target, Graph: ask.graph}
		if ask.item != "" {
			o.Edges = []string{ask.item}
		}
		found, err := explain.Edges(g.session, ctx, o)
		if err != nil && settings.IsUsage(err) {
			d.problem = sentence(err)
			return nil
		}
		if err != nil {
			return err
		}
		d.edge = &found[0]
		g.keep(keptRecord{of: ask, edge: d.edge})
	}
	d.drawing, d.form.Drawn = picture.Edge(*d.edge, picture.EdgeWords{}, picture.WideEdge), true
	return nil
}
