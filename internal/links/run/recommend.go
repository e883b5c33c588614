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
	"github.com/ehgnn/ehgnn/internal/nearest"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Query asks for partners.
type Query struct {
	For   []string // ids
	Top   int
	Known bool // known partners are candidates, too
	// Sources asks, of a directed or bipartite graph, for sources of targets.
	Sources bool
	Among   []string // the candidates; nil for all
	Why     bool
	// SkipUnknown leaves ids out that no table has; else they are an error.
	SkipUnknown bool
}

// Recommendation is a partner of a node.
type Recommendation struct {
	Source string  `json:"source"`
	Rank   int     `json:"rank"`
	Target string  `json:"target"`
	Score  float64 `json:"score"`
	Known  bool    `json:"known"`
	// Popular says that the node has no pair, so that the most popular partners are listed.
	Popular bool   `json:"popular,omitempty"`
	Why     []Why  `json:"why,omitempty"`
	Text    string `json:"-"` // Why in words
}

// Why is a reason for a recommendation.
type Why struct {
	Kind   string  `json:"kind"`
	Node   string  `json:"node"`
	Weight float64 `json:"weight"`
}

// Find is the node of an id. The error of an unknown id names the nearest ones.
func (r *Run) Find(id string) (int32, error) {
	if v, ok := r.node[id]; ok {
		return v, nil
	}
	return 0, misuse("%q is no node of the tables of the run, the nearest are %s; --skip-unknown goes on without", id, strings.Join(r.nearest(id, 5), ", "))
}

// nearest are the ids at the least edit distance.
func (r *Run) nearest(id string, most int) []string {
	type near struct {
		id string
		d  int
	}
	all := make([]near, 0, len(r.node))
	for _, other := range r.Data.IDs {
		all = append(all, near{other, distance(id, other)})
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.d - b.d })
	var out []string
	for _, n := range all[:min(most, len(all))] {
		out = append(out, fmt.Sprintf("%q", n.id))
	}
	return out
}

// distance is the edit distance of two ids, of which the first 64 bytes count.
func distance(a, b string) int {
	return nearest.Distance(a[:min(64, len(a))], b[:min(64, len(b))])
}

// Recommend ranks partners of nodes: those of larger score first, of equal ones that whose id is first.
// Every node that could be a partner is scored.
func (r *Run) Recommend(ctx context.Context, q Query) ([]Recommendation, error) {
	var nodes []int32
	for _, id := range q.For {
		v, err := r.Find(id)
		if err != nil {
			if q.SkipUnknown {
				continue
			}
			return nil, err
		}
		if r.Data.Kind == links.Bipartite && r.Data.Target[v] != q.Sources {
			side, flag := "target", "--side source asks for sources of a target"
			if q.Sources {
				side, flag = "source", "--side target asks for targets of a source"
			}
			return nil, misuse("%q is a %s; %s", id, side, flag)
		}
		nodes = append(nodes, v)
	}
	var among []bool
	if q.Among != nil {
		among = make([]bool, r.Data.Nodes())
		for _, id := range q.Among {
			v, err := r.Find(id)
			if err != nil {
				return nil, err
			}
			among[v] = true
		}
	}
	lists, err := par.Map(ctx, r.t.threads, nodes, func(v int32) []Recommendation { return r.top(v, q, among) })
	if err != nil {
		return nil, err
	}
	all := slices.Concat(lists...)
	if slices.ContainsFunc(all, func(x Recommendation) bool { return math.IsNaN(x.Score) }) {
		return nil, rank.ErrNaN
	}
	return all, nil
}

// top are the best partners of a node.
func (r *Run) top(kept int32, q Query, among []bool) []Recommendation {
	d, reverse := r.Data, q.Sources && r.Data.Kind != links.Undirected
	without := r.Data.Known
	if q.Known {
		without = r.none
	}
	others := without.Candidates(d.Data, kept, reverse)
	if among != nil {
		others = slices.DeleteFunc(others, func(v int32) bool { return !among[v] })
	}
	popular := r.columns.Graph.Both.Degree(kept) == 0 && d.Features == nil
	scores := make([]float64, len(others))
	if popular {
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
	var out []Recommendation
	for place, i := range score.Top(scores, q.Top) {
		u, v := kept, others[i]
		if reverse {
			u, v = v, u
		}
		_, known := d.Find(u, v)
		rec := Recommendation{Source: d.IDs[kept], Rank: place + 1, Target: d.IDs[others[i]], Score: scores[i], Known: known, Popular: popular}
		if q.Why && !popular {
			rec.Why = r.why(u, v)
			rec.Text = whyText(rec.Why)
		}
		out = append(out, rec)
	}
	return out
}

// reasons is the number of reasons for a recommendation.
const reasons = 3

// why lists the common neighbours of a pair that weigh most, or own targets of a source that are like a
// target.
func (r *Run) why(u, v int32) []Why {
	kind := "common-neighbour"
	nodes, weights := r.columns.Explain(u, v, reasons)
	if r.knn != nil {
		kind = "similar-own"
		nodes, weights = r.knn.Explain(u, v, reasons)
	}
	var out []Why
	for i, w := range nodes {
		out = append(out, Why{Kind: kind, Node: r.Data.IDs[w], Weight: weights[i]})
	}
	return out
}

// whyText are reasons in words.
func whyText(why []Why) string {
	if len(why) == 0 {
		return ""
	}
	var parts []string
	for _, w := range why {
		parts = append(parts, fmt.Sprintf("%s (%.2f)", w.Node, w.Weight))
	}
	text := "via "
	if why[0].Kind == "similar-own" {
		text = "like "
	}
	return text + strings.Join(parts, ", ")
}

// Scored is a candidate with its score.
type Scored struct {
	Source     string
	Target     string
	Score      float64
	Known      bool
	SourceSeen bool // the node has a pair in the graph
	TargetSeen bool
}

// Score scores pairs of ids, in their order.
func (r *Run) Score(ctx context.Context, pairs [][2]string) ([]Scored, error) {
	nodes := make([][2]int32, len(pairs))
	for i, p := range pairs {
		for side := range 2 {
			v, err := r.Find(p[side])
			if err != nil {
				return nil, fmt.Errorf("candidate %d: %w", i+1, err)
			}
			nodes[i][side] = v
		}
		if u, v := nodes[i][0], nodes[i][1]; !r.Data.Eligible(u, v) {
			if u == v {
				return nil, misuse("candidate %d: %q and %q are one node, and a loop is no candidate", i+1, p[0], p[1])
			}
			return nil, misuse("candidate %d: %q, %q is no pair of a source and a target of the training tables", i+1, p[0], p[1])
		}
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
		var others []int32
		for _, i := range byKept[u] {
			others = append(others, nodes[i][1])
		}
		scores := r.scorer.Score(u, false, others)
		for k, i := range byKept[u] {
			_, known := r.Data.Find(u, others[k])
			g := r.columns.Graph.Both
			out[i] = Scored{pairs[i][0], pairs[i][1], scores[k], known, g.Degree(u) > 0, g.Degree(others[k]) > 0}
		}
		return struct{}{}
	})
	return out, err
}

// TopLinks are the pairs with the largest scores that are not known.
func (r *Run) TopLinks(ctx context.Context, most int) ([]Recommendation, error) {
	sources, _ := r.Data.Ends()
	lists, err := par.Map(ctx, r.t.threads, sources, func(u int32) []Recommendation {
		list := r.top(u, Query{Top: most}, nil)
		if r.Data.Kind == links.Undirected { // each pair once, from its smaller node
			list = slices.DeleteFunc(list, func(x Recommendation) bool { return r.node[x.Target] < u })
		}
		return list
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(lists...)
	slices.SortStableFunc(all, func(a, b Recommendation) int { return cmp.Compare(b.Score, a.Score) })
	all = all[:min(most, len(all))]
	for i := range all {
		all[i].Rank = i + 1
	}
	return all, nil
}
