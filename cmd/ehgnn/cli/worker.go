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

// Growth of a worker's heap between two collections: so many bytes, or so many percent if this is more.
const (
	workerRoom   = 64 << 20
	workerGrowth = 30
)

// workerRequest is a command for a worker.
type workerRequest struct {
	Args []string `json:"args"` // of the command line, without the name of the program
}

// small are commands that take less time than building all others.
var small = map[string]func(*app) *cobra.Command{"predict": newPredict, "recommend": newRecommend, "embed": newEmbed}

// verb is the only command that a request needs; nil if it may need all.
func (r *workerRequest) verb() func(*app) *cobra.Command {
	if len(r.Args) == 0 {
		return nil
	}
	return small[r.Args[0]]
}

// workerReply is a line of a worker: text that the command prints on standard error, at once; and
// at its end the exit code and its standard output.
type workerReply struct {
	Stderr string  `json:"stderr,omitempty"`
	Code   *int    `json:"code,omitempty"`
	Stdout *string `json:"stdout,omitempty"`
}

// newWorker is a hidden command for programs that run this one as a child process, such as the
// Python package.
func newWorker(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run the commands that another program writes to standard input",
		Hidden: true,
		Long: `Run commands from standard input, one after another in one process, for another program. Each is
a line of JSON, for example {"args": ["predict", "runs/mutag", "MUTAG.zip"]}. Answers are lines of
JSON on standard output: {"stderr": TEXT} while the command runs, and at its end
{"code": EXIT CODE, "stdout": TEXT}. The end of standard input interrupts the running command, like
SIGINT, and ends the worker, so that no worker outlives the program that started it. Files are
complete or absent, but are not synced to disk: a power failure may empty them.`,
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

// replies writes JSON lines; as an io.Writer it gets the standard error of commands.
type replies struct {
	mu sync.Mutex
	to *json.Encoder
}

func (r *replies) write(line workerReply) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to.Encode(line)
}

// Write implements io.Writer.
func (r *replies) Write(p []byte) (int, error) {
	if err := r.write(workerReply{Stderr: string(p)}); err != nil {
		return 0, err
	}
	return len(p), nil
}
