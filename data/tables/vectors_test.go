package tables_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data/tables"
)

// TestVectors reads lists of numbers as one column for each position. Ids, sets and columns that options name are not changed.
func TestVectors(t *testing.T) {
	many := "source,target,v\n" + strings.Repeat("a,b,\"[0.5, 1]\"\n", 1100)
	for _, c := range []struct {
		name, text string
		o          tables.Options
		columns    string // names of the columns
		err        string
	}{
		{"fractions", "source;target;v\na;b;[0.5, 1]\nb;c;\nc;a;[ 2. -3e-2]\n", tables.Options{}, "v_0 v_1", ""},
		{"whole numbers", "source;target;v\na;b;[3, 1]\nb;c;{1,None}\nc;a;(2, 2)\n", tables.Options{}, "v_0 v_1", ""},
		{"words for none", "source;target;v\na;b;-\nb;c;[0.5]\nc;a;[1.5]\n", tables.Options{Missing: []string{"-"}}, "v_0", ""},
		{"ids", "source;target;v\n(0, 1);(0, 2);1.5\n(0, 2);(1, 1);2\n(1, 1);(0, 1);2.5\n", tables.Options{}, "v", ""},
		{"an empty list", "source;target;v\na;b;[]\nb;c;[0.5, 2]\nc;a;[2, 2]\n", tables.Options{}, "v_0 v_1", ""},
		{"sets of which one is empty", "source;target;v\na;b;[]\nb;c;[1, 2]\nc;a;[2, 2]\n", tables.Options{}, "v", ""},
		{"sets", "source;target;v\na;b;[3, 1]\nb;c;[1]\nc;a;[2, 2]\n", tables.Options{}, "v", ""},
		{"texts", "source;target;v\na;b;[0.5, 1]\nb;c;none so far\nc;a;[2, 2]\n", tables.Options{}, "v", ""},
		{"categories", "source;target;v\na;b;[3, 1]\nb;c;[1, 2]\nc;a;[2, 2]\n", tables.Options{Categories: []string{"v"}}, "v", ""},
		{"left out", "source;target;v;w\na;b;[3, 1];1\nb;c;[1, 2];2\nc;a;[2, 2];2\n", tables.Options{Ignore: []string{"v"}}, "w", ""},
		{"another length", many + "a,b,\"[1, 2, 3]\"\n", tables.Options{}, "", `edges.csv:1102: column "v" is "[1, 2, 3]", expected a list of 2 numbers as in other rows`},
		{"a word", many + "a,b,much\n", tables.Options{}, "", `edges.csv:1102: column "v_0" is "much", expected a number`},
	} {
		s, err := tables.Read(fstest.MapFS{"edges.csv": {Data: []byte(c.text)}}, c.name, c.o)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var names []string
		for _, x := range s.EdgeColumns {
			names = append(names, x.Name)
		}
		if got := strings.Join(names, " "); got != c.columns {
			t.Errorf("%s: columns %q, want %q", c.name, got, c.columns)
		}
	}
}
