//go:build linux

package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// fetching downloads from servers that misbehave.
var fetching = scenario{
	name:  "fetch",
	about: "downloads from servers that cut, stall, drip, redirect in circles, lie about ranges and lengths or send something else, and downloads that are killed: a set is whole or absent",
	share: 1, quick: 6,
	trial: func(t *trial) {
		body := t.zipped("TOY")
		s := &badServer{rand: rand.New(rand.NewPCG(t.Uint64(), 0)), body: body}
		for range t.IntN(4) {
			s.answers = append(s.answers, t.IntN(len(badAnswers)))
		}
		s.forever = t.IntN(3) == 0 && len(s.answers) > 0
		server := httptest.NewServer(s)
		defer server.Close()
		defer server.CloseClientConnections()
		name, path := "tu/TOY", "sets/tu/TOY.zip"
		if s.planetoid = t.IntN(4) == 0; s.planetoid { // whose checksums are built in
			name, path = "cora", "sets/planetoid"
		}
		c := call{args: []string{"data", "fetch", name, "--data-dir", "sets", "--url", server.URL, "--timeout", "300ms", "--retries", fmt.Sprint(t.IntN(3)), "--max-size", "2", "--quiet"},
			codes: []int{exitOK, exitFailed}}
		if t.IntN(3) == 0 {
			t.killed(c, 2*time.Second)
		}
		p := t.run(c)
		there := exists(t.path(path))
		switch {
		case p.code == exitOK && s.planetoid:
			p.finding("a file with another checksum was accepted")
		case p.code == exitOK && !there:
			p.finding("no set after a fetch that succeeded")
		case p.code != exitOK && there:
			p.finding("failed, but %s is there", path)
		}
		if there && !s.planetoid {
			t.run(call{args: []string{"data", "info", path}})
		}
		if !s.planetoid && !there {
			// The server gets better, and the next call goes on.
			s.heal()
			t.run(c)
			t.run(call{args: []string{"data", "info", path}})
		}
		t.leftovers("sets")
		t.leftovers("sets/tu")
	},
}

// zipped is a set as a zip.
func (t *trial) zipped(set string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	files := tree(t.lab.set(set))
	for _, name := range sortedNames(files) {
		w, err := z.Create(set + "/" + name)
		t.must(err)
		_, err = w.Write(files[name])
		t.must(err)
	}
	t.must(z.Close())
	return b.Bytes()
}

// A badServer gives its answers in turn, then the right one; or the last for ever.
type badServer struct {
	mu        sync.Mutex
	rand      *rand.Rand
	body      []byte
	answers   []int
	forever   bool
	planetoid bool
}

func (s *badServer) heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers, s.forever = nil, false
}

func (s *badServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer := -1
	if len(s.answers) > 0 {
		answer = s.answers[0]
		if !s.forever || len(s.answers) > 1 {
			s.answers = s.answers[1:]
		}
	}
	n := s.rand.IntN(len(s.body))
	s.mu.Unlock()
	w.Header().Set("ETag", `"v1"`)
	if answer < 0 {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.body))
		return
	}
	badAnswers[answer](w, r, s.body, n)
}

// badAnswers are what servers do. n is a place in the body.
var badAnswers = []func(w http.ResponseWriter, r *http.Request, body []byte, n int){
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // half
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body[:n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // then nothing
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body[:n])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // a drip
		for _, c := range body {
			if _, err := w.Write([]byte{c}); err != nil || r.Context().Err() != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(100 * time.Microsecond)
		}
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // without end
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // another range
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", n, len(body)-1, len(body)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(body[n:])
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // nonsense for a range
		w.Header().Set("Content-Range", "bytes \x1b[2J-9999999999999999999999/-1")
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(body[n:])
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { w.WriteHeader(http.StatusNotFound) },
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) {
		w.WriteHeader(http.StatusInternalServerError)
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) {
		w.Header().Set("Retry-After", "99999999999")
		w.WriteHeader(http.StatusTooManyRequests)
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // in circles
		http.Redirect(w, r, r.URL.Path+"/", http.StatusFound)
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // out of HTTP
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // a bit
		b := bytes.Clone(body)
		b[n] ^= 1
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // something else
		_, _ = w.Write([]byte("<html>Please log in \x1b[2J</html>"))
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) {
		w.Header().Set("Content-Length", "9223372036854775807")
		_, _ = w.Write(body)
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) { // long headers
		w.Header().Set("X", strings.Repeat("x", 2<<20))
		_, _ = w.Write(body)
	},
	func(w http.ResponseWriter, r *http.Request, body []byte, n int) {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", n))
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
	},
}
