package score

import (
	"context"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Forms of negatives.
const (
	Uniform = "uniform" // as many pairs as positives, shared by all positives
	Degree  = "degree"
	Hard    = "hard"
	All     = "all"
	Lists   = "lists" // recommendation lists for the sources of a bipartite graph
)

// Setting has what all forms of a part share.
type Setting struct {
	Data      *links.Data
	Known     *links.Known
	Columns   *links.Columns // of the training graph, for hard negatives
	Positives [][2]int32
	Negatives [][2]int32 // uniform negatives
	// Listed are the partners of a source that are in the graph. The form Lists leaves them out of
	// the source's list. If it is nil, the known partners of all parts are left out.
	Listed  *links.Known
	Seed    uint64
	Threads int
	K       int   // number of negatives of a positive in the forms Degree and Hard
	Most    int64 // largest number of scores in All and Degree; rankings beyond it are left out by seed
	// Least is the smallest number of rankings for All. If time allows fewer, Degree replaces it.
	Least int
	// Unseen are the nodes that training does not see, in a split of nodes. Cold are the unseen
	// nodes without a pair in the graph when they are scored. Both are nil in other splits.
	Unseen, Cold []bool
	// TargetsOnly makes All rank only the target of a positive and not its source. It serves splits
	// by time, which ask for the next target.
	TargetsOnly bool
}

// rankings are ranked positives. Result is the value that each ranking belongs to.
type rankings struct {
	name    string
	groups  []Group
	merge   []int32
	ends    [][2]int32 // ends of each value, for the bootstrap
	left    int        // number of rankings left out
	maker   func(links.Workers) func(Group) Candidates
	pairsOf []int32 // the positive of each value
}

// of returns the rankings of a form.
func (s *Setting) of(form string) (*rankings, error) {
	r := &rankings{name: form}
	limit, negatives := s.rankingLimit(form), s.K
	if form == All && limit < min(s.Least, len(s.Positives)) {
		form, negatives = Degree, insteadOfAll
		limit = s.rankingLimit(form)
	}
	both := form == All && !s.TargetsOnly
	type key struct {
		kept    int32
		reverse bool
	}
	at := map[key]int{}
	for i := range s.order(limit) {
		p := s.Positives[i]
		for side, reverse := range []bool{false, true} {
			if side == 1 && form == All && s.TargetsOnly {
				continue
			}
			value := int32(len(r.ends))
			if side == 0 || both {
				r.ends = append(r.ends, p)
				r.pairsOf = append(r.pairsOf, int32(i))
			} else {
				value--
			}
			k := key{p[side], reverse && s.Data.Kind != links.Undirected}
			g, ok := at[k]
			if !ok {
				g = len(r.groups)
				at[k] = g
				r.groups = append(r.groups, Group{Kept: k.kept, Reverse: k.reverse})
			}
			r.groups[g].Others = append(r.groups[g].Others, p[1-side])
			r.groups[g].Place = append(r.groups[g].Place, int32(len(r.merge)))
			r.merge = append(r.merge, value)
		}
	}
	r.left = len(s.Positives) - limit
	switch form {
	case All:
		r.maker = func(links.Workers) func(Group) Candidates {
			return func(g Group) Candidates { return Candidates{All: s.Known.Candidates(s.Data, g.Kept, g.Reverse)} }
		}
	case Hard:
		r.name = fmt.Sprintf("hard%d", negatives)
		r.maker = func(of links.Workers) func(Group) Candidates {
			h := links.NewHard(s.Data, s.Known, of.Of(s.Columns), s.Seed)
			return func(g Group) Candidates {
				list, _ := h.List(g.Kept, g.Reverse, negatives/2)
				return Candidates{All: list}
			}
		}
	case Degree:
		r.name = fmt.Sprintf("degree%d", negatives)
		d := links.NewByDegree(s.Data, s.Known, s.Columns.Graph, s.Seed)
		r.maker = func(links.Workers) func(Group) Candidates {
			return func(g Group) Candidates {
				c := Candidates{Own: make([][]int32, len(g.Others))}
				for i, other := range g.Others {
					c.Own[i] = d.List(g.Kept, other, g.Reverse, negatives/2)
				}
				return c
			}
		}
	default:
		return nil, fmt.Errorf("unknown negatives %q, expected uniform, degree, hard or all", form)
	}
	return r, nil
}

// insteadOfAll is the number of negatives by degree if ranking all nodes takes too long.
const insteadOfAll = 1000

// Largest numbers of positives that are scored with hard negatives. In a large bipartite graph a
// list takes longer, because it needs paths of length 3.
const (
	hardLimit       = 10_000
	hardLimitOfLong = 1000
	largeGraph      = 100_000 // number of nodes
)

// rankingLimit returns the number of positives that a form ranks.
func (s *Setting) rankingLimit(form string) int {
	most := int64(len(s.Positives))
	switch {
	case form == Hard && s.Data.Kind == links.Bipartite && s.Data.Nodes() > largeGraph:
		most = hardLimitOfLong
	case form == Hard:
		most = hardLimit
	case form == All && s.Most > 0:
		most = max(1, s.Most/2/int64(s.Data.Nodes()))
	case form == Degree && s.Most > 0:
		most = max(1, s.Most/insteadOfAll)
	}
	return int(min(int64(len(s.Positives)), most))
}

// order yields the positions of limit positives, drawn by a hash of ids and seed, in ascending
// order.
func (s *Setting) order(limit int) func(yield func(int) bool) {
	places := lists.Range[int](len(s.Positives))
	if limit < len(places) {
		key := func(i int) uint64 {
			p := s.Positives[i]
			return links.Mix(links.Mix(links.Mix(s.Seed)^s.Data.Hash[p[0]]) ^ s.Data.Hash[p[1]])
		}
		slices.SortStableFunc(places, func(a, b int) int {
			if key(a) < key(b) {
				return -1
			}
			return 1
		})
		places = places[:limit]
		slices.Sort(places)
	}
	return slices.Values(places)
}

// Shared returns the scores of positives and uniform negatives.
func (s *Setting) Shared(ctx context.Context, sc Scorer) (positives, negatives [][]float64, err error) {
	all, err := Pairs(ctx, s.Threads, sc, slices.Concat(s.Positives, s.Negatives))
	if err != nil {
		return nil, nil, err
	}
	positives, negatives = s.divide(all)
	return positives, negatives, nil
}

// Pairs scores pairs. The first node of a pair is the kept end. out[s][i] is score s of pair i.
func Pairs(ctx context.Context, threads int, sc Scorer, pairs [][2]int32) ([][]float64, error) {
	p := newPass(sc)
	out := p.pairs(pairs)
	return out, p.run(ctx, threads)
}

// divide divides scores into those of positives and those of negatives.
func (s *Setting) divide(all [][]float64) (positives, negatives [][]float64) {
	for _, scores := range all {
		positives, negatives = append(positives, scores[:len(s.Positives)]), append(negatives, scores[len(s.Positives):])
	}
	return positives, negatives
}

// byKept groups pairs by their first nodes, in the order of the first pair of each node.
func byKept(pairs [][2]int32) []Group {
	var out []Group
	at := map[int32]int{}
	for i, p := range pairs {
		g, ok := at[p[0]]
		if !ok {
			g = len(out)
			at[p[0]] = g
			out = append(out, Group{Kept: p[0]})
		}
		out[g].Others, out[g].Place = append(out[g].Others, p[1]), append(out[g].Place, int32(i))
	}
	return out
}
