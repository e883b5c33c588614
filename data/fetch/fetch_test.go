package fetch_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/fetch"
)

// TestFetch downloads a set from servers that misbehave and get better.
func TestFetch(t *testing.T) {
	body := toyZip(t)
	n := len(body)
	tests := []struct {
		name    string
		etag    string
		answers []func(http.ResponseWriter, *http.Request, []byte)
		known   bool // the checksum
		want    []string
	}{
		{"at once", `"v1"`, nil, false, []string{"TOY.zip"}},
		{"cut twice", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){cut(100), nil}, false, []string{"TOY.zip", "TOY.zip 100-"}},
		{"stalled", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){stall(50), nil}, false, []string{"TOY.zip", "TOY.zip 50-"}},
		{"stalled before the first byte", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){stall(0), nil}, false, []string{"TOY.zip", "TOY.zip"}},
		{"500 and 429", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){status(500), status(429), nil}, false, []string{"TOY.zip", "TOY.zip", "TOY.zip"}},
		// Failures count in a row only.
		{"progress resets the count", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){status(503), cut(10), status(503), func(w http.ResponseWriter, r *http.Request, body []byte) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 10-%d/%d", n-1, n))
			w.WriteHeader(206)
			w.Write(body[10:90])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, status(503), nil}, false, []string{"TOY.zip", "TOY.zip", "TOY.zip 10-", "TOY.zip 10-", "TOY.zip 90-", "TOY.zip 90-"}},
		// Nothing tells two versions apart: from the start.
		{"no validator", "", []func(http.ResponseWriter, *http.Request, []byte){cut(100), nil}, false, []string{"TOY.zip", "TOY.zip"}},
		{"no validator, known checksum", "", []func(http.ResponseWriter, *http.Request, []byte){cut(100), nil}, true, []string{"TOY.zip", "TOY.zip 100-"}},
		{"weak validator", `W/"v1"`, []func(http.ResponseWriter, *http.Request, []byte){cut(100), nil}, false, []string{"TOY.zip", "TOY.zip"}},
		{"ranges ignored", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){cut(100), func(w http.ResponseWriter, r *http.Request, body []byte) { w.Write(body) }}, false,
			[]string{"TOY.zip", "TOY.zip 100-"}},
		{"another range", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){cut(100), otherRange, nil}, false, []string{"TOY.zip", "TOY.zip 100-", "TOY.zip"}},
		{"416, the file has shrunk", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){cut(100), func(w http.ResponseWriter, r *http.Request, body []byte) {
			w.Header().Set("Content-Range", "bytes */40")
			w.WriteHeader(416)
		}, nil}, false, []string{"TOY.zip", "TOY.zip 100-", "TOY.zip"}},
		{"416, all is there", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){func(w http.ResponseWriter, r *http.Request, body []byte) {
			w.Header().Set("Content-Length", fmt.Sprint(n+1)) // too many promised
			w.Write(body)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, nil}, false, []string{"TOY.zip", fmt.Sprintf("TOY.zip %d-", n)}},
		{"damaged once", `"v1"`, []func(http.ResponseWriter, *http.Request, []byte){corrupt, nil}, true, []string{"TOY.zip", "TOY.zip"}},
	}
	for _, test := range tests {
		t.Run(test.name, inBubble(func(t *testing.T) {
			s := serve(t, map[string][]byte{host + "TOY.zip": body}, test.answers...)
			s.etag = test.etag
			set := toySet()
			if test.known {
				set.Files[0].SHA256, set.Files[0].Size = sum(body), int64(n)
			}
			dir := t.TempDir()
			var last fetch.Progress
			opts := quick(dir, s)
			opts.Progress = func(p fetch.Progress) { last = p }
			res, err := fetch.Fetch(t.Context(), set, opts)
			if err != nil {
				t.Fatal(err)
			}
			if have := s.requests(); !slices.Equal(have, test.want) {
				t.Errorf("requests %q, want %q", have, test.want)
			}
			if res.Bytes != int64(n) || last.Done != int64(n) || last.Total != int64(n) || res.Files[0].SHA256 != sum(body) {
				t.Errorf("result %+v, progress %+v", res, last)
			}
			want := []string{"checksums.json", "tu/TOY.zip"}
			checked := "first"
			if test.known {
				want, checked = want[1:], "catalogue"
			}
			if have := listing(t, dir); !slices.Equal(have, want) || res.Files[0].Checked != checked {
				t.Errorf("files %q, want %q; checked against %s", have, want, res.Files[0].Checked)
			}
			d, err := data.Open(filepath.Join(dir, "tu", "TOY.zip"), data.Options{})
			if err != nil || d.Info.Name != "TOY" || d.Info.NumGraphs != 3 {
				t.Errorf("%+v, %v", d, err)
			}
			z, err := zip.OpenReader(filepath.Join(dir, "tu", "TOY.zip"))
			if err != nil {
				t.Fatal(err)
			}
			defer z.Close()
			for _, f := range z.File {
				if !strings.HasPrefix(f.Name, "TOY/TOY_") {
					t.Errorf("the set holds %s", f.Name)
				}
			}
			// The second time nothing is asked.
			res, err = fetch.Fetch(t.Context(), set, opts)
			if err != nil || !res.Already || len(s.requests()) != len(test.want) {
				t.Errorf("second time: %+v, %v", res, err)
			}
		}))
	}
}

// TestFetchFails meets servers that do not get better: nothing of a set may be
// seen.
func TestFetchFails(t *testing.T) {
	body := toyZip(t)
	always := func(answer func(http.ResponseWriter, *http.Request, []byte)) []func(http.ResponseWriter, *http.Request, []byte) {
		return slices.Repeat([]func(http.ResponseWriter, *http.Request, []byte){answer}, 20)
	}
	set, other := toySet(), toySet()
	other.Graphs = 4
	known := toySet()
	known.Files[0].SHA256, known.Files[0].Size = sum(body), int64(len(body))
	small, bounded := toySet(), toySet()
	small.Files[0].Size = 60
	bounded.Files[0].MaxSize = 1000
	var half []func(http.ResponseWriter, *http.Request, []byte)
	for range 20 {
		half = append(half, cut(len(body)/2), otherRange)
	}
	missing := toySet()
	missing.Files[0].URL = "https://example.org/none.zip"
	tests := []struct {
		name     string
		set      fetch.Set
		answers  []func(http.ResponseWriter, *http.Request, []byte)
		requests int
		want     string
		is       error
	}{
		{"404", missing, nil, 1, "none.zip: the server answers 404 Not Found", nil},
		{"403", set, always(status(403)), 1, "the server answers 403 Forbidden", nil},
		{"500", set, always(status(500)), 3, "given up after 3 attempts that brought nothing new, with 0 of at most 1073741824 bytes: ", nil},
		{"stalls", set, always(stall(0)), 3, "the connection stalled", nil},
		{"cut at the same place", set, always(cut(0)), 3, "the connection ended early", nil},
		{"damaged always", known, always(corrupt), 2, "checksum differs", fetch.ErrChecksum},
		{"captive network", set, always(page), 1, "what was downloaded is not the set: TOY.zip: zip: not a valid zip file", nil},
		{"another set", other, nil, 1, "what was downloaded is not the set: 3 graphs, expected 4", nil},
		{"too long", small, nil, 1, "the server sends more than the 60 bytes expected", nil},
		{"too long, without a promise", small, always(endless), 1, "the server sends more than the 60 bytes expected", nil},
		{"endless", bounded, always(endless), 1, "the server sends more than 1000 bytes, expected at most that; if the file is known to be larger, raise the bound", nil},
		{"too much promised", bounded, always(promise(1001)), 1, "the server sends more than 1000 bytes, expected at most that", nil},
		// Half a body, then a range that drops it: each new half is no progress.
		{"half a body, then another range", known, half, 3, fmt.Sprintf("given up after 3 attempts that brought nothing new, with %d of %d bytes: ", len(body)/2, len(body)), nil},
		{"now more, now less", known, slices.Repeat([]func(http.ResponseWriter, *http.Request, []byte){cut(100), cut(50)}, 10), 3,
			fmt.Sprintf("given up after 3 attempts that brought nothing new, with 100 of %d bytes: ", len(body)), nil},
	}
	for _, test := range tests {
		t.Run(test.name, inBubble(func(t *testing.T) {
			s := serve(t, map[string][]byte{host + "TOY.zip": body}, test.answers...)
			dir := t.TempDir()
			res, err := fetch.Fetch(t.Context(), test.set, quick(dir, s))
			if res != nil || err == nil || !strings.HasPrefix(err.Error(), "fetch: TOY: ") || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("result %+v, error %v\nwant ...%s", res, err, test.want)
			}
			if have := len(s.requests()); have != test.requests {
				t.Errorf("%d requests, want %d: %q", have, test.requests, s.requests())
			}
			for _, name := range listing(t, dir) {
				if !strings.HasPrefix(name, ".fetch/") {
					t.Errorf("left behind: %s", name)
				}
			}
			if _, ok := test.set.Locate(dir); ok {
				t.Error("the set is found")
			}
		}))
	}
}

// TestMaxSize raises the bound of a file of unknown size; a known size stays.
func TestMaxSize(t *testing.T) {
	body := toyZip(t)
	for _, test := range []struct {
		size, bound, raised int64
		want                string
	}{
		{0, 100, 0, "more than 100 bytes"},
		{0, 100, int64(len(body)) - 1, fmt.Sprintf("more than %d bytes", len(body)-1)},
		{0, 100, int64(len(body)), ""},
		{0, 0, 100, "more than 100 bytes"},
		{100, 0, 1000, "more than the 100 bytes expected"},
	} {
		s := serve(t, map[string][]byte{host + "TOY.zip": body})
		set, opts := toySet(), quick(t.TempDir(), s)
		set.Files[0].Size, set.Files[0].MaxSize, opts.MaxSize = test.size, test.bound, test.raised
		_, err := fetch.Fetch(t.Context(), set, opts)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}

// TestInterrupted cancels a download and goes on with it.
func TestInterrupted(t *testing.T) {
	body := toyZip(t)
	s := serve(t, map[string][]byte{host + "TOY.zip": body}, stall(120))
	dir := t.TempDir()
	opts := quick(dir, s)
	ctx, cancel := context.WithCancel(t.Context())
	opts.Progress = func(p fetch.Progress) {
		if p.Done == 120 {
			cancel()
		}
	}
	if _, err := fetch.Fetch(ctx, toySet(), opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want Canceled", err)
	}
	if _, ok := toySet().Locate(dir); ok {
		t.Fatal("half a set is found")
	}
	if _, err := fetch.Fetch(t.Context(), toySet(), opts); err != nil {
		t.Fatal(err)
	}
	if have := s.requests(); !slices.Equal(have, []string{"TOY.zip", "TOY.zip 120-"}) {
		t.Errorf("requests %q", have)
	}

	// The file has changed in between: If-Range brings it whole.
	s = serve(t, map[string][]byte{host + "TOY.zip": bytes.Repeat([]byte("old"), 100)}, stall(120))
	dir = t.TempDir()
	opts = quick(dir, s)
	ctx, cancel = context.WithCancel(t.Context())
	opts.Progress = func(p fetch.Progress) { cancel() }
	if _, err := fetch.Fetch(ctx, toySet(), opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want Canceled", err)
	}
	s.mu.Lock()
	s.files[host+"TOY.zip"], s.etag = body, `"v2"`
	s.mu.Unlock()
	opts.Progress = nil
	if _, err := fetch.Fetch(t.Context(), toySet(), opts); err != nil {
		t.Errorf("after a change: %v; requests %q", err, s.requests())
	}
}

// TestRecorded: a checksum that nobody knew is kept, and the next download has
// to equal it unless it is forced.
func TestRecorded(t *testing.T) {
	body := toyZip(t)
	s := serve(t, map[string][]byte{host + "TOY.zip": body})
	dir := t.TempDir()
	opts := quick(dir, s)
	if _, err := fetch.Fetch(t.Context(), toySet(), opts); err != nil {
		t.Fatal(err)
	}
	remove := func() {
		if err := os.Remove(filepath.Join(dir, "tu", "TOY.zip")); err != nil {
			t.Fatal(err)
		}
	}
	remove()
	if res, err := fetch.Fetch(t.Context(), toySet(), opts); err != nil || res.Files[0].Checked != "record" {
		t.Errorf("again: %+v, %v", res, err)
	}
	remove()
	changed := append(bytes.Clone(body[:len(body)-2]), 1, 0) // a zip with a comment
	changed = append(changed, '!')
	s.mu.Lock()
	s.files[host+"TOY.zip"] = changed
	s.mu.Unlock()
	if _, err := fetch.Fetch(t.Context(), toySet(), opts); !errors.Is(err, fetch.ErrChecksum) || !strings.Contains(err.Error(), "use force") {
		t.Errorf("changed: error %v, want ErrChecksum", err)
	}
	if _, ok := toySet().Locate(dir); ok {
		t.Error("the changed set is found")
	}
	opts.Force = true
	if res, err := fetch.Fetch(t.Context(), toySet(), opts); err != nil || res.Files[0].Checked != "first" {
		t.Errorf("forced: %+v, %v", res, err)
	}
	opts.Force = false
	remove()
	if _, err := fetch.Fetch(t.Context(), toySet(), opts); err != nil {
		t.Errorf("after force: %v", err)
	}
	// Forcing brings a set anew even if it is there.
	opts.Force = true
	before := len(s.requests())
	if res, err := fetch.Fetch(t.Context(), toySet(), opts); err != nil || res.Already || len(s.requests()) == before {
		t.Errorf("forced over a set: %+v, %v", res, err)
	}
}

// TestSeveralFiles puts an archive and the files of folds into one zip, and goes
// on behind the files that have arrived.
func TestSeveralFiles(t *testing.T) {
	files := map[string][]byte{host + "TOY.zip": toyZip(t)}
	set := toySet()
	for k := 1; k <= 10; k++ {
		for _, part := range []string{"train", "test"} {
			text := map[string]string{"train": "0\n1\n2\n", "test": "\n"}[part]
			if k <= 3 {
				text = map[string]string{"train": strings.Replace("0\n1\n2\n", fmt.Sprintf("%d\n", k-1), "", 1), "test": fmt.Sprintf("%d\n", k-1)}[part]
			}
			name := fmt.Sprintf("10fold_idx/%s_idx-%d.txt", part, k)
			files[host+name] = []byte(text)
			set.Files = append(set.Files, fetch.File{URL: "https://" + host + name, Path: name, SHA256: sum([]byte(text)), Size: int64(len(text))})
		}
	}
	set.Files = set.Files[:1+2*3] // three folds are no ten: the set is refused
	s := serve(t, files)
	dir := t.TempDir()
	if _, err := fetch.Fetch(t.Context(), set, quick(dir, s)); err == nil || !strings.Contains(err.Error(), "10fold_idx/test_idx-4.txt: file is missing") {
		t.Errorf("error %v, want one of the missing fold", err)
	}

	set = toySet()
	set.Files = append(set.Files, fetch.File{URL: "https://" + host + "notes.md", Path: "notes.md"})
	files[host+"notes.md"] = []byte("hello\n")
	s = serve(t, files, nil, status(404), nil)
	opts := quick(dir, s)
	if _, err := fetch.Fetch(t.Context(), set, opts); err == nil {
		t.Fatal("a missing file is no error")
	}
	res, err := fetch.Fetch(t.Context(), set, opts)
	if err != nil {
		t.Fatal(err)
	}
	if have := s.requests(); !slices.Equal(have, []string{"TOY.zip", "notes.md", "notes.md"}) {
		t.Errorf("requests %q, want the archive once", have)
	}
	z, err := zip.OpenReader(res.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if f, err := z.Open("TOY/notes.md"); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
}

func TestRefused(t *testing.T) {
	for want, opts := range map[string]fetch.Options{
		"fetch: no data folder":                                    {},
		`fetch: mirror "ftp://x" is no http or https URL`:          {Dir: t.TempDir(), Mirror: "ftp://x"},
		"fetch: the largest size is -1 bytes, expected at least 0": {Dir: t.TempDir(), MaxSize: -1},
		`fetch: mirror "x" is no http or https URL`:                {Dir: t.TempDir(), Mirror: "x"},
	} {
		if _, err := fetch.Fetch(t.Context(), toySet(), opts); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "checksums.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch.Fetch(t.Context(), toySet(), fetch.Options{Dir: dir, Mirror: "http://127.0.0.1:1"}); err == nil || !strings.Contains(err.Error(), "checksums.json") {
		t.Errorf("a damaged record: error %v", err)
	}
}
