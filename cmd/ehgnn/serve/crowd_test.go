package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ehgnn/ehgnn/internal/testserver"
)

// listening serves a handler with a limit on connections and returns its address.
func listening(t *testing.T, most int, silence time.Duration, next http.Handler) (guests *crowd, address string) {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	guests = newCrowd(most)
	guests.silence = silence
	g := newGuard(next, &Options{Timeout: 20 * time.Second, Hosts: []string{"127.0.0.1"}, Log: slog.New(slog.DiscardHandler)}, newMetrics(nil))
	server := &http.Server{Handler: g, ConnContext: guests.enter, ConnState: guests.state}
	go server.Serve(&drainListener{TCPListener: l, guests: guests})
	t.Cleanup(func() { server.Close() })
	return guests, l.Addr().String()
}

// dialled returns a connection to an address.
func dialled(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Connections that send nothing delay other clients by at most a second.
func TestCrowd(t *testing.T) {
	guests, address := listening(t, 4, silence, http.NotFoundHandler())
	for range 12 {
		dialled(t, address).Write([]byte("GET / HTTP/1.1\r\nX"))
	}
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for {
		r, err := client.Get("http://" + address)
		if err != nil {
			continue // the process had no processor for a second, so the client was silent too
		}
		r.Body.Close()
		if r.StatusCode == http.StatusNotFound {
			break
		}
		if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
			t.Fatalf("%+v", r)
		}
		time.Sleep(50 * time.Millisecond)
	}
	guests.mu.Lock()
	defer guests.mu.Unlock()
	if len(guests.all) > 5 {
		t.Errorf("%d connections, want at most 5", len(guests.all))
	}
}

// A client that sends a body that is too large can send all of it and read the reply.
func TestTooLargeIsAnswered(t *testing.T) {
	runs := loadRuns(t, Limits{Body: 1 << 10, Nodes: 100, Edges: 100}, ringsDir(t))
	synctest.Test(t, func(t *testing.T) {
		dial := testserver.Start(t, started(t, runs, nil))
		for _, head := range []string{"", "Connection: close\r\n"} {
			c, size := dial(), 24<<20
			replied := make(chan *http.Response)
			go func() {
				r, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil {
					t.Errorf("%q: %v", head, err)
				}
				replied <- r
			}()
			fmt.Fprintf(c, "POST /v1/models/rings/predict HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", head, size)
			if _, err := c.Write(make([]byte, size)); err != nil {
				t.Errorf("%q: the body is not taken: %v", head, err)
			}
			if r := <-replied; r != nil && r.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("%q: %v", head, r)
			}
			c.Close()
		}
	})
}

// A reply that is late because the process had no processor is still written.
func TestLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(400 * time.Millisecond)
			io.WriteString(w, "late")
		}), &Options{Timeout: 100 * time.Millisecond, Hosts: []string{"localhost"}, Log: slog.New(slog.DiscardHandler)}, newMetrics(nil))
		r, err := testserver.Client(t, g).Get("http://localhost")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if text, err := io.ReadAll(r.Body); string(text) != "late" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// For any number of connections, each request gets an answer: its result, or 503 with a time to try
// again. Connections that were answered stay open.
func TestCrowdAnswers(t *testing.T) {
	const most, all = 8, 200
	gate := make(chan struct{})
	_, address := listening(t, most, time.Hour, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-gate }))
	var mu sync.Mutex
	statuses := map[int]int{}
	var clients sync.WaitGroup
	var kept []net.Conn
	ask := func(c net.Conn) (status int, retry string) {
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer r.Body.Close()
		io.Copy(io.Discard, r.Body)
		return r.StatusCode, r.Header.Get("Retry-After")
	}
	for range all {
		c := dialled(t, address)
		clients.Go(func() {
			status, retry := ask(c)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
			switch {
			case status == http.StatusOK:
				kept = append(kept, c)
			case retry == "":
				t.Errorf("status %d without Retry-After", status)
			}
		})
	}
	for answered := 0; answered < all-most && !t.Failed(); time.Sleep(time.Millisecond) {
		mu.Lock()
		answered = statuses[http.StatusServiceUnavailable]
		mu.Unlock()
	}
	close(gate)
	clients.Wait()
	if statuses[http.StatusOK] != most || statuses[http.StatusServiceUnavailable] != all-most {
		t.Errorf("%v, want %d answers and 503 for the others", statuses, most)
	}
	for _, c := range kept {
		if status, _ := ask(c); status != http.StatusOK {
			t.Errorf("a connection that is kept: status %d", status)
		}
	}
}

// If there is no room, the server closes a connection that never had a request answered, then the
// one that has waited longest. A connection whose request is being answered stays.
func TestCrowdOrder(t *testing.T) {
	c := newCrowd(3)
	var conns []net.Conn
	enter := func() context.Context {
		here, there := net.Pipe()
		t.Cleanup(func() { here.Close(); there.Close() })
		conns = append(conns, here)
		return c.enter(t.Context(), here)
	}
	answered, silent, working := enter(), enter(), enter()
	guestOf(answered).begin()()
	guestOf(working).begin()
	long := time.Now().Add(-2 * silence).UnixNano()
	guestOf(answered).idle.Store(long - 1)
	guestOf(silent).idle.Store(long)
	for step, want := range []int{1, 3} { // first the silent one, then the next without a request
		guestOf(enter()).idle.Store(long)
		if _, is := c.all[conns[want]]; is || len(c.all) != 3 {
			t.Errorf("step %d: connection %d is still there, of %d", step, want, len(c.all))
		}
	}
	guestOf(silent).begin() // a closed connection changes nothing
	for i, is := range []bool{true, false, true, false, true} {
		if _, has := c.all[conns[i]]; has != is {
			t.Errorf("connection %d is there: %v, want %v", i, has, is)
		}
	}
}

// A connection whose request body never arrives is closed before one that was answered.
func TestCrowdBody(t *testing.T) {
	c := newCrowd(2)
	var conns []net.Conn
	enter := func() *guest {
		here, there := net.Pipe()
		t.Cleanup(func() { here.Close(); there.Close() })
		conns = append(conns, here)
		return guestOf(c.enter(t.Context(), here))
	}
	enter().begin()()
	sending := enter()
	sending.begin()
	come := sending.await()
	sending.idle.Store(time.Now().Add(-2 * silence).UnixNano())
	enter()
	if _, is := c.all[conns[0]]; !is || c.all[conns[1]] != nil || len(c.all) != 2 {
		t.Errorf("%d connections, of which the one that was answered is there: %v", len(c.all), is)
	}
	come() // a closed connection changes nothing
}

// A connection is silent if for some time nothing arrived and none of its requests was answered.
func TestSilent(t *testing.T) {
	const since = 10
	for name, test := range map[string]struct {
		change func(g *guest)
		want   bool
	}{
		"nothing since":          {func(*guest) {}, true},
		"answered since":         {func(g *guest) { g.idle.Store(since + 1) }, false},
		"heard since":            {func(g *guest) { g.tracked.heard.Store(since + 1) }, false},
		"a request is answered":  {func(g *guest) { g.begin() }, false},
		"its body is waited for": {func(g *guest) { g.begin(); g.await(); g.idle.Store(since - 1) }, false},
	} {
		g := &guest{tracked: &trackedConn{}}
		test.change(g)
		if got := g.silent(since); got != test.want {
			t.Errorf("%s: silent %v, want %v", name, got, test.want)
		}
	}
}
