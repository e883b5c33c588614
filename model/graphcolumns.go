package model

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/substructure"
	"github.com/ehgnn/ehgnn/tensor"
)

// GraphColumns describes whole graphs by columns: sizes, means and sums of node and edge features,
// and counts of substructures.
type GraphColumns struct {
	substructure.Counter
	IDs []int32 // the substructures that have a column, ascending
}

// graphSizes is the number of size columns: nodes, edges, edges per node, largest degree, mean
// square degree.
const graphSizes = 5

// mostSummed is the largest width of features for which means and sums are computed.
const mostSummed = 256

// Described is the number of columns before those of substructures, for node and edge features of
// the given widths.
func (c *GraphColumns) Described(node, edge int) int {
	n := graphSizes
	for _, w := range []int{node, edge} {
		if w <= mostSummed {
			n += 2 * w
		}
	}
	return n
}

// Block computes a row of columns for each sample of a batch.
func (c *GraphColumns) Block(b *graph.Batch) Block {
	node, edge := widthOf(b.X), widthOf(b.E)
	first := c.Described(node, edge)
	out := Block{Rows: b.N, Width: first + len(c.IDs), Data: make([]float32, b.N*(first+len(c.IDs)))}
	c.sizes(b, out)
	at := graphSizes
	at = sums(out, at, b.X, node, b.VertexOf.IDs())
	sums(out, at, b.E, edge, b.EdgeOf.IDs())
	for i, counts := range c.Counts(b.View, b.N) {
		for _, n := range counts {
			if k, ok := slices.BinarySearch(c.IDs, n.ID); ok {
				out.Data[i*out.Width+first+k] = float32(n.Times)
			}
		}
	}
	return out
}

func widthOf(x *tensor.Tensor) int {
	if x == nil {
		return 0
	}
	return x.Dim(1)
}

func (c *GraphColumns) sizes(b *graph.Batch, to Block) {
	row := func(i int32) []float32 { return to.Data[int(i)*to.Width:][:graphSizes] }
	degree := make([]float32, b.H.NumVertices())
	for _, u := range b.H.Ends() {
		degree[u]++
	}
	for u, i := range b.VertexOf.IDs() {
		r := row(i)
		r[0]++
		r[3] = max(r[3], degree[u])
		r[4] += degree[u] * degree[u]
	}
	for _, i := range b.EdgeOf.IDs() {
		row(i)[1]++
	}
	for i := range int32(b.N) {
		if r := row(i); r[0] > 0 {
			r[2], r[4] = r[1]/r[0], r[4]/r[0]
		}
	}
}

// sums writes the mean and the sum of each feature over the items of each sample, and returns the next column.
func sums(to Block, at int, x *tensor.Tensor, width int, of []int32) int {
	if width == 0 || width > mostSummed {
		return at
	}
	count := make([]float32, to.Rows)
	for k, i := range of {
		count[i]++
		sum := to.Data[int(i)*to.Width+at+width:][:width]
		for c, v := range x.Data()[k*width:][:width] {
			sum[c] += v
		}
	}
	for i, n := range count {
		row := to.Data[i*to.Width+at:][:2*width]
		for c := range width {
			row[c] = row[width+c] / float32(math.Max(float64(n), 1))
		}
	}
	return at + 2*width
}
