package memory

import (
	"syscall"
	"testing"
)

func TestCached(t *testing.T) {
	if have := cached("anon 7\nactive_file 30\nfile 40\ninactive_file 12\nbroken\n"); have != 42 {
		t.Errorf("%d bytes, want 42", have)
	}
}

// TestSpace limits the address space of this process, to more than the test can need.
func TestSpace(t *testing.T) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &old); err != nil {
		t.Fatal(err)
	}
	const room = int64(2 << 30)
	limit := old
	limit.Cur = uint64(mapped() + room)
	if limit.Cur > old.Cur {
		t.Skip("the address space is limited already")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	have := Free()
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &old); err != nil {
		t.Fatal(err)
	}
	if have < 1 || have > room {
		t.Errorf("%d bytes are free, want %d or fewer", have, room)
	}
}
