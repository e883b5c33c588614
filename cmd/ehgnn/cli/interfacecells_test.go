package cli_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// manner is a value in all forms of the interfaces: as text in text files, as a typed value in Parquet and
// Arrow (nil if missing), and as JSON.
type manner struct {
	text  string
	typed any
	json  string
}

// mannerColumn is a column of a table of a test.
type mannerColumn struct {
	name string
	kind arrow.DataType
	draw func(r *rand.Rand, fresh bool) manner // fresh means that the row is not in training
}

// pick returns one of some values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// absent returns a missing value in one of its spellings.
func absent(r *rand.Rand) manner {
	word := pick(r, "", "NA", "null", "\\N", "<NA>", "  ")
	return manner{word, nil, pick(r, "null", strconv.Quote(word), "NaN")}
}

// drawNumber returns a number, with a decimal point or as tables of continental Europe write it.
func drawNumber(r *rand.Rand, comma bool) manner {
	v := float64(r.IntN(4_000_000)-1_000_000) / 100
	plain := strconv.FormatFloat(v, 'f', -1, 64)
	text := plain
	if comma {
		whole, part, _ := strings.Cut(strconv.FormatFloat(v, 'f', 2, 64), ".")
		sign := ""
		if strings.HasPrefix(whole, "-") {
			sign, whole = "-", whole[1:]
		}
		if len(whole) > 3 {
			whole = whole[:len(whole)-3] + pick(r, ".", "") + whole[len(whole)-3:]
		}
		text = sign + whole + "," + part
	} else if v == float64(int(v)) {
		text = pick(r, plain, plain+".0")
	}
	return manner{pick(r, text, " "+text), v, pick(r, plain, strconv.Quote(text))}
}

// truth returns a boolean in one of its spellings.
func truth(r *rand.Rand) manner {
	is := r.IntN(2) == 0
	text := pick(r, "False", "false", "FALSE", "no", "f")
	if is {
		text = pick(r, "True", "true", "TRUE", "yes", "t")
	}
	return manner{text, is, pick(r, strconv.FormatBool(is), strconv.Quote(text))}
}

// code returns a whole number that stands for a category.
func code(r *rand.Rand, fresh bool) manner {
	k := pick(r, 5, 12, 700)
	if fresh && r.IntN(5) == 0 {
		k = pick(r, 13, 99)
	}
	text := pick(r, fmt.Sprint(k), fmt.Sprint(k, ".0"))
	return manner{text, float64(k), pick(r, text, strconv.Quote(text))}
}

// word returns a category that training may lack.
func word(r *rand.Rand, fresh bool, known, other []string) manner {
	text := pick(r, known...)
	if fresh && r.IntN(6) == 0 {
		text = pick(r, other...)
	}
	text = pick(r, text, text, " "+text, text+" \t")
	return manner{text, text, strconv.Quote(text)}
}

// parts returns a set, possibly with a part that training lacks.
func parts(r *rand.Rand, fresh bool, join func([]string) string) manner {
	text := join(partsOf(r, fresh))
	return manner{text, text, strconv.Quote(text)}
}

func partsOf(r *rand.Rand, fresh bool) (in []string) {
	of := []string{"red", "green", "dark blue", "7"}
	if fresh {
		of = append(of, "mauve")
	}
	for _, k := range r.Perm(len(of))[:1+r.IntN(3)] {
		in = append(in, of[k])
	}
	return in
}

// textList returns a set as a list of texts. Some lists are empty or contain a missing text.
func textList(r *rand.Rand, in []string) manner {
	typed, quoted := []any{}, []string{}
	for _, text := range in[:len(in)-r.IntN(6)/5] {
		typed, quoted = append(typed, text), append(quoted, strconv.Quote(text))
	}
	python := strings.ReplaceAll(strings.Join(quoted, pick(r, ", ", " ")), `"`, "'")
	if r.IntN(6) == 0 {
		typed, quoted, python = append(typed, nil), append(quoted, "null"), strings.TrimPrefix(python+", None", ", ")
	}
	return manner{"[" + python + "]", typed, pick(r, "["+strings.Join(quoted, ",")+"]", strconv.Quote("["+python+"]"))}
}

// numberList returns a set as a list of two or three whole numbers.
func numberList(r *rand.Rand, fresh bool) manner {
	of := []int{1999, 2004, 7, 12}
	if fresh {
		of = append(of, 40)
	}
	typed, texts := []any{}, []string{}
	for _, k := range r.Perm(len(of))[:r.IntN(4)] {
		typed, texts = append(typed, int32(of[k])), append(texts, strconv.Itoa(of[k]))
	}
	return manner{"[" + strings.Join(texts, pick(r, ", ", " ")) + "]", typed, "[" + strings.Join(texts, pick(r, ",", ".0, ")) + "]"}
}

// place returns a list of three numbers, some of which may be missing.
func place(r *rand.Rand, fresh bool) manner {
	typed, texts, items := []any{}, []string{}, []string{}
	for k := range 3 {
		v := float64(r.IntN(2000)-1000) / 64
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if k == 2 && r.IntN(5) == 0 {
			typed, texts, items = append(typed, nil), append(texts, pick(r, "nan", "None", "null")), append(items, "null")
			continue
		}
		typed, texts, items = append(typed, v), append(texts, text), append(items, text)
	}
	list := pick(r, "[%s]", "(%s)", "[ %s ]")
	if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(text, ".") }) {
		list = pick(r, list, "%s")
	}
	text, json := fmt.Sprintf(list, strings.Join(texts, pick(r, ", ", "  ", ","))), "["+strings.Join(items, ", ")+"]"
	if fresh && r.IntN(6) == 0 {
		return manner{"[]", nil, pick(r, "[]", `"[]"`)}
	}
	if fresh {
		json = pick(r, json, strconv.Quote(text))
	}
	return manner{text, typed, json}
}

// bits returns a list of two whole numbers.
func bits(r *rand.Rand, _ bool) manner {
	a, b := r.IntN(2), r.IntN(3)
	text := fmt.Sprintf("[%d, %d]", a, b)
	return manner{text, []any{int32(a), int32(b)}, text}
}

// day returns a date.
func day(r *rand.Rand) manner {
	n := 19_000 + r.IntN(700)
	text := time.Unix(int64(n)*86400, 0).UTC().Format(time.DateOnly)
	return manner{text, arrow.Date32(n), strconv.Quote(text)}
}

// node returns the id of one of nine nodes.
func node(r *rand.Rand) manner { return nodeOf(r, r.IntN(9)) }

func nodeOf(r *rand.Rand, k int) manner {
	return manner{pick(r, fmt.Sprint(k), fmt.Sprint(k, ".0")), float64(k), pick(r, fmt.Sprint(k), fmt.Sprint(k, ".0"))}
}

// maybe draws values and sometimes a missing one.
func maybe(draw func(*rand.Rand, bool) manner) func(*rand.Rand, bool) manner {
	return func(r *rand.Rand, fresh bool) manner {
		if r.IntN(7) == 0 {
			return absent(r)
		}
		return draw(r, fresh)
	}
}

// nodeColumns are the columns of the table of nodes.
func nodeColumns() []mannerColumn {
	return []mannerColumn{
		{"id", arrow.PrimitiveTypes.Float64, func(r *rand.Rand, _ bool) manner { return node(r) }},
		{"age", arrow.PrimitiveTypes.Float64, maybe(func(r *rand.Rand, _ bool) manner { return drawNumber(r, false) })},
		{"kind", arrow.BinaryTypes.String, maybe(func(r *rand.Rand, fresh bool) manner {
			return word(r, fresh, []string{"person", "Shop", "bank, old"}, []string{"shop", "ghost"})
		})},
		{"topics", arrow.ListOf(arrow.BinaryTypes.String), maybe(func(r *rand.Rand, fresh bool) manner {
			return textList(r, partsOf(r, fresh))
		})},
		{"place", arrow.ListOf(arrow.PrimitiveTypes.Float64), maybe(place)},
	}
}

// edgeColumns are the columns of the table of edges, without the label.
func edgeColumns() []mannerColumn {
	return []mannerColumn{
		{"source", arrow.PrimitiveTypes.Float64, func(r *rand.Rand, _ bool) manner { return node(r) }},
		{"target", arrow.PrimitiveTypes.Float64, func(r *rand.Rand, _ bool) manner { return node(r) }},
		{"amount", arrow.PrimitiveTypes.Float64, maybe(func(r *rand.Rand, _ bool) manner { return drawNumber(r, true) })},
		{"rate", arrow.PrimitiveTypes.Float64, maybe(func(r *rand.Rand, _ bool) manner { return drawNumber(r, false) })},
		{"paid", arrow.FixedWidthTypes.Boolean, maybe(func(r *rand.Rand, _ bool) manner { return truth(r) })},
		{"code", arrow.PrimitiveTypes.Float64, maybe(code)},
		{"shop", arrow.BinaryTypes.String, maybe(func(r *rand.Rand, fresh bool) manner {
			return word(r, fresh, []string{"north", "South gate", "0815", "ö"}, []string{"west", "0816", "South  gate"})
		})},
		{"mood", arrow.BinaryTypes.String, maybe(func(r *rand.Rand, fresh bool) manner {
			return word(r, fresh, []string{"yes", "no", "Yes", "NO"}, []string{"maybe", "2"})
		})},
		{"tags", arrow.BinaryTypes.String, maybe(func(r *rand.Rand, fresh bool) manner {
			return parts(r, fresh, func(in []string) string { return strings.Join(in, pick(r, "|", " | ")) })
		})},
		{"years", arrow.ListOf(arrow.PrimitiveTypes.Int32), maybe(numberList)},
		{"bits", arrow.ListOf(arrow.PrimitiveTypes.Int32), maybe(bits)},
		{"day", arrow.FixedWidthTypes.Date32, maybe(func(r *rand.Rand, _ bool) manner { return day(r) })},
	}
}

// drawRows returns rows of random values.
func drawRows(r *rand.Rand, columns []mannerColumn, n int, fresh bool) [][]manner {
	rows := make([][]manner, n)
	for i := range rows {
		for _, c := range columns {
			rows[i] = append(rows[i], c.draw(r, fresh))
		}
	}
	return rows
}

// nodesAt returns the rows of the nodes at some edges, in any order.
func nodesAt(r *rand.Rand, columns []mannerColumn, edges [][]manner, fresh bool) (rows [][]manner) {
	at := map[int]bool{}
	for _, row := range edges {
		at[int(row[0].typed.(float64))], at[int(row[1].typed.(float64))] = true, true
	}
	for _, k := range r.Perm(9) {
		if at[k] {
			row := drawRows(r, columns, 1, fresh)[0]
			row[0] = nodeOf(r, k)
			rows = append(rows, row)
		}
	}
	return rows
}

// csvOf returns a table as text.
func csvOf(columns []mannerColumn, rows [][]manner) string {
	var b strings.Builder
	for k, c := range columns {
		b.WriteString(map[bool]string{true: ";"}[k > 0] + c.name)
	}
	for _, row := range rows {
		for k, x := range row {
			b.WriteString(map[bool]string{true: ";", false: "\n"}[k > 0] + x.text)
		}
	}
	return b.String() + "\n"
}

// recordOf returns a table as a record of Arrow.
func recordOf(t *testing.T, columns []mannerColumn, rows [][]manner) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for k, c := range columns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.kind, Nullable: true})
		b := array.NewBuilder(memory.DefaultAllocator, c.kind)
		for _, row := range rows {
			appendTo(t, b, row[k].typed)
		}
		arrays = append(arrays, b.NewArray())
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(len(rows)))
}

// appendTo appends a value to a column.
func appendTo(t *testing.T, b array.Builder, value any) {
	t.Helper()
	switch v := value.(type) {
	case nil:
		b.AppendNull()
	case float64:
		b.(*array.Float64Builder).Append(v)
	case bool:
		b.(*array.BooleanBuilder).Append(v)
	case string:
		b.(*array.StringBuilder).Append(v)
	case int32:
		b.(*array.Int32Builder).Append(v)
	case []any:
		b.(*array.ListBuilder).Append(true)
		for _, x := range v {
			appendTo(t, b.(*array.ListBuilder).ValueBuilder(), x)
		}
	case arrow.Date32:
		b.(*array.Date32Builder).Append(v)
	default:
		t.Fatalf("a value %T", v)
	}
}

// parquetOf and arrowOf return a record as a file.
func parquetOf(t *testing.T, r arrow.RecordBatch) string {
	t.Helper()
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(r.Schema(), &b, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err == nil {
		err = w.Write(r)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func arrowOf(t *testing.T, r arrow.RecordBatch) string {
	t.Helper()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, ipc.WithSchema(r.Schema()))
	if err == nil {
		err = w.Write(r)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
