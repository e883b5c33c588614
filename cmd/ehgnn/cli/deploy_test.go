package cli_test

import (
	"bufio"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// deploy is the folder of the deployment files.
var deploy = filepath.Join("..", "..", "..", "examples", "deploy")

// served starts the server with a command line after the program name. Files of this test replace
// the files that the words name. It returns the address.
func served(t *testing.T, words []string, files map[string]string) string {
	t.Helper()
	args := slices.Clone(words)
	for i, w := range args {
		if file, ok := files[w]; ok {
			args[i] = file
		} else if i > 0 && args[i-1] == "--addr" {
			args[i] = "127.0.0.1:0"
		} else if strings.Contains(w, "/") {
			t.Fatalf("%q is no file of this test", w)
		}
	}
	cmd := command(t, append(args, "--quiet")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if err != nil || !ok {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("ehgnn %s: %q, %v, %s", strings.Join(args, " "), line, err, &errs)
	}
	return address
}

// status returns the status of a GET with a token.
func status(t *testing.T, url, host, token string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Host = host; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	io.Copy(io.Discard, reply.Body)
	return reply.StatusCode
}

// The image contains the binary that make build makes, which needs no library, at the path that it
// starts.
func TestDockerfile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	steps := map[string][]string{}
	for line := range strings.Lines(read(t, deploy, "Dockerfile")) {
		if word, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && word != "#" {
			steps[word] = append(steps[word], rest)
		}
	}
	if !slices.Equal(steps["FROM"], []string{"scratch"}) || len(steps["COPY"]) != 1 {
		t.Fatalf("steps %v", steps)
	}
	source, target, _ := strings.Cut(steps["COPY"][0], " ")
	makefile := read(t, "..", "..", "..", "Makefile")
	if !strings.Contains(makefile, "CGO_ENABLED=0 $(GO) build $(BUILD) -o "+source+" ./cmd/ehgnn\n") {
		t.Errorf("make build does not make %s", source)
	}
	if !regexp.MustCompile(`(?m)^image: build\n.* -f examples/deploy/Dockerfile .*\.$`).MatchString(makefile) {
		t.Error("make image does not build the Dockerfile from the root")
	}
	if !strings.Contains(read(t, "..", "..", "..", ".dockerignore"), "!"+source+"\n") {
		t.Errorf(".dockerignore leaves %s out", source)
	}
	var entry []string
	if err := json.Unmarshal([]byte(steps["ENTRYPOINT"][0]), &entry); err != nil || !slices.Equal(entry, []string{target}) {
		t.Errorf("ENTRYPOINT %v, %v; want %s", entry, err, target)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the binary of this system is not the image's")
	}
	path, err := build(filepath.Join(t.TempDir(), "ehgnn"), "CGO_ENABLED=0")
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the binary needs a loader, which the image does not have")
		}
	}
}

// The service of compose.yaml answers Prometheus as configured in prometheus.yml, by the service
// name, and refuses requests without the token.
func TestCompose(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Build   struct{ Context, Dockerfile string }
			Command []string
			Volumes []string
			Secrets []string
			Ports   []string
		}
		Secrets map[string]struct{ File string }
	}
	if err := yaml.Unmarshal([]byte(read(t, deploy, "compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	var prometheus struct {
		Scrape []struct {
			Path          string `yaml:"metrics_path"`
			Authorization struct {
				File string `yaml:"credentials_file"`
			}
			Static []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(read(t, deploy, "prometheus.yml")), &prometheus); err != nil {
		t.Fatal(err)
	}
	server := compose.Services["ehgnn"]
	if at := filepath.Join(deploy, server.Build.Context, server.Build.Dockerfile); !exists(at) {
		t.Errorf("there is no %s", at)
	}
	for _, v := range compose.Services["prometheus"].Volumes {
		if file, _, _ := strings.Cut(v, ":"); strings.HasPrefix(file, "./") && !exists(filepath.Join(deploy, file)) {
			t.Errorf("there is no %s", file)
		}
	}
	scrape := prometheus.Scrape[0]
	for name, s := range compose.Services {
		if !slices.Equal(s.Secrets, []string{"token"}) || scrape.Authorization.File != "/run/secrets/token" || compose.Secrets["token"].File == "" {
			t.Errorf("service %s has the secrets %v, Prometheus reads %s", name, s.Secrets, scrape.Authorization.File)
		}
	}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := slices.Index(server.Command, "--addr")
	target := scrape.Static[0].Targets[0]
	if at < 0 || target != "ehgnn"+server.Command[at+1] {
		t.Errorf("Prometheus asks %s, the server is started as %v", target, server.Command)
	}
	address := served(t, server.Command, map[string]string{"/runs/model": smallRun(t), "/run/secrets/token": token})
	secret := strings.TrimSpace(read(t, token))
	for _, test := range []struct {
		path, host, token string
		want              int
	}{
		{scrape.Path, target, secret, 200}, {scrape.Path, target, "", 401}, {scrape.Path, "elsewhere:8080", secret, 421}, {"/readyz", target, "", 200}, {"/v1/models", target, secret, 200},
	} {
		if got := status(t, address+test.path, test.host, test.token); got != test.want {
			t.Errorf("GET %s of %s: status %d, want %d", test.path, test.host, got, test.want)
		}
	}
}

// systemd accepts the unit and rates it as well protected, and its command serves.
func TestSystemdUnit(t *testing.T) {
	unit := read(t, deploy, "ehgnn.service")
	if !regexp.MustCompile(`(?m)^RestrictAddressFamilies=.*\bAF_NETLINK\b`).MatchString(unit) {
		t.Error("the unit keeps the server from listing the addresses of the machine")
	}
	start := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindStringSubmatch(unit)
	if start == nil {
		t.Fatal("there is no ExecStart")
	}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := served(t, strings.Fields(start[2]), map[string]string{"/srv/ehgnn/model": smallRun(t), "%d/token": token})
	if got := status(t, address+"/readyz", "", ""); got != 200 {
		t.Errorf("/readyz: status %d", got)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not there to check the unit")
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ehgnn.service")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(unit, start[1], path)), 0o644); err != nil {
		t.Fatal(err)
	}
	// Warnings about other units on the machine do not matter.
	if out, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput(); err != nil || strings.Contains(string(out), "ehgnn.service") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=20", "--no-pager", file).CombinedOutput()
	if err != nil && strings.Contains(string(out), "Overall exposure") { // older versions lack --offline
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
}

// The client in the documentation predicts as the program does.
func TestPythonClient(t *testing.T) {
	client := read(t, deploy, "client.py")
	if !strings.Contains(read(t, "..", "..", "..", "docs", "deploy.md"), "<!-- examples/deploy/client.py -->\n```python\n"+client+"```\n") {
		t.Error("docs/deploy.md shows another client than examples/deploy/client.py")
	}
	if n := strings.Count(client, "\n"); n > 10 {
		t.Errorf("the client has %d lines, want 10", n)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not there to run the client")
	}
	run := smallRun(t)
	token := filepath.Join(t.TempDir(), "token")
	const secret = "0123456789abcdef0123456789abcdef"
	if err := os.WriteFile(token, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	address := served(t, []string{"serve", run, "--addr", "", "--token-file", token}, map[string]string{run: run, token: token})
	example := read(t, run, "input_example.json")
	call := func(graph, secret string) result {
		cmd := exec.Command(python, filepath.Join(deploy, "client.py"), filepath.Base(run), address)
		cmd.Stdin, cmd.Env = strings.NewReader(graph), append(os.Environ(), "EHGNN_TOKEN="+secret)
		return finish(t, cmd)
	}
	r := call(example, secret)
	if r.code != 0 {
		t.Fatalf("the client: %+v", r)
	}
	var got []struct {
		Class         string
		Probabilities map[string]float64
	}
	document(t, r.stdout, &got)
	if want := predicted(t, run, example); len(got) != 1 || got[0].Class != want || len(got[0].Probabilities) != 2 {
		t.Errorf("the client predicts %+v, ehgnn predict %v", got, want)
	}
	for _, bad := range []result{call(`{"nodes": 3}`, secret), call(example, "another")} {
		if bad.code == 0 || !strings.Contains(bad.stderr, "HTTPError: HTTP Error 4") {
			t.Errorf("a request that is refused: %+v", bad)
		}
	}
}

// predicted returns the class that the program predicts for a graph.
func predicted(t *testing.T, run, graph string) string {
	t.Helper()
	cmd := command(t, "predict", run, "-")
	cmd.Stdin = strings.NewReader(graph)
	r := finish(t, cmd)
	var line map[string]any
	document(t, r.stdout, &line)
	return fmt.Sprint(line["class"])
}
