package tabular

import (
	"sync"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// FirstStates keep the states of items after the first hop of networks of three hops or more, which read those of many items.
// Neighbours that share them have the same items around each item that they do not call changed (Neighbours.Changed). The zero value
// keeps none yet; several goroutines may use it.
type FirstStates struct {
	mu sync.Mutex
	of map[*messages]*firstStates
}

// firstStates are those of one network.
type firstStates struct {
	mu   sync.Mutex
	rows []float32 // [items,stateUnits]
	has  []bool
}

// leastKeptHops is the number of hops from which states are kept: with fewer, no item that is read stays as it was.
const leastKeptHops = 3

// FirstBytes is what FirstStates take of the network, of so many items.
func (m *Model) FirstBytes(items int) int64 {
	if s := m.spec.Messages; s == nil || s.Hops < leastKeptHops {
		return 0
	}
	return int64(items) * (4*stateUnits + 1)
}

// network returns the states of a network; nil for none.
func (f *FirstStates) network(m *messages, items int) *firstStates {
	if f == nil || m.spec.Hops < leastKeptHops {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil {
		f.of = map[*messages]*firstStates{}
	}
	if f.of[m] == nil {
		f.of[m] = &firstStates{rows: make([]float32, items*stateUnits), has: make([]bool, items)}
	}
	return f.of[m]
}

// firstHop are the items whose states after the first hop are read: which of them are made, and which are kept.
type firstHop struct {
	kept  *firstStates
	items []int32
	made  []int32 // of each item, its row among those that are made; -1 for one whose state is kept
	stays []bool  // of each item, whether its state may be kept
}

// divide finds the items whose states are missing and are to be made, the first one among them in any case, as there must be one.
func (k *firstStates) divide(items []int32, changed func(item int32) bool) (h *firstHop, missing []int32) {
	h = &firstHop{kept: k, items: items, made: lists.Repeat(int32(-1), len(items)), stays: make([]bool, len(items))}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, item := range items {
		if h.stays[i] = !changed(item); i == 0 || !h.stays[i] || !k.has[item] {
			h.made[i] = int32(len(missing))
			missing = append(missing, item)
		}
	}
	return h, missing
}

// join are the states of all items, given those that were made, of which it keeps those that stay.
func (h *firstHop) join(t *tensor.Tape, made *tensor.Tensor) *tensor.Tensor {
	out := t.New(len(h.items), stateUnits)
	h.kept.mu.Lock()
	defer h.kept.mu.Unlock()
	for i, item := range h.items {
		to, kept := out.Data()[i*stateUnits:][:stateUnits], h.kept.rows[int(item)*stateUnits:][:stateUnits]
		if h.made[i] < 0 {
			copy(to, kept)
			continue
		}
		copy(to, made.Data()[int(h.made[i])*stateUnits:])
		if h.stays[i] {
			copy(kept, to)
			h.kept.has[item] = true
		}
	}
	return t.Constant(out)
}
