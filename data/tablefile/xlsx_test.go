package tablefile_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// saved returns the file of a workbook that fill filled.
func saved(t testing.TB, fill func(w *excelize.File) error) []byte {
	t.Helper()
	w := excelize.NewFile()
	defer w.Close()
	if err := fill(w); err != nil {
		t.Fatal(err)
	}
	b, err := w.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sheetOf returns a workbook of one sheet with rows. The first row begins at a cell.
func sheetOf(t testing.TB, cell string, rows ...[]any) []byte {
	t.Helper()
	return saved(t, func(w *excelize.File) error {
		column, row, err := excelize.CellNameToCoordinates(cell)
		for i := range rows {
			at, _ := excelize.CoordinatesToCellName(column, row+i)
			err = errors.Join(err, w.SetSheetRow("Sheet1", at, &rows[i]))
		}
		return err
	})
}

// TestXlsxTypes reads each type of cell.
func TestXlsxTypes(t *testing.T) {
	day := time.Date(2024, 3, 1, 12, 30, 15, 0, time.UTC)
	book := saved(t, func(w *excelize.File) error {
		formats := []string{"yyyy-mm-dd hh:mm:ss", "0.0%", `[h]:mm`, `0.00 "days"`, "[Red]dd/mm/yyyy;@", "hh:mm"}
		styles := make([]int, len(formats))
		var err error
		for i, f := range formats {
			var e error
			styles[i], e = w.NewStyle(&excelize.Style{CustomNumFmt: &f})
			err = errors.Join(err, e)
		}
		built, e := w.NewStyle(&excelize.Style{NumFmt: 14})
		header := []any{"text", "whole", "number", "truth", "time", "share", "span", "plain", "date", "short", "clock", 2020, "error", "formula", "rich"}
		err = errors.Join(err, e, w.SetSheetRow("Sheet1", "A1", &header),
			w.SetSheetRow("Sheet1", "A2", &[]any{" Zürich ", 42, 0.1, true, day, 0.355, 1.5, 2.25, 45000, 45000, 0.25, 1e3}),
			w.SetCellFormula("Sheet1", "N2", "=1/4"),
			w.SetCellRichText("Sheet1", "O2", []excelize.RichTextRun{{Text: "two "}, {Text: "parts", Font: &excelize.Font{Bold: true}}}),
			w.SetSheetRow("Sheet1", "A4", &[]any{"00035", -7, 1e300, false}))
		for cell, style := range map[string]int{"E2": styles[0], "F2": styles[1], "G2": styles[2], "H2": styles[3], "I2": styles[4], "J2": built, "K2": styles[5]} {
			err = errors.Join(err, w.SetCellStyle("Sheet1", cell, cell, style))
		}
		return err
	})
	book = edited(t, book, "xl/worksheets/sheet1.xml", `t="str"><f>`, `><f>`)
	book = edited(t, book, "xl/worksheets/sheet1.xml", `</f></c>`, `</f><v>0.25</v></c>`)
	book = edited(t, book, "xl/worksheets/sheet1.xml", `<c r="N2"`, `<c r="M2" t="e"><v>#N/A</v></c><c r="N2"`)
	r, err := tablefile.Open(fstest.MapFS{"t.xlsx": {Data: book}}, "t.xlsx", data.NewBudget(0), tablefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Columns(), " "); got != "text whole number truth time share span plain date short clock 2020 error formula rich" {
		t.Errorf("columns %q", got)
	}
	row, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	want := schema.Row{
		schema.TextCell("Zürich"), schema.IntegerCell(42), schema.NumberCell(0.1), schema.BooleanCell(true),
		schema.TimeCell(float64(day.Unix())), schema.NumberCell(0.355), schema.IntegerCell(36 * 3600), schema.NumberCell(2.25),
		schema.TimeCell(1678838400), schema.TimeCell(1678838400), schema.IntegerCell(6 * 3600), schema.IntegerCell(1000),
		{}, schema.NumberCell(0.25), schema.TextCell("two parts"),
	}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Error(diff)
	}
	row, err = r.Next()
	if err != nil || r.Line(0) != 4 || strings.Join(texts(row[:4]), " ") != "00035 -7 1e+300 false" || row[4] != (schema.Cell{}) {
		t.Errorf("row %v on line %d, %v", row, r.Line(0), err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
	sum := sha256.Sum256(book)
	if got, err := r.Close(); err != nil || got != hex.EncodeToString(sum[:]) {
		t.Errorf("checksum %q, %v", got, err)
	}
}

// edited returns a workbook in which one text of a part is replaced.
func edited(t testing.TB, book []byte, part, old, new string) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, done := zip.NewWriter(&out), false
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == part {
			done = strings.Contains(string(text), old)
			text = []byte(strings.Replace(string(text), old, new, 1))
		}
		to, _ := w.Create(f.Name)
		to.Write(text)
	}
	w.Close()
	if !done {
		t.Fatalf("no %q in %s", old, part)
	}
	return out.Bytes()
}

// TestXlsx reads workbooks of common forms.
func TestXlsx(t *testing.T) {
	plain := sheetOf(t, "A1", []any{"a", "b"}, []any{1, "x"}, []any{2, "y"})
	sheets := saved(t, func(w *excelize.File) error {
		_, err := w.NewSheet("Edges 2024")
		return errors.Join(err, w.SetSheetRow("Sheet1", "A1", &[]any{"a"}), w.SetSheetRow("Sheet1", "A2", &[]any{1}),
			w.SetSheetRow("Edges 2024", "A1", &[]any{"b"}), w.SetSheetRow("Edges 2024", "A2", &[]any{2}))
	})
	hidden := saved(t, func(w *excelize.File) error {
		_, err := w.NewSheet("Seen")
		w.SetActiveSheet(1)
		return errors.Join(err, w.SetSheetRow("Seen", "A1", &[]any{"b"}), w.SetSheetVisible("Sheet1", false))
	})
	dates := saved(t, func(w *excelize.File) error {
		style, err := w.NewStyle(&excelize.Style{NumFmt: 14})
		yes := true
		return errors.Join(err, w.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}),
			w.SetSheetRow("Sheet1", "A1", &[]any{"a"}), w.SetSheetRow("Sheet1", "A2", &[]any{43832}), w.SetCellStyle("Sheet1", "A2", "A2", style))
	})
	for _, c := range []struct {
		name        string
		book        []byte
		sheet, want string
		note        string
	}{
		{"plain", plain, "", "a b|1 x|2 y", ""},
		{"blank rows and columns before", sheetOf(t, "C4", []any{"a", "b"}, []any{1, "x"}), "", "a b|1 x", "column 2 has no name and no value"},
		{"no name and texts", sheetOf(t, "A1", []any{"a", nil, "b"}, []any{"x", nil, "y"}, []any{"u", nil, "v"}), "", "a b|x y|u v", "column 2 has no name"},
		{"a title", sheetOf(t, "A1", []any{"My table"}, []any{"a", "b"}, []any{1, "x"}), "", "a b|1 x", "names of the columns are those of row 2; rows above"},
		{"a title of several rows", sheetOf(t, "B1", []any{"My table"}, []any{}, []any{45000}, []any{"a", "b"}, []any{1, "x"}, []any{2, "y"}), "", "a b|1 x|2 y", "those of row 4; rows above them, from row 1 on"},
		{"one column", sheetOf(t, "A1", []any{"a"}, []any{"x"}, []any{"y"}), "", "a|x|y", ""},
		{"the index of a data frame", sheetOf(t, "A1", []any{nil, "a"}, []any{0, "x"}, []any{1, "y"}), "", "a|x|y", "counts the rows"},
		{"blank rows inside", sheetOf(t, "A1", []any{"a", "b"}, []any{"", ""}, []any{1, "x"}), "", "a b|1 x", "the row on line 2 has no value"},
		{"a column without a name", sheetOf(t, "A1", []any{"a", nil, "b"}, []any{1, 5, "x"}), "", "a Unnamed: 1 b|1 5 x", "column 2 has no name"},
		{"names twice", sheetOf(t, "A1", []any{"a", " A"}, []any{1, 2}), "", "a A.1|1 2", "two columns are called"},
		{"the first sheet", sheets, "", "a|1", `the workbook has 2 sheets: "Sheet1", "Edges 2024"; "Sheet1" was read`},
		{"a named sheet", sheets, "edges 2024", "b|2", ""},
		{"a hidden sheet", hidden, "", "b", `"Seen" was read`},
		{"dates from 1904", dates, "", "a|2024-01-03", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readTable("t.xlsx", c.book, tablefile.Options{Sheet: c.sheet})
			if err != nil || got.flat() != c.want {
				t.Errorf("read %q, %v, want %q", got.flat(), err, c.want)
			}
			if c.note == "" && got.notes != "" || !strings.Contains(got.notes, c.note) {
				t.Errorf("notes %q, want %q", got.notes, c.note)
			}
		})
	}
}

func TestXlsxErrors(t *testing.T) {
	plain := sheetOf(t, "A1", []any{"a", "b"}, []any{1, "x"}, []any{2, "y"})
	const sheet = "xl/worksheets/sheet1.xml"
	var other bytes.Buffer
	z := zip.NewWriter(&other)
	z.Create("readme.txt")
	z.Close()
	formula := saved(t, func(w *excelize.File) error {
		return errors.Join(w.SetSheetRow("Sheet1", "A1", &[]any{"a"}), w.SetCellFormula("Sheet1", "A2", "=1+1"))
	})
	for _, c := range []struct {
		name        string
		book        []byte
		sheet, want string
	}{
		{"no such sheet", plain, "Edges", `has no sheet "Edges", expected one of "Sheet1"`},
		{"right of the header", sheetOf(t, "A1", []any{"a", "b"}, []any{1, "x"}, []any{1, "x", nil, "note"}), "", "t.xlsx:3: number of values is 4, expected 2 as in the header on line 1; cell D3 stands right"},
		{"a value beside one column", sheetOf(t, "A1", []any{"a"}, []any{"x"}, []any{"y", "note"}, []any{"z"}), "", "t.xlsx:3: number of values is 2, expected 1 as in the header on line 1; cell B3"},
		{"a title over an index", sheetOf(t, "A1", []any{"My table"}, []any{0, "x"}, []any{1, "x"}), "", "cell B2 stands right"},
		{"two rows of names", sheetOf(t, "A1", []any{"edge", nil, "info"}, []any{"from", "to", "amount"}, []any{"a", "b", 1.5}, []any{"b", "c", 2}), "", "t.xlsx:2: is a second line of column names"},
		{"a formula without a value", formula, "", "t.xlsx:2: cell A2 has a formula without its value"},
		{"an empty sheet", sheetOf(t, "A1"), "", "is empty, expected a row of column names"},
		{"cut", plain[:len(plain)/2], "", "cannot be read as a workbook or a zip"},
		{"another zip", other.Bytes(), "", "is a zip without a workbook"},
		{"a bad number", edited(t, plain, sheet, `<c r="A2"><v>1</v>`, `<c r="A2"><v>0x1p3</v>`), "", `t.xlsx:2: cell A2 has number "0x1p3"`},
		{"a bad text", edited(t, plain, sheet, `<c r="B2" t="s"><v>`, `<c r="B2" t="s"><v>9`), "", "t.xlsx:2: cell B2 has text"},
		{"a bad cell", edited(t, plain, sheet, `r="B2"`, `r="2B"`), "", `has a cell "2B" in row 2`},
		{"a cell twice", edited(t, plain, sheet, `r="B2"`, `r="A2"`), "", `has a cell "A2" in row 2`},
		{"a row twice", edited(t, plain, sheet, `<row r="2"`, `<row r="1"`), "", `has row "1" behind row 1`},
		{"an open element", edited(t, plain, sheet, `</sheetData>`, ``), "", "part xl/worksheets/sheet1.xml of the workbook is no valid XML: its elements do not match"},
		{"a row too far", edited(t, plain, sheet, `<row r="2"`, `<row r="1048577"`), "", "has more than 1048576 rows"},
		{"a type", edited(t, plain, sheet, `r="B2" t="s"`, `r="B2" t="z"`), "", `cell B2 is of type "z"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readTable("t.xlsx", c.book, tablefile.Options{Sheet: c.sheet})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestXlsxAgrees compares a workbook of many rows with what excelize reads.
func TestXlsxAgrees(t *testing.T) {
	rows := [][]any{{"a", "b", "c", "d"}}
	for i := range 500 {
		rows = append(rows, []any{i * 7 % 13, fmt.Sprintf("t%d _x000D_ & <b>", i), float64(i) / 7, i%2 == 0})
	}
	book := sheetOf(t, "A1", rows...)
	w, err := excelize.OpenReader(bytes.NewReader(book))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	want, err := w.GetRows("Sheet1", excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := readTable("t.xlsx", book, tablefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	truth := map[string]string{"0": "false", "1": "true"}
	for _, r := range want {
		if v, ok := truth[r[3]]; ok {
			r[3] = v
		}
	}
	if diff := cmp.Diff(want, append([][]string{got.columns}, got.rows...)); diff != "" {
		t.Error(diff)
	}
}

// TestXlsxDamaged changes single bytes of a workbook. The reader must return the same table or an error.
func TestXlsxDamaged(t *testing.T) {
	book := sheetOf(t, "A1", []any{"a", "b"}, []any{1.5, "x"}, []any{2.5, "y"})
	want, err := readTable("t.xlsx", book, tablefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	refused := 0
	for i := 0; i < len(book); i += step {
		damaged := bytes.Clone(book)
		damaged[i] ^= 1 << (i % 8)
		got, err := readTable("t.xlsx", damaged, tablefile.Options{})
		if err != nil {
			refused++
		} else if got.flat() != want.flat() {
			t.Errorf("byte %d: read %q, want %q", i, got.flat(), want.flat())
		}
	}
	if damaged := len(book) / step; refused < damaged/10 {
		t.Errorf("%d of %d damaged workbooks are refused", refused, damaged)
	}
}
