package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Links are runs of link prediction by name.
type Links map[string]*run.Run

// Limits of a request for recommendations.
const (
	mostFor = 1000
	mostTop = 1000
)

// RecommendBody asks for partners of nodes.
type RecommendBody struct {
	For     []string `json:"for" doc:"The ids of the nodes, at most 1000." minItems:"1"`
	Top     int      `json:"top,omitempty" doc:"Partners of each node, at most 1000 (default: 10)."`
	Known   bool     `json:"known,omitempty" doc:"Known partners are ranked, too."`
	Sources bool     `json:"sources,omitempty" doc:"In a directed or bipartite graph: sources of targets are asked for."`
	Among   []string `json:"among,omitempty" doc:"The partners to choose from (default: all)."`
	Why     bool     `json:"why,omitempty" doc:"Say what speaks for each partner."`
	// Context applies to this request only.
	Context *LinkContext `json:"context,omitempty" doc:"Further edges in the graph, for this request."`
}

// LinkContext has further edges of the graph.
type LinkContext struct {
	Edges [][]string `json:"edges" doc:"Pairs of ids, source and target, and of a run with a split by time the time as third text, at most 10000; the nodes may be new."`
}

// with returns a run with the edges of a request; without edges it is the run itself.
func (c *LinkContext) with(ctx context.Context, r *run.Run) (*run.Run, *Problem) {
	if c == nil || len(c.Edges) == 0 {
		return r, nil
	}
	in := func(p *Problem) *Problem { return p.in("edges").in("context") }
	if len(c.Edges) > mostPairs {
		return nil, in(wrong(fmt.Sprintf("%d edges", len(c.Edges)), fmt.Sprintf("at most %d", mostPairs)))
	}
	edges := make([][2]string, len(c.Edges))
	var times []float64
	byTime := r.Settings.Split == run.ByTime
	for i, e := range c.Edges {
		switch {
		case byTime && len(e) != 3:
			return nil, in(wrong(fmt.Sprintf("%d texts", len(e)), "three, source, target and time, as the run has a split by time").at(i))
		case !byTime && len(e) != 2:
			return nil, in(wrong(fmt.Sprintf("%d ids", len(e)), "two, source and target").at(i))
		}
		edges[i] = [2]string{e[0], e[1]}
		if byTime {
			t, err := r.ReadTime(schema.TextCell(e[2]))
			if err != nil {
				return nil, in(problemf(http.StatusUnprocessableEntity, "the time %v", err).at(2).at(i))
			}
			times = append(times, t)
		}
	}
	out, err := r.With(ctx, edges, times)
	var bad *run.EdgeError
	if errors.As(err, &bad) {
		return nil, in(problemf(http.StatusUnprocessableEntity, "%v", err).at(bad.Edge))
	}
	if err != nil {
		return nil, linkProblem(err)
	}
	return out, nil
}

// Recommended is the reply to a request for partners.
type Recommended struct {
	Model           string               `json:"model"`
	Recommendations []run.Recommendation `json:"recommendations"`
}

// recommendRequest is a request for partners.
type recommendRequest struct {
	ModelName
	Body RecommendBody
}

// recommend registers the operations of runs of link prediction, POST /v1/models/{m}/recommend and /score.
func (s *Server) recommend() {
	registerLinks(s, "recommend", "Partners of nodes, the best first, by a run of link prediction",
		func(ctx context.Context, in *recommendRequest) (Recommended, error) {
			r, p := s.linkRun(ctx, in.Model, in.Body.Context)
			if p != nil {
				return Recommended{}, p
			}
			q, p := in.Body.query(r)
			if p != nil {
				return Recommended{}, p
			}
			list, err := r.Recommend(ctx, q)
			return Recommended{in.Model, list}, err
		})
	registerLinks(s, "score", "Scores of pairs of nodes by a run of link prediction",
		func(ctx context.Context, in *scoreRequest) (ScoredPairs, error) {
			r, p := s.linkRun(ctx, in.Model, in.Body.Context)
			if p != nil {
				return ScoredPairs{}, p
			}
			pairs, p := in.Body.pairs(r)
			if p != nil {
				return ScoredPairs{}, p
			}
			list, err := r.Score(ctx, pairs)
			if bad := (*run.EdgeError)(nil); errors.As(err, &bad) {
				return ScoredPairs{}, problemf(http.StatusUnprocessableEntity, "%v", bad).at(bad.Edge).in("pairs")
			}
			return ScoredPairs{in.Model, list}, err
		})
}

// registerLinks registers POST /v1/models/{m}/NAME for runs of link prediction.
func registerLinks[Request, Reply any](s *Server, name, summary string, answer func(context.Context, *Request) (Reply, error)) {
	huma.Register(s.api, huma.Operation{OperationID: name, Method: http.MethodPost, Path: "/v1/models/{m}/" + name, Summary: summary, Errors: []int{401, 404, 422}},
		func(ctx context.Context, in *Request) (*reply[Reply], error) {
			ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
			defer cancel()
			out, err := answer(ctx, in)
			if p := (*Problem)(nil); err != nil && !errors.As(err, &p) {
				return nil, linkProblem(err)
			}
			return &reply[Reply]{out}, err
		})
}

// linkRun returns a run by name, with the edges of a request.
func (s *Server) linkRun(ctx context.Context, name string, c *LinkContext) (*run.Run, *Problem) {
	r, p := s.options.Links.named(name)
	if p != nil {
		return nil, p
	}
	return c.with(ctx, r)
}

// linkProblem is the Problem for an error.
func linkProblem(err error) *Problem {
	if settings.IsUsage(err) {
		return problemf(http.StatusUnprocessableEntity, "%v", err)
	}
	return problemf(http.StatusGatewayTimeout, "%v", err)
}

// ScoreBody asks for scores of pairs.
type ScoreBody struct {
	Pairs [][]string `json:"pairs" doc:"Pairs of ids, source and target, at most 10000." minItems:"1"`
	// Context applies to this request only.
	Context *LinkContext `json:"context,omitempty" doc:"Further edges in the graph, for this request."`
}

// ScoredPairs is the reply to a request for scores.
type ScoredPairs struct {
	Model string       `json:"model"`
	Pairs []run.Scored `json:"pairs"`
}

// scoreRequest is a request for scores.
type scoreRequest struct {
	ModelName
	Body ScoreBody
}

// mostPairs is the largest number of pairs in a request.
const mostPairs = 10_000

// pairs checks a request.
func (b *ScoreBody) pairs(r *run.Run) ([][2]string, *Problem) {
	if len(b.Pairs) > mostPairs {
		return nil, wrong(fmt.Sprintf("%d pairs", len(b.Pairs)), fmt.Sprintf("at most %d", mostPairs)).in("pairs")
	}
	out := make([][2]string, len(b.Pairs))
	for i, p := range b.Pairs {
		if len(p) != 2 {
			return nil, wrong(fmt.Sprintf("%d ids", len(p)), "two, source and target").at(i).in("pairs")
		}
		for side, id := range p {
			if _, err := r.Find(id, side); err != nil {
				return nil, unknownNode(r, id).at(side).at(i).in("pairs")
			}
			out[i][side] = id
		}
	}
	return out, nil
}

// otherSide is the problem of an id on the wrong side of a bipartite graph. sources says that sources of targets are
// requested.
func otherSide(id string, sources bool) *Problem {
	is, expected := "target", "source"
	if sources {
		is, expected = expected, is
	}
	return wrong(fmt.Sprintf("the %s %q", is, id), fmt.Sprintf("a %s; \"sources\": %t asks for partners of a %s", expected, !sources, is))
}

// unknownNode is the problem of an id that a run does not have.
func unknownNode(r *run.Run, id string) *Problem {
	p := wrong(fmt.Sprintf("%q", id), "the id of a node of the run or of an edge of context")
	p.Detail = r.Data.Unknown(id)
	return p
}

// named returns a run by name.
func (l Links) named(name string) (*run.Run, *Problem) {
	if r, ok := l[name]; ok {
		return r, nil
	}
	names := slices.Sorted(maps.Keys(l))
	return nil, problemf(http.StatusNotFound, "no run of link prediction %q is served; there are: %s", name, strings.Join(names, ", "))
}

// query checks a request.
func (b *RecommendBody) query(r *run.Run) (run.Query, *Problem) {
	q := run.Query{For: b.For, Top: b.Top, Known: b.Known, Sources: b.Sources, Among: b.Among, Why: b.Why}
	q.Top = cmp.Or(q.Top, 10)
	if q.Top < 1 || q.Top > mostTop {
		return q, wrong(fmt.Sprint(b.Top), fmt.Sprintf("1 to %d", mostTop)).in("top")
	}
	if len(b.For) > mostFor {
		return q, wrong(fmt.Sprintf("%d ids", len(b.For)), fmt.Sprintf("at most %d", mostFor)).in("for")
	}
	for list, ids := range map[string][]string{"for": b.For, "among": b.Among} {
		end := q.End()
		if list == "among" {
			end = 1 - end
		}
		for i, id := range ids {
			v, err := r.Find(id, end)
			switch {
			case err != nil:
				return q, unknownNode(r, id).at(i).in(list)
			case list == "for" && r.Data.Kind == links.Bipartite && r.Data.Target[v] != b.Sources:
				return q, otherSide(id, b.Sources).at(i).in(list)
			}
		}
	}
	return q, nil
}
