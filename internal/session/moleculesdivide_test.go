package session

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// chainTable is a CSV file of n different chains with the number of oxygens of each. Each chain has
// copies rows, and every second row writes it from its other end. more is appended to each row.
func chainTable(t *testing.T, n, copies int, header string, more func(row int) string) string {
	t.Helper()
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "smiles,oxygens%s\n", header)
	row := 0
	for i := range n {
		text := "N" + strings.NewReplacer("0", "C", "1", "O").Replace(fmt.Sprintf("%07b", i)) + "C"
		for k := range copies {
			if k%2 == 1 {
				back := []byte(text)
				slices.Reverse(back)
				text = string(back)
			}
			row++
			fmt.Fprintf(b, "%s,%d%s\n", text, strings.Count(text, "O"), more(row))
		}
	}
	return testsets.WriteTable(t, b.String())
}

func nothing(int) string { return "" }

// chainRequest requests a very short training on a table of chains.
func chainRequest(path string, given settings.Values) Request {
	r := Request{Path: path, Task: task.GraphRegression.Name, Model: "gcn", Given: quick(), Toolkit: testsets.Chains{}}
	r.Given["label"] = "oxygens"
	for name, v := range given {
		r.Given[name] = v
	}
	return r
}

// rowsOf returns the rows of a part of a table of molecules.
func rowsOf(s *Session, part string) (rows []int) {
	p, d := s.Parts[part], s.Data.(*source.MoleculeData)
	if p == nil {
		return nil
	}
	for g := range p.Graphs {
		rows = append(rows, d.Set.Rows[p.ID(source.Place{Graph: g})])
	}
	return rows
}

// Equal molecules are in one part, even if their SMILES differ, and the parts have their shares. A
// loaded run has the parts of its training.
func TestEqualMolecules(t *testing.T) {
	path := chainTable(t, 100, 2, "", nothing)
	for _, given := range []settings.Values{{}, {"folds": 5}} {
		r := chainRequest(path, given)
		s := mustOpen(t, r)
		checkParts(t, s)
		if notes := strings.Join(s.Data.Notes(), "\n"); notes != "200 rows of 100 molecules (equal canonical SMILES) are kept in one part" {
			t.Errorf("notes %q", notes)
		}
		in := map[int]string{}
		for _, part := range source.Parts() {
			rows := rowsOf(s, part)
			if want := map[bool]map[string]int{false: {source.PartTrain: 160, source.PartValid: 20, source.PartTest: 20}, true: {source.PartTrain: 120, source.PartValid: 40, source.PartTest: 40}}[len(given) > 0][part]; len(rows) != want {
				t.Errorf("%v: %s has %d rows, expected %d", given, part, len(rows), want)
			}
			for _, row := range rows {
				in[row] = part
			}
		}
		for row := 1; row <= 200; row += 2 {
			if in[row] != in[row+1] {
				t.Errorf("%v: rows %d and %d of one molecule are in %s and %s", given, row, row+1, in[row], in[row+1])
			}
		}
		units := map[int32]int{}
		for g := range s.Parts[source.PartTest].Graphs {
			units[s.Parts[source.PartTest].Unit(source.Place{Graph: g})]++
		}
		for u, n := range units {
			if n != 2 || len(units) != len(rowsOf(s, source.PartTest))/2 {
				t.Errorf("%v: unit %d has %d rows, and there are %d units", given, u, n, len(units))
			}
		}
		dir, _ := trained(t, r)
		loaded, err := Load(t.Context(), dir, source.LoadOptions{Toolkit: testsets.Chains{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range source.Parts() {
			if !slices.Equal(rowsOf(loaded, part), rowsOf(s, part)) {
				t.Errorf("%v: the loaded run has other rows in %s", given, part)
			}
		}
	}
}

// If no molecule repeats, and in runs of older versions, molecules are split as other graphs are.
func TestDifferentMolecules(t *testing.T) {
	for copies, old := range map[int]bool{1: false, 2: true} {
		s := mustOpen(t, chainRequest(chainTable(t, 60, copies, "", nothing), nil))
		if old {
			s.Settings.Split.SameMolecule = false
			var err error
			if s.Parts, err = s.Data.Split(t.Context(), &s.Settings, &s.Task.Kind, nil); err != nil {
				t.Fatal(err)
			}
		} else if s.Settings.Split.SameMolecule || len(s.Data.Notes()) > 0 || s.Parts[source.PartTest].Unit != nil {
			t.Errorf("split %+v, notes %q", s.Settings.Split, s.Data.Notes())
		}
		var want [3][]int
		var err error
		if want[0], want[1], want[2], err = data.StratifiedSplit(s.Data.(*source.MoleculeData).Whole.Labels(), [3]float64{0.8, 0.1, 0.1}, s.Settings.Split.Seed); err != nil {
			t.Fatal(err)
		}
		for k, part := range source.Parts() {
			for i := range want[k] {
				want[k][i]++ // rows are counted from 1
			}
			if got := rowsOf(s, part); !slices.Equal(got, want[k]) {
				t.Errorf("%d copies: %s has rows %v, expected %v", copies, part, got, want[k])
			}
		}
	}
}

// A column of parts decides the split, in any of its spellings, and is not a label.
func TestMoleculePart(t *testing.T) {
	names := []string{"train", "0", "val", "TEST", "dev", "2.0", "Train", "1"}
	want := map[string][]int{}
	path := chainTable(t, 24, 1, ",Fold", func(row int) string {
		name := names[row%len(names)]
		part := []string{source.PartTrain, source.PartTrain, source.PartValid, source.PartTest, source.PartValid, source.PartTest, source.PartTrain, source.PartValid}[row%len(names)]
		want[part] = append(want[part], row)
		return "," + name
	})
	r := chainRequest(path, settings.Values{"part": "fold"})
	delete(r.Given, "label")
	s := mustOpen(t, r)
	for _, part := range source.Parts() {
		if got := rowsOf(s, part); !slices.Equal(got, want[part]) {
			t.Errorf("%s has rows %v, expected %v", part, got, want[part])
		}
	}
	if !reflect.DeepEqual(s.Settings.Target.Names, []string{"oxygens"}) || s.Settings.Split.Kind != settings.SplitColumn || s.Settings.Data.Molecules.Part != "Fold" {
		t.Errorf("targets %q, split %+v", s.Settings.Target.Names, s.Settings.Split)
	}
	var b bytes.Buffer
	if err := s.Data.Summary().Text(&b, 80); err != nil || !strings.Contains(b.String(), "part           Fold: 9 train, 9 valid, 6 test\n") {
		t.Errorf("%v: summary %s", err, &b)
	}
	dir, _ := trained(t, r)
	loaded, err := Load(t.Context(), dir, source.LoadOptions{Toolkit: testsets.Chains{}})
	if err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(loaded, source.PartTest); !slices.Equal(got, want[source.PartTest]) {
		t.Errorf("the loaded run tests rows %v", got)
	}
	// Data to predict for need no column of parts, and its values are not read.
	for _, text := range []string{"smiles\nCO\n", "smiles,fold\nCO,later\n"} {
		st, err := openStream(dir, source.LoadOptions{Data: testsets.WriteTable(t, text), Toolkit: testsets.Chains{}})
		if err != nil {
			t.Fatal(err)
		}
		if lines := csvOf(t, st.Predict(t.Context())); lines[0] != "row,smiles,target_oxygens,prediction_oxygens,error" || len(lines) != 2 {
			t.Errorf("%q: %q", text, lines)
		}
		st.Close()
	}
}

// A column of parts may name only the training part. A remark says if it puts equal molecules into different parts.
func TestMoleculePartAlone(t *testing.T) {
	s := mustOpen(t, chainRequest(chainTable(t, 20, 2, ",part", func(row int) string { return "," + []string{"train", "test"}[row/2%20/19] }), settings.Values{"part": "part"}))
	if s.Parts[source.PartValid] != nil || len(rowsOf(s, source.PartTest)) != 2 {
		t.Errorf("tests %d rows", len(rowsOf(s, source.PartTest)))
	}
	if notes := strings.Join(s.Data.Notes(), "\n"); notes != `2 molecules are in more than one part of column "part" (equal canonical SMILES)` {
		t.Errorf("notes %q", notes)
	}
	if _, err := s.Fit(t.Context(), FitOptions{}); err != nil {
		t.Fatal(err)
	}
}

// Molecules of one group are in one part, together with equal molecules.
func TestMoleculeGroup(t *testing.T) {
	group := func(row int) int { return (row - 1) / 2 % 25 }
	path := chainTable(t, 100, 2, ",lab", func(row int) string {
		if row%2 == 0 {
			return "," // the row before has the group of this molecule
		}
		return fmt.Sprintf(",lab %d", group(row))
	})
	for _, given := range []settings.Values{{"split": "group"}, {"split": "group", "folds": 5}} {
		given["group"] = "lab"
		s := mustOpen(t, chainRequest(path, given))
		checkParts(t, s)
		in := map[int]string{}
		for _, part := range source.Parts() {
			rows := rowsOf(s, part)
			if len(rows) == 0 || part == source.PartTest && (len(rows) < 16 || len(rows) > 40) {
				t.Errorf("%s has %d rows", part, len(rows))
			}
			for _, row := range rows {
				if was := in[group(row)]; was != "" && was != part {
					t.Fatalf("group %d is in %s and %s", group(row), was, part)
				}
				in[group(row)] = part
			}
		}
		var b bytes.Buffer
		if err := s.Data.Summary().Text(&b, 80); err != nil || !strings.Contains(b.String(), "group          lab: 25 values, 100 missing\n") {
			t.Errorf("%v: summary %s", err, &b)
		}
	}
}

func TestMoleculeRoleErrors(t *testing.T) {
	for _, test := range []struct {
		text  string
		given settings.Values
		want  string
	}{
		{"smiles,oxygens,part\nCO,1,train\nCC,0,holdout\n", settings.Values{"part": "part"}, `chains.csv:3: column "part" is "holdout", expected train, valid`},
		{"smiles,oxygens,part\nCO,1,train\nCC,0,\n", settings.Values{"part": "part"}, `row 2 has no part in column "part", which --split column needs`},
		{"smiles,oxygens,part\nCO,1,test\nCC,0,test\n", settings.Values{"part": "part"}, `no molecule has part train in column "part"`},
		{"smiles,oxygens\nCO,1\n", settings.Values{"part": "fold"}, `--part: there is no column "fold", found "smiles", "oxygens"`},
		{"smiles,oxygens\nCO,1\n", settings.Values{"group": "oxygens"}, `--label: column "oxygens" has two roles`},
		{"smiles,oxygens\nCO,1\n", settings.Values{"group": "smiles"}, `--group: column "smiles" has two roles`},
		{"smiles,oxygens,a\nCO,1,0\n", settings.Values{"group": "a", "part": "a"}, `--group: column "a" has two roles`},
		{"smiles,oxygens\nCO,1\n", settings.Values{"split": "column"}, `--split column needs a column of parts; --part names it`},
		{"smiles,oxygens\nCO,1\n", settings.Values{"split": "group"}, `--split group needs a column of groups; --group names it`},
		{"smiles,oxygens\nCO,1\nOC,1\n", nil, `split random leaves valid without a molecule: equal molecules, and molecules of one group, stay in one part`},
		{"smiles,oxygens\nCO,1\nOC,1\n", settings.Values{"folds": 3}, `3 folds of 1 units of items that stay together`},
	} {
		_, err := Open(t.Context(), chainRequest(testsets.WriteTable(t, test.text), test.given))
		if testsets.Fails(t, err, test.want); err != nil && !settings.IsUsage(err) {
			t.Errorf("%q: not marked as the user's to mend", test.text)
		}
	}
}

// A single label of 0 and 1 has its share in each part, also if molecules repeat.
func TestEqualMoleculesStrata(t *testing.T) {
	path := chainTable(t, 100, 2, ",few", func(row int) string { return "," + map[bool]string{true: "1", false: "0"}[(row-1)/2%10 == 0] })
	r := chainRequest(path, nil)
	r.Task, r.Given["label"] = "", "few"
	s := mustOpen(t, r)
	for part, want := range map[string]int{source.PartTrain: 16, source.PartValid: 2, source.PartTest: 2} {
		n := 0
		for _, g := range s.Parts[part].Graphs {
			n += int(g.Targets[0])
		}
		if n != want {
			t.Errorf("%s has %d of the rare class, expected %d", part, n, want)
		}
	}
}

// Another column of SMILES in the training table gives other molecules, without parts.
func TestPartsOfAnotherColumn(t *testing.T) {
	path := chainTable(t, 40, 2, ",other", func(row int) string { return ",C" + strings.Repeat("O", row%7) })
	dir, _ := trained(t, chainRequest(path, nil))
	for column, parts := range map[string]bool{"smiles": true, "other": false} {
		st, err := openStream(dir, source.LoadOptions{Data: path, SMILES: column, Toolkit: testsets.Chains{}})
		if err != nil {
			t.Fatal(err)
		}
		if lines := csvOf(t, st.Predict(t.Context())); strings.Contains(lines[0], ",part,") != parts {
			t.Errorf("--smiles %s: columns %s", column, lines[0])
		}
		st.Close()
	}
}
