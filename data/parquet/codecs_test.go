package parquet

import (
	"bytes"
	"encoding/binary"
	"runtime/metrics"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/pierrec/lz4/v4"
)

// allocated returns the number of bytes allocated so far.
func allocated() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// TestCodecs unpacks pages that are longer or shorter than their headers say.
func TestCodecs(t *testing.T) {
	text := bytes.Repeat([]byte("abcdefgh"), 1<<17)
	for _, kind := range []compress.Compression{compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw, compress.Codecs.Lz4} {
		codec, err := compress.GetCodec(kind)
		if err != nil {
			t.Fatal(err)
		}
		packed := hadoop(t, text)
		if kind != compress.Codecs.Lz4 {
			packed = codec.Encode(nil, text)
		}
		if got, err := compress.Decode(codec, make([]byte, len(text)), packed); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%v: %d bytes, error %v", kind, len(got), err)
		}
		for _, n := range []int{1, 1000, len(text) - 1, len(text) + 1} {
			dst := make([]byte, n)
			before := allocated()
			_, err := compress.Decode(codec, dst, packed)
			if more := allocated() - before; err == nil || more > 1<<19 && kind != compress.Codecs.Brotli {
				t.Errorf("%v into %d bytes: error %v, %d bytes of memory", kind, n, err, more)
			}
		}
	}
}

// hadoop packs a text into two frames.
func hadoop(t *testing.T, text []byte) (packed []byte) {
	for _, half := range [][]byte{text[:len(text)/3], text[len(text)/3:]} {
		block := make([]byte, lz4.CompressBlockBound(len(half)))
		n, err := lz4.CompressBlock(half, block, nil)
		if err != nil {
			t.Fatal(err)
		}
		packed = binary.BigEndian.AppendUint32(packed, uint32(len(half)))
		packed = binary.BigEndian.AppendUint32(packed, uint32(n))
		packed = append(packed, block[:n]...)
	}
	return packed
}
