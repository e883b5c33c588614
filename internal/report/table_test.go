package report_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/ehgnn/ehgnn/data/parquet"
	"github.com/ehgnn/ehgnn/internal/report"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// edgeTable has every kind of column and values that are difficult for file formats.
func edgeTable() *report.Table {
	return &report.Table{Columns: []report.Column{
		report.Strings("smiles", []string{"CC", `a,"b"`, "", "zwei\nZeilen"}),
		report.Ints("source", []int32{0, -1, math.MaxInt32, 7}),
		report.Floats("score", []float32{0.1, nan, math.SmallestNonzeroFloat32, math.MaxFloat32}),
		report.Vectors("embedding", []float32{1, -2.5, 1e6, 1.0 / 3, nan, 1e-7, 0, 16777216}, 2),
	}}
}

func write(t *testing.T, name string, table *report.Table) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := report.WriteTable(path, table); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCSV(t *testing.T) {
	got := read(t, write(t, "t.csv", edgeTable()))
	want := "smiles,source,score,embedding_0,embedding_1\n" +
		"CC,0,0.1,1,-2.5\n" +
		"\"a,\"\"b\"\"\",-1,,1000000,0.33333334\n" +
		",2147483647,1e-45,,1e-07\n" +
		"\"zwei\nZeilen\",7,3.4028235e+38,0,16777216\n"
	if got != want {
		t.Errorf("wrote\n%s\nwant\n%s", got, want)
	}
	records, err := csv.NewReader(strings.NewReader(got)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 5 || records[2][0] != `a,"b"` || records[4][0] != "zwei\nZeilen" {
		t.Errorf("encoding/csv reads %q", records)
	}
}

// Every row must be kept, also a row with a single empty field.
func TestCSVOneColumn(t *testing.T) {
	for name, table := range map[string]*report.Table{
		"strings": {Columns: []report.Column{report.Strings("s", []string{"", "x", ""})}},
		"floats":  {Columns: []report.Column{report.Floats("s", []float32{nan, 1, nan})}},
	} {
		t.Run(name, func(t *testing.T) {
			records, err := csv.NewReader(strings.NewReader(read(t, write(t, "t.csv", table)))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if len(records) != 4 || records[1][0] != "" || records[3][0] != "" {
				t.Errorf("read back %q, want the heading and 3 rows", records)
			}
		})
	}
}

func TestCSVQuoting(t *testing.T) {
	texts := []string{"", " ", "a b", " lead", "trail\t", `"`, `""`, ",", "\r", "\r\n", "ä,ö", `\.`, "#", "=1+1"}
	got := read(t, write(t, "t.csv", &report.Table{Columns: []report.Column{
		report.Ints("i", make([]int, len(texts))), report.Strings("s", texts),
	}}))
	r := csv.NewReader(strings.NewReader(got))
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range texts {
		s = strings.ReplaceAll(s, "\r\n", "\n") // encoding/csv does this to quoted fields
		if records[i+1][1] != s {
			t.Errorf("text %q is read back as %q", s, records[i+1][1])
		}
	}
}

func TestFloatsRoundTripExactly(t *testing.T) {
	values := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, 1e-6, 9.9999e-7, 1e21, 9.999999e20, 16777217, 0.1, 1.0 / 3}
	for bits := uint32(1); bits < 1<<31-1<<24; bits = bits*3 + 7 { // over all magnitudes
		values = append(values, math.Float32frombits(bits))
	}
	got := read(t, write(t, "t.csv", &report.Table{Columns: []report.Column{report.Floats("v", values)}}))
	lines := strings.Fields(got)[1:]
	if len(lines) != len(values) {
		t.Fatalf("%d lines, want %d", len(lines), len(values))
	}
	for i, line := range lines {
		v, err := strconv.ParseFloat(line, 32)
		if err != nil || math.Float32bits(float32(v)) != math.Float32bits(values[i]) {
			t.Errorf("%v is written %q", values[i], line)
		}
	}
}

func TestJSONLines(t *testing.T) {
	want := `{"smiles":"CC","source":0,"score":0.1,"embedding":[1,-2.5]}
{"smiles":"a,\"b\"","source":-1,"score":null,"embedding":[1000000,0.33333334]}
{"smiles":"","source":2147483647,"score":1e-45,"embedding":[null,1e-07]}
{"smiles":"zwei\nZeilen","source":7,"score":3.4028235e+38,"embedding":[0,16777216]}
`
	for _, name := range []string{"t.jsonl", "t.ndjson", "T.JSONL"} {
		got := read(t, write(t, name, edgeTable()))
		if got != want {
			t.Errorf("%s: wrote\n%s\nwant\n%s", name, got, want)
		}
		for line := range strings.Lines(got) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: not JSON: %s", name, line)
			}
		}
	}
	odd := &report.Table{Columns: []report.Column{report.Ints(`<ü>"`, []int64{math.MinInt64})}}
	if got, want := read(t, write(t, "t.jsonl", odd)), `{"<ü>\"":-9223372036854775808}`+"\n"; got != want {
		t.Errorf("wrote %s, want %s", got, want)
	}
}

func TestGzip(t *testing.T) {
	for _, ext := range []string{".csv", ".jsonl", ".ndjson"} {
		plain := read(t, write(t, "t"+ext, edgeTable()))
		packed := read(t, write(t, "t"+ext+".gz", edgeTable()))
		z, err := gzip.NewReader(strings.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(z)
		if err != nil || string(got) != plain {
			t.Errorf("%s.gz holds %q, %v, want %q", ext, got, err, plain)
		}
	}
}

func TestWriteTableIsDeterministic(t *testing.T) {
	for _, ext := range []string{".csv.gz", ".jsonl", ".parquet"} {
		if read(t, write(t, "a"+ext, edgeTable())) != read(t, write(t, "b"+ext, edgeTable())) {
			t.Errorf("%s: two files of one table differ", ext)
		}
	}
}

func TestTableWithoutRows(t *testing.T) {
	table := &report.Table{Columns: []report.Column{
		report.Ints[int]("i", nil), report.Strings("s", nil), report.Floats("f", nil), report.Vectors("v", nil, 2),
	}}
	for name, want := range map[string]string{
		"t.csv":     "i,s,f,v_0,v_1\n",
		"t.jsonl":   "",
		"t.npy":     npyHeader("(0, 2)"),
		"t.parquet": "PAR1",
	} {
		got := read(t, write(t, name, table))
		if name == "t.parquet" {
			got = got[:4]
		}
		if got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

func TestWriteTableRefuses(t *testing.T) {
	one := report.Ints("id", []int{1})
	tests := []struct {
		name  string
		file  string
		table report.Table
		want  string
	}{
		{"unknown extension", "t.xlsx", report.Table{Columns: []report.Column{one}},
			".arrow, .csv, .csv.gz, .jsonl, .jsonl.gz, .ndjson, .ndjson.gz, .npy, .npz, .parquet"},
		{"no extension", "table", report.Table{Columns: []report.Column{one}}, "unknown kind of table"},
		{"packed parquet", "t.parquet.gz", report.Table{Columns: []report.Column{one}}, "unknown kind of table"},
		{"no columns", "t.csv", report.Table{}, "no columns"},
		{"zero column", "t.csv", report.Table{Columns: []report.Column{{Name: "x"}}}, `column "x": no values`},
		{"no name", "t.csv", report.Table{Columns: []report.Column{report.Ints("", []int{1})}}, "name is empty"},
		{"twice", "t.csv", report.Table{Columns: []report.Column{one, one}}, `"id" is there twice`},
		{"lengths", "t.csv", report.Table{Columns: []report.Column{one, report.Floats("f", []float32{1, 2})}}, `column "f" has 2 rows, column "id" has 1`},
		{"width", "t.csv", report.Table{Columns: []report.Column{report.Vectors("v", nil, 0)}}, "width 0"},
		{"ragged", "t.csv", report.Table{Columns: []report.Column{report.Vectors("v", make([]float32, 5), 2)}}, "5 values"},
		{"not UTF-8", "t.csv", report.Table{Columns: []report.Column{report.Strings("s", []string{"a", "\xff"})}}, `column "s": row 1, "\xff", is not UTF-8`},
		{"expanded names collide", "t.csv", report.Table{Columns: []report.Column{
			report.Vectors("v", make([]float32, 2), 2), report.Floats("v_1", make([]float32, 1))}}, `"v_1"`},
		{"infinity in JSON", "t.jsonl", report.Table{Columns: []report.Column{report.Floats("f", []float32{1, inf})}}, `column "f", row 1: JSON cannot hold +Inf`},
		{"infinity in a JSON array", "t.jsonl", report.Table{Columns: []report.Column{report.Vectors("v", []float32{1, -inf}, 2)}}, `column "v", row 0: JSON cannot hold -Inf`},
		{"no array for NPY", "t.npy", report.Table{Columns: []report.Column{one}}, "found 0"},
		{"two arrays for NPY", "t.npy", report.Table{Columns: []report.Column{
			report.Vectors("a", make([]float32, 2), 2), report.Vectors("b", make([]float32, 2), 2)}}, "found 2 [a, b]"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			err := report.WriteTable(filepath.Join(dir, tc.file), &tc.table)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "report: ") || !strings.Contains(err.Error(), tc.file) {
				t.Errorf("error is %v, want one of this package with %q and the file", err, tc.want)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%v was left behind", left)
			}
		})
	}
}

func TestCheckTablePath(t *testing.T) {
	for _, ext := range report.TableExtensions() {
		if err := report.CheckTablePath("dir.x/name" + strings.ToUpper(ext)); err != nil {
			t.Error(err)
		}
	}
	if err := report.CheckTablePath("out.csv/name"); err == nil {
		t.Error("an extension of the folder was taken for one of the file")
	}
}

// npyHeader returns the header that numpy.lib.format writes for a little-endian float32 array.
func npyHeader(shape string) string {
	dict := "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }"
	return "\x93NUMPY\x01\x00\x76\x00" + dict + strings.Repeat(" ", 128-11-len(dict)) + "\n"
}

func TestNPY(t *testing.T) {
	path := write(t, "emb.npy", edgeTable())
	want := []byte(npyHeader("(4, 2)"))
	for _, v := range []float32{1, -2.5, 1e6, 1.0 / 3, nan, 1e-7, 0, 16777216} {
		b := math.Float32bits(v)
		want = append(want, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
	}
	if got := read(t, path); !bytes.Equal([]byte(got), want) {
		t.Errorf("wrote %q, want %q", got, want)
	}
	ids := read(t, strings.TrimSuffix(path, ".npy")+".ids.csv")
	if want := "smiles,source,score\nCC,0,0.1\n"; !strings.HasPrefix(ids, want) {
		t.Errorf("ids are %q, want them to begin with %q", ids, want)
	}
}

func TestNPYWithoutVectors(t *testing.T) {
	path := write(t, "p.npy", &report.Table{Columns: []report.Column{report.Floats("p", []float32{0.5, 1})}})
	if got, want := read(t, path), npyHeader("(2,)")+"\x00\x00\x00\x3f\x00\x00\x80\x3f"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(entries, []string{"p.npy"}, func(e os.DirEntry, s string) bool { return e.Name() == s }) {
		t.Errorf("folder holds %v, want the array alone", entries)
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []report.Column{report.Strings("a", []string{"1", "-20"}), report.Ints("a", []int32{1, -20})} {
		if got := c.Texts(); !slices.Equal(got, []string{"1", "-20"}) {
			t.Errorf("%q", got)
		}
	}
}

// A missing text is null in JSON and in Parquet, where its column is optional, and empty in CSV.
func TestOptional(t *testing.T) {
	table := &report.Table{Columns: []report.Column{report.Optional("label", []string{"a", "", "b"}), report.Strings("text", []string{"", "x", ""})}}
	var csv, out bytes.Buffer
	if err := report.WriteCSV(&csv, table); err != nil || csv.String() != "label,text\na,\n,x\nb,\n" {
		t.Errorf("%v: %q", err, &csv)
	}
	text, err := table.MarshalJSON()
	if want := `[{"label":"a","text":""},` + "\n" + `{"label":null,"text":"x"},` + "\n" + `{"label":"b","text":""}]`; err != nil || string(text) != want {
		t.Errorf("%v: %s, want %s", err, text, want)
	}
	if err := parquet.Write(&out, table); err != nil {
		t.Fatal(err)
	}
	r, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		optional bool
		nulls    int64
	}{{true, 1}, {false, 0}} {
		c, err := r.MetaData().RowGroup(0).ColumnChunk(i)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := c.Statistics()
		if err != nil || (r.MetaData().Schema.Column(i).MaxDefinitionLevel() > 0) != want.optional || stats.NullCount() != want.nulls {
			t.Errorf("column %d: %v, %v, want %+v", i, stats, err, want)
		}
	}
}

// Append does not change the memory of the table that it received.
func TestAppend(t *testing.T) {
	texts := []string{"a", "b"}
	table := &report.Table{Columns: []report.Column{report.Strings("s", texts[:1])}}
	table.Append(&report.Table{Columns: []report.Column{report.Strings("s", []string{"d"})}})
	if got := table.Columns[0].Texts(); table.Rows() != 2 || !slices.Equal(got, []string{"a", "d"}) || texts[1] != "b" {
		t.Errorf("%d rows, %q; the list that was given is %q", table.Rows(), got, texts)
	}
}
