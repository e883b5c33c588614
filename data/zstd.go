package data

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// A window is the text before a position that zstd may refer to. Its default compression levels
// need 8 MiB, the highest level needs 128 MiB.
const (
	leastWindow = 8 << 20
	mostWindow  = 128 << 20
)

// window is the largest window that is allowed.
func (b *Budget) window() int64 {
	return min(max(b.limit/inflationShare, leastWindow), mostWindow)
}

// newZstd unpacks zstd in the reading goroutine.
func (b *Budget) newZstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(uint64(b.window())))
}

// zstdError is the error of reading zstd. For a window that is too large it names the bound to
// raise.
func (b *Budget) zstdError(err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return b.exceeded("the text was packed by zstd with a window of more than " + memory.Text(b.window()) + ", which is more")
	}
	return err
}
