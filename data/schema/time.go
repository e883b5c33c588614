package schema

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Values of Notation.Time: the order of day, month and year, or the unit since 1970.
const (
	yearFirst  = "year-first"  // 2024-01-31 13:05, with any separator, T, fraction and zone
	monthFirst = "month-first" // 1/31/2024 1:05 PM
	dayFirst   = "day-first"   // 31.01.2024 13:05
	monthNamed = "month-named" // Wed, 31 Jan 2024 13:05:00 GMT
	compact    = "compact"     // 20240131, 20240131T130500
	period     = "period"      // 2024-01, 2024Q1, 2024-W05: the start of a month, a quarter or a week
	jsonDate   = "json-date"   // /Date(1706706300000)/: .NET wrote times in JSON so
	unixSecond = "unix"
	unixMilli  = "unix-ms"
	unixMicro  = "unix-us"
	unixNano   = "unix-ns"
	excelDay   = "excel"  // day numbers of spreadsheets: 45322.5 is noon of 2024-01-31
	plainTime  = "number" // numbers of an unknown unit
)

// units are the units of numbers since 1970, as fractions of a second.
var units = []struct {
	name   string
	second float64
}{{unixSecond, 1}, {unixMilli, 1e3}, {unixMicro, 1e6}, {unixNano, 1e9}}

// orders are the orders of texts, by precedence.
var orders = []string{yearFirst, compact, period, monthNamed, monthFirst, dayFirst, jsonDate}

// named are the layouts with the name of a month, in which day and year cannot be confused.
var named = []string{time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, time.UnixDate, time.RubyDate, time.RFC822, time.RFC822Z,
	"Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05", "2 Jan 2006 15:04", "2 Jan 2006", "2 January 2006", "2-Jan-2006 15:04:05", "2-Jan-2006",
	"2-Jan-06", "Jan 2, 2006 3:04:05 PM", "Jan 2, 2006 15:04:05", "Jan 2, 2006", "January 2, 2006 3:04 PM", "January 2, 2006 15:04", "January 2, 2006", "2006-Jan-02", "2006 Jan 2",
	"2-Jan-2006 15:04", "02Jan2006", "02Jan2006:15:04:05", "2/Jan/2006:15:04:05 -0700", "[2/Jan/2006:15:04:05 -0700]", "Jan 2006", "January 2006", "Jan-2006"}

// parseTime parses a text in an order, or in a layout of --time-format.
func parseTime(text, order string) (seconds float64, ok bool) {
	switch order {
	case yearFirst, monthFirst, dayFirst:
		if len(text) > 4 && text[4] >= utf8.RuneSelf {
			text = eastAsian.Replace(text)
		}
		return parseDated(text, order)
	case compact:
		return parseCompact(text)
	case period:
		return parsePeriod(text)
	case monthNamed:
		if strings.IndexFunc(text, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }) < 0 {
			return 0, false
		}
		if i := strings.Index(text, " ("); i > 0 && text[len(text)-1] == ')' { // the name of a zone as a comment of RFC 822
			text = text[:i]
		}
		if seconds, ok := parseNamed(text); ok {
			return seconds, true
		}
		if english := inEnglish(text); english != text {
			return parseNamed(english)
		}
		return 0, false
	case jsonDate:
		return parseJSONDate(text)
	}
	t, err := time.Parse(order, text)
	return secondsOf(t), err == nil
}

// eastAsian writes dates such as 2024年1月31日 and 2024년 1월 31일 with dashes.
var eastAsian = strings.NewReplacer("年", "-", "月", "-", "日", "", "년 ", "-", "년", "-", "월 ", "-", "월", "-", "일", "")

// parseNamed parses a time in one of the layouts named.
func parseNamed(text string) (seconds float64, ok bool) {
	for _, layout := range named {
		if t, err := time.Parse(layout, text); err == nil {
			name, ahead := t.Zone()
			if ahead == 0 { // package time knows only the local zone and UTC
				return secondsOf(t) - zones[name]*3600, true
			}
			return secondsOf(t), true
		}
	}
	return 0, false
}

func secondsOf(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }

// reader reads a text from its start.
type reader struct {
	text string
	bad  bool
}

// digits reads up to most digits, at least one.
func (r *reader) digits(most int) (v, n int) {
	for n < len(r.text) && n < most && isDigit(r.text[n]) {
		v = 10*v + int(r.text[n]-'0')
		n++
	}
	r.text, r.bad = r.text[n:], r.bad || n == 0
	return v, n
}

// take reads one of some bytes; 0 if none of them comes next.
func (r *reader) take(any string) byte {
	if r.text == "" || strings.IndexByte(any, r.text[0]) < 0 {
		return 0
	}
	c := r.text[0]
	r.text = r.text[1:]
	return c
}

// parseDated parses a numeric date, with an optional time of day and zone.
func parseDated(text, order string) (seconds float64, ok bool) {
	r := &reader{text: text}
	var part, width [3]int
	var mark byte
	for i := range part {
		part[i], width[i] = r.digits(4)
		if i == 2 {
			break
		}
		c := r.take("-/.")
		if c == 0 || mark != 0 && c != mark {
			return 0, false
		}
		if mark = c; mark == '.' {
			r.text = strings.TrimPrefix(r.text, " ") // 31. 1. 2024
		}
	}
	if r.bad {
		return 0, false
	}
	year, month, day, long := part[2], part[0], part[1], width[2]
	switch order {
	case yearFirst:
		year, month, day, long = part[0], part[1], part[2], width[0]
		if long != 4 || width[2] > 2 {
			return 0, false
		}
	case dayFirst:
		month, day = part[1], part[0]
	}
	if order != yearFirst && (width[0] > 2 || width[1] > 2) || width[1] > 2 {
		return 0, false
	}
	switch {
	case long == 2 && mark != '/' && (mark != '.' || order != dayFirst || width != [3]int{2, 2, 2}): // 24-01-31 and 1.2.24 are other things
		return 0, false
	case long == 2 && year < 69: // by the rule of POSIX
		year += 2000
	case long == 2:
		year += 1900
	case long != 4:
		return 0, false
	}
	return r.rest(year, month, day)
}

// parseCompact reads 20240131, 20240131130500, 20240131T1305 and 20240131T130500Z.
func parseCompact(text string) (seconds float64, ok bool) {
	r := &reader{text: text}
	date, n := r.digits(8)
	if n != 8 || date < 1900_01_01 || date > 2999_12_31 {
		return 0, false
	}
	year, month, day := date/10000, date/100%100, date%100
	if r.text == "" {
		return r.rest(year, month, day)
	}
	r.take("T ")
	clock := strings.TrimRight(r.text, "Z")
	if len(clock) != 4 && len(clock) != 6 {
		return 0, false
	}
	hhmm := clock[:2] + ":" + clock[2:4]
	if len(clock) == 6 {
		hhmm += ":" + clock[4:]
	}
	r.text = "T" + hhmm + r.text[len(clock):]
	return r.rest(year, month, day)
}

// parsePeriod reads 2024-01, 2024/01, 1/2024, 2024Q1, 2024-Q1, Q1 2024 and 2024-W05: months, quarters and weeks.
func parsePeriod(text string) (seconds float64, ok bool) {
	if len(text) == len("Q1 2024") && strings.HasPrefix(text, "Q") && text[2] == ' ' {
		text = text[3:] + " " + text[:2]
	} else if month, year, found := strings.Cut(text, "/"); found && len(month) <= 2 && len(year) == 4 {
		text = year + "-" + fmt.Sprintf("%02s", month)
	}
	r := &reader{text: text}
	year, n := r.digits(4)
	mark, letter := r.take("-/ "), r.take("QW")
	number, width := r.digits(2)
	weekday := 1
	if letter == 'W' && r.take("-") != 0 {
		weekday, _ = r.digits(1)
	}
	if r.bad || n != 4 || year < 1000 || r.text != "" || mark == 0 && letter == 0 || mark == '/' && letter != 0 || mark == ' ' && letter == 0 {
		return 0, false
	}
	most := map[byte]int{0: 12, 'Q': 4, 'W': 53}[letter]
	if number < 1 || number > most || (width == 1) != (letter == 'Q') || weekday < 1 || weekday > 7 {
		return 0, false
	}
	switch letter {
	case 'Q':
		number = 3*number - 2
	case 'W': // the first week of a year contains January 4, and weeks start on Monday
		fourth := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
		monday := fourth.AddDate(0, 0, 7*(number-1)-(int(fourth.Weekday())+6)%7)
		return secondsOf(monday.AddDate(0, 0, weekday-1)), true
	}
	return secondsOf(time.Date(year, time.Month(number), 1, 0, 0, 0, 0, time.UTC)), true
}

// parseJSONDate parses milliseconds since 1970, such as /Date(1706706300000)/ and, with a zone that does not change the
// time, /Date(1706706300000+0100)/.
func parseJSONDate(text string) (seconds float64, ok bool) {
	text, begins := strings.CutPrefix(text, "/Date(")
	text, ends := strings.CutSuffix(text, ")/")
	if i := strings.LastIndexAny(text, "+-"); i > 0 && len(text)-i == len("+0100") && isExponent(text[i:]) {
		text = text[:i]
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	return float64(ms) / 1e3, begins && ends && err == nil
}

// rest reads the time of day and the zone after a date.
func (r *reader) rest(year, month, day int) (seconds float64, ok bool) {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if date.Day() != day {
		return 0, false
	}
	seconds = float64(date.Unix())
	if r.text == "" {
		return seconds, true
	}
	if r.take("Tt ") == 0 {
		return 0, false
	}
	r.text = strings.TrimLeft(r.text, " ")
	clock, nanos, ok := r.clock()
	if !ok {
		return 0, false
	}
	zone, ok := r.zone()
	if !ok || r.text != "" {
		return 0, false
	}
	return seconds + clock - zone + float64(nanos)/1e9, true
}

// clock reads 13:05, 13:05:00, 13:05:00.25 or 1:05 PM.
func (r *reader) clock() (seconds float64, nanos int, ok bool) {
	hour, n := r.digits(2)
	minute, second := 0, 0
	if r.take(":") == 0 || n == 0 {
		return 0, 0, false
	}
	if minute, n = r.digits(2); n != 2 {
		return 0, 0, false
	}
	if r.take(":") != 0 {
		if second, n = r.digits(2); n != 2 {
			return 0, 0, false
		}
		if len(r.text) > 1 && (r.text[0] == '.' || r.text[0] == ',') && isDigit(r.text[1]) {
			r.text = r.text[1:]
			for scale := 100_000_000; r.text != "" && isDigit(r.text[0]); scale /= 10 {
				nanos += int(r.text[0]-'0') * scale
				r.text = r.text[1:]
			}
		}
	}
	if half := strings.ToUpper(strings.TrimLeft(r.text, " \u00a0\u202f")); strings.HasPrefix(half, "AM") || strings.HasPrefix(half, "PM") {
		if hour < 1 || hour > 12 {
			return 0, 0, false
		}
		if hour %= 12; half[0] == 'P' {
			hour += 12
		}
		r.text = half[2:]
	}
	midnight := hour == 24 && minute == 0 && second == 0 // end of a day in ISO 8601
	if r.bad || hour > 23 && !midnight || minute > 59 || second > 60 {
		return 0, 0, false
	}
	return float64(hour*3600 + minute*60 + second), nanos, true
}

// zones are names of zones and their hours ahead of UTC: those of RFC 822, which mail and American programs write, and
// some other unambiguous ones.
var zones = map[string]float64{"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
	"WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2, "EEST": 3, "JST": 9, "AEST": 10, "AEDT": 11}

// zone reads Z, UTC, GMT, one of zones, +01:00, +0100, +01 or "+0100 UTC", in seconds ahead of UTC.
func (r *reader) zone() (seconds float64, ok bool) {
	r.text = strings.TrimLeft(r.text, " ")
	if i := strings.IndexByte(r.text, '['); i > 0 && strings.HasSuffix(r.text, "]") { // Java's [Europe/Paris]
		r.text = r.text[:i]
	}
	switch r.text {
	case "":
		return 0, true
	case "Z", "z", "UTC", "GMT", "utc":
		r.text = ""
		return 0, true
	}
	if hours, found := zones[r.text]; found {
		r.text = ""
		return hours * 3600, true
	}
	sign := r.take("+-")
	if sign == 0 {
		return 0, false
	}
	hours, n := r.digits(2)
	minutes := 0
	if n == 2 && r.text != "" && r.text[0] != ' ' {
		r.take(":")
		if minutes, n = r.digits(2); n != 2 {
			return 0, false
		}
	}
	if r.bad || hours > 15 || minutes > 59 {
		return 0, false
	}
	if r.text == " UTC" || r.text == " +0000" {
		r.text = ""
	}
	seconds = float64(hours*3600 + minutes*60)
	if sign == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// unitAt is the index of the unit in which a number is a time between 1980 and 2100, -1 for none.
func unitAt(v float64) int {
	for k, u := range units {
		if v >= 3e8*u.second && v <= 4.2e9*u.second {
			return k
		}
	}
	return -1
}

// unitPlaces has, for each unit, the first number of a column of times that fits it.
type unitPlaces struct {
	at    [4]place // in the order of units
	other bool     // some number other than 0 is not a time in any unit
}

// add adds a number; text is empty if the file has a typed number.
func (p *unitPlaces) add(v float64, text string, line int) {
	k := unitAt(v)
	switch {
	case k >= 0 && p.at[k].line > 0:
	case k >= 0:
		p.at[k].set(cmp.Or(text, formatNumber(v)), line)
	case v != 0 && v == v:
		p.other = true
	}
}

// mixed returns an error if each number is a time in one of several units, with its line.
func (p *unitPlaces) mixed() (line int, err error) {
	var found []int // units in the order of their first numbers
	for k := range p.at {
		if p.at[k].line > 0 && !p.other {
			found = append(found, k)
		}
	}
	if len(found) < 2 {
		return 0, nil
	}
	slices.SortFunc(found, func(a, b int) int { return p.at[a].line - p.at[b].line })
	a, b := found[0], found[1]
	return p.at[b].line, fmt.Errorf("is %s, %s, and %v is %s: write all times in one unit", Shown(p.at[b].text), describeTime(units[b].name), p.at[a], describeTime(units[a].name))
}

// unitOf is the unit of numbers that are times: since 1970 if all are between 1980 and 2100 in one
// unit, compact if all are compact dates with or without a time of day, otherwise unknown.
func unitOf(values []float64) string {
	least, most := Span(values, math.NaN())
	switch k := unitAt(least); {
	case most < least:
	case !slices.ContainsFunc(values, func(v float64) bool { return v == v && !isCompactDate(v) }):
		return compact
	case k >= 0 && k == unitAt(most):
		return units[k].name
	}
	return plainTime
}

func isCompactDate(v float64) bool {
	if v != math.Trunc(v) || v < 1900_01_01 || v > maxExact {
		return false
	}
	_, ok := parseCompact(formatNumber(v))
	return ok
}

// excelEpoch is the day number of 1970-01-01 in spreadsheets.
const excelEpoch = 25569

// mayBeExcelDays reports whether all numbers are spreadsheet day numbers of 1990 to 2050.
func mayBeExcelDays(values []float64) bool {
	least, most := Span(values, math.NaN())
	return least >= 32874 && most <= 55153 && least < most
}

// secondsIn converts a number in a unit to seconds since 1970; ok is false for an invalid compact
// date.
func secondsIn(v float64, unit string) (seconds float64, ok bool) {
	switch unit {
	case compact:
		return parseCompact(formatNumber(v))
	case excelDay:
		return math.Round((v-excelEpoch)*86400*1000) / 1000, true
	}
	for _, u := range units {
		if u.name == unit {
			return v / u.second, true
		}
	}
	return v, true
}

// isUnit reports whether a value of Notation.Time applies to numbers.
func isUnit(time string) bool {
	switch time {
	case unixSecond, unixMilli, unixMicro, unixNano, excelDay, plainTime, compact:
		return true
	}
	return false
}

// strptime maps directives of strptime to Go layouts.
var strptime = strings.NewReplacer("%Y", "2006", "%y", "06", "%m", "1", "%d", "2", "%e", "_2", "%H", "15", "%I", "3", "%M", "4", "%S", "5", "%f", "000000", "%p", "PM",
	"%b", "Jan", "%B", "January", "%a", "Mon", "%A", "Monday", "%j", "002", "%z", "-0700", "%Z", "MST", "%T", "15:04:05", "%F", "2006-01-02", "%D", "01/02/06", "%%", "%")

// TimeFormatOf is the layout of a value of --time-format: day-first, month-first, a unit since 1970 (unix,
// unix-ms, unix-us, unix-ns, excel), or directives of strptime such as %d.%m.%Y %H:%M. The error says what
// is expected.
func TimeFormatOf(format string) (string, error) {
	if format == "" || isUnit(format) || slices.Contains(orders, format) {
		return format, nil
	}
	layout := strptime.Replace(format)
	if layout == format || strings.ContainsRune(layout, '%') {
		return "", errors.New("day-first, month-first, unix, unix-ms, unix-us, unix-ns, excel or directives of strptime such as %d.%m.%Y %H:%M")
	}
	return layout, nil
}

// describeTime describes the notation of times.
func describeTime(time string) string {
	example := map[string]string{yearFirst: "2024-01-31 13:05", monthFirst: "1/31/2024 13:05", dayFirst: "31/1/2024 13:05", monthNamed: "31 Jan 2024 13:05", compact: "20240131", period: "2024-01", jsonDate: "/Date(1706706300000)/",
		unixSecond: "seconds since 1970", unixMilli: "milliseconds since 1970", unixMicro: "microseconds since 1970", unixNano: "nanoseconds since 1970", excelDay: "days as spreadsheets count them, 45322 for 2024-01-31", plainTime: "numbers"}
	if e, ok := example[time]; ok {
		return e
	}
	return time
}

// UnknownUnit reports whether a value of Notation.Time means numbers of an unknown unit.
func UnknownUnit(time string) bool { return time == plainTime }
