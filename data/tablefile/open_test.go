package tablefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// TestRefused checks that known formats without a reader are named, with a program that converts them.
func TestRefused(t *testing.T) {
	zeros := strings.Repeat("\x00", 12)
	for _, c := range []struct{ name, content, want string }{
		{"x.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + zeros, `x.xls: is an Excel 97 workbook (.xls) or one with a password, which is not read as a table; save it as .xlsx without a password, or convert it: python -c "import pandas; pandas.read_excel('x.xls').to_csv('x.csv', index=False)"`},
		{"old.feather", "FEA1" + zeros, "a Feather file of version 1"},
		{"x.orc", "ORC" + zeros, "read_orc('x.orc')"},
		{"x.avro", "Obj\x01" + zeros, "an Avro file"},
		{"x.db", "SQLite format 3\x00" + zeros, "sqlite3 -header -csv x.db"},
		{"x.h5", "\x89HDF\r\n\x1a\n" + zeros, "read_hdf"},
		{"x.pkl", "\x80\x04\x95" + zeros, "read_pickle"},
		{"x.rds", string(gzipped("X\n\x00\x00\x00\x03\x00\x04", "x", 1024)), "an object of R (.rds)"},
		{"x.RData", string(gzipped("RDX3\nX\n\x00\x00", "x", 1024)), `load("x.RData", e)`},
		{"x.dta", "<stata_dta><header>", "a Stata file"},
		{"x.dta", "\x72\x02\x01\x00" + zeros, "a Stata file"},
		{"x.sas7bdat", zeros + "\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11" + zeros, "read_sas"},
		{"x.sav", "$FL2@(#)" + zeros, "read_spss"},
		{"x.csv.bz2", "BZh91AY&SY" + zeros, "bunzip2 x.csv.bz2"},
		{"x.csv.xz", "\xfd7zXZ\x00" + zeros, "unxz x.csv.xz"},
		{"x.csv.lz4", "\x04\x22\x4d\x18" + zeros, "unlz4 x.csv.lz4"},
		{"x.npy", "\x93NUMPY\x01\x00" + zeros, "numpy.load('x.npy')"},
		{"x.parquet.gz", string(gzipped("PAR1\x15\x04", "x", 1024)), "decompress it with gunzip"},
		{"x.csv", "{\"a\": {\"0\": 1}}\n", "is JSON"},
		{"x.csv", "<table border=\"1\">\n", "is a web page (HTML)"},
		{"x.xls", "<html><body>\n", "pandas.read_html('x.xls')[0]"},
		{"x.arff", "@RELATION payments\n@attribute source string\n", "is an ARFF file of Weka"},
		{"x.txt", "+---+---+\n| a | b |\n+---+---+\n", "is a table with drawn lines, which is not read as a table; write the table as text with separators, as psql --csv and mysql --batch do"},
		{"x.md", "| a | b |\r\n|---|--:|\r\n| 1 | 2 |\r\n", "is a table in Markdown"},
		{"x.csv", "<!DOCTYPE html>\n<html>", "is a web page (HTML)"},
		{"x.sql", "--\n-- PostgreSQL database dump\n--\nCOPY a FROM stdin;\n", "is statements of SQL, which is not read as a table; load them into a database"},
		{"x.csv", "INSERT INTO edges (a, b) VALUES\n(1, 2);\n", "is statements of SQL"},
		{"x.ods", "PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "is an OpenDocument spreadsheet (.ods), which is not read as a table; save it as .xlsx"},
		{"x.csv", "version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
		{"x.csv", "a,b\n1,\x00\x01\x02\n", "is a zero byte"},
	} {
		_, err := readTable(c.name, []byte(c.content), tablefile.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	for _, text := range []string{
		"[id],[name]\n1,2\n", "q,r\n1,2\n", "r\n1\n", "Object,b\n1,2\n", "ORCID,b\n1,2\n", "PARENT,CHILD\nx,ü\n", "PAR1,PAR2\r\n1,2\r\n", "FEA1\tFEA2\n1\t2\n",
	} {
		if got, err := readTable("x.csv", []byte(text), tablefile.Options{}); err != nil || len(got.rows) != 1 {
			t.Errorf("%q: %d rows, %v", text, len(got.rows), err)
		}
	}
}

// TestRecogniseText recognises texts with column names.
func TestRecogniseText(t *testing.T) {
	for text, want := range map[string]bool{
		"a,b\n1,2\n": true, "Payments of 2024\n\na,b\n1,2\n": true, "# comment\na b\nx y\n": true, "\"a\" \"b\"\n\"1\" \"x\" 2\n": true, "10\n3 1\n": false, "1,2\n2,3\n": false, "a\n1\n": false, "a,b\n": false, "[{\"a\": 1}]": true,
		"{\"a\": 1, \"b\": [1, 2]}\n": true, "{\"nodes\": [], \"edges\": []}": false, "{\"a\": {\"0\": 1}}": false, "{\"y\": 1, \"edges\": [[0, 1]]}": false,
		"{\"type\": \"x\", \"features\": [{}]}": false, "{\"nodes\": 3, \"edges\": 4}": false, "[[1, 2]]": false, "UserID::MovieID::Rating\n1::2::3\n1::3::4\n": true, "1::2::3\n1::3::4\n": false,
		"@relation x\n@data\n": true, "<table>": true, "+--+--+\n|a |b |\n": true, "| a | b |\n|---|---|\n| 1 | 2 |\n": true, "|a|b\n1|x|y\n": false,
		"{\"a\": 1, \"b\": {\"c\": [{}, 2]}}\n": true, "{\"b\": {\"c\": 1}, \"a\": 1}": true, "{\"a\": 1, \"b\": {\"c\": ": false, "{\"format\": 1, \"elements\": {}}": false, "[]": false, "{}": false,
		"this is a text\nof some lines that\nhave other numbers of words\n": false, "a,\n1,2\n": false, "a,b\x00\n1,2\n": false, "": false,
	} {
		path := filepath.Join(t.TempDir(), "t.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := tablefile.Recognise(path); got != want {
			t.Errorf("%q: recognised %v, want %v", text, got, want)
		}
	}
}

// TestOpenPath opens tables by paths of the operating system.
func TestOpenPath(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	book := sheetOf(t, "A1", []any{"a", "b"}, []any{1, "2"})
	for _, c := range []struct {
		name       string
		content    []byte
		recognised bool
	}{
		{"t.csv", []byte("a,b\n1,2\n"), true},
		{"t.TSV", []byte("a\tb\n1\t2\n"), true},
		{"t.csv.gz", gzipped("a,b\n1,2\n", "\n", 1024), true},
		{"t.csv.zst", zstdPacked("a,b\n1,2\n", "\n", 1024), true},
		{"t.txt", []byte("a,b\n1,2\n"), true},
		{"blanks.txt", []byte("a b\n1  2\n"), true},
		{"t", []byte("a\tb\n1\t2\n"), true},
		{"t.xlsx", book, true},
		{"book", book, true},
		{"book.csv", book, true},
	} {
		path := write(c.name, c.content)
		if got := tablefile.Recognise(path); got != c.recognised {
			t.Errorf("%s: recognised %v, want %v", c.name, got, c.recognised)
		}
		r, err := tablefile.OpenPath(path, data.NewBudget(0), tablefile.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		row, err := r.Next()
		if err != nil || strings.Join(r.Columns(), " ") != "a b" || strings.Join(texts(row), " ") != "1 2" {
			t.Errorf("%s: columns %q, row %v, %v", c.name, r.Columns(), row, err)
		}
		r.Close()
	}
	if !tablefile.Recognise(write("t.rds", gzipped("X\n\x00\x00\x00\x03\x00\x04", "x", 1024))) {
		t.Error("a packed object of R is not recognised, of which reading says what converts it")
	}
	if !tablefile.Recognise(write("t.xls", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))) {
		t.Error("an old workbook, whose error says what converts it, is not recognised")
	}
	for _, name := range []string{"none.csv", "."} {
		if tablefile.Recognise(filepath.Join(dir, name)) {
			t.Errorf("%s is recognised", name)
		}
	}
	t.Chdir(dir)
	if r, err := tablefile.OpenPath("t.csv", data.NewBudget(0), tablefile.Options{}); err != nil {
		t.Error(err)
	} else {
		r.Close()
	}
	_, err := tablefile.OpenPath("none.csv", data.NewBudget(0), tablefile.Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "none.csv: ") {
		t.Errorf("error %v", err)
	}
}

// TestShare checks the share of a file that has been read.
func TestShare(t *testing.T) {
	for name, content := range map[string][]byte{"t.csv": manyRows(20000), "t.csv.gz": gzipped("a,b\n", "1,2\n", 1<<20)} {
		r, err := tablefile.Open(fstest.MapFS{name: {Data: content}}, name, data.NewBudget(0), tablefile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		last := 0.0
		for err == nil {
			if share := r.Share(); share < last-.1 || share > 1 {
				t.Fatalf("%s: share %g behind %g", name, share, last)
			} else {
				last = share
			}
			_, err = r.Next()
		}
		if last < .9 {
			t.Errorf("%s: share %g at the end", name, last)
		}
	}
}
