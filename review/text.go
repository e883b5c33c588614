package review

import (
	"fmt"
	"time"
)

// duration is a time in seconds for people.
func duration(seconds float64) string {
	if seconds < 60 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return (time.Duration(seconds) * time.Second).String()
}

// shortened is a text of the data as a table has room for it.
func shortened(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
