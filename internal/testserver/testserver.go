// Package testserver serves HTTP on connections in memory. In a bubble of package synctest time passes only while
// the client and the server wait for it, so time limits need no real time and do not depend on the load of the machine.
package testserver

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Start serves a handler until the end of the test and returns a function that connects to it.
func Start(t testing.TB, h http.Handler) (dial func() net.Conn) {
	var open sync.WaitGroup
	l, server := make(listener), &http.Server{Handler: h, ConnState: func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Done()
		}
	}}
	go server.Serve(l)
	t.Cleanup(func() {
		server.Close()
		open.Wait()
	})
	return func() net.Conn {
		here, there := net.Pipe()
		l <- there
		return here
	}
}

// Client returns a client whose requests to any http address are answered by a handler.
func Client(t testing.TB, h http.Handler) *http.Client {
	dial := Start(t, h)
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(), nil }}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// listener has connections that the other side makes.
type listener chan net.Conn

func (l listener) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l listener) Close() error {
	close(l)
	return nil
}

func (l listener) Addr() net.Addr { return nil }
