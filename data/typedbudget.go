package data

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
