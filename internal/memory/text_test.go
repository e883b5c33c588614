package memory

import "testing"

func TestText(t *testing.T) {
	for n, want := range map[float64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 3 << 30: "3 GiB", 1 << 60: "1 EiB"} {
		if have := Text(n); have != want {
			t.Errorf("%v is %s, want %s", n, have, want)
		}
	}
}
