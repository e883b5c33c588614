package forest

// Bits has rows with equal numbers of bits.
type Bits struct {
	rows, bits, words int
	data              []uint64
}

// NewBits returns rows in which all bits are 0.
func NewBits(rows, bits int) *Bits {
	words := (bits + 63) / 64
	return &Bits{rows: rows, bits: bits, words: words, data: make([]uint64, rows*words)}
}

// Set sets a bit of a row to 1.
func (b *Bits) Set(row, bit int) { b.data[row*b.words+bit/64] |= 1 << (bit % 64) }

// Row returns a row as words of 64 bits, the lowest bit first. The caller must not change it.
func (b *Bits) Row(i int) []uint64 { return b.data[i*b.words:][:b.words] }

// Take returns the given rows.
func (b *Bits) Take(rows []int) *Bits {
	out := NewBits(len(rows), b.bits)
	for i, r := range rows {
		copy(out.Row(i), b.Row(r))
	}
	return out
}

// RowOf returns a row with the given number of bits, of which those in on are 1.
func RowOf(bits int, on []int32) []uint64 {
	row := make([]uint64, (bits+63)/64)
	for _, b := range on {
		row[b/64] |= 1 << (b % 64)
	}
	return row
}
