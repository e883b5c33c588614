package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// stopAt is an environment variable that makes the test binary run the program with a stop, as JSON.
const stopAt = "EHGNN_TEST_STOP_AT"

// stop says when the program stops itself. It does not depend on the speed of the machine, because the program
// compares the state with it in every step of training, and before it draws progress.
type stop struct {
	Kill   bool          // kill the process; otherwise interrupt the program
	File   string        // the stop is after this file exists, empty for at once
	Lines  int           // and has this number of lines
	Checks int64         // and after that the context was checked this number of times
	Delay  time.Duration // a kill comes later, at any step
}

// stopped runs the program until it stops itself. The program draws its progress for a terminal.
func stopped(t *testing.T, s stop, args ...string) result {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	when, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), stopAt+"="+string(when))
	return finish(t, cmd)
}

// savesState interrupts the program, which says that its state is saved in dir and how to continue.
func savesState(t *testing.T, dir string, s stop, args ...string) {
	t.Helper()
	r := stopped(t, s, args...)
	if want := stateSaved(args[0], dir); r.code != cli.ExitInterrupted || !strings.HasSuffix(unnoticed(r.stderr), want) {
		t.Fatalf("exit code %d, standard error %q; want %d and %q", r.code, r.stderr, cli.ExitInterrupted, want)
	}
}

// stateSaved is what an interrupted command says that has saved its state.
func stateSaved(verb, dir string) string {
	return "ehgnn: state saved in " + dir + "; ehgnn " + verb + " --resume --out " + dir + " continues it\nehgnn: interrupted\n"
}

// runStopping runs the program in a process that stops itself, as stopAt says.
func runStopping(when string) int {
	s := &stopping{}
	if err := json.Unmarshal([]byte(when), &s.stop); err != nil {
		panic(err)
	}
	s.Context, s.cancel = context.WithCancel(context.Background())
	return cli.Main(s, cli.State{Args: os.Args[1:], Stdout: os.Stdout, Stderr: s, Terminal: true})
}

// stopping is the context and the standard error of a program that stops itself.
type stopping struct {
	context.Context
	cancel  context.CancelFunc
	stop    stop
	reached atomic.Bool // the file has its lines
	checks  atomic.Int64
}

func (s *stopping) Err() error {
	if s.ready() && s.checks.Add(1) > s.stop.Checks {
		s.end()
	}
	return s.Context.Err()
}

func (s *stopping) Write(b []byte) (int, error) {
	if s.ready() && s.stop.Checks == 0 {
		s.end()
	}
	return os.Stderr.Write(b)
}

func (s *stopping) ready() bool {
	if s.stop.File == "" || s.reached.Load() {
		return true
	}
	text, err := os.ReadFile(s.stop.File)
	if err != nil || bytes.Count(text, []byte("\n")) < s.stop.Lines {
		return false
	}
	s.reached.Store(true)
	return true
}

func (s *stopping) end() {
	if !s.stop.Kill {
		s.cancel()
		return
	}
	kill := func() {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill() // the process ends here
		}
		select {}
	}
	if s.stop.Delay == 0 {
		kill()
	}
	go func() {
		time.Sleep(s.stop.Delay)
		kill()
	}()
}
