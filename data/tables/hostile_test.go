package tables_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/parquettest"
)

// packed returns a header followed by many copies of a text, compressed with gzip.
func packed(header, text string, n int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, header)
	text = strings.Repeat(text, 1<<10)
	for range n >> 10 {
		io.WriteString(z, text)
	}
	z.Close()
	return b.Bytes()
}

// TestHostile reads small tables that unpack to large ones. The error says how to raise the limit,
// and the process does not need more memory than the limit.
func TestHostile(t *testing.T) {
	const bound = 16 << 20
	var mirrors, ids, texts strings.Builder
	mirrors.WriteString("source,target\n")
	for i := range 22000 {
		fmt.Fprintf(&mirrors, "%d,%d\n", i%100, i%100+1)
	}
	for i := range 22000 {
		fmt.Fprintf(&mirrors, "%d,%d\n", i%100+1, i%100)
	}
	ids.WriteString("source,target\n")
	texts.WriteString("source,target,text\n")
	for i := range 40000 {
		fmt.Fprintf(&ids, "a%d,b%d\n", i, i)
		fmt.Fprintf(&texts, "a,b,t%d\n", i)
	}
	for _, c := range []struct {
		name, file, want string
		text             []byte
	}{
		{"rows", "edges.csv.gz", "rows take more", packed("source,target\n", "a,b\n", 4<<20)},
		{"an open quote", "edges.csv.gz", "a line or a quoted value is longer than 64 KiB", packed("source,target\n\"", "a,b\n", 4<<20)},
		{"a long line", "edges.csv.gz", "a line or a quoted value", packed("source,target\n", "a", 8<<20)},
		{"a long header", "edges.csv", "a line or a quoted value", bytes.Repeat([]byte(","), 8<<20)},
		{"columns", "edges.csv", "columns take more", bytes.Repeat([]byte("a,"), 30000)},
		{"empty lines", "edges.csv.gz", "a line or a quoted value", packed("source,target\na,b\n", "\n", 16<<20)},
		{"nodes", "edges.csv", "take more", []byte(ids.String())},
		{"texts", "edges.csv", "take more", []byte(texts.String())},
		{"mirrors", "edges.csv", "edges in both directions take more", []byte(mirrors.String())},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			// Garbage is collected well below the bound: on a busy machine the collector is late.
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(before.Sys-before.HeapReleased) + bound*3/4))
			_, err := tables.Read(fstest.MapFS{c.file: {Data: c.text}}, "x", tables.Options{MaxMemory: bound})
			runtime.ReadMemStats(&after)
			if !errors.Is(err, data.ErrTooLarge) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "raise it with --max-memory") {
				t.Errorf("error %v, want ErrTooLarge with %q", err, c.want)
			}
			if more := int64(after.HeapSys) - int64(before.HeapSys); more > bound {
				t.Errorf("the heap grew by %d bytes, the bound is %d", more, bound)
			}
		})
	}
}

// TestPage reads a Parquet file of a few kilobytes whose one page unpacks to 64 MB.
func TestPage(t *testing.T) {
	column := array.NewInt64Builder(memory.DefaultAllocator)
	column.AppendValues(make([]int64, 4<<20), nil)
	zeros := column.NewArray()
	rows := array.NewRecordBatch(parquettest.Fields(zeros.DataType(), "source", "target"), []arrow.Array{zeros, zeros}, -1)
	b := parquettest.Write(t, rows, parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDictionaryDefault(false),
		parquet.WithDataPageSize(1<<30), parquet.WithMaxRowGroupLength(1<<30))
	_, err := tables.Read(fstest.MapFS{"edges.parquet": {Data: b}}, "x", tables.Options{MaxMemory: 16 << 20})
	if !errors.Is(err, data.ErrTooLarge) || !strings.Contains(err.Error(), "take more") {
		t.Errorf("error %v for %d bytes, want ErrTooLarge", err, len(b))
	}
}

// TestEndless reads from a device that never ends.
func TestEndless(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "edges.csv")); err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	if _, err := tables.Open(dir, tables.Options{MaxMemory: 16 << 20}); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("error %v, want ErrTooLarge", err)
	}
}

// TestMissing: the same words mean a missing value in features, labels, times and groups.
func TestMissing(t *testing.T) {
	for _, word := range []string{"", "NA", "na", "N/A", "NaN", "nan", "NULL", "null", " NA "} {
		s := read(t, tables.Options{Label: "kind"}, "edges.csv", strings.ReplaceAll("source,target,kind,time,group,w,c\n"+
			"a,b,x,1,g,1,p\nb,c,?,?,?,?,?\nc,d,y,2,g,2,q\n", "?", word))
		w, c := column(t, s.EdgeColumns, "w"), column(t, s.EdgeColumns, "c")
		if s.Label.Code[1] != -1 || len(s.Label.Text) != 2 || s.Time[1] == s.Time[1] || s.Group[1] != -1 || w.Value[1] == w.Value[1] || c.Code[1] != -1 {
			t.Errorf("%q: label %v %v, time %v, group %v, columns %v and %v", word, s.Label.Code, s.Label.Text, s.Time, s.Group, w.Value, c.Code)
		}
	}
	for _, word := range []string{"nil", "n", "-", "nana", "missing"} {
		s := read(t, tables.Options{Label: "kind"}, "edges.csv", "source,target,kind\na,b,x\nb,c,"+word+"\n")
		if s.Label.Code[1] != 1 {
			t.Errorf("%q is missing, expected a class", word)
		}
	}
}

// TestMacLines reads a table whose lines end with a carriage return only.
func TestMacLines(t *testing.T) {
	text := "\xef\xbb\xbfsource,target,w\na,b,1\nb,c,2\n"
	want := read(t, tables.Options{}, "edges.csv", text)
	got := read(t, tables.Options{}, "edges.csv", strings.ReplaceAll(text, "\n", "\r"))
	if got.NumEdges() != 2 || fmt.Sprint(got.NodeIDs, got.Ends) != fmt.Sprint(want.NodeIDs, want.Ends) {
		t.Errorf("%v %v, want %v %v", got.NodeIDs, got.Ends, want.NodeIDs, want.Ends)
	}
	kept := read(t, tables.Options{}, "edges.csv", "source,target,c\na,b,\"x\ry\"\nb,c,z\n")
	if c := column(t, kept.EdgeColumns, "c"); c.Text[0] != "x\ry" {
		t.Errorf("a carriage return inside a value became %q", c.Text[0])
	}
}

// wideTable is a table of edges with many columns.
func wideTable(columns int) fstest.MapFS {
	var b strings.Builder
	b.WriteString("source,target,label")
	for i := range columns {
		fmt.Fprintf(&b, ",c%d", i)
	}
	for row := range 4 {
		fmt.Fprintf(&b, "\n%d,%d,%c", row, row+1, 'x'+row%2)
		for i := range columns {
			fmt.Fprintf(&b, ",%d", (i+row)%7)
		}
	}
	return fstest.MapFS{"edges.csv": {Data: []byte(b.String())}}
}

// TestFooter reads Parquet files whose footers claim long lists. A decoder could allocate the lists
// before it reads their elements.
func TestFooter(t *testing.T) {
	file := func(footer string) []byte {
		n := len(footer)
		return []byte("PAR1" + footer + string([]byte{byte(n), byte(n >> 8), byte(n >> 16), 0}) + "PAR1")
	}
	for _, c := range []struct{ name, footer, want string }{
		{"a long list", "\x29\xfc\xff\xff\xff\xff\x07\x00", "the footer is damaged"},
		{"a long text", "\x28\xff\xff\xff\xff\x07\x00", "the footer is damaged"},
		{"depth", strings.Repeat("\x1c", 1000), "the footer is damaged"},
		{"lists in lists", "\x19" + strings.Repeat("\x19", 1000), "the footer is damaged"},
		{"many elements", "\x29\xfc\x80\x80\x04" + strings.Repeat("\x00", 1<<16) + "\x00", "columns and groups of rows take more"},
	} {
		_, err := tables.Read(fstest.MapFS{"edges.parquet": {Data: file(c.footer)}}, "x", tables.Options{MaxMemory: 16 << 20})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := tables.Read(fstest.MapFS{"edges.parquet": {Data: []byte("PAR1\xff\xff\xff\xffPAR1")}}, "x", tables.Options{}); err == nil {
		t.Error("a footer longer than its file is read")
	}
}

// BenchmarkColumns reads and fits tables with many columns.
func BenchmarkColumns(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		table := wideTable(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s, err := tables.Read(table, "wide", tables.Options{})
				if err != nil {
					b.Fatal(err)
				}
				e, err := s.Fit([]int{0, 1, 2})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Whole(e, tables.InputOptions{}); err != nil {
					b.Fatal(err)
				}
				if _, err := tables.Read(table, "wide", e.Reading()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/column")
		})
	}
}
