package serve

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// mostConnections is how many connections a server keeps: two thirds of the files that it may open,
// because further connections get an answer.
func mostConnections() int {
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil || files.Cur > 2*connections {
		return connections
	}
	return max(int(files.Cur)*2/3-spareFiles, 1)
}

// spareFiles is the number of files that are not connections.
const spareFiles = 64

// dropSYN makes the kernel drop requests for new connections (SYN) to a listener, by a filter on
// its socket. It does not drop the last step of a handshake (ACK).
func dropSYN(l *net.TCPListener) error {
	filter := []unix.SockFilter{ // on the TCP header, whose byte 13 has the flags
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: 0x02, Jt: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0xffffffff},
	}
	return control(l, func(fd int) error {
		return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
	})
}

// queued is the number of complete connections that are not accepted; 0 if the kernel does not report it.
func queued(l *net.TCPListener) int {
	n := 0
	err := control(l, func(fd int) error {
		info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err == nil {
			n = int(info.Unacked) // for a listener: the length of its queue
		}
		return err
	})
	if err != nil {
		return 0
	}
	return n
}

// arrived reads received data of a connection without waiting; 0 for none.
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

// control calls a function with the file descriptor of a socket.
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
