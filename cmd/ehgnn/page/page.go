package page

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/review"
)

// Options says what the page shows.
type Options struct {
	Runs    []Run
	Listed  []Listed
	Toolkit chem.Toolkit // computes positions of atoms; nil for none
	Threads int          // for opening data and running models; 0 for 1
	// Describe returns the OpenAPI document of the API as JSON; nil for none.
	Describe func() ([]byte, error)
}

// Listed is a run for which the page has only the report, for example of link prediction.
type Listed struct {
	Name, Dir, Data, Task, Model string
	ScoreName, Score             string  // as in reports
	Interval                     string  // of the score, in brackets; empty for none
	Value, Seconds               float64 // the score, and the training time
	Finished                     time.Time
	// Partners ranks the partners of a node, with known partners if requested; nil if the data are missing.
	Partners func(ctx context.Context, id string, top int, known bool) ([]run.Recommendation, error)
}

// Run is a trained run.
type Run struct {
	Name string // in addresses, unique
	Dir  string
	// Model is the current model of the API, which may change.
	Model func() *ehgnn.Model
	// Stored is the stored predictions of the run.
	Stored func() (*items.Set, error)
}

// site is the handler.
type site struct {
	Options
	runs   map[string]*opened
	listed map[string]Listed
}

//go:embed assets
var assets embed.FS

//go:embed page.html.tmpl
var pageText string

var pages = template.Must(template.New("page").Parse(pageText))

// New makes the handler of the page. Its server decides who may ask, and sets the content security
// policy.
func New(o Options) (http.Handler, error) {
	s := &site{Options: o, runs: map[string]*opened{}, listed: map[string]Listed{}}
	for _, r := range o.Runs {
		if r.Name == "" || s.runs[r.Name] != nil {
			return nil, fmt.Errorf("page: run %s has the name %q, expected one of its own", r.Dir, r.Name)
		}
		s.runs[r.Name] = &opened{Run: r, toolkit: o.Toolkit, threads: max(o.Threads, 1)}
	}
	for _, l := range o.Listed {
		if _, taken := s.listed[l.Name]; l.Name == "" || taken || s.runs[l.Name] != nil {
			return nil, fmt.Errorf("page: run %s has the name %q, expected one of its own", l.Dir, l.Name)
		}
		s.listed[l.Name] = l
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.screen(s.showRuns))
	mux.HandleFunc("GET /compare", s.screen(s.showCompare))
	mux.HandleFunc("GET /docs", s.screen(s.showDocs))
	mux.HandleFunc("GET /runs/{run}", s.screen(func(r *http.Request) (*view, error) {
		if l, ok := s.listed[r.PathValue("run")]; ok {
			v, err := reportView(l.Name, l.Dir)
			v.Run, v.Linked = l.Name, true
			return v, err
		}
		return s.ofRun(s.showReport)(r)
	}))
	for path, show := range map[string]func(*opened, *http.Request) (*view, error){
		"/items": s.showItems, "/graph": s.showGraph, "/map": s.showMap, "/try": s.showTry,
	} {
		mux.HandleFunc("GET /runs/{run}"+path, s.screen(s.ofRun(show)))
	}
	mux.HandleFunc("GET /runs/{run}/recommend", s.screen(s.showRecommend))
	mux.HandleFunc("GET /runs/{run}/items.csv", s.file(s.itemsFile))
	mux.HandleFunc("GET /runs/{run}/graph/{file}", s.file(s.graphFile))
	mux.HandleFunc("GET /runs/{run}/report.html", s.file(s.reportFile))
	mux.HandleFunc("POST /runs/{run}/explained", s.explained)
	mux.HandleFunc("GET /assets/{file}", serveAsset)
	mux.HandleFunc("GET /", s.screen(func(*http.Request) (*view, error) {
		return nil, &httpError{http.StatusNotFound, "There is no such page."}
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		mux.ServeHTTP(w, r)
	}), nil
}

// rootOf is the relative path from a page to the first one. Links are relative, so that the page can be
// behind a proxy at any prefix.
func rootOf(r *http.Request) string {
	if up := strings.Count(r.URL.EscapedPath(), "/") - 1; up > 0 {
		return strings.Repeat("../", up)
	}
	return "./"
}

// view is the content of a screen.
type view struct {
	Root    string // path to the first page
	Title   string // of the window, and the heading unless the body has one
	Bare    bool   // the body has a heading
	Run     string // run of the tabs; empty for none
	Linked  bool   // the run is one of link prediction: it has a report and recommendations
	Tab     string // current tab
	Form    string // template of the form; empty for none
	Data    any    // for the form
	Lead    []string
	Body    template.HTML
	Problem string // why the screen lacks its content
	Help    []string
}

// Tabs are the screens of a run.
func (v *view) Tabs() []tab {
	at := v.Root + "runs/" + url.PathEscape(v.Run)
	if v.Linked {
		return []tab{{"Report", at, v.Tab == ""}, {"Recommend", at + "/recommend", v.Tab == "recommend"}}
	}
	return []tab{{"Report", at, v.Tab == ""}, {"Items", at + "/items", v.Tab == "items"}, {"Graph", at + "/graph", v.Tab == "graph"},
		{"Edge map", at + "/map", v.Tab == "map"}, {"Try", at + "/try", v.Tab == "try"}}
}

type tab struct {
	Name, Path string
	Open       bool
}

// setDocument makes a document the body.
func (v *view) setDocument(d *report.Document) (*view, error) {
	body, err := d.Body()
	v.Body = body
	return v, err
}

// httpError is an error with a status.
type httpError struct {
	status int
	text   string
}

func (e *httpError) Error() string { return e.text }

// screen answers with the result of show, or with its error as a screen.
func (s *site) screen(show func(r *http.Request) (*view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusOK
		v, err := show(r)
		if err != nil {
			err = inTime(r, err)
			status = statusOf(err)
			v = &view{Title: http.StatusText(status), Problem: err.Error()}
			if name := r.PathValue("run"); s.runs[name] != nil {
				v.Run, v.Tab = name, "none"
			}
		}
		v.Root = rootOf(r)
		var b bytes.Buffer
		if err := pages.ExecuteTemplate(&b, "page", v); err != nil {
			http.Error(w, "the page cannot be made", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		b.WriteTo(w)
	}
}

// ofRun finds the run in an address.
func (s *site) ofRun(show func(*opened, *http.Request) (*view, error)) func(*http.Request) (*view, error) {
	return func(r *http.Request) (*view, error) {
		run, err := s.runNamed(r.PathValue("run"))
		if err != nil {
			return nil, err
		}
		v, err := show(run, r)
		if err == nil {
			v.Run = run.Name
		}
		return v, err
	}
}

func (s *site) runNamed(name string) (*opened, error) {
	run := s.runs[name]
	if run == nil {
		return nil, &httpError{http.StatusNotFound, fmt.Sprintf("There is no run %q here.", name)}
	}
	return run, nil
}

// file answers with the output of write as a download.
func (s *site) file(write func(run *opened, r *http.Request, w io.Writer) (name, kind string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		run, err := s.runNamed(r.PathValue("run"))
		if l, ok := s.listed[r.PathValue("run")]; ok && strings.HasSuffix(r.URL.Path, "/"+review.PageFile) {
			run, err = &opened{Run: Run{Name: l.Name, Dir: l.Dir}}, nil
		}
		var b bytes.Buffer
		var name, kind string
		if err == nil {
			name, kind, err = write(run, r, &b)
		}
		if err != nil {
			err = inTime(r, err)
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename*=UTF-8''%s", url.PathEscape(run.Name+"-"+name)))
		b.WriteTo(w)
	}
}

// inTime is the error of a request; a request that timed out gets its own error.
func inTime(r *http.Request, err error) error {
	if r.Context().Err() != nil {
		return &httpError{http.StatusServiceUnavailable, "This took longer than the server gives a request, or the server ends. ehgnn serve --timeout sets how long that is."}
	}
	return err
}

func statusOf(err error) int {
	var with *httpError
	if errors.As(err, &with) {
		return with.status
	}
	return http.StatusInternalServerError
}

// serveAsset answers with an embedded file.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	text, err := assets.ReadFile("assets/" + name)
	if name == "report.js" {
		text, err = []byte(report.Script()), nil
	}
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if name == "page.css" {
		text = append([]byte(report.Style()), text...)
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}
