package memory

import "testing"

func TestCached(t *testing.T) {
	if have := cached("anon 7\nactive_file 30\nfile 40\ninactive_file 12\nbroken\n"); have != 42 {
		t.Errorf("%d bytes, want 42", have)
	}
}
