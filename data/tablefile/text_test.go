package tablefile_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// table is a table as the reader returned it.
type table struct {
	columns []string
	rows    [][]string // as written by Cell.String
	lines   []int      // lines of the first values
	notes   string
	sum     string
}

// readTable reads a table called name from its bytes.
func readTable(name string, content []byte, o tablefile.Options) (table, error) {
	return readBudget(name, content, o, data.NewBudget(0))
}

func readBudget(name string, content []byte, o tablefile.Options, b *data.Budget) (table, error) {
	var got table
	r, err := tablefile.Open(fstest.MapFS{name: {Data: content}}, name, b, o)
	if err != nil {
		return got, err
	}
	got.columns = r.Columns()
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.Close()
			return got, err
		}
		got.rows = append(got.rows, texts(row))
		got.lines = append(got.lines, r.Line(0))
	}
	got.notes = strings.Join(r.Notes(), "\n")
	for _, l := range tablefile.LeftOut(r) {
		got.notes += "\n" + l.String()
	}
	got.sum, err = r.Close()
	return got, err
}

func texts(row schema.Row) []string {
	out := make([]string, len(row))
	for i, c := range row {
		out[i] = c.String()
	}
	return out
}

// flat returns a table as one line, with spaces between values and bars between rows.
func (t table) flat() string {
	lines := []string{strings.Join(t.columns, " ")}
	for _, r := range t.rows {
		lines = append(lines, strings.Join(r, " "))
	}
	return strings.Join(lines, "|")
}

// TestText reads separated texts of common forms.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, text, want, note string }{
		{"comma", "a,b\n1,2\n", "a b|1 2", ""},
		{"semicolon", "a;b\n1,5;2,5\n", "a b|1,5 2,5", ""},
		{"text for Excel", "a,b\n=\"007\",=\"x,\"\"y\"\"\"\n\"=\"\"01\"\"\",=1+1\n", "a b|007 x,\"y\"|01 =1+1", ""},
		{"backslashes before quotation marks", `a,b` + "\n" + `x,"he said \"hi, you\""` + "\n" + `y,"\", \\"` + "\n", `a b|x he said "hi, you"|y ", \\`, ""},
		{"backslashes that end values", `a,b` + "\n" + `"C:\x\","\"` + "\n", `a b|C:\x\ \`, ""},
		{"one name twice", "a,a,b\nx,y,z\nu,v,w\n", "a a.1 b|x y z|u v w", `two columns are called "a"; the one at column 2 is called "a.1" here`},
		{"blanks beside quotation marks", "\"a\", \"b\", c\n\"1\" ,  \"2, x\"  , 3\n", "a b c|1 2, x 3", ""},
		{"marks of inches between tabs", "a\tb\n5\" pipe\t\"x\ty\"\n", "a b|5\" pipe x\ty", ""},
		{"marks without a width", "\ufeff\ufeffa,\u200bb\u200b\nx\u200b,\u200b y\n", "a b|x y", ""},
		{"tab", "a\tb\n1,5\t2;5\n", "a b|1,5 2;5", ""},
		{"bar", "a|b\n1|2\n", "a b|1 2", ""},
		{"double colons", "UserID::Title::Time\n1::Am\"e: 1, 2::12:30\n2::x::7:05\n", "UserID Title Time|1 Am\"e: 1, 2 12:30|2 x 7:05", ""},
		{"Hive's separator", "a\x01b\n1,5\x012;5\n", "a b|1,5 2;5", ""},
		{"single quotes", "'a','b'\n'x','1.5'\ny,''\n", "a b|x 1.5|y ", ""},
		{"single quotes in some names", "'a',b\n'x',1\n", "'a' b|'x' 1", ""},
		{"Neo4j's edges", ":START_ID(Person),amount:float,:END_ID(Film),:TYPE,at:datetime{timezone:UTC}\n1,2.5,3,SAW,x\n", "start_id amount end_id :TYPE at|1 2.5 3 SAW x", ""},
		{"Neo4j's nodes", "personId:ID(Person){id-type:long},names:string[],:LABEL\n1,x;y,P\n", "id names :LABEL|1 x;y P", ""},
		{"RecBole", "user_id:token\titem_id:token\trating:float\ttags:token_seq\n1\t7\t3\ta b\n", "user_id item_id rating tags|1 7 3 a b", ""},
		{"one name with a colon", "user_id:token,item\n1,7\n", "user_id:token item|1 7", ""},
		{"types in other names", "amount:float,b\n1,2\n", "amount:float b|1 2", ""},
		{"circumflexes", "a^b^c\n1^2^x,y\n", "a b c|1 2 x,y", ""},
		{"tildes", "a~b\n\"1~2\"~3\n", "a b|1~2 3", ""},
		{"part of a header in a row", "a,b\na,1\n-,--\n", "a b|a 1|- --", ""},
		{"a comma in the header", "id;amount (net, EUR);day\n7;1,5;x\n8;2,5;y\n", "id amount (net, EUR) day|7 1,5 x|8 2,5 y", ""},
		{"semicolons in values", "a,b\nx;y;z,1\nx;y,2\n", "a b|x;y;z 1|x;y 2", ""},
		{"commas in quotes", "a;b\n\"1,2,3,4\";5\n", "a b|1,2,3,4 5", ""},
		{"one column", "smiles\nCCO\nC\n", "smiles|CCO|C", ""},
		{"Excel's sep", "sep=;\na,x;b\n1;2\n", "a,x b|1 2", ""},
		{"Excel's sep in quotes", "\"sep=|\"\r\na|b\r\n1|2\r\n", "a b|1 2", ""},
		{"no end of the last line", "a,b\n1,2", "a b|1 2", ""},
		{"returns and newlines", "a,b\r\n1,2\r\n", "a b|1 2", ""},
		{"returns", "a,b\r1,2\r3,4\r", "a b|1 2|3 4", ""},
		{"mark", "\ufeffa,b\n1,2\n", "a b|1 2", ""},
		{"mark and quotes", "\ufeff\"a\",b\n1,2\n", "a b|1 2", ""},
		{"blanks", " a ,b\n 1 ,\u00a02 \n", "a b|1 2", ""},
		{"blank lines", "a,b\n\n1,2\n  \n3,4\n\n\n", "a b|1 2|3 4", ""},
		{"header alone", "a,b\n", "a b", ""},
		{"quotes", "a,b\n\"x\"\"y\",\"1\n2\"\n\"\",z\n", "a b|x\"y 1\n2| z", ""},

		{"comment", "# exported 2024\na,b,c\n1,2,3\n", "a b c|1 2 3", "line 1 before the header"},
		{"comments", "% x\n// y\n\n# z, z\na,b,c\n1,2,3\n", "a b c|1 2 3", "4 lines before the header, the last of them line 4"},
		{"empty rows before", ",,\n,,\na,b,c\n1,2,3\n", "a b c|1 2 3", "2 lines before"},
		{"a title", "Payments of 2024\n\na,b\n1,2\n", "a b|1 2", "2 lines before"},
		{"a title of several lines", "Payments\nBranch: 12\n2024-03-01\n\na,b\n1,2\n", "a b|1 2", "4 lines before"},
		{"names and values before", "\"Account\";\"DE12\";\nOwner;Ann;\n\nBalance;5,00\n\na;b;c;d\n1;2;3;4\n", "a b c d|1 2 3 4", "5 lines before"},
		{"names and values without a blank line", "Account;DE12\na;b\n", "Account DE12|a b", ""},
		{"two columns and a blank line", "a;b\n\n1;2\n3;4\n", "a b|1 2|3 4", ""},
		{"one column under a longer name", "smiles\nCCO\nCC\nC\n", "smiles|CCO|CC|C", ""},
		{"a title as wide as the table", "Payments,,\na;b;c\n1;2;3\n", "a b c|1 2 3", "line 1 before"},
		{"a header with a mark", "#source,target\na,b\nb,c\n", "source target|a b|b c", ""},
		{"SNAP", "# Nodes: 3 Edges: 2\n# From\tTo\n0\t1\n1\t2\n", "From To|0 1|1 2", "line 1 before"},
		{"a comment as wide as the header", "# a table, of numbers\nx,y\n1,2\n3,4\n", "x y|1 2|3 4", "line 1 before"},
		{"a mark before the index", "#,a,b\n1,x,y\n2,x,y\n", "a b|x y|x y", "counts the rows"},
		{"a value with a mark", "a,b\n#1,x\n#2,y\n", "a b|#1 x|#2 y", ""},

		{"empty rows", "a,b\n1,2\n,\n3,4\n,\n,,,,\n", "a b|1 2|3 4", "3 rows, the first on line 3, have no value"},
		{"one empty row", "a,b\n1,2\n , \n", "a b|1 2", "the row on line 3 has no value"},
		{"empty columns", "a,b,,\n1,2,,\n3,4,,\n", "a b|1 2|3 4", "column 4 has no name and no value"},
		{"empty columns that rows lack", "a,b,,\n1,2,,\n3,4\n", "a b|1 2|3 4", "column 3 has no name and no value\ncolumn 4"},
		{"an empty column inside", "a,,b\n1,,2\n3,,4\n", "a b|1 2|3 4", "column 2 has no name and no value"},
		{"separators at the ends", "a,b\n1,2,\n3,4,\n", "a b|1 2|3 4", "column 3 has no name and no value"},
		{"index of pandas", ",a,b\n0,x,y\n1,x,z\n", "a b|x y|x z", "counts the rows"},
		{"index from 5", ",a,b\n5,x,y\n6,x,z\n", "a b|x y|x z", "counts the rows"},
		{"other index", ",a,b\n7,x,y\n2,x,z\n", "Unnamed: 0 a b|7 x y|2 x z", `column 1 has no name; it is called "Unnamed: 0"`},
		{"unnamed", "a,b,\n1,2,x\n3,4,\n", "a b Unnamed: 2|1 2 x|3 4 ", `column 3 has no name`},
		{"row names of R", "\"a\",\"b\"\n\"1\",\"x\",10\n\"2\",\"y\",20\n", "a b|x 10|y 20", "like row names of R"},
		{"row names without quotes", "a,b\n1,x,10\n2,y,20\n", "a b|x 10|y 20", "like row names of R"},
		{"row names of text", "\"a\"\t\"b\"\n\"Fiat\"\t1\t5\n\"Opel\"\t2\t10\n", "a b|1 5|2 10", "like row names of R"},

		{"twice", "Account,account,Account \n1,2,3\n", "Account account.1 Account.2|1 2 3", `two columns are called "account"; the one at column 2 is called "account.1"`},
		{"twice and taken", "a,a,a.1\n1,2,3\n", "a a.2 a.1|1 2 3", `"a.2"`},
		{"taken and twice", "a.1,a,a,a.1\n1,2,3,4\n", "a.1 a a.2 a.1.1|1 2 3 4", `"a.1.1"`},

		{"UTF-8", "stadt,b\nZürich,渋谷\n", "stadt b|Zürich 渋谷", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readTable("t.csv", []byte(c.text), tablefile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got.flat() != c.want {
				t.Errorf("read %q, want %q", got.flat(), c.want)
			}
			if c.note == "" && got.notes != "" || !strings.Contains(got.notes, c.note) {
				t.Errorf("notes %q, want %q", got.notes, c.note)
			}
			if sum := sha256.Sum256([]byte(c.text)); got.sum != hex.EncodeToString(sum[:]) {
				t.Errorf("checksum %s is not that of the text", got.sum)
			}
		})
	}
}

func TestTextErrors(t *testing.T) {
	many := strings.Repeat("x,y,\n", 1200)
	counted := ",a\n"
	for i := range 1200 {
		counted += fmt.Sprintf("%d,x\n", i)
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "t.csv: is empty, expected a line of column names"},
		{"one value above numbers", "a\n1,2\n3,4\n", "t.csv:2: number of values is 2, expected 1 as in the header on line 1; a value with the separator ',' inside needs quotation marks around it; if each row begins with a row name, give that column a name in the header"},
		{"comments alone", "# a\n\n", "t.csv: is empty"},
		{"too few", "a,b\n1,2\n3\n", "t.csv:3: number of values is 1, expected 2 as in the header on line 1"},
		{"too many", "# x\na,b\n1,2\n3,4,5\n", `t.csv:4: number of values is 3, expected 2 as in the header on line 2; a value with the separator ',' inside`},
		{"a header again", "a,b\n1,2\n a,b \n3,4\n", "t.csv:3: repeats the names of the header on line 1, as in joined files: leave this line out"},
		{"a line of psql", " a | b \n---+---\n 1 | 2\n", "t.csv:2: is a drawn line: write the table as text with separators, as psql --csv"},
		{"a line of Markdown below names", "a|b\n:--|--:\n1|2\n", "t.csv:2: is a drawn line"},
		{"a comment behind the header", "a,b\n1,2\n# page 2\n3,4\n", "t.csv:3: number of values is 1, expected 2 as in the header on line 1; comments are allowed only before the header"},
		{"decimal commas", "id,amount\n1,3,5\n2,4,7\n3,1,2\n", "t.csv:2: number of values is 3, expected 2"},
		{"decimal commas, text ids", "id,amount\nx,3,5\ny,4,7\n", "if each row begins with a row name"},
		{"extra values", "a,b\n1,2,\n3,4,5\n", `t.csv:2: number of values is 3, expected 2`},
		{"a late value of an empty column", "a,b,\n" + many + "x,y,z\n", `t.csv:1202: column 3 has no name and had no value in the rows before, but "z" here; give it a name in the header on line 1`},
		{"an index that ends", counted + "7,x\n", `t.csv:1202: the first column has no name and counted the rows, but has "7" here, expected 1200`},
		{"a row without its name", "\"a\",\"b\"\n\"1\",x,y\n\"2\",x,y\nx,y\n", "t.csv:4: number of values is 2, expected 3: a row name and the 2 of the header"},
		{"two lines of names and an index", ",a,a\n,x,y\nk,,\nu,1,2\nv,3,4\n", `t.csv:2: is a second line of column names, as pandas writes`},
		{"two lines of names", "a,a,b\nx,y,\n1,2,u\n3,4,v\n", `t.csv:2: is a second line of column names, as pandas writes`},
		{"backslashes of both kinds", "a,b\n\"x\\\",1\n\"y \\\"z\\\"\",2\n", `t.csv:3: character 6: text behind the quotation mark that ends a value`},
		{"a quotation mark inside", "a,b\nx,5\" pipe\n", `t.csv:2: character 4: a quotation mark inside a value`},
		{"text behind quotes", "a,b\nx,\"5\" pipe\n", `t.csv:2: character 6: text behind the quotation mark`},
		{"on a later line", "a,b\nx,\"5\n6\" pipe\n", `t.csv:3: character 3: text behind`},
		{"an open quotation mark", "a,b\nx,y\nü,\"z\n1,2\n", `t.csv:3: the quotation mark at character 3 is never closed`},
		{"a zero byte", "a,b\nx,y\nx,\x00\n", "t.csv:3: character 3 is a zero byte"},
		{"no names", ",,\n", "is empty, expected a line of column names"},
		{"UTF-8 and other", "a,b\nü,y\nx,M\xfcller\n", "t.csv:3: character 4 is not UTF-8, but line 2 has characters in UTF-8"},
		{"both in one line", "a,b\nü,M\xfcller\n", "t.csv:2: character 4 is not UTF-8, but line 2"},
		{"other and UTF-8", "a,b\nx,M\xfcller\nü,y\n", "t.csv:3: character 1 and the characters after it are UTF-8, but line 2 is not"},
		{"no character", "a,b\nx,M\x81ller\n", "t.csv:2: character 4 is neither UTF-8 nor Windows-1252"},
		{"Chinese letters", "a,b\nx,M\xfcller\ny,5 \xcf\xd6\xbd\xf0\n", "t.csv:3: character 5 and the characters after it are not UTF-8, and too many in a row for Windows-1252"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readTable("t.csv", []byte(c.text), tablefile.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if p := (*data.ParseError)(nil); !errors.As(err, &p) || p.File != "t.csv" {
				t.Errorf("error %#v is no ParseError of the file", err)
			}
		})
	}
}

// TestEncodings reads one table in several encodings and compressed formats.
func TestEncodings(t *testing.T) {
	const text = "name;city\nMüller;Köln\nGarçon;Orléans\n"
	want := "name city|Müller Köln|Garçon Orléans"
	encode := func(b []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text))))
	z.Close()
	for name, content := range map[string][]byte{
		"UTF-8":           []byte(text),
		"UTF-16":          encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text))),
		"UTF-16, big":     encode(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(text))),
		"end of DOS":      []byte(text + "\x1a"),
		"UTF-16 in gzip":  packed.Bytes(),
		"Windows-1252":    encode(charmap.Windows1252.NewEncoder().Bytes([]byte(text))),
		"Windows returns": encode(charmap.Windows1252.NewEncoder().Bytes([]byte(strings.ReplaceAll(text, "\n", "\r\n")))),
	} {
		got, err := readTable("t.csv", content, tablefile.Options{})
		if err != nil || got.flat() != want {
			t.Errorf("%s: %q, %v, want %q", name, got.flat(), err, want)
		}
		if note := strings.Contains(got.notes, "not UTF-8 from line 2 on; it was read as Windows-1252"); note != strings.HasPrefix(name, "Windows") {
			t.Errorf("%s: notes %q", name, got.notes)
		}
	}
}

// TestLines names the lines of the values of a record that spans several lines, also for a record that was read ahead.
func TestLines(t *testing.T) {
	for _, header := range []string{"a,b,c", "a,b,c,"} {
		r, err := tablefile.Open(fstest.MapFS{"t.csv": {Data: []byte(header + "\n\"1\n2\",\"3\n4\",5" + header[5:] + "\n6,7,8" + header[5:] + "\n")}}, "t.csv", data.NewBudget(0), tablefile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got [][]int
		for {
			if _, err := r.Next(); err != nil {
				break
			}
			got = append(got, []int{r.Line(0), r.Line(1), r.Line(2)})
		}
		if diff := cmp.Diff([][]int{{2, 3, 4}, {5, 5, 5}}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestClosedEarly: a table that was not read to its end has no checksum.
func TestClosedEarly(t *testing.T) {
	r, err := tablefile.Open(fstest.MapFS{"t.csv": {Data: []byte("a,b\n1,2\n3,4\n")}}, "t.csv", data.NewBudget(0), tablefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if sum, err := r.Close(); sum != "" || err != nil {
		t.Errorf("checksum %q, %v of a table that was not read to its end", sum, err)
	}
}

// TestManyNames gives 100,000 columns with one name different names.
func TestManyNames(t *testing.T) {
	got, err := readTable("t.csv", []byte(strings.Repeat("a,", 99999)+"a\n"), tablefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.columns); n != 100000 || got.columns[n-1] != "a.99999" || strings.Count(got.notes, "\n") != 10 {
		t.Errorf("%d columns, the last %q, notes %s", n, got.columns[n-1], got.notes)
	}
}

// Blanks separate the values of a text, unless its name implies another separator. Several blanks count as one.
func TestBlanks(t *testing.T) {
	for text, want := range map[string]string{
		"a b c\n1 2  3\n  4 5 6  \n":                      "a b c|1 2 3|4 5 6",
		"\"a\" \"b\"\n\"x y\"   \"2\" \n\"\"\"z\" 3\n":    "a b|x y 2|\"z 3",
		"\"a\" \"b\"\n\"1\" \"n 1\" 5\n\"2\" \"n 2\" 6\n": "a b|n 1 5|n 2 6", // R writes row names
		"# measured\nsource target\nann bob\n\nbob eve\n": "source target|ann bob|bob eve",
	} {
		got, err := readTable("t.txt", []byte(text), tablefile.Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		rows := []string{strings.Join(got.columns, " ")}
		for _, r := range got.rows {
			rows = append(rows, strings.Join(r, " "))
		}
		if s := strings.Join(rows, "|"); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
	}
}
