//go:build rdkit

package smiles

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

// hostileStrings are what no table of molecules should hold, and some that it may.
func hostileStrings() []string {
	rep := strings.Repeat
	var rings strings.Builder
	for i := range 10000 {
		rings.WriteString("C%" + strconv.Itoa(10+i%90))
	}
	list := []string{
		rep("C", 1<<20), rep("(", 1<<20), rep("[", 1<<20), rep("c1ccccc1", 1<<17), rings.String(),
		"", " ", "\t", "NaN", "null", "NA", "0", "-1", "1e9", "true", "{}", "[]", "()", "<svg/>", "=1+1", "../../etc/passwd", "%00", "%s%n",
		"\x00", "C\x00C", "\x00C", "C\x00", "\xff\xfe", "C\xff", "\xc3\x28", "日本", "C日", "\u202eCCO", "C\u00a0C", "C\u200bC", "\ufeffCCO",
		"CCO |$R$|", "CCO ethanol", "CCO.CCO", rep("C.", 5000), ".", "..", "C.", ".C", "C..C",
		"*", "[*]", "[*:1]C", "[2H]", "[H][H]", "[H+]", "[Xx]", "[C", "C]", "[]", "[[C]]", "[C@@@]", "[C@TH3]", "[Og]", "[999C]", "[C+99]", "[C-16]",
		"[99999999999999999999C]", "[C+99999999999]", "[C:99999999999999]", "[CH999]", "[CH99999999999]",
		"C1", "C11", "C1CC", "C%", "C%1", "C%100", "C%(100)C", "C%(99999999999)", "C1C1", "C12CC12", "C1=CC-1", "C=1CC#1",
		"C(", "C)", "C()", "C(C", "C(C))", "(C)", "C((C))", "C(=O", "C=", "=C", "C==C", "C=#C", "C~C", "C$C", "C/C", "C/C=C/", "F/C=C\\F", "C:C",
		"c", "cc", "c1cccc1", "c1ccc1", "c1ccccc1", "n1cccc1", "[nH]1cccc1", "C(C)(C)(C)(C)C", "F(C)C", "[Na]([Na])[Na]", "O=O=O",
		"C1CCCCC1C1CCCCC", "C&C", "C!C", "C;C", "C,C", "C\"C", "'C'", "C>>C", "C>O>N", "[#6]", "[C;H3]", "[$(C)]", "[R1]", "C@C", "@", "#", "%", "$", "/", "\\",
		rep("C(", 3333) + rep(")", 3333), "C" + rep("1", 4999), rep("C1CC1", 1999), "[C" + rep("+", 5000) + "]", rep("[Fe]", 2500), rep("=", 9999),
		"InChI=1S/CH4/h1H4", "methane", "CC(C)Cl", "Clc1ccccc1Br", "B", "I", "[se]1cccc1", "[te]1cccc1", "[as]", "P(=O)(=O)(=O)(=O)=O",
	}
	for b := range 60 { // single bytes of every kind, alone and within
		list = append(list, "C"+string([]byte{byte(4*b + 3)})+"C")
	}
	return list
}

// Each hostile string is a row with a graph or with a reason, in order, and no row is lost.
func TestHostileRows(t *testing.T) {
	list := hostileStrings()
	if len(list) < 200 {
		t.Errorf("%d strings, expected 200", len(list))
	}
	var b bytes.Buffer
	b.WriteString("smiles,y\n")
	for i, s := range list {
		fmt.Fprintf(&b, "\"%s\",%d\n", strings.ReplaceAll(strings.ToValidUTF8(strings.NewReplacer("\r", "?", "\n", "?", "\x00", "?").Replace(s), "?"), `"`, `""`), i%2)
	}
	path := filepath.Join(t.TempDir(), "hostile.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(path, Options{Toolkit: toolkit(t), Fixed: true, Labels: []string{"y"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	row, valid := 0, 0
	for {
		batch, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range batch {
			if row++; m.Row != row || (m.Graph == nil) == (m.Reason == "") || len(m.Reason) > 3000 || strings.Contains(m.Reason, "\n") {
				t.Errorf("row %d, %.40q: number %d, graph %v, reason %.200q", row, m.SMILES, m.Row, m.Graph != nil, m.Reason)
			}
			if m.Graph != nil {
				valid++
			}
		}
	}
	if row != len(list) || valid < 20 || valid > len(list)/2 {
		t.Errorf("%d rows, expected %d; %d are molecules", row, len(list), valid)
	}
	s, err := Open(t.Context(), path, Options{Toolkit: toolkit(t)})
	if err != nil || len(s.Graphs) != valid || s.Invalid != row-valid || len(s.Info.Notes) > shownInvalid+3 { // and those on extensions and columns
		t.Errorf("%v: %d graphs, %d invalid, notes %.2000q", err, len(s.Graphs), s.Invalid, s.Info.Notes)
	}
}

// A file that is no table of molecules is an error that says so.
func TestHostileFiles(t *testing.T) {
	packed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		return b.String()
	}
	utf16 := "\xff\xfe"
	for _, c := range "smiles,y\nC,1\n" {
		utf16 += string([]byte{byte(c), 0})
	}
	for name, test := range map[string]struct{ text, want string }{
		"empty":              {"", "is empty"},
		"no rows":            {"smiles,y\n", "no rows"},
		"no column":          {"a,b\n1,2\n", `no column of SMILES`},
		"named column":       {"smiles,smiles\nC,C\n", ""},
		"UTF-16":             {utf16, ""},
		"all invalid":        {"smiles\nC(\n[\n", "none of 2 rows"},
		"ragged":             {"smiles,y\nC,1\nC\n", "number of values is 1, expected 2"},
		"open quote":         {"smiles,y\n\"C,1\nC,2\n", "is never closed"},
		"binary":             {strings.Repeat("\x00\x01\x02", 999), "zero byte"},
		"cut Parquet":        {"PAR1" + strings.Repeat("\x15", 100), "Parquet"},
		"Parquet in name":    {"PAR1", "Parquet"},
		"cut gzip":           {packed("smiles\n" + strings.Repeat("CCO\n", 999))[:30], "cannot be read"},
		"gzip of nothing":    {packed(""), "is empty"},
		"text for a number":  {"smiles,y\nC,1\nC,2\nC,3\nC,4\nC,5\nC,6\nC,7\nC,8\nC,9\nC,10\nC,x\n", "expected a number"},
		"infinite":           {"smiles,y\nC,1\nCC,inf\n", "finite"},
		"a bomb":             {packed("smiles\n" + strings.Repeat("C", 64<<20)), "too large"},
		"a line without end": {"smiles\n" + strings.Repeat("C", 9<<20), "none of 1 rows"},
	} {
		path := filepath.Join(t.TempDir(), "table.csv")
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), path, Options{Toolkit: toolkit(t)})
		if test.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 600 {
			t.Errorf("%s: %v, expected %q", name, err, test.want)
		}
	}
	if _, err := Open(t.Context(), "absent.csv", Options{Toolkit: toolkit(t)}); err == nil {
		t.Error("a file that is not there was read")
	}
	if _, err := Open(t.Context(), "absent.csv", Options{}); !errors.Is(err, chem.ErrNoToolkit) {
		t.Errorf("without a toolkit: %v", err)
	}
}
