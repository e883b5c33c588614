package serve

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// mostConnections is how many connections a server keeps: two thirds of the files that the system lets
// it open, since more get an answer.
func mostConnections() int {
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil || files.Cur > 2*connections {
		return connections
	}
	return max(int(files.Cur)*2/3-spareFiles, 1)
}

// spareFiles are those that are not connections.
const spareFiles = 64

// dropSYN has the kernel drop what asks a listener for a new connection (SYN), by a filter on what
// comes to its socket. The last step of connections that are being made (ACK) goes through.
func dropSYN(l *net.TCPListener) error {
	filter := []unix.SockFilter{ // on the header of TCP, whose byte 13 has the flags
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: 0x02, Jt: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0xffffffff},
	}
	return control(l, func(fd int) error {
		return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
	})
}

// queued is how many connections are made and not accepted; 0 where the kernel does not say.
func queued(l *net.TCPListener) int {
	n := 0
	err := control(l, func(fd int) error {
		info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err == nil {
			n = int(info.Unacked) // of a listener: the length of its queue
		}
		return err
	})
	if err != nil {
		return 0
	}
	return n
}

// arrived reads what has come to a connection, without waiting; 0 for nothing.
func arrived(c *net.TCPConn, b []byte) int {
	n := 0
	err := control(c, func(fd int) (err error) {
		n, _, err = unix.Recvfrom(fd, b, unix.MSG_DONTWAIT)
		return err
	})
	if err != nil {
		return 0
	}
	return n
}

// control does something with a socket.
func control(of syscall.Conn, do func(fd int) error) error {
	raw, err := of.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil {
		return err
	}
	return failed
}
