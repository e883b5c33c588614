package draw

import "strings"

// arial has the advance widths of Arial from space to ~, in thousandths of the size.
var arial = [...]float64{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// Isolate and EndIsolate enclose a text with its own direction (FSI and PDI of Unicode).
const (
	Isolate    = "\u2068"
	EndIsolate = "\u2069"
)

// TextWidth is the width in pixels that a layout reserves for a text: the width in the widest usual font
// (DejaVu Sans), estimated from Arial's advance widths.
func TextWidth(text string, size float64, bold bool) float64 {
	sum := 0.0
	for _, r := range text {
		switch {
		case r == '+', r == '=', r == '−', r == '<', r == '>', r == '^', r == '~':
			sum += 584 * 1.45
		case strings.ContainsRune("{}`*|![]\"", r): // wider in DejaVu Sans than the factor below gives
			sum += 553
		case r >= ' ' && int(r-' ') < len(arial):
			sum += arial[r-' ']
		case r == '·', r == '–':
			sum += 400
		case r == '\u2068', r == '\u2069':
		case r < 0x600:
			sum += 650
		default: // arrows, dots, and scripts with wide letters
			sum += 1000
		}
	}
	sum *= 1.15 * size / 1000
	if bold {
		sum *= 1.1
	}
	return sum
}

// CutMiddle cuts out the middle of a text so that its width is at most width.
func CutMiddle(text string, style TextStyle, most float64) string {
	r := []rune(text)
	for keep := len(r); style.WidthOf(text) > most && keep > 2; keep-- {
		text = string(r[:keep/2]) + "…" + string(r[len(r)-keep/2:])
	}
	return text
}

// Wrap breaks a text between words into lines of at most so many pixels.
func Wrap(text string, style TextStyle, most float64) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case style.WidthOf(line+" "+word) <= most:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
