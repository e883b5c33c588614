package synth

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Colouring is the rule by which TwoMoon colours edges. The paper shows clustered patterns but no
// rule.
type Colouring string

const (
	// Arc colours by position: each moon has four segments of equal angle, each with one colour.
	// This gives eight large clusters.
	Arc Colouring = "arc"
	// Patch grows 120 patches of about 51 edges from random edges and gives each a random colour.
	Patch Colouring = "patch"
	// IID gives every edge a random colour, which no model can compress.
	IID Colouring = "iid"
)

// Sizes of the two-moon graph. Points and noise are those of the stored cloud of PyGSP's TwoMoons,
// which the paper uses.
const (
	moonPoints     = 2000
	moonNoise      = 0.15 // standard deviation in both coordinates
	moonNeighbours = 5
	moonScale      = 0.05 // weight exp(-d²/moonScale)
	moonPatches    = 120
)

var palette = [8][3]float32{
	{.90, .10, .10}, {.95, .60, .10}, {.95, .90, .15}, {.20, .70, .20},
	{.10, .75, .80}, {.15, .30, .85}, {.55, .20, .75}, {.90, .35, .70},
}

// Palette returns the colours of TwoMoon as red, green and blue in [0, 1]. The label of an edge is
// an index into it.
func Palette() [8][3]float32 { return palette }

// TwoMoon returns the two-moon graph, the edge reconstruction task of the paper: 2,000 noisy points
// on two arcs, each joined to its 5 nearest points, with coloured edges. It has about 6,100 edges
// and may not be connected.
//
// The upper arc is (cos t, sin t), the lower (1-cos t, ½-sin t), with t evenly from 0 to π and
// Gaussian noise of standard deviation 0.15 in both coordinates. Node features are the two
// coordinates, NodeLabel is the moon (0 upper, 1 lower). Edge features are the colour (red, green,
// blue), EdgeLabel is its position in the Palette.
//
// weights are exp(-d²/0.05) per edge, halved if only one of the two ends is among the nearest
// points of the other. They are for drawing: the paper's model does not use them.
func TwoMoon(colours Colouring, seed uint64) (g *graph.Graph, weights []float32, err error) {
	points := moons(rng.Stream(seed, "two-moon", "points"))
	ends, weights := nearest(points, moonNeighbours)
	var labels []int32
	r := rng.Stream(seed, "two-moon", string(colours))
	switch colours {
	case Arc:
		labels = arcLabels(points, ends)
	case Patch:
		labels = patchLabels(len(points), ends, r)
	case IID:
		labels = make([]int32, len(ends)/2)
		for e := range labels {
			labels[e] = r.Int32N(int32(len(palette)))
		}
	default:
		return nil, nil, fmt.Errorf("synth: two-moon colouring %q, expected %q, %q or %q", colours, Arc, Patch, IID)
	}
	out := graph.Graph{
		NumNodes: len(points), Ends: ends, Label: graph.NoLabel,
		Node:      graph.Features{Dim: 2},
		Edge:      graph.Features{Dim: 3},
		NodeLabel: make([]int32, len(points)),
		EdgeLabel: labels,
	}
	for i, p := range points {
		out.Node.Dense = append(out.Node.Dense, float32(p.x), float32(p.y))
		out.NodeLabel[i] = moonOf(i)
	}
	for _, label := range labels {
		out.Edge.Dense = append(out.Edge.Dense, palette[label][:]...)
	}
	g, err = graph.New(out)
	return g, weights, err
}

type point struct{ x, y float64 }

func (p point) dist2(q point) float64 { return (p.x-q.x)*(p.x-q.x) + (p.y-q.y)*(p.y-q.y) }

// moonOf returns the moon of point i. The first half of the points is the upper moon.
func moonOf(i int) int32 {
	if i < moonPoints/2 {
		return 0
	}
	return 1
}

// onArc returns the point on a moon's arc at angle t.
func onArc(moon int32, t float64) point {
	if moon == 0 {
		return point{math.Cos(t), math.Sin(t)}
	}
	return point{1 - math.Cos(t), 0.5 - math.Sin(t)}
}

// angle returns the t in [0, π] of the point on the arc that is nearest to p.
func angle(moon int32, p point) float64 {
	if moon == 1 {
		p = point{1 - p.x, 0.5 - p.y}
	}
	if p.y < 0 { // past an end of the arc
		if p.x > 0 {
			return 0
		}
		return math.Pi
	}
	return math.Atan2(p.y, p.x)
}

func moons(r *rand.Rand) []point {
	const half = moonPoints / 2
	points := make([]point, moonPoints)
	for i := range points {
		p := onArc(moonOf(i), math.Pi*float64(i%half)/(half-1))
		points[i] = point{p.x + moonNoise*r.NormFloat64(), p.y + moonNoise*r.NormFloat64()}
	}
	return points
}

// nearest joins each point to its k nearest others, in a tie to the lower index. It returns each
// pair once with its symmetrised weight.
func nearest(points []point, k int) (ends []int32, weights []float32) {
	type pair struct{ u, v int32 }
	pairs := make([]pair, 0, k*len(points))
	type other struct {
		d2 float64
		id int32
	}
	best := make([]other, 0, k+1)
	for i, p := range points {
		best = best[:0]
		for j, q := range points {
			d := p.dist2(q)
			if i == j || len(best) == k && d >= best[k-1].d2 {
				continue
			}
			at, _ := slices.BinarySearchFunc(best, d, func(o other, d float64) int {
				if o.d2 <= d {
					return -1
				}
				return 1
			})
			best = slices.Insert(best, at, other{d, int32(j)})
			best = best[:min(len(best), k)]
		}
		for _, o := range best {
			pairs = append(pairs, pair{min(int32(i), o.id), max(int32(i), o.id)})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v)) })
	for i, p := range pairs {
		w := float32(math.Exp(-points[p.u].dist2(points[p.v])/moonScale) / 2)
		if i > 0 && pairs[i-1] == p {
			weights[len(weights)-1] += w // the other end lists the pair too
			continue
		}
		ends = append(ends, p.u, p.v)
		weights = append(weights, w)
	}
	return ends, weights
}

// arcLabels colours edges by moon and segment. The moon of an edge is that of its ends or, if they
// differ, of the arc nearer to its midpoint. Its segment is the quarter of the angle.
func arcLabels(points []point, ends []int32) []int32 {
	labels := make([]int32, len(ends)/2)
	for e := range labels {
		u, v := ends[2*e], ends[2*e+1]
		mid := point{(points[u].x + points[v].x) / 2, (points[u].y + points[v].y) / 2}
		moon := moonOf(int(u))
		if moon != moonOf(int(v)) {
			moon = 0
			if mid.dist2(onArc(1, angle(1, mid))) < mid.dist2(onArc(0, angle(0, mid))) {
				moon = 1
			}
		}
		segment := min(int32(4*angle(moon, mid)/math.Pi), 3)
		labels[e] = 4*moon + segment
	}
	return labels
}

// patchLabels grows patches breadth-first over edges that share a node, all at the same time, in
// queue order. A component without a seed becomes a patch of its own.
func patchLabels(n int, ends []int32, r *rand.Rand) []int32 {
	m := len(ends) / 2
	at := make([][]int32, n) // edges of a node
	for i, v := range ends {
		at[v] = append(at[v], int32(i/2))
	}
	labels := lists.Repeat[int32](graph.NoLabel, m)
	var queue []int32
	grow := func() {
		for len(queue) > 0 {
			e := queue[0]
			queue = queue[1:]
			for _, v := range ends[2*e : 2*e+2] {
				for _, f := range at[v] {
					if labels[f] == graph.NoLabel {
						labels[f] = labels[e]
						queue = append(queue, f)
					}
				}
			}
		}
	}
	plant := func(e int) {
		labels[e] = r.Int32N(int32(len(palette)))
		queue = append(queue, int32(e))
	}
	for _, e := range r.Perm(m)[:min(moonPatches, m)] {
		plant(e)
	}
	grow()
	for e := range labels {
		if labels[e] == graph.NoLabel {
			plant(e)
			grow()
		}
	}
	return labels
}
