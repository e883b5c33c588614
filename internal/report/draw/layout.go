package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// MaxLayout is how many nodes Layout places at most: its time and memory grow with their
// square.
const MaxLayout = 2000

// Layout places the nodes of a graph in the plane, so that distances are as near as can be
// to the numbers of edges between them (stress, descended pair by pair as by Zheng, Pawar
// and Goodman 2019). Components stand side by side. The same graph has the same layout, and
// an edge is about 1 long.
func Layout(nodes int, ends []int32) ([][2]float64, error) {
	if nodes > MaxLayout {
		return nil, fmt.Errorf("draw: %d nodes, expected at most %d to lay out", nodes, MaxLayout)
	}
	near := make([][]int32, nodes)
	for e := 0; e < len(ends); e += 2 {
		if u, v := ends[e], ends[e+1]; u != v {
			near[u], near[v] = append(near[u], v), append(near[v], u)
		}
	}
	points := make([][2]float64, nodes)
	var components [][]int32
	for _, of := range componentsOf(near) {
		place(points, of, near)
		turn(points, of)
		components = append(components, of)
	}
	pack(points, components)
	return points, nil
}

// componentsOf lists the nodes of each component, by rising nodes.
func componentsOf(near [][]int32) [][]int32 {
	var out [][]int32
	seen := make([]bool, len(near))
	for v := range near {
		if seen[v] {
			continue
		}
		seen[v] = true
		of := []int32{int32(v)}
		for i := 0; i < len(of); i++ {
			for _, u := range near[of[i]] {
				if !seen[u] {
					seen[u] = true
					of = append(of, u)
				}
			}
		}
		slices.Sort(of)
		out = append(out, of)
	}
	return out
}

// pair is two nodes of a component and the number of edges between them.
type pair struct {
	a, b int32
	d    float64
}

// rounds is how often the descent goes through all pairs.
const rounds = 40

// place lays out a component around the origin.
func place(points [][2]float64, of []int32, near [][]int32) {
	r := rand.New(rand.NewPCG(uint64(len(of)), 1))
	for _, v := range of {
		points[v] = [2]float64{r.Float64(), r.Float64()}
	}
	pairs, longest := pairsOf(of, near)
	// The step falls from one that moves the farthest pair into place to one that moves
	// the nearest by a tenth of what it lacks.
	first, last := longest*longest, 0.1
	for k := range rounds {
		step := first * math.Pow(last/first, float64(k)/(rounds-1))
		r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for _, p := range pairs {
			a, b := &points[p.a], &points[p.b]
			dx, dy := a[0]-b[0], a[1]-b[1]
			length := max(math.Hypot(dx, dy), 1e-9)
			by := min(step/(p.d*p.d), 1) * (length - p.d) / 2 / length
			a[0], a[1], b[0], b[1] = a[0]-by*dx, a[1]-by*dy, b[0]+by*dx, b[1]+by*dy
		}
	}
}

// pairsOf are all pairs of a component, with the largest distance.
func pairsOf(of []int32, near [][]int32) (pairs []pair, longest float64) {
	pairs, longest = make([]pair, 0, len(of)*(len(of)-1)/2), 1
	distance := make([]int32, len(near)) // from one node, -1 where it has not been reached
	for _, from := range of {
		for _, v := range of {
			distance[v] = -1
		}
		distance[from] = 0
		queue := []int32{from}
		for i := 0; i < len(queue); i++ {
			v := queue[i]
			for _, u := range near[v] {
				if distance[u] < 0 {
					distance[u] = distance[v] + 1
					queue = append(queue, u)
				}
			}
			if d := float64(distance[v]); v > from {
				pairs, longest = append(pairs, pair{from, v, d}), max(longest, d)
			}
		}
	}
	return pairs, longest
}

// turn turns a component so that it is widest from left to right.
func turn(points [][2]float64, of []int32) {
	var x, y, xx, xy, yy float64
	for _, v := range of {
		x, y = x+points[v][0]/float64(len(of)), y+points[v][1]/float64(len(of))
	}
	for _, v := range of {
		dx, dy := points[v][0]-x, points[v][1]-y
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	sin, cos := math.Sincos(math.Atan2(2*xy, xx-yy) / 2)
	for _, v := range of {
		dx, dy := points[v][0]-x, points[v][1]-y
		points[v] = [2]float64{cos*dx + sin*dy, cos*dy - sin*dx}
	}
}

// pack moves components side by side, the larger first, in rows about as wide as all are
// high.
func pack(points [][2]float64, components [][]int32) {
	const gap = 1.0
	slices.SortStableFunc(components, func(a, b []int32) int { return len(b) - len(a) })
	boxes, area, widest := make([][4]float64, len(components)), 0.0, 0.0
	for i, of := range components {
		own := make([][2]float64, len(of))
		for k, v := range of {
			own[k] = points[v]
		}
		xmin, xmax, ymin, ymax := bounds(own)
		boxes[i] = [4]float64{xmin, xmax, ymin, ymax}
		area += (xmax - xmin + gap) * (ymax - ymin + gap)
		widest = max(widest, xmax-xmin+gap)
	}
	width := max(widest, math.Sqrt(area)*1.2)
	x, y, height := 0.0, 0.0, 0.0
	for i, of := range components {
		b := boxes[i]
		if w := b[1] - b[0] + gap; x > 0 && x+w > width {
			x, y, height = 0, y-height, 0
		}
		for _, v := range of {
			points[v][0] += x - b[0]
			points[v][1] += y - b[3]
		}
		x += b[1] - b[0] + gap
		height = max(height, b[3]-b[2]+gap)
	}
}
