package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Times of the end.
const (
	handshakes = 200 * time.Millisecond // for connections that are being made to become complete
	silence    = time.Second            // after which a connection is taken to have no request under way
)

// Listen opens an address for Serve. Sockets of Multipath TCP, which Go prefers, take no filter (deaf).
func Listen(ctx context.Context, address string) (*net.TCPListener, error) {
	var c net.ListenConfig
	c.SetMultipathTCP(false)
	l, err := c.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil
}

// door is a listener whose end loses no connection: a kernel resets those that nobody has accepted
// when a listener is closed, although for their callers they are there.
type door struct {
	*net.TCPListener
	ending atomic.Bool
}

// Accept returns net.ErrClosed after leave, once nobody waits.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.AcceptTCP()
		if err == nil {
			return &line{TCPConn: c}, nil
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
func (d *door) leave() error {
	err := deaf(d.TCPListener)
	d.ending.Store(true)
	return errors.Join(err, d.SetDeadline(time.Now().Add(handshakes)))
}

// line is a connection that knows when it last brought something.
type line struct {
	*net.TCPConn
	heard atomic.Int64 // in nanoseconds
}

// Read implements io.Reader.
func (l *line) Read(b []byte) (int, error) {
	n, err := l.TCPConn.Read(b)
	if n > 0 {
		l.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

// crowd bounds the connections of a server. Where there is no room for a new one, the one goes
// that has waited longest for a request to be complete, of those first that never had one: a
// caller who sends a byte now and then keeps nobody out, and drives nobody away who was answered.
type crowd struct {
	most int
	mu   sync.Mutex
	all  map[net.Conn]*guest
}

// guest is a connection.
type guest struct {
	conn     net.Conn
	line     *line        // under TLS, if that is spoken; nil in tests
	open     atomic.Int32 // requests that handlers have, of HTTP/2 several at a time
	busy     atomic.Int32 // of these, requests whose bodies need not be waited for
	answered atomic.Bool  // a request was
	idle     atomic.Int64 // since when no request is answered, or its body is waited for, in nanoseconds
}

type guestKey struct{}

func newCrowd(most int) *crowd { return &crowd{most: most, all: map[net.Conn]*guest{}} }

// enter is the http.Server's ConnContext.
func (c *crowd) enter(ctx context.Context, conn net.Conn) context.Context {
	g := &guest{conn: conn}
	if over, ok := conn.(*tls.Conn); ok {
		conn = over.NetConn()
	}
	g.line, _ = conn.(*line)
	g.idle.Store(time.Now().UnixNano())
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= c.most {
		var oldest *guest
		for _, other := range c.all {
			if other.busy.Load() == 0 && (oldest == nil || other.before(oldest)) {
				oldest = other
			}
		}
		if oldest == nil { // all are being answered
			oldest = g
		}
		oldest.conn.Close()
		delete(c.all, oldest.conn)
	}
	c.all[g.conn] = g
	return context.WithValue(ctx, guestKey{}, g)
}

// before says whether a connection goes before another one.
func (g *guest) before(other *guest) bool {
	if a, b := g.answered.Load(), other.answered.Load(); a != b {
		return b
	}
	return g.idle.Load() < other.idle.Load()
}

// state is the http.Server's ConnState.
func (c *crowd) state(conn net.Conn, s http.ConnState) {
	if s == http.StateClosed || s == http.StateHijacked {
		c.mu.Lock()
		delete(c.all, conn)
		c.mu.Unlock()
	}
}

// settle closes connections once they are silent, until there are none; false where ctx ends before.
func (c *crowd) settle(ctx context.Context) bool {
	for {
		since := time.Now().Add(-silence).UnixNano()
		c.mu.Lock()
		left := len(c.all)
		for _, g := range c.all {
			if g.silent(since) {
				g.conn.Close()
			}
		}
		c.mu.Unlock()
		if left == 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// silent reports whether a connection has neither brought nor been answered anything since a time.
func (g *guest) silent(since int64) bool {
	return g.open.Load() == 0 && g.idle.Load() < since && (g.line == nil || g.line.heard.Load() < since)
}

// guestOf is the connection of a request; nil in tests that have none.
func guestOf(ctx context.Context) *guest {
	g, _ := ctx.Value(guestKey{}).(*guest)
	return g
}

// begin notes that a handler has a request, until it is answered.
func (g *guest) begin() (answered func()) {
	if g == nil {
		return func() {}
	}
	g.open.Add(1)
	g.busy.Add(1)
	return func() {
		g.idle.Store(time.Now().UnixNano())
		g.answered.Store(true)
		g.busy.Add(-1)
		g.open.Add(-1)
	}
}

// await notes that a handler waits for the body of its request, until that has come.
func (g *guest) await() (come func()) {
	if g == nil {
		return func() {}
	}
	g.idle.Store(time.Now().UnixNano())
	g.busy.Add(-1)
	return func() { g.busy.Add(1) }
}
