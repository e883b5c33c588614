package links

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

func readFixture(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*max(1, math.Abs(b)) }

type heuristics struct {
	Nodes             []string
	Rows, Valid, Test [][2]string
	Features          map[string][]float64
	Degree            map[string]int
	Pairs             []heuristicPair
	Own               []heuristicPair                          `json:"own_edge_hidden"`
	Exact             map[string]map[string]float64            `json:"ppr_exact"`
	Push              map[string]map[string]heuristicPushCount `json:"ppr_push"`
}

type heuristicPushCount struct {
	Pushes int
	P      map[string]float64
}

type heuristicPair struct {
	Pair   [2]string
	CN     float64 `json:"cn"`
	AA     float64 `json:"adamic_adar"`
	RA     float64 `json:"resource_allocation"`
	J      float64 `json:"jaccard"`
	PA     float64 `json:"preferential_attachment"`
	Katz   float64 `json:"katz3"`
	UV     float64 `json:"ppr_uv"`
	VU     float64 `json:"ppr_vu"`
	PPR    float64 `json:"ppr"`
	Cosine float64 `json:"cosine"`
}

// dataset returns the data of the fixture and its split.
func (h *heuristics) dataset(t *testing.T) (*Data, *Split) {
	t.Helper()
	table := Table{IDs: h.Nodes, Kind: Undirected}
	for part, rows := range [][][2]string{h.Rows, h.Valid, h.Test} {
		for _, r := range rows {
			table.Ends = append(table.Ends, int32(slices.Index(h.Nodes, r[0])), int32(slices.Index(h.Nodes, r[1])))
			table.Part = append(table.Part, int8(part))
		}
	}
	d, err := NewData(table)
	if err != nil {
		t.Fatal(err)
	}
	s, err := SplitColumn(d)
	if err != nil {
		t.Fatal(err)
	}
	return d, s
}

func (h *heuristics) features(d *Data) *Features {
	return NewFeatures(d.Nodes(), 4, func(v int32) ([]int32, []float64) { return []int32{0, 1, 2, 3}, h.Features[d.IDs[v]] })
}

func index(d *Data, id string) int32 { return int32(slices.Index(d.IDs, id)) }

func TestHeuristics(t *testing.T) {
	var h heuristics
	readFixture(t, "heuristics.json", &h)
	d, s := h.dataset(t)
	g := NewGraph(d, s.Of(Train))
	for id, want := range h.Degree {
		if got := g.Both.Degree(index(d, id)); got != want {
			t.Errorf("degree of %s is %d, want %d", id, got, want)
		}
	}
	c := NewColumns(g, h.features(d))
	c.Eps = 1e-14
	if len(h.Pairs) != 52 {
		t.Fatalf("%d pairs, want 52", len(h.Pairs))
	}
	for _, p := range h.Pairs {
		compareHeuristics(t, c, d, p, true)
	}
	for _, p := range h.Own { // the graph without the pair's rows
		pair, _ := d.Find(index(d, p.Pair[0]), index(d, p.Pair[1]))
		kept := slices.DeleteFunc(s.Of(Train), func(i int32) bool { return i == pair })
		own := NewColumns(NewGraph(d, kept), nil)
		own.Eps = 1e-14
		compareHeuristics(t, own, d, p, false)
	}
}

func compareHeuristics(t *testing.T, c *Columns, d *Data, p heuristicPair, all bool) {
	t.Helper()
	w := c.NewWorker()
	for _, reverse := range []bool{false, true} {
		kept, other := index(d, p.Pair[0]), index(d, p.Pair[1])
		if reverse {
			kept, other = other, kept
		}
		w.Keep(kept)
		r := w.Raw(other, reverse)
		for _, x := range []struct {
			name           string
			got, want, tol float64
		}{{"cn", r.Common, p.CN, 0}, {"aa", r.AdamicAdar, p.AA, 1e-12}, {"ra", r.ResourceAllocation, p.RA, 1e-12},
			{"katz", r.Katz(), p.Katz, 1e-12}, {"pa", r.DegreeU * r.DegreeV, p.PA, 0}, {"ppr_uv", r.PPRFrom, p.UV, 1e-10}} {
			if !near(x.got, x.want, x.tol) {
				t.Errorf("%v reverse %v: %s is %v, want %v", p.Pair, reverse, x.name, x.got, x.want)
			}
		}
		if all && !(near(r.PPRFrom+r.PPRTo, p.PPR, 1e-10) && near(r.PPRTo, p.VU, 1e-10) && near(r.Jaccard(), p.J, 1e-12) && near(r.Cosine, p.Cosine, 1e-12)) {
			t.Errorf("%v reverse %v: %+v, want %+v", p.Pair, reverse, r, p)
		}
	}
}

func TestPush(t *testing.T) {
	var h heuristics
	readFixture(t, "heuristics.json", &h)
	d, s := h.dataset(t)
	g := NewGraph(d, s.Of(Train))
	for text, sources := range h.Push {
		eps, _ := strconv.ParseFloat(text, 64)
		w := NewPush(g.Both, d.Nodes(), eps)
		for id, want := range sources {
			w.From(index(d, id))
			if w.Pushes != want.Pushes {
				t.Errorf("eps %s, %s: %d pushes, want %d", text, id, w.Pushes, want.Pushes)
			}
			for v, p := range want.P {
				if got := w.At(index(d, v)); !near(got, p, 1e-12) {
					t.Errorf("eps %s: p_%s(%s) is %v, want %v", text, id, v, got, p)
				}
				exact := h.Exact[id][v]
				if diff := math.Abs(p - exact); diff > eps*max(1, float64(g.Both.Degree(index(d, v)))) {
					t.Errorf("eps %s: p_%s(%s) is off by %v", text, id, v, diff)
				}
			}
		}
	}
}

// A restored result equals the result of the source again, even if other results were computed
// between.
func TestPushRestored(t *testing.T) {
	var h heuristics
	readFixture(t, "heuristics.json", &h)
	d, s := h.dataset(t)
	w := NewPush(NewGraph(d, s.Of(Train)).Both, d.Nodes(), 1e-7)
	w.From(3)
	want := w.result()
	w.From(5)
	w.restore(want)
	values := make([]float64, d.Nodes())
	for i, v := range want.nodes {
		values[v] = want.values[i]
	}
	for v, p := range values {
		if got := w.At(int32(v)); got != p {
			t.Errorf("node %d has %v after 5, want %v", v, got, p)
		}
	}
	w.From(5)
	again := w.result()
	w.restore(want)
	if w.From(5); !reflect.DeepEqual(w.result(), again) {
		t.Error("what was restored changes the next result")
	}
}

type hardCase struct {
	Kept       string
	K          int
	Seed       uint64
	Candidates []string
	Ranks      map[string][]int32
	Negatives  []string
	Hard       int `json:"of_which_hard"`
}

func TestHardNegatives(t *testing.T) {
	var f struct {
		FNV       map[string]string `json:"fnv1a64"`
		Mix0      string            `json:"mix_0"`
		Mix42     string            `json:"mix_42"`
		Ties      map[string]string `json:"tie_42"`
		Structure []struct {
			K     int
			Seed  uint64
			Sides []hardCase
		} `json:"structure_only"`
		Cosine []struct {
			K     int
			Seed  uint64
			Sides []hardCase
		} `json:"with_cosine"`
		Isolated []hardCase
	}
	readFixture(t, "hard_negatives.json", &f)
	u64 := func(text string) uint64 { v, _ := strconv.ParseUint(text, 10, 64); return v }
	for id, want := range f.FNV {
		if FNV1a64(id) != u64(want) {
			t.Errorf("FNV1a64(%q) is %d, want %s", id, FNV1a64(id), want)
		}
	}
	if Mix(0) != u64(f.Mix0) || Mix(42) != u64(f.Mix42) {
		t.Errorf("Mix(0), Mix(42) are %d, %d", Mix(0), Mix(42))
	}
	for pair, want := range f.Ties {
		if got := tie(42, FNV1a64(pair[:1]), FNV1a64(pair[2:])); got != u64(want) {
			t.Errorf("tie(42, %s) is %d, want %s", pair, got, want)
		}
	}
	var h heuristics
	readFixture(t, "heuristics.json", &h)
	d, s := h.dataset(t)
	plain := NewColumns(NewGraph(d, s.Of(Train)), nil)
	withCosine := NewColumns(plain.Graph, h.features(d))
	n := 0
	check := func(c *Columns, x hardCase) {
		n++
		hard := NewHard(d, NewKnown(d), c.NewWorker(), x.Seed)
		lists := hard.rank(index(d, x.Kept), false)
		for _, s := range hard.found {
			if got, want := s.rank[:lists], x.Ranks[d.IDs[s.node]]; !slices.Equal(got, want) {
				t.Errorf("%s: ranks of %s are %v, want %v", x.Kept, d.IDs[s.node], got, want)
			}
			hard.place[s.node] = -1
		}
		list, positive := hard.List(index(d, x.Kept), false, x.K)
		var ids []string
		for _, v := range list {
			ids = append(ids, d.IDs[v])
		}
		if !slices.Equal(ids, x.Negatives) || positive != x.Hard {
			t.Errorf("%s seed %d: %v (%d hard), want %v (%d)", x.Kept, x.Seed, ids, positive, x.Negatives, x.Hard)
		}
	}
	for _, p := range f.Structure {
		for _, x := range p.Sides {
			x.K, x.Seed = p.K/2, p.Seed
			check(plain, x)
		}
	}
	for _, p := range f.Cosine {
		for _, x := range p.Sides {
			x.K, x.Seed = p.K/2, p.Seed
			check(withCosine, x)
		}
	}
	for _, x := range f.Isolated {
		check(plain, x)
	}
	if n != 11 {
		t.Errorf("%d cases, want 11", n)
	}
}

func TestL3(t *testing.T) {
	var f struct {
		Interactions [][]float64
		L3           struct{ Scores [][]float64 }
	}
	readFixture(t, "bipartite.json", &f)
	table := Table{Kind: Bipartite, IDs: []string{"u0", "u1", "u2", "u3", "v0", "v1", "v2", "v3", "v4"}}
	for u, row := range f.Interactions {
		for i, x := range row {
			if x > 0 {
				table.Ends = append(table.Ends, int32(u), int32(4+i))
			}
		}
	}
	d, err := NewData(table)
	if err != nil {
		t.Fatal(err)
	}
	w := NewColumns(GraphOf(Bipartite, d.Hash, d.Pairs), nil).NewWorker()
	for u, row := range f.L3.Scores {
		for i, want := range row {
			w.Keep(int32(u))
			if got := w.Raw(int32(4+i), false).L3; !near(got, want, 1e-12) {
				t.Errorf("l3(%d,%d) is %v, want %v", u, i, got, want)
			}
			w.Keep(int32(4 + i))
			if got := w.Raw(int32(u), true).L3; !near(got, want, 1e-12) {
				t.Errorf("l3(%d,%d) from the target is %v, want %v", u, i, got, want)
			}
		}
	}
}

func TestHistory(t *testing.T) {
	var f struct {
		Events    [][3]any
		Now       float64
		Tau       float64                       `json:"tau_seconds"`
		State     map[string]map[string]float64 `json:"state_before_now"`
		Streaming []struct {
			Event      [3]any
			History    [][3]any
			Popularity map[string]float64
			Seen       bool `json:"seen_before"`
		}
	}
	readFixture(t, "time.json", &f)
	at := func(x any) int32 { return int32(x.(string)[0] - 'a') }
	replay := func(events [][3]any, before float64) *History {
		h := NewHistory(4, []float64{f.Tau})
		for _, e := range events {
			if e[2].(float64) < before {
				h.Add(at(e[0]), at(e[1]), e[2].(float64))
			}
		}
		return h
	}
	h := replay(f.Events, f.Now)
	for id, want := range f.State {
		v := at(id)
		for name, got := range map[string]float64{"popularity": h.events[v], "distinct": h.distinct[v], "recency_in": h.Recency(v), "decayed": h.Decayed(0, v, f.Now)} {
			if !near(got, want[name], 1e-12) {
				t.Errorf("%s of %s is %v, want %v", name, id, got, want[name])
			}
		}
	}
	for _, s := range f.Streaming {
		h := replay(f.Events, s.Event[2].(float64))
		for id, want := range s.Popularity {
			if got := h.events[at(id)]; got != want {
				t.Errorf("before %v: popularity of %s is %v, want %v", s.Event, id, got, want)
			}
		}
		if got := h.pair[[2]int32{at(s.Event[0]), at(s.Event[1])}].count > 0; got != s.Seen {
			t.Errorf("before %v: seen is %v, want %v", s.Event, got, s.Seen)
		}
	}
}
