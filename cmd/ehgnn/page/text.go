package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/sanitize"
)

// sentence is an error as a sentence, without the name of the package.
func sentence(err error) string {
	text := sanitize.WithoutPackage(err.Error())
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// short is a shortened text; a dash for an empty one.
func short(text string, most int) string {
	switch r := []rune(text); {
	case text == "":
		return report.None
	case len(r) > most:
		return string(r[:most-1]) + "…"
	}
	return text
}
