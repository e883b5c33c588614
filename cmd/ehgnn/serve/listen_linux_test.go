package serve

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Bytes that have arrived are read after the deadline, once. So a process that had no processor loses no request, and a
// slow sender gains nothing.
func TestArrivedInTime(t *testing.T) {
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	caller := dialled(t, l.Addr().String())
	c, err := (&drainListener{TCPListener: l, guests: newCrowd(4)}).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	buffer := make([]byte, 16)
	late := func() (string, error) {
		c.SetReadDeadline(time.Now().Add(-time.Second)) // cannot fail on an open connection
		n, err := c.Read(buffer)
		return string(buffer[:n]), err
	}
	if text, err := late(); text != "" || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("before anything came: %q, %v", text, err)
	}
	send := func(text string) {
		if _, err := caller.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		for until := time.Now().Add(10 * time.Second); time.Now().Before(until) && peeked(t, c.(*trackedConn).TCPConn) == 0; time.Sleep(time.Millisecond) {
		}
	}
	send("GET /")
	if text, err := late(); text != "GET /" || err != nil {
		t.Errorf("what came first: %q, %v", text, err)
	}
	send(" HTTP")
	if text, err := late(); text != "" || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("what came later: %q, %v", text, err)
	}
}

// peeked returns the number of bytes that have arrived on a connection.
func peeked(t *testing.T, c *net.TCPConn) int {
	t.Helper()
	n := 0
	err := control(c, func(fd int) (err error) {
		n, _, err = unix.Recvfrom(fd, make([]byte, 16), unix.MSG_DONTWAIT|unix.MSG_PEEK)
		if errors.Is(err, unix.EAGAIN) {
			n, err = 0, nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
