package source

import (
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/model"
)

// A context is not kept if networks with messages would need more memory for it than there is.
func TestKeptRoom(t *testing.T) {
	set := &tables.Set{Ends: []int32{0, 1, 1, 2}, NodeIDs: []string{"a", "b", "c"}}
	m := &model.Auto{Config: model.AutoConfig{Learners: []model.Learner{{Kind: model.LearnerDual}}}}
	least := m.NeighbourBytes(set.NumEdges())
	if least <= m.NeighbourBytes(0) || (&model.Auto{}).NeighbourBytes(set.NumEdges()) != 0 {
		t.Errorf("%d bytes of two edges", least)
	}
	k := &KeptContext{set: set, room: least - 1}
	if p, err := k.prepare(nil, m, set, 1); p != nil || err != nil {
		t.Errorf("with a byte less than it takes, %v is kept, error %v", p, err)
	}
}
