package schema

import "testing"

func TestNotationString(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  Want
		say   string
	}{
		{[]string{"1,5", "2,25"}, AnyFeature, "decimal comma"},
		{[]string{"1,234.5", "2"}, AnyFeature, "decimal point"},
		{[]string{"12,70 €", "3,00 €"}, AnyFeature, "decimal comma, €"},
		{[]string{"3.5%", "4%"}, AnyFeature, "percent"},
		{[]string{"31.01.2024", "01.02.2024"}, TimeOnly, "day-first"},
		{[]string{"2024-01-31", "2024-02-01"}, TimeOnly, "year-first"},
		{[]string{"1700000000", "1700000001"}, TimeOnly, "unix"},
		{[]string{"5", "6"}, TimeOnly, "unit unknown"},
		{[]string{"1", "2"}, AnyFeature, ""},
	} {
		b := NewBuilder("x", 0, BuilderOptions{Want: c.want})
		for _, text := range c.cells {
			if err := b.AddText(text); err != nil {
				t.Fatal(err)
			}
		}
		column, _, err := b.Column()
		if err != nil {
			t.Fatal(err)
		}
		if got := column.Notation.String(); got != c.say {
			t.Errorf("%q is written %q, want %q", c.cells, got, c.say)
		}
	}
	if got := (&Notation{Time: "02.01.06 15:04"}).String(); got != "02.01.06 15:04" {
		t.Errorf("a layout is written %q", got)
	}
}
