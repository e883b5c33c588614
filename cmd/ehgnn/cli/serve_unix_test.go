//go:build unix

package cli_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

// serving starts serve on a free port and returns its address.
func serving(t *testing.T, args ...string) (*opened, string) {
	t.Helper()
	s := &opened{Cmd: command(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--threads", "1"}, args...)...), done: make(chan struct{})}
	s.Stderr = &s.errs
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		_ = s.Wait() // its ProcessState says how it ended
		close(s.done)
	}()
	t.Cleanup(func() {
		_ = s.Process.Kill() // has no effect after the end
		<-s.done
	})
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if err != nil || !ok {
		<-s.done
		t.Fatalf("%q, %v: %s", line, err, &s.errs)
	}
	return s, address
}

// mutagenic is a run on graphs with the labels of MUTAG, in runs/mutag of a new folder. Its data were removed.
func mutagenic(t *testing.T) string {
	t.Helper()
	from := small(t)
	of := func(file, shift string) string {
		var b strings.Builder
		for _, label := range strings.Fields(read(t, from.folder(t), "SMALL_"+file)) {
			b.WriteString(string(label[0]-shift[0]+'0') + "\n")
		}
		return b.String()
	}
	path := from.with("node_labels.txt", of("node_labels.txt", "5"), "edge_labels.txt", of("edge_labels.txt", "1")).folder(t)
	dir := t.TempDir()
	exits0(t, append([]string{"train", path, "--out", filepath.Join(dir, "runs", "mutag")}, tiny...)...)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	return dir
}

// documentedRun is the run runs/mutag of docs/serve.md in a new folder: HyperDrop trained on MUTAG. If that
// set is absent or models are too slow, it is a run on graphs with the labels of MUTAG, and its answers
// differ.
func documentedRun(t *testing.T) (dir string, real bool) {
	t.Helper()
	set, ok := realdata.Exists("tu", "MUTAG.zip")
	if testing.Short() || !measuredHere() || !ok {
		return mutagenic(t), false
	}
	dir = t.TempDir()
	moved := filepath.Join(dir, "MUTAG.zip")
	if err := os.WriteFile(moved, []byte(read(t, set)), 0o644); err != nil {
		t.Fatal(err)
	}
	exits0(t, "train", moved, "--out", filepath.Join(dir, "runs", "mutag"), "--quiet")
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	return dir, true
}

// The examples of docs/serve.md print the shown output, examples under Errors fail, and the program
// exits with 0. All of this works without the training data.
func TestServeDocumented(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl: ", err)
	}
	dir, real := documentedRun(t)
	s, address := serving(t, filepath.Join(dir, "runs", "mutag"))
	shell := documentShell{dir: dir, prelude: "curl() { command curl --fail-with-body \"$@\"; }\n",
		replace: strings.NewReplacer("localhost:8080", strings.TrimPrefix(address, "http://"))}
	if n := checkDocument(t, filepath.Join("..", "..", "..", "docs", "serve.md"), shell, real, "Errors"); n < 10 {
		t.Errorf("%d examples in docs/serve.md", n)
	}
	if page, err := http.Get(address + "/"); err != nil || page.StatusCode != http.StatusOK || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
		t.Errorf("the page: %v, %v", page, err)
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.done
	if code := s.ProcessState.ExitCode(); code != cli.ExitOK {
		t.Errorf("SIGTERM: exit code %d, %s", code, &s.errs)
	}
}

// A hangup loads weights again and does not end the program. When the program ends, it finishes the
// current answers.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "served")
	if err := os.CopyFS(dir, os.DirFS(smallRun(t))); err != nil {
		t.Fatal(err)
	}
	s, address := serving(t, dir)
	in, to := io.Pipe()
	r, err := http.NewRequest(http.MethodPost, address+"/v1/models/served/predict", in)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	line := fmt.Sprintf(`{"num_nodes":1,"edges":[],"node":{"label":[%d]},"edge":{"label":[]}}`+"\n", nodeOffset)
	go io.WriteString(to, line)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	lines := bufio.NewReader(reply.Body)
	if first, err := lines.ReadString('\n'); err != nil || !strings.Contains(first, `"class"`) {
		t.Fatalf("%q, %v", first, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), []byte("broken"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool {
		m, err := http.Get(address + "/metrics")
		if err != nil {
			t.Error(err)
			return true
		}
		defer m.Body.Close()
		text, err := io.ReadAll(m.Body)
		return err != nil || strings.Contains(string(text), `ehgnn_reloads_total{result="refused"} 1`)
	})
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { // no new connections
		_, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(address + "/healthz")
		return err != nil
	})
	go func() { io.WriteString(to, line); to.Close() }()
	if second, err := lines.ReadString('\n'); err != nil || !strings.Contains(second, `"class"`) {
		t.Errorf("%q, %v while it ends", second, err)
	}
	<-s.done
	if !strings.Contains(s.errs.String(), "why=") || !strings.Contains(s.errs.String(), "bound=") {
		t.Errorf("the log does not say the bound on memory: %s", &s.errs)
	}
	if code := s.ProcessState.ExitCode(); code != cli.ExitOK || !strings.Contains(s.errs.String(), "new weights are not used") {
		t.Errorf("exit code %d, %s", code, &s.errs)
	}
}

// At SIGTERM under load no request is broken, for clients that keep their connection and for
// clients that open one for each request: every request that was sent is answered.
func TestServeEndsUnderLoad(t *testing.T) {
	run := smallRun(t)
	body := fmt.Sprintf(`{"graphs":[{"num_nodes":1,"edges":[],"node":{"label":[%d]},"edge":{"label":[]}}]}`, nodeOffset)
	servers := [][]string{nil, nil, {"--drain", "1s"}}
	if testing.Short() {
		servers = servers[1:]
	}
	for _, flags := range servers {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			t.Parallel()
			s, address := serving(t, append([]string{"--queue", "1000", "--quiet", "--log-level", "warn", run}, flags...)...)
			url := address + "/v1/models/" + filepath.Base(run) + "/predict"
			var answered atomic.Int64
			var ending atomic.Bool
			var clients sync.WaitGroup
			for k := range 24 {
				client := &http.Client{Transport: &http.Transport{DisableKeepAlives: k%3 == 0}}
				clients.Go(func() {
					defer client.CloseIdleConnections()
					for {
						r, err := client.Post(url, "application/json", strings.NewReader(body))
						var of *net.OpError
						if ending.Load() && errors.As(err, &of) && of.Op == "dial" {
							return // the server has ended, and nothing was sent
						}
						if err == nil {
							_, err = io.Copy(io.Discard, r.Body)
							r.Body.Close()
						}
						if err != nil || r.StatusCode != http.StatusOK {
							t.Errorf("after %d answers, ending %v: %v, %v", answered.Load(), ending.Load(), r, err)
							return
						}
						answered.Add(1)
					}
				})
			}
			s.until(func() bool { return answered.Load() > 500 || t.Failed() })
			ending.Store(true)
			if err := s.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			clients.Wait()
			<-s.done
			if code := s.ProcessState.ExitCode(); code != cli.ExitOK {
				t.Errorf("exit code %d, %s", code, &s.errs)
			}
			t.Logf("%d requests answered", answered.Load())
		})
	}
}
