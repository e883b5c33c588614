package kernel

// TwoHop is the product of the hypergraph convolution, vertices to hyperedges and
// back, in one pass over the vertices: Up sums the vertices of each hyperedge into
// Middle, Down the hyperedges of each vertex, with the other terms of an SpMM.
//
// Rows and middle rows form independent blocks, the graphs of a batch: block g has
// the rows RowPtr[g] to RowPtr[g+1] of Up.X and Down.Dst, and the rows MiddlePtr[g]
// to MiddlePtr[g+1] of Middle. A block's rows are read once from memory and its
// part of Middle stays in cache.
type TwoHop struct {
	Up, Down          SpMM // Up.Dst and Down.X are Middle
	RowPtr, MiddlePtr []int32
}

// twoHopBytes is the size of the part of X and Dst worked on at a time: small
// against a core's second-level cache, large against the cost of a call.
const twoHopBytes = 256 << 10

// Blocks computes the rows of blocks [lo,hi). The bits of an element do not depend on lo and hi,
// and equal those of computing Up and then Down.
func (t *TwoHop) Blocks(lo, hi int) {
	rows := int32(twoHopBytes / (8 * max(t.Up.D, 1)))
	for lo < hi {
		end := lo + 1
		for end < hi && t.RowPtr[end+1]-t.RowPtr[lo] <= rows {
			end++
		}
		t.Up.Rows(int(t.MiddlePtr[lo]), int(t.MiddlePtr[end]))
		t.Down.Rows(int(t.RowPtr[lo]), int(t.RowPtr[end]))
		lo = end
	}
}
