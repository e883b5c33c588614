package pool

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// affinity is an undirected weighted graph without self-loops.
type affinity struct {
	n    int
	ends []int32   // pairs
	w    []float64 // weight of each pair
}

// spectralLimit is the largest number of nodes for which eigenvectors are computed directly. A
// larger component is cut along a breadth-first order into parts of at most this size, because the
// cost is cubic: a graph of 5,000 nodes would take half an hour.
const spectralLimit = 512

// partition is one step of a Haar chain. Every component of n nodes is divided into n/2+1 clusters
// by spectral clustering, or is one cluster if n is 2 or less. If all components have one node
// only, they all become one cluster. The random starts of k-means depend only on the seed and the
// component, so the same graph is always divided in the same way. Clusters are numbered by their
// smallest member.
func (a affinity) partition(seed uint64, level int, check func()) (cluster []int32, clusters int) {
	nbr := a.neighbours()
	order, starts := nbr.components()
	cluster = make([]int32, a.n)
	if len(starts) == a.n {
		return cluster, min(a.n, 1)
	}
	for i, lo := range starts {
		hi := len(order)
		if i+1 < len(starts) {
			hi = starts[i+1]
		}
		size := hi - lo
		k := size/2 + 1
		if size <= 2 {
			k = 1
		}
		parts := (size + spectralLimit - 1) / spectralLimit
		for j := range parts {
			from, to := size*j/parts, size*(j+1)/parts
			// Shares of k whose sum is k.
			share := k*to/size - k*from/size
			part := order[lo+from : lo+to]
			label := nbr.cluster(part, share, rng.Stream(seed, "haarpool", level, i, j), check)
			for x, u := range part {
				cluster[u] = int32(clusters) + label[x]
			}
			clusters += share
		}
	}
	return renumbered(cluster, clusters), clusters
}

// renumbered numbers clusters by their smallest members.
func renumbered(cluster []int32, clusters int) []int32 {
	to := lists.Repeat[int32](-1, clusters)
	next := int32(0)
	for i, c := range cluster {
		if to[c] < 0 {
			to[c] = next
			next++
		}
		cluster[i] = to[c]
	}
	return cluster
}

// neighbourhoods has the pairs of an affinity by node.
type neighbourhoods struct {
	ptr, node []int32
	w         []float64
}

func (a affinity) neighbours() neighbourhoods {
	b := neighbourhoods{ptr: make([]int32, a.n+1), node: make([]int32, len(a.ends)), w: make([]float64, len(a.ends))}
	for _, u := range a.ends {
		b.ptr[u+1]++
	}
	for i := range a.n {
		b.ptr[i+1] += b.ptr[i]
	}
	next := slices.Clone(b.ptr[:a.n])
	for k, u := range a.ends {
		b.node[next[u]], b.w[next[u]] = a.ends[k^1], a.w[k/2]
		next[u]++
	}
	return b
}

// components lists the nodes component by component, each breadth-first from its smallest node, and
// where each component starts.
func (b neighbourhoods) components() (order []int32, starts []int) {
	n := len(b.ptr) - 1
	seen := make([]bool, n)
	for u := range int32(n) {
		if seen[u] {
			continue
		}
		starts = append(starts, len(order))
		seen[u] = true
		order = append(order, u)
		for at := len(order) - 1; at < len(order); at++ {
			for _, v := range b.node[b.ptr[order[at]]:b.ptr[order[at]+1]] {
				if !seen[v] {
					seen[v] = true
					order = append(order, v)
				}
			}
		}
	}
	return order, starts
}

// cluster divides nodes into exactly k clusters: k-means on the rows of the k leading eigenvectors
// of D^-1/2·A·D^-1/2, times D^-1/2 (Ng, Jordan and Weiss 2001 in the form of von Luxburg's
// normalised clustering after Shi and Malik).
func (b neighbourhoods) cluster(nodes []int32, k int, r *rand.Rand, check func()) []int32 {
	n := len(nodes)
	label := make([]int32, n)
	if k <= 1 {
		return label
	}
	at := lists.Places[int](nodes)
	check()
	a := make([][]float64, n)
	degree := make([]float64, n)
	for i, u := range nodes {
		a[i] = make([]float64, n)
		for e := b.ptr[u]; e < b.ptr[u+1]; e++ {
			if j, ok := at[b.node[e]]; ok {
				a[i][j] += b.w[e]
				degree[i] += b.w[e]
			}
		}
	}
	for i := range a {
		for j := range a {
			if a[i][j] != 0 {
				a[i][j] /= math.Sqrt(degree[i] * degree[j])
			}
		}
	}
	vectors := symmetricEigen(a)[:k]
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, k)
		inv := 1.0
		if degree[i] > 0 {
			inv = 1 / math.Sqrt(degree[i])
		}
		for j, v := range vectors {
			points[i][j] = v[i] * inv
		}
	}
	return kmeans(points, k, r, check)
}

// The effort of k-means: the number of restarts, of which the best counts, and of rounds in each.
const (
	kmeansStarts = 3
	kmeansRounds = 50
)

// kmeans divides points into exactly k clusters, none of them empty. There are at least k points.
func kmeans(points [][]float64, k int, r *rand.Rand, check func()) []int32 {
	var best []int32
	least := math.Inf(1)
	for range kmeansStarts {
		label, cost := lloyd(points, spreadCentres(points, k, r), check)
		if best == nil || cost < least {
			best, least = label, cost
		}
	}
	return best
}

// spreadCentres draws points as centres. The probability of a point is proportional to its squared
// distance from the previous centres (k-means++, Arthur and Vassilvitskii 2007).
func spreadCentres(points [][]float64, k int, r *rand.Rand) [][]float64 {
	centres := make([][]float64, 0, k)
	far := lists.Repeat(math.Inf(1), len(points))
	pick := r.IntN(len(points))
	for {
		centres = append(centres, slices.Clone(points[pick]))
		if len(centres) == k {
			return centres
		}
		total := 0.0
		for i, p := range points {
			far[i] = min(far[i], distance(p, points[pick]))
			total += far[i]
		}
		// The last point with a probability above 0, in case rounding leaves a remainder. Any point
		// if all points coincide with centres.
		left := r.Float64() * total
		for i, f := range far {
			if f == 0 {
				continue
			}
			pick = i
			if left -= f; left < 0 {
				break
			}
		}
	}
}

// lloyd moves centres until no point changes its cluster.
func lloyd(points, centres [][]float64, check func()) (label []int32, cost float64) {
	label = lists.Repeat[int32](-1, len(points))
	gap := make([]float64, len(points)) // distance to the point's centre
	size := make([]int, len(centres))
	for range kmeansRounds {
		check()
		changed := false
		clear(size)
		for i, p := range points {
			best := int32(0)
			gap[i] = math.Inf(1)
			for c := range centres {
				if d := distance(p, centres[c]); d < gap[i] {
					best, gap[i] = int32(c), d
				}
			}
			changed = changed || label[i] != best
			label[i] = best
			size[best]++
		}
		fillEmpty(label, size, gap)
		if !changed {
			break
		}
		for c := range centres {
			clear(centres[c])
		}
		for i, p := range points {
			centre := centres[label[i]]
			for j, x := range p {
				centre[j] += x / float64(size[label[i]])
			}
		}
	}
	for _, g := range gap {
		cost += g
	}
	return label, cost
}

// fillEmpty gives every empty cluster the point that is furthest from its centre among the points
// that are not alone in their cluster.
func fillEmpty(label []int32, size []int, gap []float64) {
	for c := range size {
		if size[c] > 0 {
			continue
		}
		far := -1
		for i := range label {
			if size[label[i]] > 1 && (far < 0 || gap[i] > gap[far]) {
				far = i
			}
		}
		size[label[far]]--
		label[far], size[c], gap[far] = int32(c), 1, 0
	}
}

// distance is the squared Euclidean distance.
func distance(x, y []float64) float64 {
	var s0, s1 float64
	y = y[:len(x)]
	i := 0
	for ; i+2 <= len(x); i += 2 {
		a, b := x[i]-y[i], x[i+1]-y[i+1]
		s0 += a * a
		s1 += b * b
	}
	if i < len(x) {
		a := x[i] - y[i]
		s0 += a * a
	}
	return s0 + s1
}
