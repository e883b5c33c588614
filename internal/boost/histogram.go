package boost

// layout says where the bins of each column are in a histogram.
type layout []int

func newLayout(columns []column) layout {
	l := make(layout, 1, len(columns)+1)
	for i := range columns {
		l = append(l, l[i]+columns[i].bins())
	}
	return l
}

// size is the number of bins of all columns.
func (l layout) size() int { return l[len(l)-1] }

// group returns the range of columns of a group.
func (l layout) group(g int) (lo, hi int) {
	return g * groupSize, min((g+1)*groupSize, len(l)-1)
}

// block collects the bins of one group for at most blockRows rows.
type block [groupSize][256]int64

// ahead is how many words are read before they are used: in a short loop of reads, the processor
// fetches many words from memory at the same time.
const ahead = 64

// add adds the listed rows to the block. words[i] has the bins of row i of the table; packed has
// the gradients of the listed rows, in their order.
func (b *block) add(words []uint64, rows []int32, packed []int64) {
	var next [ahead]uint64
	for len(rows) > 0 {
		n := min(ahead, len(rows))
		for i, r := range rows[:n] {
			next[i%ahead] = words[r]
		}
		b.addWords(next[:n], packed)
		rows, packed = rows[n:], packed[n:]
	}
}

// addWords adds rows whose bins are given.
func (b *block) addWords(words []uint64, packed []int64) {
	packed = packed[:len(words)]
	for i, w := range words {
		v := packed[i]
		b[0][uint8(w)] += v
		b[1][uint8(w>>8)] += v
		b[2][uint8(w>>16)] += v
		b[3][uint8(w>>24)] += v
		b[4][uint8(w>>32)] += v
		b[5][uint8(w>>40)] += v
		b[6][uint8(w>>48)] += v
		b[7][uint8(w>>56)] += v
	}
}

// addGroup adds rows to the bins of a group in a histogram.
func (l layout) addGroup(b *block, g int, words []uint64, rows []int32, packed []int64, hist []bin) {
	first, last := l.group(g)
	for lo := 0; lo < len(rows); lo += blockRows {
		hi := min(lo+blockRows, len(rows))
		b.add(words, rows[lo:hi], packed[lo:hi])
		for c := first; c < last; c++ {
			column := hist[l[c]:l[c+1]]
			sums := b[c-first][:len(column)]
			for i, s := range sums {
				column[i].add(s)
				sums[i] = 0
			}
		}
		for c := last - first; c < groupSize; c++ {
			b[c][0] = 0
		}
	}
}
