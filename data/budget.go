package data

import (
	"bufio"
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// Budget is the memory that reading a data set may take. Readers charge what they keep
// before it grows, so that a small file that becomes large ends with an error and not
// with the process. One goroutine uses it at a time.
type Budget struct {
	start   int64 // limit before anything is read
	ceiling int64 // how far limit may grow with the files
	limit   int64 // bytes that the process may take for reading
	left    int64 // of what may still be kept
	text    int64 // bytes of text that may still be read
	meter   func(n int64) error
}

// A bound that nobody gave grows with the files, so that a small file can never take a
// large machine's memory. COLLAB, 4 MB that become 25 million arcs, needs 1.5 GiB.
const (
	leastMemory   = 2 << 30
	memoryPerByte = 32 // of the files as they lie on the disk
)

// overhead is how much more a process takes than readers keep: garbage may become as much
// as what is in use (GOGC=100).
const overhead = 2

// Bounds beside the memory that is kept, as parts of the limit.
const (
	// longestShare bounds a line, or a record of a CSV: split into columns, which may be
	// empty, it takes up to a hundred times as much.
	longestShare = 256
	// shortest is the least bound of a line, that of a buffer.
	shortest = 1 << 16
	// inflation is how many times as large as its file a text may be that takes more than
	// 1/inflationShare of the limit. Deflate goes up to 1032; sets have 3 to 30, and long
	// runs of equal lines more.
	inflation      = 250
	inflationShare = 16
)

// mostMemory is how far a bound grows that nobody gave: half of the memory that was
// available when it was asked for first, 4 GiB where the system does not tell.
var mostMemory = sync.OnceValue(func() int64 {
	if free := memory.Free(); free > 0 {
		return max(free/2, 1)
	}
	return 4 << 30
})

// NewBudget is a budget of some bytes. With 0 they follow from the files: 2 GiB and 32 times
// their size, at most half of the memory that is free. It allows as many bytes of text,
// which is read piece by piece and not kept.
func NewBudget(maxMemory int64) *Budget {
	b := &Budget{start: maxMemory, ceiling: maxMemory}
	if maxMemory == 0 {
		b.ceiling = mostMemory()
		b.start = min(leastMemory, b.ceiling)
	}
	b.Renew()
	return b
}

// File takes note of n bytes of a file, as it lies on the disk, that are read.
func (b *Budget) File(n int64) {
	room := b.ceiling - b.limit
	more := min(min(n, room)*memoryPerByte, room)
	b.limit += more
	b.left += more / overhead
	b.text += more
}

// Charge takes n bytes that will be kept. The error, which wraps ErrTooLarge, says that
// what takes too much and how to raise the bound.
func (b *Budget) Charge(n int64, what string) error {
	if b.left -= n; b.left < 0 {
		return b.exceeded(what + " take more")
	}
	if b.meter != nil {
		return b.meter(n)
	}
	return nil
}

// Meter has a function told of bytes that are charged, or released where n is below 0. The function
// bounds what several budgets take together: its error refuses the bytes, as that of Charge does.
func (b *Budget) Meter(f func(n int64) error) { b.meter = f }

// Takes is about what the process takes where readers keep n bytes.
func (b *Budget) Takes(n int64) int64 { return n * overhead }

// Release gives back n bytes that were charged and are no longer kept.
func (b *Budget) Release(n int64) {
	b.left += n
	if b.meter != nil && n > 0 {
		_ = b.meter(-n) // nothing refuses what is given back
	}
}

// Renew forgets all that was charged and read.
func (b *Budget) Renew() { b.limit, b.left, b.text = b.start, b.start/overhead, b.start }

// Longest is the bound of a line of text, in bytes.
func (b *Budget) Longest() int64 { return max(b.limit/longestShare, shortest) }

// TooLong is the error of a line or a value longer than Longest.
func (b *Budget) TooLong(what string) error {
	return b.exceeded(fmt.Sprintf("%s is longer than %s, which is more", what, memory.Text(b.Longest())))
}

// exceeded is the error of what is too much.
func (b *Budget) exceeded(what string) error {
	return fmt.Errorf("%w: %s than the bound of %s on memory allows; raise it with --max-memory (Options.MaxMemory)", ErrTooLarge, what, memory.Text(b.limit))
}

// ReadLine returns a line with its end; at the end of the file what is left, and io.EOF. A line that
// does not fit into buf is collected in long, which is returned for the next line. The error of a
// line that is longer than Longest wraps ErrTooLarge.
func (b *Budget) ReadLine(buf *bufio.Reader, long []byte) (line, spare []byte, err error) {
	line, err = buf.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, long, err
	}
	long = long[:0]
	for err == bufio.ErrBufferFull {
		long = append(long, line...)
		if int64(len(long)) > b.Longest() {
			return nil, long, b.TooLong("a line")
		}
		line, err = buf.ReadSlice('\n')
	}
	long = append(long, line...)
	return long, long, err
}
