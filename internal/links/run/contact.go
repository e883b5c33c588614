package run

import (
	"fmt"
	"time"

	"github.com/ehgnn/ehgnn/internal/links"
)

// lastContact is the reason that two nodes were in contact. Its weight is the time since then, in
// the unit of the times.
const lastContact = "last-contact"

// lastContacts returns, for a run with a split by time, the time of the last event of each pair and
// of all pairs, in the graph that scores candidates.
func (r *Run) lastContacts() (of map[[2]int32]float64, now float64) {
	of, now = map[[2]int32]float64{}, r.moment
	add := func(p [2]int32, at float64) {
		if was, ok := of[p]; !ok || at > was {
			of[p] = at
		}
		now = max(now, at)
	}
	d := r.t.d
	for row, pair := range d.Row {
		if at := d.Time[row]; pair >= 0 && at <= r.moment {
			add(d.Pairs[pair], at)
		}
	}
	for _, e := range r.later {
		add([2]int32{e.Source, e.Target}, e.Time)
	}
	return of, now
}

// contact returns, for a run with a split by time, when two nodes were in contact and who began. It
// returns nil if they were not.
func (r *Run) contact(u, v int32) []Why {
	if r.Settings.Split != ByTime {
		return nil
	}
	of, now := r.contacts()
	to, forth := of[r.Data.Orient([2]int32{u, v})]
	from, back := of[r.Data.Orient([2]int32{v, u})]
	if !forth && !back {
		return nil
	}
	at, source := to, u
	if !forth || back && from > to {
		at, source = from, v
	}
	w := Why{Kind: lastContact, Node: r.Data.IDs[source], Weight: now - at}
	w.text = fmt.Sprintf("last contact %s ago", r.age(w.Weight))
	if r.Data.Kind != links.Undirected {
		w.text += ", from " + w.Node
	}
	return []Why{w}
}

// age returns a time span in words.
func (r *Run) age(span float64) string {
	const day = 24 * 60 * 60
	if !r.t.d.Dates {
		return fmt.Sprintf("%.6g", span)
	}
	if span >= day {
		return fmt.Sprintf("%.0f days", span/day)
	}
	return time.Duration(span * float64(time.Second)).Round(time.Second).String()
}
