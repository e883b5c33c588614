package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The codecs of package compress trust the size that a compressed page states. The codecs here unpack
// into the memory that the header of the page asked for, and no more. LZ4 in the frames of Hadoop,
// which Spark writes, is not in package compress. They are registered before the program begins,
// as package compress keeps codecs in a map without a lock.
var _ = func() bool {
	for _, kind := range []compress.Compression{compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Lz4Raw} {
		if codec, err := compress.GetCodec(kind); err == nil {
			compress.RegisterCodec(kind, bounded{codec, func(dst, src []byte) ([]byte, error) { return compress.Decode(codec, dst, src) }})
		}
	}
	wrap := func(kind compress.Compression, decode func(dst, src []byte) ([]byte, error)) {
		codec, _ := compress.GetCodec(kind) // nil, of which a reader needs nothing, for LZ4
		compress.RegisterCodec(kind, bounded{codec, decode})
	}
	wrap(compress.Codecs.Snappy, unpackSnappy)
	wrap(compress.Codecs.Zstd, unpackZstd)
	wrap(compress.Codecs.Lz4, unpackLZ4)
	return true
}()

// bounded is a codec whose text has the size of the slice that it is unpacked into.
type bounded struct {
	compress.Codec
	decode func(dst, src []byte) ([]byte, error)
}

var errPageSize = errors.New("a compressed page has another size than its header says")

// DecodeWithError is of compress.ErrorCodec.
func (b bounded) DecodeWithError(dst, src []byte) ([]byte, error) {
	if len(dst) == 0 { // nil would ask for all that there is
		return []byte{}, nil
	}
	out, err := b.decode(dst, src)
	if err == nil && len(out) != len(dst) {
		return nil, errPageSize
	}
	return out, err
}

// Decode is of compress.Codec.
func (b bounded) Decode(dst, src []byte) []byte {
	out, err := b.DecodeWithError(dst, src)
	if err != nil {
		panic(err)
	}
	return out
}

func unpackSnappy(dst, src []byte) ([]byte, error) {
	if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
		return nil, errors.Join(err, errPageSize)
	}
	return snappy.Decode(dst, src)
}

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

func unpackZstd(dst, src []byte) ([]byte, error) {
	decoder, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return decoder.DecodeAll(src, dst[:0:len(dst)])
}

// unpackLZ4 unpacks frames of Hadoop: sizes of the text and of the block, each in 4 bytes, before
// each block. Parquet of before 2021 has blocks without them under the same name.
func unpackLZ4(dst, src []byte) ([]byte, error) {
	if err := unpackHadoop(dst, src); err == nil {
		return dst, nil
	}
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return nil, fmt.Errorf("LZ4: %w", err)
	}
	return dst[:n], nil
}

func unpackHadoop(dst, src []byte) error {
	const sizes = 8
	for len(src) >= sizes {
		text, packed := uint64(binary.BigEndian.Uint32(src)), uint64(binary.BigEndian.Uint32(src[4:]))
		src = src[sizes:]
		if text > uint64(len(dst)) || packed > uint64(len(src)) {
			return errPageSize
		}
		n, err := lz4.UncompressBlock(src[:packed], dst[:text])
		if err != nil || uint64(n) != text {
			return errors.Join(err, errPageSize)
		}
		dst, src = dst[text:], src[packed:]
	}
	if len(dst) > 0 || len(src) > 0 {
		return errPageSize
	}
	return nil
}
