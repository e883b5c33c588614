package smiles

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
)

// written is the path of a new file, gzipped where its name says so.
func written(t testing.TB, name, text string) string {
	t.Helper()
	if strings.HasSuffix(name, ".gz") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		text = b.String()
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// allRows are the columns and rows of a file.
func allRows(t testing.TB, path string) (columns []string, rows [][]string, lines []int) {
	t.Helper()
	r, err := openRows(path, 0, data.NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Columns(), rows, lines
		}
		if err != nil {
			t.Fatal(err)
		}
		rows, lines = append(rows, slices.Clone(row)), append(lines, r.Line(0))
	}
}

// Lines are a SMILES, its extension and a name; a first line may name columns.
func TestLines(t *testing.T) {
	for _, test := range []struct {
		name, text string
		columns    []string
		rows       [][]string
		lines      []int
	}{
		{"a.smi", "CCO ethanol\n\n# a remark\nCC\tethane, a gas \r\nC\n", []string{"smiles", "name"}, [][]string{{"CCO", "ethanol"}, {"CC", "ethane, a gas"}, {"C", ""}}, []int{1, 4, 5}},
		{"a.SMI.gz", "CCO |$;;foo$| ethanol\n", []string{"smiles", "name"}, [][]string{{"CCO |$;;foo$|", "ethanol"}}, []int{1}},
		{"a.smiles", "SMILES zinc_id\nCCO 7 b\n CC\n", []string{"SMILES", "zinc_id"}, [][]string{{"CCO", "7 b"}, {"CC", ""}}, []int{2, 3}},
		{"a.smi", "smiles\tname\ty\nCCO\tethyl alcohol\t1.5\nCC\t\t2\n", []string{"smiles", "name", "y"}, [][]string{{"CCO", "ethyl alcohol", "1.5"}, {"CC", "", "2"}}, []int{2, 3}},
		{"a.smi", "", []string{"smiles", "name"}, nil, nil},
		{"a.smi", "\xef\xbb\xbfCCO x", []string{"smiles", "name"}, [][]string{{"CCO", "x"}}, []int{1}},
	} {
		columns, rows, lines := allRows(t, written(t, test.name, test.text))
		if !slices.Equal(columns, test.columns) || !slices.EqualFunc(rows, test.rows, slices.Equal) || !slices.Equal(lines, test.lines) {
			t.Errorf("%q: columns %q, rows %q on lines %d", test.text, columns, rows, lines)
		}
	}
}

const twoRecords = "first\n  prog\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 C   0  0\nM  END\n" +
	"> <y>\n1.5\n\n>  <remark>  (17)\ntwo\nlines\n\n>  <SMILES>\nC\n\n$$$$\n" +
	"second\n  prog\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 O   0  0\nM  END\n" +
	">  25 <IC50> \n>10000\n>  <y>\n\n> <ic50>\n3\n\n> DT7\nlast\n"

// Records are mol blocks with the union of their items as columns.
func TestRecords(t *testing.T) {
	for _, name := range []string{"a.sdf", "a.sd.gz"} {
		columns, rows, lines := allRows(t, written(t, name, twoRecords))
		if want := []string{"smiles", "name", "y", "remark", "SMILES.1", "IC50", "ic50.1", "DT7"}; !slices.Equal(columns, want) {
			t.Errorf("columns %q, expected %q", columns, want)
		}
		if len(rows) != 2 || !slices.Equal(lines, []int{1, 18}) {
			t.Fatalf("%d rows on lines %d", len(rows), lines)
		}
		for i, want := range [][]string{{"first", "1.5", "two\nlines", "C", "", "", ""}, {"second", "", "", "", ">10000", "3", "last"}} {
			if !slices.Equal(rows[i][1:], want) {
				t.Errorf("row %d: %q, expected %q", i, rows[i][1:], want)
			}
			if block := rows[i][0]; !strings.HasPrefix(block, want[0]+"\n  prog\n") || !strings.HasSuffix(block, "\nM  END\n") {
				t.Errorf("row %d: block %q", i, block)
			}
		}
	}
	r, err := openRows(written(t, "a.sdf", twoRecords), 0, data.NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Next(); err != nil || r.Line(2) != 7 || r.Line(3) != 10 || r.Line(7) != 1 {
		t.Errorf("%v: items on lines %d, %d and %d", err, r.Line(2), r.Line(3), r.Line(7))
	}
}

// A record is bounded in memory, and so are the names of all items.
func TestRecordBounds(t *testing.T) {
	long := "a\n" + strings.Repeat("x\n", 20<<20)
	if _, err := openRows(written(t, "a.sdf", long), 1<<20, data.NewBudget(1<<20)); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("a record of 40 MiB: %v", err)
	}
	var b strings.Builder
	for i := range 200_000 {
		b.WriteString("a\n\n\nM  END\n> <" + strings.Repeat("n", 20) + string(rune('a'+i%26)) + strings.Repeat("m", i/26%40) + string(rune('A'+i/1040)) + ">\n1\n\n$$$$\n")
	}
	if _, err := openRows(written(t, "a.sdf", b.String()), 1<<20, data.NewBudget(1<<20)); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("200,000 names: %v", err)
	}
}

// What is no SMILES is refused by its name, with what to do.
func TestUnread(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a.csv", "rxn_smiles,y\nCO>>CC,1\n", `a.csv:1: column "rxn_smiles" holds reactions, which are not read; --smiles COLUMN names`},
		{"a.csv", "id,step\n1,CO>>CC\n", `column "step" holds reactions`},
		{"a.csv", "id,InChI\n1,InChI=1S/CH4/h1H4\n", `column "InChI" holds InChI, which is not read; in Python, with from rdkit import Chem, df["smiles"] = [Chem.MolToSmiles(Chem.MolFromInchi(x)) for x in df["InChI"]]`},
		{"a.csv", "id,structure\n1,InChI=1S/CH4/h1H4\n", `column "structure" holds InChI`},
		{"a.tsv", "id\tSELFIES\n1\t[C][C]\n", `column "SELFIES" holds SELFIES, which are not read; in Python, with import selfies, df["smiles"] = [selfies.decoder(x)`},
		{"a.mol2", "@<TRIPOS>MOLECULE\n", "a.mol2 is a Tripos MOL2 file, which is not read; an SD file or a table of SMILES is"},
		{"a.sdf", twoRecords, "a.sdf is an SD file: " + chem.ErrNoToolkit.Error()},
		{"a.smi.gz", "CCO\n", "a.smi.gz is a file of SMILES: " + chem.ErrNoToolkit.Error()},
	} {
		path := written(t, test.name, test.text)
		if !Recognise(path) {
			t.Errorf("%s %q is not recognised", test.name, test.text)
		}
		for _, tk := range []chem.Toolkit{nil, struct{ chem.Toolkit }{}} {
			_, err := NewReader(path, Options{Toolkit: tk})
			if tk != nil && strings.Contains(test.want, "make build-chem") {
				if err != nil {
					t.Errorf("%s with a toolkit: %v", test.name, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s %q: %v, expected %q", test.name, test.text, err, test.want)
			}
		}
	}
	for _, text := range []string{"source,target,rxn\na,b,C>>O\n", "id,path\n1,Home>Kitchen>Pans\n", "id,html\n1,<b>x</b>\n", "id,reaction\n1,0.5\n", "a,b\n"} {
		if Recognise(written(t, "a.csv", text)) {
			t.Errorf("%q is taken for molecules", text)
		}
	}
}

// FuzzRecords reads any text as an SD file: it ends, and what it returns was there.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(twoRecords))
	f.Add([]byte("$$$$\n\n$$$$"))
	f.Add([]byte("a\n\n\n> <x>\n> <y>\n>z\n> <>\n\r\n$$$$x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := data.NewBudget(1 << 20).NewText(bytes.NewReader(text))
		if err != nil {
			return
		}
		file := &lineFile{name: "fuzz.sdf", text: in, buf: bufio.NewReader(in)}
		last := 0
		for {
			r, err := file.sdf()
			if err != nil {
				return
			}
			if r.line <= last || r.line > file.line {
				t.Fatalf("record on line %d after %d, read %d", r.line, last, file.line)
			}
			last = r.line
			for _, item := range r.items {
				if item.name == "" || item.line < r.line || item.line > file.line {
					t.Fatalf("item %+v of the record on line %d", item, r.line)
				}
			}
		}
	})
}
