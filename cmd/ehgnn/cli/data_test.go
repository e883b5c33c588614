package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

// mirror is a loopback server that has the small set as a TU archive with the name tu/SMALL. Its
// first answers are the given ones: "cut", "stall", "500", "404", "page", or "" for a correct
// answer.
type mirror struct {
	*httptest.Server
	mu      sync.Mutex
	answers []string
	log     []string
}

func newMirror(t *testing.T, answers ...string) *mirror {
	t.Helper()
	body := []byte(read(t, small(t).zip(t)))
	m := &mirror{answers: answers}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		answer := ""
		if len(m.answers) > 0 {
			answer, m.answers = m.answers[0], m.answers[1:]
		}
		m.log = append(m.log, r.Header.Get("Range"))
		m.mu.Unlock()
		if r.URL.Path != "/www.chrsmrrs.com/graphkerneldatasets/SMALL.zip" || answer == "404" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		switch answer {
		case "500":
			w.WriteHeader(500)
		case "page":
			fmt.Fprint(w, "<html>Please log in</html>")
		case "cut", "stall":
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			w.Write(body[:500])
			w.(http.Flusher).Flush()
			if answer == "cut" {
				panic(http.ErrAbortHandler)
			}
			<-r.Context().Done()
		default:
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// fetchArgs are arguments that fetch the small set from the mirror.
func (m *mirror) fetchArgs(dir string, more ...string) []string {
	return append([]string{"data", "fetch", "tu/SMALL", "--data-dir", dir, "--url", m.URL, "--timeout", "2s"}, more...)
}

// The real program fetches from a server that truncates answers, stalls and fails, and then reads
// the data by name. It waits longer before each attempt, so that the short test has only one.
func TestDataFetch(t *testing.T) {
	t.Parallel()
	answers := []string{"cut", "stall", "500"}
	told := []string{"the connection ended early; again in 1s", "the connection stalled", "500 Internal Server Error"}
	if testing.Short() {
		answers, told = answers[:1], told[:1]
	}
	m := newMirror(t, answers...)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	r := program(t, m.fetchArgs(dir)...)
	if r.code != cli.ExitOK || !strings.Contains(r.stdout, "24 graphs") || !strings.Contains(r.stdout, "recorded now") {
		t.Fatalf("fetch: %+v", r)
	}
	for _, want := range told {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("standard error %q, want %q in it", r.stderr, want)
		}
	}
	if m.log[1] != "bytes=500-" {
		t.Errorf("ranges asked for: %q", m.log)
	}
	if r := program(t, m.fetchArgs(dir)...); r.code != 0 || !strings.Contains(r.stdout, "already") || len(m.log) != len(answers)+1 {
		t.Errorf("second fetch: %+v, %d requests", r, len(m.log))
	}
	var info struct {
		Name      string
		NumGraphs int `json:"num_graphs"`
	}
	document(t, succeed(t, "data", "info", "tu/SMALL", "--data-dir", dir, "--json"), &info)
	if info.Name != "SMALL" || info.NumGraphs != 24 {
		t.Errorf("info %+v", info)
	}
	var res struct {
		Path    string
		Already bool
		Files   []struct{ SHA256, Checked string }
	}
	document(t, succeed(t, m.fetchArgs(dir, "--force", "--json")...), &res)
	if res.Already || len(res.Files) != 1 || len(res.Files[0].SHA256) != 64 || filepath.Base(res.Path) != "SMALL.zip" {
		t.Errorf("result %+v", res)
	}
}

// A fetch that fails exits with 1 and leaves no files that look like data.
func TestDataFetchFails(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"404":   "the server answers 404 Not Found",
		"500":   "given up after 1 attempts that brought nothing",
		"page":  "what was downloaded is not the set",
		"stall": "the connection stalled",
	} {
		m := newMirror(t, slices.Repeat([]string{answer}, 9)...)
		dir := t.TempDir()
		r := program(t, m.fetchArgs(dir, "--retries", "0", "--quiet")...)
		if r.code != cli.ExitFailed || r.stdout != "" || !strings.HasPrefix(r.stderr, "ehgnn: SMALL: ") || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", answer, r)
		}
		for _, name := range []string{"tu", "checksums.json"} {
			if exists(filepath.Join(dir, name)) {
				t.Errorf("%s: %s is left behind", answer, name)
			}
		}
	}
}

// An interrupted fetch exits with 130, and the next one continues where it stopped.
func TestDataFetchInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts to send")
	}
	t.Parallel()
	m := newMirror(t, "stall")
	dir := t.TempDir()
	s := start(t, m.fetchArgs(dir, "--timeout", "1m")...)
	part := filepath.Join(dir, ".fetch", "SMALL", "000-SMALL.zip.part")
	if !s.until(func() bool { info, err := os.Stat(part); return err == nil && info.Size() == 500 }) {
		t.Fatalf("it ended by itself: %s", &s.errs)
	}
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-s.done
	if code := s.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		t.Errorf("interrupted: exit code %d\n%s", code, &s.errs)
	}
	if exists(filepath.Join(dir, "tu")) {
		t.Error("half a set is left")
	}
	if r := program(t, m.fetchArgs(dir)...); r.code != 0 || m.log[1] != "bytes=500-" {
		t.Errorf("going on: %+v, ranges %q", r, m.log)
	}
}

// Cora has known checksums: a damaged file is refused.
func TestDataFetchChecksum(t *testing.T) {
	folder := realdata.Path(t, "planetoid")
	damaged := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := os.ReadFile(filepath.Join(folder, path.Base(r.URL.Path)))
		if err != nil || !strings.HasPrefix(r.URL.Path, "/raw.githubusercontent.com/kimiyoung/planetoid/") {
			http.NotFound(w, r)
			return
		}
		if path.Base(r.URL.Path) == damaged {
			b[len(b)/2] ^= 1
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	}))
	defer server.Close()
	dir := t.TempDir()
	args := []string{"data", "fetch", "Cora", "--data-dir", dir, "--url", server.URL, "--quiet"}
	damaged = "ind.cora.graph"
	if r := run(t, args...); r.code != cli.ExitFailed || !strings.Contains(r.stderr, "ind.cora.graph: checksum differs: ") {
		t.Errorf("damaged: %+v", r)
	}
	if exists(filepath.Join(dir, "planetoid")) {
		t.Error("a damaged set is left")
	}
	damaged = ""
	if text := succeed(t, args...); !strings.Contains(text, "8 files, checksums right") {
		t.Errorf("it prints %q", text)
	}
	if text := succeed(t, "data", "info", "cora", "--data-dir", dir); !strings.Contains(text, "public: 140 train, 500 valid, 1000 test nodes") || !strings.Contains(text, "node classes   7") {
		t.Errorf("info prints\n%s", text)
	}
	if text := succeed(t, "data", "list", "--data-dir", dir); strings.Count(text, "  yes\n") != 1 {
		t.Errorf("list prints\n%s", text)
	}
}

func TestDataList(t *testing.T) {
	var sets []struct {
		Name, Licence, Checksums, Path string
		Graphs                         int
		Files                          []struct{ URL, SHA256 string }
	}
	document(t, succeed(t, "data", "list", "--json"), &sets)
	if len(sets) < 12 || sets[0].Name != "MUTAG" || sets[0].Graphs != 188 || len(sets[0].Files) != 21 || sets[0].Path != "" {
		t.Fatalf("%+v", sets)
	}
	text := succeed(t, "data", "list")
	for _, s := range sets {
		if !strings.Contains(text, "\n"+s.Name+" ") || s.Licence == "" || s.Checksums == "" {
			t.Errorf("%s: %+v is not in\n%s", s.Name, s, text)
		}
	}
}

// molecules is a small OGB set.
func molecules(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ogbg_tiny")
	for name, text := range map[string]string{
		"raw/num-node-list.csv": "2\n1\n", "raw/num-edge-list.csv": "1\n0\n", "raw/edge.csv": "0,1\n", "raw/edge-feat.csv": "1,0,1\n",
		"raw/node-feat.csv": "5,0,4,5,3,0,2,0,0\n7,0,2,5,0,0,1,0,0\n16,0,0,5,0,1,2,0,0\n", "raw/graph-label.csv": "1.0,\n,0\n",
		"mapping/mol.csv": "a,b,smiles,mol_id\n1,,CN,x\n,0,S,y\n", "split/scaffold/train.csv": "0\n", "split/scaffold/valid.csv": "1\n", "split/scaffold/test.csv": "1\n",
	} {
		if name == "split/scaffold/test.csv" {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDataInfo(t *testing.T) {
	dir := molecules(t)
	refused(t, "ogbg_tiny: split/scaffold/test.csv: file is missing", "data", "info", dir)
	if err := os.RemoveAll(filepath.Join(dir, "split")); err != nil {
		t.Fatal(err)
	}
	text := succeed(t, "data", "info", dir)
	for _, want := range []string{"ogbg_tiny, ogb format\n", "  graphs         2\n", "  targets        2 (a, b), 50.0% missing\n", "  node features  174 wide\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("info prints\n%s\nwant %q in it", text, want)
		}
	}
	var info struct {
		Format      string
		TargetNames []string `json:"target_names"`
		Missing     int      `json:"missing_targets"`
	}
	document(t, succeed(t, "data", "info", filepath.Dir(dir), "--name", "ogbg_tiny", "--json"), &info)
	if info.Format != "ogb" || len(info.TargetNames) != 2 || info.Missing != 2 {
		t.Errorf("%+v", info)
	}
	refused(t, "no data set recognised: expected ind.cora.graph", "data", "info", dir, "--format", "planetoid", "--name", "cora")
}

// The files that data convert writes are read as the original set.
func TestDataConvert(t *testing.T) {
	in, out := small(t).folder(t), t.TempDir()
	want := succeed(t, "data", "info", in)
	cut := func(text string) string { // the checksum is that of the text, which may be written differently
		before, after, _ := strings.Cut(text, "  checksum")
		_, after, _ = strings.Cut(after, "\n")
		return before + after
	}
	for _, name := range []string{"copy.zip", "copy"} {
		to := filepath.Join(out, name)
		succeed(t, "data", "convert", in, to)
		if have := succeed(t, "data", "info", to); cut(have) != cut(want) {
			t.Errorf("%s: info prints\n%s\nwant\n%s", name, have, want)
		}
		refused(t, "it exists, expected a new file or folder", "data", "convert", in, to)
	}
	var res struct{ Files, Notes []string }
	document(t, succeed(t, "data", "convert", in, filepath.Join(out, "tables"), "--to", "csv", "--json"), &res)
	if !slices.Equal(res.Files, []string{"graphs.csv", "nodes.csv", "edges.csv"}) || len(res.Notes) == 0 {
		t.Errorf("%+v", res)
	}
	if text := read(t, out, "tables", "edges.csv"); !strings.HasPrefix(text, "graph,source,target,label") {
		t.Errorf("edges.csv begins %.60q", text)
	}
	refused(t, "tables go into a folder", "data", "convert", in, filepath.Join(out, "x.zip"), "--to", "csv")
	if files, err := os.ReadDir(out); err != nil || len(files) != 3 {
		t.Errorf("left: %v, %v", files, err)
	}
}
