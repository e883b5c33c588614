package tables_test

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

// A note names a column whose numbers may have separated thousands, if another column has decimal commas.
func TestThousands(t *testing.T) {
	for name, c := range map[string]struct {
		rows  string // share;count
		o     tables.Options
		noted bool
	}{
		"thousands":           {"0,5;1.234\n2,25;12.500\n1,5;3.000", tables.Options{}, true},
		"by option":           {"0,5;1.234\n2,25;12.500\n1,5;3.000", tables.Options{Decimal: ","}, false},
		"other decimals":      {"0,5;1.23\n2,25;12.500\n1,5;3.000", tables.Options{}, false},
		"zeros in front":      {"0,5;0.234\n2,25;0.500\n1,5;0.125", tables.Options{}, false},
		"whole numbers":       {"0,5;1\n2,25;12\n1,5;3", tables.Options{}, false},
		"decimal points":      {"0.5;1.234\n2.25;12.500\n1.5;3.000", tables.Options{}, false},
		"a column of classes": {"0,5;1.234\n2,25;12.500\n1,5;3.000", tables.Options{Categories: []string{"count"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("source;target;share;count\n")
			for i, row := range strings.Split(c.rows, "\n") {
				text.WriteString([]string{"a;b;", "b;c;", "c;a;"}[i] + row + "\n")
			}
			notes := strings.Join(read(t, c.o, "edges.csv", text.String()).Notes, "\n")
			const want = `edges.csv: column "count" has numbers such as 1.234, which are read with a decimal point, and column "share" has decimal commas: --decimal comma reads 1234`
			if strings.Contains(notes, want) != c.noted || strings.Contains(notes, "--decimal comma reads") != c.noted {
				t.Errorf("notes %q, noted %v", notes, c.noted)
			}
		})
	}
}
