package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/version"
)

// withVerb runs the program with one more command, called odd.
func withVerb(t *testing.T, ctx context.Context, run func(a *app, cmd *cobra.Command) error, args ...string) (code int, out, errs string) {
	t.Helper()
	before := verbs
	verbs = append(slices.Clone(before), func(a *app) *cobra.Command {
		return &cobra.Command{Use: "odd", RunE: func(cmd *cobra.Command, _ []string) error { return run(a, cmd) }, Args: cobra.ArbitraryArgs}
	})
	defer func() { verbs = before }()
	var stdout, stderr strings.Builder
	code = Main(ctx, State{Args: append([]string{"odd"}, args...), Stdout: &stdout, Stderr: &stderr})
	return code, stdout.String(), stderr.String()
}

// A panic, also in another goroutine, is a defect: it has its own exit code, and the message says
// what to report.
func TestDefect(t *testing.T) {
	var empty []int
	for name, fault := range map[string]func(){
		"in the verb":   func() { _ = empty[len(empty)] },
		"in a loop":     func() { par.New(2).Rows(10, 1, func(lo, hi int) { _ = empty[lo] }) },
		"in goroutines": func() { var g par.Group; g.Go(func() { _ = empty[len(empty)] }); g.Wait() },
	} {
		code, out, errs := withVerb(t, t.Context(), func(*app, *cobra.Command) error { fault(); return nil }, "with\nargument")
		if code != ExitDefect || out != "" {
			t.Errorf("%s: code %d, output %q", name, code, out)
		}
		first, rest, _ := strings.Cut(errs, "\n")
		if !strings.HasPrefix(first, "ehgnn: this is a defect: runtime error: index out of range [") {
			t.Errorf("%s: begins with %q", name, first)
		}
		for _, want := range []string{"Please report it at https://", "\nehgnn " + version.String(), `ehgnn odd with\nargument`, "interrupt_internal_test.go:"} {
			if !strings.Contains(rest, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, errs)
			}
		}
	}
}

// If a command does not stop when it is interrupted, the program exits without it. Its unfinished
// files are removed, and later output does not appear.
func TestLeftBehind(t *testing.T) { synctest.Test(t, testLeftBehind) }

func testLeftBehind(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	release, ended := make(chan struct{}), make(chan error)
	code, out, errs := withVerb(t, ctx, func(a *app, _ *cobra.Command) error {
		f, err := atomicfile.Create(filepath.Join(dir, "out"))
		if err != nil {
			t.Error(err)
		}
		cancel()
		<-release
		_, err = fmt.Fprintln(a.Stdout, "late")
		f.Abort()
		ended <- err
		return nil
	})
	if code != ExitInterrupted || out != "" || errs != "ehgnn: interrupted\n" {
		t.Errorf("code %d, output %q, %q", code, out, errs)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	close(release)
	if err := <-ended; err != errEnded {
		t.Errorf("a late line: %v", err)
	}
}

// If a command has something to save, the program waits for it and tells the user.
func TestFinishing(t *testing.T) { synctest.Test(t, testFinishing) }

func testFinishing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	code, _, errs := withVerb(t, ctx, func(a *app, cmd *cobra.Command) error {
		told := make(chan struct{})
		defer a.finishing(func() string { defer close(told); return "the step under way of epoch 3" })()
		cancel()
		<-told
		a.tell("saved")
		return cmd.Context().Err()
	})
	want := "ehgnn: interrupted; finishing the step under way of epoch 3 so that nothing is lost; a second interrupt ends at once"
	lines := strings.Split(strings.TrimSpace(errs), "\n")
	slices.Sort(lines[:min(2, len(lines))]) // the command may be faster than the notice
	if code != ExitInterrupted || !slices.Equal(lines, []string{want, "saved", "ehgnn: interrupted"}) {
		t.Errorf("code %d, %q", code, errs)
	}
}

// Output that cannot be written is an error, whoever printed it.
func TestStandardOutputFails(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"train", "--help"}, {"help", "train"}, {"version"}, {"data", "list"}, {"data"}, {"completion", "bash"}, {"--version"}} {
		var errs strings.Builder
		w := failing{}
		code := Main(t.Context(), State{Args: args, Stdout: w, Stderr: &errs})
		if code != ExitFailed || !strings.Contains(errs.String(), io.ErrShortWrite.Error()) {
			t.Errorf("%v: code %d, %q", args, code, errs.String())
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
