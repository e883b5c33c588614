//go:build !linux

package serve

import "net"

// dropSYN, queued and arrived are for what only Linux can: elsewhere a connection that is made between the
// last look and the end of the listener is lost, and so is a request that came in time and was not read in time.
func dropSYN(*net.TCPListener) error { return nil }

func queued(*net.TCPListener) int { return 0 }

func arrived(*net.TCPConn, []byte) int { return 0 }

// mostConnections is how many connections a server keeps.
func mostConnections() int { return connections }
