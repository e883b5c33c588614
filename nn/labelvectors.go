package nn

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/tensor"
)

// LabelVectors is LabelContext for many classes. Instead of columns for each class, learned maps
// turn the labels into a vector of one width for every edge,
//
//	y_uv = O[own label] + s_u + t_v + P[labels of the edges uv] + P'[labels of the edges vu]
//	s_u  = c(edges that leave u)·W_1 + c(edges that enter u)·W_2
//	t_v  = c(edges that enter v)·W_3 + c(edges that leave v)·W_4
//
// c has two numbers for each class with n observed edges: ln(1+n), and ½·ln((n+2π)/2π), which
// compares the class with its share π of all labels. This is a linear layer on the columns of
// LabelContext, with two differences: a class without edges has the value 0, and an edge whose own
// label is observed counts among the edges of its ends and its pair. An edge with a hidden label
// counts nowhere. In an undirected graph there are the sum of s over both ends, their difference
// with a map of its own, and only P.
//
// Further columns say whether the own label is observed, how many labels are at the ends, and which
// share of the edges of the pair has a label. Time and memory are linear in the sum of edges and
// classes, not in their product.
type LabelVectors struct {
	Ends  []*tensor.Param // W [2·classes,width]
	Pairs []*tensor.Param // P [classes,width]
	Own   *tensor.Param   // O [classes,width]

	directed       bool
	classes, width int
}

// NewLabelVectors returns maps for directed or undirected graphs.
func NewLabelVectors(in Init, classes, width int, directed bool) *LabelVectors {
	l := &LabelVectors{directed: directed, classes: classes, width: width}
	ends, pairs := 2, 1 // sum and difference
	if directed {
		ends, pairs = 4, 2
	}
	for k := range ends {
		l.Ends = append(l.Ends, in.In("ends", k).Glorot("weight", 2*classes, width, 2*classes, width))
	}
	for k := range pairs {
		l.Pairs = append(l.Pairs, in.In("pairs", k).Glorot("weight", classes, width, classes, width))
	}
	l.Own = in.Glorot("own.weight", classes, width, classes, width)
	return l
}

// Params lists all maps.
func (l *LabelVectors) Params() []*tensor.Param {
	return append(append(slices.Clone(l.Ends), l.Pairs...), l.Own)
}

// LabelVectorsWidth is the number of columns for vectors of the given width.
func LabelVectorsWidth(width int, directed bool) int {
	if directed {
		return width + 1 + 4 + 2
	}
	return 2*width + 1 + 2 + 1
}

// Columns returns the columns [m,LabelVectorsWidth] of a batch. label is NaN where it is hidden.
func (l *LabelVectors) Columns(p *Pass, v graph.View, label []float32) *tensor.Tensor {
	r := v.H.DirectedOps()
	pool := par.New(p.Tape.Threads())
	prior := classShares(label, l.classes)
	var at [2]*tensor.Sparse
	var total [2][]float32
	for k, edges := range r.Mean {
		if edges != nil {
			at[k], total[k] = l.atNodes(pool, edges, label, prior)
		}
	}
	pairs, group := l.ofPairs(v.H.ParallelEdges(), label)
	scalars := l.scalars(p, v.H, label, total, pairs, group)
	sum := l.sum(v.H, label, group, len(pairs.edges))
	return p.Checkpoint(func(p *Pass, _ []*tensor.Tensor) *tensor.Tensor {
		product := func(a *tensor.Sparse, w *tensor.Param) *tensor.Tensor {
			return tensor.SpMM(a, p.Var(w), tensor.SpMMConfig{})
		}
		rows := []*tensor.Tensor{product(at[0], l.Ends[0])}
		if l.directed {
			rows = []*tensor.Tensor{rows[0].Add(product(at[1], l.Ends[1])), product(at[1], l.Ends[2]).Add(product(at[0], l.Ends[3]))}
		}
		for _, w := range l.Pairs {
			rows = append(rows, product(pairs.labels, w))
		}
		columns := []*tensor.Tensor{tensor.SpMM(sum, tensor.Concat(0, append(rows, p.Var(l.Own))...), tensor.SpMMConfig{})}
		if !l.directed {
			columns = append(columns, tensor.SpMM(r.Differ, product(at[0], l.Ends[1]), tensor.SpMMConfig{}).Abs())
		}
		return tensor.Concat(1, append(columns, scalars)...)
	})
}

// atNodes returns a row for each node [n,2·classes] with both numbers of each class among the
// observed labels at its edges, and how many labels these are.
func (l *LabelVectors) atNodes(pool *par.Pool, edges *tensor.Sparse, label []float32, prior []float64) (*tensor.Sparse, []float32) {
	n := edges.Rows
	total, ptr := make([]float32, n), make([]int32, n+1)
	each := func(count *classCounts, v int) {
		lo, hi := edges.Row(v)
		for _, e := range edges.Weight[lo:hi] {
			count.add(label[e])
		}
	}
	pool.Rows(n, 256, func(lo, hi int) {
		count := newClassCounts(l.classes)
		for v := lo; v < hi; v++ {
			each(count, v)
			ptr[v+1] = int32(2 * len(count.classes))
			count.reset()
		}
	})
	for v := range n {
		ptr[v+1] += ptr[v]
	}
	col, coef := make([]int32, ptr[n]), make([]float32, ptr[n])
	pool.Rows(n, 256, func(lo, hi int) {
		count := newClassCounts(l.classes)
		for v := lo; v < hi; v++ {
			each(count, v)
			at := ptr[v]
			for _, c := range count.sorted() {
				k := count.n[c]
				total[v] += float32(k)
				col[at], coef[at] = 2*c, float32(math.Log1p(float64(k)))
				col[at+1], coef[at+1] = 2*c+1, float32(0.5*math.Log((float64(k)+2*prior[c])/(2*prior[c])))
				at += 2
			}
			count.reset()
		}
	})
	return tensor.NewSparse(tensor.SparseConfig{Rows: n, Cols: 2 * l.classes, Ptr: ptr, Col: col, Coef: coef}), total
}

// pairGroups are the edges of node pairs with more than one edge, grouped by direction.
type pairGroups struct {
	labels       *tensor.Sparse // [groups,classes], ln(1+n)
	edges, known []float32
}

// ofPairs returns the groups, and for each edge its group, -1 if its pair has no other edge. The
// groups of the two directions of a pair are consecutive, the one from the smaller node first.
func (l *LabelVectors) ofPairs(t *graph.ParallelEdges, label []float32) (g pairGroups, of []int32) {
	of = make([]int32, len(label))
	labels := tensor.SparseConfig{Cols: l.classes, Ptr: []int32{0}}
	count := newClassCounts(l.classes)
	for k := 1; k < len(t.Ptr); k++ {
		pair := t.Order[t.Ptr[k-1]:t.Ptr[k]]
		if len(pair) == 1 {
			of[pair[0]] = -1
			continue
		}
		for d := range len(l.Pairs) {
			edges, known := float32(0), float32(0)
			for _, e := range pair {
				if t.Back[e] != (d == 1) {
					continue
				}
				of[e] = int32(len(g.edges))
				edges++
				if count.add(label[e]) {
					known++
				}
			}
			g.edges, g.known = append(g.edges, edges), append(g.known, known)
			for _, c := range count.sorted() {
				labels.Col, labels.Coef = append(labels.Col, c), append(labels.Coef, float32(math.Log1p(float64(count.n[c]))))
			}
			count.reset()
			labels.Ptr = append(labels.Ptr, int32(len(labels.Col)))
		}
	}
	labels.Rows = len(g.edges)
	g.labels = tensor.NewSparse(labels)
	return g, of
}

// sum returns the matrix [m,rows] that adds for each edge its rows in the stack of rows of nodes,
// of groups of pairs and of classes.
func (l *LabelVectors) sum(h *graph.Incidence, label []float32, group []int32, groups int) *tensor.Sparse {
	ends, n := h.Ends(), int32(h.NumVertices())
	s := tensor.SparseConfig{Rows: len(label), Ptr: make([]int32, 1, len(label)+1), Col: make([]int32, 0, 4*len(label))}
	target, pairs := int32(0), n
	if l.directed {
		target, pairs = n, 2*n
	}
	own := pairs + int32(len(l.Pairs)*groups)
	for e, x := range label {
		s.Col = append(s.Col, ends[2*e], target+ends[2*e+1])
		if g := group[e]; g >= 0 {
			s.Col = append(s.Col, pairs+g)
			if l.directed {
				s.Col = append(s.Col, pairs+int32(groups)+g^1)
			}
		}
		if x == x {
			s.Col = append(s.Col, own+int32(x))
		}
		s.Ptr = append(s.Ptr, int32(len(s.Col)))
	}
	s.Cols = int(own) + l.classes
	return tensor.NewSparse(s)
}

// scalars returns the further columns.
func (l *LabelVectors) scalars(p *Pass, h *graph.Incidence, label []float32, total [2][]float32, g pairGroups, group []int32) *tensor.Tensor {
	ends, width := h.Ends(), LabelVectorsWidth(0, l.directed)
	out := p.Tape.New(len(label), width)
	ln := func(n float32) float32 { return float32(0.5 * math.Log1p(float64(n))) }
	for e, x := range label {
		row := out.Data()[e*width : (e+1)*width]
		clear(row)
		own := float32(0)
		if x == x {
			own = 1
		}
		row[0] = own
		u, v := ends[2*e], ends[2*e+1]
		if l.directed {
			row[1], row[2], row[3], row[4] = ln(total[0][u]), ln(total[1][u]), ln(total[1][v]), ln(total[0][v])
		} else {
			a, b := ln(total[0][u]), ln(total[0][v])
			row[1], row[2] = a+b, max(a-b, b-a)
		}
		k := group[e]
		if k < 0 {
			continue
		}
		shares := row[width-len(l.Pairs):]
		if others := g.edges[k] - 1; others > 0 {
			shares[0] = (g.known[k] - own) / others
		}
		if l.directed && g.edges[k^1] > 0 {
			shares[1] = g.known[k^1] / g.edges[k^1]
		}
	}
	return out
}

// classCounts counts classes. Only few classes occur at a time.
type classCounts struct {
	n       []int32
	classes []int32 // that occurred
}

func newClassCounts(classes int) *classCounts { return &classCounts{n: make([]int32, classes)} }

// add counts a label. It reports false for a hidden label.
func (c *classCounts) add(label float32) bool {
	if label != label {
		return false
	}
	k := int32(label)
	if c.n[k] == 0 {
		c.classes = append(c.classes, k)
	}
	c.n[k]++
	return true
}

// sorted returns the classes that occurred, sorted so that sums do not depend on the order of
// edges.
func (c *classCounts) sorted() []int32 {
	slices.Sort(c.classes)
	return c.classes
}

func (c *classCounts) reset() {
	for _, k := range c.classes {
		c.n[k] = 0
	}
	c.classes = c.classes[:0]
}
