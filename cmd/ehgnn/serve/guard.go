package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// policy is the content security policy.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// guard passes requests to next if they are for this server, from an allowed origin, and authorised.
type guard struct {
	next    http.Handler
	hosts   map[string]bool // in lower case, without ports
	origins *http.CrossOriginProtection
	token   *[sha256.Size]byte // of the token; nil if none is required
	session string             // value of the cookie that replaces the token
	secure  bool               // the cookie is sent only over TLS
	timeout time.Duration
	metrics *metrics
	log     *slog.Logger
	prefix  string // of request ids
	base    string // of paths
	count   atomic.Uint64
	serving atomic.Int64 // requests in progress
	leaving atomic.Bool  // the server is shutting down
}

// cookie is the cookie that a browser sends instead of the token.
const cookie = "ehgnn_session"

func newGuard(next http.Handler, o *Options, m *metrics) *guard {
	g := &guard{next: next, hosts: map[string]bool{}, origins: http.NewCrossOriginProtection(), secure: o.TLS, timeout: o.Timeout,
		metrics: m, log: o.Log, base: o.Base, prefix: rand.Text()[:8] + "-", session: rand.Text()}
	for _, h := range o.Hosts {
		g.hosts[strings.ToLower(h)] = true
	}
	if o.Token != "" {
		sum := sha256.Sum256([]byte(o.Token))
		g.token = &sum
	}
	return g
}

// seen is what the log says about a request.
type seen struct {
	id               string
	digest           string
	graphs           int
	waited, computed time.Duration
	problem          *Problem
}

type seenKey struct{}

// seenOf returns what the guard recorded about a request.
func seenOf(r *http.Request) *seen { return r.Context().Value(seenKey{}).(*seen) }

// recorder records the status of a reply. The deadline for writing starts with the reply, because the process may
// have had no processor before.
type recorder struct {
	http.ResponseWriter
	patience time.Duration
	status   int
	bytes    int
}

func (r *recorder) begin(status int) {
	if r.status == 0 {
		r.status = status
		_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(time.Now().Add(r.patience)) // as for reading
	}
}

func (r *recorder) WriteHeader(status int) {
	r.begin(status)
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.begin(http.StatusOK)
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

var ownID = regexp.MustCompile(`^[\w-]{1,64}$`)

// traceParent is a header of W3C Trace Context.
var traceParent = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	defer guestOf(r.Context()).begin()()
	g.serving.Add(1)
	defer g.serving.Add(-1)
	s := &seen{id: r.Header.Get("X-Request-Id")}
	if s.id == "" || !ownID.MatchString(s.id) {
		s.id = g.prefix + strconv.FormatUint(g.count.Add(1), 36)
	}
	control := http.NewResponseController(w)
	ctx := r.Context()
	if r.ContentLength == 0 {
		// There is no body to wait for. If a read deadline passed, it would end the context of the
		// connection, and so of every later request on it.
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, g.timeout)
		defer end()
	} else {
		control.SetReadDeadline(start.Add(g.timeout)) // connections of net/http have deadlines
	}
	h := w.Header()
	h["X-Request-Id"] = []string{s.id}
	h["Content-Security-Policy"] = policyHeader
	h["X-Content-Type-Options"] = noSniff
	h["Referrer-Policy"] = noReferrer
	if g.leaving.Load() {
		h["Connection"] = closing
	}
	control.SetWriteDeadline(time.Time{}) // until the reply starts
	to := &recorder{ResponseWriter: w, patience: 2 * g.timeout}
	r = unprefixed(r.WithContext(context.WithValue(ctx, seenKey{}, s)), g.base)
	g.metrics.inFlight.Inc()
	defer func() {
		g.metrics.inFlight.Dec()
		took := time.Since(start)
		to.status = cmp.Or(to.status, http.StatusOK)
		route := routeOf(r)
		g.metrics.answered(route, to.status, took)
		g.record(r, route, s, to, took)
	}()
	if p := g.tooMany(r); p != nil {
		h["Connection"] = closing
		g.refuse(to, r, p)
		return
	}
	if p := g.refuses(r); p != nil {
		g.refuse(to, r, p)
		return
	}
	if g.allowed(r) {
		g.next.ServeHTTP(to, r)
		return
	}
	if isAPI := slices.ContainsFunc(apiRoots, func(root string) bool { return strings.HasPrefix(r.URL.Path, root) }); !isAPI && r.Method == http.MethodGet {
		g.ask(to, r, "")
		return
	}
	h.Set("WWW-Authenticate", `Bearer realm="ehgnn"`)
	g.refuse(to, r, problemf(http.StatusUnauthorized, "expected the header Authorization: Bearer with the token of --token-file"))
}

// Headers that are the same for all replies.
var (
	policyHeader = []string{policy}
	noSniff      = []string{"nosniff"}
	noReferrer   = []string{"no-referrer"}
	closing      = []string{"close"}
)

// routeOf is the pattern that matched a request, without its method.
func routeOf(r *http.Request) string {
	_, route, ok := strings.Cut(r.Pattern, " ")
	if !ok {
		route = r.Pattern
	}
	switch route {
	case "", "/v1/", "/v2/":
		return "none"
	}
	return route
}

// record writes the log line. It never contains a body or a query.
func (g *guard) record(r *http.Request, route string, s *seen, to *recorder, took time.Duration) {
	level := slog.LevelInfo
	if to.status >= http.StatusInternalServerError && to.status != http.StatusServiceUnavailable {
		level = slog.LevelWarn
	}
	if !g.log.Enabled(r.Context(), level) {
		return
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	attrs := append(make([]slog.Attr, 0, 12), slog.String("id", s.id), slog.String("method", r.Method), slog.String("route", route),
		slog.Int("status", to.status), slog.Int("bytes", to.bytes), slog.Float64("ms", ms(took)))
	if s.graphs > 0 {
		attrs = append(attrs, slog.Int("graphs", s.graphs), slog.Float64("queue_ms", ms(s.waited)), slog.Float64("compute_ms", ms(s.computed)))
	}
	if s.digest != "" {
		attrs = append(attrs, slog.String("digest", s.digest))
	}
	if t := r.Header.Get("Traceparent"); t != "" && traceParent.MatchString(t) {
		attrs = append(attrs, slog.String("traceparent", t))
	}
	if s.problem != nil {
		attrs = append(attrs, slog.String("pointer", s.problem.Pointer))
	}
	g.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// tooMany is the problem of a request if there are too many connections or requests.
func (g *guard) tooMany(r *http.Request) *Problem {
	if guest := guestOf(r.Context()); guest != nil && guest.surplus {
		return problemf(http.StatusServiceUnavailable, "the server has as many connections as it keeps")
	}
	if g.serving.Load() > requests {
		return problemf(http.StatusServiceUnavailable, "%d requests are in progress", requests)
	}
	return nil
}

// refuses says why a request is rejected; nil if it is accepted.
func (g *guard) refuses(r *http.Request) *Problem {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if !g.hosts[strings.ToLower(strings.Trim(host, "[]"))] {
		return problemf(http.StatusMisdirectedRequest, "this server is not called %q; --hostname adds names", host)
	}
	if err := g.origins.Check(r); err != nil {
		return problemf(http.StatusForbidden, "the request comes from another site")
	}
	return nil
}

// refuse sends a problem.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, p *Problem) {
	seenOf(r).problem = p
	if strings.HasPrefix(r.URL.Path, "/v2") {
		other := *p // several requests of a batch may share a problem
		other.Inferred = p.Error()
		p = &other
	}
	p.write(w)
}

// allowed reports whether a request has the token or its cookie, or needs neither.
func (g *guard) allowed(r *http.Request) bool {
	if g.token == nil {
		return true
	}
	switch r.URL.Path {
	case "/healthz", "/readyz", "/v2/health/live", "/v2/health/ready", "/token":
		return true
	}
	if scheme, given, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return g.matches(given)
	}
	c, err := r.Cookie(cookie)
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(g.session)) == 1
}

// matches compares a token by its hash in constant time.
func (g *guard) matches(given string) bool {
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

var form = template.Must(template.New("token").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>ehgnn</title></head>
<body><main><h1>ehgnn</h1>
{{with .Remark}}<p role="alert">{{.}}</p>{{end}}
<form method="post" action="{{.Root}}token"><label for="token">Token of this server</label> <input id="token" name="token" type="password" autocomplete="current-password" required autofocus> <button>Go on</button></form>
</main></body></html>
`))

// ask shows the form for the token.
func (g *guard) ask(w http.ResponseWriter, r *http.Request, remark string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	form.Execute(w, struct{ Root, Remark string }{strings.Repeat("../", max(strings.Count(r.URL.EscapedPath(), "/")-1, 0)), remark}) // the client may have gone
}

// trade answers POST /token with a cookie for the token.
func (g *guard) trade(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	if !g.matches(r.PostFormValue("token")) {
		g.ask(w, r, "That is not the token.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: g.session, Path: prefixOf(r, g.base) + "/", HttpOnly: true, Secure: g.secure, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Location", "./")
	w.WriteHeader(http.StatusSeeOther)
}
