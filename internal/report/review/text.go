package review

import (
	"strconv"
	"unicode/utf8"
)

// className is the name of a class in a sentence; a number or a letter is preceded by "class".
func className(name string, most int) string {
	if _, err := strconv.ParseFloat(name, 64); err == nil || utf8.RuneCountInString(name) < 2 {
		return "class " + shortened(name, most)
	}
	return shortened(name, most)
}

// shortened is a text of the data, cut for a table.
func shortened(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
