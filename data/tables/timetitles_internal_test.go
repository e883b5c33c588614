package tables

import (
	"strings"
	"testing"
)

// Every column of time has a title of its own.
func TestTimeTitle(t *testing.T) {
	for name, want := range map[string]string{"since_source": "time since the last edge of the source", "since_reverse": "time since the last reverse edge",
		"earlier_mean": "number of earlier edges, mean of both ends", "hour_sin": "hour of the day, sine"} {
		if got := TimeTitle(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, directed := range []bool{true, false} {
		of := map[string]string{}
		for _, name := range new(Times).names(directed) {
			title := TimeTitle(name)
			if title == strings.ReplaceAll(name, "_", " ") {
				t.Errorf("%s has no title", name)
			}
			if of[title] != "" {
				t.Errorf("%s and %s are both %q", of[title], name, title)
			}
			of[title] = name
		}
	}
}
