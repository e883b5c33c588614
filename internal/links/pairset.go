package links

// pairSet is a set of pairs of nodes, a hash table with open addressing. For millions of pairs it
// takes less time and memory than a map.
type pairSet struct {
	slots []uint64 // a pair plus 1, or 0 if free; the length is a power of two
	pairs int
}

// has reports whether a pair is in the set.
func (s *pairSet) has(p [2]int32) bool {
	return s.pairs > 0 && s.slots[s.slot(keyOf(p))] != 0
}

// add adds a pair. It returns false if the set already has it.
func (s *pairSet) add(p [2]int32) bool {
	if 4*s.pairs >= 3*len(s.slots) {
		s.grow()
	}
	key := keyOf(p)
	at := s.slot(key)
	if s.slots[at] != 0 {
		return false
	}
	s.slots[at] = key
	s.pairs++
	return true
}

// slot returns the position of a key, or the free position where it belongs.
func (s *pairSet) slot(key uint64) uint64 {
	last := uint64(len(s.slots) - 1)
	at := Mix(key) & last
	for s.slots[at] != 0 && s.slots[at] != key {
		at = (at + 1) & last
	}
	return at
}

func (s *pairSet) grow() {
	old := s.slots
	s.slots = make([]uint64, max(16, 2*len(old)))
	for _, key := range old {
		if key != 0 {
			s.slots[s.slot(key)] = key
		}
	}
}

func keyOf(p [2]int32) uint64 { return uint64(p[0])<<32 | uint64(p[1]) + 1 }
