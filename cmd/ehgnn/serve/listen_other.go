//go:build !linux

package serve

import "net"

// dropSYN, queued and arrived need Linux. Elsewhere a connection made between the last check and the end of the
// listener is lost, and so is a request that arrived in time but was not read in time.
func dropSYN(*net.TCPListener) error { return nil }

func queued(*net.TCPListener) int { return 0 }

func arrived(*net.TCPConn, []byte) int { return 0 }

// mostConnections is how many connections a server keeps.
func mostConnections() int { return connections }
