package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// Long lists of entries, such as all messages along edges of one kind, are summed in chunks of a
// fixed number of entries first. This gives every thread work and keeps rounding errors small.

// chunkEntries is the number of entries of a chunk.
const chunkEntries = 512

// entryChunks cuts lists of entries into chunks: chunk c has the entries ptr[c] to
// ptr[c+1], and list i the chunks of[i] to of[i+1].
type entryChunks struct{ ptr, of []int32 }

// chunksOf cuts the lists of ptr into chunks, in the memory of a tape or, if tape is nil, on the
// heap. If no list is longer than a chunk, it returns none.
func chunksOf(tape *Tape, ptr []int32) (c entryChunks) {
	long, n := false, int32(0)
	for i := 1; i < len(ptr); i++ {
		size := ptr[i] - ptr[i-1]
		long = long || size > chunkEntries
		n += (size + chunkEntries - 1) / chunkEntries
	}
	if !long {
		return c
	}
	c.ptr, c.of = tape.Ints(int(n)+1), tape.Ints(len(ptr))
	c.ptr[0], c.of[0] = ptr[0], 0
	at := 1
	for i := 1; i < len(ptr); i++ {
		for k := ptr[i-1]; k < ptr[i]; k += chunkEntries {
			c.ptr[at] = min(k+chunkEntries, ptr[i])
			at++
		}
		c.of[i] = int32(at - 1)
	}
	return c
}

// some reports whether there are chunks.
func (c entryChunks) some() bool { return c.ptr != nil }

// count is the number of chunks.
func (c entryChunks) count() int { return len(c.ptr) - 1 }

// listOf sets ids to the number of the list that each entry is in.
func listOf(ids, ptr []int32) []int32 {
	for i := 1; i < len(ptr); i++ {
		for k := ptr[i-1]; k < ptr[i]; k++ {
			ids[k] = int32(i - 1)
		}
	}
	return ids
}

// total sets each row of out, of d columns, to the sum of partial over the chunks of its list.
func (c entryChunks) total(out *Tensor, partial []float32, d int) {
	l := loopOf(out)
	l.spmm = kernel.SpMM{Dst: out.data, X: partial, D: d, Ptr: c.of}
	l.balanced(out, c.of, segmentGrain/max(d, 1)+1, spmmLoop)
}
