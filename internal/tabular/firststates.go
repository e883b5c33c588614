package tabular

import (
	"sync"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// FirstStates is a cache of the states of items after the first hop, for networks with three hops or more, which read
// the states of many items. Neighbours that share a cache must agree about the neighbours of each item, except for
// items that Neighbours.Changed reports. The zero value is empty. Several goroutines may use it.
type FirstStates struct {
	mu sync.Mutex
	of map[*messages]*firstStates
}

// firstStates are the cached states of one network.
type firstStates struct {
	mu   sync.Mutex
	rows []float32 // [items,stateUnits]
	has  []bool
}

// leastKeptHops is the number of hops from which states are cached. With fewer hops, no item that is read is unchanged.
const leastKeptHops = 3

// FirstBytes is the size of the cache of one network and so many items.
func (m *Model) FirstBytes(items int) int64 {
	if s := m.spec.Messages; s == nil || s.Hops < leastKeptHops {
		return 0
	}
	return int64(items) * (4*stateUnits + 1)
}

// network returns the cached states of a network, or nil.
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

// firstHop says which states after the first hop are computed and which are cached.
type firstHop struct {
	kept  *firstStates
	items []int32
	made  []int32 // row of each item among the computed states; -1 for a cached state
	stays []bool  // whether the state of each item may be cached
}

// divide finds the items whose states must be computed. The first item is always one of them, because the list must not be empty.
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

// join merges computed and cached states, and caches the computed states that stay.
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
