package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
)

// TestChecksum: a page is compared with the checksum in its header, if there is one.
func TestChecksum(t *testing.T) {
	page := []byte("rows")
	header := func(crc uint32) []byte {
		h := []byte{0x15, 0, 0x15, 8, 0x15, 8, 0x15} // kind, and sizes of 4
		h = binary.AppendVarint(h, int64(int32(crc)))
		return append(h, 0x1c, 0x15, 2, 0x15, 0, 0, 0) // one value, plain encoding
	}
	for _, c := range []struct {
		crc  uint32
		want string
	}{{crc32.ChecksumIEEE(page), ""}, {1, "the checksum of a page does not match"}} {
		b := append(header(c.crc), page...)
		size := int64(len(b))
		w := pageWalk{at: io.NewSectionReader(bytes.NewReader(b), 0, size), allows: func(int64) error { return nil }}
		h, err := w.header(0, size)
		if err != nil || !h.hasCRC || h.packed != 4 || h.values != 1 {
			t.Fatalf("header %+v, error %v", h, err)
		}
		if err = w.page(h, h.size); fmt.Sprint(err) != "<nil>" && (c.want == "" || !strings.Contains(err.Error(), c.want)) || err == nil && c.want != "" {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
