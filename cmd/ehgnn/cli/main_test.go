package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shared has what several tests use, built once: the program and a run. It is removed after all
// tests.
var shared string

func TestMain(m *testing.M) {
	if when := os.Getenv(stopAt); when != "" {
		os.Exit(runStopping(when))
	}
	flag.Parse()
	debug.SetGCPercent(400) // tests have small heaps, and collecting them often would take a fifth of the time
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ehgnn-cli-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	shared = dir
	// No test may depend on the user's data or cache.
	os.Setenv("EHGNN_DATA", filepath.Join(dir, "data"))
	return m.Run()
}

// built builds the program once and returns its path.
var built = sync.OnceValues(func() (string, error) { return build(filepath.Join(shared, "ehgnn")) })

// build builds the program with some environment variables. Without any, it uses the same packages as the tests.
func build(path string, env ...string) (string, error) {
	cmd := exec.Command("go", "build", "-ldflags=-w", "-o", path, "github.com/ehgnn/ehgnn/cmd/ehgnn")
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
}

// command returns a call of the real program.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatalf("go build: %v", err)
	}
	return exec.Command(path, args...)
}

// result is the result of a call of the program.
type result struct {
	code           int
	stdout, stderr string
}

// program runs the real program to its end.
func program(t *testing.T, args ...string) result {
	t.Helper()
	return finish(t, command(t, args...))
}

// finish runs a command that has not been started.
func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// run runs a command in this process.
func run(t *testing.T, args ...string) result {
	t.Helper()
	return runIn(t.Context(), false, args...)
}

func runIn(ctx context.Context, terminal bool, args ...string) result {
	var out, errs bytes.Buffer
	code := cli.Main(ctx, cli.State{Args: args, Stdout: &out, Stderr: &errs, Terminal: terminal})
	return result{code, out.String(), errs.String()}
}

// succeed runs a command that must succeed and returns its standard output.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	r := run(t, args...)
	if r.code != cli.ExitOK {
		t.Fatalf("ehgnn %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r.stdout
}

// refused runs a command that must be refused as wrong usage or wrong input. The message must
// contain want, and standard output must be empty.
func refused(t *testing.T, want string, args ...string) {
	t.Helper()
	r := run(t, args...)
	if r.code != cli.ExitUsage {
		t.Errorf("ehgnn %s: exit code %d, want %d\n%s", strings.Join(args, " "), r.code, cli.ExitUsage, r.stderr)
	}
	if r.stdout != "" {
		t.Errorf("ehgnn %s: standard output %q, want nothing", strings.Join(args, " "), r.stdout)
	}
	if !strings.HasPrefix(r.stderr, "ehgnn: ") || !strings.Contains(r.stderr, want) {
		t.Errorf("ehgnn %s: standard error %q\nwant it to begin with \"ehgnn: \" and hold %q", strings.Join(args, " "), r.stderr, want)
	}
}

// document decodes standard output, which must be one JSON document and nothing
// else.
func document(t *testing.T, text string, v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(v); err != nil {
		t.Fatalf("standard output is not JSON: %v\n%.2000s", err, text)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("something follows the JSON document (%v):\n%.2000s", err, text)
	}
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
