package tablefile_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// repeated writes a header followed by n copies of a text.
func repeated(w io.Writer, header, text string, n int) {
	io.WriteString(w, header)
	text = strings.Repeat(text, 1<<10)
	for range n >> 10 {
		io.WriteString(w, text)
	}
}

func gzipped(header, text string, n int) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		panic(err)
	}
	repeated(w, header, text, n)
	w.Close()
	return b.Bytes()
}

func zstdPacked(header, text string, n int) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	repeated(w, header, text, n)
	w.Close()
	return b.Bytes()
}

// bookOf returns a workbook, as sheetOf makes it, with another text in one part.
func bookOf(t testing.TB, part, header, text string, n int, end string) []byte {
	t.Helper()
	book := sheetOf(t, "A1", []any{"a", "b"}, []any{1, "x"})
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestSpeed) })
	for _, f := range z.File {
		to, _ := w.Create(f.Name)
		if f.Name == part {
			repeated(to, header, text, n)
			io.WriteString(to, end)
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(to, r)
	}
	w.Close()
	return out.Bytes()
}

// workbookOf returns a small workbook of one sheet, not compressed.
func workbookOf(sheet, texts, styles string) []byte {
	const kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range [][2]string{
		{"_rels/.rels", `<Relationships><Relationship Id="r" Type="` + kind + `officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook><sheets><sheet name="S" r:id="a"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Type="` + kind + `worksheet" Target="sheet.xml"/><Relationship Id="b" Type="` + kind + `sharedStrings" Target="/xl/texts.xml"/><Relationship Id="c" Type="` + kind + `styles" Target="styles.xml"/></Relationships>`},
		{"xl/sheet.xml", sheet}, {"xl/texts.xml", texts}, {"xl/styles.xml", styles},
	} {
		to, _ := w.CreateHeader(&zip.FileHeader{Name: p[0]})
		io.WriteString(to, p[1])
	}
	w.Close()
	return out.Bytes()
}

// TestBombs reads small files that unpack to large ones. The error says how to raise the limit, and
// the process does not need more memory than the limit.
func TestBombs(t *testing.T) {
	const bound = 32 << 20
	const sheet, shared = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
	random := rand.New(rand.NewPCG(1, 2))
	letters := make([]byte, 3<<10)
	for i := range letters {
		letters[i] = byte('a' + random.IntN(26))
	}
	mixed := string(letters)
	for _, c := range []struct {
		name, file string
		content    []byte
	}{
		{"rows", "t.csv.gz", gzipped("a,b\n", "1,2\n", 16<<20)},
		{"rows in zstd", "t.csv.zst", zstdPacked("a,b\n", "1,2\n", 16<<20)},
		{"an open quote", "t.csv.gz", gzipped("a,b\n\"", "1,2\n", 16<<20)},
		{"a long line", "t.csv.gz", gzipped("a,b\n", "1", 64<<20)},
		{"a long comment", "t.csv.gz", gzipped("#", "1", 64<<20)},
		{"blank lines", "t.csv.gz", gzipped("a,b\n1,2\n", "\n", 64<<20)},
		{"empty rows", "t.csv.gz", gzipped("a,b\n1,2\n", ",\n", 32<<20)},
		{"a long header", "t.csv", bytes.Repeat([]byte(","), 8<<20)},
		{"columns", "t.csv", bytes.Repeat([]byte("a,"), 60000)},
		{"records", "t.jsonl.gz", gzipped("{\"a\":1}\n", "{\"a\":1}\n", 16<<20)},
		{"a long member", "t.jsonl.gz", gzipped("{\"a\":1}\n{\"a\":\"", "1", 64<<20)},
		{"a long name", "t.jsonl.gz", gzipped("{\"a\":1}\n{\"", "1", 64<<20)},
		{"blanks between records", "t.jsonl.gz", gzipped("{\"a\":1}", " ", 64<<20)},
		{"rows of a sheet", "t.xlsx", bookOf(t, sheet, `<worksheet><sheetData><row><c t="inlineStr"><is><t>a</t></is></c></row>`, "<row><c><v>1</v></c>"+strings.Repeat(" ", 100)+"</row>", 1<<19, "")},
		{"a long cell", "t.xlsx", bookOf(t, sheet, `<worksheet><sheetData><row><c t="str"><v>`, "a", 64<<20, "")},
		{"a long attribute", "t.xlsx", bookOf(t, sheet, `<worksheet><sheetData><row r="`, "1", 64<<20, "")},
		{"a deep element", "t.xlsx", bookOf(t, sheet, `<worksheet><sheetData>`, "<a>", 16<<20, "")},
		{"shared texts", "t.xlsx", bookOf(t, shared, `<sst>`, "<si><t>a</t></si>", 4<<20, "</sst>")},
		{"a long shared text", "t.xlsx", bookOf(t, shared, `<sst><si><t>`, "a", 64<<20, "")},
		{"styles", "t.xlsx", bookOf(t, "xl/styles.xml", `<styleSheet><cellXfs>`, "<xf/>", 8<<20, "")},
		{"shared texts that pack badly", "t.xlsx", bookOf(t, shared, `<sst>`, "<si><t>"+mixed+"</t></si>", 1<<10, "</sst>")},
		{"shared texts of one character", "t.xlsx", bookOf(t, shared, `<sst>`, "<si><t>"+mixed[:1]+"</t></si>", 1<<17, "</sst>")},
		{"a sheet that packs badly", "t.xlsx", bookOf(t, sheet, `<worksheet><sheetData><row><c t="str"><v>a</v></c></row>`, "<row><c t=\"str\"><v>"+mixed+"</v></c></row>", 4<<10, "")},
		{"a part that says it is packed in 0 bytes", "t.xlsx", emptyPart()},
		{"behind the rows", "t.xlsx", bookOf(t, sheet, `<worksheet><sheetData></sheetData>`, "<a/>", 16<<20, "")},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			// Garbage is collected well below the bound: on a busy machine the collector is late.
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(before.Sys-before.HeapReleased) + bound*3/4))
			err := drained(c.file, c.content, data.NewBudget(bound))
			runtime.ReadMemStats(&after)
			if deep := strings.Contains(c.name, "deep"); !deep && (!errors.Is(err, data.ErrTooLarge) || !strings.Contains(err.Error(), "raise it with --max-memory")) || err == nil {
				t.Errorf("error %v for %d bytes, want ErrTooLarge", err, len(c.content))
			}
			if more := int64(after.HeapSys) - int64(before.HeapSys); more > bound {
				t.Errorf("the heap grew by %d bytes, the bound is %d", more, bound)
			}
		})
	}
}

// emptyPart is a workbook whose first part is packed in 0 bytes and has a header that says 16 MiB.
func emptyPart() []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.CreateRaw(&zip.FileHeader{Name: "_rels/.rels", Method: zip.Deflate, UncompressedSize64: 16 << 20})
	w.Close()
	return out.Bytes()
}

// drained reads a table to its end and keeps nothing.
func drained(name string, content []byte, b *data.Budget) error {
	return drainedFS(fstest.MapFS{name: {Data: content}}, name, b)
}

func drainedFS(fsys fstest.MapFS, name string, b *data.Budget) error {
	r, err := tablefile.Open(fsys, name, b, tablefile.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		if _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestWide reads tables that have, or claim to have, very many columns or rows.
func TestWide(t *testing.T) {
	book := func(rows string) []byte {
		return workbookOf("<worksheet><sheetData>"+rows+"</sheetData></worksheet>", "<sst/>", "<styleSheet/>")
	}
	const header = `<row><c t="str"><v>a</v></c></row>`
	many := fstest.MapFS{}
	for i := range 1 << 15 {
		many[fmt.Sprintf("t/part-%06d.csv", i)] = &fstest.MapFile{Data: []byte("a\n1\n")}
	}
	for _, c := range []struct {
		name, file, want string
		fsys             fstest.MapFS
	}{
		{"a million columns", "t", "is longer than", fstest.MapFS{"t": {Data: bytes.Repeat([]byte("a,"), 1e6)}}},
		{"a million values", "t", "is longer than", fstest.MapFS{"t": {Data: append([]byte("a\n1\n"), bytes.Repeat([]byte("1,"), 1e6)...)}}},
		{"the last row", "t", "", fstest.MapFS{"t": {Data: book(header + `<row r="1048576"><c><v>1</v></c></row>`)}}},
		{"a row behind it", "t", "has more than 1048576 rows", fstest.MapFS{"t": {Data: book(header + `<row r="1048577"/>`)}}},
		{"the last column", "t", "stands right of the header", fstest.MapFS{"t": {Data: book(header + `<row><c r="XFD2"><v>1</v></c></row>`)}}},
		{"a column behind it", "t", "which is invalid or not in order", fstest.MapFS{"t": {Data: book(header + `<row><c r="XFE2"><v>1</v></c></row>`)}}},
		{"a million cells in a row", "t", "has more than 16384 columns", fstest.MapFS{"t": {Data: book(header + "<row>" + strings.Repeat("<c/>", 1e6) + "</row>")}}},
		{"many parts", "t", "parts of a table take more", many},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := drainedFS(c.fsys, c.file, data.NewBudget(32<<20))
			runtime.ReadMemStats(&after)
			if place := (*data.ParseError)(nil); c.want != "" && (!errors.As(err, &place) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
				t.Errorf("%d bytes of memory", n)
			}
		})
	}
}
