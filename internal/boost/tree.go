package boost

// growing is a node of a tree in training.
type growing struct {
	lo, hi int // its rows, as places in the grower's order
	sum    bin
	split  split // how it is split, or would best be
	child  int   // number of the left child, which the right one follows; 0 in a leaf
	hist   []bin // while it may be split
	left   [256]uint8
	value  float32 // of a leaf

	furtherL2 float64 // penalty on the value, from the split that made the node
}

// grown is a tree whose leaves have values.
type grown struct {
	nodes []growing
}

// leaves lists the leaves in the order of their rows, with where each begins; the last
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
