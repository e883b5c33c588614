package data_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"github.com/ehgnn/ehgnn/data"
)

// wide is a text as UTF-16.
func wide(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// zipped is a text packed by zstd.
func zipped(t testing.TB, text string, o ...zstd.EOption) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, append(o, zstd.WithEncoderConcurrency(1))...)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func readText(file string, size int) (string, *data.Text, error) {
	r, err := data.NewBudget(0).NewText(&pieces{file, size})
	if err != nil {
		return "", nil, err
	}
	b, err := io.ReadAll(r)
	return string(b), r, err
}

// TestEncoding reads UTF-16 and zstd in pieces of several sizes.
func TestEncoding(t *testing.T) {
	const text = "source,target\nZürich,渋谷\n😀,b\n"
	little, big := binary.LittleEndian, binary.BigEndian
	for name, c := range map[string]struct{ file, want string }{
		"little, marked":     {wide("\ufeff"+text, little), text},
		"big, marked":        {wide("\ufeff"+text, big), text},
		"little":             {wide(text, little), text},
		"big":                {wide(text, big), text},
		"lone returns":       {wide(strings.ReplaceAll(text, "\n", "\r"), little), text},
		"long":               {wide(strings.Repeat(text, 1000), big), strings.Repeat(text, 1000)},
		"zstd":               {zipped(t, text), text},
		"zstd, twice":        {zipped(t, text) + zipped(t, text), text + text},
		"zstd of UTF-16":     {zipped(t, wide("\ufeff"+text, little)), text},
		"zeros on both ends": {"a\x00\x00b", "a\x00\x00b"},
	} {
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			got, r, err := readText(c.file, size)
			if err != nil || got != c.want {
				t.Errorf("%s in pieces of %d: %.80q, %v, want %.80q", name, size, got, err, c.want)
			}
			if strings.HasPrefix(name, "zstd") || r == nil {
				continue
			}
			if sum := sha256.Sum256([]byte(c.file)); r.Sum() != hex.EncodeToString(sum[:]) {
				t.Errorf("%s: the checksum is not that of the file", name)
			}
		}
	}
}

func TestEncodingErrors(t *testing.T) {
	text := strings.Repeat("source,target\n", 10)
	packed := zipped(t, text)
	for name, c := range map[string]struct{ file, want string }{
		"odd length":         {wide("\ufeff"+text, binary.LittleEndian) + "a", "half of its last character"},
		"half a character":   {wide("\ufeffa", binary.BigEndian) + "\xd8\x3d\x00a", "half of a character"},
		"half a last one":    {wide("\ufeffa", binary.BigEndian) + "\xd8\x3d", "half of a character"},
		"UTF-32":             {"\xff\xfe\x00\x00a\x00\x00\x00", "UTF-32"},
		"zstd, cut":          {packed[:len(packed)-6], "EOF"},
		"zstd, large window": {"\x28\xb5\x2f\xfd\x00\xa8", "a window of more than"}, // 2 GiB
	} {
		if got, _, err := readText(c.file, 1<<20); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.40q, error %v, want %q", name, got, err, c.want)
		}
	}
}

// TestZstdBomb unpacks a small file of zstd until it is too large.
func TestZstdBomb(t *testing.T) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 64 {
		w.Write(zeros)
	}
	w.Close()
	r, err := data.NewBudget(16 << 20).NewText(&b)
	if err != nil {
		t.Fatal(err)
	}
	r.Unbounded()
	n, err := io.Copy(io.Discard, r)
	if !errors.Is(err, data.ErrTooLarge) || n > 17<<20 {
		t.Errorf("%d bytes, error %v, want ErrTooLarge", n, err)
	}
}
