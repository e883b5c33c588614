package schema

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Decimal marks of a Notation.
const (
	Point = "." // 1,234.56
	Comma = "," // 1.234,56
)

// marks are the decimal marks with which a text is a number.
type marks uint8

const (
	withPoint marks = 1 << iota
	withComma
	withBoth = withPoint | withComma
)

func marksOf(decimal string) marks {
	switch decimal {
	case Point:
		return withPoint
	case Comma:
		return withComma
	}
	return withBoth
}

// numeral is a text that is a number with one or either decimal mark.
type numeral struct {
	marks    marks
	body     string // digits and marks, without sign, currency, percent and exponent
	exponent string // including e
	negative bool
	grouped  byte // group separator other than point and comma, or 0
	point    bool // body has a point
	comma    bool // body has a comma
	percent  bool
	currency string
	unit     bool // the currency is a unit
	zeroLed  bool // a whole number with a leading zero: a code
	whole    bool // only digits
	duration bool // a duration, in seconds
	seconds  float64
	factor   float64 // of a multiple, for example 1e3 of 54.4k; 0 for none
}

// ambiguous reports whether the number depends on the decimal mark.
func (n *numeral) ambiguous() bool { return n.marks == withBoth && (n.point || n.comma) }

// scanNumber parses a text as a number; ok is false if it is not a number.
func scanNumber(text string) (n numeral, ok bool) {
	if n.body = text; !n.plain() {
		if !n.unwrap(asciiDigits(text)) {
			return n, false
		}
	}
	n.classify()
	if n.marks == 0 {
		if n.seconds, n.duration = scanDuration(text); n.duration {
			return numeral{marks: withBoth, duration: true, seconds: n.seconds}, true
		}
	}
	return n, n.marks != 0
}

// scanAs is scanNumber in a column of durations, or of other numbers: in a column with 2h 50m, 19h is a duration.
func scanAs(text string, duration bool) (n numeral, ok bool) {
	if n, ok = scanNumber(text); duration && !n.duration {
		if seconds, _, span := scanSpans(text); span {
			return numeral{marks: withBoth, duration: true, seconds: seconds}, true
		}
	}
	return n, ok
}

// plain reads digits with at most one point, a sign and an exponent, the form of most numbers.
func (n *numeral) plain() bool {
	b := n.body
	if b != "" && (b[0] == '-' || b[0] == '+') {
		n.negative, b = b[0] == '-', b[1:]
	}
	for i := range len(b) {
		if c := b[i] - '0'; c < 10 || b[i] == '.' {
			continue
		}
		if i > 0 && b[i]|0x20 == 'e' && isExponent(b[i+1:]) {
			n.body, n.exponent = b[:i], b[i:]
			return true
		}
		n.negative = false
		return false
	}
	n.body = b
	return true
}

func isExponent(text string) bool {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	for i := range len(text) {
		if text[i]-'0' >= 10 {
			return false
		}
	}
	return text != ""
}

// unwrap removes sign, currency, percent and exponent from a text.
func (n *numeral) unwrap(text string) bool {
	if len(text) > 1 && text[0] == '(' && text[len(text)-1] == ')' { // accountants write -12.50 so
		n.negative, text = true, text[1:len(text)-1]
	}
	text, n.currency = cutCurrency(text)
	for _, minus := range []string{"-", "+", "−", "–"} { // ASCII and typographic signs
		if rest, found := strings.CutPrefix(text, minus); found && !n.negative {
			n.negative, text = minus != "+", rest
			break
		}
	}
	if n.currency == "" {
		text, n.currency = cutCurrency(text)
	}
	if rest, found := strings.CutSuffix(text, "%"); found {
		n.percent, text = true, strings.TrimRight(rest, " \u00a0\u202f")
	}
	if n.currency != "" && n.percent {
		return false
	}
	if !n.percent {
		text, n.factor = cutMultiple(text)
	}
	if n.currency == "" && !n.percent && n.factor == 0 {
		text, n.currency = cutUnit(text)
		n.unit = n.currency != ""
	}
	if rest, found := strings.CutSuffix(text, "-"); found && !n.negative && rest != "" && isDigit(rest[len(rest)-1]) { // SAP writes -12.50 so
		n.negative, text = true, rest
	}
	if i := strings.IndexAny(text, "eE"); i > 0 && isExponent(text[i+1:]) {
		text, n.exponent = text[:i], text[i:]
	}
	if i := strings.IndexAny(text, "dD"); i > 0 && i+1 < len(text) && strings.ContainsAny(text[:i], ".") && strings.Contains("+-", text[i+1:i+2]) && isExponent(text[i+1:]) {
		text, n.exponent = text[:i], "e"+text[i+1:] // Fortran writes 4.2D+03
	}
	n.body = text
	return true
}

// currencies are the signs and codes that may stand before or after an amount.
var currencies = []string{"$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₴", "₫", "₪", "฿", "R$", "US$", "A$", "C$", "CA$", "AU$", "NZ$", "HK$", "S$", "Fr.", "kr.", "kr", "zł", "Kč", "Ft", "lei", "лв",
	"USD", "EUR", "GBP", "JPY", "CNY", "INR", "CHF", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BGN", "RUB", "TRY", "UAH", "BRL", "MXN", "ZAR", "KRW", "SGD", "HKD", "ILS", "THB"}

// cutCurrency removes a currency at the start or the end of a text.
func cutCurrency(text string) (rest, currency string) {
	const blanks = " \u00a0\u202f"
	if text == "" || isDigit(text[0]) && isDigit(text[len(text)-1]) {
		return text, ""
	}
	for _, c := range currencies {
		if len(c) <= len(currency) {
			continue // a longer one matches
		}
		if after, found := strings.CutPrefix(text, c); found {
			rest, currency = strings.TrimLeft(after, blanks), c
		} else if before, found := strings.CutSuffix(text, c); found {
			rest, currency = strings.TrimRight(before, blanks), c
		}
	}
	if currency == "" {
		return text, ""
	}
	return rest, currency
}

// multiples may stand after a number, as in 54.4k and 1.2 bn; those of one letter without a blank.
var multiples = map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "mn": 1e6, "Mio": 1e6, "B": 1e9, "bn": 1e9, "Bn": 1e9, "Mrd": 1e9}

// cutMultiple removes a multiple at the end of a text; factor is 0 for a text without one.
func cutMultiple(text string) (rest string, factor float64) {
	end := strings.LastIndexAny(text, "0123456789.") + 1
	word := strings.TrimLeft(text[end:], " \u00a0\u202f")
	if factor = multiples[word]; end == 0 || factor == 0 || len(word) == 1 && len(text)-end > 1 {
		return text, 0
	}
	return text[:end], factor
}

// asciiDigits converts digits and decimal marks of other scripts to ASCII: ١٢٫٥ and １２.５ are 12.5.
func asciiDigits(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsDigit(r) }) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u066b': // Arabic decimal mark
			return '.'
		case r == '\u066c': // Arabic thousands separator
			return ','
		}
		for _, digits := range unicode.Nd.R16[1:] { // the first range is ASCII; each range starts with a zero
			if r >= rune(digits.Lo) && r <= rune(digits.Hi) {
				return '0' + (r-rune(digits.Lo))%10
			}
		}
		return r
	}, text)
}

// measures are units that may stand after a number; those of one letter need a blank before.
var measures = []string{"m", "km", "cm", "mm", "mi", "ft", "g", "kg", "mg", "lb", "lbs", "s", "ms", "µs", "ns", "sec", "min", "h", "hr", "hrs", "hours", "minutes", "seconds", "days",
	"KB", "MB", "GB", "TB", "Hz", "kHz", "MHz", "GHz", "kW", "MW", "kWh", "MWh", "°", "°C", "°F", "km/h", "m/s", "mph", "Mbps", "Gbps", "l", "ml", "eV", "kcal/mol", "kJ/mol"}

// cutUnit removes a unit at the end of a text that starts with a number.
func cutUnit(text string) (rest, unit string) {
	const blanks = " \u00a0\u202f"
	end := len(text)
	for end > 0 && !isDigit(text[end-1]) && text[end-1] != '.' && text[end-1] != ',' {
		end--
	}
	if rest, unit = text[:end], strings.TrimLeft(text[end:], blanks); rest == "" || !slices.Contains(measures, unit) {
		return text, ""
	}
	if len(unit) == 1 && len(unit) == len(text)-end {
		return text, "" // 12A and 3m are codes
	}
	return rest, unit
}

func isDigit(c byte) bool { return c-'0' < 10 }

// classify finds the decimal marks with which the body is a number.
func (n *numeral) classify() {
	digits, points, commas := 0, 0, 0
	for i := 0; i < len(n.body); {
		switch c := n.body[i]; {
		case isDigit(c):
			digits++
		case c == '.':
			points++
		case c == ',':
			commas++
		default:
			r, size := utf8.DecodeRuneInString(n.body[i:])
			group := byte(' ')
			if r == '\'' || r == '’' {
				group = '\''
			}
			if !isGroupRune(r) || n.grouped != 0 && n.grouped != group {
				return
			}
			n.grouped = group
			i += size
			continue
		}
		i++
	}
	if digits == 0 {
		return
	}
	n.point, n.comma = points > 0, commas > 0
	if points == 0 && commas == 0 && n.grouped == 0 {
		n.marks, n.whole = withBoth, n.exponent == "" && n.factor == 0
		n.zeroLed = n.whole && len(n.body) > 1 && n.body[0] == '0'
		return
	}
	if points <= 1 && n.grouping('.', ',') {
		n.marks |= withPoint
	}
	if commas <= 1 && n.grouping(',', '.') {
		n.marks |= withComma
	}
}

// grouping reports whether the body is a number with at most one decimal mark, and thousands
// grouped by the other mark, by blanks or by apostrophes, or not grouped.
func (n *numeral) grouping(decimal, group byte) bool {
	whole, part := n.body, ""
	if i := strings.IndexByte(n.body, decimal); i >= 0 {
		whole, part = n.body[:i], n.body[i+1:]
	}
	for i := range len(part) {
		if !isDigit(part[i]) {
			return false
		}
	}
	byMark := strings.IndexByte(whole, group) >= 0
	switch {
	case byMark && (n.grouped != 0 || n.exponent != ""): // no program groups the digits before an exponent
		return false
	case n.grouped != 0:
		return grouped(strings.FieldsFunc(whole, isGroupRune), false)
	case byMark && strings.LastIndexByte(whole, group) != len(whole)-4:
		return false // the last group does not have three digits
	case byMark:
		groups := strings.Split(whole, string(group))
		return grouped(groups, group == ',') && !isAddress(groups)
	}
	return true
}

// isAddress reports whether groups are the four numbers of an IP address.
func isAddress(groups []string) bool {
	return len(groups) == 4 && !slices.ContainsFunc(groups, func(g string) bool { return g > "255" })
}

func isGroupRune(r rune) bool {
	return r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\u2009' || r == '\'' || r == '’'
}

// grouped reports whether digits are grouped by thousands or, with commas, as in India: 12,34,567.
func grouped(groups []string, indian bool) bool {
	last := len(groups) - 1
	if last < 1 || groups[0] == "" || groups[0][0] == '0' {
		return false
	}
	by := func(size int) bool {
		for i, g := range groups {
			switch {
			case i == 0 && len(g) > size, i > 0 && i < last && len(g) != size, i == last && len(g) != 3:
				return false
			}
		}
		return true
	}
	return by(3) || indian && by(2)
}

// value is the number with one of its decimal marks; ok is false if it is not finite in 32 bits.
func (n *numeral) value(decimal marks) (v float64, ok bool) {
	if n.duration {
		return n.seconds, true
	}
	var buf [48]byte
	b := buf[:0]
	mark := byte('.')
	if decimal == withComma {
		mark = ','
	}
	if !n.point && !n.comma && n.grouped == 0 || mark == '.' && !n.comma && n.grouped == 0 {
		b = append(b, n.body...)
	} else {
		for i := range len(n.body) {
			switch c := n.body[i]; {
			case isDigit(c):
				b = append(b, c)
			case c == mark:
				b = append(b, '.')
			}
		}
	}
	b = append(b, n.exponent...)
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.Abs(v) > math.MaxFloat32 {
		return 0, false
	}
	if n.negative {
		v = -v
	}
	if n.percent {
		v /= 100
	}
	if n.factor > 0 {
		v *= n.factor
	}
	return v, math.Abs(v) <= math.MaxFloat32
}

// numbers summarises what the texts of a column say about its notation.
type numbers struct {
	marks    marks // with which all texts are numbers
	point    place // first text that is another number with a decimal comma
	comma    place // first text that is another number with a decimal point, such as 1,234
	zeroLed  bool
	decimals bool // some text has a decimal mark or an exponent
	grouped  bool // some text has a comma
	percent  place
	bare     place // first text other than 0 without a percent sign
	currency place
	duration bool   // all texts are durations
	unit     bool   // some number has a unit
	sign     string // currency
	other    place  // first text with another currency
}

// place is a text of a column and its line.
type place struct {
	text string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s (line %d)", Shown(p.text), p.line) }

func (p *place) set(text string, line int) {
	if p.line == 0 {
		*p = place{strings.Clone(text), max(line, 1)}
	}
}

// add adds a text that is a number.
func (e *numbers) add(n *numeral, text string, line int) {
	if e.duration = n.duration; e.duration { // among other numbers it is a word
		e.decimals = true
		return
	}
	e.marks &= n.marks
	if n.ambiguous() {
		if n.comma {
			e.comma.set(text, line)
		} else {
			e.point.set(text, line)
		}
	}
	e.zeroLed = e.zeroLed || n.zeroLed
	e.decimals = e.decimals || !n.whole
	e.grouped = e.grouped || n.comma
	if n.percent {
		e.percent.set(text, line)
	} else if strings.Trim(n.body, "0.,") != "" {
		e.bare.set(text, line)
	}
	e.unit = e.unit || n.unit
	switch {
	case n.currency == "":
	case e.sign == "":
		e.sign = n.currency
		e.currency.set(text, line)
	case n.currency != e.sign:
		e.other.set(text, line)
	}
}

// notation is the notation of the texts; decimal is the mark that the user gave, or "".
func (e *numbers) notation(decimal string) (Notation, error) {
	n := Notation{Percent: e.percent.line > 0, Currency: e.sign, Duration: e.duration}
	switch {
	case n.Duration:
		return n, nil
	case e.other.line > 0:
		return n, fmt.Errorf("has amounts in two %s, %v and %v: write all of them in one, or leave it out with --ignore", map[bool]string{true: "units", false: "currencies"}[e.unit], e.currency, e.other)
	case n.Percent && e.bare.line > 0:
		return n, fmt.Errorf("has numbers with and without a percent sign, %v and %v: write all of them in one way, or leave it out with --ignore", e.percent, e.bare)
	}
	possible := e.marks & marksOf(decimal)
	switch {
	case possible == 0 && decimal != "":
		return n, fmt.Errorf("has numbers that are not written as --decimal %s says", decimalNames[decimal])
	case possible == withPoint && e.grouped:
		n.Decimal = Point
	case possible == withPoint:
	case possible == withComma:
		n.Decimal = Comma
	case e.comma.line > 0:
		return n, fmt.Errorf("is %s, which is %s with a decimal comma and %s with a decimal point, and no value of the column decides: say which with --decimal comma or --decimal point",
			Shown(e.comma.text), readAs(e.comma.text, withComma), readAs(e.comma.text, withPoint))
	}
	return n, nil
}

// decimalNames are the values of --decimal by their marks.
var decimalNames = map[string]string{Point: "point", Comma: "comma"}

// DecimalOf is the mark of a value of --decimal: point, comma or their signs; "" for "". The error
// says what is expected.
func DecimalOf(name string) (string, error) {
	for mark, n := range decimalNames {
		if name == n || name == mark {
			return mark, nil
		}
	}
	if name == "" {
		return "", nil
	}
	return "", errors.New("point or comma")
}

func readAs(text string, m marks) string {
	n, _ := scanNumber(text)
	v, _ := n.value(m)
	return formatNumber(v)
}

// number parses a text in a notation of numbers. The error describes the problem with the text.
func (n Notation) number(text string) (float64, error) {
	s, ok := scanAs(text, n.Duration)
	if !ok {
		return 0, fmt.Errorf("is %s, expected a number", Shown(text))
	}
	m := marksOf(n.Decimal)
	switch {
	case n.Duration != s.duration:
		return 0, fmt.Errorf("is %s, expected %s, as in training", Shown(text), map[bool]string{true: "a span of time such as 1:30:00", false: "a number"}[n.Duration])
	case s.marks&m == 0:
		return 0, fmt.Errorf("is %s, expected a number with a decimal %s, as in training", Shown(text), decimalNames[n.Decimal])
	case n.Decimal == "" && s.marks&withPoint == 0:
		return 0, fmt.Errorf("is %s, expected a number without a comma, as in training", Shown(text))
	case n.Decimal == "" && s.ambiguous() && s.comma:
		return 0, fmt.Errorf("is %s, which can be %s or %s: training had numbers without a comma", Shown(text), readAs(text, withComma), readAs(text, withPoint))
	case n.Decimal == "":
		m = withPoint
	}
	v, ok := s.value(m)
	switch {
	case !ok:
		return 0, fmt.Errorf("is %s, expected a finite number", Shown(text))
	case s.percent != n.Percent && v != 0:
		return 0, fmt.Errorf("is %s, expected a number %s percent sign, as in training", Shown(text), map[bool]string{true: "with a", false: "without a"}[n.Percent])
	case s.currency != "" && n.Currency != "" && s.currency != n.Currency:
		return 0, fmt.Errorf("is %s, expected an amount in %s, as in training", Shown(text), n.Currency)
	}
	return v, nil
}

// Shown is a text in an error: quoted, and shortened if it is long.
func Shown(text string) string {
	const most = 40
	if len(text) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		return strconv.Quote(text[:cut]) + "..."
	}
	return strconv.Quote(text)
}
