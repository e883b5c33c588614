package fetch_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/fetch"
	"github.com/ehgnn/ehgnn/internal/testserver"
)

// server is a server on connections in memory whose every answer a test may decide. It logs
// "path range".
type server struct {
	client *http.Client
	mu     sync.Mutex
	files  map[string][]byte // by host and path, as a mirror has them
	etag   string            // "" for none
	// answers are for the first requests; nil is the honest answer.
	answers []func(w http.ResponseWriter, r *http.Request, body []byte)
	log     []string
}

func serve(t *testing.T, files map[string][]byte, answers ...func(http.ResponseWriter, *http.Request, []byte)) *server {
	s := &server{files: files, answers: answers, etag: `"v1"`}
	s.client = testserver.Client(t, http.HandlerFunc(s.handle))
	return s
}

func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.log = append(s.log, strings.TrimSpace(filepath.Base(r.URL.Path)+" "+strings.TrimPrefix(r.Header.Get("Range"), "bytes=")))
	var answer func(http.ResponseWriter, *http.Request, []byte)
	if len(s.answers) > 0 {
		answer, s.answers = s.answers[0], s.answers[1:]
	}
	body, ok := s.files[strings.TrimPrefix(r.URL.Path, "/")]
	etag := s.etag
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	if etag != "" {
		w.Header().Set("ETag", etag)
	}
	if answer == nil {
		answer = honest
	}
	answer(w, r, body)
}

func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

func honest(w http.ResponseWriter, r *http.Request, body []byte) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// cut promises the whole body and closes the connection after n bytes.
func cut(n int) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, body []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body[:n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// stall sends n bytes and then nothing until the client gives up.
func stall(n int) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, body []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body[:n])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

// corrupt flips a bit in the middle.
func corrupt(w http.ResponseWriter, r *http.Request, body []byte) {
	b := bytes.Clone(body)
	b[len(b)/2] ^= 1
	honest(w, r, b)
}

// endless sends bytes until the client gives up, and says nothing of a length.
func endless(w http.ResponseWriter, r *http.Request, body []byte) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 1<<16)); err != nil {
			return
		}
	}
}

// promise says that n bytes follow, and waits.
func promise(n int) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, body []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(n))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

// otherRange sends the file from its eighth byte, whatever is asked for.
func otherRange(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Range", fmt.Sprintf("bytes 7-%d/%d", len(body)-1, len(body)))
	w.WriteHeader(206)
	w.Write(body[7:])
}

func status(code int) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, body []byte) { w.WriteHeader(code) }
}

// page is what the gate of a captive network answers.
func page(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Write([]byte("<html>Please log in</html>"))
}

// toyZip is a TU set of three graphs in a folder of another name, with something
// beside it that must not get into the set.
func toyZip(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"raw/TOY_A.txt": "1, 2\n2, 1\n3, 4\n4, 3\n", "raw/TOY_graph_indicator.txt": "1\n1\n2\n2\n3\n",
		"raw/TOY_graph_labels.txt": "0\n1\n0\n", "raw/../../evil.txt": "x",
	} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

const host = "example.org/sets/"

// toySet is a set of one archive of unknown checksum.
func toySet() fetch.Set {
	return fetch.Set{Name: "TOY", Format: data.FormatTU, Graphs: 3, MeanNodes: 1.67, MeanEdges: 0.67, Classes: 2,
		Files: []fetch.File{{URL: "https://" + host + "TOY.zip"}}}
}

// quick are options of a download that hardly waits between attempts.
func quick(dir string, s *server) fetch.Options {
	return fetch.Options{Dir: dir, Mirror: "http://mirror", Client: s.client, Retries: 2, Pause: time.Millisecond, Stall: time.Minute}
}

// inBubble runs a test in a bubble of synctest, in which waiting takes no time.
func inBubble(f func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, f) }
}

// listing is the files below a folder.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
