package schema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// lineNumbers counts the rows as in a file with a header.
type lineNumbers struct{ line int }

func (l *lineNumbers) Line(int) int { return l.line }

// built reads cells as a column.
func built(o BuilderOptions, cells ...Cell) (*Column, string, int, error) {
	b, at := NewBuilder("x", 0, o), &lineNumbers{1}
	for _, c := range cells {
		at.line++
		if err := b.Add(c, at); err != nil {
			return nil, "", at.line, err
		}
	}
	c, note, err := b.Column()
	return c, note, b.WrongLine(), err
}

// texts returns cells of a text file.
func texts(list ...string) []Cell {
	var out []Cell
	for _, t := range list {
		out = append(out, TextCell(t))
	}
	return out
}

// many returns distinct texts.
func many(format string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(format, i+1))
	}
	return out
}

// count returns the whole numbers from 0.
func count(n int) []int32 {
	var out []int32
	for i := range n {
		out = append(out, int32(i))
	}
	return out
}

var none = math.NaN()

// TestColumn: all cells of a column decide its kind.
func TestColumn(t *testing.T) {
	for name, test := range map[string]struct {
		o     BuilderOptions
		cells []Cell
		want  Column // value or code, and text; then the notation
	}{
		"exponents":          {cells: texts("6,273E+02", "1,500E-1"), want: Column{Value: []float64{627.3, 0.15}, Notation: &Notation{Decimal: Comma}}},
		"decimal commas":     {cells: texts("355,90", "1.234,50", "7"), want: Column{Value: []float64{355.9, 1234.5, 7}, Notation: &Notation{Decimal: Comma}}},
		"thousands":          {cells: texts("1,234", "1,234.50", "7"), want: Column{Value: []float64{1234, 1234.5, 7}, Notation: &Notation{Decimal: Point}}},
		"plain":              {cells: texts("1.5", "NA", "-2e1"), want: Column{Value: []float64{1.5, none, -20}}},
		"three digits":       {cells: texts("1.234", "0.500"), want: Column{Value: []float64{1.234, 0.5}}},
		"named mark":         {o: BuilderOptions{Decimal: Comma}, cells: texts("1,234", "5"), want: Column{Value: []float64{1.234, 5}, Notation: &Notation{Decimal: Comma}}},
		"currency":           {cells: texts("12,70 €", "1,5 €"), want: Column{Value: []float64{12.7, 1.5}, Notation: &Notation{Decimal: Comma, Currency: "€"}}},
		"percent":            {cells: texts("3.5%", "10%"), want: Column{Value: []float64{0.035, 0.1}, Notation: &Notation{Percent: true}}},
		"durations":          {cells: texts("1:30", "NA", "2 days 00:00:01"), want: Column{Value: []float64{5400, none, 172801}, Notation: &Notation{Duration: true}}},
		"scores of a game":   {cells: texts("98:76", "1:30", "98:76"), want: Column{Code: []int32{0, 1, 0}, Text: []string{"98:76", "1:30"}}},
		"a unit":             {cells: texts("5.4 km", "12 km"), want: Column{Value: []float64{5.4, 12}, Notation: &Notation{Currency: "km"}}},
		"degrees":            {cells: texts("5.4°", "12 °"), want: Column{Value: []float64{5.4, 12}, Notation: &Notation{Currency: "°"}}},
		"versions":           {cells: texts("1.5", "2.0", "1.5.1", "1.5"), want: Column{Code: []int32{0, 1, 2, 0}, Text: []string{"1.5", "2", "1.5.1"}}},
		"two units":          {cells: texts("5 mg", "10 ml", "5 mg"), want: Column{Code: []int32{0, 1, 0}, Text: []string{"5 mg", "10 ml"}}},
		"few numbers":        {cells: texts("1", "-", "2", "-", "1"), want: Column{Code: []int32{0, 1, 2, 1, 0}, Text: []string{"1", "-", "2"}}},
		"codes with zeros":   {cells: texts("007", "12", "007"), want: Column{Code: []int32{0, 1, 0}, Text: []string{"007", "12"}}},
		"underscores":        {cells: texts("1_12", "11_2"), want: Column{Code: []int32{0, 1}, Text: []string{"1_12", "11_2"}}},
		"like an exponent":   {cells: texts("12e4567", "a3", "12e4567"), want: Column{Code: []int32{0, 1, 0}, Text: []string{"12e4567", "a3"}}},
		"booleans":           {cells: texts("True", "false", "TRUE", "0"), want: Column{Code: []int32{0, 1, 0, 1}, Text: []string{"True", "false"}, Notation: &Notation{Boolean: true}}},
		"typed booleans":     {cells: []Cell{BooleanCell(true), {}, BooleanCell(false)}, want: Column{Code: []int32{0, -1, 1}, Text: []string{"true", "false"}, Notation: &Notation{Boolean: true}}},
		"codes":              {o: BuilderOptions{Want: CategoryOnly}, cells: append(texts("5.0", "5", "6"), IntegerCell(5), NumberCell(6)), want: Column{Code: []int32{0, 0, 1, 0, 1}, Text: []string{"5", "6"}}},
		"words":              {cells: texts(" a", "a ", "b"), want: Column{Code: []int32{0, 0, 1}, Text: []string{"a", "b"}}},
		"own missing":        {o: BuilderOptions{Missing: []string{"?"}}, cells: texts("?", "1"), want: Column{Value: []float64{none, 1}, Notation: &Notation{Missing: []string{"?"}}}},
		"dates":              {cells: texts("2024-01-31", "2024-02-01T00:00:01Z"), want: Column{Value: []float64{1706659200, 1706745601}, Notation: &Notation{Time: yearFirst}}},
		"days first":         {cells: texts("01/02/2024", "31/01/2024"), want: Column{Value: []float64{1706745600, 1706659200}, Notation: &Notation{Time: dayFirst}}},
		"dates of .NET":      {cells: texts("/Date(1706706300000)/", "/Date(-1500+0100)/", "/Date(0-0730)/"), want: Column{Value: []float64{1706706300, -1.5, 0}, Notation: &Notation{Time: jsonDate}}},
		"mail":               {cells: texts("Mon, 14 May 2001 16:39:00 -0700 (PDT)", "Tue, 15 May 2001 00:00:00 +0000 (UTC)"), want: Column{Value: []float64{989883540, 989884800}, Notation: &Notation{Time: monthNamed}}},
		"zero dates":         {cells: texts("0000-00-00", "2024-01-31", "0000-00-00 00:00:00"), want: Column{Value: []float64{none, 1706659200, none}, Notation: &Notation{Time: yearFirst}}},
		"powers of R":        {o: BuilderOptions{Want: CategoryOnly}, cells: texts("1e+05", "100000", "1.5e+01", "15", "1.23e+01"), want: Column{Code: []int32{0, 0, 1, 1, 2}, Text: []string{"100000", "15", "1.23e+01"}}},
		"codes and a word":   {o: BuilderOptions{Want: Feature}, cells: texts(append(many("0%04d", 30), "closed", "closed", "closed", "closed")...), want: Column{Code: append(count(31), 30, 30, 30), Text: append(many("0%04d", 30), "closed")}},
		"typed times":        {cells: []Cell{TimeCell(5), {}}, want: Column{Value: []float64{5, none}, Notation: &Notation{Time: yearFirst}}},
		"milliseconds":       {o: BuilderOptions{Want: TimeOnly}, cells: texts("1706659200000", "1706659201500"), want: Column{Value: []float64{1706659200, 1706659201.5}, Notation: &Notation{Time: unixMilli}}},
		"compact with hours": {o: BuilderOptions{Want: TimeOnly}, cells: []Cell{IntegerCell(20240131130507), IntegerCell(202402010000)}, want: Column{Value: []float64{1706706307, 1706745600}, Notation: &Notation{Time: compact}}},
		"compact":            {o: BuilderOptions{Want: TimeOnly}, cells: []Cell{IntegerCell(20240131), IntegerCell(20240201)}, want: Column{Value: []float64{1706659200, 1706745600}, Notation: &Notation{Time: compact}}},
		"steps":              {o: BuilderOptions{Want: TimeOnly}, cells: texts("3", "1"), want: Column{Value: []float64{3, 1}, Notation: &Notation{Time: plainTime}}},
		"classes":            {o: BuilderOptions{Want: AnyLabel}, cells: texts("0.0", "1", "0"), want: Column{Code: []int32{0, 1, 0}, Text: []string{"0", "1"}}},
		"half stars":         {o: BuilderOptions{Want: AnyLabel}, cells: texts("0.5", "4", "3", "0.5"), want: Column{Value: []float64{0.5, 4, 3, 0.5}}},
		"signed ratings":     {o: BuilderOptions{Want: AnyLabel}, cells: texts("-3", "-1", "0", "1", "2", "5"), want: Column{Value: []float64{-3, -1, 0, 1, 2, 5}}},
		"signed classes":     {o: BuilderOptions{Want: AnyLabel}, cells: texts("-1", "0", "1"), want: Column{Code: []int32{0, 1, 2}, Text: []string{"-1", "0", "1"}}},
		"typed ratings":      {o: BuilderOptions{Want: AnyLabel}, cells: []Cell{NumberCell(1), {}, NumberCell(2.5), NumberCell(4)}, want: Column{Value: []float64{1, math.NaN(), 2.5, 4}}},
		"typed classes":      {o: BuilderOptions{Want: AnyLabel}, cells: []Cell{IntegerCell(1), {}, NumberCell(0), IntegerCell(1)}, want: Column{Code: []int32{0, -1, 1, 0}, Text: []string{"1", "0"}}},
		"ends of months":     {cells: texts("31/01/02", "28/02/03", "31/03/04", "30/04/05"), want: Column{Value: []float64{1012435200, 1046390400, 1080691200, 1114819200}, Notation: &Notation{Time: dayFirst}}},
		"short years":        {cells: texts("20/11/22", "28/11/22"), want: Column{Value: []float64{1668902400, 1669593600}, Notation: &Notation{Time: dayFirst}}},
		"spans":              {cells: texts("2h 50m", "19h", "45 min"), want: Column{Value: []float64{10200, 68400, 2700}, Notation: &Notation{Duration: true}}},
		"codes like spans":   {cells: texts("5s", "6s", "3m"), want: Column{Code: []int32{0, 1, 2}, Text: []string{"5s", "6s", "3m"}}},
		"switches":           {cells: texts("on", "Off", "ON"), want: Column{Code: []int32{0, 1, 0}, Text: []string{"on", "Off"}, Notation: &Notation{Boolean: true}}},
		"no width":           {cells: texts("1.5\u200b", "\ufeff 2", "\u2060", "3\u200b"), want: Column{Value: []float64{1.5, 2, math.NaN(), 3}}},
		"no unit":            {o: BuilderOptions{Want: TimeOnly}, cells: texts("1", "1700000000", "1700000000000"), want: Column{Value: []float64{1, 1.7e9, 1.7e12}, Notation: &Notation{Time: plainTime}}},
		"a word kept":        {o: BuilderOptions{Missing: []string{"-NA", "?"}}, cells: texts("NA", "DE", "?", "na"), want: Column{Code: []int32{0, 1, -1, -1}, Text: []string{"NA", "DE"}, Notation: &Notation{Missing: []string{"-NA", "?"}}}},
		"text behind number": {cells: []Cell{NumberCell(1.5), TextCell("x"), {}, IntegerCell(2)}, want: Column{Code: []int32{0, 1, -1, 2}, Text: []string{"1.5", "x", "2"}}},
	} {
		got, note, _, err := built(test.o, test.cells...)
		if err != nil || got == nil {
			t.Errorf("%s: %v %q", name, err, note)
			continue
		}
		test.want.Name = "x"
		if fmt.Sprint(got.Value, got.Code, got.Text, got.Key) != fmt.Sprint(test.want.Value, test.want.Code, test.want.Text, test.want.Key) || !reflect.DeepEqual(got.Notation, test.want.Notation) {
			t.Errorf("%s: %+v %+v, expected %+v %+v", name, got, got.Notation, test.want, test.want.Notation)
		}
	}
}

// TestColumnErrors: a column that can be read in two ways, or hardly at all, gives an error that names the option.
func TestColumnErrors(t *testing.T) {
	numbers := many("%d.5", 20)
	for name, test := range map[string]struct {
		o     BuilderOptions
		cells []Cell
		want  string
		line  int
	}{
		"decimal or thousands": {cells: texts("12", "1,234"), want: "--decimal comma or --decimal point", line: 3},
		"two marks":            {cells: texts("1.5", "2,5"), want: `"1.5" (line 2) with a decimal point and "2,5" (line 3) with a decimal comma`, line: 3},
		"two currencies":       {cells: texts("$5", "€6"), want: "two currencies", line: 3},
		"percent and not":      {cells: texts("5%", "6"), want: "with and without a percent sign"},
		"day or month":         {cells: texts("03/04/2024", "05/05/2024"), want: "--time-format month-first or --time-format day-first", line: 2},
		"day or year":          {cells: texts("22/11/02", "22/11/20", "23/01/28"), want: `"22/11/02", which may have the day or the year first: say it with --time-format day-first or --time-format %y/%m/%d`, line: 2},
		"a dash":               {cells: texts("1.5", "-", "2", "-", "7"), want: "--missing", line: 3},
		"a dash in a label":    {o: BuilderOptions{Want: AnyLabel}, cells: texts("1.5", "?", "2", "7"), want: "--missing", line: 3},
		"a word":               {cells: texts(append(numbers, "oops")...), want: "--missing", line: 22},
		"unknown amounts":      {cells: texts(append(many("%d.5", 21), "unknown", "unknown", "unknown")...), want: `"unknown", expected a number, as 21 of 24 values are`, line: 23},
		"unknown in a label":   {o: BuilderOptions{Want: AnyLabel}, cells: texts(append(many("%d.5", 21), "unknown", "unknown", "unknown")...), want: "--missing", line: 23},
		"censored amounts":     {cells: texts(append(many("%d.5", 21), many("<%d.5", 9)...)...), want: `"<1.5", expected a number`, line: 23},
		"many in two units":    {cells: texts(append(many("%d.5 km", 21), "800 min")...), want: `two units, "1.5 km" (line 2) and "800 min" (line 23)`},
		"a word among times":   {cells: texts(append([]string{"never"}, many("2024-01-%02d", 28)...)...), want: `"never", expected a time as most other values are`, line: 2},
		"times in two ways":    {cells: texts(append(many("2024-01-%02d", 28), "31 Jan 2024")...), want: `"31 Jan 2024", expected a time as most other values are, written in one way`, line: 30},
		"a time of two ways":   {o: BuilderOptions{Want: TimeOnly}, cells: texts("2024-01-31", "1 Feb 2024"), want: "write all times in one way; leave it empty or name it in --missing", line: 3},
		"times of day":         {o: BuilderOptions{Want: TimeOnly}, cells: texts("10:00:00", "11:30:00"), want: "a time of day without a date: --time names another column", line: 2},
		"infinite flow":        {cells: texts("1.5", "Infinity"), want: "name it in --missing", line: 3},
		"infinite":             {cells: texts("1", "inf"), want: "expected a finite number", line: 3},
		"typed infinity":       {cells: []Cell{NumberCell(math.Inf(1))}, want: "expected a finite number", line: 2},
		"two units":            {o: BuilderOptions{Want: TimeOnly}, cells: texts("0", "1700000000", "1700000000000"), want: `is "1700000000000", milliseconds since 1970, and "1700000000" (line 3) is seconds since 1970`, line: 4},
		"two typed units":      {o: BuilderOptions{Want: TimeOnly}, cells: []Cell{NumberCell(1.7e12), {}, NumberCell(1.7e9)}, want: "write all times in one unit", line: 4},
		"many in two epochs":   {o: BuilderOptions{Want: TimeOnly}, cells: texts(append(many("1600%06d", MaxTexts+9), "1600000000000")...), want: "(line 2) is seconds", line: MaxTexts + 11},
		"no time":              {o: BuilderOptions{Want: TimeOnly}, cells: texts("2024-01-31", "soon"), want: "expected a time", line: 3},
		"no number":            {o: BuilderOptions{Want: NumberOnly}, cells: texts("1", "x"), want: "expected a number", line: 3},
		"many classes":         {o: BuilderOptions{Want: ClassOnly}, cells: texts(many("c%d", MaxTexts+1)...), want: "--task edge-regression", line: MaxTexts + 2},
		"not UTF-8":            {cells: texts("\xff"), want: "UTF-8", line: 2},
	} {
		_, _, line, err := built(test.o, test.cells...)
		if err == nil || !strings.Contains(err.Error(), test.want) || test.line > 0 && line != test.line {
			t.Errorf("%s: line %d, %v, expected line %d with %q", name, line, err, test.line, test.want)
		}
	}
}

// TestKeys: a column that identifies its rows is not a feature, unless an option makes it one.
func TestKeys(t *testing.T) {
	for name, test := range map[string]struct {
		name string
		want Want
		list []string
		key  bool
	}{
		"texts":          {"x", AnyFeature, many("t%d", 50), true},
		"brought in":     {"x", Feature, many("t%d", 50), false},
		"few rows":       {"x", AnyFeature, many("t%d", 10), false},
		"an id":          {"payment_id", AnyFeature, many("9%07d", 50), true},
		"counted":        {"x", AnyFeature, many("%d", 50), true},
		"amounts":        {"amount", AnyFeature, many("30000%04d", 50), false},
		"with fractions": {"id", AnyFeature, many("%d.25", 50), false},
		"very many":      {"x", AnyFeature, many("t%d", MaxTexts+100), true},
		"repeated":       {"x", AnyFeature, append(many("t%d", 50), many("t%d", 50)...), false},
	} {
		b := NewBuilder(test.name, 0, BuilderOptions{Want: test.want})
		for _, text := range test.list {
			if err := b.AddText(text); err != nil {
				t.Fatal(err)
			}
		}
		c, note, err := b.Column()
		if err != nil || c == nil || c.Key != test.key {
			t.Errorf("%s: %v %q %v, expected key %v", name, err, note, c != nil && c.Key, test.key)
		} else if c.Key && c.String(1) != test.list[1] {
			t.Errorf("%s: row 1 is %q, expected %q", name, c.String(1), test.list[1])
		}
	}
}

// TestSameFromEverywhere: a cell of new data gets the same value from text as from typed cells, and a
// stream of rows gives the same statistics as a column.
func TestSameFromEverywhere(t *testing.T) {
	for name, list := range map[string][]string{
		"numbers": many("%d.25", 40), "commas": many("%d,25", 40), "money": many("$1,%03d.50", 40), "booleans": {"yes", "No", "YES", "no"},
		"codes": {"007", "1.0", "1", "12"}, "dates": {"2024-01-31", "2024-02-01 10:00:00.5", "2023-05-05"}, "words": {"a", " b", "b", "A"},
		"more numbers than are told apart": many("%d.125", MaxTexts+500),
	} {
		c, _, _, err := built(BuilderOptions{Want: Feature}, texts(list...)...)
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]int32, len(list))
		stream := NewBuilder("x", 0, BuilderOptions{Want: Feature, Stream: true})
		for i, text := range list {
			rows[i] = int32(i)
			if err := stream.AddText(text); err != nil {
				t.Fatal(err)
			}
		}
		f, _ := Fit(c, rows)
		m, _, err := stream.Measured(len(list))
		if err != nil || m.Kind != f.Kind || !reflect.DeepEqual(m.Values, f.Values) || !reflect.DeepEqual(m.Notation, f.Notation) || math.Abs(m.Mean-f.Mean) > 1e-9*math.Abs(f.Mean) || math.Abs(m.Scale-f.Scale) > 1e-9*f.Scale {
			t.Errorf("%s: measured %+v %v, expected %+v", name, m, err, f)
		}
		again, _, _, err := built(BuilderOptions{Field: &f}, texts(list...)...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := NewFieldReader(&f)
		for i, text := range list {
			if f.Numeric() {
				v, err := r.Number(TextCell(" " + text))
				if err != nil || v != c.Value[i] || again.Value[i] != v {
					t.Fatalf("%s: %q is %v %v, expected %v", name, text, v, err, c.Value[i])
				}
				if typed, err := r.Number(NumberCell(v)); err != nil || typed != v {
					t.Fatalf("%s: %v is %v %v", name, v, typed, err)
				}
				continue
			}
			k, err := r.Code(TextCell(text + " "))
			if err != nil || k < 0 || f.Values[k] != c.String(i) || again.String(i) != c.String(i) {
				t.Fatalf("%s: %q is %v %v, expected %q", name, text, k, err, c.String(i))
			}
		}
		if k, err := r.Code(TextCell("never seen")); !f.Numeric() && (k != Unseen || err != nil) {
			t.Errorf("%s: an unseen category is %v %v", name, k, err)
		}
	}
}

// FuzzNumber: with a notation a text has one value, and a text that this program writes is read back.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"1,234.5", "12,70 €", "3.5%", "(5)", "1 234", "-0", "1e5", "0x1", "١٢"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := scanNumber(text)
		if !ok {
			return
		}
		for _, m := range []marks{withPoint, withComma} {
			v, finite := n.value(m)
			if n.marks&m == 0 || !finite {
				continue
			}
			back, ok := scanNumber(formatNumber(v))
			if w, _ := back.value(withPoint); !ok || w != v {
				t.Errorf("%q is %v, written as %s and read as %v", text, v, formatNumber(v), w)
			}
		}
	})
}

// FuzzTime: the reader of times never panics, and a time that is written is read back.
func FuzzTime(f *testing.F) {
	for _, text := range []string{"2024-01-31 13:05:07.25+01:00", "1/31/2024 1:05 PM", "31.01.2024", "20240131T130507Z", "Wed, 31 Jan 2024 13:05:07 GMT"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, order := range orders {
			v, ok := parseTime(text, order)
			if !ok || math.Abs(v) > 6e10 || v < -6e10 || v != math.Trunc(v) {
				continue
			}
			if back, ok := parseTime(formatTime(v), yearFirst); !ok || back != v {
				t.Errorf("%q is %v, written as %s and read as %v", text, v, formatTime(v), back)
			}
		}
	})
}

// TestRemark: a remark names words that are read as missing values but may be values.
func TestRemark(t *testing.T) {
	for _, c := range []struct {
		want  Want
		cells []Cell
		word  string
	}{
		{AnyFeature, texts("DE", "NA", "FR", "", "NA", "US", "nan"), `has "NA" in 2 rows, which is read as missing; if it is a value, --missing -NA keeps it`},
		{AnyFeature, texts("DE", "None", "FR", "US"), ""},
		{AnyFeature, texts("DE", "NA", "FR", "other"), ""},
		{AnyFeature, texts("1", "NA", "2", "3"), ""},
		{AnyLabel, texts("mild", "none", "severe", "none"), `has "none" in 2 rows`},
		{AnyLabel, texts("1", "NA", "0"), ""},
		{ClassOnly, texts("a", "", "b"), ""},
		{AnyFeature, texts("1", "2", "3", "4", "5", "6*", "~7", "8"), `is text, because its numbers have marks, such as "6*"`},
		{AnyFeature, texts("1", "2", "3", "4", "5", "6-7"), ""},
		{AnyFeature, texts(append(many("1.%d CR", 20), many("2.%d DR", 20)...)...), `is text, because its numbers have marks, such as "1.`},
		{AnyFeature, texts(append(many("A%d", 20), many("B%d", 20)...)...), ""},
		{AnyFeature, texts("1", "2", "3", "4", "5*"), ""},
		{CategoryOnly, texts("1", "2", "3", "4", "5", "6*"), ""},
		{AnyFeature, texts("[0.5, 1]", "[]", "[0.1, 0.2, 0.3]", "", "[1.5]"), `is text, because its lists of numbers have different lengths, such as "[1.5]" and "[0.1, 0.2, 0.3]"; `},
		{AnyFeature, texts("0.5 1.0", "0.1 0.2 0.3"), `is text, because its lists of numbers have different lengths`},
		{AnyFeature, texts("[1, 2]", "[3]"), ""},
		{AnyFeature, texts("[0.5, 1]", "[0.5]", "none of these"), ""},
		{AnyFeature, texts(many("Friday March %dth 2024", 22)...), `is text and looks like dates in an unknown notation, such as "Friday March 1th 2024"`},
		{AnyFeature, texts(many("INV-2024-00%d", 22)...), ""},
		{TimeOnly, texts("2024-01-31", "2024-01-31 10:00:00+01:00", "2024-01-31T10:00"), `has times with a zone, such as "2024-01-31 10:00:00+01:00" (line 1), and others without, such as "2024-01-31T10:00" (line 1)`},
		{AnyFeature, texts("1/31/2024 10:00 PM EST", "1/31/2024 10:00 PM"), "has times with a zone"},
		{AnyFeature, texts("2024-01-31", "2024-01-31 10:00:00 PM", "2024-01-31 10:00:00"), ""},
		{AnyFeature, texts("2024-01-31 10:00Z", "2024-01-31 10:00", "later: soon"), ""},
	} {
		b := NewBuilder("x", 0, BuilderOptions{Want: c.want})
		for _, cell := range c.cells {
			if err := b.Add(cell, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := b.Column(); err != nil {
			t.Fatal(err)
		}
		if got := b.Remark(); !strings.HasPrefix(got, c.word) || c.word == "" && got != "" {
			t.Errorf("%v: %q, want %q", c.cells, got, c.word)
		}
	}
}

// TestStandIn: a remark names numbers such as 999 that are far from the others. A word that the user declares as
// missing is missing in texts and in typed cells.
func TestStandIn(t *testing.T) {
	number := func(v ...float64) (out []Cell) {
		for _, x := range v {
			out = append(out, NumberCell(x))
		}
		return out
	}
	const of999 = "has -999 in 3 rows and otherwise numbers from 2 to 40.5; if it stands for no value, --missing -999 says so"
	for _, c := range []struct {
		cells []Cell
		want  string
	}{
		{texts("-999", "2", "40.5", "-999", "", "-999"), of999},
		{texts("-999.00", "2", "40.5", "-999.0", "", "-999"), of999},
		{number(-999, 2, math.NaN(), 40.5, -999, -999), of999},
		{number(3, 99, 99, 99, 30, 12), "has 99 in 3 rows and otherwise numbers from 3 to 30; if it stands for no value, --missing 99 says so"},
		{number(3, 99, 99, 99, 60, 12), ""},     // may be a percentage
		{number(3, 99, 5, 99, 30, 12), ""},      // too rare
		{number(-999, -998, -999, -999, 3), ""}, // one of many negative numbers
		{number(9, 9, 9, 1, 2), ""},
		{number(2147483647, 5, 2147483647, 7, 2147483647), "has 2147483647 in 3 rows and otherwise numbers from 5 to 7; if it stands for no value, --missing 2147483647 says so"},
		{number(32767, 32766, 32767, 7, 32767), ""},
		{texts("9999-12-31", "2024-01-31", "9999-12-31", "9999-12-31", "2024-02-01"), "has 9999-12-31 in 3 rows and otherwise times from 2024-01-31 to 2024-02-01; if it stands for no value, name it in --missing as it is written"},
		{texts("1970-01-01", "1970-01-02", "1970-01-01", "1970-01-01", "1971-02-01"), ""},
		{number(99, 99, 99), ""},
	} {
		for _, words := range [][]string{nil, {"-999.0", "99", "2147483647", "9999-12-31"}} {
			b := NewBuilder("x", 0, BuilderOptions{Missing: words})
			for _, cell := range c.cells {
				if err := b.Add(cell, nil); err != nil {
					t.Fatal(err)
				}
			}
			column, _, err := b.Column()
			if err != nil {
				t.Fatal(err)
			}
			if column == nil {
				continue
			}
			if got := column.Remark(); words == nil && got != c.want || words != nil && got != "" {
				t.Errorf("%v, missing %v: %q, want %q", c.cells, words, got, c.want)
			}
			for i, v := range column.Value {
				cell := c.cells[i].String()
				if none := cell == "" || words != nil && (strings.HasPrefix(cell, "-999") || slices.Contains(words, cell)); none != math.IsNaN(v) {
					t.Errorf("%v, missing %v: row %d is %v", c.cells, words, i, v)
				}
			}
		}
	}
}

// TestUnits: times in new data that seem to be in another unit than in training are refused.
func TestUnits(t *testing.T) {
	r := NewFieldReader(&Field{Kind: KindNumber, Notation: &Notation{Time: unixMilli}})
	for _, c := range []Cell{TextCell("1700000000"), IntegerCell(1_700_000_000)} {
		if _, err := r.Number(c); err == nil || !strings.Contains(err.Error(), "seconds since 1970 are, expected milliseconds since 1970, as in training") {
			t.Errorf("%v: %v", c, err)
		}
	}
	if v, err := r.Number(TextCell("1700000000500")); err != nil || v != 1700000000.5 {
		t.Errorf("%v, %v", v, err)
	}
}

// The text of a missing value is empty, also of a time.
func TestColumnText(t *testing.T) {
	nan := math.NaN()
	for want, c := range map[string]*Column{
		"2024-01-31|":   {Value: []float64{1706659200, nan}, Notation: &Notation{Time: "year-first"}},
		"0.5|":          {Value: []float64{0.5, nan}},
		"red and blue|": {Code: []int32{0, -1}, Text: []string{"red and blue"}},
	} {
		if got := c.String(0) + "|" + c.String(1); got != want {
			t.Errorf("the texts are %q, expected %q", got, want)
		}
	}
}
