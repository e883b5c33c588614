package tablefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/ehgnn/ehgnn/data"
)

// allocated returns the number of bytes allocated so far.
func allocated() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// outcome returns the rows of a file, or its error.
func outcome(t testing.TB, b []byte) (rows string, err error) {
	t.Helper()
	got, err := readBytes(b, Options{})
	var place *data.ParseError
	if err != nil && (!errors.As(err, &place) || place.File != "x") {
		t.Errorf("error %v does not name the file", err)
	}
	return got.String(), err
}

// smallFiles returns files of a small table in all formats.
func smallFiles(t testing.TB) map[string][]byte {
	text := column{name: "text", kind: arrow.BinaryTypes.String}
	number := column{name: "number", kind: arrow.PrimitiveTypes.Float64}
	word := column{name: "word", kind: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}}
	list := column{name: "list", kind: arrow.ListOf(arrow.PrimitiveTypes.Int64)}
	for i := range 24 {
		text.values = append(text.values, fmt.Sprint("user ", i))
		number.values = append(number.values, float64(i)/4)
		word.values = append(word.values, []any{"a", "b", nil}[i%3])
		list.values = append(list.values, []any{i, -i})
	}
	r := recordOf(t, nil, text, number, word, list)
	files := map[string][]byte{
		"arrow file":        arrowFileOf(t, nil, r),
		"arrow file, zstd":  arrowFileOf(t, []ipc.Option{ipc.WithZstd()}, r),
		"arrow file, lz4":   arrowFileOf(t, []ipc.Option{ipc.WithLZ4()}, r),
		"arrow stream":      arrowStreamOf(t, nil, r.NewSlice(0, 10), r.NewSlice(10, 24)),
		"parquet, encoded":  parquetOf(t, r, parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("text", parquet.Encodings.DeltaByteArray), parquet.WithEncodingFor("list.list.element", parquet.Encodings.DeltaBinaryPacked)),
		"parquet, version2": parquetOf(t, r, parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Zstd)),
	}
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw} {
		files["parquet, "+codec.String()] = parquetOf(t, r, parquet.WithCompression(codec), parquet.WithMaxRowGroupLength(20))
	}
	return files
}

// TestFlippedBits flips single bits of files. Every reading of such a file ends with the same rows
// or the same error, and needs little memory.
func TestFlippedBits(t *testing.T) {
	const most = 64 << 20
	for name, b := range smallFiles(t) {
		t.Run(name, func(t *testing.T) {
			step := 11 // not a divisor of 8, so that all bits of a byte are flipped
			if testing.Short() {
				step = 101
			}
			for bit := 0; bit < 8*len(b); bit += step {
				bad := slices.Clone(b)
				bad[bit/8] ^= 1 << (bit % 8)
				if f := string(bad[:4]); f != "PAR1" && f != "ARRO" && f != "\xff\xff\xff\xff" {
					continue // another format
				}
				before := allocated()
				rows, err := outcome(t, bad)
				if n := allocated() - before; n > most {
					t.Errorf("bit %d: %d bytes of memory, error %v", bit, n, err)
				}
				again, errAgain := outcome(t, bad)
				if rows != again || fmt.Sprint(err) != fmt.Sprint(errAgain) {
					t.Errorf("bit %d: error %v, then %v", bit, err, errAgain)
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// TestTruncated reads the beginnings of files. None of them is a table, except the beginnings of a
// stream that end after a batch.
func TestTruncated(t *testing.T) {
	for name, b := range smallFiles(t) {
		for n := 8; n < len(b); n++ {
			rows, err := outcome(t, b[:n])
			if err == nil && (name != "arrow stream" || strings.Count(rows, "\n") > 25) {
				t.Errorf("%s: %d bytes of %d are read", name, n, len(b))
			}
		}
	}
}

// TestNoParquet: a program without the Parquet reader names the package that it needs.
func TestNoParquet(t *testing.T) {
	defer RegisterParquet(beginParquet)
	RegisterParquet(nil)
	if _, err := readBytes([]byte("PAR1\x15\x04"), Options{}); err == nil || !strings.Contains(err.Error(), "x: is a Parquet file, which this program does not read: it does not import the package data/parquet") {
		t.Errorf("error %v", err)
	}
}

// TestFooter reads Parquet files whose footers claim long lists. A decoder could allocate the lists
// before it reads their elements.
func TestFooter(t *testing.T) {
	file := func(footer string) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte("PAR1"+footer), uint32(len(footer))), "PAR1"...)
	}
	group := "\x48\x01x\x15\x02\x00" // an element that contains another one
	for _, c := range []struct{ name, footer, want string }{
		{"a long list", "\x29\xfc\xff\xff\xff\xff\x07\x00", "the footer is damaged"},
		{"a long text", "\x28\xff\xff\xff\xff\x07\x00", "the footer is damaged"},
		{"depth", strings.Repeat("\x1c", 1000), "the footer is damaged"},
		{"lists in lists", "\x19" + strings.Repeat("\x19", 1000), "the footer is damaged"},
		{"many elements", "\x29\xfc\x80\x80\x04" + strings.Repeat("\x00", 1<<16) + "\x00", "columns and groups of rows take more"},
		{"nested columns", "\x29\xfc\xf0\xa2\x04" + strings.Repeat(group, 70000) + "\x00", "the footer is damaged"},
	} {
		_, err := readAll(fstest.MapFS{"x": {Data: file(c.footer)}}, "x", data.NewBudget(32<<20), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"PAR1\xff\xff\xff\xffPAR1": "the footer is damaged",
		"PAR1\x01\x00\x00\x00PARE": "it is encrypted",
		"PAR1\x00\x00\x00\x00PAR2": "its end is missing",
		"PAR1":                     "the footer is damaged",
	} {
		if _, err := readBytes([]byte(text), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestBombs reads small files that unpack to large ones. The error says so and how to raise the limit.
func TestBombs(t *testing.T) {
	const bound = 16 << 20
	rows := func(kind arrow.DataType, v any, n int) arrow.RecordBatch {
		part := recordOf(t, nil, column{name: "a", kind: kind, values: slices.Repeat([]any{v}, n/64)})
		whole, err := array.Concatenate(slices.Repeat([]arrow.Array{part.Column(0)}, 64), memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		return array.NewRecordBatch(part.Schema(), []arrow.Array{whole}, int64(n))
	}
	zeros := rows(arrow.PrimitiveTypes.Int64, 0, 1<<20)
	onePage := []parquet.WriterProperty{parquet.WithDataPageSize(1 << 30), parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Zstd), parquet.WithStats(false)}
	long := strings.Repeat("a", 1<<20)
	for _, c := range []struct {
		name, want string
		b          []byte
	}{
		{"a page", "pages and rows that are unpacked at a time take more", parquetOf(t, zeros, onePage...)},
		{"runs", "the text is", parquetOf(t, rows(arrow.PrimitiveTypes.Int64, nil, 1<<21))},
		{"a word", "pages and rows that are unpacked at a time take more", parquetOf(t, rows(arrow.BinaryTypes.String, long, 64), parquet.WithCompression(compress.Codecs.Zstd), parquet.WithStats(false))},
		{"lengths", "pages and rows that are unpacked at a time take more",
			parquetOf(t, rows(arrow.BinaryTypes.String, "", 1<<20), append(onePage, parquet.WithEncodingFor("a", parquet.Encodings.DeltaLengthByteArray))...)},
		{"an arrow buffer", "pages and rows that are unpacked at a time take more", arrowFileOf(t, []ipc.Option{ipc.WithZstd()}, zeros)},
		{"arrow nulls", "the text is", arrowStreamOf(t, nil, rows(arrow.Null, nil, 1<<22))},
	} {
		before := allocated()
		_, err := readAll(fstest.MapFS{"x": {Data: c.b}}, "x", data.NewBudget(bound), Options{})
		if !errors.Is(err, data.ErrTooLarge) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "raise it with --max-memory") || strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: error %v for %d bytes, want %q", c.name, err, len(c.b), c.want)
		}
		if n := allocated() - before; c.want != "the text is" && n > bound {
			t.Errorf("%s: %d bytes of memory", c.name, n)
		}
		if len(c.b) > 1<<17 {
			t.Errorf("%s: %d bytes are no small file", c.name, len(c.b))
		}
	}
}

// FuzzParquet and FuzzArrow read any bytes.
func FuzzParquet(f *testing.F) {
	for _, b := range smallFiles(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.HasPrefix(b, []byte("PAR1")) {
			checkAny(t, b)
		}
	})
}

func FuzzArrow(f *testing.F) {
	for _, b := range smallFiles(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.HasPrefix(b, []byte(arrowMagic)) || bytes.HasPrefix(b, []byte("\xff\xff\xff\xff")) {
			checkAny(t, b)
		}
	})
}

// checkAny checks that a file is read, or refused with an error that names it, with little memory.
func checkAny(t *testing.T, b []byte) {
	const bound = 64 << 20
	before := allocated()
	got, err := readAll(fstest.MapFS{"x": {Data: b}}, "x", data.NewBudget(bound/4), Options{})
	var place *data.ParseError
	if err != nil && !errors.As(err, &place) {
		t.Errorf("error %v does not name the file", err)
	}
	if n := allocated() - before - 300*int64(len(got.rows)*(len(got.columns)+1)); n > bound {
		t.Errorf("%d bytes of memory for %d", n, len(b))
	}
}
