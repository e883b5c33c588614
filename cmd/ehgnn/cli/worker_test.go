package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// reply is a line that a worker writes.
type reply struct {
	Stderr string
	Code   *int
	Stdout string
}

// The end of the input ends a worker. A line that is not a command ends it with an error.
func TestWorkerEnds(t *testing.T) {
	for in, want := range map[string]int{"": cli.ExitOK, "version\n": cli.ExitUsage, `{"args": 3}`: cli.ExitUsage, `{"args": ["ver`: cli.ExitUsage} {
		var out, errs bytes.Buffer
		code := cli.Main(t.Context(), cli.State{Args: []string{"worker"}, Stdin: strings.NewReader(in), Stdout: &out, Stderr: &errs})
		if code != want || out.Len() > 0 {
			t.Errorf("%q: exit code %d, want %d, with output %q: %s", in, code, want, &out, &errs)
		}
		if want != 0 && !strings.Contains(errs.String(), "standard input") {
			t.Errorf("%q: the error is %q", in, &errs)
		}
	}
}

// While its input is open, a worker answers each command. The end of the input interrupts it.
func TestWorkerAnswers(t *testing.T) {
	in, to := io.Pipe()
	from, out := io.Pipe()
	ended := make(chan int)
	go func() {
		code := cli.Main(context.Background(), cli.State{Args: []string{"worker"}, Stdin: in, Stdout: out, Stderr: io.Discard})
		out.Close()
		ended <- code
	}()
	replies := json.NewDecoder(from)
	for _, c := range []struct {
		args string
		code int
	}{{`["version"]`, 0}, {`["nothing"]`, 2}, {`["predict", "--help"]`, 0}, {`["predict", "--what"]`, 2}, {`[]`, 0}, {`["worker"]`, 2}, {`["version"]`, 0}} {
		if _, err := io.WriteString(to, `{"args": `+c.args+"}\n"); err != nil {
			t.Fatal(err)
		}
		for {
			var r reply
			if err := replies.Decode(&r); err != nil {
				t.Fatal(err)
			}
			if r.Code == nil {
				continue
			}
			if *r.Code != c.code {
				t.Errorf("%s: exit code %d, want %d", c.args, *r.Code, c.code)
			}
			break
		}
	}
	to.Close()
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("exit code %d at the end", code)
		}
	case <-time.After(time.Minute):
		t.Fatal("the worker does not end with its input")
	}
}
