package tabular

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/tensor"
)

// Neighbours is the graph of items on which a network passes messages. A row stands for an item. An item has a state
// and several lists of neighbouring items. For example, items are the edges of a graph, and one list of an edge has the
// edges that leave its target.
type Neighbours struct {
	Item  []int32 // item of each row
	Items int     // number of items
	Lists []List
	// Pair is the offset between the two directions of an undirected edge: items i and i+Pair are never neighbours. 0 for none.
	Pair int
	// Width is the number of columns that State writes. Several goroutines may call State.
	Width int
	State func(to []float32, item int32)
	// Label is the label of each item, a class or a standardised number, or NaN if it is not known. Nil if no label is read.
	Label []float32
	// First caches states of items outside training, except items for which Changed returns true; nil for no cache.
	First   *FirstStates
	Changed func(item int32) bool
}

// List returns the neighbours of an item in ascending order. The list may contain the item itself, which is skipped.
// Several goroutines may call it; the result must not be changed.
type List func(item int32) []int32

// Keyed groups items by keys.
type Keyed struct{ ptr, of []int32 }

// NewKeyed groups items by n keys; key[i] is the key of item i.
func NewKeyed(key []int32, n int) Keyed {
	ptr, items := tensor.MustIndex(key, n).Segments()
	if items == nil { // items are in the order of their keys
		items = lists.Range[int32](len(key))
	}
	return Keyed{ptr, items}
}

// With returns the items of a key in ascending order, or none if there is no such key.
func (k Keyed) With(key int32) []int32 {
	if int(key)+1 >= len(k.ptr) {
		return nil
	}
	return k.of[k.ptr[key]:k.ptr[key+1]]
}

// isPair reports whether two items are the same item or the two directions of an edge.
func (n *Neighbours) isPair(a, b int32) bool {
	return a == b || n.Pair > 0 && (int(a-b) == n.Pair || int(b-a) == n.Pair)
}

// check returns an error if the neighbours do not fit the rows or the trained model.
func (n *Neighbours) check(name string, rows int, s *MessageSpec) error {
	switch {
	case n == nil:
		return fmt.Errorf("tabular: %s: there are no neighbours", name)
	case len(n.Item) != rows:
		return fmt.Errorf("tabular: %s: items of %d rows, expected %d", name, len(n.Item), rows)
	case len(n.Lists) != s.Lists || n.Width != s.State.Static || (n.Label != nil) != s.Labels:
		return fmt.Errorf("tabular: %s: %d lists, states of %d columns and labels %v, expected %d, %d and %v",
			name, len(n.Lists), n.Width, n.Label != nil, s.Lists, s.State.Static, s.Labels)
	}
	return nil
}

// Number of neighbours read from each list: of the rows themselves, and in outer hops. Training samples them at random.
// Otherwise all are read up to a larger number; of a longer list, evenly spaced neighbours are read.
const (
	trainMost, trainInner = 8, 4
	mostRead, innerRead   = 32, 16
)

// hop has the messages of a layer: message k goes from sender from[k] to to[k] = receiver·lists + list. The layer reads
// states of items; receivers are some of these states. Senders are the states that send in a list, one list after the
// other.
type hop struct {
	receivers []int32   // indices among the states
	senders   [][]int32 // for each list: indices among the states
	from, to  []int32   // of the messages; to is in ascending order
	count     []float32 // [receivers,lists] log(1 + number of neighbours)
}

// around has the hops and the items of the first states, outermost first.
type around struct {
	items []int32
	hops  []hop
	first *firstHop // nil if no states are cached
}

// sampler finds the neighbours around rows. With key 0 it does not draw at random.
type sampler struct {
	*Neighbours
	pool   *par.Pool
	key    uint64    // seed of random draws
	at     []int32   // index of each item in the current list + 1
	states []float32 // inputs of the states of all items; nil to compute them when they are read
	first  *firstStates
}

// Inputs of states are computed once for all items if the rows are at least 1/keptShare of the items, and the inputs
// have at most mostKept numbers: an item is a neighbour of many others, so its state is read often.
const (
	keptShare = 8
	mostKept  = 1 << 25
)

// sampler returns a sampler for a network.
func (m *messages) sampler(n *Neighbours, pool *par.Pool) *sampler {
	items := n.Items
	s := &sampler{Neighbours: n, pool: pool, at: make([]int32, items), first: n.First.network(m, items)}
	if width := m.enc.Value.Dim(0); items <= keptShare*len(n.Item) && items*width <= mostKept {
		states := make([]float32, items*width)
		m.fill(states, s, lists.Range[int32](items))
		s.states = states
	}
	return s
}

// around finds the items that the rows ids read in some hops.
func (s *sampler) around(ids []int32, hops int) *around {
	out := &around{hops: make([]hop, hops)}
	receivers := lists.Take(s.Item, ids)
	for h := hops - 1; h >= 0; h-- {
		most, all := trainMost, mostRead
		if h < hops-1 {
			most, all = trainInner, innerRead
		}
		if s.key == 0 {
			most = all
		}
		if h == 0 && s.first != nil {
			out.first, receivers = s.first.divide(receivers, s.Changed)
		}
		receivers = s.hop(&out.hops[h], receivers, most, mix(s.key+uint64(h)))
	}
	out.items = receivers
	return out
}

// hop fills in the messages to some items and returns the items that the hop reads: receivers and their neighbours.
func (s *sampler) hop(h *hop, receivers []int32, most int, key uint64) (items []int32) {
	lists := len(s.Lists)
	h.count = make([]float32, len(receivers)*lists)
	found := make([]int32, len(receivers)*lists*most)
	number := make([]int32, len(receivers)*lists)
	s.pool.Rows(len(receivers), 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for q := range lists {
				at := i*lists + q
				n, of := s.read(found[at*most:][:most], s.Lists[q](receivers[i]), receivers[i], mix(key+uint64(receivers[i])*8+uint64(q)))
				number[at], h.count[at] = int32(n), float32(math.Log1p(float64(of)))
			}
		}
	})
	add := func(item int32) int32 {
		if s.at[item] == 0 {
			items = append(items, item)
			s.at[item] = int32(len(items))
		}
		return s.at[item] - 1
	}
	for _, r := range receivers {
		h.receivers = append(h.receivers, add(r))
	}
	for at, n := range number {
		for _, item := range found[at*most:][:n] {
			h.from, h.to = append(h.from, add(item)), append(h.to, int32(at))
		}
	}
	h.send(lists, len(items))
	for _, item := range items {
		s.at[item] = 0
	}
	return items
}

// send converts from, which has indices among so many states, to indices among the senders.
func (h *hop) send(lists, states int) {
	h.senders = make([][]int32, lists)
	place := make([]int32, lists*states) // index of each state among the senders of a list, + 1
	for k, row := range h.from {
		q := int(h.to[k]) % lists
		at := &place[q*states+int(row)]
		if *at == 0 {
			h.senders[q] = append(h.senders[q], row)
			*at = int32(len(h.senders[q]))
		}
		h.from[k] = *at - 1
	}
	first := make([]int32, lists) // first sender of each list
	for q := 1; q < lists; q++ {
		first[q] = first[q-1] + int32(len(h.senders[q-1]))
	}
	for k := range h.from {
		h.from[k] += first[int(h.to[k])%lists]
	}
}

// read writes at most len(to) neighbours of an item from a list. n is how many it wrote, and all is the length of the list.
func (s *sampler) read(to, list []int32, item int32, key uint64) (n, all int) {
	drawn := 0
	for j := range min(len(to), len(list)) {
		at := j
		if len(list) > len(to) {
			share := 0.5
			if s.key != 0 {
				key = mix(key)
				share = float64(key>>11) / (1 << 53)
			}
			at = int((float64(j) + share) / float64(len(to)) * float64(len(list)))
		}
		if other := list[at]; !s.isPair(item, other) {
			to[drawn] = other
			drawn++
		}
	}
	return drawn, len(list)
}
