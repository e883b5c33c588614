package serve

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// Times of the end.
const (
	handshakes = 200 * time.Millisecond // for connections that are being made to become complete
	silence    = time.Second            // after which a connection is taken to have no request under way
)

// Listen opens an address for Serve. Sockets of Multipath TCP, which Go prefers, take no filter (dropSYN).
func Listen(ctx context.Context, address string) (*net.TCPListener, error) {
	var c net.ListenConfig
	c.SetMultipathTCP(false)
	l, err := c.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil
}

// drainListener is a listener whose end loses no connection: a kernel resets those that nobody has accepted
// when a listener is closed, although for their callers they are there.
type drainListener struct {
	*net.TCPListener
	guests *crowd
	ending atomic.Bool
}

// Accept returns net.ErrClosed after leave, once nobody waits.
func (d *drainListener) Accept() (net.Conn, error) {
	for d.guests.full() && !d.ending.Load() {
		select {
		case <-d.guests.left:
		case <-time.After(handshakes):
		}
	}
	for {
		c, err := d.AcceptTCP()
		if err == nil {
			return &trackedConn{TCPConn: c}, nil
		}
		if !d.ending.Load() || !errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, err
		}
		if queued(d.TCPListener) == 0 {
			return nil, net.ErrClosed
		}
		d.SetDeadline(time.Now().Add(handshakes)) // of a socket that is open
	}
}

// leave has Accept end when those who are at the door are in. Where the kernel can be told, nobody
// comes to the door any more: a caller hears nothing, and tries again a second later.
func (d *drainListener) leave() error {
	err := dropSYN(d.TCPListener)
	d.ending.Store(true)
	return errors.Join(err, d.SetDeadline(time.Now().Add(handshakes)))
}

// trackedConn is a connection that knows when it last brought something.
type trackedConn struct {
	*net.TCPConn
	heard atomic.Int64 // in nanoseconds
}

// Read implements io.Reader. What has come first is read although its time has passed: the process may have had no
// processor meanwhile.
func (l *trackedConn) Read(b []byte) (int, error) {
	n, err := l.TCPConn.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) && l.heard.Load() == 0 {
		if n = arrived(l.TCPConn, b); n > 0 {
			err = nil
		}
	}
	if n > 0 {
		l.heard.Store(time.Now().UnixNano())
	}
	return n, err
}
