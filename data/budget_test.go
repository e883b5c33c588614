package data_test

import (
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/memory"
)

// repeat writes a text n times, gzipped.
func repeat(w io.Writer, before, text string, n int) {
	z := gzip.NewWriter(w)
	io.WriteString(z, before)
	text = strings.Repeat(text, 1<<10)
	for range n >> 10 {
		io.WriteString(z, text)
	}
	z.Close()
}

// bounded runs read and checks that it ends with an error that says how to raise the
// bound, and that the process takes no more memory than it.
func bounded(t *testing.T, bound int64, want string, read func(data.Options) error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	// Garbage is collected well below the bound: on a busy machine the collector is late.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(before.Sys-before.HeapReleased) + bound*3/4))
	err := read(data.Options{MaxMemory: bound})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, data.ErrTooLarge) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "raise it with --max-memory") {
		t.Errorf("error %v, want ErrTooLarge with %q", err, want)
	}
	if more := int64(after.HeapSys) - int64(before.HeapSys); more > bound {
		t.Errorf("the heap grew by %d bytes, the bound is %d", more, bound)
	}
}

// TestHostile reads small files that become large.
func TestHostile(t *testing.T) {
	const bound = 16 << 20
	var names []string
	for i := range 9000 {
		names = append(names, strconv.Itoa(i), "")
	}
	many := writeFile(t, "x.tar", tarred(t, names...))
	label := func(text string, n int) func(data.Options) error {
		return func(o data.Options) error {
			var b strings.Builder
			repeat(&b, "", text, n)
			_, err := data.Read(changed(molecules, "raw/graph-label.csv", "-", "raw/graph-label.csv.gz", b.String()).fs(), o)
			return err
		}
	}
	zipped := func(before, text string, n int) func(data.Options) error {
		return func(o data.Options) error {
			name := filepath.Join(t.TempDir(), "T.zip")
			file, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			z := zip.NewWriter(file)
			for name, text := range map[string]string{"T_graph_indicator.txt": "1\n1\n", "T_graph_labels.txt": "1\n"} {
				w, _ := z.Create(name)
				io.WriteString(w, text)
			}
			w, _ := z.Create("T_A.txt")
			io.WriteString(w, before)
			for range n >> 10 {
				io.WriteString(w, strings.Repeat(text, 1<<10))
			}
			if err := errors.Join(z.Close(), file.Close()); err != nil {
				t.Fatal(err)
			}
			_, err = data.Open(name, o)
			return err
		}
	}
	for _, c := range []struct {
		name, want string
		read       func(data.Options) error
	}{
		{"labels in one line", "graph-label.csv:1: cannot be read: too large: a line is longer than 64 KiB", label("0,", 4<<20)},
		{"a long label", "graph-label.csv:1: cannot be read: too large: a line is longer", label("0", 8<<20)},
		{"a long line in a zip", "T_A.txt:1: cannot be read: too large: a line is longer", zipped("", "1", 8<<20)},
		{"rows in a zip", "T_A.txt:", zipped("", "1, 2\n", 4<<20)},
		{"empty lines in a zip", "too large: the text is", zipped("1, 2\n", "\n", 8<<20)},
		{"columns", "node attributes take more", func(o data.Options) error {
			_, err := data.Read(toy.with("T_node_attributes.txt", strings.Repeat("1,", 32000)+"1\n").fs(), o)
			return err
		}},
		{"graphs", "graphs take more", func(o data.Options) error {
			n := 1 << 16
			_, err := data.Read(files{"T.txt": "65536\n" + strings.Repeat("0 1\n", n)}.fs(), o)
			return err
		}},
		{"classes", "classes take more", func(o data.Options) error {
			var indicator, labels strings.Builder
			for i := range 15000 {
				writeInts(&indicator, i+1)
				writeInts(&labels, i)
			}
			_, err := data.Read(files{"T/T_A.txt": "", "T/T_graph_indicator.txt": indicator.String(), "T/T_graph_labels.txt": labels.String()}.fs(), o)
			return err
		}},
		{"files of a tar", "files of an archive take more", func(o data.Options) error {
			_, err := data.Open(many, o)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) { bounded(t, bound, c.want, c.read) })
	}
}

func writeInts(b *strings.Builder, v int) { b.WriteString(strconv.Itoa(v) + "\n") }

// TestMacLines reads files whose lines end in a lone carriage return.
func TestMacLines(t *testing.T) {
	for name, set := range map[string]files{"tu": toy, "ogb": molecules, "dgcnn": {"T.txt": "2\n3 1\n0 2 2 1\n0 1 0\n0 1 0\n1 0\n0 0\n"}} {
		want := read(t, set, data.Options{})
		mac, dos := files{}, files{}
		for file, text := range set {
			mac[file] = strings.ReplaceAll(text, "\n", "\r")
			dos[file] = strings.ReplaceAll(text, "\n", "\r\n")
		}
		for _, other := range []files{mac, dos} {
			got := read(t, other, data.Options{})
			got.Info.Checksum = want.Info.Checksum
			got.Info.Notes, want.Info.Notes = nil, nil
			if !reflect.DeepEqual(got.Info, want.Info) || len(got.Graphs) != len(want.Graphs) {
				t.Errorf("%s: %+v, want %+v", name, got.Info, want.Info)
			}
		}
	}
}

// TestText cuts line ends and byte order marks at every place.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"a\rb\r": "a\nb\n", "a\r\rb": "a\n\nb", "\xef\xbb\xbfa\rb": "a\nb", "a\r\nb\rc": "a\r\nb\rc",
		"a\nb\rc": "a\nb\rc", "\r\r\n\r": "\n\r\n\n", "": "", "\xef\xbb": "\xef\xbb", "ab": "ab",
	} {
		for size := 1; size < 5; size++ {
			r, err := data.NewBudget(0).NewText(&pieces{text, size})
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			// Of \r\n that is cut in two only \n may be left.
			if got := string(b); err != nil || got != want && got != strings.ReplaceAll(want, "\r\n", "\n") {
				t.Errorf("%q in pieces of %d: %q, %v, want %q", text, size, got, err, want)
			}
		}
	}
}

// pieces gives a text in pieces of some bytes.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

func TestBudget(t *testing.T) {
	b := data.NewBudget(1000)
	if err := b.Charge(500, "things"); err != nil {
		t.Fatal(err)
	}
	b.Release(100)
	if err := b.Charge(100, "things"); err != nil {
		t.Fatal(err)
	}
	const want = "too large: things take more than the bound of 1000 B on memory allows; raise it with --max-memory (Options.MaxMemory)"
	if err := b.Charge(1, "things"); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	b.Renew()
	if err := b.Charge(500, "things"); err != nil {
		t.Error(err)
	}
}

// TestDefaultBudget says that the bound nobody gave follows from the files, and that one
// that was given does not.
func TestDefaultBudget(t *testing.T) {
	const much = 3 << 29 // of what is kept, which is half of the bound
	b := data.NewBudget(0)
	if err := b.Charge(much, "things"); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("error %v before a file was read, want ErrTooLarge", err)
	}
	b.Renew()
	b.File(math.MaxInt64)
	if err := b.Charge(1<<60, "things"); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("error %v for more than the machine has, want ErrTooLarge", err)
	}
	given := data.NewBudget(1000)
	given.File(1 << 30)
	if err := given.Charge(501, "things"); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("error %v, want the bound that was given", err)
	}
	if free := memory.Free(); free > 0 && free < 4*much {
		t.Skip("too little memory is free to see the bound grow")
	}
	b.Renew()
	b.File(64 << 20)
	if err := b.Charge(much, "things"); err != nil {
		t.Error(err)
	}
}

func TestOpenFile(t *testing.T) {
	if _, err := data.OpenFile(fstest.MapFS{"d/x": {}}, "d"); err == nil {
		t.Error("a folder is opened as a file")
	}
}

// A meter learns what is charged and released, and can refuse it.
func TestBudgetMeter(t *testing.T) {
	b := data.NewBudget(1000)
	held := int64(0)
	full := errors.New("full")
	b.Meter(func(n int64) error {
		if held += n; held > 100 {
			return full
		}
		return nil
	})
	if err := b.Charge(80, "rows"); err != nil || held != 80 {
		t.Errorf("%v, %d bytes, want 80", err, held)
	}
	if b.Release(30); held != 50 {
		t.Errorf("%d bytes, want 50", held)
	}
	if err := b.Charge(60, "rows"); !errors.Is(err, full) {
		t.Errorf("%v, want the error of the meter", err)
	}
}
