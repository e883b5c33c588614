package data

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// unpackedPerByte is how many bytes of memory the decoder of a file may take at a time for each
// byte of the file.
const unpackedPerByte = 6

// Unpacked is how many bytes a decoder may hold at a time of what it unpacks from a file of n
// bytes.
func (b *Budget) Unpacked(n int64) int64 {
	return b.limit/inflationShare + unpackedPerByte*min(n, b.limit/unpackedPerByte)
}

// TooMuch is the error of what takes more than Unpacked.
func (b *Budget) TooMuch(what string) error { return b.exceeded(what) }

// Share is how many bytes a text may have that is kept as a whole.
func (b *Budget) Share() int64 { return b.limit / inflationShare }

// MoreThan is the error of what has more than n bytes, a part of the bound.
func (b *Budget) MoreThan(n int64, what string) error {
	return b.exceeded(fmt.Sprintf("%s more than %s, which is more", what, memory.Text(n)))
}
