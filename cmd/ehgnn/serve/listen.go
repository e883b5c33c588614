package serve

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// Times of the shutdown.
const (
	handshakes = 200 * time.Millisecond // for connections in their handshake to complete
	silence    = time.Second            // after which a connection counts as having no request in progress
)

// Listen opens an address for Serve. It does not use Multipath TCP, which Go prefers, because such sockets accept no filter (dropSYN).
func Listen(ctx context.Context, address string) (*net.TCPListener, error) {
	var c net.ListenConfig
	c.SetMultipathTCP(false)
	l, err := c.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil
}

// drainListener is a listener that loses no connection when it closes: the kernel resets connections that
// are not accepted yet, although they are complete for their clients.
type drainListener struct {
	*net.TCPListener
	guests *crowd
	ending atomic.Bool
}

// Accept returns net.ErrClosed after leave, when no connection waits.
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
		d.SetDeadline(time.Now().Add(handshakes)) // of an open socket
	}
}

// stopAccepting makes Accept end after it has accepted the waiting connections. On Linux the kernel drops
// new connection requests from then on: a client gets no answer and tries again a second later.
func (d *drainListener) stopAccepting() error {
	err := dropSYN(d.TCPListener)
	d.ending.Store(true)
	return errors.Join(err, d.SetDeadline(time.Now().Add(handshakes)))
}

// trackedConn is a connection that records when it last received data.
type trackedConn struct {
	*net.TCPConn
	heard atomic.Int64 // in nanoseconds
}

// Read implements io.Reader. It first reads received data even if the deadline has passed: the process may have
// had no processor in the meantime.
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
