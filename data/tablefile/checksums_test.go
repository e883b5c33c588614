package tablefile

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"
)

// TestPageChecksums flips each bit of the pages of a Parquet file that has checksums: the same rows
// or an error. Files without checksums, which most writers write, cannot be told from others where a
// flipped bit is one of a value. pyarrow wrote the file, with write_page_checksum=True, of 24 rows
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
		step = 5 // all bits of a byte have their turn
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
