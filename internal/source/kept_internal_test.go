package source

import (
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/model"
)

// What networks with messages read of a context is not kept where it takes more than there is room for.
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
