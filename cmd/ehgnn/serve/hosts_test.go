package serve

import (
	"errors"
	"net"
	"slices"
	"testing"
)

// A server on all addresses may be called by each of them. If they cannot be listed, that is an error.
func TestHosts(t *testing.T) {
	some := func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.IPv4(10, 1, 2, 3), Mask: net.CIDRMask(8, 32)}}, nil
	}
	denied := errors.New("address family not supported by protocol")
	none := func() ([]net.Addr, error) { return nil, denied }
	for name, test := range map[string]struct {
		ip         string
		interfaces func() ([]net.Addr, error)
		has, lacks string
		err        error
	}{
		"loopback":        {"127.0.0.1", none, "localhost", "10.1.2.3", nil},
		"one address":     {"10.1.2.3", none, "10.1.2.3", "localhost", nil},
		"all":             {"::", some, "10.1.2.3", "10.9.9.9", nil},
		"all, not listed": {"0.0.0.0", none, "", "", denied},
	} {
		got, err := hosts(&net.TCPAddr{IP: net.ParseIP(test.ip)}, test.interfaces)
		if !errors.Is(err, test.err) || err == nil && (!slices.Contains(got, test.has) || slices.Contains(got, test.lacks)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
