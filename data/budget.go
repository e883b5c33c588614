package data

import (
	"bufio"
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// Budget is the memory that reading a data set may take. Readers charge what they keep before they
// allocate it, so that a small file that becomes large ends with an error and not with the process.
// Only one goroutine at a time may use it.
type Budget struct {
	start   int64 // limit before any file is read
	ceiling int64 // maximum of limit, which grows with the files
	limit   int64 // bytes that the process may use for reading
	left    int64 // bytes that may still be kept
	text    int64 // bytes of text that may still be read
	meter   func(n int64) error
}

// The default bound grows with the files, so that a small file can never take the memory of a large
// machine. COLLAB, 4 MB that become 25 million arcs, needs 1.5 GiB.
const (
	leastMemory   = 2 << 30
	memoryPerByte = 32 // of the files as stored on disk
)

// overhead is the memory of a process as a multiple of what readers keep: there may be as much
// garbage as memory in use (GOGC=100).
const overhead = 2

// Bounds besides that of the kept memory, as parts of the limit.
const (
	// longestShare bounds a line or a record of a CSV. Split into columns, which may be empty, it
	// can take a hundred times as much memory.
	longestShare = 256
	// shortest is the least bound of a line: the size of a buffer.
	shortest = 1 << 16
	// inflation bounds the size of a text as a multiple of its file, if the text has more than
	// 1/inflationShare of the limit. Deflate reaches up to 1032. Data sets have 3 to 30, and long
	// runs of equal lines have more.
	inflation      = 250
	inflationShare = 16
)

// mostMemory is the maximum of the default bound: half of the memory that is free at the first
// call, or 4 GiB if the system does not tell.
var mostMemory = sync.OnceValue(func() int64 {
	if free := memory.Free(); free > 0 {
		return max(free/2, 1)
	}
	return 4 << 30
})

// NewBudget returns a budget of maxMemory bytes. 0 means the default: 2 GiB plus 32 times the size
// of the files, at most half of the free memory. The budget allows the same number of bytes of
// text, which is read in pieces and not kept.
func NewBudget(maxMemory int64) *Budget {
	b := &Budget{start: maxMemory, ceiling: maxMemory}
	if maxMemory == 0 {
		b.ceiling = mostMemory()
		b.start = min(leastMemory, b.ceiling)
	}
	b.Renew()
	return b
}

// File records that n bytes of a file, as stored on disk, are read.
func (b *Budget) File(n int64) {
	room := b.ceiling - b.limit
	more := min(min(n, room)*memoryPerByte, room)
	b.limit += more
	b.left += more / overhead
	b.text += more
}

// Charge takes n bytes that will be kept. The error wraps ErrTooLarge. It says that what needs too
// much memory and how to raise the bound.
func (b *Budget) Charge(n int64, what string) error {
	if b.left -= n; b.left < 0 {
		return b.exceeded(what + " take more")
	}
	if b.meter != nil {
		return b.meter(n)
	}
	return nil
}

// Meter sets a function that is called with the bytes that are charged, or with a negative number
// for released bytes. It can bound the sum of several budgets: its error refuses the bytes, as that
// of Charge does.
func (b *Budget) Meter(f func(n int64) error) { b.meter = f }

// Takes estimates the memory of the process if readers keep n bytes.
func (b *Budget) Takes(n int64) int64 { return n * overhead }

// Release gives back n bytes that were charged and are no longer kept.
func (b *Budget) Release(n int64) {
	b.left += n
	if b.meter != nil && n > 0 {
		_ = b.meter(-n) // a release is never refused
	}
}

// Renew resets the budget to its initial state.
func (b *Budget) Renew() { b.limit, b.left, b.text = b.start, b.start/overhead, b.start }

// Longest is the bound on a line of text, in bytes.
func (b *Budget) Longest() int64 { return max(b.limit/longestShare, shortest) }

// TooLong returns the error for a line or a value longer than Longest.
func (b *Budget) TooLong(what string) error {
	return b.exceeded(fmt.Sprintf("%s is longer than %s, which is more", what, memory.Text(b.Longest())))
}

// exceeded returns the error for exceeding the bound. what says what needs more.
func (b *Budget) exceeded(what string) error {
	return fmt.Errorf("%w: %s than the bound of %s on memory allows; raise it with --max-memory (Options.MaxMemory)", ErrTooLarge, what, memory.Text(b.limit))
}

// ReadLine returns a line with its end. At the end of the file it returns the remaining bytes and
// io.EOF. A line that does not fit into buf is collected in long; pass the returned spare for the
// next line. The error for a line longer than Longest wraps ErrTooLarge.
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
