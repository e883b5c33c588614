package links

import (
	"cmp"
	"math"
	"slices"
)

// History has the events before a moment, and describes a candidate (u, v) by them: how often and
// when the target was reached, and when the two nodes were last in contact. Events must be added in
// the order of time. The candidates of a moment must be described before its events are added.
type History struct {
	Taus     []float64 // time constants of decayed popularity, exp(-age/τ), in units of time
	events   []float64
	distinct []float64
	last     []float64 // NaN if never
	decayed  [][]float64
	at       [][]float64 // the time of the last update of decayed
	pair     map[[2]int32]contact
	partners [][]int32 // nodes with which each node was in contact, in either direction
	sent     []float64 // number of events of each source
	lastSent []float64 // time of the last event of each source, NaN if never
	active   []int32   // nodes that have been an end of an event
}

// contact is the history of an ordered pair.
type contact struct {
	count float64
	last  float64
	open  float64 // events since the last event in the other direction
}

// Event is an edge with its time.
type Event struct {
	Source, Target int32
	Time           float64
}

// NewHistory returns a history without events.
func NewHistory(nodes int, taus []float64) *History {
	h := &History{Taus: taus, events: make([]float64, nodes), distinct: make([]float64, nodes), last: make([]float64, nodes), pair: map[[2]int32]contact{},
		partners: make([][]int32, nodes), sent: make([]float64, nodes), lastSent: make([]float64, nodes)}
	for v := range h.last {
		h.last[v], h.lastSent[v] = math.NaN(), math.NaN()
	}
	for range taus {
		h.decayed, h.at = append(h.decayed, make([]float64, nodes)), append(h.at, make([]float64, nodes))
	}
	return h
}

// Add adds an event. Its time must not be before the time of the last event.
func (h *History) Add(u, v int32, t float64) {
	for _, w := range []int32{u, v} {
		if !h.IsActive(w) {
			h.active = append(h.active, w)
		}
	}
	for k := range h.Taus {
		h.decayed[k][v] = h.Decayed(k, v, t) + 1
		h.at[k][v] = t
	}
	h.events[v]++
	h.last[v] = t
	h.sent[u]++
	h.lastSent[u] = t
	p := h.pair[[2]int32{u, v}]
	if p.count == 0 {
		h.distinct[v]++
		if h.pair[[2]int32{v, u}].count == 0 {
			h.partners[u], h.partners[v] = append(h.partners[u], v), append(h.partners[v], u)
		}
	}
	h.pair[[2]int32{u, v}] = contact{p.count + 1, t, p.open + 1}
	if back := h.pair[[2]int32{v, u}]; back.open > 0 {
		back.open = 0
		h.pair[[2]int32{v, u}] = back
	}
}

// Decayed returns the decayed popularity of a target at a moment, with time constant k.
func (h *History) Decayed(k int, v int32, now float64) float64 {
	if h.decayed[k][v] == 0 {
		return 0
	}
	return h.decayed[k][v] * math.Exp(-(now-h.at[k][v])/h.Taus[k])
}

// Recency returns the time of the last event of a target, NaN if never.
func (h *History) Recency(v int32) float64 { return h.last[v] }

// IsActive reports whether a node has been an end of an event.
func (h *History) IsActive(v int32) bool { return h.events[v]+h.sent[v] > 0 }

// Active returns the nodes that have been an end of an event.
func (h *History) Active() []int32 { return h.active }

// Partners returns the nodes with which a node has been in contact, the latest contact first.
func (h *History) Partners(u int32) []int32 {
	out := slices.Clone(h.partners[u])
	last := func(v int32) float64 {
		a, b := h.pair[[2]int32{u, v}], h.pair[[2]int32{v, u}]
		if a.count == 0 || b.count > 0 && b.last > a.last {
			return b.last
		}
		return a.last
	}
	slices.SortStableFunc(out, func(a, b int32) int { return cmp.Or(cmp.Compare(last(b), last(a)), cmp.Compare(a, b)) })
	return out
}

// never is the age of an event that has not happened.
const never = math.MaxFloat32

// age returns the time since a contact.
func (p contact) age(now float64) float64 {
	if p.count == 0 {
		return never
	}
	return now - p.last
}

// since returns the negative of the time since t. If t is NaN, nothing has happened yet.
func since(t, now float64) float64 {
	if math.IsNaN(t) {
		return -never
	}
	return t - now
}

// HistoryColumns is the number of the columns of History.Row that are always there. They are
// followed by one column of decayed popularity for each time constant and, at the end, by last-partner.
const HistoryColumns = 8

// Row writes the columns of a candidate at a moment. Columns of ages are negative ages, so that
// larger values are more likely. best is the time constant of last-partner.
func (h *History) Row(u, v int32, now float64, best int, out []float64) {
	to, back := h.pair[[2]int32{u, v}], h.pair[[2]int32{v, u}]
	contact := min(to.age(now), back.age(now))
	copy(out, []float64{h.events[v], h.distinct[v], since(h.last[v], now), min(1, to.count), -to.age(now), to.count, -back.age(now), -contact})
	for k := range h.Taus {
		out[HistoryColumns+k] = h.Decayed(k, v, now)
	}
	// Contacts come before all other nodes, which decayed popularity orders.
	popular := out[HistoryColumns+best]
	out[HistoryColumns+len(h.Taus)] = popular / (1 + popular)
	if contact < never {
		out[HistoryColumns+len(h.Taus)] = 1 + 1/(1+max(0, contact))
	}
}

// Width returns the number of columns of Row.
func (h *History) Width() int { return HistoryColumns + len(h.Taus) + 1 }

// ExchangeColumns is the number of columns of Exchange.
const ExchangeColumns = 11

// Exchange writes further columns of a candidate at a moment: the number of events that each end
// sent, the time of each end's last activity, the numbers of their partners, the events in each
// direction since the last answer, and the difference between the ages of the last event in each
// direction.
func (h *History) Exchange(u, v int32, now float64, out []float64) {
	to, back := h.pair[[2]int32{u, v}], h.pair[[2]int32{v, u}]
	copy(out, []float64{h.sent[u], h.sent[v], since(h.lastSent[u], now), since(h.last[u], now), since(h.lastSent[v], now),
		float64(len(h.partners[u])), float64(len(h.partners[v])), back.count, to.open, back.open, to.age(now) - back.age(now)})
}
