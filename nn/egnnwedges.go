package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

type wedgesKey struct{}

// wedges lists the terms of A·B·Aᵀ, B diagonal, at the positions {i,j} where two nodes are joined
// by an edge or are the same. A has an entry per arc, self-loops included. Arcs with the same two
// ends make one cell of A. A term is a pair of cells (i,k) and (j,k): a wedge over k.
type wedges struct {
	cell        *tensor.Index  // arcs to cells
	column      *tensor.Index  // cells to the node k
	left, right *tensor.Index  // terms to cells (i,k) and (j,k)
	pair        *tensor.Index  // terms to unordered pairs {i,j}
	slot        *tensor.Index  // edges, then nodes, to their pair
	share       *tensor.Tensor // [m+n,1] one over the arcs in the cell of the edge
}

// newWedges finds the terms row by row: it marks the cells of row i and reads the rows of its
// neighbours j >= i. The arcs must include a loop at every node.
func newWedges(h *graph.Incidence, arcs *graph.Arcs) *wedges {
	n, m := h.NumVertices(), h.NumEdges()
	src, dst, edge := arcs.Src.IDs(), arcs.Dst.IDs(), arcs.Edge.IDs()
	cell, column, count, rowPtr := cells(n, arcs.Sum.Ptr, src)

	low := make([]int32, len(src)) // the smaller end of each arc
	for k, u := range src {
		low[k] = min(u, dst[k])
	}
	lowPtr, lowArcs := tensor.MustIndex(low, n).Segments()
	var left, right, pair []int32
	pairs := int32(0)
	slot, share := make([]int32, m+n), tensor.New(m+n, 1)
	own := make([]int32, n)    // 1 + the cell of row i, by column
	pairOf := make([]int32, n) // 1 + the pair {i,j}, by j; a value up to first is from an earlier i
	for i := range int32(n) {
		for c := rowPtr[i]; c < rowPtr[i+1]; c++ {
			own[column[c]] = c + 1
		}
		first := pairs
		for at := lowPtr[i]; at < lowPtr[i+1]; at++ {
			k := at
			if lowArcs != nil {
				k = lowArcs[at]
			}
			j := max(src[k], dst[k])
			if pairOf[j] <= first {
				for c := rowPtr[j]; c < rowPtr[j+1]; c++ {
					if l := own[column[c]]; l > 0 {
						left, right, pair = append(left, l-1), append(right, c), append(pair, pairs)
					}
				}
				pairs++
				pairOf[j] = pairs
			}
			slot[edge[k]] = pairOf[j] - 1
			share.Data()[edge[k]] = 1 / float32(count[cell[k]])
		}
		for c := rowPtr[i]; c < rowPtr[i+1]; c++ {
			own[column[c]] = 0
		}
	}
	return &wedges{
		cell: tensor.MustIndex(cell, len(column)), column: tensor.MustIndex(column, n),
		left: tensor.MustIndex(left, len(column)), right: tensor.MustIndex(right, len(column)),
		pair: tensor.MustIndex(pair, int(pairs)), slot: tensor.MustIndex(slot, int(pairs)), share: share,
	}
}

// cells joins the entries of a sparse matrix of n rows that have the same row and column. It
// returns the cell of each entry and, for each cell, row by row, its column and its number of
// entries.
func cells(n int, ptr, col []int32) (cell, column, count, rowPtr []int32) {
	cell, rowPtr = make([]int32, len(col)), make([]int32, n+1)
	mark := make([]int32, n) // 1 + the cell of this column; a value up to rowPtr[i] is from an earlier row
	for i := range n {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			j := col[k]
			if mark[j] <= rowPtr[i] {
				column, count = append(column, j), append(count, 0)
				mark[j] = int32(len(column))
			}
			cell[k] = mark[j] - 1
			count[cell[k]]++
		}
		rowPtr[i+1] = int32(len(column))
	}
	return cell, column, count, rowPtr
}
