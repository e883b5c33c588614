package tablefile

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// column is a column of a test. The value "null" is missing.
type column struct {
	name   string
	kind   arrow.DataType
	values []any
}

// recordOf is a table of some columns.
func recordOf(t testing.TB, meta *arrow.Metadata, columns ...column) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.kind, Nullable: true})
		b := array.NewBuilder(memory.DefaultAllocator, c.kind)
		for _, v := range c.values {
			appendValue(t, b, v)
		}
		arrays = append(arrays, b.NewArray())
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, meta), arrays, -1)
}

func appendValue(t testing.TB, b array.Builder, v any) {
	t.Helper()
	if v == nil {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(v.(int)))
	case *array.Int64Builder:
		b.Append(int64(v.(int)))
	case *array.Int32Builder:
		b.Append(int32(v.(int)))
	case *array.Uint32Builder:
		b.Append(uint32(v.(int)))
	case *array.Uint64Builder:
		b.Append(v.(uint64))
	case *array.Float16Builder:
		b.Append(float16.New(float32(v.(float64))))
	case *array.Float32Builder:
		b.Append(float32(v.(float64)))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.StringBuilder:
		b.Append(v.(string))
	case *array.LargeStringBuilder:
		b.Append(v.(string))
	case *array.StringViewBuilder:
		b.Append(v.(string))
	case *array.BinaryBuilder:
		b.Append([]byte(v.(string)))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(v.(string)))
	case *extensions.UUIDBuilder:
		b.AppendBytes([16]byte([]byte(v.(string))))
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(v.(string)); err != nil {
			t.Fatal(err)
		}
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.(int)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v.(int)))
	case *array.Date64Builder:
		b.Append(arrow.Date64(v.(int)))
	case *array.Time32Builder:
		b.Append(arrow.Time32(v.(int)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(v.(int)))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(v.(int)))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(bigOf(v)))
	case *array.Decimal256Builder:
		b.Append(decimal256.FromBigInt(bigOf(v)))
	case *array.ListBuilder:
		b.Append(true)
		for _, item := range v.([]any) {
			appendValue(t, b.ValueBuilder(), item)
		}
	case *array.FixedSizeListBuilder:
		b.Append(true)
		for _, item := range v.([]any) {
			appendValue(t, b.ValueBuilder(), item)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendValue(t, b.FieldBuilder(i), v)
		}
	default:
		t.Fatalf("builder %T", b)
	}
}

func bigOf(v any) *big.Int {
	n, _ := new(big.Int).SetString(v.(string), 10)
	return n
}

// parquetOf writes a table as Parquet.
func parquetOf(t testing.TB, r arrow.RecordBatch, options ...parquet.WriterProperty) []byte {
	t.Helper()
	return parquetWith(t, r, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()), options...)
}

func parquetWith(t testing.TB, r arrow.RecordBatch, props pqarrow.ArrowWriterProperties, options ...parquet.WriterProperty) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(r.Schema(), &b, parquet.NewWriterProperties(options...), props)
	if err == nil {
		err = w.Write(r)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// arrowFileOf and arrowStreamOf write tables as IPC.
func arrowFileOf(t testing.TB, options []ipc.Option, rs ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, append(options, ipc.WithSchema(rs[0].Schema()))...)
	for _, r := range rs {
		if err == nil {
			err = w.Write(r)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func arrowStreamOf(t testing.TB, options []ipc.Option, rs ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, append(options, ipc.WithSchema(rs[0].Schema()))...)
	for _, r := range rs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// table is what a reader returns.
type table struct {
	columns []string
	rows    []schema.Row
	notes   []string
	left    []Left
	total   int64
	sum     string
}

func (t table) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, t.columns)
	for _, row := range t.rows {
		for _, c := range row {
			fmt.Fprintf(&b, "%s %q %x %d;", c.Kind, c.Text, math.Float64bits(c.Number), c.Integer)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// readAll reads a table to its end.
func readAll(fsys fs.FS, name string, b *data.Budget, o Options) (table, error) {
	var t table
	r, err := Open(fsys, name, b, o)
	if err != nil {
		return t, err
	}
	t.columns = r.Columns()
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.Close()
			return t, err
		}
		kept := make(schema.Row, len(row))
		for i, c := range row {
			c.Text = strings.Clone(c.Text)
			kept[i] = c
		}
		t.rows = append(t.rows, kept)
	}
	t.notes, t.left = r.Notes(), LeftOut(r)
	t.total, _ = r.Total()
	t.sum, err = r.Close()
	return t, err
}

func readBytes(b []byte, o Options) (table, error) {
	return readAll(fstest.MapFS{"x": {Data: b}}, "x", data.NewBudget(0), o)
}

// at returns the time of a text.
func at(whole, nanos int64) schema.Cell {
	return schema.TimeCell(float64(whole) + float64(nanos)/1e9)
}

// typedColumns has every type that is read, and cells has the expected values.
var typedColumns = []struct {
	column
	cells []schema.Cell
}{
	{column{"i8", arrow.PrimitiveTypes.Int8, []any{-128, nil, 7}}, []schema.Cell{schema.IntegerCell(-128), {}, schema.IntegerCell(7)}},
	{column{"i64", arrow.PrimitiveTypes.Int64, []any{math.MinInt64, nil, 1<<53 + 1}}, []schema.Cell{schema.IntegerCell(math.MinInt64), {}, schema.IntegerCell(1<<53 + 1)}},
	{column{"u32", arrow.PrimitiveTypes.Uint32, []any{3000000000, nil, 0}}, []schema.Cell{schema.IntegerCell(3000000000), {}, schema.IntegerCell(0)}},
	{column{"u64", arrow.PrimitiveTypes.Uint64, []any{uint64(math.MaxUint64), nil, uint64(5)}},
		[]schema.Cell{{Kind: schema.Integer, Text: "18446744073709551615", Number: 1 << 64}, {}, schema.IntegerCell(5)}},
	{column{"f16", arrow.FixedWidthTypes.Float16, []any{0.5, nil, -2.0}}, []schema.Cell{schema.NumberCell(.5), {}, schema.NumberCell(-2)}},
	{column{"f32", arrow.PrimitiveTypes.Float32, []any{0.1, math.NaN(), math.Inf(1)}}, []schema.Cell{schema.NumberCell(.1), {}, {Kind: schema.Number, Number: math.Inf(1)}}},
	{column{"f64", arrow.PrimitiveTypes.Float64, []any{0.1, math.NaN(), math.Inf(-1)}}, []schema.Cell{schema.NumberCell(.1), {}, {Kind: schema.Number, Number: math.Inf(-1)}}},
	{column{"bool", arrow.FixedWidthTypes.Boolean, []any{true, nil, false}}, []schema.Cell{schema.BooleanCell(true), {}, schema.BooleanCell(false)}},
	{column{"text", arrow.BinaryTypes.String, []any{"é", nil, ""}}, []schema.Cell{{Kind: schema.Text, Text: "é"}, {}, {Kind: schema.Text}}},
	{column{"large", arrow.BinaryTypes.LargeString, []any{"a", nil, "b"}}, []schema.Cell{schema.TextCell("a"), {}, schema.TextCell("b")}},
	{column{"bytes", arrow.BinaryTypes.Binary, []any{"xy", nil, "ü"}}, []schema.Cell{schema.TextCell("xy"), {}, schema.TextCell("ü")}},
	{column{"fixed", &arrow.FixedSizeBinaryType{ByteWidth: 3}, []any{"abc", nil, "def"}}, []schema.Cell{schema.TextCell("abc"), {}, schema.TextCell("def")}},
	{column{"uuid", extensions.NewUUIDType(), []any{"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", nil, strings.Repeat("\x00", 16)}},
		[]schema.Cell{schema.TextCell("00112233-4455-6677-8899-aabbccddeeff"), {}, schema.TextCell("00000000-0000-0000-0000-000000000000")}},
	{column{"words", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, []any{"card", nil, "card"}},
		[]schema.Cell{schema.TextCell("card"), {}, schema.TextCell("card")}},
	{column{"ms", &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Europe/Berlin"}, []any{1700000000123, nil, -1}},
		[]schema.Cell{at(1700000000, 123000000), {}, at(-1, 999000000)}},
	{column{"us", &arrow.TimestampType{Unit: arrow.Microsecond}, []any{1700000000123456, nil, -1700000000123456}},
		[]schema.Cell{at(1700000000, 123456000), {}, at(-1700000001, 876544000)}},
	{column{"ns", &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, []any{1700000000123456789, nil, 0}},
		[]schema.Cell{at(1700000000, 123456789), {}, at(0, 0)}},
	{column{"date32", arrow.FixedWidthTypes.Date32, []any{-1, nil, 19700}}, []schema.Cell{schema.TimeCell(-86400), {}, schema.TimeCell(19700 * 86400)}},
	{column{"date64", arrow.FixedWidthTypes.Date64, []any{86400000, nil, 0}}, []schema.Cell{schema.TimeCell(86400), {}, schema.TimeCell(0)}},
	{column{"time32", arrow.FixedWidthTypes.Time32ms, []any{3723500, nil, 0}}, []schema.Cell{schema.NumberCell(3723.5), {}, schema.NumberCell(0)}},
	{column{"time64", arrow.FixedWidthTypes.Time64ns, []any{1500000000, nil, 0}}, []schema.Cell{schema.NumberCell(1.5), {}, schema.NumberCell(0)}},
	{column{"money", &arrow.Decimal128Type{Precision: 18, Scale: 2}, []any{"79225", nil, "-1"}}, []schema.Cell{schema.NumberCell(792.25), {}, schema.NumberCell(-.01)}},
	{column{"whole", &arrow.Decimal128Type{Precision: 38, Scale: 0}, []any{"12345678901234567890123", nil, "-12"}},
		[]schema.Cell{{Kind: schema.Integer, Text: "12345678901234567890123", Number: 12345678901234567890123}, {}, schema.IntegerCell(-12)}},
	{column{"wide", &arrow.Decimal256Type{Precision: 60, Scale: 5}, []any{"123456789012345678901234567890123456789012345", nil, "7"}},
		[]schema.Cell{schema.NumberCell(1234567890123456789012345678901234567890.12345), {}, schema.NumberCell(.00007)}},
	{column{"list", arrow.ListOf(arrow.PrimitiveTypes.Float32), []any{[]any{0.1}, nil, []any{nil}}}, []schema.Cell{schema.NumberCell(.1), {}, {}}},
}

// arrowColumns have types that Parquet lacks.
var arrowColumns = []struct {
	column
	cells []schema.Cell
}{
	{column{"view", arrow.BinaryTypes.StringView, []any{"a text that does not fit into its view", nil, "b"}},
		[]schema.Cell{schema.TextCell("a text that does not fit into its view"), {}, schema.TextCell("b")}},
	{column{"s", &arrow.TimestampType{Unit: arrow.Second}, []any{-5, nil, 1700000000}}, []schema.Cell{schema.TimeCell(-5), {}, schema.TimeCell(1700000000)}},
	{column{"span", arrow.FixedWidthTypes.Duration_ms, []any{-1500, nil, 250}}, []schema.Cell{schema.NumberCell(-1.5), {}, schema.NumberCell(.25)}},
	{column{"none", arrow.Null, []any{nil, nil, nil}}, []schema.Cell{{}, {}, {}}},
	{column{"tens", &arrow.Decimal128Type{Precision: 5, Scale: -2}, []any{"12", nil, "0"}}, []schema.Cell{schema.IntegerCell(1200), {}, schema.IntegerCell(0)}},
}

func checkTable(t *testing.T, got table, names []string, cells [][]schema.Cell) {
	t.Helper()
	want := table{columns: names, rows: make([]schema.Row, 3)}
	for i := range want.rows {
		for _, c := range cells {
			want.rows[i] = append(want.rows[i], c[i])
		}
	}
	if len(got.rows) != 3 || len(got.columns) != len(names) {
		t.Fatalf("%d rows of columns %v", len(got.rows), got.columns)
	}
	for k, name := range names {
		for i := range want.rows {
			if g, w := got.rows[i][k], want.rows[i][k]; g != w {
				t.Errorf("column %s, row %d: %+v, want %+v", name, i+1, g, w)
			}
		}
	}
}

// TestTypes reads each type from Parquet and Arrow, in every form that the libraries write.
func TestTypes(t *testing.T) {
	var columns, more []column
	var names []string
	var cells [][]schema.Cell
	for _, c := range typedColumns {
		columns, cells = append(columns, c.column), append(cells, c.cells)
		if isList(c.kind) {
			c.name += "_0"
		}
		names = append(names, c.name)
	}
	r := recordOf(t, nil, columns...)
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw} {
		for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
			for _, words := range []bool{false, true} {
				t.Run(fmt.Sprintf("parquet %v %v %v", codec, version, words), func(t *testing.T) {
					b := parquetOf(t, r, parquet.WithCompression(codec), parquet.WithDataPageVersion(version), parquet.WithDictionaryDefault(words), parquet.WithVersion(parquet.V2_LATEST))
					got, err := readBytes(b, Options{})
					if err != nil {
						t.Fatal(err)
					}
					checkTable(t, got, names, cells)
					if got.total != 3 || len(got.sum) != 64 {
						t.Errorf("total %d, checksum %q", got.total, got.sum)
					}
				})
			}
		}
	}
	for _, c := range arrowColumns {
		more, cells, names = append(more, c.column), append(cells, c.cells), append(names, c.name)
	}
	r = recordOf(t, nil, append(columns, more...)...)
	for name, b := range map[string][]byte{
		"file":        arrowFileOf(t, nil, r),
		"file lz4":    arrowFileOf(t, []ipc.Option{ipc.WithLZ4()}, r),
		"file zstd":   arrowFileOf(t, []ipc.Option{ipc.WithZstd()}, r),
		"stream":      arrowStreamOf(t, nil, r),
		"stream zstd": arrowStreamOf(t, []ipc.Option{ipc.WithZstd()}, r),
	} {
		t.Run("arrow "+name, func(t *testing.T) {
			got, err := readBytes(b, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkTable(t, got, names, cells)
		})
	}
}

// TestInt96 reads the timestamps of older Spark versions and of Hive.
func TestInt96(t *testing.T) {
	r := recordOf(t, nil, column{"time", arrow.FixedWidthTypes.Timestamp_ns, []any{1700000000123456000, nil, -1000}})
	got, err := readBytes(parquetWith(t, r, pqarrow.NewArrowWriterProperties(pqarrow.WithDeprecatedInt96Timestamps(true))), Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkTable(t, got, []string{"time"}, [][]schema.Cell{{at(1700000000, 123456000), {}, at(-1, 999999000)}})
}

// TestSpans reads durations as pandas and polars write them: whole numbers that only the Arrow
// schema in the file marks as durations.
func TestSpans(t *testing.T) {
	spans := recordOf(t, nil, column{"span", arrow.FixedWidthTypes.Duration_us, []any{-1500000, nil, 250000}})
	whole := recordOf(t, nil, column{"span", arrow.PrimitiveTypes.Int64, []any{-1500000, nil, 250000}})
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(whole.Schema(), &b, nil, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(whole), w.AppendKeyValueMetadata("ARROW:schema", base64.StdEncoding.EncodeToString(arrowStreamOf(t, nil, spans))), w.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := readBytes(b.Bytes(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkTable(t, got, []string{"span"}, [][]schema.Cell{{schema.NumberCell(-1.5), {}, schema.NumberCell(.25)}})
}

// TestEncodings reads delta encodings and byte stream split.
func TestEncodings(t *testing.T) {
	text := column{name: "text", kind: arrow.BinaryTypes.String}
	whole := column{name: "whole", kind: arrow.PrimitiveTypes.Int64}
	number := column{name: "number", kind: arrow.PrimitiveTypes.Float64}
	for i := range 3000 {
		text.values = append(text.values, fmt.Sprintf("user %d", i/3))
		whole.values = append(whole.values, i*i)
		number.values = append(number.values, float64(i)/7)
	}
	r := recordOf(t, nil, text, whole, number)
	want, err := readBytes(parquetOf(t, r), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(want.rows) != 3000 || want.rows[2999][1] != schema.IntegerCell(2999*2999) || want.rows[2999][0].Text != "user 999" {
		t.Fatalf("%d rows", len(want.rows))
	}
	for _, e := range []parquet.Encoding{parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray} {
		got, err := readBytes(parquetOf(t, r, parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("text", e),
			parquet.WithEncodingFor("whole", parquet.Encodings.DeltaBinaryPacked), parquet.WithEncodingFor("number", parquet.Encodings.ByteStreamSplit),
			parquet.WithMaxRowGroupLength(1100), parquet.WithDataPageSize(500)), Options{})
		if err != nil || got.String() != want.String() {
			t.Errorf("%v: other rows, error %v", e, err)
		}
	}
}

// TestLists reads lists as columns and as text.
func TestLists(t *testing.T) {
	numbers := arrow.ListOf(arrow.PrimitiveTypes.Float64)
	pairs := arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int64))
	words := arrow.ListOf(arrow.BinaryTypes.String)
	for _, c := range []struct {
		name   string
		column column
		text   bool
		want   string // as columns, or as cells of text
		err    string
	}{
		{"columns", column{"v", numbers, []any{[]any{1.0, 2.0}, []any{3.0, nil}}}, false, "[v_0 v_1]", ""},
		{"fixed", column{"v", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), []any{[]any{1, 2}, nil}}, false, "[v_0 v_1]", ""},
		{"first is missing", column{"v", numbers, []any{nil, []any{3.0}}}, false, "[v_0]", ""},
		{"too short", column{"v", numbers, []any{[]any{1.0, 2.0}, []any{3.0}}}, false, "", `x:2: column "v": a list has 1 values, expected 2`},
		{"too long", column{"v", numbers, []any{[]any{1.0}, []any{3.0, 4.0}}}, false, "", `x:2: column "v": a list has 2 values, expected 1`},
		{"texts", column{"v", words, []any{[]any{"a", "b"}, []any{"c"}}}, false, "[v]", ""},
		{"sets of numbers", column{"v", arrow.ListOf(arrow.PrimitiveTypes.Int64), []any{[]any{1, 2}, nil, []any{3}}}, false, "[v]", ""},
		{"whole numbers", column{"v", arrow.ListOf(arrow.PrimitiveTypes.Int64), []any{[]any{1, 2}, nil, []any{3, 4}}}, false, "[v_0 v_1]", ""},
		{"whole numbers that training read as sets", column{"s", arrow.ListOf(arrow.PrimitiveTypes.Int64), []any{[]any{1, 2}, nil, []any{3, 4}}}, false, "[s]", ""},
		{"lists of lists", column{"v", pairs, []any{nil}}, false, "", `column "v" is a list of lists, which is not read`},
		{"text", column{"v", numbers, []any{[]any{1.5, nil, 3.0}, nil, []any{}, []any{1e6, math.NaN()}}}, true, "[1.5,null,3]  [] [1e+06,null]", ""},
		{"single", column{"v", arrow.ListOf(arrow.PrimitiveTypes.Float32), []any{[]any{0.1}}}, true, "[0.1]", ""},
		{"words", column{"v", words, []any{[]any{"a", `b"\`, nil}}}, true, `["a","b\"\\",null]`, ""},
		{"pairs", column{"v", pairs, []any{[]any{[]any{1, 2}, nil}, []any{[]any{}}}}, true, "[[1,2],null] [[]]", ""},
		{"too deep", column{"v", arrow.ListOf(pairs), []any{nil}}, true, "", `column "v" is a list of lists of lists, which is not read`},
	} {
		r := recordOf(t, nil, c.column)
		for format, b := range map[string][]byte{"parquet": parquetOf(t, r), "arrow": arrowFileOf(t, nil, r)} {
			got, err := readBytes(b, Options{ListsAsText: c.text, Sets: []string{"S"}})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s, %s: error %v, want %q", c.name, format, err, c.err)
				}
				continue
			}
			text := fmt.Sprint(got.columns)
			if c.text {
				var cells []string
				for _, row := range got.rows {
					cells = append(cells, row[0].String())
				}
				text = strings.Join(cells, " ")
			}
			if err != nil || text != c.want {
				t.Errorf("%s, %s: %q, error %v, want %q", c.name, format, text, err, c.want)
			}
		}
	}
}

// TestRefused checks that files that are not tables are refused by name.
func TestRefused(t *testing.T) {
	plain := column{"a", arrow.PrimitiveTypes.Int64, []any{1, 2}}
	for _, c := range []struct {
		column column
		want   string
	}{
		{column{"meta", arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}), []any{1, 2}},
			`x: column "meta" is a struct, which is not read: select plain columns, in Python table.drop(["meta"])`},
		{column{"meta", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), []any{nil, nil}}, `column "meta" is a map`},
		{column{"meta", arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64})), []any{nil, nil}}, `column "meta" is a list whose items are each a struct`},
		{column{"code", arrow.BinaryTypes.Binary, []any{"ok", "\xff"}}, `x:2: column "code": a value has bytes that are not UTF-8 text`},
	} {
		r := recordOf(t, nil, plain, c.column)
		for format, b := range map[string][]byte{"parquet": parquetOf(t, r), "arrow": arrowFileOf(t, nil, r)} {
			if _, err := readBytes(b, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", format, err, c.want)
			}
		}
	}
	r := recordOf(t, nil, column{"wait", arrow.FixedWidthTypes.MonthInterval, []any{nil, nil}})
	if _, err := readBytes(arrowFileOf(t, nil, r), Options{}); err == nil || !strings.Contains(err.Error(), `column "wait" is an interval`) {
		t.Errorf("interval: error %v", err)
	}
}

// TestNames gives equal columns different names, and a name to columns without one.
func TestNames(t *testing.T) {
	whole := func(name string) column { return column{name, arrow.PrimitiveTypes.Int64, []any{1}} }
	r := recordOf(t, nil, whole("a"), whole("A"), whole(""), whole("a.1"))
	got, err := readBytes(arrowFileOf(t, nil, r), Options{})
	if want := `["a" "A.2" "Unnamed: 2" "a.1"]`; err != nil || fmt.Sprintf("%q", got.columns) != want || len(got.notes) != 2 {
		t.Errorf("columns %q, notes %q, error %v, want %s", got.columns, got.notes, err, want)
	}
}

// TestPandasIndex leaves out a pandas index that only numbers the rows.
func TestPandasIndex(t *testing.T) {
	const index = "__index_level_0__"
	pandas := func(of string) *arrow.Metadata {
		m := arrow.NewMetadata([]string{"pandas"}, []string{`{"index_columns": [` + of + `], "columns": []}`})
		return &m
	}
	values := column{"a", arrow.PrimitiveTypes.Int64, []any{7, 8, 9}}
	for _, c := range []struct {
		name string
		meta *arrow.Metadata
		kind arrow.DataType
		of   []any
		kept bool
	}{
		{"counting", pandas(`"` + index + `"`), arrow.PrimitiveTypes.Int64, []any{0, 1, 2}, false},
		{"shuffled", pandas(`"` + index + `"`), arrow.PrimitiveTypes.Int64, []any{2, 0, 1}, true},
		{"from one", pandas(`"` + index + `"`), arrow.PrimitiveTypes.Int64, []any{1, 2, 3}, true},
		{"with gaps", pandas(`"` + index + `"`), arrow.PrimitiveTypes.Int64, []any{0, nil, 2}, true},
		{"words", pandas(`"` + index + `"`), arrow.BinaryTypes.String, []any{"0", "1", "2"}, true},
		{"not named", nil, arrow.PrimitiveTypes.Int64, []any{0, 1, 2}, true},
		{"a range", pandas(`{"kind": "range", "start": 0}`), arrow.PrimitiveTypes.Int64, []any{0, 1, 2}, true},
	} {
		r := recordOf(t, c.meta, values, column{index, c.kind, c.of})
		for format, b := range map[string][]byte{"parquet": parquetOf(t, r), "file": arrowFileOf(t, nil, r), "stream": arrowStreamOf(t, nil, r)} {
			got, err := readBytes(b, Options{})
			if kept := len(got.columns) == 2; err != nil || kept != c.kept || len(got.rows) != 3 || kept == (len(got.left) == 1) {
				t.Errorf("%s, %s: columns %v, left out %v, error %v", c.name, format, got.columns, got.left, err)
			}
		}
	}
}

// TestEmpty reads tables without rows and without columns.
func TestEmpty(t *testing.T) {
	r := recordOf(t, nil, column{"a", arrow.PrimitiveTypes.Int64, nil})
	for format, b := range map[string][]byte{"parquet": parquetOf(t, r), "file": arrowFileOf(t, nil, r), "stream": arrowStreamOf(t, nil, r)} {
		if got, err := readBytes(b, Options{}); err != nil || len(got.rows) != 0 || len(got.columns) != 1 || len(got.sum) != 64 {
			t.Errorf("%s: %v, error %v", format, got, err)
		}
	}
	none := array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 3)
	if _, err := readBytes(arrowFileOf(t, nil, none), Options{}); err == nil || !strings.Contains(err.Error(), "has no columns") {
		t.Errorf("error %v", err)
	}
}

// TestLongTable reads many batches in groups. Memory does not grow towards the end.
func TestLongTable(t *testing.T) {
	columns := make([]column, len(typedColumns))
	for k, c := range typedColumns {
		columns[k] = c.column
		columns[k].values = nil
		for range 4000 {
			columns[k].values = append(columns[k].values, c.values...)
		}
	}
	r := recordOf(t, nil, columns...)
	for format, b := range map[string][]byte{
		"parquet": parquetOf(t, r, parquet.WithMaxRowGroupLength(3000)),
		"arrow":   arrowFileOf(t, nil, r, r.NewSlice(0, 3000), r.NewSlice(3000, 9000)),
	} {
		reader, err := Open(fstest.MapFS{"x": {Data: b}}, "x", data.NewBudget(0), Options{})
		if err != nil {
			t.Fatal(err)
		}
		typed := reader.(*typedRows)
		rows, early, late := 0, int64(0), int64(0)
		for {
			row, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for k, c := range typedColumns {
				if row[k] != c.cells[rows%3] {
					t.Fatalf("%s: column %s, row %d: %+v", format, c.name, rows+1, row[k])
				}
			}
			if reader.Line(0) != rows+1 {
				t.Fatalf("%s: line %d of row %d", format, reader.Line(0), rows+1)
			}
			typed.memory.returnFreed()
			if rows++; rows < 5000 {
				early = max(early, typed.memory.used)
			} else {
				late = max(late, typed.memory.used)
			}
		}
		if total, _ := reader.Total(); rows != int(total) || late > early+early/4 {
			t.Errorf("%s: %d rows of %d, memory %d, then %d", format, rows, total, early, late)
		}
		if _, err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
}
