package auto

import (
	"context"

	"github.com/ehgnn/ehgnn/model"
)

// Table has the columns and labels that learners are trained on, for other programs. A label is a class or a
// standardised number. Each row has a label, but the two rows of an undirected validation edge share one.
type Table struct {
	Train       model.Block // all draws, one below the other
	TrainLabels []float32
	// Snapshots has the rows of snapshots; none if edges have no times.
	Snapshots      model.Block
	SnapshotLabels []float32
	Valid          model.Block
	ValidLabels    []float32
}

// Columns makes the columns of a request. If training is false, the columns of training edges are left out.
func Columns(ctx context.Context, r Request, training bool) (*Table, error) {
	p := &problem{Request: r, families: r.Layout.Families()}
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	t := &Table{Valid: p.valid.x, ValidLabels: p.valid.y}
	if !training {
		return t, nil
	}
	for k := range max(len(p.hiding.draws), 1) {
		t.Train = appendRows(t.Train, p.hiding.draw(k))
		t.TrainLabels = append(t.TrainLabels, p.hiding.y...)
	}
	if err := p.snapshots(ctx); err != nil {
		return nil, err
	}
	if p.moments != nil {
		t.Snapshots, t.SnapshotLabels = p.moments.draw(0), p.moments.y
	}
	return t, nil
}
