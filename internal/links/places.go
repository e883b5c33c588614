package links

// places numbers nodes in the order in which they are met. They are few of many, so that a table of hashes stays in
// the cache where an array over all nodes would not.
type places struct {
	nodes []int32 // that were met
	slots []slot  // a power of two of them, at most half of which are taken
	taken []uint32
	shift uint
}

// slot has the place of a node, both counted from 1; zeros where it is free.
type slot struct{ node, at int32 }

// leastSlots is the size of a table at first, two to the power of it.
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

// meet is the place of a node, and whether it is new.
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

// find is the place of a node, -1 where it was not met.
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
