package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkPredict sends one graph in each request over open connections. $EHGNN_RUN names a run to
// serve instead of a small one. Its example is the request.
func BenchmarkPredict(b *testing.B) {
	dir := os.Getenv("EHGNN_RUN")
	if dir == "" {
		dir = ringsDir(b)
	}
	runs := loadRuns(b, ordinary, dir)
	body := `{"graphs":[` + string(runs[0].now.Load().example) + `]}`
	for _, clients := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			server := httptest.NewServer(started(b, runs, nil))
			defer server.Close()
			request := "POST /v1/models/" + runs[0].Name() + "/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
				strconv.Itoa(len(body)) + "\r\n\r\n" + body
			took := make([][]time.Duration, clients)
			work := make(chan bool, b.N)
			for range b.N {
				work <- true
			}
			close(work)
			var wg sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for k := range clients {
				wg.Go(func() {
					conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
					if err != nil {
						b.Error(err)
						return
					}
					defer conn.Close()
					in := bufio.NewReader(conn)
					for range work {
						start := time.Now()
						io.WriteString(conn, request)
						reply, err := http.ReadResponse(in, nil)
						if err != nil || reply.StatusCode != http.StatusOK {
							b.Errorf("%v: %+v", err, reply)
							return
						}
						io.Copy(io.Discard, reply.Body)
						took[k] = append(took[k], time.Since(start))
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			all := slices.Concat(took...)
			slices.Sort(all)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
