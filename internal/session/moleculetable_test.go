package session

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// csvOf returns a table that is read in pieces, as lines of CSV.
func csvOf(t *testing.T, pieces func(func(*report.Table, error) bool)) []string {
	t.Helper()
	var b bytes.Buffer
	w := report.NewTableWriter(&b, false)
	for piece, err := range pieces {
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}

// Training on a table of molecules leaves out rows that are not molecules. Predictions made piece
// by piece equal predictions made at once.
func TestMoleculeTable(t *testing.T) {
	path := testsets.MoleculeTable(t, 50, "smiles")
	r := Request{Path: path, Task: task.GraphRegression.Name, Model: "gcn", Given: quick(), Toolkit: testsets.Chains{}}
	r.Given["label"] = "oxygens"
	dir, _ := trained(t, r)
	whole, err := Load(t.Context(), dir, source.LoadOptions{Data: path, Toolkit: testsets.Chains{}})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(whole.Data.Notes(), "\n"); !strings.Contains(notes, "row 10 is no molecule and is left out: syntax: no chain") {
		t.Errorf("notes %q", notes)
	}
	want := map[string]string{}
	table, err := whole.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.WriteCSV(&b, &report.Table{Columns: append(table.Columns[:2:2], table.Columns[3:]...)}); err != nil { // without part
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[1:] {
		row, _, _ := strings.Cut(line, ",")
		want[row] = line
	}
	if len(want) != 45 {
		t.Fatalf("%d rows are molecules, expected 45", len(want))
	}

	many := testsets.MoleculeTable(t, 9000, "Molecule") // in three pieces; the first 50 rows are those of the table above
	for _, test := range []struct {
		invalid  string
		n, error int
	}{{"", 9000, 900}, {smiles.Mark, 9000, 900}, {smiles.Skip, 8100, 0}} {
		st, err := openStream(dir, source.LoadOptions{Data: many, SMILES: "molecule", OnInvalid: test.invalid, Toolkit: testsets.Chains{}})
		if err != nil {
			t.Fatal(err)
		}
		lines := csvOf(t, st.Predict(t.Context()))
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if lines[0] != "row,smiles,target_oxygens,prediction_oxygens,error" || len(lines) != test.n+1 || st.Invalid != test.error {
			t.Errorf("%q: header %s, %d lines, %d invalid", test.invalid, lines[0], len(lines), st.Invalid)
		}
		found := 0
		for _, line := range lines[1:] {
			row, _, _ := strings.Cut(line, ",")
			if line == row+",C(C,,,syntax: no chain" {
				found++
			} else if text := want[row]; text != "" && line != text+"," {
				t.Errorf("row %s is %q, at once %q", row, line, text)
			}
		}
		if found != test.error {
			t.Errorf("%q: %d rows have an error, expected %d", test.invalid, found, test.error)
		}
	}
	st, err := openStream(dir, source.LoadOptions{Data: many, SMILES: "molecule", OnInvalid: smiles.Fail, Toolkit: testsets.Chains{}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, err := range st.Predict(t.Context()) {
		if testsets.Fails(t, err, "row 10 is no molecule: syntax: no chain"); !settings.IsUsage(err) {
			t.Error("not marked as the user's to mend")
		}
	}
}

// Vectors are computed piece by piece, too. A piece without molecules has the same number of columns.
func TestEmbedMolecules(t *testing.T) {
	r := Request{Path: testsets.MoleculeTable(t, 50, "smiles"), Model: "hyperdrop", Given: quick(), Toolkit: testsets.Chains{}}
	r.Given["label"], r.Given["fractions"] = "odd", []float64{0.4, 0.3, 0.3} // there are twelve molecules
	dir, _ := trained(t, r)
	var rows []string
	rows = append(rows, "smiles")
	for range 5000 {
		rows = append(rows, "?")
	}
	path := filepath.Join(t.TempDir(), "late.csv")
	if err := os.WriteFile(path, []byte(strings.Join(append(rows, "COC", ""), "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	for level, want := range map[settings.Level]int{settings.Graphs: 5001, settings.Nodes: 3, settings.Edges: 2} {
		st, err := openStream(dir, source.LoadOptions{Data: path, Toolkit: testsets.Chains{}})
		if err != nil {
			t.Fatal(err)
		}
		lines := csvOf(t, st.Embed(t.Context(), level))
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if last := lines[len(lines)-1]; len(lines) != want+1 || !strings.HasPrefix(last, "5001,") || strings.Count(last, ",") != strings.Count(lines[0], ",") {
			t.Errorf("%s: %d lines, the last %q", level, len(lines), last)
		}
	}
}

// The kind of the labels follows from the columns. --label and the task override it.
func TestMoleculeLabels(t *testing.T) {
	for _, test := range []struct {
		text, label, task string
		want              []string // targets or classes
		err               string
	}{
		{text: "smiles,a,b,name\nC,1,0,x\nO,,1,y\nN,0,,z\n", want: []string{"a", "b"}},
		{text: "smiles,a,b,name\nC,1,0,x\nO,,1,y\nN,0,,z\n", label: "b", want: []string{"b"}},
		{text: "smiles,a\nC,1.5\nO,\nN,-3\n", want: []string{"a"}},
		{text: "smiles,kind\nC,toxic\nO,\nN,harmless\nCC,toxic\n", want: []string{"harmless", "toxic"}},
		{text: "smiles,kind\nC,10\nO,9\nN,10\nCC,11\n", task: "graph-classification", want: []string{"9", "10", "11"}},
		{text: "smiles,a,b\nC,x,u\nO,y,v\n", err: `columns "a" and "b" may be the class; name one with --label`},
		{text: "smiles,a\nC,x\nO,y\n", label: "b", err: `no column "b", expected one of "smiles", "a"`},
		{text: "smiles,a\nC,x\nO,y\n", label: "smiles", err: "holds the SMILES and is no label"},
		{text: "smiles,a\nC,x\nO,y\n", label: "a", task: "graph-regression", err: `column "a" is text, expected numbers`},
		{text: "smiles,a\nC(,x\n,y\n", err: `none of 2 rows of column "smiles" is a molecule`},
		{text: "smiles,a\n", err: "has a header and no rows"},
	} {
		path := filepath.Join(t.TempDir(), "labels.csv")
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := Request{Path: path, Task: test.task, Given: settings.Values{}, Toolkit: testsets.Chains{}}
		if test.label != "" {
			r.Given["label"] = test.label
		}
		in, err := Read(t.Context(), r)
		if test.err != "" {
			testsets.Fails(t, err, test.err)
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		l, err := in.Labels(settings.Graphs)
		if err != nil {
			t.Fatal(err)
		}
		if got := append(l.Targets, l.ClassNames...); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: labels %q, expected %q", test.text, got, test.want)
		}
	}
}

// Molecules with one scaffold are in one part. The largest groups are in training.
func TestScaffoldSplit(t *testing.T) {
	r := Request{Path: testsets.MoleculeTable(t, 60, "smiles"), Task: task.GraphRegression.Name, Toolkit: testsets.Chains{},
		Given: settings.Values{"split": settings.SplitScaffold, "fractions": []float64{0.4, 0.3, 0.3}}}
	s := mustOpen(t, r)
	checkParts(t, s)
	seen := map[byte]string{}
	d := s.Data.(*source.MoleculeData)
	for _, name := range source.Parts() {
		for g := range s.Parts[name].Graphs {
			first := d.Set.SMILES[s.Parts[name].ID(source.Place{Graph: g})][0]
			if was := seen[first]; was != "" && was != name {
				t.Errorf("scaffold %c is in %s and %s", first, was, name)
			}
			seen[first] = name
		}
	}
	if len(seen) != 3 {
		t.Errorf("scaffolds %v", seen)
	}
	r.Given["fractions"] = []float64{0.1, 0.1, 0.8}
	if _, err := Open(t.Context(), r); err == nil || !strings.Contains(err.Error(), "leaves train without a molecule") {
		t.Errorf("error %v", err)
	}
}

// Without a toolkit, the error names the build that has one.
func TestNoToolkit(t *testing.T) {
	_, err := Read(t.Context(), Request{Path: testsets.MoleculeTable(t, 10, "smiles")})
	if !errors.Is(err, chem.ErrNoToolkit) || !settings.IsUsage(err) || !strings.Contains(err.Error(), "make build-chem") {
		t.Errorf("error %v", err)
	}
}
