package page

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence is an error as a sentence for people: without the name of the package before it.
func sentence(err error) string {
	text := err.Error()
	for _, p := range []string{"task: ", "page: ", "items: ", "review: ", "picture: ", "data: ", "tables: "} {
		text = strings.TrimPrefix(text, p)
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
