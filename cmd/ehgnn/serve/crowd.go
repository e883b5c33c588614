package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// crowd limits the connections of a server. If there is no room for a new connection, the connection
// that has been silent longest, for at least a second, is closed. Connections without an answered
// request are closed first: so a client that sends a byte now and then neither keeps others out nor
// displaces clients that were answered. If no connection has been silent, the new connection is
// answered with status 503. If there are too many of these as well, new connections wait in the
// queue of the listener.
type crowd struct {
	most    int
	silence time.Duration // after which a connection counts as silent
	mu      sync.Mutex
	all     map[net.Conn]*guest
	left    chan struct{} // signals that a connection was closed
}

// full reports whether new connections must wait, because no silent connection can be closed. A
// quarter more than the limit are still answered.
func (c *crowd) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all) >= c.most+(c.most+3)/4 && !c.closeOne(time.Now().Add(-c.silence).UnixNano())
}

// guest is a connection.
type guest struct {
	conn     net.Conn
	tracked  *trackedConn // connection below TLS, if any; nil in tests
	open     atomic.Int32 // requests in handlers; HTTP/2 may have several
	busy     atomic.Int32 // those whose bodies are complete or not needed
	answered atomic.Bool  // a request was answered
	surplus  bool         // there was no room for it: it gets status 503
	idle     atomic.Int64 // time in nanoseconds since no request is being answered, or since a body is awaited
}

type guestKey struct{}

func newCrowd(most int) *crowd {
	return &crowd{most: most, silence: silence, all: map[net.Conn]*guest{}, left: make(chan struct{}, 1)}
}

// enter is the ConnContext of the http.Server.
func (c *crowd) enter(ctx context.Context, conn net.Conn) context.Context {
	g := &guest{conn: conn}
	if over, ok := conn.(*tls.Conn); ok {
		conn = over.NetConn()
	}
	g.tracked, _ = conn.(*trackedConn)
	g.idle.Store(time.Now().UnixNano())
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= c.most {
		g.surplus = !c.closeOne(time.Now().Add(-c.silence).UnixNano())
	}
	c.all[g.conn] = g
	return context.WithValue(ctx, guestKey{}, g)
}

// closeOne closes the connection that has been silent longest, if it has been silent since a time or before.
func (c *crowd) closeOne(since int64) bool {
	var oldest *guest
	for _, other := range c.all {
		if other.stalled(since) && (oldest == nil || other.before(oldest)) {
			oldest = other
		}
	}
	if oldest == nil {
		return false
	}
	oldest.conn.Close()
	delete(c.all, oldest.conn)
	return true
}

// stalled reports whether a connection has waited for a complete request since a time or before.
func (g *guest) stalled(since int64) bool {
	return g.busy.Load() == 0 && g.idle.Load() <= since
}

// before reports whether a connection is closed before another one.
func (g *guest) before(other *guest) bool {
	if a, b := g.answered.Load(), other.answered.Load(); a != b {
		return b
	}
	return g.idle.Load() < other.idle.Load()
}

// state is the ConnState of the http.Server.
func (c *crowd) state(conn net.Conn, s http.ConnState) {
	if s == http.StateClosed || s == http.StateHijacked {
		c.mu.Lock()
		delete(c.all, conn)
		c.mu.Unlock()
		select {
		case c.left <- struct{}{}:
		default:
		}
	}
}

// closeAll closes connections when they are silent, until there are none; false if ctx ends before.
func (c *crowd) closeAll(ctx context.Context) bool {
	for {
		since := time.Now().Add(-c.silence).UnixNano()
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

// silent reports whether a connection has neither received nor answered anything since a time.
func (g *guest) silent(since int64) bool {
	return g.open.Load() == 0 && g.idle.Load() < since && (g.tracked == nil || g.tracked.heard.Load() < since)
}

// guestOf is the connection of a request; nil in tests without one.
func guestOf(ctx context.Context) *guest {
	g, _ := ctx.Value(guestKey{}).(*guest)
	return g
}

// begin records that a handler works on a request, until the returned function is called.
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

// await records that a handler waits for the body of its request, until the returned function is called.
func (g *guest) await() (come func()) {
	if g == nil {
		return func() {}
	}
	g.idle.Store(time.Now().UnixNano())
	g.busy.Add(-1)
	return func() { g.busy.Add(1) }
}
