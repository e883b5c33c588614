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

// crowd bounds the connections of a server. Where there is no room for a new one, one is closed that
// has been silent for a second, the longest of all, and of those first that never had a request
// answered: a caller who sends a byte now and then keeps nobody out, and drives nobody away who was
// answered. Where none has been silent, the new connection gets an answer that says so (503). Where
// there are too many of these as well, new connections wait in the queue of the listener.
type crowd struct {
	most int
	mu   sync.Mutex
	all  map[net.Conn]*guest
	left chan struct{} // has an item where a connection was closed since it was looked at
}

// full reports whether new connections must wait, since none that is silent can be closed. A quarter
// beyond the bound get an answer.
func (c *crowd) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all) >= c.most+(c.most+3)/4 && !c.closeOne(time.Now().Add(-silence).UnixNano())
}

// guest is a connection.
type guest struct {
	conn     net.Conn
	tracked  *trackedConn // under TLS, if that is spoken; nil in tests
	open     atomic.Int32 // requests that handlers have, of HTTP/2 several at a time
	busy     atomic.Int32 // of these, requests whose bodies need not be waited for
	answered atomic.Bool  // a request was
	surplus  bool         // there was no room for it: it is told so
	idle     atomic.Int64 // since when no request is answered, or its body is waited for, in nanoseconds
}

type guestKey struct{}

func newCrowd(most int) *crowd {
	return &crowd{most: most, all: map[net.Conn]*guest{}, left: make(chan struct{}, 1)}
}

// enter is the http.Server's ConnContext.
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
		g.surplus = !c.closeOne(time.Now().Add(-silence).UnixNano())
	}
	c.all[g.conn] = g
	return context.WithValue(ctx, guestKey{}, g)
}

// closeOne closes the connection that has been silent longest, if that is since a time or before.
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

// stalled reports whether a connection has waited for a request to be complete since a time or before.
func (g *guest) stalled(since int64) bool {
	return g.busy.Load() == 0 && g.idle.Load() <= since
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
		select {
		case c.left <- struct{}{}:
		default:
		}
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
	return g.open.Load() == 0 && g.idle.Load() < since && (g.tracked == nil || g.tracked.heard.Load() < since)
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
