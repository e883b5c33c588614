package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/memory"
)

// Between two collections the heap of a worker grows by so many bytes, or by so many percent where that is more.
const (
	workerRoom   = 64 << 20
	workerGrowth = 30
)

// workerRequest is a command that a worker is to run.
type workerRequest struct {
	Args []string `json:"args"` // of the command line, without the program's name
}

// small are verbs that take less time than building the commands of all others.
var small = map[string]func(*app) *cobra.Command{"predict": newPredict, "recommend": newRecommend, "embed": newEmbed}

// verb is the one verb that a request needs; nil where it may need all.
func (r *workerRequest) verb() func(*app) *cobra.Command {
	if len(r.Args) == 0 {
		return nil
	}
	return small[r.Args[0]]
}

// workerReply is a line that a worker writes: what the command prints on standard error, as it
// comes, and at its end its exit code and what it printed on standard output.
type workerReply struct {
	Stderr string  `json:"stderr,omitempty"`
	Code   *int    `json:"code,omitempty"`
	Stdout *string `json:"stdout,omitempty"`
}

// newWorker is a verb for programs that use this one as a child, such as the Python package. It is
// not in the help.
func newWorker(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run the commands that another program writes to standard input",
		Hidden: true,
		Long: `Run the commands that another program writes to standard input, one after the other in one
process. Each is a line of JSON, as {"args": ["predict", "runs/mutag", "MUTAG.zip"]}. Answers
are lines of JSON on standard output: {"stderr": TEXT} while the command runs, and at its end
{"code": EXIT CODE, "stdout": TEXT}. The end of standard input interrupts the command that
runs, as SIGINT would, and ends the worker: no worker outlives the program that started it.
Files are complete or absent, but are not synced to the disk: a power cut may empty them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.work(cmd.Context()) },
	}
}

// work runs commands until standard input ends.
func (a *app) work(ctx context.Context) error {
	defer atomicfile.Unsynced()()
	defer memory.Room(workerRoom, workerGrowth)()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	requests, failed := make(chan workerRequest), make(chan error, 1)
	go func() {
		defer close(requests)
		in := json.NewDecoder(a.stdin())
		for {
			var r workerRequest
			if err := in.Decode(&r); err != nil {
				if !errors.Is(err, io.EOF) {
					failed <- usage(fmt.Errorf("standard input: %w, expected lines as {\"args\": [\"version\"]}", err))
				}
				stop()
				return
			}
			select {
			case requests <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	out := &replies{to: json.NewEncoder(a.Stdout)}
	for r := range requests {
		if err := a.perform(ctx, r, out); err != nil {
			return err
		}
	}
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// perform runs one command and writes its replies.
func (a *app) perform(ctx context.Context, r workerRequest, out *replies) error {
	var printed strings.Builder
	code := ExitUsage
	if len(r.Args) > 0 && r.Args[0] == "worker" {
		if err := out.write(workerReply{Stderr: "ehgnn: a worker runs no worker\n"}); err != nil {
			return err
		}
	} else {
		code = Main(ctx, State{Args: r.Args, Stdout: &printed, Stderr: out, runs: a.runs, alone: r.verb()})
	}
	text := printed.String()
	return out.write(workerReply{Code: &code, Stdout: &text})
}

// replies writes lines of JSON, and as an io.Writer what commands print on standard error.
type replies struct {
	mu sync.Mutex
	to *json.Encoder
}

func (r *replies) write(line workerReply) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to.Encode(line)
}

// Write is of io.Writer.
func (r *replies) Write(p []byte) (int, error) {
	if err := r.write(workerReply{Stderr: string(p)}); err != nil {
		return 0, err
	}
	return len(p), nil
}
