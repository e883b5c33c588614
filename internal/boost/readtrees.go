package boost

import (
	"fmt"
	"math"
)

// trees reads the nodes of all trees.
func (r *reader) trees() error {
	counts, err := r.counts(arrayTrees, arrayColumns, 1, 2*maxLeaves-1)
	if err != nil {
		return err
	}
	if len(counts)%r.m.outputs != 0 {
		return fmt.Errorf("array %s has %d entries, expected a multiple of %d outputs", arrayTrees, len(counts), r.m.outputs)
	}
	n := len(r.arrays[arrayColumns])
	if n > math.MaxInt32 {
		return fmt.Errorf("%d nodes, expected at most %d", n, math.MaxInt32)
	}
	for _, name := range []string{arrayThresholds, arrayChildren, arrayMissing, arrayCovers} {
		if err := r.length(name, n); err != nil {
			return err
		}
	}
	for _, size := range counts {
		if err := r.tree(size); err != nil {
			return err
		}
	}
	return nil
}

// tree reads one tree. Children come after their parent, and each node except the root has exactly
// one parent. So every path from the root ends.
func (r *reader) tree(size int) error {
	first := len(r.m.nodes)
	parents := make([]int, size)
	for i := range size {
		child, err := r.node(first+i, size)
		if err != nil {
			return err
		}
		if child == 0 {
			continue
		}
		if child <= i {
			return fmt.Errorf("array %s: entry %d is %d, expected a later node than its own, %d", arrayChildren, first+i, child, i)
		}
		parents[child]++
		parents[child+1]++
	}
	for i, n := range parents {
		if want := min(i, 1); n != want {
			return fmt.Errorf("array %s: node %d of tree %d has %d parents, expected %d", arrayChildren, i, len(r.m.starts)-1, n, want)
		}
	}
	r.m.starts = append(r.m.starts, int32(len(r.m.nodes)))
	return r.covers(first)
}

// covers checks that the rows of each node of a tree are the sum of the rows of its children.
func (r *reader) covers(first int) error {
	for i := first; i < len(r.m.nodes); i++ {
		if r.m.leaf(i) {
			continue
		}
		child := r.m.nodes[i].left
		all, left, right := r.m.cover[i], r.m.cover[child], r.m.cover[child+1]
		if left < 1 || right < 1 || math.Abs(float64(left)+float64(right)-float64(all)) > 1e-5*float64(all) {
			return fmt.Errorf("array %s: %v rows of node %d are divided into %v and %v", arrayCovers, all, i, left, right)
		}
	}
	return nil
}

// node reads node i of a tree with the given number of nodes, and returns the number of its
// left child in the tree, 0 for a leaf.
func (r *reader) node(i, size int) (child int, err error) {
	cover, err := r.finite(arrayCovers, i, 0)
	if err != nil {
		return 0, err
	}
	column, err := r.whole(arrayColumns, i, -1, r.m.columns-1)
	if err != nil {
		return 0, err
	}
	if column < 0 {
		value, err := r.finite(arrayThresholds, i, -math.MaxFloat32)
		r.m.addLeaf(value, cover)
		return 0, err
	}
	if child, err = r.whole(arrayChildren, i, 1, size-2); err != nil {
		return 0, err
	}
	right, err := r.whole(arrayMissing, i, 0, 1)
	if err != nil {
		return 0, err
	}
	first := int(r.m.starts[len(r.m.starts)-1])
	n := node{column: int32(column), left: int32(first + child), missing: uint8(right), threshold: r.arrays[arrayThresholds][i]}
	for _, l := range r.m.lookups {
		n.categorical = n.categorical || l.column == column
	}
	if n.categorical {
		_, err = r.whole(arrayThresholds, i, 0, len(r.m.sets)-1)
	} else if n.threshold != n.threshold {
		err = fmt.Errorf("array %s: entry %d is not a number", arrayThresholds, i)
	}
	r.m.addNode(n, cover)
	return child, err
}
