package report

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Formats of numbers in pages and pictures: minus is U+2212, thousands have commas, a number that
// rounds to 0 has no sign, and a missing number (NaN) is None.

// Fixed is v with a number of decimals, 0 to 9.
func Fixed(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	if !strings.ContainsAny(text, "123456789") {
		if v == 0 || decimals > 0 {
			return text
		}
		return "0"
	}
	whole, fraction, _ := strings.Cut(text, ".")
	text = commas(whole)
	if fraction != "" {
		text += "." + fraction
	}
	if v < 0 {
		return "−" + text
	}
	return text
}

// commas separates the thousands of the digits of a whole number.
func commas(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Count formats a whole number.
func Count(n int) string { return Fixed(float64(n), 0) }

// Score is a score from 0 to 1 with three decimals. If it is not 0 or 1 but would be rounded to it,
// it is <0.001 or >0.999.
func Score(v float64) string {
	switch {
	case v > 0 && v < 0.0005:
		return "<0.001"
	case v < 1 && v >= 0.9995:
		return ">0.999"
	}
	return Fixed(v, 3)
}

// Signed is Fixed with a plus sign for positive numbers; a number that rounds to 0 is 0.
func Signed(v float64, decimals int) string {
	text := Fixed(v, decimals)
	switch {
	case text == None:
		return None
	case !strings.ContainsAny(text, "123456789"):
		return "0"
	case v > 0:
		return "+" + text
	}
	return text
}

// Significant is v with three significant digits, but at most four decimals; whole numbers have all digits. Smaller
// numbers, and numbers from 10⁹ on, are written with a power of ten.
func Significant(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return None
	case a >= 1e9 || a > 0 && a < 1e-3 && rounded(a*1e4) != math.Trunc(a*1e4+0.5):
		e := int(math.Floor(math.Log10(a)))
		return trimZeros(Fixed(v/math.Pow10(e), 2)) + "·10" + superscripts.Replace(strconv.Itoa(e))
	case a == math.Trunc(a) || a >= 100:
		return Fixed(v, 0)
	}
	return trimZeros(Fixed(v, min(max(0, 2-int(math.Floor(math.Log10(a)))), 4)))
}

func trimZeros(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// ShortDecimals is a text whose numbers have at most four decimals; longer numbers end with an ellipsis.
func ShortDecimals(text string) string { return longDecimals.ReplaceAllString(text, "$1…") }

var longDecimals = regexp.MustCompile(`(\d\.\d{4})\d+`)

// DecimalsFor is the number of decimals with which a standard error has two digits: at most 3.
func DecimalsFor(standardError float64) int {
	if !(standardError > 0) || math.IsInf(standardError, 0) {
		return 3
	}
	return min(max(1-int(math.Floor(math.Log10(standardError))), 0), 3)
}

// ThreeDigits is the number of decimals with which a number has three digits: at most 4. Use it with the largest number of a column.
func ThreeDigits(largest float64) int {
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) {
		return 0
	}
	return min(max(2-int(math.Floor(math.Log10(math.Abs(largest)))), 0), 4)
}

// Aligned formats the numbers of a column with the same number of decimals, which gives the largest three digits. If
// all are small they are written with powers of ten.
func Aligned(values []float64) []string {
	largest := 0.0
	for _, v := range values {
		if v == v {
			largest = max(largest, math.Abs(v))
		}
	}
	return lists.Map(values, func(v float64) string {
		if largest < 1e-3 {
			return Significant(v)
		}
		return Fixed(v, ThreeDigits(largest))
	})
}

// PlainNumbers formats the numbers of a data column with commas between thousands and the same number of decimals: as
// many as the data have, but at most two, or four if all are below 1; none if all decimals would be 0.
func PlainNumbers(texts []string) []string {
	values, decimals, largest := make([]float64, len(texts)), 0, 0.0
	for k, text := range texts {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			values[k] = math.NaN()
			continue
		}
		_, fraction, _ := strings.Cut(text, ".")
		values[k], decimals, largest = v, max(decimals, len(fraction)), max(largest, math.Abs(v))
	}
	most := 2
	if largest < 1 {
		most = 4
	}
	if largest < 0.5*math.Pow10(-most) {
		most = 0
	}
	out := slices.Clone(texts)
	for k, v := range values {
		if !math.IsNaN(v) {
			out[k] = Fixed(v, min(decimals, most))
		}
	}
	return out
}

// Percent is a share in percent with one decimal, and a no-break space before the sign. If it is not 0 or 100 but would
// be rounded to it, it is <0.1 or >99.9.
func Percent(share float64) string {
	switch {
	case math.IsNaN(share):
		return None
	case share > 0 && share < 0.0005:
		return "<0.1\u00a0%"
	case share < 1 && share >= 0.9995:
		return ">99.9\u00a0%"
	}
	return Fixed(100*share, 1) + "\u00a0%"
}

// Seconds is a time for people: two digits below 10 s, then whole seconds, minutes from 600 s, hours from 2 h.
func Seconds(s float64) string {
	switch {
	case math.IsNaN(s) || s < 0:
		return None
	case s >= 7200:
		return Fixed(s/3600, 1) + " h"
	case s >= 600:
		return Fixed(s/60, 0) + " min"
	}
	return PlainSeconds(s) + " s"
}

// PlainSeconds is Seconds in seconds without the unit, for a column.
func PlainSeconds(s float64) string {
	switch {
	case s >= 10:
		return Fixed(s, 0)
	case s >= 1 || s == 0:
		return trimZeros(Fixed(s, 1))
	}
	return trimZeros(Fixed(s, 2))
}
