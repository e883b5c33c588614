package tablefile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// TestRecords reads JSON objects as rows.
func TestRecords(t *testing.T) {
	for name, c := range map[string]struct{ text, columns, rows string }{
		"lines":              {"{\"a\": \"x\", \"b\": 1}\n{\"a\": \"y\", \"b\": 2.50}\n", "a b", "x 1|y 2.5"},
		"a list":             {"[{\"a\": \"x\", \"b\": 1},\n {\"b\": 2, \"a\": \"y\"}]", "a b", "x 1|y 2"},
		"objects over lines": {"{\n \"a\": 1\n}\n{\n \"a\": 2\n}", "a", "1|2"},
		"a member later":     {"{\"a\": 1}\n{\"b\": true, \"a\": 2}\n{\"c\": null, \"b\": false}", "a b c", "1  |2 true | false "},
		"other values":       {"{\"a\": null, \"b\": \" x \", \"c\": NaN, \"d\": 12345678901234567890}", "a b c d", " x  12345678901234567890"},
		"characters":         {"\xef\xbb\xbf{\"Betr\\u00e4ge\": \"\\ud83d\\ude00 é\"}", "Beträge", "\U0001F600 é"},
		"UTF-16":             {"\xff\xfe" + strings.Join(strings.Split("{\"a\": 1}", ""), "\x00") + "\x00", "a", "1"},
		"gzip":               {string(gzipped("{\"a\": 1}\n{\"a\": 2}\n", " ", 1024)), "a", "1|2"},
		"lists":              {`{"b": 1, "a": ["x", "y\"\\"]}{"a": [1, 2.0, null]}{"a": []}{"a": [""]}`, "b a", `1 ["x","y\"\\"]| [1,2,null]| []| [null]`},
		"names alike":        {"{\"a\": 1, \"A\": 2, \" a\": 3}", "a A.1 a.2", "1 2 3"},
	} {
		got, err := readTable("x.jsonl", []byte(c.text), tablefile.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var rows []string
		for _, r := range got.rows {
			rows = append(rows, strings.Join(r, " "))
		}
		if columns, rows := strings.Join(got.columns, " "), strings.Join(rows, "|"); columns != c.columns || rows != c.rows || got.sum == "" {
			t.Errorf("%s: columns %q and rows %q with checksum %q, want %q and %q", name, columns, rows, got.sum, c.columns, c.rows)
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"a list of others":    {"{\"a\": 1}\n{\"a\": [1, true]}", `x.jsonl:2: member "a" is a list with true, expected texts or numbers`},
		"a list of lists":     {"{\"a\": 1}\n{\"a\": [[1]]}", `x.jsonl:2: member "a" is a list with a list, expected texts or numbers`},
		"an object first":     {"{\"_id\": {\"$oid\": \"5f\"}, \"a\": 1}\n", `x.jsonl:1: member "_id" is an object, expected a text, a number, true, false, null or a list; leave it out, or write its parts as members of their own, as pandas.json_normalize does`},
		"an object":           {"{\"a\": 1}\n\n{\"a\": {}}", `x.jsonl:3: member "a" is an object`},
		"twice":               {"{\"a\": 1}\n{\"a\": 1, \"a\": 2}", `x.jsonl:2: member "a" is there twice`},
		"infinite":            {"{\"a\": -Infinity}", `x.jsonl:1: member "a" is infinite`},
		"beyond 32 bits":      {"{\"a\": 1e39}", `x.jsonl:1: member "a" is "1e39", expected a number of at most`},
		"no object":           {"{\"a\": 1}\n3\n", `x.jsonl:2: expected a record {"source": ..., "target": ...}, found 3`},
		"cut":                 {"{\"a\": 1}\n{\"a\": ", "x.jsonl:2: the text ends inside of a record"},
		"a list without end":  {"[{\"a\": 1}", "x.jsonl:1: the text ends inside of a record"},
		"text behind a list":  {"[{\"a\": 1}]\n{}", "x.jsonl:2: there is more text behind the list of records"},
		"no JSON":             {"{\"a\": 1}\n{'a': 2}", "x.jsonl:2: is not JSON"},
		"a comma":             {"{\"a\": 1},\n{\"a\": 2}", "x.jsonl:1: is not JSON"},
		"records of no value": {"{\"a\": null}\n", ""},
	} {
		got, err := readTable("x.jsonl", []byte(c.text), tablefile.Options{})
		var place *data.ParseError
		if c.want == "" {
			if err != nil || len(got.rows) != 0 {
				t.Errorf("%s: %d rows, %v", name, len(got.rows), err)
			}
		} else if !errors.As(err, &place) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// FuzzRecords reads any bytes after a record as records.
func FuzzRecords(f *testing.F) {
	for _, s := range []string{"", "{\"b\": true}", "\n{\"a\": \"\\ud800\"}", "{\"a\": 1e999}", "[", "{\"\": NaN}", "{\"a\": \"x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range []string{"{\"a\": 1}%s", "[{\"a\": 1},%s]"} {
			got, err := readBudget("t.jsonl", fmt.Appendf(nil, form, text), tablefile.Options{}, data.NewBudget(64<<20))
			checkTable(t, got, err)
		}
	})
}
