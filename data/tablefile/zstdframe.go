package tablefile

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdWindow is the largest window that a compressed Arrow buffer may ask for, unless its text is
// longer. Decoders should have 8 MiB (RFC 8878), but the decoder of package ipc allocates any requested
// size.
const zstdWindow = 8 << 20

var errZstdFrame = errors.New("a compressed buffer is damaged")

// checkZstd checks that a compressed Arrow buffer, of which r reads n bytes, is one Zstandard frame
// without a larger window.
func checkZstd(r io.ReaderAt, n int64) error {
	head := make([]byte, min(n, zstd.HeaderMaxSize))
	if _, err := r.ReadAt(head, 0); err != nil {
		return noEOF(err)
	}
	var h zstd.Header
	if err := h.Decode(head); err != nil || h.Skippable {
		return errZstdFrame
	}
	if !h.SingleSegment && h.WindowSize > zstdWindow && h.WindowSize > h.FrameContentSize {
		return errZstdFrame
	}
	at := int64(h.HeaderSize)
	for last := false; !last; {
		var b [3]byte // whether it is the last block, its kind, and its size
		if _, err := r.ReadAt(b[:], at); err != nil {
			return noEOF(err)
		}
		const repeated = 1
		size := int64(b[0])>>3 | int64(b[1])<<5 | int64(b[2])<<13
		if b[0]>>1&3 == repeated {
			size = 1
		}
		last = b[0]&1 != 0
		if at += int64(len(b)) + size; at > n {
			return errZstdFrame
		}
	}
	if h.HasCheckSum {
		at += 4
	}
	if at != n { // another frame
		return errZstdFrame
	}
	return nil
}
