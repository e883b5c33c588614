package schema

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// columnOf returns a column of texts.
func columnOf(t *testing.T, o BuilderOptions, cells ...string) *Column {
	t.Helper()
	b := NewBuilder("c", 0, o)
	for _, cell := range cells {
		if err := b.AddText(cell); err != nil {
			t.Fatal(err)
		}
	}
	c, note, err := b.Column()
	if err != nil || c == nil {
		t.Fatal(note, err)
	}
	return c
}

// A column holds sets if one separator divides its texts into few parts, each of which is in several texts.
func TestSets(t *testing.T) {
	long := slices.Repeat([]string{"a", "b", "c"}, 10) // three sets in fewer than a tenth of the rows
	var tags []string                                  // all texts differ
	for k := range 30 {
		tags = append(tags, strings.Join([]string{string(rune('a' + k%6)), string(rune('g' + k/6)), "z"}, "|"))
	}
	for name, c := range map[string]struct {
		cells     []string
		o         BuilderOptions
		separator string
		values    string
	}{
		"bars":                          {cells: []string{"a|b", "b|c", "a|c", "a", ""}, separator: "|", values: "a b c"},
		"semicolons with blanks":        {cells: []string{"a; b", "b;c;", "c ;a", "c", "NA"}, separator: ";", values: "a b c"},
		"a part twice":                  {cells: []string{"a|a|b", "b|c", "a|c", "a"}, separator: "|", values: "a b c"},
		"numbers":                       {cells: []string{"1|2", "2|3.0", "1|3", "3"}, separator: "|", values: "1 2 3"},
		"lists of JSON":                 {cells: []string{`["a", "b"]`, `["b","\u0063"]`, `["a","c"]`, `[]`, `["c"]`}, separator: ListSeparator, values: "a b c"},
		"lists of Python":               {cells: []string{`['a', "b's"]`, `["b's",'c']`, `['a','c']`, `['c']`}, separator: ListSeparator, values: "a b's c"},
		"lists of NumPy":                {cells: []string{"['a' \"b's\"]", "[\"b's\"\n 'c']", `['a' 'c']`, `['c']`}, separator: ListSeparator, values: "a b's c"},
		"sets and tuples of Python":     {cells: []string{"{'a', 'b'}", "{'b','c'}", "('a', 'c')", "('c',)", "{'a'}"}, separator: ListSeparator, values: "a b c"},
		"arrays of PostgreSQL":          {cells: []string{"{a,\"b\"}", "{b,c}", "{a,NULL,c}", "{}", "{c}"}, separator: ListSeparator, values: "a b c"},
		"objects":                       {cells: []string{"{'a': 1}", "{'b': 1}", "{'a': 2}", "{a: 1, b: 2}"}},
		"intervals":                     {cells: []string{"(1, 2]", "(2, 3]", "[1, 2)", "(3, 4]"}},
		"lists of numbers":              {cells: []string{"[1, 2]", "[2, 3.0]", "[1 3]", "[3]", "[]"}, separator: ListSeparator, values: "1 2 3"},
		"missing parts":                 {cells: []string{`["a", null]`, `['b', None, "a"]`, `["a", "c", NaN]`, `["c", "b"]`, `["a"]`}, separator: ListSeparator, values: "a b c"},
		"vectors":                       {cells: []string{"[1, 0]", "[0, 1]", "[1, 1]", "[0, 0]", "[1, 0]"}},
		"a column that is nearly a key": {cells: tags, separator: "|", values: "a b c d e f g h i j k z"},
		"single texts":                  {cells: []string{"a", "b", "c", "a"}},
		"commas":                        {cells: []string{"a,b", "b,c", "a,c", "a"}},
		"two sets alone":                {cells: []string{"a|b", "b|a", "a", "b"}},
		"sets in few rows":              {cells: append([]string{"a|b", "b|c", "a|c"}, long...)},
		"as many parts as texts":        {cells: []string{"a|b", "b|c", "a|c"}},
		"parts of one text each":        {cells: []string{"a|x", "a|y", "a|z", "a|u", "a|v", "a|w", "a", "x"}},
		"text with semicolons":          {cells: []string{"good; cheap", "late; cold", "fine", "so so; dear", "never again"}},
		"a list and another text":       {cells: []string{`["a","b"]`, `["b","c"]`, `["a","c"]`, `["c"]`, "[c"}},
		"texts among lists":             {cells: []string{`["a","b"]`, "c", `["b","c"]`, `["a","c"]`, "b"}, separator: ListSeparator, values: "a b c"},
		"numbers among lists":           {cells: []string{`[1,2]`, "3", `[2,3]`, `[1,3]`, "2.0"}, separator: ListSeparator, values: "1 2 3"},
		"lists without quotes":          {cells: []string{"[a, b]", "[b, c]", "[a, c]", "[c]"}},
		"named in --categories":         {cells: []string{"a|b", "b|c", "a|c", "a"}, o: BuilderOptions{Want: CategoryOnly}},
		"divided by bars in lists;":     {cells: []string{"a;x|b", "b|c", "a;x|c", "b"}, separator: "|", values: "a;x b c"},
	} {
		t.Run(name, func(t *testing.T) {
			x := columnOf(t, c.o, c.cells...)
			if x.Key {
				t.Fatal("it identifies its rows")
			}
			var rows []int32
			for i := range c.cells {
				rows = append(rows, int32(i))
			}
			f, ok := Fit(x, rows)
			if !ok || f.Separator != c.separator || c.separator != "" && strings.Join(f.Values, " ") != c.values || f.Width != len(f.Values) {
				t.Errorf("separator %q and %q, expected %q and %q", f.Separator, f.Values, c.separator, c.values)
			}
			c.o.Stream = true
			b := NewBuilder("c", 0, c.o)
			for _, cell := range c.cells {
				if err := b.AddText(cell); err != nil {
					t.Fatal(err)
				}
			}
			if m, note, err := b.Measured(len(c.cells)); err != nil || note != "" || !reflect.DeepEqual(m, f) {
				t.Errorf("rows that are not kept give %+v %q %v, others %+v", m, note, err, f)
			}
		})
	}
}

// Only training rows decide, and codes mark the parts that occur in them.
func TestSetCodes(t *testing.T) {
	c := columnOf(t, BuilderOptions{}, "a|b", "b|c", "a|c", "b", "d", "d|a")
	f, _ := Fit(c, []int32{0, 1, 2, 3})
	if got := strings.Join(f.Values, ""); f.Separator != "|" || got != "abc" {
		t.Fatalf("separator %q, values %q", f.Separator, got)
	}
	if f, _ := Fit(c, []int32{0, 3, 4}); f.IsSet() {
		t.Errorf("%q are sets, expected categories", f.Values)
	}
	r := NewFieldReader(&f)
	for text, want := range map[string]struct {
		codes  []int32
		unseen string
	}{
		"a":       {codes: []int32{0, -1, -1}},
		" c | a|": {codes: []int32{0, -1, 0}},
		"":        {codes: []int32{-1, -1, -1}},
		"NA":      {codes: []int32{-1, -1, -1}},
		"d|b|e":   {codes: []int32{-1, 0, -1}, unseen: "d"},
		"a;b":     {codes: []int32{-1, -1, -1}, unseen: "a;b"},
	} {
		codes, unseen, err := r.Codes([]int32{7}, TextCell(text))
		if err != nil || !slices.Equal(codes[1:], want.codes) || codes[0] != 7 || unseen != want.unseen {
			t.Errorf("%q has the codes %v, lacks %q, %v, expected %v and %q", text, codes, unseen, err, want.codes, want.unseen)
		}
	}
	if _, _, err := r.Codes(nil, TextCell("a|\xff")); err == nil {
		t.Error("text that is no UTF-8 is read")
	}
	if got := strings.Join(Notation{}.parts(Joined([]string{`a"b`, "c|d"}, ListSeparator), ListSeparator), " "); got != `a"b c|d` {
		t.Errorf("a list is read as %q", got)
	}
}
