package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Options are the options of a Server.
type Options struct {
	Workers int           // see LoadOptions
	Queue   int           // requests that may wait
	Memory  int64         // bytes that all requests may use; 0 for no limit
	Timeout time.Duration // of a request, and of waiting for its body
	Drain   time.Duration // between the start of the shutdown and the last new connection
	Token   string        // required of requests; empty for none
	Hosts   []string      // allowed names and addresses of the server, without ports
	Base    string        // path prefix behind a proxy; see BasePath
	TLS     bool          // the listener uses TLS
	Page    http.Handler  // answers requests outside the API; nil for nothing
	Log     *slog.Logger
	Reload  <-chan os.Signal // asks to load runs again
	Links   Links            // runs of link prediction; nil for none
}

// Limits without an option.
const (
	headerTime  = 5 * time.Second
	headerBytes = 16 << 10
	idleTime    = 60 * time.Second
	connections = 4096             // fewer if the system allows fewer files
	requests    = 4096             // in progress; HTTP/2 may have many on a connection
	shutdown    = 25 * time.Second // for requests to end after there are no new ones
)

// Server answers requests for runs.
type Server struct {
	*guard
	options Options
	list    []*Run // in the order of the command line
	runs    map[string]*Run
	metrics *metrics
	queue   *queue
	ledger  ledger
	api     huma.API
	mux     *http.ServeMux
	cancel  context.CancelFunc // of batches
}

// New makes a server of runs. Its workers run until Close.
func New(runs []*Run, o Options) *Server {
	s := &Server{options: o, list: runs, runs: map[string]*Run{}}
	for _, r := range runs {
		s.runs[r.name] = r
	}
	s.ledger.most = o.Memory
	s.metrics = newMetrics(s.runs)
	base, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.queue = newQueue(base, o.Workers, o.Queue, s.metrics.batched, func(err error) { o.Log.Error("a defect of the program", "error", err) })
	s.guard = newGuard(nil, &s.options, s.metrics)
	s.guard.next = s.routes()
	return s
}

// Close ends the workers.
func (s *Server) Close() {
	s.cancel()
	s.queue.close()
}

// Serve answers requests until ctx ends. Then it reports that it is not ready, waits until load
// balancers notice, accepts waiting connections, answers their requests, closes them, and returns
// nil.
func (s *Server) Serve(ctx context.Context, l *net.TCPListener, certificates *tls.Config) error {
	guests := newCrowd(mostConnections())
	door := &drainListener{TCPListener: l, guests: guests}
	server := &http.Server{
		Handler: s, TLSConfig: certificates, ReadHeaderTimeout: headerTime, MaxHeaderBytes: headerBytes, IdleTimeout: idleTime,
		ConnContext: guests.enter, ConnState: guests.state, ErrorLog: slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug),
	}
	defer server.Close()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go watch(watching, s.list, s.options.Reload, s.options.Log, func(result string) { s.metrics.reloads.WithLabelValues(result).Inc() })
	ended := make(chan error, 1)
	go func() {
		if certificates != nil {
			ended <- server.ServeTLS(door, "", "")
		} else {
			ended <- server.Serve(door)
		}
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.leaving.Store(true)
	s.options.Log.Info("ending", "drain", s.options.Drain)
	time.Sleep(s.options.Drain)
	if err := door.stopAccepting(); err != nil {
		s.options.Log.Debug("connections that are made at this moment may be lost", "error", err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	// Shutdown of net/http would at once close connections that wait for a next request, which may be on its way.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	if !guests.closeAll(end) {
		s.options.Log.Warn("requests that had not ended were cut off", "after", shutdown)
	}
	return nil
}

// Debug serves profiles without any check: use it only on a local address.
func Debug() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
