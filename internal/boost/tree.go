package boost

// growing is a node of a tree in training.
type growing struct {
	lo, hi int // range of its rows in grower.order
	sum    bin
	split  split // its split, or its best split if it is a leaf
	child  int   // index of the left child, followed by the right child; 0 in a leaf
	hist   []bin // only while the node may be split
	left   [256]uint8
	value  float32 // leaf value

	furtherL2 float64 // L2 penalty on the value, added by the split that made the node
}

// grown is a tree with leaf values.
type grown struct {
	nodes []growing
}

// leaves lists the leaves in the order of their rows, with the start of the rows of each; the last
// entry of starts is the number of rows.
func (t *grown) leaves() (numbers []int, starts []int32) {
	var visit func(n int)
	visit = func(n int) {
		p := &t.nodes[n]
		if p.child != 0 {
			visit(p.child)
			visit(p.child + 1)
			return
		}
		numbers = append(numbers, n)
		starts = append(starts, int32(p.lo))
	}
	visit(0)
	return numbers, append(starts, int32(t.nodes[0].hi))
}
