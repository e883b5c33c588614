package task

import (
	"math"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/memory"
)

// largeEdges refuses tables of labelled edges on which the training of rolesModel would not fit
// into memory, before anything but the tables takes any. given are the values of settings.
func (s *Session) largeEdges(given Values) error {
	c, ok := s.Data.(*columnData)
	if !ok || s.task.Items != Edges || s.spec.Name != rolesModel || s.Settings.Data.Tables == nil {
		return nil
	}
	limit := s.maxMemory
	if limit == 0 {
		limit = memory.Free()
	}
	z, err := c.rolesSize(&s.Settings, given)
	if err != nil {
		return nil // Divide says what is wrong
	}
	if took := z.bytes() + z.tables(); limit > 0 && took > largeLoad && took > float64(limit) {
		return Misuse("task: training %s on the %d edges of %s takes about %s at width %d; %s are free; a smaller --hidden, fewer --members, --structure none, "+
			"--label-context off or fewer edges take less; %s; --max-memory sets the bound",
			rolesModel, c.set.NumEdges(), c.Name(), memory.Text(took), z.width, memory.Text(limit), beyondMemory)
	}
	return nil
}

// rolesMemory is what rolesSize tells of a session whose data are divided; false for other models
// and data.
func (s *Session) rolesMemory() (bytes float64, ok bool) {
	training := s.Graphs(PartTrain)
	if s.spec.Name != rolesModel || s.Settings.collection() || len(training) != 1 || s.Settings.Train.BatchSize > 0 {
		return 0, false
	}
	m := &s.Settings.Model
	z := rolesSize{nodes: training[0].NumNodes, columns: m.Edge, width: m.Largest("hidden"), layers: m.Largest("layers"),
		members: max(m.Members, 1), outputs: m.Out, trials: len(s.questions) > 0}
	if v := m.NodeVectors; v != nil {
		z.vectors = v.Width
	}
	for k, part := range []string{tables.Train, tables.Valid, tables.Test} {
		for _, g := range s.Graphs(part) {
			z.edges[k] += g.NumEdges()
			z.nodes = max(z.nodes, g.NumNodes)
		}
	}
	if c := m.Context; c != nil {
		z.context = c.Columns()
	}
	return min(z.bytes(), math.MaxInt64/4), true
}
