package tablefile

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ehgnn/ehgnn/data"
)

// folderOf returns a folder t with files of some texts.
func folderOf(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{"t": {Mode: fs.ModeDir | 0o755}}
	for name, text := range files {
		fsys["t/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, text)
	z.Close()
	return b.String()
}

// parquetPart returns a Parquet file of two columns.
func parquetPart(t testing.TB, a string, as []any, b string, bs []any) string {
	return string(parquetOf(t, recordOf(t, nil, column{a, arrow.PrimitiveTypes.Int64, as}, column{b, arrow.BinaryTypes.String, bs})))
}

// TestFolder reads folders of parts.
func TestFolder(t *testing.T) {
	ab := parquetPart(t, "a", []any{1}, "b", []any{"x"})
	none := parquetPart(t, "a", nil, "b", nil)
	list := func(v ...any) string {
		return string(parquetOf(t, recordOf(t, nil, column{"v", arrow.ListOf(arrow.PrimitiveTypes.Int64), v})))
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // columns and rows
		err   string
	}{
		{"spark", map[string]string{"part-00001.snappy.parquet": parquetPart(t, "b", []any{2}, "a", []any{"y"}), "_SUCCESS": "", ".part-00000.crc": "crc"}, "b a / 2 y", ""},
		{"another order", map[string]string{"part-0.parquet": ab, "part-1.parquet": string(parquetOf(t, recordOf(t, nil,
			column{"b", arrow.BinaryTypes.String, []any{"y"}}, column{"a", arrow.PrimitiveTypes.Int64, []any{2}})))}, "a b / 1 x / 2 y", ""},
		{"no rows in one", map[string]string{"part-0.parquet": none, "part-1.parquet": ab, "part-2.parquet": none}, "a b / 1 x", ""},
		{"no rows and lists", map[string]string{"part-0.parquet": list(), "part-1.parquet": list([]any{1, 2}), "part-2.parquet": list()}, "v_0 v_1 / 1 2", ""},
		{"no rows", map[string]string{"part-0.parquet": none}, "a b", ""},
		{"csv", map[string]string{"part-0.csv": "a,b\n1,x\n", "part-1.csv": "b,a\ny,2\nz,3\n", "part-2.csv": "a,b\n", "part-3.csv": ""}, "a b / 1 x / 2 y / 3 z", ""},
		{"gzip", map[string]string{"part-0.csv.gz": gzipped("a,b\n1,x\n"), "part-1.csv": "a,b\n2,y\n"}, "a b / 1 x / 2 y", ""},
		{"hive", map[string]string{"channel=card/part-0.parquet": ab, "channel=wire%2Fx/part-0.parquet": ab, "channel=__HIVE_DEFAULT_PARTITION__/part-0.parquet": ab},
			"a b channel / 1 x  / 1 x card / 1 x wire/x", ""},
		{"levels", map[string]string{"year=2024/month=1/part-0.csv": "a\n1\n", "year=2024/month=2/part-0.csv": "a\n2\n"}, "a year month / 1 2024 1 / 2 2024 2", ""},
		{"other column", map[string]string{"part-0.csv": "a,b\n1,x\n", "part-1.csv": "a,c\n1,x\n"}, "", `t/part-1.csv: has no column "b", which part-0.csv has`},
		{"more columns", map[string]string{"part-0.csv": "a\n1\n", "part-1.csv": "a,c\n1,x\n"}, "", `t/part-1.csv: has a column "c", which part-0.csv does not have`},
		{"formats", map[string]string{"part-0.csv": "a\n1\n", "part-1.parquet": ab}, "", `t/part-1.parquet: ends in ".parquet" and part-0.csv in ".csv"`},
		{"a folder", map[string]string{"part-0.csv": "a\n1\n", "more/part-1.csv": "a\n1\n"}, "", "t/more: is a folder in the folder of a table"},
		{"other folders", map[string]string{"x=1/part-0.csv": "a\n1\n", "y=1/part-1.csv": "a\n1\n"}, "", "t/y=1/part-1.csv: is in other folders COLUMN=VALUE"},
		{"column twice", map[string]string{"A=1/part-0.csv": "a\n1\n"}, "", `has a column "A", which the name of its folder or file also gives`},
		{"level twice", map[string]string{"x=1/X=2/part-0.csv": "a\n1\n"}, "", `t/x=1/X=2: gives column "X" twice`},
		{"parts of a split", map[string]string{"train.csv": "a,b\n1,x\n", "my-Validation.csv.gz": gzipped("a,b\n2,y\n"), "test-00000-of-00001.csv": "b,a\nz,3\n", "README.md": "#"}, "a b part / 2 y valid / 3 z test / 1 x train", ""},
		{"a column of parts in parts", map[string]string{"train.csv": "a,part\n1,x\n", "test.csv": "a,part\n2,x\n"}, "", `has a column "part", which the name of its folder or file also gives`},
		{"nothing", map[string]string{"_SUCCESS": ""}, "", "t: is a folder without a table"},
		{"damaged", map[string]string{"part-0.parquet": ab, "part-1.parquet": ab[:len(ab)-9]}, "", "t/part-1.parquet: cannot be read as Parquet"},
	} {
		got, err := readAll(folderOf(c.files), "t", data.NewBudget(0), Options{})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
			continue
		}
		text := []string{strings.Join(got.columns, " ")}
		for _, row := range got.rows {
			var cells []string
			for _, cell := range row {
				cells = append(cells, cell.String())
			}
			text = append(text, strings.Join(cells, " "))
		}
		if s := strings.Join(text, " / "); err != nil || s != c.want {
			t.Errorf("%s: %q, error %v, want %q", c.name, s, err, c.want)
		}
	}
}

// TestFolderChecksum: the checksum is computed over the lines "sum  file", and is known only at the end.
func TestFolderChecksum(t *testing.T) {
	ab := parquetPart(t, "a", []any{1}, "b", []any{"x"})
	fsys := folderOf(map[string]string{"k=2/part-0.parquet": ab, "k=1/part-0.parquet": ab})
	got, err := readAll(fsys, "t", data.NewBudget(0), Options{})
	one := sha256.Sum256([]byte(ab))
	lines := fmt.Sprintf("%x  k=1/part-0.parquet\n%x  k=2/part-0.parquet\n", one, one)
	if sum := sha256.Sum256([]byte(lines)); err != nil || got.sum != hex.EncodeToString(sum[:]) {
		t.Errorf("checksum %q, error %v", got.sum, err)
	}
	r, err := Open(fsys, "t", data.NewBudget(0), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if sum, err := r.Close(); sum != "" || err != nil {
		t.Errorf("checksum %q before the end, error %v", sum, err)
	}
}

// TestFolderIndex: a pandas index that numbers the rows of all parts is left out in all parts.
func TestFolderIndex(t *testing.T) {
	m := arrow.NewMetadata([]string{"pandas"}, []string{`{"index_columns": ["__index_level_0__"]}`})
	part := func(a, index int) string {
		return string(parquetOf(t, recordOf(t, &m, column{"a", arrow.PrimitiveTypes.Int64, []any{a}}, column{"__index_level_0__", arrow.PrimitiveTypes.Int64, []any{index}})))
	}
	for _, first := range []int{0, 7} {
		got, err := readAll(folderOf(map[string]string{"part-0.parquet": part(5, first), "part-1.parquet": part(6, first+1)}), "t", data.NewBudget(0), Options{})
		if err != nil || fmt.Sprint(got.columns) != "[a]" || len(got.rows) != 2 || len(got.rows[1]) != 1 || len(got.left) != 1 || got.left[0].At != 1 {
			t.Errorf("columns %v, %d rows, left out %v, error %v", got.columns, len(got.rows), got.left, err)
		}
	}
}

func TestIsFolderOfParts(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  bool
	}{
		{[]string{"edges.parquet/part-0.parquet", "edges.parquet/_SUCCESS"}, true},
		{[]string{"edges.parquet/0.parquet", "edges.parquet/1.parquet"}, true},
		{[]string{"transactions.csv/part-0"}, true},
		{[]string{"data/part-0.csv.gz", "data/part-1.csv.gz"}, true},
		{[]string{"data/day=1/a.parquet", "data/day=2/a.parquet", "data/_metadata"}, true},
		{[]string{"data/edges.csv", "data/nodes.csv"}, false},
		{[]string{"data/edges.parquet"}, false},
		{[]string{"data/part-0.csv", "data/README.md"}, false},
		{[]string{"data/day=1/a.csv", "data/more/a.csv"}, false},
		{[]string{"data/_SUCCESS"}, false},
		{[]string{"edges.csv/readme.md"}, false},
		{[]string{"edges.csv"}, false},
	} {
		fsys := fstest.MapFS{}
		for _, f := range c.files {
			fsys[f] = &fstest.MapFile{Data: []byte("a\n1\n")}
		}
		dir, _, _ := strings.Cut(c.files[0], "/")
		if got := isFolderOfParts(fsys, dir); got != c.want {
			t.Errorf("%v: %v, want %v", c.files, got, c.want)
		}
	}
}
