package serve

import (
	"fmt"
	"net"
	"os"
)

// Hosts returns the names and addresses of a server at an address, without those that its user adds.
// They are fixed at the start: a name in a request proves nothing. It is an error if the server
// listens on all addresses of the machine and these cannot be listed.
func Hosts(address net.Addr) ([]string, error) { return hosts(address, net.InterfaceAddrs) }

func hosts(address net.Addr, interfaces func() ([]net.Addr, error)) ([]string, error) {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return nil, nil
	}
	local := []string{"localhost", "127.0.0.1", "::1"}
	switch {
	case tcp.IP.IsLoopback():
		return append(local, tcp.IP.String()), nil
	case !tcp.IP.IsUnspecified():
		return []string{tcp.IP.String()}, nil
	}
	if name, err := os.Hostname(); err == nil {
		local = append(local, name)
	}
	addresses, err := interfaces()
	if err != nil {
		return nil, fmt.Errorf("serve: the addresses of this machine, by which requests call it: %w; systemd's RestrictAddressFamilies needs AF_NETLINK, or --addr names one address", err)
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok {
			local = append(local, n.IP.String())
		}
	}
	return local, nil
}
