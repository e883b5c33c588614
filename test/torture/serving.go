//go:build linux

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// mostBeside is what a server may take beside the bound that it was given.
const mostBeside = 300 << 20

var serveMemory = scenario{
	name:  "serve/memory",
	about: "many connections whose small bodies unpack to large tables, documents, columns and blank lines: each is answered or told 503, and the server stays below --memory and 300 MB",
	share: 1, quick: 2,
	trial: func(t *trial) {
		bound := int64(pick(t, 256, 512, 1024)) << 20
		s := t.serve(filepath.Join(t.served("1").dir, "run"), "--memory", fmt.Sprint(bound), "--max-body", "16MiB", "--timeout", "10s")
		defer s.end()
		kind, body := t.bomb()
		packed := gzipped(body)
		var all sync.WaitGroup
		for range 16 + t.IntN(32) {
			all.Go(func() { s.ask(kind, packed, true) })
		}
		all.Wait()
		if status, _ := s.ask("application/x-ndjson", []byte("{}\n"), false); status != http.StatusOK {
			s.finding("status %d for a small request after the bombs", status)
		}
		if peak := s.peak(); peak > bound+mostBeside {
			s.finding("peak memory %d MB with --memory %d MB", peak/1e6, bound/1e6)
		}
	},
}

var serveConnections = scenario{
	name:  "serve/connections",
	about: "2,500 connections at once, with slow headers and slow bodies among them, and new weights meanwhile: every request that is complete gets its answer or 503, and the same weights give the same answer",
	share: 1, quick: 1,
	trial: func(t *trial) {
		weights := [2][]byte{t.served("1").read("run", "model.safetensors"), t.served("2").read("run", "model.safetensors")}
		t.must(os.CopyFS(t.path("run"), os.DirFS(filepath.Join(t.served("1").dir, "run"))))
		s := t.serve("run", "--memory", "1GiB", "--timeout", "10s")
		defer s.end()
		first := s.predicts()
		var slow []net.Conn
		for range t.IntN(600) {
			c, err := net.Dial("tcp", s.address)
			t.must(err)
			slow = append(slow, c)
			fmt.Fprint(c, pick(t, "GET / HT", "GET / HTTP/1.1\r\nHost: local", "POST /v1/models/run/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"))
		}
		gate := make(chan struct{})
		var all sync.WaitGroup
		for range 2500 {
			all.Go(func() {
				<-gate
				s.predicts()
			})
		}
		close(gate)
		for k := range 5 {
			time.Sleep(50 * time.Millisecond)
			t.write("run/new", weights[(k+1)%2])
			t.must(os.Rename(t.path("run", "new"), t.path("run", "model.safetensors")))
			_ = s.cmd.Process.Signal(syscall.SIGHUP) // the end of the trial says whether it is there
			for _, c := range slow {
				fmt.Fprint(c, " ")
			}
		}
		all.Wait()
		for _, c := range slow {
			c.Close()
		}
		last := s.predicts()
		for until := time.Now().Add(maxStop); (last == "" || last == first) && time.Now().Before(until); last = s.predicts() {
			time.Sleep(50 * time.Millisecond)
		}
		if last == "" || last == first {
			s.finding("the weights are those of the start, %s", first)
		}
	},
}

// A server is a process of ehgnn serve.
type server struct {
	*process
	address string
	mu      sync.Mutex        // of findings and answers
	answers map[string]string // to the request of predicts, by the digest of the weights
}

// served has a run on tables, called run, after some epochs.
func (t *trial) served(epochs string) *reference {
	return t.reference("serve-"+epochs, func(t *trial) { t.takes("payments") },
		call{args: []string{"train", "data/payments", "--epochs", epochs, "--hidden", "8", "--threads", "1", "--quiet", "--out", "run"}, talks: true})
}

// serve starts a server of a run folder, which is called run.
func (t *trial) serve(run string, flags ...string) *server {
	read, write, err := os.Pipe()
	t.must(err)
	p := t.start(call{args: append([]string{"serve", run, "--addr", "127.0.0.1:0", "--threads", "2", "--log-level", "error"}, flags...), stdout: write})
	write.Close()
	defer read.Close()
	line, err := bufio.NewReader(read).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving http://")
	if err != nil || !ok {
		<-p.done
		t.fatal("serve begins with %q: %v, %s", line, err, p.err.String())
	}
	return &server{process: p, address: address, answers: map[string]string{}}
}

// finding records what a server did wrong.
func (s *server) finding(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process.finding(format, args...)
}

// predicts asks for predictions and returns the digest of the weights that they are of; empty for status 503. The same
// weights must give the same answer.
func (s *server) predicts() string {
	status, body := s.ask("application/json", []byte(`{"graphs":[{"num_nodes":2,"edges":[[0,1]],"node":{"kind":["shop","shop"],"days":[1,1]},
		"edge":{"amount":[1],"channel":["card"],"hour":[1]}}]}`), false)
	switch status {
	case 0, http.StatusServiceUnavailable:
		return ""
	case http.StatusOK:
	default:
		s.finding("status %d for a request that is right: %.300s", status, body)
		return ""
	}
	var of struct{ Digest string }
	if err := json.Unmarshal(body, &of); err != nil {
		s.finding("an answer is not JSON: %v", err)
	}
	s.mu.Lock()
	before, known := s.answers[of.Digest]
	s.answers[of.Digest] = string(body)
	n := len(s.answers)
	s.mu.Unlock()
	if known && before != string(body) || n > 2 {
		s.finding("%d weights answer, and those of %s at first with %.300s and then with %.300s", n, of.Digest, before, body)
	}
	return of.Digest
}

// ask sends a request for predictions on a connection of its own, and checks that there is an answer, which it returns.
func (s *server) ask(kind string, body []byte, packed bool) (status int, answer []byte) {
	c, err := net.DialTimeout("tcp", s.address, maxStop)
	if err != nil {
		s.finding("no connection: %v", err)
		return 0, nil
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(maxWall / 2)) // of a connection that is open
	encoding := ""
	if packed {
		encoding = "Content-Encoding: gzip\r\n"
	}
	fmt.Fprintf(c, "POST /v1/models/run/predict HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s", kind, encoding, len(body), body)
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		s.finding("a request got no answer: %v", err)
		return 0, nil
	}
	defer r.Body.Close()
	if answer, err = io.ReadAll(r.Body); err != nil {
		s.finding("an answer of status %d was cut: %v", r.StatusCode, err)
	}
	switch r.StatusCode {
	case http.StatusOK, http.StatusBadRequest, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusGatewayTimeout:
	case http.StatusServiceUnavailable:
		if r.Header.Get("Retry-After") == "" {
			s.finding("status 503 without Retry-After")
		}
	default:
		s.finding("status %d", r.StatusCode)
	}
	return r.StatusCode, answer
}

// peak is the most memory that the server has held.
func (s *server) peak() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	s.t.must(err)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			s.t.must(err)
			return n << 10
		}
	}
	s.t.fatal("no VmHWM in %s", text)
	return 0
}

// end asks the server to end, and holds it to the bounds of all processes.
func (s *server) end() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // one that has ended is found below
	s.wait()
	s.check()
}

// gzipped is a text after gzip.
func gzipped(text []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that there is
	z.Write(text)                                         // to memory
	z.Close()
	return b.Bytes()
}

// bomb draws a body that is small only while it is packed.
func (t *trial) bomb() (kind string, body []byte) {
	form := func(edges string) (string, []byte) {
		return "multipart/form-data; boundary=x", fmt.Appendf(nil, "--x\r\nContent-Disposition: form-data; name=nodes\r\n\r\nid,kind,days\n1,shop,1\n\r\n"+
			"--x\r\nContent-Disposition: form-data; name=edges\r\n\r\n%s\r\n--x--\r\n", edges)
	}
	const header = "source,target,amount,channel,hour"
	switch t.IntN(7) {
	case 0:
		return form(header + "\n" + strings.Repeat("1,1,1,card,1\n", 490_000))
	case 1:
		return form(header + strings.Repeat(pick(t, ",", ",a"), 100_000+t.IntN(900_000)) + "\n1,1,1,card,1\n")
	case 2:
		return form(header + "\n1,1,1,card,1" + strings.Repeat(",", 1_000_000) + "\n")
	case 3:
		return "application/json", []byte(`{"graphs":[` + strings.TrimSuffix(strings.Repeat(`{"num_nodes":1,"edges":[],"node":{"kind":["shop"],"days":[1]}},`, 90_000), ",") + `]}`)
	case 4:
		return "application/json", []byte(`{"graphs":[{"num_nodes":2,"edges":[` + strings.TrimSuffix(strings.Repeat("[0,1],", 490_000), ",") + `],"node":{"kind":["shop","shop"],"days":[1,1]}}]}`)
	case 5:
		return "application/json", []byte(strings.Repeat(pick(t, "[", " ", `{"graphs":`), 1_000_000))
	default:
		return "application/x-ndjson", []byte(strings.Repeat(pick(t, "\n", strings.Repeat(" ", 60)+"\n"), 8_000_000))
	}
}
