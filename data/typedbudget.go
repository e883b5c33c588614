package data

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// unpackedPerByte is the memory, in bytes, that a decoder may use at a time for each byte of its
// file.
const unpackedPerByte = 6

// Unpacked is how many bytes a decoder may hold at a time of what it unpacks from a file of n
// bytes.
func (b *Budget) Unpacked(n int64) int64 {
	return b.limit/inflationShare + unpackedPerByte*min(n, b.limit/unpackedPerByte)
}

// TooMuch returns the error for exceeding Unpacked.
func (b *Budget) TooMuch(what string) error { return b.exceeded(what) }

// Share is the largest size, in bytes, of a text that is kept as a whole.
func (b *Budget) Share() int64 { return b.limit / inflationShare }

// MoreThan returns the error for what has more than n bytes, where n is a part of the bound.
func (b *Budget) MoreThan(n int64, what string) error {
	return b.exceeded(fmt.Sprintf("%s more than %s, which is more", what, memory.Text(n)))
}
