package forest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Config has the settings of Train.
type Config struct {
	Trees int // at least 1
	// Candidates is the number of bits drawn at a node; the best of them splits it. 0 means the
	// square root of the number of bits. If none of them splits the node, more are drawn.
	Candidates int
	Seed       uint64
	Threads    int // 0 for all processors; the forest does not depend on it
}

// Forest has the trees grown by Train.
type Forest struct {
	bits  int
	trees [][]node
}

// node is a node of a tree in preorder. If its bit is 0, the next node follows, if it is 1, the
// node at right. A leaf has right 0.
type node struct {
	right int32
	bit   int32
	// positive is the number of positive samples, all that of all samples; set only in leaves.
	positive, all uint32
}

// Train grows a forest on rows and their classes. There must be at least one row and one bit.
func Train(ctx context.Context, x *Bits, positive []bool, c Config) (*Forest, error) {
	if c.Candidates == 0 {
		c.Candidates = int(math.Sqrt(float64(x.bits)))
	}
	if c.Trees < 1 || c.Candidates < 1 || c.Candidates > x.bits || len(positive) != x.rows || x.rows == 0 {
		return nil, fmt.Errorf("forest: %d trees of %d candidates on %d rows of %d bits with %d labels, expected at least 1 of each and a label for each row",
			c.Trees, c.Candidates, x.rows, x.bits, len(positive))
	}
	f := &Forest{bits: x.bits, trees: make([][]node, c.Trees)}
	par.New(c.Threads).Rows(c.Trees, 1, func(lo, hi int) {
		for t := lo; t < hi && ctx.Err() == nil; t++ {
			f.trees[t] = newGrower(x, positive, c, t).tree(ctx)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// grower grows one tree.
type grower struct {
	x          *Bits
	weight     []uint64 // of each row: how often it was drawn, in the lower 32 bits, and how often as a positive row, in the upper
	rows       []int32  // the drawn rows, node by node
	bits       []int32  // all bits, in the order in which they were last drawn
	candidates int
	counts     []uint64 // of each candidate: the weights of the rows whose bit is 1
	r          *rand.Rand
	nodes      []node
}

func newGrower(x *Bits, positive []bool, c Config, tree int) *grower {
	g := &grower{x: x, weight: make([]uint64, x.rows), bits: make([]int32, x.bits), candidates: c.Candidates,
		counts: make([]uint64, c.Candidates), r: rng.Stream(c.Seed, "forest", tree)}
	for range x.rows {
		i := g.r.IntN(x.rows)
		g.weight[i]++
		if positive[i] {
			g.weight[i] += 1 << 32
		}
	}
	for i, w := range g.weight {
		if w > 0 {
			g.rows = append(g.rows, int32(i))
		}
	}
	for b := range g.bits {
		g.bits[b] = int32(b)
	}
	return g
}

func (g *grower) tree(ctx context.Context) []node {
	g.grow(ctx, 0, len(g.rows))
	return g.nodes
}

// grow adds the node of the rows from lo to hi, and the nodes below it.
func (g *grower) grow(ctx context.Context, lo, hi int) {
	total := uint64(0)
	for _, i := range g.rows[lo:hi] {
		total += g.weight[i]
	}
	all, positive := uint32(total), uint32(total>>32)
	at := len(g.nodes)
	g.nodes = append(g.nodes, node{positive: positive, all: all})
	if positive == 0 || positive == all || ctx.Err() != nil {
		return
	}
	bit := g.split(lo, hi, total)
	if bit < 0 {
		return
	}
	middle := g.partition(lo, hi, bit)
	g.nodes[at] = node{bit: bit}
	g.grow(ctx, lo, middle)
	g.nodes[at].right = int32(len(g.nodes))
	g.grow(ctx, middle, hi)
}

// split returns the candidate with the smallest impurity, or -1 if all rows are equal. Candidates
// that do not divide the rows count as drawn.
func (g *grower) split(lo, hi int, total uint64) int32 {
	for first := 0; first < len(g.bits); first += g.candidates {
		drawn := g.bits[first:min(first+g.candidates, len(g.bits))]
		for k := range drawn {
			j := first + k + g.r.IntN(len(g.bits)-first-k)
			g.bits[first+k], g.bits[j] = g.bits[j], g.bits[first+k]
		}
		g.count(lo, hi, drawn)
		best, bit := math.Inf(-1), int32(-1)
		for k, b := range drawn {
			one := g.counts[k]
			if uint32(one) == 0 || uint32(one) == uint32(total) {
				continue
			}
			if s := purity(one) + purity(total-one); s > best {
				best, bit = s, b
				if first > 0 { // the search continued for the first bit that divides the rows
					return bit
				}
			}
		}
		if bit >= 0 {
			return bit
		}
	}
	return -1
}

// count adds the weights of the rows whose bit is 1, for each drawn bit.
func (g *grower) count(lo, hi int, drawn []int32) {
	counts := g.counts[:len(drawn)]
	clear(counts)
	for _, i := range g.rows[lo:hi] {
		row, w := g.x.Row(int(i)), g.weight[i]
		for k, b := range drawn {
			counts[k] += w & -(row[b>>6] >> (b & 63) & 1)
		}
	}
}

// purity returns, for one side of a split, the sum of squares of the two class counts divided by
// the number of samples. The larger its sum over both sides, the smaller is their Gini impurity.
func purity(weight uint64) float64 {
	all, positive := float64(uint32(weight)), float64(weight>>32)
	negative := all - positive
	return (positive*positive + negative*negative) / all
}

// partition moves the rows whose bit is 0 to the front and returns where the others begin.
func (g *grower) partition(lo, hi int, bit int32) int {
	rows := g.rows
	for lo < hi {
		if g.x.Row(int(rows[lo]))[bit>>6]>>(bit&63)&1 == 0 {
			lo++
			continue
		}
		hi--
		rows[lo], rows[hi] = rows[hi], rows[lo]
	}
	return lo
}

// Score returns the mean over the trees of the share of positive samples in the row's leaf.
func (f *Forest) Score(row []uint64) float64 {
	sum := 0.0
	for _, tree := range f.trees {
		n := tree[0]
		for i := 0; n.right > 0; n = tree[i] {
			if row[n.bit>>6]>>(n.bit&63)&1 == 0 {
				i++
			} else {
				i = int(n.right)
			}
		}
		sum += float64(n.positive) / float64(n.all)
	}
	return sum / float64(len(f.trees))
}

// Nodes returns the number of nodes of all trees, including leaves.
func (f *Forest) Nodes() int {
	return lists.SumOf(f.trees, func(t []node) int { return len(t) })
}

// Bits returns the number of bits of a row.
func (f *Forest) Bits() int { return f.bits }
