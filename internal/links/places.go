package links

// places numbers nodes in the order in which they are first seen. Few of all nodes are seen, so a
// hash table stays in the cache, while an array over all nodes would not.
type places struct {
	nodes []int32 // that were seen
	slots []slot  // the length is a power of two; at most half of the slots are used
	taken []uint32
	shift uint
}

// slot has a node and its position, both plus 1. Zeros mark a free slot.
type slot struct{ node, at int32 }

// leastSlots is the binary logarithm of the initial table size.
const leastSlots = 10

// reset forgets all nodes.
func (p *places) reset() {
	if p.slots == nil {
		p.slots, p.shift = make([]slot, 1<<leastSlots), 32-leastSlots
	}
	for _, at := range p.taken {
		p.slots[at] = slot{}
	}
	p.nodes, p.taken = p.nodes[:0], p.taken[:0]
}

// meet returns the position of a node, and whether the node is new.
func (p *places) meet(v int32) (at int32, isNew bool) {
	mask := uint32(len(p.slots) - 1)
	i := uint32(v) * 2654435769 >> p.shift
	for ; p.slots[i].node != 0; i = (i + 1) & mask {
		if p.slots[i].node == v+1 {
			return p.slots[i].at - 1, false
		}
	}
	p.nodes, p.taken = append(p.nodes, v), append(p.taken, i)
	p.slots[i] = slot{v + 1, int32(len(p.nodes))}
	if 2*len(p.nodes) > len(p.slots) {
		p.grow()
	}
	return int32(len(p.nodes)) - 1, true
}

// grow doubles the table.
func (p *places) grow() {
	p.slots, p.shift = make([]slot, 2*len(p.slots)), p.shift-1
	nodes := p.nodes
	p.nodes, p.taken = make([]int32, 0, 2*len(nodes)), make([]uint32, 0, 2*len(nodes))
	for _, v := range nodes {
		p.meet(v)
	}
}

// find returns the position of a node, or -1 if it was not seen.
func (p *places) find(v int32) int32 {
	if p.slots == nil {
		return -1
	}
	mask := uint32(len(p.slots) - 1)
	for i := uint32(v) * 2654435769 >> p.shift; p.slots[i].node != 0; i = (i + 1) & mask {
		if p.slots[i].node == v+1 {
			return p.slots[i].at - 1
		}
	}
	return -1
}
