package session

import (
	"math"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// largeEdges returns an error for tables of labelled edges on which the training of RolesModel
// would not fit into memory, before anything but the tables is in memory. given are the given
// settings.
func (s *Session) largeEdges(given settings.Values) error {
	c, ok := s.Data.(*source.ColumnData)
	if !ok || s.Task.Level != settings.Edges || s.Spec.Name != source.RolesModel || s.Settings.Data.Tables == nil {
		return nil
	}
	limit := s.maxMemory
	if limit == 0 {
		limit = memory.Free()
	}
	z, err := c.RolesSize(&s.Settings, given)
	if err != nil {
		return nil // Split reports the error
	}
	if took := z.Bytes(); limit > 0 && took > source.LargeLoad && took > float64(limit) {
		return settings.Misuse("training %s on the %d edges of %s takes about %s at width %d; %s are free; a smaller --hidden, fewer --members, --structure none, "+
			"--label-context off or fewer edges take less; %s; --max-memory sets the bound",
			source.RolesModel, c.Set.NumEdges(), c.Name(), memory.Text(took), z.Width, memory.Text(limit), source.BeyondMemory)
	}
	return nil
}

// rolesMemory returns RolesSize of a session whose data are divided; false for other models and
// data.
func (s *Session) rolesMemory() (bytes float64, ok bool) {
	training := s.Graphs(source.PartTrain)
	if s.Spec.Name != source.RolesModel || s.Settings.Collection() || len(training) != 1 || s.Settings.Train.BatchSize > 0 {
		return 0, false
	}
	m := &s.Settings.Model
	z := source.RolesSize{Nodes: training[0].NumNodes, Columns: m.Edge, Width: m.Largest("hidden"), Layers: m.Largest("layers"),
		Members: max(m.Members, 1), Outputs: m.Out}
	for k, part := range []string{tables.Train, tables.Valid, tables.Test} {
		for _, g := range s.Graphs(part) {
			z.Edges[k] += g.NumEdges()
			z.Nodes = max(z.Nodes, g.NumNodes)
		}
	}
	if c := m.Context; c != nil {
		z.Context = c.Columns()
	}
	return min(z.Bytes(), math.MaxInt64/4), true
}
