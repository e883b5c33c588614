package cli

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/page"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/serve"
	"github.com/ehgnn/ehgnn/internal/memory"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	addr, base, tokenFile, tlsCert, tlsKey, debugAddr, threshold string
	noAuth                                                       bool
	hostnames                                                    []string
	maxBody, memory, models                                      memory.Size
	maxNodes, maxEdges, queue                                    int
	timeout, drain                                               time.Duration
}

func newServe(a *app) *cobra.Command {
	u := &serveFlags{maxBody: 16 << 20}
	cmd := &cobra.Command{
		Use:   "serve RUN...",
		Short: "Show trained runs on a web page and answer HTTP requests with their predictions",
		Long: `Show trained runs on a web page, and answer HTTP requests with their predictions, embeddings
and explanations, until SIGINT or SIGTERM.

The name of a run is the name of its folder. Weights may be replaced while a run is served: the
server notices new weights within two seconds, or at SIGHUP, tries them on the example of the
run, and then uses them. --threads is the number of graphs or batches that are computed at the
same time.

GET /v1/models lists the runs, /openapi.json describes all routes, /metrics is for Prometheus,
/healthz and /readyz are for supervisors and load balancers. Other machines can reach the
server only if --addr allows it, which needs --token-file or --no-auth.`,
		Example: `  ehgnn serve runs/mutag runs/zinc
  curl -d @graphs.json -H 'Content-Type: application/json' localhost:8080/v1/models/mutag/predict
  ehgnn serve runs/mutag --addr :8443 --token-file token --tls-cert cert.pem --tls-key key.pem`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return u.run(a, cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&u.addr, "addr", "127.0.0.1:8080", "address to listen on; :8080 for all of the machine")
	f.StringVar(&u.base, "base-path", "", "path prefix that a proxy does not remove, such as /ehgnn")
	f.StringVar(&u.tokenFile, "token-file", "", "file with the token that requests must send (Authorization: Bearer)")
	f.StringVar(&u.threshold, "threshold", "", thresholdHelp)
	f.BoolVar(&u.noAuth, "no-auth", false, "accept requests of other machines without a token")
	f.StringVar(&u.tlsCert, "tls-cert", "", "certificate with its chain, as PEM")
	f.StringVar(&u.tlsKey, "tls-key", "", "key of the certificate, as PEM")
	f.StringSliceVar(&u.hostnames, "hostname", nil, "additional names of the server in requests, separated by commas or repeated")
	f.Var(&u.maxBody, "max-body", "largest body, or line of NDJSON, after decompression")
	f.Lookup("max-body").DefValue = "16MiB"
	f.IntVar(&u.maxNodes, "max-nodes", 100000, "largest number of nodes in the graphs of a request, or of a line of NDJSON")
	f.IntVar(&u.maxEdges, "max-edges", 500000, "largest number of edges, likewise")
	f.Var(&u.memory, "memory", "memory that all requests and models may use, such as 8GiB (default: half of the free memory)")
	f.Var(&u.models, "max-memory", "part of --memory that models may use, such as 4GiB; a graph may use the share of one thread (default: half of --memory)")
	f.IntVar(&u.queue, "queue", 64, "largest number of waiting requests; others must try again later")
	f.DurationVar(&u.timeout, "timeout", 30*time.Second, "longest time for a request, and for its body to arrive")
	f.DurationVar(&u.drain, "drain", 5*time.Second, "time at shutdown between the report of readyz and the end of new connections (0 on a loopback address)")
	f.StringVar(&u.debugAddr, "debug-addr", "", "loopback address for the profiles of Go (/debug/pprof)")
	return cmd
}

func (u *serveFlags) run(a *app, cmd *cobra.Command, args []string) error {
	for flag, value := range map[string]int{"max-nodes": u.maxNodes, "max-edges": u.maxEdges, "queue": u.queue, "max-body": int(u.maxBody)} {
		if err := atLeast(flag, value, 1); err != nil {
			return err
		}
	}
	if u.timeout <= 0 || u.drain < 0 {
		return usage(fmt.Errorf("--timeout is %v and --drain %v, expected times above 0, or 0 for --drain", u.timeout, u.drain))
	}
	base, ok := serve.BasePath(u.base)
	if !ok {
		return usage(fmt.Errorf("--base-path is %q, expected a path such as /ehgnn", u.base))
	}
	token, err := u.token()
	if err != nil {
		return usage(err)
	}
	certificates, err := u.certificates()
	if err != nil {
		return usage(err)
	}
	// Here SIGHUP asks for new weights and does not end the program.
	signal.Reset(syscall.SIGHUP)
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)

	// A request uses little memory for a short time. Collecting it as often as main sets would take a
	// sixth of the time.
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(200))
	}

	ctx := cmd.Context()
	bounds := serve.NewBounds(int64(u.memory), int64(u.models))
	if bounds.Requests() < int64(u.maxBody) {
		return usage(fmt.Errorf("--memory %s leaves %s for requests beside models (--max-memory %s), expected at least --max-body, %s",
			memory.Text(bounds.Total), memory.Text(bounds.Requests()), memory.Text(bounds.Models), memory.Text(int64(u.maxBody))))
	}
	limits := serve.Limits{Body: int64(u.maxBody), Nodes: u.maxNodes, Edges: u.maxEdges, Memory: float64(bounds.Models)}
	if args, err = eachLabel(args); err != nil {
		return failure(err)
	}
	others, linked, listed, err := linkRuns(cmd, a, args)
	if err != nil {
		return failure(err)
	}
	runs, err := serve.Load(ctx, others, serve.LoadOptions{Workers: a.threads, Limits: limits, Toolkit: a.toolkit(), Threshold: u.threshold})
	if err != nil {
		return usage(err)
	}
	defer bounds.Collect()()
	l, err := serve.Listen(ctx, u.addr)
	if err != nil {
		return usage(fmt.Errorf("--addr: %w", err))
	}
	defer l.Close()
	local := l.Addr().(*net.TCPAddr).IP.IsLoopback()
	switch {
	case !local && token == "" && !u.noAuth:
		return usage(fmt.Errorf("--addr %s accepts requests of other machines, which needs --token-file or --no-auth", u.addr))
	case token != "" && u.noAuth:
		return usage(errors.New("--token-file and --no-auth exclude each other"))
	}
	if local && !cmd.Flags().Changed("drain") {
		u.drain = 0
	}
	if u.debugAddr != "" {
		stop, err := u.profiles(a)
		if err != nil {
			return usage(err)
		}
		defer stop()
	}
	var server *serve.Server
	look := page.Options{Listed: listed, Toolkit: a.toolkit(), Threads: a.threads, Describe: func() ([]byte, error) { return server.Describe() }}
	for _, r := range runs {
		look.Runs = append(look.Runs, page.Run{Name: r.Name(), Dir: r.Dir(), Model: r.Model, Stored: r.Stored})
	}
	screens, err := page.New(look)
	if err != nil {
		return usage(err)
	}
	hosts, err := serve.Hosts(l.Addr())
	if err != nil {
		return failure(err)
	}
	server = serve.New(runs, serve.Options{Workers: a.threads, Queue: u.queue, Memory: bounds.Requests(), Timeout: u.timeout, Drain: u.drain, Token: token, Base: base,
		Hosts: append(hosts, u.hostnames...), TLS: certificates != nil, Page: screens, Log: a.log, Reload: hup, Links: linked})
	defer server.Close()
	defer a.finishing(func() string { return "requests" })()
	a.log.Info("memory", "bound", memory.Text(bounds.Total), "why", bounds.Why, "models", memory.Text(bounds.Models),
		"graph", memory.Text(bounds.Models/int64(max(a.threads, 1))), "requests", memory.Text(bounds.Requests()))
	scheme := "http"
	if certificates != nil {
		scheme = "https"
	}
	address := scheme + "://" + l.Addr().String()
	if err := a.emit(map[string]any{"address": address, "models": args}, func(w io.Writer) error { return writeLines(w, "serving "+address) }); err != nil {
		return err
	}
	return failure(server.Serve(ctx, l, certificates))
}

// token reads the token file.
func (u *serveFlags) token() (string, error) {
	if u.tokenFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(u.tokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	const least = 16
	token := string(bytes.TrimSpace(text))
	if len(token) < least || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("--token-file: %s holds %d bytes, expected one line of %d or more without blanks; openssl rand -hex 32 makes one", u.tokenFile, len(token), least)
	}
	return token, nil
}

// certificates reads the files of TLS; nil for none.
func (u *serveFlags) certificates() (*tls.Config, error) {
	if u.tlsCert == "" && u.tlsKey == "" {
		return nil, nil
	}
	if u.tlsCert == "" || u.tlsKey == "" {
		return nil, errors.New("--tls-cert and --tls-key are given together or not at all")
	}
	pair, err := tls.LoadX509KeyPair(u.tlsCert, u.tlsKey)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// profiles serves Go's profiles.
func (u *serveFlags) profiles(a *app) (stop func(), err error) {
	l, err := net.Listen("tcp", u.debugAddr)
	if err != nil {
		return nil, fmt.Errorf("--debug-addr: %w", err)
	}
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		l.Close()
		return nil, fmt.Errorf("--debug-addr is %s, expected a loopback address such as 127.0.0.1:6060", u.debugAddr)
	}
	server := &http.Server{Handler: serve.Debug(), ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(l)
	a.log.Info("profiles", "address", "http://"+l.Addr().String()+"/debug/pprof/")
	return func() { server.Close() }, nil
}
