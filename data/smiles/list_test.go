package smiles

import (
	"reflect"
	"strings"
	"testing"
)

// Lists are read as JSON and Python write them.
func TestParseList(t *testing.T) {
	for _, test := range []struct {
		text  string
		items int
		pairs bool
		want  []string
	}{
		{"[1.5, null, -3e2]", 3, false, []string{"1.5", "", "-3e2"}},
		{" [ 1 ,2 ] ", 2, false, []string{"1", "2"}},
		{"[]", 0, false, nil},
		{"[nan, None, NA, , 1]", 5, false, []string{"", "", "", "", "1"}},
		{"[True, false]", 2, false, []string{"1", "0"}},
		{`["C", 'sp, 3', "a \"b\"", "\\", 'null', null]`, 6, false, []string{"C", "sp, 3", `a "b"`, `\`, "", ""}},
		{"[[1,2],[3, None]]", 2, true, []string{"1", "2", "3", ""}},
		{"[null, [1,2], NaN]", 3, true, []string{"", "", "1", "2", "", ""}},
		{"[null, null]", 2, false, []string{"", ""}},
	} {
		got, err := parseList(test.text)
		if err != nil || got.items != test.items || got.pairs != test.pairs || !reflect.DeepEqual(got.values, test.want) {
			t.Errorf("%s: %+v, %v", test.text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":            "it does not begin with [",
		"1, 2":        "it does not begin with [",
		"[Na]":        `"Na" is no number, and words need quotes`,
		"[Na+].[Cl-]": `"Na+" is no number`,
		"[1, 2":       "it does not end with ]",
		"[1 2]":       "it does not end with ]",
		"[1] 2":       `"2" behind its end`,
		"[[1,2], 3]":  "single values among pairs",
		"[[1,2,3]]":   "3 values for one bond, expected two",
		"[[]]":        "0 values for one bond, expected two",
		"[[[1]]]":     "it does not end with ]",
		`["a]`:        "a quote is not closed",
		"[[[[[[[[[[[": "it does not end with ]",
	} {
		_, err := parseList(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "expected a list such as [1.5, null, 3]") {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}
