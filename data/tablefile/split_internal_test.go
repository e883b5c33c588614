package tablefile

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzSplit compares the splitter with encoding/csv: both return the same values on the same lines, or both return an
// error. The test leaves out what only the splitter reads: blanks next to quotation marks, ="007", and backslashes
// before quotation marks.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,2\n", "\"a\",\"b\"\"c\"\r\n\"1\n2\",3", "a\n\n  \nb,", "\"\",\"", "a\"b,c\n", "\"a\"b\n", ",\n,,\r\r\n\"x\r\n\ny\",z", "ü,\"é\"\n",
		strings.Repeat("x", 40) + ",\"" + strings.Repeat("y\n", 40) + "\"\n",
		"\x1a", "a,b\n1,2\x1a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		beyond := func(mark string) bool { return strings.Contains(text, mark) }
		if !utf8.ValidString(text) || slices.ContainsFunc([]string{"\x00", `="`, ` "`, `" `, `\"`}, beyond) {
			return
		}
		want := csv.NewReader(strings.NewReader(strings.TrimSuffix(text, string(endOfFile))))
		want.FieldsPerRecord = -1
		got := splitter{buf: bufio.NewReaderSize(strings.NewReader(text), 16), comma: ','}
		for {
			values, err := want.Read()
			for err == nil && len(values) == 1 && strings.TrimSpace(values[0]) == "" && !quotedAt(want, text) {
				values, err = want.Read()
			}
			e := got.next()
			if (err == nil) != (e == nil) || errors.Is(err, io.EOF) != errors.Is(e, io.EOF) {
				t.Fatalf("%q: error %v, want %v", text, e, err)
			}
			if err != nil {
				return
			}
			if !slices.Equal(values, got.values) {
				t.Fatalf("%q: values %q, want %q", text, got.values, values)
			}
			for i := range values {
				line, _ := want.FieldPos(i)
				at := got.begin
				if i < len(got.lines) {
					at = got.lines[i]
				}
				if at != line {
					t.Fatalf("%q: value %d on line %d, want %d", text, i, at, line)
				}
			}
		}
	})
}

// quotedAt reports whether the first value of the last record is in quotation marks.
func quotedAt(r *csv.Reader, text string) bool {
	line, column := r.FieldPos(0)
	for range line - 1 {
		_, text, _ = strings.Cut(text, "\n")
	}
	// For a quoted value, FieldPos returns the place after the quotation mark.
	return column > 0 && column-1 < len(text) && (text[column-1] == '"' || column > 1 && text[column-2] == '"')
}

func TestSeparator(t *testing.T) {
	for _, c := range []struct {
		head string
		want byte
	}{
		{"a,b\n", ','}, {"a", ','}, {"", ','}, {"a;b,c;d\n1;2,5;3\n1;2;3\n", ';'},
		{"a\tb\n1,5\t2,5\n", '\t'}, {"a;b\n1,2;3,4\n5,6;7,8\n", ';'}, {"a|b|c\nx;y|2|3\n", '|'},
		{"\"a;b;c;d\",e\n1,2\n", ','}, {"a,b\nx;y,1\nx;y,2\n", ','}, {"name, first\tage\nBob\t5\n", '\t'},
		{"a;b\n1;2;\n3;4;\n", ';'}, {"a,b\n\"x\n;;;\",2\n", ','}, {"x,y\n1,2\n3,4,5\n6,7\n", ','},
		{"a;b;c\n1,5;2,5;3\n1,5;2,5;" + strings.Repeat("9", 100), ';'},
		{"text;label\n\"a, b, c\";1\n\"d, e, f\";0\n", ';'}, {"a,b\nx\ty,1\n", ','},
	} {
		for _, whole := range []bool{true, false} {
			if got := findSeparator([]byte(c.head), whole, false); got != c.want {
				t.Errorf("%q, whole %v: %q, want %q", c.head, whole, got, c.want)
			}
		}
	}
	for head, want := range map[string]byte{"a b\n1 2\n": ' ', "a  b\n1 \"2 3\"\n": ' ', "a b\n1 2 3\n4\n": ',', "a b,c\n1 2,3\n": ',', "full name\nAnn\nBob Lee\n": ','} {
		if got := findSeparator([]byte(head), true, true); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	for n := range 20 {
		for i := range n {
			for c := range 256 {
				line := []byte(strings.Repeat("a", n))
				line[i] = byte(c)
				if got := plain(line); got != (c > 0 && c < utf8.RuneSelf) {
					t.Fatalf("plain(%q) is %v", line, got)
				}
			}
		}
	}
}
