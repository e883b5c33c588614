package tablefile_test

import (
	"bytes"
	"testing"

	"github.com/ehgnn/ehgnn/data/tablefile"
)

// TestPackedDamaged flips each bit of packed files and truncates them. The reader must return the
// same table or an error. Both formats have a checksum of the text. In zstd it is optional, and the
// zstd program writes it.
func TestPackedDamaged(t *testing.T) {
	text := manyRows(2)
	header := bytes.IndexByte(text, '\n') + 1
	packed := map[string][]byte{
		"t.csv.gz":  gzipped(string(text[:header]), string(text[header:]), 1<<10),
		"t.csv.zst": zstdPacked(string(text[:header]), string(text[header:]), 1<<10),
	}
	for name, b := range packed {
		t.Run(name, func(t *testing.T) {
			want, err := readTable(name, b, tablefile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			refused, step := 0, 8*len(b)/800|1
			for bit := 0; bit < 8*len(b); bit += step {
				damaged := bytes.Clone(b)
				damaged[bit/8] ^= 1 << (bit % 8)
				got, err := readTable(name, damaged, tablefile.Options{})
				checkTable(t, got, err)
				if err != nil {
					refused++
				} else if got.flat() != want.flat() {
					t.Errorf("bit %d: other values", bit)
				}
			}
			if refused < 700 {
				t.Errorf("%d damaged files are refused", refused)
			}
			for n := 4; n < len(b); n += len(b)/100 + 1 {
				if _, err := readTable(name, b[:n], tablefile.Options{}); err == nil {
					t.Errorf("the first %d bytes of %d are read", n, len(b))
				}
			}
		})
	}
}
