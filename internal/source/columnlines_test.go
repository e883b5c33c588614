package source

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// summaryOf reads a table of edges.
func summaryOf(t *testing.T, text string, given settings.Values) TableSummary {
	t.Helper()
	path := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	set := &settings.Settings{Data: settings.DataSettings{Path: path, Edges: settings.EdgesAuto}}
	tableSource.InitSettings(&set.Data)
	if err := given.Apply(set, false, settings.OfData); err != nil {
		t.Fatal(err)
	}
	in, err := tableSource.Read(context.Background(), &set.Data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return in.Summary().(TableSummary)
}

// transfers is a table as a spreadsheet in Central Europe saves it.
func transfers() string {
	var b strings.Builder
	b.WriteString("Nr;Von;An;Betrag;Wann;Zweck;Leer;Urteil;;\n")
	for i := range 40 {
		purpose := []string{"Miete", "Lohn", "", "eine lange Erklärung der Zahlung"}[i%4]
		fmt.Fprintf(&b, "B%03d;k%d;k%d;1.%03d,50;%02d.03.2024;%s;;%s;;\n", i, i%7, i%5+1, 25*i, i%28+1, purpose, []string{"gut", "schlecht"}[i%9/8])
	}
	return b.String()
}

// TestColumnLines: the lines on columns that data info and train print for a small table.
func TestColumnLines(t *testing.T) {
	s := summaryOf(t, transfers(), settings.Values{"source": "Von", "target": "An", "label": "Urteil"})
	for _, c := range []struct {
		width int
		short bool
		want  string
	}{
		{80, false, golden80}, {120, false, golden120}, {80, true, golden80Short},
	} {
		if got := strings.Join(columnLines(s.Info.Tables[0], c.width, c.short), "\n"); got != strings.Trim(c.want, "\n") {
			t.Errorf("width %d, short %v:\n%s\nwant\n%s", c.width, c.short, got, c.want)
		}
	}
}

// TestDecided: the label determines the task, and a line says so.
func TestDecided(t *testing.T) {
	row := func(names, format string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "source,target%s\n", names)
		for i := range 60 {
			b.WriteString("a,b" + strings.NewReplacer("{}", fmt.Sprint(i), "{1}", fmt.Sprint(i%5)).Replace(format) + "\n")
		}
		return b.String()
	}
	for _, c := range []struct {
		text  string
		given settings.Values
		want  string
	}{
		{row(",amount", ",{}.25"), settings.Values{"label": "amount"}, `label "amount": 60 different numbers: edge-regression`},
		{row(",label", ",x"), nil, `label "label": 1 class: edge-classification`},
		{row(",label", ",{1}"), nil, `label "label": 5 classes: edge-classification; --task edge-regression learns these numbers`},
		{row(",label", ",x{1}"), nil, `label "label": 5 classes: edge-classification`},
		{row("", ""), nil, "no label"},
	} {
		if got := summaryOf(t, c.text, c.given); got.Decided != c.want || (got.Task == "") != (c.want == "no label") {
			t.Errorf("decided %q, task %q, want %q", got.Decided, got.Task, c.want)
		}
	}
}

// TestColumnLinesAll: each column of a table is listed once, and no line is too long.
func TestColumnLinesAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range 300 {
		table := tables.TableInfo{File: "edges.csv", Of: tables.OfEdges, Rows: r.IntN(1000)}
		for k := range 1 + r.IntN(2*mostHeadColumns) {
			low, high := r.NormFloat64(), float64(r.IntN(1e9))
			c := tables.TableColumn{Name: fmt.Sprint("c", k, "_", strings.Repeat(pick("x", "é", "名"), r.IntN(90))), Role: pick(tables.RoleFeature, tables.RoleKey, tables.RoleLeftOut, tables.RoleLabel), Kind: pick("", tables.KindNumber, tables.KindID),
				Missing: r.IntN(50), Example: strings.Repeat("w\n", r.IntN(60))}
			switch r.IntN(4) {
			case 0:
				c.Min, c.Max = &low, &high
			case 1:
				c.First, c.Last = "2024-01-31", "2024-02-01T12:30:00Z"
			case 2:
				c.Different, c.Commonest = 9, []tables.ValueCount{{Value: strings.Repeat("v", r.IntN(100)), Rows: 4}}
			}
			if r.IntN(4) == 0 {
				c.LeftOut, c.Flag = "is no feature", "--feature "+c.Name
			}
			table.Columns = append(table.Columns, c)
		}
		width, short := 60+r.IntN(61), r.IntN(2) == 0
		lines := columnLines(table, width, short)
		for _, l := range lines {
			if runes(l) > width {
				t.Fatalf("%d wide, more than %d: %q", runes(l), width, l)
			}
		}
		for k := range table.Columns {
			listed := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(l, fmt.Sprint("  c", k, "_")) })
			if more := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  and ") }); len(listed) != 1 && !(more && len(listed) == 0) {
				t.Fatalf("column %d is listed %d times:\n%s", k, len(listed), strings.Join(lines, "\n"))
			}
		}
	}
}

const golden80 = `
edges.csv, 40 rows
  column     role      kind             values                 missing  example
  Nr         key       id, text         nearly all different         0  B000
  Von        source    id, text         7: k0 (6), k1 (6), k…        0  k0
  An         target    id, text         5: k1 (8), k2 (8), k…        0  k1
  Betrag     feature   decimal comma    1000.5 to 1975.5             0  1.000,50
  Wann       feature   time, day-first  2024-03-01 to 2024-0…        0  01.03.2…
  Zweck      feature   category         3: Lohn (10), Miete …       10  Miete
  Leer       left out                                               40
  Urteil     label     category         2: gut (36), schlech…        0  gut
  (9 to 10)  left out
  column "Nr" identifies its rows: nearly all values are different; --feature Nr
    brings it in
  column "Leer" is empty
  column (9 to 10) has no name and no value
`

const golden120 = `
edges.csv, 40 rows
  column     role      kind             values                                                       missing  example
  Nr         key       id, text         nearly all different                                               0  B000
  Von        source    id, text         7: k0 (6), k1 (6), k2 (6), k3 (6), k4 (6), …                       0  k0
  An         target    id, text         5: k1 (8), k2 (8), k3 (8), k4 (8), k5 (8)                          0  k1
  Betrag     feature   decimal comma    1000.5 to 1975.5                                                   0  1.000,50
  Wann       feature   time, day-first  2024-03-01 to 2024-03-28                                           0  01.03.2024
  Zweck      feature   category         3: Lohn (10), Miete (10), eine lange Erklärung der Zahlung…       10  Miete
  Leer       left out                                                                                     40
  Urteil     label     category         2: gut (36), schlecht (4)                                          0  gut
  (9 to 10)  left out
  column "Nr" identifies its rows: nearly all values are different; --feature Nr brings it in
  column "Leer" is empty
  column (9 to 10) has no name and no value
`

const golden80Short = `
edges.csv, 40 rows
  column     role      kind             values
  Nr         key       id, text         nearly all different
  Von        source    id, text         7: k0 (6), k1 (6), k2 (6), k3 (6), k4 (…
  An         target    id, text         5: k1 (8), k2 (8), k3 (8), k4 (8), k5 (…
  Betrag     feature   decimal comma    1000.5 to 1975.5
  Wann       feature   time, day-first  2024-03-01 to 2024-03-28
  Zweck      feature   category         3: Lohn (10), Miete (10), eine lange Er…
  Leer       left out                   all missing
  Urteil     label     category         2: gut (36), schlecht (4)
  (9 to 10)  left out
  column "Nr" identifies its rows: nearly all values are different; --feature Nr
    brings it in
  column "Leer" is empty
  column (9 to 10) has no name and no value
`

// A column of sets is listed with the columns made from it.
func TestSetLine(t *testing.T) {
	text := "source,target,tags,label\n"
	for i := range 40 {
		text += fmt.Sprintf("a%d,b%d,%s,%s\n", i%7, i%5, []string{"a|b", "b|c", "a|c", "a"}[i%4], []string{"x", "y"}[i%3/2])
	}
	lines := strings.Join(columnLines(summaryOf(t, text, settings.Values{}).Info.Tables[0], 100, false), "\n")
	if want := "set, by |  3: a (30), b (20), c (20)"; !strings.Contains(lines, want) {
		t.Errorf("%s\nlacks %q", lines, want)
	}
	if info := summaryOf(t, text, settings.Values{}).Info.EdgeFeatures[0]; info.Separator != "|" || info.Values != 3 {
		t.Errorf("%+v", info)
	}
}
