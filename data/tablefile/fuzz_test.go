package tablefile_test

import (
	"errors"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// checkTable checks what must be true for every table and every error.
func checkTable(t *testing.T, got table, err error) {
	t.Helper()
	if err != nil {
		if p := (*data.ParseError)(nil); !errors.As(err, &p) || p.File == "" {
			t.Errorf("error %v is no ParseError of a file", err)
		}
		return
	}
	if len(got.columns) == 0 || got.sum == "" {
		t.Errorf("columns %q, checksum %q", got.columns, got.sum)
	}
	names := map[string]bool{}
	for _, n := range got.columns {
		if n == "" || names[n] {
			t.Errorf("columns %q", got.columns)
		}
		names[n] = true
	}
	line := 0
	for i, r := range got.rows {
		if len(r) != len(got.columns) {
			t.Errorf("row %q of columns %q", r, got.columns)
		}
		if got.lines[i] < line {
			t.Errorf("line %d behind line %d", got.lines[i], line)
		}
		line = got.lines[i]
	}
}

// FuzzText reads any bytes as a table.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,2\n", "sep=;\na;b\n1;2\n", "# x\na\tb\n1\t2\n", ",a,b\n0,1,2\n1,3,4\n", "a,b,,\n1,2,,\n,,,\n", "\"a\",\"b\"\n\"1\",2,3\n\"2\",2,3\n",
		"a,a,A.1\n1,2,3\n", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00", "a,b\nx,M\xfcller\n", "#a,b\n1,2\n", "a|b\r1|2\r", "\"a\nb\",c\n1,\"2\n\"\"3\"\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := readBudget("t.csv", content, tablefile.Options{}, data.NewBudget(64<<20))
		checkTable(t, got, err)
	})
}

// FuzzSheet reads any bytes as the sheet of a workbook.
func FuzzSheet(f *testing.F) {
	for _, s := range []string{
		`<worksheet><sheetData><row r="2"><c r="B2" t="s"><v>0</v></c><c t="inlineStr"><is><r><t>b</t></r></is></c></row><row><c r="B3" s="1"><v>4.5</v></c><c t="b"><v>1</v></c></row></sheetData></worksheet>`,
		`<worksheet><sheetData><row><c t="e"><v>#N/A</v></c><c t="str"><f>1</f><v>x</v></c></row></sheetData><x/></worksheet>`,
		`<x:worksheet xmlns:x="y"><x:sheetData><x:row><x:c><x:v>1e3</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
	} {
		f.Add(s, `<sst><si><t>a_x0041_</t><rPh><t>b</t></rPh></si></sst>`, `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="yyyy"/></numFmts><cellXfs><xf/><xf numFmtId="200"/></cellXfs></styleSheet>`)
	}
	f.Fuzz(func(t *testing.T, sheet, texts, styles string) {
		got, err := readBudget("t.xlsx", workbookOf(sheet, texts, styles), tablefile.Options{}, data.NewBudget(64<<20))
		checkTable(t, got, err)
	})
}

// FuzzXlsx reads any bytes as a workbook.
func FuzzXlsx(f *testing.F) {
	f.Add(sheetOf(f, "B2", []any{"a", "b"}, []any{1.5, "x"}, []any{2, true}))
	f.Add(workbookOf(`<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>`, "<sst/>", "<styleSheet/>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := readBudget("t.xlsx", content, tablefile.Options{}, data.NewBudget(64<<20))
		checkTable(t, got, err)
	})
}
