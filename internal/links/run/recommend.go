package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Query is a request for partners.
type Query struct {
	For   []string // ids; a repeated id counts once
	Top   int
	Known bool // known partners are also candidates
	// Sources asks for sources of the given targets, in a directed or bipartite graph.
	Sources bool
	Among   []string // the candidates; nil for all nodes
	Why     bool
	// Exact scores all candidates, however many there are.
	Exact bool
	// SkipUnknown skips ids that no table has. Otherwise they are an error.
	SkipUnknown bool
}

// Recommendation is a recommended partner of a node.
type Recommendation struct {
	Source string  `json:"source"`
	Rank   int     `json:"rank"`
	Target string  `json:"target"`
	Score  float64 `json:"score"`
	Known  bool    `json:"known"`
	// Popular says that the node has no pair and no features, so its list has the most popular
	// partners.
	Popular bool   `json:"popular,omitempty"`
	Cold    bool   `json:"cold,omitempty"` // the node has no pair in the tables of the run
	Why     []Why  `json:"why,omitempty"`
	Text    string `json:"-"` // Why as text
}

// Why is a reason for a recommendation.
type Why struct {
	Kind   string  `json:"kind"`
	Node   string  `json:"node"`
	Weight float64 `json:"weight"`
	text   string
}

// Find returns the node of an id at an end of edges: 0 for sources, 1 for targets.
func (r *Run) Find(id string, end int) (int32, error) {
	if v, ok := r.node.find(id, end); ok {
		return v, nil
	}
	return 0, misuse("%s; --context brings edges of new nodes", r.Data.Unknown(id))
}

// Askable returns the ids of the nodes that may be in Query.For: sources, for their targets, or
// with sources the targets.
func (r *Run) Askable(sources bool) []string {
	nodes, targets := r.Data.Ends()
	if sources {
		nodes = targets
	}
	return lists.Map(nodes, r.id)
}

// id returns the id of a node as the tables have it.
func (r *Run) id(v int32) string {
	end := 0
	if r.Data.Kind == links.Bipartite && r.Data.Target[v] {
		end = 1
	}
	return r.Data.Kinds.Cell(end, r.Data.IDs[v])
}

// End returns the end of edges at which the nodes of For are, 1 for targets. Their partners are at
// the other end.
func (q *Query) End() int {
	if q.Sources {
		return 1
	}
	return 0
}

// Recommend ranks partners of nodes, each node once, by descending score. Of equal scores the
// partner whose id sorts first comes first. It scores all possible partners. If that is too many
// scores and the model does not multiply vectors, it scores only the likely partners.
func (r *Run) Recommend(ctx context.Context, q Query) ([]Recommendation, error) {
	var all []Recommendation
	err := r.RecommendEach(ctx, q, 0, func(_ int, list []Recommendation) error {
		all = append(all, list...)
		return nil
	})
	return all, err
}

// RecommendEach is Recommend in blocks, without the first nodes of the query. Only one block is in
// memory at a time. It calls f with each block and with the number of nodes that are done. The
// lists do not depend on first.
func (r *Run) RecommendEach(ctx context.Context, q Query, first int, f func(done int, list []Recommendation) error) error {
	nodes, err := r.asked(q)
	if err != nil {
		return err
	}
	var among []bool
	if q.Among != nil {
		among = make([]bool, r.Data.Nodes())
		for _, id := range q.Among {
			v, err := r.Find(id, 1-q.End())
			if err != nil {
				return err
			}
			among[v] = true
		}
	}
	twoSteps, compare := !q.Exact && !r.isExact(len(nodes)), true
	for done := first; done < len(nodes); {
		some := nodes[done:min(done+sourcesAtOnce, len(nodes))]
		lists, err := r.ranked(ctx, some, q, among, twoSteps, compare)
		if err != nil {
			return err
		}
		var list []Recommendation
		for i, v := range some {
			list = append(list, r.recommendations(v, q, lists[i])...)
		}
		done, compare = done+len(some), false
		if err := f(done, list); err != nil {
			return err
		}
	}
	return nil
}

// asked returns the nodes of a query, each once.
func (r *Run) asked(q Query) ([]int32, error) {
	var nodes []int32
	listed := map[int32]bool{}
	for _, id := range q.For {
		v, ok := r.node.find(id, q.End())
		if !ok && q.SkipUnknown {
			continue
		}
		if !ok {
			_, err := r.Find(id, q.End())
			return nil, settings.Usage(fmt.Errorf("%w; --skip-unknown goes on without", err))
		}
		if r.Data.Kind == links.Bipartite && r.Data.Target[v] != q.Sources {
			side, flag := "target", "--side source asks for sources of a target"
			if q.Sources {
				side, flag = "source", "--side target asks for targets of a source"
			}
			return nil, misuse("%q is a %s; %s", id, side, flag)
		}
		if !listed[v] {
			listed[v] = true
			nodes = append(nodes, v)
		}
	}
	return nodes, nil
}

// ranked returns the best partners of nodes. A node without pairs and features gets the most
// popular partners. With twoSteps, a model that does not multiply vectors scores only the likely
// partners. With compare, the result also says how many of the best partners this finds.
func (r *Run) ranked(ctx context.Context, nodes []int32, q Query, among []bool, twoSteps, compare bool) ([][]score.Ranked, error) {
	reverse, known := r.reverse(q), r.Data.Known
	if q.Known {
		known = r.none
	}
	lists := make([][]score.Ranked, len(nodes))
	var at, single []int // positions of nodes that have vectors, and of all others
	var vectors []int32
	for i, v := range nodes {
		if r.products != nil && !r.popular(v) {
			at, vectors = append(at, i), append(vectors, v)
		} else {
			single = append(single, i)
		}
	}
	if len(vectors) > 0 {
		of, err := r.products.Top(ctx, r.t.threads, vectors, reverse, q.Top, known, among)
		if err != nil {
			return nil, err
		}
		for k, i := range at {
			lists[i] = of[k]
		}
	}
	var of [][]score.Ranked
	var err error
	if twoSteps && len(single) > 0 {
		of, err = r.twoSteps(ctx, nodesAt(nodes, single), reverse, q.Top, known, among, compare)
	} else {
		of, err = par.Map(ctx, r.t.threads, single, func(i int) []score.Ranked { return r.top(nodes[i], reverse, q.Top, known, among) })
	}
	if err != nil {
		return nil, err
	}
	for k, i := range single {
		if lists[i] = of[k]; slices.ContainsFunc(of[k], func(x score.Ranked) bool { return math.IsNaN(x.Score) }) {
			return nil, rank.ErrNaN
		}
	}
	return lists, nil
}

// nodesAt returns the nodes at the given positions.
func nodesAt(nodes []int32, places []int) []int32 {
	return lists.Map(places, func(i int) int32 { return nodes[i] })
}

// reverse reports whether the nodes of the query are targets.
func (r *Run) reverse(q Query) bool { return q.Sources && r.Data.Kind != links.Undirected }

// popular reports whether a model cannot score a node: it has no pair in the graph and no features.
// Products of vectors do not read features.
func (r *Run) popular(v int32) bool {
	if r.columns.Graph.Both.Degree(v) > 0 {
		return false
	}
	if r.Data.Features == nil || r.products != nil {
		return true
	}
	of, _ := r.Data.Features.Row(v)
	return len(of) == 0
}

// cold reports whether the tables of the run have no pair of a node.
func (r *Run) cold(v int32) bool { return int(v) >= r.own.Nodes || r.own.Both.Degree(v) == 0 }

// top returns the best partners of a node. It scores all candidates.
func (r *Run) top(kept int32, reverse bool, most int, known *links.Known, among []bool) []score.Ranked {
	others := known.Candidates(r.Data.Data, kept, reverse)
	if among != nil {
		others = slices.DeleteFunc(others, func(v int32) bool { return !among[v] })
	}
	return r.best(kept, reverse, others, most)
}

// best returns the best of the given partners of a node.
func (r *Run) best(kept int32, reverse bool, others []int32, most int) []score.Ranked {
	scores := make([]float64, len(others))
	if r.popular(kept) {
		by := r.columns.Graph.In
		if reverse {
			by = r.columns.Graph.Out
		}
		for i, v := range others {
			scores[i] = float64(by.Degree(v))
		}
	} else if len(others) > 0 {
		scores = r.scorer.Score(kept, reverse, others)
	}
	return lists.Map(score.Top(scores, most), func(i int) score.Ranked { return score.Ranked{Node: others[i], Score: scores[i]} })
}

// recommendations returns a list as recommendations.
func (r *Run) recommendations(kept int32, q Query, list []score.Ranked) []Recommendation {
	d, popular := r.Data, r.popular(kept)
	var out []Recommendation
	for place, x := range list {
		u, v := kept, x.Node
		if r.reverse(q) {
			u, v = v, u
		}
		_, known := d.Find(u, v)
		rec := Recommendation{Source: r.id(kept), Rank: place + 1, Target: r.id(x.Node), Score: x.Score, Known: known, Popular: popular, Cold: r.cold(kept)}
		if q.Why && !popular {
			rec.Why = r.why(u, v)
			rec.Text = whyText(rec.Why)
		}
		out = append(out, rec)
	}
	return out
}

// reasons is the largest number of reasons for a recommendation.
const reasons = 3

// why lists the common neighbours of a pair with the largest weights, or the source's targets that
// are most similar to the target.
func (r *Run) why(u, v int32) []Why {
	kind := "common-neighbour"
	nodes, weights := r.columns.Explain(u, v, reasons)
	if r.knn != nil {
		knn, err := r.knn()
		if err != nil {
			return nil
		}
		kind = "similar-own"
		nodes, weights = knn.Explain(u, v, reasons)
	}
	out := r.contact(u, v)
	for i, w := range nodes {
		out = append(out, Why{Kind: kind, Node: r.Data.IDs[w], Weight: weights[i]})
	}
	return out
}

// whyText returns reasons in words.
func whyText(why []Why) string {
	text := ""
	if len(why) > 0 && why[0].Kind == lastContact {
		text = why[0].text
		why = why[1:]
	}
	if len(why) == 0 {
		return cmp.Or(text, "no common neighbour")
	}
	if text != "" {
		text += "; "
	}
	parts := lists.Map(why, func(w Why) string { return fmt.Sprintf("%s (%.2f)", w.Node, w.Weight) })
	if why[0].Kind == "similar-own" {
		text += "like "
	} else {
		text += "via "
	}
	return text + strings.Join(parts, ", ")
}

// Scored is a candidate with its score.
type Scored struct {
	Source string  `json:"source"`
	Target string  `json:"target"`
	Score  float64 `json:"score"`
	// Probability is the probability of a link for LoadOptions.Prior, or nil without a prior.
	Probability *float64 `json:"probability,omitempty"`
	Known       bool     `json:"known"`
	SourceSeen  bool     `json:"source_seen"` // the node has a pair in the graph
	TargetSeen  bool     `json:"target_seen"`
	Cold        bool     `json:"cold"` // an end has no pair in the tables of the run
}

// Score scores pairs of ids, in their order. If a pair cannot be scored, the error is an EdgeError.
func (r *Run) Score(ctx context.Context, pairs [][2]string) ([]Scored, error) {
	nodes := make([][2]int32, len(pairs))
	for i, p := range pairs {
		of, err := r.candidate(p)
		if err != nil {
			return nil, settings.Usage(fmt.Errorf("candidate %d: %w", i+1, &EdgeError{i, err}))
		}
		nodes[i] = of
	}
	out := make([]Scored, len(pairs))
	byKept := map[int32][]int{}
	var kept []int32
	for i, p := range nodes {
		if byKept[p[0]] == nil {
			kept = append(kept, p[0])
		}
		byKept[p[0]] = append(byKept[p[0]], i)
	}
	_, err := par.Map(ctx, r.t.threads, kept, func(u int32) struct{} {
		others := lists.Map(byKept[u], func(i int) int32 { return nodes[i][1] })
		scores := r.scorer.Score(u, false, others)
		for k, i := range byKept[u] {
			_, known := r.Data.Find(u, others[k])
			g := r.columns.Graph.Both
			out[i] = Scored{Source: pairs[i][0], Target: pairs[i][1], Score: scores[k], Known: known, SourceSeen: g.Degree(u) > 0, TargetSeen: g.Degree(others[k]) > 0, Cold: r.cold(u) || r.cold(others[k])}
			if r.probability != nil {
				p := r.probability.of(scores[k])
				out[i].Probability = &p
			}
		}
		return struct{}{}
	})
	return out, err
}

// candidate returns the nodes of a pair, or an error if it cannot be scored.
func (r *Run) candidate(p [2]string) (nodes [2]int32, err error) {
	for side, id := range p {
		if nodes[side], err = r.Find(id, side); err != nil {
			return nodes, err
		}
	}
	switch u, v := nodes[0], nodes[1]; {
	case u == v:
		return nodes, misuse("%q and %q are one node, and a loop is no candidate", p[0], p[1])
	case !r.Data.Eligible(u, v):
		return nodes, misuse("%q, %q is no pair of a source and a target of the training tables", p[0], p[1])
	}
	for side, v := range nodes {
		if r.popular(v) {
			return nodes, misuse("%q has neither a pair in the graph nor features that the model reads, so that there is nothing to score it by; --context brings edges", p[side])
		}
	}
	return nodes, nil
}

// sourcesAtOnce is the number of sources whose lists are in memory at the same time.
var sourcesAtOnce = 4096

// TopLinks returns the unknown pairs with the largest scores. It reads these fields of the query:
// Top, the number of pairs, Why and Exact.
func (r *Run) TopLinks(ctx context.Context, q Query) ([]Recommendation, error) {
	type link struct {
		source int32
		score.Ranked
	}
	sources, _ := r.Data.Ends()
	var best []link
	twoSteps, first := !q.Exact && !r.isExact(len(sources)), true
	for some := range slices.Chunk(sources, sourcesAtOnce) {
		lists, err := r.ranked(ctx, some, Query{Top: q.Top}, nil, twoSteps, first)
		first = false
		if err != nil {
			return nil, err
		}
		for i, u := range some {
			for _, x := range lists[i] {
				if r.Data.Kind != links.Undirected || x.Node > u { // each pair once, in the list of its smaller node
					best = append(best, link{u, x})
				}
			}
		}
		slices.SortStableFunc(best, func(a, b link) int { return cmp.Compare(b.Score, a.Score) })
		best = best[:min(q.Top, len(best))]
	}
	var all []Recommendation
	for i, x := range best {
		all = append(all, r.recommendations(x.source, Query{Why: q.Why}, []score.Ranked{x.Ranked})...)
		all[i].Rank = i + 1
	}
	return all, nil
}
