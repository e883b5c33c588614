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

// The codecs of package compress trust the size in a compressed page. The codecs here decompress into
// memory of the size in the page header, and no more. Package compress lacks LZ4 in Hadoop frames,
// which Spark writes. The codecs are registered before the program starts, because package compress
// has codecs in a map without a lock.
var _ = func() bool {
	for _, kind := range []compress.Compression{compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Lz4Raw} {
		if codec, err := compress.GetCodec(kind); err == nil {
			compress.RegisterCodec(kind, bounded{codec, func(dst, src []byte) ([]byte, error) { return compress.Decode(codec, dst, src) }})
		}
	}
	wrap := func(kind compress.Compression, decode func(dst, src []byte) ([]byte, error)) {
		codec, _ := compress.GetCodec(kind) // nil for LZ4, of which a reader needs nothing
		compress.RegisterCodec(kind, bounded{codec, decode})
	}
	wrap(compress.Codecs.Snappy, unpackSnappy)
	wrap(compress.Codecs.Zstd, unpackZstd)
	wrap(compress.Codecs.Lz4, unpackLZ4)
	return true
}()

// bounded is a codec whose decompressed size is the size of the destination slice.
type bounded struct {
	compress.Codec
	decode func(dst, src []byte) ([]byte, error)
}

var errPageSize = errors.New("a compressed page has another size than its header says")

// DecodeWithError implements compress.ErrorCodec.
func (b bounded) DecodeWithError(dst, src []byte) ([]byte, error) {
	if len(dst) == 0 { // nil would ask for all data
		return []byte{}, nil
	}
	out, err := b.decode(dst, src)
	if err == nil && len(out) != len(dst) {
		return nil, errPageSize
	}
	return out, err
}

// Decode implements compress.Codec.
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

// unpackLZ4 decompresses Hadoop frames: the sizes of the text and of the block, 4 bytes each,
// before each block. Parquet before 2021 has blocks without them under the same name.
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
