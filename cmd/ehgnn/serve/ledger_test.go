package serve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/testserver"
)

// The memory of all requests together is limited. A request that exceeds the limit alone is too large.
func TestLedger(t *testing.T) {
	l := &ledger{most: 100}
	a, b := &share{of: l}, &share{of: l}
	for step, test := range []struct {
		of     *share
		take   int64
		status int // 0 if there is room
	}{{a, 60, 0}, {b, 40, 0}, {b, 1, 503}, {b, 61, 413}, {a, 41, 413}} {
		p := test.of.charge(test.take)
		if (p == nil) != (test.status == 0) || p != nil && p.Status != test.status {
			t.Errorf("step %d: %v, want status %d", step, p, test.status)
		}
	}
	if a.release(0); l.held.Load() != 40 || a.charged() != 0 {
		t.Errorf("%d bytes are held, want those of the other", l.held.Load())
	}
	if p := b.charge(60); p != nil {
		t.Error(p)
	}
	if p := (*share)(nil).charge(1 << 60); p != nil {
		t.Error(p)
	}
}

// packedBody returns a text compressed with gzip.
func packedBody(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Many small bodies that unpack to large tables are answered or refused, and afterwards no memory stays reserved.
func TestMemory(t *testing.T) {
	runs := loadRuns(t, ordinary, trained(t, session.Request{Path: ofEdges(t)}))
	const bound = 40 << 20
	s := started(t, runs, func(o *Options) { o.Memory = bound })
	const begin = "--x\r\nContent-Disposition: form-data; name=edges\r\n\r\nsource,target,amount,channel,hour\n"
	for name, test := range map[string]struct {
		body, kind string
		alone      int // status of a single request
	}{
		"rows":          {begin + strings.Repeat("1,2,1,card,1\n", 20000) + "\r\n--x--\r\n", "multipart/form-data; boundary=x", 200},
		"too many rows": {begin + strings.Repeat("1,2,1,card,1\n", 400000) + "\r\n--x--\r\n", "multipart/form-data; boundary=x", 413},
		"columns":       {begin[:len(begin)-1] + strings.Repeat(",", 900000) + "\n\r\n--x--\r\n", "multipart/form-data; boundary=x", 413},
		"text":          {strings.Repeat(" ", 15<<20) + "{}", "application/json", 413},
	} {
		q := asked{path: "/v1/models/" + runs[0].name + "/predict", body: packedBody(t, test.body),
			header: map[string]string{"Content-Type": test.kind, "Content-Encoding": "gzip"}}
		if r := ask(t, s, q); r.status != test.alone {
			t.Errorf("%s: %+v, want status %d", name, r, test.alone)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				r := ask(t, s, q)
				if r.status != test.alone && (r.status != 503 || r.header.Get("Retry-After") == "") {
					t.Errorf("%s, beside others: %+v", name, r)
				}
			})
		}
		all.Wait()
		if n := s.ledger.held.Load(); n != 0 {
			t.Errorf("%s: %d bytes stay charged", name, n)
		}
	}
}

// Limits follow from the given options.
func TestBounds(t *testing.T) {
	for _, test := range []struct{ total, models, wantTotal, wantModels int64 }{
		{8, 0, 8, 4}, {8, 2, 8, 2}, {0, 4, 8, 4},
	} {
		b := NewBounds(test.total, test.models)
		if b.Total != test.wantTotal || b.Models != test.wantModels || b.Why == "" {
			t.Errorf("%+v: %+v", test, b)
		}
	}
	if b := NewBounds(0, 0); b.Total < leastMemory || b.Requests() <= 0 || b.Requests()+b.Models >= b.Total {
		t.Errorf("%+v", b)
	}
}

// Blank or wrong lines do not keep a request open: blank lines count as bytes of a line, and a
// graph must arrive within the time of a request.
func TestLinesEnd(t *testing.T) {
	runs := loadRuns(t, Limits{Body: 1 << 10, Nodes: 100, Edges: 100}, ringsDir(t))
	synctest.Test(t, func(t *testing.T) {
		client := testserver.Client(t, started(t, runs, func(o *Options) { o.Timeout = 300 * time.Millisecond }))
		for name, test := range map[string]struct {
			line   string
			status int
		}{"blank": {"\n", 413}, "blanks": {strings.Repeat(" ", 100) + "\n", 413}, "wrong": {"{}\n", 408}} {
			r, err := client.Post("http://localhost/v1/models/rings/predict", "application/x-ndjson", io.LimitReader(endless(test.line), 256<<10))
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(r.Body) // the server closes the connection after the last line
			r.Body.Close()
			if want := fmt.Sprintf(`"status":%d`, test.status); !strings.Contains(string(text[max(0, len(text)-400):]), want) {
				t.Errorf("%s: %s: ends with %.300s, want %s", name, r.Status, text[max(0, len(text)-300):], want)
			}
		}
		time.Sleep(time.Second) // the client notices that its connection is closed
	})
}

// endless repeats a line, 2 KiB every 50 milliseconds.
type endless string

func (e endless) Read(to []byte) (int, error) {
	time.Sleep(50 * time.Millisecond)
	n := 0
	for n+len(e) <= min(len(to), 2<<10) {
		n += copy(to[n:], e)
	}
	return n, nil
}

// Decoding stops when the time of the request is over.
func TestDecodeTime(t *testing.T) {
	s := started(t, loadRuns(t, ordinary, ringsDir(t)), func(o *Options) { o.Timeout = time.Millisecond })
	for name, body := range map[string]string{
		"items": `{"graphs":[{"x":[` + strings.TrimSuffix(strings.Repeat("1,", 5_000_000), ",") + `]}]}`,
		"lists": `{"graphs":[{"num_nodes":1,"edges":[` + strings.TrimSuffix(strings.Repeat("[[]],", 3_000_000), ",") + `]}]}`,
	} {
		if r := ask(t, s, asked{path: "/v1/models/rings/predict", body: body}); r.status != http.StatusGatewayTimeout {
			t.Errorf("%s: %d %.200s, want status 504", name, r.status, r.body)
		}
	}
}
