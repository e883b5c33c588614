package links

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Features are sparse features of nodes with rows scaled to length 1, for cosines.
type Features struct {
	Columns int
	ptr     []int
	col     []int32
	val     []float64
	byCol   *CSR      // the rows of each column
	byVal   []float64 // the values of the entries of byCol.Adj
}

// NewFeatures scales rows to length 1. row returns the columns of a node, in ascending order, and
// their values. A row without values stays empty.
func NewFeatures(nodes, columns int, row func(v int32) ([]int32, []float64)) *Features {
	f := &Features{Columns: columns, ptr: make([]int, 1, nodes+1)}
	for v := range int32(nodes) {
		cols, vals := row(v)
		norm := math.Sqrt(lists.SumOf(vals, func(x float64) float64 { return float64(x * x) }))
		for i, x := range vals {
			if x != 0 {
				f.col = append(f.col, cols[i])
				f.val = append(f.val, x/norm)
			}
		}
		f.ptr = append(f.ptr, len(f.col))
	}
	f.transpose(nodes)
	return f
}

func (f *Features) transpose(nodes int) {
	c := &CSR{Ptr: make([]int, f.Columns+1), Adj: make([]int32, len(f.col))}
	for _, k := range f.col {
		c.Ptr[k+1]++
	}
	for k := range f.Columns {
		c.Ptr[k+1] += c.Ptr[k]
	}
	f.byVal = make([]float64, len(f.col))
	at := slices.Clone(c.Ptr)
	for v := range nodes {
		for i := f.ptr[v]; i < f.ptr[v+1]; i++ {
			k := f.col[i]
			c.Adj[at[k]], f.byVal[at[k]] = int32(v), f.val[i]
			at[k]++
		}
	}
	f.byCol = c
}

// Row returns the columns and values of a node.
func (f *Features) Row(v int32) ([]int32, []float64) {
	lo, hi := f.ptr[v], f.ptr[v+1]
	return f.col[lo:hi], f.val[lo:hi]
}
