package tablefile

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"
)

// TestPageChecksums flips each bit in the pages of a Parquet file with checksums. The reader must
// return the same rows or an error. Most writers write no checksums. Without them a flipped bit of a
// value cannot be detected. pyarrow wrote the file, with write_page_checksum=True, from 24 rows
// (f"u{i}", i/4, "a", "b" or nothing).
func TestPageChecksums(t *testing.T) {
	b, err := os.ReadFile("testdata/checksums.parquet")
	if err != nil {
		t.Fatal(err)
	}
	want, err := outcome(t, b)
	if err != nil {
		t.Fatal(err)
	}
	footer := len(b) - 8 - int(binary.LittleEndian.Uint32(b[len(b)-8:]))
	step := 1
	if testing.Short() {
		step = 5 // so that all bits of a byte are flipped
	}
	refused := 0
	for bit := 8 * len("PAR1"); bit < 8*footer; bit += step {
		bad := slices.Clone(b)
		bad[bit/8] ^= 1 << (bit % 8)
		got, err := outcome(t, bad)
		if err != nil {
			refused++
		} else if got != want {
			t.Errorf("bit %d of byte %d: other rows", bit%8, bit/8)
		}
	}
	if all := 8 * (footer - 4) / step; refused < all*8/10 {
		t.Errorf("%d of %d damaged files are refused", refused, all)
	}
}
