package serve

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

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
	busy     atomic.Bool  // a handler answers it
	answered atomic.Bool  // a handler has
	idle     atomic.Int64 // since when it is not busy, in nanoseconds
}

type guestKey struct{}

func newCrowd(most int) *crowd { return &crowd{most: most, all: map[net.Conn]*guest{}} }

// enter is the http.Server's ConnContext.
func (c *crowd) enter(ctx context.Context, conn net.Conn) context.Context {
	g := &guest{conn: conn}
	g.idle.Store(time.Now().UnixNano())
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= c.most {
		var oldest *guest
		for _, other := range c.all {
			if !other.busy.Load() && (oldest == nil || other.before(oldest)) {
				oldest = other
			}
		}
		if oldest == nil { // all are being answered
			oldest = g
		}
		oldest.conn.Close()
		delete(c.all, oldest.conn)
	}
	c.all[conn] = g
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

// busy notes whether a handler answers the connection of a request.
func busy(ctx context.Context, is bool) {
	if g, ok := ctx.Value(guestKey{}).(*guest); ok {
		if !is {
			g.idle.Store(time.Now().UnixNano())
			g.answered.Store(true)
		}
		g.busy.Store(is)
	}
}
